# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Accesses of a basic block whose counts are the same, so that one of them is enough.

Their addresses are the same register's value plus constants that differ by a multiple of a sector, or in shared memory
of a word: neither the number of different sectors nor that of different words in each bank depends on that difference.
"""

from __future__ import annotations

from cuda.cpu.emit.access.addresses import space_of
from cuda.cpu.emit.instructions.memory.load_store import is_parameter
from cuda.cpu.emit.llvm.values import ELEMENTS, integer_of, width_of
from cuda.cpu.passes.graph import Block, Step
from cuda.cpu.ptx.syntax import Register
from cuda.cpu.runtime.abi import number

SECTOR, WORD = number("SECTOR"), 4


def groups_of(block: Block) -> dict[int, list[Step]]:
    """Return the loads and stores of a block that belong together, by the id of the first step of each group."""
    found: dict[int, list[Step]] = {}
    open_: dict[tuple[str, str, int, int], list[Step]] = {}
    for step in block.steps:
        key = _key_of(step)
        if key is not None:
            group = open_.setdefault(key, [])
            group.append(step)
            found.setdefault(id(group[0]), group)
        for each in [each for each in open_ if each[1] in step.writes]:
            del open_[each]
    return found


def _key_of(step: Step) -> tuple[str, str, int, int] | None:
    """Return the space, the register, the size and the offset within a sector or word; None for other instructions."""
    if step.form is None or step.form.opcode not in ("ld", "ldu", "st") or "bulk" in step.form.modifiers:
        return None
    instruction, form = step.operation()
    loads = form.opcode != "st"
    address, space = instruction.address(1 if loads else 0), space_of(form)
    if not isinstance(address.base, Register) or address.coordinates or is_parameter(address, space):
        return None
    size = width_of(integer_of(ELEMENTS[form.type])) // 8 * len(instruction.elements(0 if loads else 1))
    return space, address.base.name, size, address.offset % (WORD if space == "shared" else SECTOR)
