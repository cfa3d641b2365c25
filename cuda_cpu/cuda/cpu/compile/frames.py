# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Stack frame sizes, read from the prologues of machine code.

LLVM records frame sizes (stack maps) only for functions without over-aligned frames; SIMD groups over-align them.
"""

from __future__ import annotations

import re
import struct

from cuda.cpu.ptx.image import elf

X86_64, AARCH64 = 62, 183  # e_machine (ELF gABI)
COMMON = 1 << 20  # every stack has at least this size: FRAMES in runtime/exec/fiber.c
BEGINNING = 512  # bytes of a function that are searched: pushes or stores, and on aarch64 a subtraction for each 16 MiB

SUBTRACT = re.compile(rb"\x48\x81\xec(.{4})", re.DOTALL)  # subq $imm32, %rsp


def stack_of(data: bytes) -> int:
    """Return the sum of the frame sizes of an ELF object's functions."""
    sections = dict(elf.Sections(data))
    machine = int.from_bytes(data[18:20], "little")
    frame = {X86_64: _x86_64, AARCH64: _aarch64}.get(machine)
    if frame is None:
        raise NotImplementedError(
            f"code for ELF machine {machine}: frames.py reads the frame sizes of {X86_64} (x86-64) and {AARCH64} "
            "(aarch64) only; see 'Add a target CPU' of CONTRIBUTING.md"
        )
    ranges = elf.functions(sections).values()
    return sum(frame(sections[".text"][each.start : min(each.stop, each.start + BEGINNING)]) for each in ranges)


def _x86_64(code: bytes) -> int:
    found = SUBTRACT.search(code[:64])
    return int.from_bytes(found[1], "little") if found else 0


def _aarch64(code: bytes) -> int:
    """Add up `sub sp|x9, sp|x9, #imm12 [, lsl #12]`: LLVM aligns in x9, and subtracts at most 16 MiB at a time."""
    total = 0
    for (word,) in struct.iter_unpack("<I", code[: len(code) & ~3]):
        if word >> 23 == 0b110100010 and {word & 31, word >> 5 & 31} <= {9, 31}:
            total += (word >> 10 & 0xFFF) << (12 if word >> 22 & 1 else 0)
    return total
