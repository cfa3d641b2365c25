# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Plugin of pytest: `--cuda-check=all` fails the test in which a kernel has an error.

pytest imports this module at each start, so it imports the checks only if the option is given.
"""

from __future__ import annotations

import importlib
import os
import shutil
import tempfile
from collections.abc import Generator
from typing import Any

import pytest

_OPTION = "--cuda-check"
_NEEDED = "checkers need the CPU device: set CUDA_PYTHON_DRIVER=cpu"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("cuda-check", "checks of CUDA kernels on the CPU device")
    group.addoption(
        _OPTION, metavar="CHECKS",
        help="fail tests whose kernels have errors: memcheck, racecheck, synccheck, initcheck or all, with commas",
    )  # fmt: skip
    group.addoption(f"{_OPTION}-kernel", metavar="REGEX", default="", help="check only kernels with such names")
    group.addoption(f"{_OPTION}-suppressions", metavar="FILE", default="", help="findings that do not fail tests")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Ask for checks before the modules of the tests load the driver."""
    given = early_config.known_args_namespace
    if given.cuda_check is not None:
        early_config.pluginmanager.register(Checks(given), "cuda-checks")
        return
    for option in ("kernel", "suppressions"):
        if getattr(given, f"cuda_check_{option}"):
            raise pytest.UsageError(f"{_OPTION}-{option}: it is for {_OPTION}, which is not given")


class Checks:
    """Adds what was found during a phase of a test to its report."""

    def __init__(self, given: Any) -> None:
        if os.environ.get("CUDA_PYTHON_DRIVER") != "cpu":
            found = os.environ.get("CUDA_PYTHON_DRIVER")
            raise pytest.UsageError(f"{_OPTION}: {_NEEDED}" + (f" (it is {found!r})" if found else ""))
        from cuda.cpu import check
        from cuda.cpu.check import state, suppressions
        from cuda.cpu.check.options import VARIABLE, Options

        self._folder = tempfile.mkdtemp(prefix="cuda-cpu-check-")  # child processes of tests record here
        self._read: dict[str, int] = {}
        path = given.cuda_check_suppressions and os.path.abspath(given.cuda_check_suppressions)
        options = Options(given.cuda_check_kernel, suppressions=path, records=self._folder, quiet=True)
        try:
            check.pattern_of(options.kernel, f"{_OPTION}-kernel")
            _, leaks = check.demand(given.cuda_check, "there is no check")
            if path:
                suppressions.read(path)
        except (ValueError, suppressions.SuppressionError) as error:
            shutil.rmtree(self._folder)
            where = "" if str(error).startswith(_OPTION) else f"{_OPTION}: "
            raise pytest.UsageError(f"{where}{error}") from None
        if leaks:
            raise pytest.UsageError(
                f"{_OPTION}: leakcheck looks at the end of a context, not of a test: "
                "python -m cuda.cpu check --checks leakcheck -m pytest"
            )
        self._before = {name: os.environ.get(name) for name in ("CUDA_CPU_CHECK", VARIABLE)}
        os.environ["CUDA_CPU_CHECK"], os.environ[VARIABLE] = given.cuda_check, options.to_json()
        if state.driver is not None:
            state.recorder().begin()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None, None, None]:
        return (yield from self._checked(item, "setup"))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, None, None]:
        return (yield from self._checked(item, "call"))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None, None, None]:
        return (yield from self._checked(item, "teardown"))

    def _checked(self, item: pytest.Item, when: str) -> Generator[None, None, None]:
        try:
            yield
        except pytest.skip.Exception:
            self._fail(item, when)
            raise
        except Exception:
            self._take(item, when)  # a section of the report of the test's own failure
            raise
        self._fail(item, when)

    def _fail(self, item: pytest.Item, when: str) -> None:
        found = self._take(item, when)
        if found:
            texts = [f"{each.checker} {each.kind}" + (f" in {each.kernel}" if each.kernel else "") for each in found]
            kinds = ", ".join(dict.fromkeys(texts))
            pytest.fail(f"{_OPTION}: {len(found)} finding{'s' * (len(found) > 1)}: {kinds}", pytrace=False)

    def _take(self, item: pytest.Item, when: str) -> list[Any]:
        """Wait for what the test has launched, and return what was found; it becomes a section of the report."""
        found = importlib.import_module("cuda.cpu.check.recorder").findings(forget=True)
        found += [each for each in self._of_children() if not each.suppressed_by]
        if found:
            item.add_report_section(when, "cuda-check", "\n".join(map(str, found)))
        return found

    def _of_children(self) -> list[Any]:
        """Return what child processes have recorded since the last call."""
        from cuda.cpu.check.session import read_records

        found = []
        for name in sorted(os.listdir(self._folder)):
            if name.endswith(".jsonl") and name != f"{os.getpid()}.jsonl":
                records, self._read[name] = read_records(os.path.join(self._folder, name), self._read.get(name, 0))
                found += records
        return found

    def pytest_report_header(self) -> str:
        return f"cuda-check: {os.environ['CUDA_CPU_CHECK']}"

    def pytest_unconfigure(self) -> None:
        for name, value in self._before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        shutil.rmtree(self._folder, ignore_errors=True)
