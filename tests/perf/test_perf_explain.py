# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Causes of a regression, changes by source line, and the report."""

import dataclasses
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuda.perf import __main__, causes, files, line_changes, markdown
from cuda.perf.causes import Case, Cause
from cuda.perf.model import Counters, Environment, LineCounts, Noise, Result, Run, Samples, Status

ENVIRONMENT = Environment(
    device="H100", cores=8, driver="13.5", compiler="NVRTC 13.5", python="3.12.1", commit="a" * 40,
    packages={"llvmlite": "0.45"}, clocks={"sm": 1.5e9}, settings={"CUDA_CPU_WIDTH": "32"},
)  # fmt: skip


def lines(*texts, kernel="gemm", count=4):
    return [LineCounts(kernel, "gemm.cu", at, text, {"sectors": count}) for at, text in enumerate(texts, 10) if text]


def result(counters=None, seconds=1.0, noise=None, **fields):
    times = [seconds * (1 + 0.001 * step) for step in range(20)]
    return Result("gemm", counters=counters, samples=[Samples(0, 0, 0, 1, times, noise=noise or Noise(), **fields)])


def case(base=None, new=None, **environment):
    changed = dataclasses.replace(ENVIRONMENT, **environment)
    return Case(Run(1, "", ENVIRONMENT), Run(2, "", changed), base or result(), new or result(seconds=1.1))


COUNTED = Counters({"loads": 100}, lines("a", "b", "c"))
CASES = {
    "an edited line": (
        case(result(COUNTED), result(Counters({"loads": 150}, lines("a", "b2", "c", count=8))), commit="b" * 40),
        Cause.CODE,
        "so did the text of 1 source lines",
    ),
    "other code of the same lines": (
        case(result(COUNTED), result(Counters({"loads": 150}, lines("a", "b", "c", count=8))), commit="b" * 40),
        Cause.COMPILER,
        "source lines whose text is the same",
    ),
    "another compiler, counts without lines": (
        case(result(Counters({"loads": 1})), result(Counters({"loads": 2})), compiler="NVRTC 13.6"),
        Cause.COMPILER,
        "compiler changed from NVRTC 13.5 to NVRTC 13.6",
    ),
    "counts without lines": (
        case(result(Counters({"loads": 1})), result(Counters({"loads": 2})), commit="b" * 40),
        Cause.CODE,
        "the commit changed from aaaaaaaaaaaa to bbbbbbbbbbbb",
    ),
    "another driver": (case(driver="13.6"), Cause.DRIVER_OR_CLOCK, "the driver changed from 13.5 to 13.6"),
    "a lower clock": (case(clocks={"sm": 1.4e9}), Cause.DRIVER_OR_CLOCK, "sm is set to 1,400 MHz instead of 1,500"),
    "throttling": (
        case(result(noise=Noise(throttled=False)), result(noise=Noise(throttled=True), seconds=1.2)),
        Cause.DRIVER_OR_CLOCK,
        "throttled",
    ),
    "a slower processor": (
        case(result(noise=Noise(frequency=3e9)), result(noise=Noise(frequency=2.5e9), seconds=1.2)),
        Cause.DRIVER_OR_CLOCK,
        "2,500 MHz instead of 3,000",
    ),
    "other processes": (
        case(result(noise=Noise(others=0.1)), result(noise=Noise(others=1.5), seconds=1.2)),
        Cause.NOISE,
        "other processes used 1.50 cores during the new run, 0.10 before",
    ),
    "the usual range": (case(result(), result(seconds=1.002)), Cause.NOISE, "intervals of the medians overlap"),
    "another machine": (case(cores=4), Cause.METHOD, "another machine: H100 (8 cores), then H100 (4 cores)"),
    "another setting": (case(settings={}), Cause.METHOD, "CUDA_CPU_WIDTH changed from 32 to unset"),
    "another timer": (case(new=result(timer="events", seconds=1.2)), Cause.METHOD, "the timer changed: host -> events"),
}


@pytest.mark.parametrize("name", CASES)
def test_the_class_of_a_regression(name):
    given_case, cause, text = CASES[name]
    found = causes.evidence(given_case)
    assert causes.cause(found) == cause
    assert any(one.cause == cause and text in one.text for one in found), found


def test_nothing_is_known_of_equal_runs():
    generated = Counters({"code__blocks": 3})
    found = causes.evidence(case(result(generated), result(generated, seconds=1.2)))
    assert causes.cause(found) is None
    assert "all exact counts are the same" in {one.text for one in found}


def test_the_same_work_in_another_time_may_be_the_compiler():
    found = causes.evidence(case(result(COUNTED), result(COUNTED, seconds=1.2)))
    assert causes.cause(found) == Cause.COMPILER
    assert any("compare the counts of `code`" in one.text for one in found)


