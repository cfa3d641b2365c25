# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Check the kernels that run within a `with` statement or a function."""

from __future__ import annotations

import contextlib
import threading

from cuda.cpu import check
from cuda.cpu.check import formats, recorder, state
from cuda.cpu.check.finding import Finding
from cuda.cpu.check.options import Options

_running = threading.Lock()


class Check(contextlib.ContextDecorator):
    """Check what kernels do, from the beginning to the end of a `with` statement or of each call of a function.

    Parameters
    ----------
    checks : str, optional
        Names with commas between: "memcheck", "racecheck", "synccheck", "initcheck", or "all" without initcheck.
    kernels : str, optional
        Regular expression that is searched for in the names of kernels, as they are in PTX; by default all.

    Attributes
    ----------
    findings : list of Finding
        What was found, launch by launch; filled at the end.

    Raises
    ------
    TypeError
        An argument is no string.
    ValueError
        `checks` has an unknown name or none, or "leakcheck", which looks at the end of a context; `kernels` is no
        regular expression.
    RuntimeError
        Other checks are active: `cuda.cpu.check.findings()` returns what they have found.

    Notes
    -----
    Findings do not fail calls of the driver. Kernels are compiled with checks at their first launch. The launches of
    graphs that were instantiated before are not checked. Memory that exists at the beginning counts as written for
    initcheck. Not available on a GPU: there the list remains empty.

    Examples
    --------
    >>> with Check("memcheck") as checked:
    ...     launch(stream, config, kernel, *arguments)
    >>> [finding.kind for finding in checked.findings]
    ['outside']
    """

    def __init__(self, checks: str = "all", kernels: str = "") -> None:
        if not isinstance(checks, str):
            raise TypeError(f"checks is {checks!r}, must be a string: names with commas between, or 'all'")
        self._checks, leaks = check.demand(checks, "checks is" if "," not in checks else "checks has")
        if leaks:
            raise ValueError(f"checks is {checks!r}: leakcheck looks at the end of a context, use CUDA_CPU_CHECK")
        check.pattern_of(kernels)
        self._names, self._kernels = checks, kernels
        self.findings: list[Finding] = []

    def __enter__(self) -> Check:
        if state.active or not _running.acquire(blocking=False):
            raise RuntimeError("other checks are active in this process; cuda.cpu.check.findings() has their findings")
        try:
            recorder.findings(forget=True)
            recorder.start(Options(kernel=self._kernels, quiet=True))
            self._switch(self._checks)
            recorder.start_order()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        try:
            self.findings += recorder.findings(forget=True)
        finally:
            self._end()

    def _end(self) -> None:
        recorder.stop()
        self._switch(None)
        _running.release()

    def _switch(self, checks: int | None) -> None:
        check.select(checks)
        if state.driver is not None:
            if checks:
                state.driver.watch()
            state.driver.reload()

    def _report(self) -> formats.Report:
        return formats.Report(self._names, 0, self.findings)

    def __str__(self) -> str:
        return formats.to_text(self._report())

    def to_json(self) -> str:
        """Return the findings as JSON; the guide "Check kernels" describes the keys."""
        return formats.to_json(self._report())

    def to_xml(self) -> str:
        """Return the findings as XML."""
        return formats.to_xml(self._report())
