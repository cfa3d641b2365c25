# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A form: an instruction's row of the table, and the values of its modifiers."""

from __future__ import annotations

from cuda.cpu.ptx.row import Row


class Form:
    """An instruction's row, and the values of its modifiers as attributes.

    The attributes are the names in the syntax of all rows of the opcode: a str for a listed value (None where absent),
    True or False for a word that is written as it stands. Instructions that are written alike share a form.
    """

    def __init__(self, row: Row, modifiers: tuple[str, ...], values: dict[str, str | bool | None]) -> None:
        self.row = row
        self.opcode = row.opcode
        self.family = row.family
        self.modifiers = modifiers
        self.__dict__.update(values)

    def has(self, words: str) -> bool:
        """Return whether words, joined by dots, are all among the modifiers."""
        return not words or set(words.split(".")).issubset(self.modifiers)

    def __str__(self) -> str:
        return ".".join((self.opcode, *self.modifiers))

    def __repr__(self) -> str:
        return f"<Form {self}>"
