# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
import copy
import random

import pytest

pytest.importorskip("scipy", reason="cuda.perf's statistics need SciPy, of the extra perf")

from cuda.perf import __main__ as command
from cuda.perf import comparing, files
from cuda.perf.comparing import Options, Verdict
from cuda.perf.model import Counters, Environment, LineCounts, Noise, Result, Run, Samples, Status


def result(name, seconds=1e-3, processes=8, spread=0.002, seed=0, others=0.1, **fields):
    generator = random.Random(f"{name} {seed}")
    samples = []
    for process in range(processes):
        level = seconds * (1 + generator.gauss(0, spread))
        times = [level * (1 + abs(generator.gauss(0, 0.001))) for _ in range(10)]
        samples.append(Samples(process, process, float(process), 1, times, noise=Noise(others=others), wall=0.5))
    return Result(name, samples=samples, **fields)


def run_of(*results, **environment):
    return Run(1.0, environment=Environment(device="CPU device", **environment), results=list(results), complete=True)


def verdict(base, new, **options):
    (found,) = comparing.compare(run_of(base), run_of(new), Options(**options)).comparisons
    return found


@pytest.mark.parametrize(
    ("factor", "expected"), [(1.0, Verdict.UNCHANGED), (1.05, Verdict.SLOWER), (0.95, Verdict.FASTER)]
)
def test_verdicts(factor, expected):
    found = verdict(result("a", seed=1), result("a", factor * 1e-3, seed=2))
    assert found.verdict == expected
    assert found.estimate.ratio == pytest.approx(factor, abs=0.005)
    assert found.estimate.low < factor < found.estimate.high
    assert found.base_seconds == pytest.approx(1e-3, rel=0.005)
    assert found.seconds_needed is None


def test_a_small_change_is_no_regression():
    found = verdict(result("a", processes=30, seed=1), result("a", 1.005e-3, processes=30, seed=2))
    assert found.p_adjusted < 0.01
    assert found.verdict == Verdict.UNCHANGED
    assert verdict(result("a", processes=30, seed=1), result("a", 1.005e-3, processes=30, seed=2),
                   threshold=0.003).verdict == Verdict.SLOWER  # fmt: skip


def test_noise_leaves_it_undecided_and_says_what_would_decide():
    found = verdict(result("a", spread=0.03, seed=1), result("a", 1.01e-3, spread=0.03, seed=2))
    assert found.verdict == Verdict.UNDECIDED
    assert found.seconds_needed > 8 * 0.5


def test_few_processes_decide_nothing():
    found = verdict(result("a", processes=3), result("a", 2e-3, processes=3))
    assert found.verdict == Verdict.UNDECIDED
    assert found.reason.startswith("3 processes on a side; at least 4")


def test_a_busier_machine_decides_nothing():
    found = verdict(result("a", others=0.1), result("a", 2e-3, others=1.2))
    assert found.verdict == Verdict.UNDECIDED
    assert found.reason == "other processes used 0.10 cores in base, 1.20 in new; repeat, or use --duet"


def test_times_of_other_timers_decide_nothing():
    new = result("a", 2e-3)
    for each in new.samples:
        each.timer = "cpu"
    found = verdict(result("a"), new)
    assert found.verdict == Verdict.UNDECIDED
    assert found.reason == "times of another timer: host in base, cpu in new"


def test_false_alarms_are_limited_for_many_benchmarks():
    names = [f"b{number}" for number in range(400)]
    base, new = (run_of(*(result(name, spread=0.02, seed=seed) for name in names)) for seed in (1, 2))
    none = comparing.compare(base, new, Options(correction="none", level=0.05))
    corrected = comparing.compare(base, new, Options(correction="bh", level=0.05))
    alarms = [len(each.with_verdict(Verdict.SLOWER) + each.with_verdict(Verdict.FASTER)) for each in (none, corrected)]
    assert 5 <= alarms[0] <= 40
    assert alarms[1] <= 1


def test_every_benchmark_without_times_is_named():
    base = run_of(result("a"), result("b"), Result("c", status=Status.SKIPPED, message="one device"), result("d"))
    new = run_of(result("a"), Result("b", status=Status.WRONG, message="1 is not 2"),
                 Result("c", status=Status.SKIPPED, message="one device"), result("e"))  # fmt: skip
    found = {each.key: each for each in comparing.compare(base, new).comparisons}
    assert [each.verdict for each in found.values()][1:] == [Verdict.NOT_COMPARED] * 4
    assert {key: (each.reason, each.problem) for key, each in found.items() if each.reason} == {
        "b": ("new: wrong: 1 is not 2", True),
        "c": ("new: skipped: one device", False),
        "d": ("missing in new", True),
        "e": ("missing in base", False),
    }


def counted(count, lines=()):
    return Counters({"ptx__inst_executed.sum": count}, [LineCounts("k", "a.cu", *line) for line in lines])


def test_any_other_count_is_reported_with_its_line():
    base = Result("a", counters=counted(10, [(3, "x", {"instructions": 10})]))
    new = Result("a", counters=counted(12, [(3, "x", {"instructions": 10}), (4, "y", {"instructions": 2})]))
    report = comparing.compare(run_of(base), run_of(new), Options(counters_only=True))
    changes = [(each.name, each.location, each.base, each.new) for each in report.comparisons[0].counters]
    assert changes == [("ptx__inst_executed.sum", "", 10, 12), ("instructions", "k a.cu:4", 0, 2)]
    assert report.regressions
    assert not comparing.compare(run_of(base), run_of(copy.deepcopy(base)), Options(counters_only=True)).regressions


def write(path, *results, **environment):
    files.write(path, run_of(*results, **environment))
    return str(path)


@pytest.mark.parametrize(
    ("factor", "options", "code"),
    [(1.0, (), 0), (1.05, (), 1), (0.9, (), 0), (1.05, ("--threshold", "10%"), 0), (1.0, ("--threshold", "0.1%"), 0),
     (1.0, ("--threshold", "0.1%", "--strict"), 3), (1.5, ("--counters-only",), 0)],
)  # fmt: skip
def test_exit_codes(tmp_path, capsys, factor, options, code):
    base = write(tmp_path / "base.jsonl", result("a", seed=1))
    new = write(tmp_path / "new.jsonl", result("a", factor * 1e-3, seed=2))
    assert command.main(["compare", base, new, *options]) == code
    assert "1 benchmarks: " in capsys.readouterr().out


def test_other_machines_are_refused(tmp_path, capsys):
    base = write(tmp_path / "base.jsonl", result("a"), processor="one")
    new = write(tmp_path / "new.jsonl", result("a"), processor="other")
    assert command.main(["compare", base, new]) == 2
    assert "of different machines: processor 'one', 'other'" in capsys.readouterr().err
    assert command.main(["compare", base, new, "--other-machine"]) == 0


def test_interrupted_runs_and_other_compilers_are_mentioned(tmp_path, capsys):
    base = write(tmp_path / "base.jsonl", result("a"), compiler="NVRTC 13.4")
    new = write(tmp_path / "new.jsonl", result("a"), compiler="NVRTC 13.5")
    lines = (tmp_path / "new.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "new.jsonl").write_text("".join(lines[:-1]))
    command.main(["compare", base, new])
    out = capsys.readouterr().out
    assert "warning: the compiler differs: NVRTC 13.4, NVRTC 13.5" in out
    assert f"warning: {new} was interrupted" in out
