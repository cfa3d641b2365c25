# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
import json
import pathlib

import pytest

pytest.importorskip("scipy", reason="cuda.perf's statistics need SciPy, of the extra perf")

from cuda.perf import __main__ as command
from cuda.perf import files, measure
from cuda.perf.model import Status

pytestmark = pytest.mark.needs_nvrtc

BENCHMARKS = r'''
import os, sys, time
import numpy as np
from cuda.core import LaunchConfig, Module, launch
from cuda.perf import axis, benchmark

SOURCE = r"""
extern "C" __global__ void scale(float *x, float a, unsigned count)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        x[i] = a * x[i];
}
"""

@benchmark(owner="math")
@axis.size("n", 1024, 2048)
@axis.variant("how", "plain", "flushed")
def scale(state, n, how):
    kernel = Module.from_source(SOURCE).scale
    x = state.device.to_device(np.ones(n, np.float32), stream=state.stream)
    state.add_global_memory_reads(4 * n)
    state.exec(
        lambda launched: launch(launched.stream, LaunchConfig(grid=n // 256, block=256), kernel, x, 1.0, n),
        check=lambda: np.testing.assert_allclose(x.to_host(stream=state.stream), 1),
    )

@benchmark(flush_l2=True)
def cold(state):
    print("printed")
    state.exec(lambda launched: None)

@benchmark
def sleeps(state):
    state.exec(lambda launched: time.sleep(0.004))

@benchmark
def hangs(state):
    state.exec(lambda launched: time.sleep(60))

@benchmark
def wrong(state):
    state.exec(lambda launched: None, check=lambda: np.testing.assert_equal([1, 2], [1, 3]))

@benchmark
def fails(state):
    raise ValueError("no such thing")

@benchmark
def fails_later(state):
    calls = []
    state.exec(lambda launched: calls.append(1 / (len(calls) < 3)))

@benchmark
def skipped(state):
    state.skip("needs two devices")

@benchmark
def crashes(state):
    os.abort()
'''


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "benchmarks.py").write_text(BENCHMARKS)
    return "benchmarks.py"


def run(*arguments, json="run.jsonl"):
    code = command.main(["run", *arguments, "--json", json, "--quiet", "--block", "0.01s"])
    return code, files.read(json)


def test_problems_are_reported_by_name_and_do_not_stop_the_run(file, capsys):
    code, found = run(file, "--limit", "10s", "--processes", "2", "2")
    assert code == 1
    assert found.complete
    results = found.by_key()
    assert {key: result.status for key, result in results.items() if result.status != Status.OK} == {
        "hangs": Status.TIMEOUT, "wrong": Status.WRONG, "fails": Status.FAILED, "fails_later": Status.FAILED,
        "skipped": Status.SKIPPED, "crashes": Status.FAILED,
    }  # fmt: skip
    assert results["hangs"].message == "no end after 10 s"
    assert results["wrong"].message.startswith("AssertionError: Items are not equal")
    assert results["fails"].message == "ValueError: no such thing (benchmarks.py:47)"
    assert results["fails_later"].message.startswith("ZeroDivisionError")
    assert results["skipped"].message == "needs two devices"
    assert results["crashes"].message.startswith("ended by signal 6")
    printed = capsys.readouterr().out
    assert all(key in printed for key in results)
    assert "fails: failed: ValueError: no such thing" in printed


@pytest.mark.cpu_only
def test_results_have_samples_counts_and_facts(file):
    code, found = run(
        file, "--filter", "scale[n=1024*plain", "--processes", "2", "2", "--label", "x", "--precision", "50%"
    )
    assert code == 0
    (result,) = found.results
    assert (result.key, result.owner, found.label) == ("scale[n=1024,how=plain]", "math", "x")
    assert result.work.bytes_read == 4096
    assert sorted(each.process for each in result.samples) == [0, 1]
    assert all(len(each.seconds) >= 5 and each.wall > 0 and each.timer == "host" for each in result.samples)
    assert len({each.batch for each in result.samples}) == 1  # calibrated once: all processes measure the same
    assert result.counters.metrics["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"] == 32
    (line,) = [each for each in result.counters.lines if "global_ld_sectors" in each.counts]
    assert (line.kernel, line.counts["global_ld_sectors"]) == ("scale", 128)
    assert found.environment.device_kind == "cpu"
    assert found.environment.settings["CUDA_CPU_LEVEL"]


