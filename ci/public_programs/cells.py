# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Run the code cells of a page of documentation, as its site does, and print what each leaves.

The pages are Markdown for MyST-NB: cells are blocks marked `{code-cell}`, and their options come first.
"""

from __future__ import annotations

import ast
import pathlib
import re
from typing import Any

CELL = re.compile(r"^```\{code-cell\}[^\n]*\n(.*?)^```", re.M | re.S)
OPTIONS = re.compile(r"\A(?:---\n.*?^---\n|(?::[^\n]*\n)+)", re.M | re.S)
MAGIC = re.compile(r"^(\s*)%{1,2}(?:time|timeit)\b( -\S+( \d+)?)*\s*")


def code_of(cell: str) -> str:
    """Return a cell's Python code: what is timed is run once, commands for notebooks and shells are left out."""
    lines = [MAGIC.sub(r"\1", line) for line in OPTIONS.sub("", cell).splitlines()]
    return "\n".join(line for line in lines if not line.lstrip().startswith(("!", "%")))


def run_cell(code: str, name: str, variables: dict[str, Any]) -> None:
    """Run a cell, and print the value of its last expression."""
    tree = ast.parse(code, name)
    last = ast.Expression(tree.body.pop().value) if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, name, "exec"), variables)
    if last is not None and (value := eval(compile(last, name, "eval"), variables)) is not None:
        print(repr(value))


def run_cells(page: str) -> None:
    """Run all cells of a page, one after another; where the page expects an exception, print its type."""
    variables: dict[str, Any] = {"__name__": "__main__"}
    for number, cell in enumerate(CELL.findall(pathlib.Path(page).read_text()), 1):
        options = OPTIONS.match(cell)
        expected = options is not None and "raises-exception" in options[0]
        try:
            run_cell(code_of(cell), f"{page}, cell {number}", variables)
        except Exception as error:
            if not expected:
                raise
            print(f"cell {number} raises {type(error).__name__}")
