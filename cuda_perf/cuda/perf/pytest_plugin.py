# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Benchmarks as items of pytest, so that pytest-xdist distributes them: `run -n 4` uses it.

It collects a file NAME.cuda-perf: JSON with a job of `distributing` and the keys of its benchmarks. The result file of
each is written beside it; an empty file with the ending .done says that it is complete.
"""

from __future__ import annotations

import json
import pathlib
from collections.abc import Iterator

import pytest

from cuda.perf import distributing
from cuda.perf.errors import CommandError
from cuda.perf.model import Status


def pytest_collect_file(file_path: pathlib.Path, parent: pytest.Collector) -> pytest.Collector | None:
    return BenchmarkFile.from_parent(parent, path=file_path) if file_path.suffix == ".cuda-perf" else None


class BenchmarkFile(pytest.File):
    """A job and its benchmarks."""

    def collect(self) -> Iterator[pytest.Item]:
        data = json.loads(self.path.read_text(encoding="utf-8"))
        for key in data["keys"]:
            item: BenchmarkItem = BenchmarkItem.from_parent(self, name=key)
            item.job = distributing.Job.of(data["job"])
            yield item


class BenchmarkItem(pytest.Item):
    """One benchmark; it fails if it has no valid result."""

    job: distributing.Job

    def runtest(self) -> None:
        path = self.path.with_name(distributing.part_name(self.name))
        try:
            results = distributing.measure(self.job, self.name, path).results
        except CommandError as error:
            path.write_text(f"{distributing.PROBLEM}{error}", encoding="utf-8")
            results = []
            raise
        finally:
            path.with_suffix(".done").touch()
        for result in results:
            if result.status == Status.SKIPPED:
                pytest.skip(result.message)
            elif result.status != Status.OK:
                pytest.fail(f"{result.status}: {result.message}", pytrace=False)
