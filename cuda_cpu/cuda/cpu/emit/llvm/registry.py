# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Registry of emitters by opcode, filled by the modules of `emit.instructions` when they are imported."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from cuda.cpu.ptx.form import Form
from cuda.cpu.ptx.syntax import Instruction

if TYPE_CHECKING:
    from cuda.cpu.emit.simt.frame import Frame

Emitter = Callable[["Frame", Instruction, Form], None]
EMITTERS: dict[str, Emitter] = {}


def emits(*opcodes: str) -> Callable[[Emitter], Emitter]:
    """Register a function `emitter(frame, instruction, form)` for opcodes."""

    def register(emitter: Emitter) -> Emitter:
        for opcode in opcodes:
            if opcode in EMITTERS:
                raise ValueError(f"two emitters for {opcode}")
            EMITTERS[opcode] = emitter
        return emitter

    return register
