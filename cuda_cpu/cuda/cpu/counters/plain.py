# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Accesses of which requests, threads and bytes are counted, and those that the runtime counts when it copies.

Sectors of textures and surfaces depend on the layout of arrays in a GPU's memory, which is not public.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from cuda.cpu.emit.instructions.memory import bulk
from cuda.cpu.emit.llvm.values import ELEMENTS, integer_of, width_of
from cuda.cpu.ptx.form import Form
from cuda.cpu.ptx.syntax import Instruction, Vector

# Kinds of the accesses to global and to shared memory, by what the runtime is asked to do (emit/.../bulk.py).
# Accesses that `check.instrument.ACCESSES` has are "" here.
COPIES = {
    bulk.LOAD: ("tma_ld", "tma_st"),
    bulk.STORE: ("tma_st", "tma_ld"),
    bulk.REDUCE_TENSOR: ("tma_red", "tma_ld"),
    bulk.COPY: ("", "tma_st"),
    bulk.MULTIMEM_LOAD: ("multimem_ld", ""),
    bulk.MULTIMEM_STORE: ("multimem_st", ""),
    bulk.MULTIMEM_REDUCE: ("multimem_red", ""),
    bulk.MULTIMEM_COPY: ("multimem_st", "tma_ld"),
    bulk.MULTIMEM_REDUCE_BULK: ("multimem_red", "tma_ld"),
}
TEXTURES = {"tex": ("texture", "ld"), "tld4": ("texture", "ld"), "suld": ("surface", "ld"), "sust": ("surface", "st"),
            "sured": ("surface", "red")}  # fmt: skip
DEPTH = 32  # bytes of each row of A and column of B that a dense wgmma multiplies
THREADS = 128  # of a warpgroup
_SHAPE = re.compile(r"m(\d+)n(\d+)k(\d+)$")


class PlainAccess(NamedTuple):
    space: str
    kind: str
    size: int  # bytes of each thread


def plain_access(instruction: Instruction, form: Form) -> PlainAccess | None:
    """Return the access of a texture or surface instruction or of wgmma; None for others."""
    if instruction.opcode in TEXTURES:
        loads = instruction.opcode in ("tex", "tld4", "suld")
        type_ = form.dtype if instruction.opcode in ("tex", "tld4") else form.type
        count = len(instruction.elements(0 if loads else 1))
        return PlainAccess(*TEXTURES[instruction.opcode], count * width_of(integer_of(ELEMENTS[type_])) // 8)
    if instruction.opcode == "wgmma" and "mma_async" in form.modifiers:
        return PlainAccess("shared", "wgmma", _operand_bytes(instruction, form) // THREADS)
    return None


def _operand_bytes(instruction: Instruction, form: Form) -> int:
    """Return the bytes of the operands of a warpgroup in shared memory: B, and A unless it is in registers.

    Half of the elements of a sparse A are stored; its k is twice that of a dense one.
    """
    m, n, _ = map(int, next(filter(None, map(_SHAPE.match, form.modifiers))).groups())
    in_registers = isinstance(instruction.operands[1], Vector)
    depth = DEPTH * (2 if "sp" in form.modifiers else 1)
    return n * depth + (0 if in_registers else m * DEPTH)
