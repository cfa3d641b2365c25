# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Host CPUs that the CPU device supports: one row per machine with all that Python code knows about it.

The C code of a machine is a header in runtime/arch. build_hooks.py reads this file before anything is built, so it
imports only the standard library. "Add a target CPU" in CONTRIBUTING.md describes the steps.
"""

from __future__ import annotations

import os
import re
import struct
from collections.abc import Callable, Mapping
from typing import NamedTuple

_SUBTRACT = re.compile(rb"\x48\x81\xec(.{4})", re.DOTALL)  # subq $imm32, %rsp


class Machine(NamedTuple):
    """One instruction set architecture with the ABI of Linux: little-endian, LP64."""

    name: str  # uname -m, and the first part of LLVM's triple
    title: str
    elf: int  # e_machine (ELF gABI)
    cpuinfo: tuple[bytes, ...]  # beginnings of the lines of /proc/cpuinfo by which LLVM distinguishes CPUs
    # By feature of /proc/cpuinfo ("" for all CPUs), the first that the CPU has: 32-bit lanes of a vector register, and
    # the distance of software prefetches in bytes (0: none).
    widths: tuple[tuple[str, int], ...]
    prefetch: tuple[tuple[str, int], ...]
    # By feature, too: bytes of a vector register, 0 where shuffles and masked accesses of words are slow. The last two
    # are for CPUs without `gathers`.
    vectors: tuple[tuple[str, int], ...]
    # Features that the code for masked gathers and other instructions of the machine needs; empty: the emitters have
    # no such code for the machine, and emit generic LLVM IR.
    gathers: tuple[str, ...]
    dots: tuple[str, ...]  # the same for products of bytes
    # LLVM's scheduler (-pre-RA-sched) of the first compilation. The fast one is linear in the length of a block, but it
    # aborts where two values need the CPU's flags: on x86-64 only carries do (see CARRY in jit.py).
    quick_scheduler: str
    prologue: int  # bytes of a function that contain the subtractions from its stack pointer
    frame_size: Callable[[bytes], int]  # of a function that begins with the prologue
    call_size: int  # bytes of a direct call
    call_offset: Callable[[bytes], int | None]  # from its end to the function; None: another instruction
    system_calls: Mapping[str, int]  # numbers of those that tests deny


def _frame_size_x86_64(code: bytes) -> int:
    found = _SUBTRACT.search(code)
    return int.from_bytes(found[1], "little") if found else 0


def _call_offset_x86_64(code: bytes) -> int | None:
    """Read `call rel32`."""
    return int.from_bytes(code[1:], "little", signed=True) if code[:1] == b"\xe8" else None


def _frame_size_aarch64(code: bytes) -> int:
    """Add up `sub sp|x9, sp|x9, #imm12 [, lsl #12]`: LLVM aligns in x9, and subtracts at most 16 MiB at a time."""
    total = 0
    for (word,) in struct.iter_unpack("<I", code[: len(code) & ~3]):
        if word >> 23 == 0b110100010 and {word & 31, word >> 5 & 31} <= {9, 31}:
            total += (word >> 10 & 0xFFF) << (12 if word >> 22 & 1 else 0)
    return total


def _call_offset_aarch64(code: bytes) -> int | None:
    """Read `bl imm26`, which counts instructions from the call itself."""
    word = int.from_bytes(code, "little")
    if word >> 26 != 0b100101:
        return None
    count = (word & 0x3FFFFFF) - (word >> 25 & 1) * (1 << 26)
    return 4 * count - 4


MACHINES = (
    Machine(
        name="x86_64",
        title="x86-64",
        elf=62,
        cpuinfo=(b"model name", b"vendor_id", b"cpu family", b"model\t", b"stepping", b"flags"),
        widths=(("avx512f", 16), ("avx2", 8), ("", 4)),
        # Measurements show a gain on Zen 4. On a Xeon, saxpy takes as long as without, stencils a tenth longer.
        prefetch=(("AuthenticAMD", 1024), ("", 0)),
        vectors=(("avx512f", 64), ("avx2", 32), ("", 0)),
        gathers=("avx512f", "cx16"),  # cx16: see emit/instructions/memory/contiguous_atomics.py
        dots=("avx512_vnni",),
        quick_scheduler="fast",
        prologue=64,
        frame_size=_frame_size_x86_64,
        call_size=5,
        call_offset=_call_offset_x86_64,
        system_calls={"sysinfo": 99, "clone": 56, "clone3": 435},
    ),
    Machine(
        name="aarch64",
        title="aarch64",
        elf=183,
        cpuinfo=(b"Features", b"CPU part", b"CPU implementer"),
        widths=(("", 4),),
        prefetch=(("", 0),),
        vectors=(("", 0),),
        gathers=(),
        dots=(),
        quick_scheduler="default",  # a saxpy with a loop has two live uses of the flags
        prologue=512,  # a subtraction for each 16 MiB
        frame_size=_frame_size_aarch64,
        call_size=4,
        call_offset=_call_offset_aarch64,
        system_calls={"sysinfo": 179, "clone": 220, "clone3": 435},
    ),
)


def named(name: str) -> Machine:
    """Return the row of a machine by its `uname -m`.

    Raises
    ------
    NotImplementedError
        There is none.
    """
    return _find("name", name, f"machine {name!r}")


def of_elf(number: int) -> Machine:
    """Return the row of a machine by the e_machine of its ELF files; raises a NotImplementedError as `named`."""
    return _find("elf", number, f"ELF machine {number}")


def host() -> Machine:
    """Return the row of the machine that this process runs on; raises a NotImplementedError as `named`."""
    return named(os.uname().machine)


def _find(field: str, value: object, shown: str) -> Machine:
    found = next((each for each in MACHINES if getattr(each, field) == value), None)
    if found is None:
        known = ", ".join(f"{each.name} ({each.elf})" for each in MACHINES)
        raise NotImplementedError(
            f"{shown} has no row in MACHINES of cuda/cpu/compile/machines.py, which has {known}; see 'Add a target "
            "CPU' in CONTRIBUTING.md"
        )
    return found
