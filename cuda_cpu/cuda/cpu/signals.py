# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Tell the exceptions of the program's signal handlers, which Python runs in the middle of our code, from our own.

A handler may raise any exception, also one that our code expects for another reason: TimeoutError is an OSError.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # typing.TYPE_CHECKING, without the time that importing typing takes
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any

_OURS = frozenset(("cuda", "llvmlite", *sys.stdlib_module_names))


def of_program(traceback: TracebackType | None) -> bool:
    """Return whether code of the program took part in an exception, as a handler does."""
    while traceback is not None:
        if traceback.tb_frame.f_globals.get("__name__", "").partition(".")[0] not in _OURS:
            return True
        traceback = traceback.tb_next
    return False


def of_handler(traceback: TracebackType | None) -> bool:
    """Return whether a signal handler took part in an exception, where the program's own code may raise it, too."""
    import signal  # not needed otherwise, and slow to import

    handlers = map(signal.getsignal, signal.valid_signals())
    codes = {getattr(each, "__code__", None) for each in handlers}  # of functions and of methods
    while traceback is not None:
        if traceback.tb_frame.f_code in codes:
            return True
        traceback = traceback.tb_next
    return False


def own(*kinds: type[BaseException]) -> tuple[type[Any], ...]:
    """Return the classes to catch: ``except own(OSError)`` catches what our code has caused, not what handlers raise.

    Python calls this when there is an exception, which `sys.exc_info` returns.
    """
    return () if of_program(sys.exc_info()[2]) else kinds
