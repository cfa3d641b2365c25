# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The exception of the PTX front end, and subclasses with a CUresult of their own."""

from __future__ import annotations

_SHOWN = 400  # characters of a line


class PtxError(Exception):
    """An error in PTX, with its location.

    Parameters
    ----------
    message : str
        The message, without the location.
    line : int, optional
        Line of the PTX text, from 1; 0 if the error has no line.
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
        location = f"{self.name}, line {self.line}: " if self.line else ""
        text = self.text.strip()
        shown = f"\n    {text[:_SHOWN]}{'...' * (len(text) > _SHOWN)}" if text else ""
        return f"{location}{self.message}{shown}"

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


class NoPtxError(PtxError):
    """An image without PTX that the device can run."""


class VersionError(PtxError):
    """PTX of a newer version than the driver supports."""


class NoAssemblerError(PtxError):
    """The assembler for an image, which is not PTX, is not installed."""
