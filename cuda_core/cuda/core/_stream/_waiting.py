# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Waits with a time limit or in an event loop, and the exceptions of host callbacks.

The driver can neither limit the time of a wait nor wake an event loop when work fails (host functions are not run
then), so both kinds of wait poll it, less often the longer it takes.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from cuda.core._stream._event import Event
    from cuda.core._stream._stream import Stream

_SHORTEST, _LONGEST = 20e-6, 2e-3  # seconds between two polls


def _pauses() -> Iterator[float]:
    pause = _SHORTEST
    while True:
        yield pause
        pause = min(2 * pause, _LONGEST)


def wait_for(work: Event | Stream, timeout: float) -> None:
    """Wait until `work` is done, but at most `timeout` seconds; then raise TimeoutError."""
    if isinstance(timeout, bool) or not isinstance(timeout, (int, float)):
        raise TypeError(f"timeout must be a number of seconds or None, not {type(timeout).__name__}")
    if not timeout >= 0:
        raise ValueError(f"timeout must be at least 0 seconds, or None for no limit, not {timeout}")
    end = time.monotonic() + timeout
    for pause in _pauses():
        if work.is_done:
            return
        left = end - time.monotonic()
        if left <= 0:
            raise TimeoutError(f"the work before {work!r} was not finished after {timeout} s")
        time.sleep(min(pause, left))


def sleeper() -> Callable[[float], Awaitable[object]]:
    """Return the sleep function of the running event loop: Trio's (also under anyio) or asyncio's."""
    trio = sys.modules.get("trio")
    if trio is not None and trio.lowlevel.in_trio_run():
        return trio.sleep
    import asyncio

    return asyncio.sleep


async def until_done(event: Event, callbacks: Callbacks | None = None) -> None:
    """Wait until `event` is done without blocking the event loop; then raise the exceptions of callbacks."""
    sleep = sleeper()
    for pause in _pauses():
        if event.is_done:
            break
        await sleep(pause)
    if callbacks is not None:
        callbacks.surface()


class Callbacks:
    """Run the callbacks of one Stream object, and store their exceptions until the stream is waited for."""

    def __init__(self) -> None:
        self.errors: list[BaseException] = []

    def run(self, function: Callable[[], object]) -> None:
        """Call `function` and store its exception, if any."""
        try:
            function()
        except BaseException as error:  # to be raised in the thread that waits
            self.errors.append(error)

    def surface(self) -> None:
        """Raise what is stored: the one exception, or an exception group."""
        if self.errors:
            errors, self.errors = self.errors, []
            raise errors[0] if len(errors) == 1 else BaseExceptionGroup("callbacks of the stream failed", errors)

    def __del__(self) -> None:
        self.surface()  # nobody waited: an exception in __del__ goes to sys.unraisablehook
