# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
import dataclasses
import json
from xml.etree import ElementTree

import pytest

pytest.importorskip("scipy", reason="the extra `perf` is not installed")

from cuda.perf import __main__, files, publishing
from cuda.perf.commands import compare
from cuda.perf.comparing import Comparison, CounterChange, Options, Report, Verdict
from cuda.perf.model import Counters
from cuda.perf.statistics import Estimate

CHANGE = CounterChange("loads", 1000, 2000, "gemm gemm.cu:3")


def report(counters_only=False):
    estimate = Estimate(0.1, 0.01, 0.001, 5)
    comparisons = [
        Comparison("gemm[m=1|2]", Verdict.SLOWER, "", 1e-3, 1.1e-3, estimate, 0.001, counters=[CHANGE], owner="math"),
        Comparison("scan", Verdict.FASTER, "", 1e-3, 0.9e-3, Estimate(-0.1, 0.01, 0.001, 5)),
        Comparison("copy", Verdict.UNCHANGED, "", 1e-6, 1e-6, Estimate(0.0, 0.001, 1.0, 5), counters=[]),
        Comparison("sort", Verdict.UNDECIDED, "too noisy", 1e-6, 1e-6, Estimate(0.0, 0.1, 1.0, 5)),
        Comparison("gone\x01", Verdict.NOT_COMPARED, "missing in new", problem=True),
    ]
    return compare.data_of(Report("base.json", "new.json", Options(counters_only=counters_only), comparisons))


def test_the_comment_begins_with_what_changed():
    text = publishing.comment(report())
    assert text.startswith("### 2 of 5 benchmarks regressed\n\nBase `base.json`, new `new.json`.\n")
    assert "| `gemm[m=1\\|2]` | 1 ms | 1.1 ms | +10.5%" in text
    assert text.index("gemm") < text.index("gone") < text.index("`scan`")
    assert "`copy`" not in text
    assert "| `gemm[m=1\\|2]` | loads | gemm gemm.cu:3 | 1,000 | 2,000 |" in text
    assert text.endswith("1 faster, 1 slower, 1 unchanged, 1 undecided, 1 not compared.\n")


def test_a_comment_without_regressions():
    data = report()
    data["comparisons"] = data["comparisons"][2:4]
    assert publishing.comment(data).startswith("### No benchmark regressed")


def test_junit():
    suite = ElementTree.fromstring(publishing.junit(report()))
    assert suite.attrib == {"name": "cuda.perf", "tests": "5", "failures": "1", "errors": "1", "skipped": "1"}
    first, _, third, fourth, fifth = suite
    assert (first.get("name"), first.get("time")) == ("gemm[m=1|2]", "0.001100000")
    assert first.find("failure").get("message").endswith("slower, counts changed")
    assert first.find("failure").text == "owner: math\nloads gemm gemm.cu:3: 1000 -> 2000"
    assert list(third) == []
    assert fourth.find("skipped") is not None
    assert fifth.find("error").get("message") == "not compared, missing in new"
    assert "\x01" not in fifth.get("name")


def test_only_counts():
    suite = ElementTree.fromstring(publishing.junit(report(counters_only=True)))
    assert suite.get("skipped") == "1"


@pytest.fixture
def files_of(tmp_path, run):
    del run.results[1]  # a benchmark that fails is a problem by itself
    files.write(tmp_path / "base.json", run)
    run.results[0] = dataclasses.replace(run.results[0], counters=Counters({"ptx__inst_executed.sum": 200}))
    files.write(tmp_path / "new.json", run)
    return tmp_path


def test_the_command_after_compare(files_of, capsys):
    pytest.importorskip("scipy", reason="the extra `perf` is not installed")
    names = [str(files_of / name) for name in ("base.json", "new.json")]
    output = str(files_of / "comparison.json")
    assert __main__.main(["compare", *names, "--counters-only", "--json", output]) == 1
    comment, junit = files_of / "comment.md", files_of / "junit.xml"
    assert __main__.main(["publish", output, "--comment", str(comment), "--junit", str(junit)]) == 1
    assert "1 regressed: gemm[m=128,type=f32]" in capsys.readouterr().out
    assert "ptx__inst_executed.sum" in comment.read_text()
    assert ElementTree.parse(junit).getroot().get("failures") == "1"
    assert __main__.main(["compare", names[0], names[0], "--counters-only", "--json", output]) == 0
    assert __main__.main(["publish", output]) == 0


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"options": {}, "comparisons": []}', '{"options": []}'])
def test_files_that_are_no_comparison(tmp_path, capsys, text):
    path = tmp_path / "comparison.json"
    path.write_text(text)
    assert __main__.main(["publish", str(path)]) == 2
    assert f"{path} is no result of compare" in capsys.readouterr().err
    assert __main__.main(["publish", str(tmp_path / "absent.json")]) == 2


def test_comments_are_data_of_compare():
    assert json.loads(json.dumps(report()))["comparisons"][0]["verdict"] == "slower"
