# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
import copy
import json
import subprocess
import sys

import pytest

from cuda.perf import exchange, files
from cuda.perf.model import Status

# Written by hand after nvbench's README and the excerpts of its issues 70, 316 and 342.
NVBENCH = {
    "meta": {"version": {"json": {"major": 1, "minor": 0, "patch": 0}}},
    "devices": [{"id": 0, "name": "NVIDIA H100", "sm_version": 900}],
    "benchmarks": [
        {
            "name": "copy",
            "axes": [],
            "states": [
                {
                    "device": 0,
                    "axis_values": [
                        {"name": "BlockSize", "type": "int64", "value": "256"},
                        {"name": "T", "type": "type", "value": "F32"},
                    ],
                    "summaries": [
                        {"tag": "nv/cold/time/gpu/mean", "data": [{"name": "value", "value": "0.00178"}]},
                        {"tag": "nv/cold/time/gpu/median", "data": [{"name": "value", "value": "0.00177"}]},
                    ],
                    "is_skipped": False,
                },
                {"device": 0, "axis_values": None, "summaries": None, "is_skipped": True, "skip_reason": "too large"},
            ],
        }
    ],
}


def written(tmp_path, data):
    path = tmp_path / "results.json"
    path.write_text(data if isinstance(data, str) else json.dumps(data))
    return path


def test_nvbench(tmp_path):
    run = exchange.read(written(tmp_path, NVBENCH))
    first, second = run.results
    assert first.key == "copy[BlockSize=256,T=F32]"
    assert first.seconds() == [0.00177]
    assert (second.status, second.message) == (Status.SKIPPED, "too large")
    assert (run.environment.device, run.environment.device_kind) == ("NVIDIA H100", "gpu")


def test_nvbench_without_a_time(tmp_path):
    data = copy.deepcopy(NVBENCH)
    data["benchmarks"][0]["states"][0]["summaries"] = []
    first = exchange.read(written(tmp_path, data)).results[0]
    assert first.status == Status.NO_SAMPLES
    assert "nv/cold/time/gpu/median" in first.message


def test_pyperf(tmp_path):
    pyperf = pytest.importorskip("pyperf", reason="the extra `perf` is not installed")
    metadata = {"name": "sort", "unit": "second"}
    runs = [pyperf.Run([0.25, 0.5], metadata=metadata, collect_metadata=False) for _ in range(2)]
    pyperf.BenchmarkSuite([pyperf.Benchmark(runs)]).dump(str(tmp_path / "pyperf.json"))
    (result,) = exchange.read(tmp_path / "pyperf.json").results
    assert result.key == "sort"
    assert result.seconds() == [0.25, 0.5, 0.25, 0.5]
    assert [each.process for each in result.samples] == [0, 1]


def test_own_files(tmp_path, run):
    files.write(tmp_path / "run.json", run)
    assert exchange.read(tmp_path / "run.json") == run


DAMAGED = {
    "no file of ours": ({"a": 1}, "record is None"),
    "an empty list": ({"benchmarks": []}, "without a benchmark"),
    "no states": ({"benchmarks": [{"name": "copy"}]}, "has no 'states'"),
    "a name missing": ({"version": "1.0", "benchmarks": [{"runs": []}]}, "has no 'name'"),
    "other units": ({"version": "1.0", "metadata": {"unit": "byte"}, "benchmarks": []}, "unit is byte"),
    "a list": ({"version": "1.0", "benchmarks": [3]}, "is damaged"),
    "cut off": (json.dumps(NVBENCH)[:-40], "is no JSON"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_damaged_files_are_named(tmp_path, name):
    data, message = DAMAGED[name]
    with pytest.raises(files.FileError, match=message) as error:
        exchange.read(written(tmp_path, data))
    assert "results.json" in str(error.value)


@pytest.mark.parametrize("value", ["0", "-1", "nan", "text"])
def test_impossible_times_are_refused(tmp_path, value):
    data = copy.deepcopy(NVBENCH)
    data["benchmarks"][0]["states"][0]["summaries"][0]["data"][0]["value"] = "1"
    data["benchmarks"][0]["states"][0]["summaries"][1]["data"][0]["value"] = value
    with pytest.raises(files.FileError, match="damaged"):
        exchange.read(written(tmp_path, data))


def test_a_file_that_pyperf_wrote(tmp_path):
    pytest.importorskip("pyperf", reason="pyperf is not installed")
    path = tmp_path / "pyperf.json"
    options = {"--processes": 2, "--values": 3, "--warmups": 1, "--loops": 50, "--name": "tuple", "-o": path}
    words = [str(word) for option in options.items() for word in option]
    subprocess.run(
        [sys.executable, "-m", "pyperf", "timeit", *words, "tuple(range(9))"], check=True, capture_output=True
    )
    run = exchange.read(path)
    (result,) = run.results
    assert (result.key, result.status) == ("tuple", Status.OK)
    assert [len(each.seconds) for each in result.samples] == [3, 3]
    assert all(0 < value < 1 for value in result.seconds())
    assert run.environment.cores > 0
    assert run.environment.python.startswith(f"{sys.version_info.major}.")
