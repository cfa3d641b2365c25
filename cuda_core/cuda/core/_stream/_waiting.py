# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Wait with a time limit, in an event loop, and for what callbacks raised.

The driver can neither stop waiting after a time nor wake an event loop when work fails (host functions are not run
then), so both waits ask it again and again, less often the longer it takes.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from cuda.core._stream._event import Event
    from cuda.core._stream._stream import Stream

_SHORTEST, _LONGEST = 20e-6, 2e-3  # seconds between two questions


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
    """Return the sleep of the event loop that is running: Trio's, also below anyio, or asyncio's."""
    trio = sys.modules.get("trio")
    if trio is not None and trio.lowlevel.in_trio_run():
        return trio.sleep
    import asyncio

    return asyncio.sleep


async def until_done(event: Event, callbacks: Callbacks | None = None) -> None:
    """Wait until `event` is done while the event loop goes on; then raise what callbacks raised."""
    sleep = sleeper()
    for pause in _pauses():
        if event.is_done:
            break
        await sleep(pause)
    if callbacks is not None:
        callbacks.surface()


class Callbacks:
    """Run the callbacks of one Stream object, and keep what they raised until somebody waits for the stream."""

    def __init__(self) -> None:
        self.errors: list[BaseException] = []

    def run(self, function: Callable[[], object]) -> None:
        """Call `function` now."""
        try:
            function()
        except BaseException as error:  # to be raised in the thread that waits
            self.errors.append(error)

    def surface(self) -> None:
        """Raise what was kept: the one exception, or a group of them."""
        if self.errors:
            errors, self.errors = self.errors, []
            raise errors[0] if len(errors) == 1 else BaseExceptionGroup("callbacks of the stream failed", errors)

    def __del__(self) -> None:
        self.surface()  # nobody waited: Python shows what __del__ raises, by sys.unraisablehook