def test_lines_that_moved_are_no_changes():
    base, new = Counters({}, lines("a", "b", "c")), Counters({}, lines("", "", "a", "b", "c"))
    assert line_changes.changes(base, new) == []


def test_inserted_removed_and_replaced_lines():
    base = Counters({}, [*lines("a", "b", "c"), *lines("x", kernel="scan")])
    new = Counters({}, [*lines("a", "b1", "c", "d"), *lines("x", kernel="scan", count=40)])
    first, *others = line_changes.changes(base, new)
    assert (first.line.kernel, first.counts, first.same_text) == ("scan", {"sectors": (4, 40)}, True)
    (inserted,) = others  # "b1" has the counts of "b"
    assert (inserted.line.text, inserted.base, inserted.counts) == ("d", None, {"sectors": (0, 4)})
    (removed,) = line_changes.changes(Counters({}, lines("a", "b")), Counters({}, lines("a")))
    assert (removed.line.text, removed.new, removed.counts) == ("b", None, {"sectors": (4, 0)})


TEXTS = st.lists(st.sampled_from("abcd"), max_size=8)


@given(TEXTS, TEXTS)
def test_every_count_is_in_one_pair(base, new):
    sides = [Counters({}, lines(*texts, count=number)) for texts, number in ((base, 3), (new, 5))]
    found = line_changes.changes(*sides)
    assert sum(after - before for each in found for before, after in each.counts.values()) == 5 * len(new) - 3 * len(
        base
    )


@pytest.mark.parametrize(("text", "shown"), [("a", "`a`"), ("a `b`", "`` a `b` ``"), ("``", "``` `` ```"), ("", "")])
def test_code_is_shown_as_it_is(text, shown):
    assert markdown.code(text) == shown


@pytest.fixture
def written(tmp_path):
    base, new = CASES["other code of the same lines"][0][2:]
    files.write(tmp_path / "base.json", Run(1, "", ENVIRONMENT, [base], complete=True))
    skipped = Result("scan", status=Status.WRONG, message="element 3")
    environment = dataclasses.replace(ENVIRONMENT, commit="b" * 40)
    files.write(tmp_path / "new.json", Run(2, "", environment, [new, skipped], complete=True))
    return tmp_path


FOUND = {
    "culprits": [{"candidate": "b" * 40, "subject": "gemm: unroll", "author": "A", "difference": "+x\n" * 100}],
    "good": "a" * 40, "probability": 0.997, "exact": False, "levels": {}, "candidates": 64, "measurements": 99,
    "visits": 18,
}  # fmt: skip


def explain(folder, capsys, *arguments):
    code = __main__.main(["explain", str(folder / "base.json"), str(folder / "new.json"), *map(str, arguments)])
    captured = capsys.readouterr()
    return code, captured.out + captured.err


def test_the_report(written, capsys):
    (written / "found.json").write_text(json.dumps(FOUND))
    code, report = explain(written, capsys, "--bisection", written / "found.json")
    assert code == 0
    assert report.startswith("## gemm: time +0.0%\n\n**Class: compiler.**\n")
    assert "| loads | 100 | 150 | x 1.500 |" in report
    assert "| gemm.cu:10 | `a` | same | sectors 4 -> 8 |" in report
    assert "64 candidates, 99 measurements, 18 preparations; probability 99.70%." in report
    assert f"Culprit: `{'b' * 40}` by A gemm: unroll" in report
    assert "... 40 more lines" in report
    assert f"| commit | {'a' * 40} | {'b' * 40} |" in report


def test_the_report_in_a_file(written, capsys):
    code, printed = explain(written, capsys, "--benchmark", "gemm", "--output", written / "report.md")
    assert (code, printed) == (0, "gemm: time +0.0%; class: compiler\n")
    assert (written / "report.md").read_text().startswith("## gemm")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--benchmark", "absent"], "base.json has no benchmark absent; it has: gemm"),
        (["--benchmark", "scan"], "base.json has no benchmark scan"),
        (["--bisection", "base.json"], "base.json is no result of bisect"),
        (["--bisection", "absent.json"], "absent.json is no result of bisect"),
    ],
)
def test_wrong_arguments(written, capsys, monkeypatch, arguments, message):
    monkeypatch.chdir(written)
    code, text = explain(written, capsys, *arguments)
    assert code == 2
    assert message in text


def test_a_benchmark_that_failed_is_named(written, capsys):
    files.write(written / "base.json", files.read(written / "new.json"))
    code, text = explain(written, capsys, "--benchmark", "scan")
    assert code == 2
    assert "has no values (wrong): element 3" in text