@pytest.mark.cpu_only
def test_processor_time_leaves_waiting_out(file):
    found = {}
    for clock in ("wall", "cpu"):
        _, taken = run(file, "--filter", "sleeps", "--processes", "1", "1", "--clock", clock, json=f"{clock}.jsonl")
        (found[clock],) = taken.results[0].samples
    assert [each.timer for each in found.values()] == ["host", "cpu"]
    assert min(found["wall"].seconds) >= 0.004
    assert max(found["cpu"].seconds) < 0.003


@pytest.mark.parametrize(
    ("on_gpu", "graph", "clock", "timer"),
    [(False, True, "wall", "host"), (False, True, "cpu", "cpu"), (True, True, "wall", "graph"),
     (True, False, "wall", "events")],
)  # fmt: skip
def test_timers(on_gpu, graph, clock, timer):
    assert measure.timer_of(on_gpu, graph, clock) == timer


def test_clocks_that_do_not_exist_or_do_not_run_are_refused():
    with pytest.raises(ValueError, match="clock is 'cpu', which does not run while a GPU works; must be 'wall'"):
        measure.timer_of(True, False, "cpu")
    with pytest.raises(ValueError, match="clock is 'gpu', must be wall or cpu"):
        measure.timer_of(False, False, "gpu")


def test_cold_benchmarks_have_one_call_per_sample(file):
    _, found = run(file, "--filter", "cold", "--processes", "1", "1")
    assert [each.batch for each in found.results[0].samples] == [1]


@pytest.mark.cpu_only
def test_counts_need_no_samples_and_are_reproducible(file):
    code, first = run(file, "--counters-only", "--filter", "scale")
    _, second = run(file, "--counters-only", "--filter", "scale", json="second.jsonl")
    assert code == 0
    assert len(first.results) == 4
    assert not any(each.samples for each in first.results)
    counts = [{key: each.counters for key, each in found.by_key().items()} for found in (first, second)]
    assert counts[0] == counts[1]
    assert None not in counts[0].values()


def test_a_spent_budget_is_reported(file):
    code, found = run(file, "--filter", "scale", "--budget", "0.001s")
    assert code == 1
    assert {each.status for each in found.results} == {Status.NO_SAMPLES}
    assert {each.message for each in found.results} == {"the budget of 0.001 s was spent"}


def test_an_interrupted_run_is_continued(file, tmp_path, on_gpu):
    options = (file, "--filter", "scale", "--filter", "fails", "--precision", "99%")
    run(*options, "--processes", "1", "1")
    lines = (tmp_path / "run.jsonl").read_text().splitlines(keepends=True)
    kept = [each for each in lines if json.loads(each)["record"] != "end"]
    (tmp_path / "run.jsonl").write_text("".join(kept) + lines[-2][:30])
    assert not files.read("run.jsonl").complete
    _, found = run(*options, "--processes", "2", "2", "--resume")
    assert found.complete
    for result in found.results:
        if result.status == Status.OK:
            assert [each.process for each in result.samples] == [0, 1]
            assert (result.counters is None) == on_gpu
    assert (tmp_path / "run.jsonl").read_text().startswith("".join(kept))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "absent.py"], "absent.py is not a file"),
        (["run", "benchmarks.py", "--filter", "nothing"], "no benchmark matches 'nothing'"),
        (["run", "benchmarks.py", "--json", "benchmarks.py"], "benchmarks.py exists; continue it with --resume"),
        (["run", "benchmarks.py", "--resume"], "run.jsonl does not exist"),
        (["run", "broken.py"], "could not be loaded: NameError"),
        (["run", "benchmarks.py", "--processes", "3", "2"], "--processes 3 2"),
        (["compare", "absent.jsonl", "absent.jsonl"], "absent.jsonl cannot be read: No such file"),
        (["compare", "benchmarks.py", "benchmarks.py"], "benchmarks.py, line 2 is no JSON"),
        (["compare", "how=a", "how=a", "--duet", "benchmarks.py"], "two values of the same axis"),
        (["compare", "how=plain", "how=none", "--duet", "benchmarks.py"], "no benchmark with how=plain and none"),
        (["compare", "absent", "how=none", "--duet", "benchmarks.py"], "absent is neither AXIS=VALUE"),
    ],
)
def test_wrong_arguments_are_one_line(file, tmp_path, capsys, arguments, message):
    (tmp_path / "broken.py").write_text("undefined_name\n")
    assert command.main(arguments) == 2
    error = capsys.readouterr().err
    assert message in error
    assert len(error.strip().splitlines()) == 1


