# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
import random

import pytest

from cuda.perf import __main__, files, suspects
from cuda.perf.history import SECONDS, History
from cuda.perf.model import Counters, Environment, Result, Run, Samples

pytest.importorskip("scipy", reason="the extra `perf` is not installed")

COUNT = "smsp__sass_inst.sum"


def run(number, seconds, count=100, cores=2, **environment):
    times = [seconds * random.Random(f"{number} {sample}").uniform(0.995, 1.005) for sample in range(9)]
    result = Result("gemm[m=8]", counters=Counters({COUNT: count}), samples=[Samples(0, 0, 0, 1, times)])
    facts = {"device": "CPU device", "cores": cores, "commit": f"commit{number}"} | environment
    return Run(float(number), "main", Environment(**facts), [result], complete=True)


def write_history(path, values):
    with History(path, create=True) as history:
        for number, (seconds, count) in enumerate(values):
            noisy = seconds * random.Random(number).uniform(0.98, 1.02)
            history.add(run(number, noisy, count))


@pytest.fixture
def watch(tmp_path, capsys):
    database = tmp_path / "history.db"

    def call(values, rerun=None, *more):
        if values:
            write_history(database, values)
        command = ()
        if rerun:
            files.write(tmp_path / "again.json", rerun)
            command = ("--rerun", f"cp {tmp_path / 'again.json'} {{json}}")
        code = __main__.main(["watch", str(database), *command, *more])
        captured = capsys.readouterr()
        return code, captured.out + captured.err

    return call


QUIET = [(1.0, 100)] * 30
SLOWER = QUIET + [(1.15, 100)] * 6


def test_a_quiet_history_has_no_suspects(watch):
    assert watch(QUIET) == (0, "0 regressions reported\n")


def test_a_confirmed_regression_is_told_once(watch):
    code, text = watch(SLOWER, run(99, 1.15))
    assert code == 1
    assert "## gemm[m=8]: seconds +1" in text
    assert "first seen at commit30, not yet at commit29" in text
    assert "median of 3 new runs" in text
    assert watch(None, run(99, 1.15)) == (0, "0 regressions reported\n")


@pytest.mark.parametrize(
    ("changed", "count", "cause"),
    [
        ({"driver": "14.0"}, 100, "driver or clock"),
        ({"clocks": {"sm": 1.0e9}}, 100, "driver or clock"),
        ({"compiler": "NVRTC 14.0"}, 100, "compiler"),
        ({"settings": {"CUDA_CPU_LEVEL": "1"}}, 100, "method"),
        ({}, 200, "code"),
    ],
)
def test_the_class_is_told(tmp_path, capsys, changed, count, cause):
    before = {"driver": "13.0", "compiler": "NVRTC 13.0", "clocks": {"sm": 1.5e9}, "commit": "a" if count > 100 else ""}
    after = before | changed | ({"commit": "b"} if count == 200 else {})
    database = tmp_path / "history.db"
    with History(database, create=True) as history:
        for number in range(36):
            seconds = (1.0 if number < 30 else 1.15) * random.Random(number).uniform(0.98, 1.02)
            history.add(run(number, seconds, 100 if number < 30 else count, **(before if number < 30 else after)))
    files.write(tmp_path / "again.json", run(99, 1.15, **after))
    assert __main__.main(["watch", str(database), "--rerun", f"cp {tmp_path / 'again.json'} {{json}}"]) == 1
    reports = capsys.readouterr().out.split("## gemm[m=8]: ")[1:]
    assert len(reports) == (1 if count == 100 else 2)  # of the time, and of the count
    assert all(f"- class: {cause}\n" in report for report in reports)


def test_the_class_of_what_is_not_confirmed_is_noise(watch):
    assert "class: noise" in watch(SLOWER, run(99, 1.0))[1]


def test_a_detector_that_is_not_installed_is_named(watch, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(SystemExit, match="2"):
        watch(QUIET, None, "--detector", "otava")


def test_noise_is_not_told(watch):
    code, text = watch(SLOWER, run(99, 1.0))
    assert code == 0
    assert "not confirmed: gemm[m=8] seconds at commit30" in text
    assert watch(None, run(99, 1.15))[0] == 0  # the verdict remains


def test_nobody_is_told_without_a_new_run(watch):
    code, text = watch(SLOWER)
    assert code == 0
    assert "suspected, nobody was told" in text


def test_the_latest_value_alone_is_a_suspect(watch):
    code, text = watch(QUIET + [(1.2, 100)], run(99, 1.2))
    assert code == 1
    assert "times the usual noise above the level" in text


def test_counts_need_no_new_run(watch):
    code, text = watch(QUIET + [(1.0, 101)])
    assert code == 1
    assert f"gemm[m=8]: {COUNT} +1.0%" in text
    assert "certain without another run" in text


def test_improvements_are_not_told(watch):
    assert watch(QUIET + [(0.8, 90)] * 6)[0] == 0


def test_the_owner_is_told_by_the_rules(watch, tmp_path):
    rules = tmp_path / "rules.toml"
    rules.write_text(f'[[rule]]\nbenchmarks = ["gemm*"]\nowners = ["math"]\nchannels = ["log"]\n'
                     f'[channel.log]\nfile = "{tmp_path}/log.md"\n')  # fmt: skip
    assert watch(SLOWER, run(99, 1.15), "--rules", str(rules))[0] == 1
    assert "owners: math" in (tmp_path / "log.md").read_text()


def test_changes_below_the_least_of_the_rule_are_not_told(watch, tmp_path):
    rules = tmp_path / "rules.toml"
    rules.write_text('[[rule]]\nbenchmarks = ["*"]\nleast = 0.3\n')
    assert watch(SLOWER, run(99, 1.15), "--rules", str(rules)) == (0, "0 regressions reported\n")


def test_a_report_that_was_not_delivered_is_tried_again(watch, tmp_path):
    rules = tmp_path / "rules.toml"
    rules.write_text('[[rule]]\nbenchmarks = ["*"]\nchannels = ["mail"]\n[channel.mail]\ncommand = ["false"]\n')
    for values in (SLOWER, None):
        code, text = watch(values, run(99, 1.15), "--rules", str(rules))
        assert code == 1
        assert "channel mail: Command '['false']' returned" in text


def test_new_runs_on_another_machine_are_refused(watch):
    code, text = watch(SLOWER, run(99, 1.15, cores=64))
    assert code == 2
    assert "times of different machines are not compared" in text


def test_new_runs_that_fail_are_reported(watch):
    code, text = watch(SLOWER, None, "--rerun", "echo no device >&2; exit 3")
    assert code == 2
    assert "no device" in text


def test_metrics_of_which_more_is_better():
    assert suspects.worse("sm__maximum_warps_per_active_cycle_pct", 50, 40)
    assert suspects.worse(SECONDS, 1, 2)
    assert not suspects.worse(SECONDS, 2, 1)
