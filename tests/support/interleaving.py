# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Systematic interleaving of two concurrent calls: one is paused at each of its lines while the other runs.

A line of Python counts as one step under the interpreter lock, so that these are the points where threads
can meet.
"""

from __future__ import annotations

import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

BLOCKED = 0.01  # seconds after which the other call is assumed to wait for the paused one
HANG = 60


class Outcome:
    """The outcome of a call: its value or its exception."""

    def __init__(self, call: Callable[[], Any]) -> None:
        self.value, self.error, self.text = None, None, ""
        try:
            self.value = call()
        except Exception as error:
            self.error, self.text = error, traceback.format_exc()


class Meeting:
    """The outcomes of the paused call and of the other one; `other` is None if the first has fewer lines."""

    def __init__(self) -> None:
        self.held: Outcome | None = None
        self.other: Outcome | None = None
        self.blocked = False  # the other call had to wait for the paused one

    @property
    def outcomes(self) -> tuple[Outcome, Outcome]:
        assert self.held is not None
        assert self.other is not None
        return self.held, self.other


def meet(enter: Callable[[], Any], held: Callable[[], Any], other: Callable[[], Any], at: int, folder: str) -> Meeting:
    """Run `held` in a thread up to its line number `at` of files in `folder`, then `other`, then the rest.

    Either thread calls `enter` first; no line of that counts.
    """
    meeting = Meeting()
    others: list[threading.Thread] = []
    passed = 0

    def run_other() -> None:
        meeting.other = Outcome(lambda: (enter(), other())[1])

    def on_line(frame: Any, event: str, _: Any) -> Any:
        nonlocal passed
        if event == "line":
            passed += 1
            if passed == at:
                others.append(threading.Thread(target=run_other))
                others[0].start()
                others[0].join(BLOCKED)
                meeting.blocked = others[0].is_alive()
        return on_line

    def on_call(frame: Any, event: str, _: Any) -> Any:
        return on_line if frame.f_code.co_filename.startswith(folder) else None

    def run() -> None:
        enter()
        sys.settrace(on_call)
        try:
            meeting.held = Outcome(held)
        finally:
            sys.settrace(None)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(HANG)
    for each in others:
        each.join(HANG)
    assert not any(each.is_alive() for each in (thread, *others)), f"the calls wait for each other at line {at}"
    return meeting


Calls = tuple[Callable[[], Any], Callable[[], Any], Callable[[], Any]]


def everywhere(
    made: Callable[[], AbstractContextManager[Calls]], folder: str, each: int = 1
) -> Iterator[tuple[Outcome, Outcome]]:
    """Interleave the two calls that `made` yields each time, at each line of the first, or at every `each`-th line.

    If one waits for the other, which is slow to detect and tests little, ever more lines are skipped.
    """
    at, step = 1, each
    while True:
        with made() as calls:
            meeting = meet(*calls, at, folder)
        if meeting.other is None:
            return
        yield meeting.outcomes
        step = 2 * step if meeting.blocked else each
        at += step
