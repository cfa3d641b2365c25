# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Stack frame sizes, read from the prologues of machine code.

LLVM records frame sizes (stack maps) only for functions without over-aligned frames; SIMD groups over-align them.
"""

from __future__ import annotations

from cuda.cpu.compile import machines
from cuda.cpu.ptx.image import elf

COMMON = 1 << 20  # every stack has at least this size: FRAMES in runtime/exec/fiber.c


def stack_of(data: bytes) -> int:
    """Return the sum of the frame sizes of an ELF object's functions."""
    sections = dict(elf.Sections(data))
    machine = machines.of_elf(int.from_bytes(data[18:20], "little"))
    code, ranges = sections[".text"], elf.functions(sections).values()
    return sum(machine.frame_size(code[each.start : min(each.stop, each.start + machine.prologue)]) for each in ranges)
