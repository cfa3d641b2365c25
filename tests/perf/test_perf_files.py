# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
import json

import pytest

from cuda.perf import files
from cuda.perf.model import Result, Run, Samples, Status


def lines_of(path):
    return path.read_text().splitlines(keepends=True)


def change(path, number, **fields):
    lines = lines_of(path)
    lines[number - 1] = json.dumps(json.loads(lines[number - 1]) | fields) + "\n"
    path.write_text("".join(lines))


@pytest.fixture
def path(run, tmp_path):
    files.write(tmp_path / "run.jsonl", run)
    return tmp_path / "run.jsonl"


def test_a_run_is_read_as_it_was_written(run, path):
    assert files.read(path) == run


def test_an_interrupted_run_has_all_that_was_written(run, path):
    text = path.read_text()
    path.write_text(text[: text.rindex('{"record":"result","benchmark":"scan"') + 30])
    found = files.read(path)
    assert not found.complete
    assert found.results == run.results[:1]


def test_records_are_appended_after_a_repair(run, path):
    text = path.read_text()
    path.write_text(text[:-20])
    files.repair(path)
    result = Result("scan", {"n": 2.5}, Status.OK)
    block = Samples(0, 5, 1.0, 1, [1.0])
    with files.Writer(path) as writer:
        writer.result(result)
        writer.samples(result, block)
        writer.end()
    found = files.read(path)
    assert found.complete
    assert found.by_key()["scan[n=2.5]"] == Result("scan", {"n": 2.5}, Status.OK, samples=[block])
    assert found.by_key()["gemm[m=128,type=f32]"] == run.results[0]


def test_a_later_result_replaces_the_fields_but_not_the_samples(path):
    with files.Writer(path) as writer:
        writer.result(Result("gemm", {"m": 128, "type": "f32"}, Status.TIMEOUT, "no end after 5 s"))
    found = files.read(path).by_key()["gemm[m=128,type=f32]"]
    assert (found.status, found.message, len(found.samples)) == (Status.TIMEOUT, "no end after 5 s", 3)


@pytest.mark.parametrize(
    ("number", "fields", "message"),
    [
        (1, {"version": 2}, "version is 2; this program reads version 1"),
        (1, {"record": "result"}, "a result file begins with a run"),
        (1, {"environment": {"cores": "2"}}, "environment.cores is '2', not an integer"),
        (2, {"status": "fine"}, "status is 'fine', not one of 'ok', 'skipped'"),
        (2, {"axes": {"m": [1]}}, "axes.m is [1], not an integer or a number or a string"),
        (2, {"axes": {"m": True}}, "axes.m is True"),
        (2, {"colour": 1}, "colour is not a field of Result"),
        (2, {"counters": {"lines": [{"kernel": "k"}]}}, "counters.lines[0].file is missing"),
        (3, {"samples": {"process": 0}}, "samples.block is missing"),
        (3, {"record": "sample"}, "record is 'sample'"),
    ],
)
def test_damaged_fields_are_named(path, number, fields, message):
    change(path, number, **fields)
    with pytest.raises(files.FileError) as caught:
        files.read(path)
    assert f"run.jsonl, line {number}: " in str(caught.value)
    assert message in str(caught.value)


@pytest.mark.parametrize("value", [0.0, -1.0, float("nan"), float("inf"), "1", None, True])
def test_times_are_positive_and_finite(path, value):
    block = json.loads(lines_of(path)[2])["samples"]
    block["seconds"][2] = value
    change(path, 3, samples=block)
    with pytest.raises(files.FileError, match=r"line 3: samples\.seconds\[2\] is "):
        files.read(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"\x80\x81\n", "is no text file"),
        (b"{}\n", "record is None; a result file begins with a run"),
        (b"[1]\n", "line 1 is no JSON object"),
        (b"{\n", "line 1 is no JSON"),
        (b"{", "line 1 is no JSON"),
    ],
)
def test_other_files_are_refused(tmp_path, content, message):
    (tmp_path / "a.jsonl").write_bytes(content)
    with pytest.raises(files.FileError, match=message):
        files.read(tmp_path / "a.jsonl")


def test_a_damaged_line_in_the_middle_is_an_error(path):
    lines = lines_of(path)
    lines[2] = lines[2][:-9] + "\n"
    path.write_text("".join(lines))
    with pytest.raises(files.FileError, match="line 3 is no JSON"):
        files.read(path)


def test_not_finite_times_are_not_written(tmp_path):
    result = Result("a", samples=[Samples(0, 0, 0.0, 1, [float("nan")])])
    with pytest.raises(ValueError, match="not JSON compliant"):
        files.write(tmp_path / "a.jsonl", Run(results=[result]))
