# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The session of the guide, with what it says that gdb prints."""

import pathlib
import re

import pytest

pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

pytestmark = [pytest.mark.cpu_only, pytest.mark.needs_nvrtc]
PAGE = pathlib.Path(__file__).parents[3] / "docs/guides/debugging.md"


def sessions():
    """Yield the name of each session's program, its text, and the commands with their outputs."""
    text = PAGE.read_text()
    programs = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    found = re.findall(r"```text\n\$ python -m cuda\.cpu debug (\S+)\n(.*?)```", text, re.DOTALL)
    assert len(programs) == len(found) > 0
    for program, (name, session) in zip(programs, found, strict=True):
        yield name, program, re.findall(r"^\(gdb\) (.*)\n((?:(?!\(gdb\)).*\n)*)", session, re.MULTILINE)


@pytest.mark.parametrize(("name", "program", "steps"), list(sessions()))
def test_session_of_the_guide(debug, name, program, steps):
    out = debug(program, "set trace-commands on", *(command for command, _ in steps), name=name)
    printed = dict(zip_commands(out, [command for command, _ in steps]))
    for command, said in steps:
        assert re.fullmatch(pattern_of(said), printed[command]), f"{command} prints {printed[command]!r}"


def pattern_of(said):
    """Return a pattern for an output: a line "..." stands for any lines, and three dots in a line for anything."""
    lines = (re.escape(line).replace(r"\.\.\.", ".*") + r"\n" for line in said.splitlines())
    return "".join(r"(?:.*\n)*?" if line == r".*\n" else line for line in lines)


def zip_commands(out, commands):
    """Yield each command with what was printed behind it."""
    parts = re.split(r"^\+(.*)\n", out, flags=re.MULTILINE)
    assert parts[1::2] == commands
    yield from zip(parts[1::2], parts[2::2], strict=True)