@pytest.mark.parametrize(("text", "value"), [("90", 90), ("1.5s", 1.5), ("10m", 600), ("2h", 7200)])
def test_times(text, value):
    from cuda.perf.commands.run import seconds

    assert seconds(text) == value


@pytest.mark.parametrize("text", ["", "m", "0", "-1s", "1 day"])
def test_wrong_times_are_refused(text, capsys):
    with pytest.raises(SystemExit):
        command.main(["run", "a.py", "--budget", text])
    assert "is no time" in capsys.readouterr().err or text == "-1s"


def test_a_duet_of_variants_alternates_in_one_process(file, capsys):
    arguments = ["compare", "how=plain", "how=flushed", "--duet", file, "--filter", "n=1024", "--processes", "1", "1"]
    assert command.main([*arguments, "--block", "0.001s", "--json", "report.json"]) in (0, 1)
    (result,) = files.read("duet.jsonl").results
    assert result.key == "scale[n=1024]"
    first = [each.side for each in result.samples if each.process == 0]
    assert len(first) == 24
    for number in range(0, 24, 4):  # base, new, new, base or the reverse
        group = first[number : number + 4]
        assert (group[0], group[1]) == (group[3], group[2])
        assert group[0] != group[1]
    report = json.loads(pathlib.Path("report.json").read_text())
    assert report["comparisons"][0]["key"] == "scale[n=1024]"
    assert "benchmarks: 1 " in capsys.readouterr().out


def test_problems_of_a_duet_are_reported_by_name(file, tmp_path, capsys):
    for name in ("old", "new"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "benchmarks.py").write_text(BENCHMARKS)
    arguments = ["compare", "old", "new", "--duet", "benchmarks.py", "--block", "0.001s", "--limit", "60s"]
    assert command.main([*arguments, "--filter", "wrong", "--filter", "crashes"]) == 1
    out = capsys.readouterr().out
    assert "wrong: wrong: base: AssertionError" in out
    assert "crashes: failed: ended by signal 6" in out
    assert command.main([*arguments, "--filter", "cold", "--budget", "0.001s"]) == 1
    assert "cold: no samples: the budget of 0.001 s was spent" in capsys.readouterr().out


def test_a_duet_of_checkouts_has_two_processes(file, tmp_path):
    for name, count in (("old", 64), ("new", 256)):
        (tmp_path / name).mkdir()
        text = BENCHMARKS.replace("launched: None, check", f"launched: sum(range({count})), check")
        (tmp_path / name / "benchmarks.py").write_text(text)
    code = command.main(["compare", "old", "new", "--duet", "benchmarks.py", "--filter", "scale[n=1024,how=plain]",
                         "--processes", "1", "1", "--block", "0.001s"])  # fmt: skip
    assert code in (0, 1)
    (result,) = files.read("duet.jsonl").results
    assert {each.side for each in result.samples} == {"base", "new"}
