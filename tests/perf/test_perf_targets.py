# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The series of experiments of `benchmarks/perf_targets.py` continues after an interruption."""

import pytest

pytest.importorskip("scipy", reason="cuda.perf's statistics need SciPy, of the extra perf")

from benchmarks import perf_targets
from cuda.perf.model import Result, Samples

SETTINGS = {"processes": 10, "host": "a"}


def duet(change, loaded, *values):
    found = {f"case[{number}]": value for number, value in enumerate(values)}
    signs = dict.fromkeys(("cuda.perf", "nvbench", "pyperf"), found)
    return {"change": change, "loaded": loaded, "seconds": 6.0, "signs": signs}


def test_a_series_continues(tmp_path):
    path = tmp_path / "state.jsonl"
    state = perf_targets.State(path, SETTINGS)
    state.add(duet("same", False, 0, 1, 0))
    state.add(duet("slower5", True, 1, 1, 0))
    with open(path, "a") as file:
        file.write('{"change": "sam')  # interrupted
    again = perf_targets.State(path, SETTINGS)
    again.add(duet("same", False, -1, 0, 0))
    again = perf_targets.State(path, SETTINGS)
    assert [again.count(*each) for each in (("same", False), ("same", True), ("slower5", True))] == [6, 0, 3]
    first, *others = perf_targets.rows(again, "same", False)
    assert first.startswith("| same, as it is | 6 | cuda.perf | 1 | 1 | 33.3 % |")
    assert first.endswith("| 2.0 |")
    assert len(others) == 2
    loaded = next(perf_targets.rows(again, "slower5", True))
    assert loaded.startswith("| slower5, loaded | 3 | cuda.perf | 0 | 2 | 66.7 %")
    assert list(perf_targets.rows(again, "same", True)) == []


def test_a_series_of_other_settings_is_refused(tmp_path):
    perf_targets.State(tmp_path / "state.jsonl", SETTINGS)
    with pytest.raises(SystemExit, match="of other settings"):
        perf_targets.State(tmp_path / "state.jsonl", SETTINGS | {"processes": 4})


def test_the_other_rules_get_the_same_samples():
    result = Result("case")
    for side, seconds in (("base", 1.0), ("new", 1.5)):
        result.samples.append(Samples(0, 0, 0, 1, [seconds * (1 + 0.01 * (at % 5)) for at in range(20)], side=side))
    assert perf_targets.nvbench(result) == perf_targets.pyperf(result) == 1
