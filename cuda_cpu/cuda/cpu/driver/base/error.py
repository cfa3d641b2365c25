# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A failed driver call: its CUresult, and one sentence that says what was wrong."""

from __future__ import annotations

import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from types import FrameType, TracebackType

from cuda.cpu.abi import (
    CU_LOG_LEVEL_ERROR,
    CU_LOG_LEVEL_WARNING,
    CUDA_ERROR_INVALID_PTX,
    CUDA_ERROR_INVALID_VALUE,
    CUDA_ERROR_JIT_COMPILER_NOT_FOUND,
    CUDA_ERROR_NO_BINARY_FOR_GPU,
)
from cuda.cpu.ending import START

_thread = threading.local()
_first = _process = os.getpid()
FORKED = "CUDA cannot be used in a forked child process; use the spawn start method"
# Whose code is not the program's own, where an exception comes from: by the first part of a module's name.
_OURS = frozenset(("cuda", "llvmlite", *sys.stdlib_module_names))

# The latest messages of all threads, which log.py hands out, and who wants to be told of each.
messages: deque[str] = deque(maxlen=100)
listeners: dict[int, Callable[[str, int], None]] = {}
# Why a program of others cannot run here, which the status alone does not tell: said once, where run.py started it.
TOLD = (CUDA_ERROR_INVALID_PTX, CUDA_ERROR_JIT_COMPILER_NOT_FOUND, CUDA_ERROR_NO_BINARY_FOR_GPU)
_told: set[str] = set()
_OF_NVML = 10000  # what nvml/status.py adds to a nvmlReturn_t
written = 0  # messages so far, those that have been pushed out of the deque included


class CudaError(Exception):
    """End a driver call with `status` (a CUresult other than CUDA_SUCCESS)."""

    def __init__(self, status: int, message: str = "", *, expected: bool = False) -> None:
        super().__init__(status, message)
        self.status = status
        self.message = message
        _thread.said = _process, message
        if message and expected:
            _note_answer(status, message)
        elif message:
            _note(f"error {status}: {message}", CU_LOG_LEVEL_ERROR, aloud=status in TOLD and START in sys.modules)


def answer(status: int, message: str) -> CudaError:
    """Return the error to raise for a question whose answer is no, which programs ask to find out: it is no failure.

    The log has no entry for it; CUDA_CPU_LOG=all prints it.
    """
    return CudaError(status, message, expected=True)


def _note_answer(status: int, message: str) -> None:
    if os.environ.get("CUDA_CPU_LOG") == "all":
        print(f"cuda.cpu: answer {status % _OF_NVML}: {message}", file=sys.stderr)


def note_warning(text: str) -> None:
    """Print what is no failure of a call, but that somebody may want to change, and write it into the log."""
    _note(text, CU_LOG_LEVEL_WARNING, aloud=True)


def _note(text: str, level: int, *, aloud: bool) -> None:
    global written
    messages.append(text)
    written += 1
    if "CUDA_CPU_LOG" in os.environ or (aloud and text not in _told):
        print(f"cuda.cpu: {text}", file=sys.stderr)
        _told.add(text)
    for listener in list(listeners.values()):
        listener(text, level)


def invalid(message: str) -> CudaError:
    """Return a CUDA_ERROR_INVALID_VALUE to raise."""
    return CudaError(CUDA_ERROR_INVALID_VALUE, message)


def say(message: str) -> None:
    """Keep what the failing call of this thread has to say; the C shell does so for each that fails."""
    _thread.said = _process, message


def unexpected(error: BaseException, traceback: TracebackType | None) -> bool:
    """Keep what an exception says that is no CudaError; return whether it is the program's own.

    That is one of a signal handler, which Python runs in the midst of our code. The shell hands it on to the program.
    """
    if isinstance(error, MemoryError):
        say(str(error))
        return False
    say(f"{type(error).__name__}: {error}")
    if threading.current_thread() is not threading.main_thread():
        return False  # signal handlers run there
    return not isinstance(error, Exception) or any(
        frame.f_globals.get("__name__", "").partition(".")[0] not in _OURS for frame, _ in walk(traceback)
    )


def walk(traceback: TracebackType | None) -> Iterator[tuple[FrameType, int]]:
    while traceback is not None:
        yield traceback.tb_frame, traceback.tb_lineno
        traceback = traceback.tb_next


def last_error_message() -> str:
    """Return what the last failed driver call of this thread said, "" if it said nothing beyond its status.

    In a forked child, what its parent said is of no use; the shell refuses all calls there without asking us.
    """
    process, message = getattr(_thread, "said", (_first, ""))
    return message if process == os.getpid() else FORKED


def _renew() -> None:
    global _process
    _process = os.getpid()


os.register_at_fork(after_in_child=_renew)
