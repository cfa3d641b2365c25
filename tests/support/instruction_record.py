# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Which forms of instructions the tests of the CPU device run: recorded where machine code is made for them.

`nox -s instructions` runs the tests and writes docs/instructions_run.txt, from which the documentation makes its table.
"""

from __future__ import annotations

import functools
import importlib
import pathlib
import sys

DOCS = pathlib.Path(__file__).parent.parent.parent / "docs"
sys.path.append(str(DOCS))

from reference_pages import instruction_name as name_of  # noqa: E402
from reference_pages import tested_instructions as recorded  # noqa: E402, F401

HEAD = "# Written by `nox -s instructions`: how many forms of each row of the instruction table the tests run.\n"


class Recorder:
    """A pytest plugin that notes the form of every instruction for which machine code is made."""

    def __init__(self, file: str) -> None:
        # A function of the package hides the module of the same name.
        split_blocks = importlib.import_module("cuda.cpu.passes.split_blocks")
        self.file = pathlib.Path(file)
        self.seen: dict[str, set[str]] = {}
        split_blocks._step = self._noting(split_blocks._step)  # all but the ends of blocks
        split_blocks._end = self._noting(split_blocks._end)

    def _noting(self, function):
        from cuda.cpu.ptx.instructions import form_of
        from cuda.cpu.ptx.syntax import Instruction

        @functools.wraps(function)
        def note(item, *rest):
            if isinstance(item, Instruction):
                form = form_of(item)
                self.seen.setdefault(name_of(form.row), set()).add(str(form))
            return function(item, *rest)

        return note

    def pytest_sessionfinish(self):
        from cuda.cpu.ptx.instructions import table

        names = [name_of(row) for rows in table().values() for row in rows if row.family]
        lines = [f"{len(self.seen.get(name, ()))} {name}\n" for name in names]
        self.file.write_text(HEAD + "".join(lines))
