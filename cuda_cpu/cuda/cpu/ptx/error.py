# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The one error of the PTX front end."""

from __future__ import annotations


class PtxError(Exception):
    """Say what is wrong with PTX, and where.

    Parameters
    ----------
    message : str
        What is wrong, without the place.
    line : int, optional
        Line of the PTX text, from 1; 0 if no line is concerned.
    name : str, optional
        Name of the PTX text (a file's or a unit's).
    text : str, optional
        The line itself, shown below the message.
    """

    def __init__(self, message: str, line: int = 0, name: str = "<ptx>", text: str = "") -> None:
        super().__init__(message, line, name, text)
        self.message = message
        self.line = line
        self.name = name
        self.text = text

    def __str__(self) -> str:
        place = f"{self.name}, line {self.line}: " if self.line else ""
        shown = f"\n    {self.text.strip()}" if self.text.strip() else ""
        return f"{place}{self.message}{shown}"

    def located(self, name: str, text: str) -> PtxError:
        """Return the same error with the PTX text's name and the line's text filled in.

        Parameters
        ----------
        name : str
            Name of the PTX text.
        text : str
            The whole PTX text.
        """
        lines = text.splitlines()
        shown = lines[self.line - 1] if 0 < self.line <= len(lines) else ""
        return PtxError(self.message, self.line, name, shown)
