# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A builder that writes to the entry block: what is the same in the whole function is computed there, once."""

from __future__ import annotations

from cuda.cpu.emit.llvm.builder import Builder


class EntryBuilder(Builder):
    """Emits each instruction once, in the entry block of another builder's function."""

    def __init__(self, builder: Builder):
        super().__init__(builder.module)
        self._builder = builder
        self._known: dict[str, str] = {}

    def assign(self, text: str) -> str:
        name = self._known.get(text)
        if name is None:
            name = self._known[text] = self._builder.name()
            self._builder.allocas.append(f"  {name} = {text}")
        return name
