# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Write the pages generated from the code: reference, functions and instructions of the CPU device, error advice."""

from __future__ import annotations

import pathlib
import re
from collections.abc import Callable

import bindings_pages

ROOT = pathlib.Path(__file__).parents[1]


def write_all(folder: pathlib.Path) -> None:
    import core_pages  # needs Sphinx, which tests that use other functions of this module can do without

    folder.mkdir(exist_ok=True)
    pages = {
        "implemented_table.md": implemented_table(),
        "instructions_table.md": instructions_table(),
        "advice_table.md": advice_table(),
    }
    pages |= bindings_pages.pages() | core_pages.pages() | explained(folder.parent / "design/block_sums.ptx")
    for name, text in pages.items():
        path = folder / name
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


def implemented_table() -> str:
    """Return the driver and runtime functions that the CPU device supports, and the reasons for the others."""
    from cuda.cpu import driver, runtime_api

    apis = (
        ("driver", "entry", driver.implemented(), driver.unsupported.reason_of),
        ("runtime", "runtime_api", runtime_api.implemented(), runtime_api.reason_of),
    )
    return "\n\n".join(functions_of(*api) for api in apis) + "\n"


def functions_of(title: str, folder: str, names: list[str], reason_of: Callable[[str], str]) -> str:
    shell = (ROOT / "cuda_cpu/cuda/cpu" / folder / "_shell.c").read_text()
    exported = set(re.findall(r'struct shell_entry entry = {"(\w+)"', shell))
    missing: dict[str, list[str]] = {}
    for name in sorted(exported - set(names)):
        missing.setdefault(reason_of(name), []).append(name)
    rows = [f"| {', '.join(code(name) for name in group)} | {reason} |" for reason, group in sorted(missing.items())]
    listed = "\n".join(f"- `{name}`" for name in names)
    count = sum(map(len, missing.values()))
    return "\n".join(
        [
            f"{len(names)} functions of the {title} API are supported (superseded forms such as `_v1` are counted):",
            "",
            ":::{container} implemented",
            listed,
            ":::",
            "",
            f"{count} functions are not supported:",
            "",
            "| functions | reason |",
            "|---|---|",
            *rows,
        ]
    )


def explained(file: pathlib.Path) -> dict[str, str]:
    """Return the output of `python -m cuda.cpu explain` for a kernel, one file per pass."""
    from cuda.cpu.compile import explain

    pages = {}
    for title, content in explain.stages(file.read_bytes(), parts=("passes", "paths", "ir")).items():
        name = [*title.split(": "), ""][
            1
        ] or title  # "kernel: pass: what it does", "kernel: how it will run", "LLVM IR"
        content = around(content, "fadd") if name == "LLVM IR" else content
        pages[f"explained_{name.replace(' ', '_')}.txt"] = "\n".join(content) + "\n"
    return pages


def around(lines: list[str], word: str) -> list[str]:
    """Return the block of LLVM IR that contains the first line with a word."""
    at = next(number for number, line in enumerate(lines) if word in line)
    first = max(number for number in range(at) if lines[number].endswith(":"))
    last = next(number for number in range(at, len(lines)) if lines[number].endswith(":") or lines[number] == "}")
    return lines[first:last]


def instructions_table() -> str:
    """Return the PTX instructions in the manual's order, each with the number of forms that the tests run."""
    from cuda.cpu.ptx import instructions

    run = tested_instructions()
    rows = [row for rows in instructions.table().values() for row in rows]
    there = sum(bool(row.family) for row in rows)
    lines = [f"{there} forms are supported, {len(rows) - there} are recognised and rejected:", ""]
    lines += ["| section | form | values | status |", "|---|---|---|---|"]
    for row in rows:
        values = "; ".join(f"{name}: {words}" for name, words in row.values.items() if f".{name}" in row.syntax)
        count = run.get(instruction_name(row), 0)
        tests = f"{count} forms tested" if count else "not tested"
        state = f"supported; {tests}" if row.family else "rejected"
        lines.append(f"| {row.section} | {code(row.syntax)} | {code(values) if values else ''} | {state} |")
    return "\n".join(lines)


def instruction_name(row: object) -> str:
    """Return a row's name in the record of instructions that tests run: see tests/support/instruction_record.py."""
    values = "; ".join(f"{name}={words}" for name, words in sorted(row.values.items()))
    return f"{row.section} {row.syntax.strip()}" + (f" | {values}" if values else "")


def tested_instructions() -> dict[str, int]:
    """Return the number of forms of each row that the tests run, as recorded by `nox -s instructions`."""
    lines = (pathlib.Path(__file__).parent / "instructions_run.txt").read_text().splitlines()
    parts = [line.partition(" ") for line in lines if line and not line.startswith("#")]
    return {name: int(count) for count, _, name in parts}


def code(text: str) -> str:
    """Return text as code in a cell of a table."""
    return "`" + text.replace("|", "\\|") + "`"


def advice_table() -> str:
    """Return the advice in the exceptions of cuda.core."""
    from cuda.core import _errors

    return "\n".join(f"`{status}`\n: {advice}\n" for status, advice in _errors._ADVICE.items())
