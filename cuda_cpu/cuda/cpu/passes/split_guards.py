# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Turn guarded instructions with effects into branches around them.

Pure instructions stay guarded: their result is selected. Emitters of loads, stores and calls never see a guard.
"""

from __future__ import annotations

import dataclasses

from cuda.cpu.passes.traits import PURE
from cuda.cpu.ptx.syntax import Call, Guard, Instruction, Label, Statement, Symbol

BRANCHES = ("bra", "ret")
AROUND = "$guard."  # prefix of the labels behind guarded instructions, which no label of PTX has


def split_guards(body: list[Statement], entry: bool) -> list[Statement]:
    """Return the statements of a function's body without guarded effects.

    Parameters
    ----------
    entry : bool
        The function is a kernel, in which `exit` is the same as `ret`.
    """
    result: list[Statement] = []
    for number, statement in enumerate(body):
        guard = statement.guard if isinstance(statement, Instruction | Call) else None
        if guard is None or _keeps_guard(statement, entry):
            result.append(statement)
            continue
        label = f"{AROUND}{number}"
        around = Guard(guard.register, not guard.negated)
        result.append(Instruction("bra", (), (Symbol(label),), statement.line, around))
        result.append(_unguarded(statement))
        result.append(Label(label, statement.line))
    return result


def _keeps_guard(statement: Statement, entry: bool) -> bool:
    if not isinstance(statement, Instruction):
        return False
    if statement.opcode == "exit":
        return entry
    return statement.opcode in BRANCHES or statement.opcode in PURE


def _unguarded(statement: Statement) -> Statement:
    assert isinstance(statement, Instruction | Call)
    return dataclasses.replace(statement, guard=None)
