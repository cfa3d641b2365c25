# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A line on the terminal while a compilation takes longer than two seconds, erased when it ends.

Only if stderr is a terminal, so that pipes and logs get nothing. CUDA_PYTHON_PROGRESS=0 turns it off. cuda.cpu, which
can be installed alone, has a copy of this module.
"""

from __future__ import annotations

import os
import sys
import threading
import time

from cuda.bindings._signals import own

DELAY = 2.0  # seconds until the line appears
INTERVAL = 1.0  # seconds until it is written again
_ERASE = b"\r\x1b[K"

# Held by the compilation whose line is shown: others on other threads show none.
_screen = threading.Lock()


class Progress:
    """Show what is compiled, and for how long, while the `with` block takes longer than DELAY.

    The line is written by a thread, to the file descriptor: the buffer of sys.stderr has a lock, which a process that
    is forked meanwhile could never acquire. The thread is a daemon, so that the process can end meanwhile.

    Parameters
    ----------
    text : str
        The text of the line.
    """

    __slots__ = ("_ended", "_shown", "_terminal", "_text", "_writing")

    def __init__(self, text: str) -> None:
        self._text = "".join(letter if letter.isprintable() else "?" for letter in text)
        self._terminal: int | None = None

    def __enter__(self) -> Progress:
        self._terminal = _terminal()
        if self._terminal is not None:
            self._ended, self._writing, self._shown = threading.Event(), threading.Lock(), False
            try:
                threading.Thread(target=self._run, name="cuda-progress", daemon=True).start()
            except RuntimeError:  # the interpreter shuts down, or the system has no thread left
                self._terminal = None
        return self

    def __exit__(self, *exception: object) -> None:
        if self._terminal is None:
            return
        self._ended.set()
        with self._writing:
            if self._shown:
                self._write(_ERASE)
                _screen.release()

    def _run(self) -> None:
        start, pause = time.monotonic(), DELAY
        while not self._ended.wait(pause):
            with self._writing:
                if self._ended.is_set() or not (self._shown or _screen.acquire(blocking=False)):
                    return
                self._shown = True
                line = f"{self._text} ({time.monotonic() - start:.0f} s)"
                self._write(_ERASE + line[: self._columns() - 1].encode(errors="replace"))
            pause = INTERVAL

    def _columns(self) -> int:
        try:
            return os.get_terminal_size(self._terminal or 0).columns or 80
        except own(OSError):
            return 80

    def _write(self, data: bytes) -> None:
        try:
            os.write(self._terminal or 0, data)
        except own(OSError):
            pass  # the terminal is gone


def _terminal() -> int | None:
    """Return the file descriptor of stderr if it is a terminal on which lines can be erased, else None."""
    if os.environ.get("CUDA_PYTHON_PROGRESS") == "0" or os.environ.get("TERM", "dumb") == "dumb":
        return None
    try:
        return sys.stderr.fileno() if sys.stderr.isatty() else None
    except own(AttributeError, OSError, ValueError):  # no stderr, or another object in its place
        return None
