# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Profile the kernels that run within a `with` statement or a function."""

from __future__ import annotations

import contextlib
import json
import threading

from cuda.cpu import check
from cuda.cpu.counters import state
from cuda.cpu.profile import page, text
from cuda.cpu.profile.data import data_of
from cuda.cpu.profile.launch import LaunchProfile, launches_of

_running = threading.Lock()


class Profile(contextlib.ContextDecorator):
    """Count what kernels do, from the beginning to the end of a `with` statement or of each call of a function.

    Parameters
    ----------
    kernels : str, optional
        Regular expression that is searched for in the names of kernels, as they are in PTX; by default all.

    Attributes
    ----------
    launches : list of LaunchProfile
        The completed launches, in the order in which they began; filled at the end.

    Raises
    ------
    TypeError, ValueError
        `kernels` is no string, or no regular expression.
    RuntimeError
        Another profile is active, or initcheck is.

    Notes
    -----
    Kernels are compiled with counters at their first launch. The launches of graphs that were instantiated before are
    not counted. Not available on a GPU: there the profile remains empty.

    Examples
    --------
    >>> with Profile("transpose") as profile:
    ...     launch(stream, config, kernel, *arguments)
    >>> [launch.metric("l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum") for launch in profile.launches]
    [0]
    """

    def __init__(self, kernels: str = "") -> None:
        self._pattern = check.pattern_of(kernels)
        self.launches: list[LaunchProfile] = []

    def __enter__(self) -> Profile:
        if check.chosen() & check.INITCHECK:
            raise RuntimeError("initcheck is active, which does not see what profiled kernels write; use one at a time")
        if state.active or not _running.acquire(blocking=False):
            raise RuntimeError("another profile is active in this process; the counts would be mixed")
        try:
            state.forget(state.completed())
            state.switch(True, self._pattern)
        except BaseException:
            _running.release()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        try:
            completed = state.completed()
            state.forget(completed)
            self.launches += launches_of(completed, len(self.launches) + 1)
        finally:
            state.switch(False)
            _running.release()

    def __str__(self) -> str:
        return text.report(data_of(self.launches))

    def to_json(self) -> str:
        """Return all counts as JSON; the guide "Find out why a kernel is slow" describes the keys."""
        return json.dumps(data_of(self.launches), indent=1)

    def to_html(self) -> str:
        """Return a self-contained HTML page."""
        return page.page(data_of(self.launches))

    def _repr_html_(self) -> str:
        return page.summary_html(data_of(self.launches))
