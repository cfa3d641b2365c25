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
from cuda.cpu.at_exit import START

_thread = threading.local()
_first = _process = os.getpid()
FORKED = "CUDA cannot be used in a forked child process; use the spawn start method"
# First parts of module names that are not the program's own code, to tell where an exception comes from.
_OURS = frozenset(("cuda", "llvmlite", *sys.stdlib_module_names))

# The latest messages of all threads, which log.py returns, and the functions called for each.
messages: deque[str] = deque(maxlen=100)
listeners: dict[int, Callable[[str, int], None]] = {}
# Reason why a program cannot run here that its CUresult does not show; printed once, if run.py started the program.
PRINTED_ONCE = (CUDA_ERROR_INVALID_PTX, CUDA_ERROR_JIT_COMPILER_NOT_FOUND, CUDA_ERROR_NO_BINARY_FOR_GPU)
_printed: set[str] = set()
_OF_NVML = 10000  # what nvml/status.py adds to a nvmlReturn_t
_counting = threading.RLock()  # around `messages` and `written`, which belong together
written = 0  # number of messages so far, including those dropped from the deque


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
            once = status in PRINTED_ONCE and START in sys.modules
            _note(f"error {status}: {message}", CU_LOG_LEVEL_ERROR, print_once=once)


def answer(status: int, message: str) -> CudaError:
    """Return the error of a query with a negative answer: programs probe this way, so it is not logged as a failure.

    The log has no entry for it; CUDA_CPU_LOG=all prints it.
    """
    return CudaError(status, message, expected=True)


def _note_answer(status: int, message: str) -> None:
    if os.environ.get("CUDA_CPU_LOG") == "all":
        print(f"cuda.cpu: answer {status % _OF_NVML}: {message}", file=sys.stderr)


def note_warning(text: str) -> None:
    """Print a warning and write it into the log: no call has failed, but the program should change something."""
    _note(text, CU_LOG_LEVEL_WARNING, print_once=True)


def _note(text: str, level: int, *, print_once: bool) -> None:
    global written
    with _counting:
        messages.append(text)
        written += 1
    if "CUDA_CPU_LOG" in os.environ or (print_once and text not in _printed):
        print(f"cuda.cpu: {text}", file=sys.stderr)
        _printed.add(text)
    for listener in list(listeners.values()):
        listener(text, level)


def invalid(message: str) -> CudaError:
    """Return a CUDA_ERROR_INVALID_VALUE to raise."""
    return CudaError(CUDA_ERROR_INVALID_VALUE, message)


def say(message: str) -> None:
    """Store the message of this thread's failing call; called by the C shell."""
    _thread.said = _process, message


def unexpected(error: BaseException, traceback: TracebackType | None) -> bool:
    """Store the message of an exception that is no CudaError; return whether it is the program's own."""
    if isinstance(error, MemoryError):
        say(str(error))
        return False
    say(f"{type(error).__name__}: {error}")
    return is_of_program(error, traceback)


def is_of_program(error: BaseException, traceback: TracebackType | None) -> bool:
    """Return whether an exception is the program's own: the shell lets it propagate.

    Python runs signal handlers in the middle of our code.
    """
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
    """Return the message of this thread's last failed driver call, "" if it had none.

    In a forked child, the parent's messages do not apply; the shell rejects all calls there without calling Python.
    """
    process, message = getattr(_thread, "said", (_first, ""))
    return message if process == os.getpid() else FORKED


def _renew() -> None:
    global _process, _counting
    _process = os.getpid()
    _counting = threading.RLock()


os.register_at_fork(after_in_child=_renew)
