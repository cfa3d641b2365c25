# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
import contextlib
import sqlite3
import statistics

import pytest

from cuda.perf import __main__, files, history_lines
from cuda.perf.atomic import replaced
from cuda.perf.history import SECONDS, History, HistoryError, Series, interval
from cuda.perf.model import Result, Run

COUNT = "ptx__inst_executed.sum"


@pytest.fixture
def history(tmp_path):
    with History(tmp_path / "history.db", create=True) as opened:
        yield opened


def test_times_and_counts_become_series(history, run):
    assert history.add(run, "first.json")
    machine = run.environment.machine_id
    key = run.results[0].key
    assert history.series() == [Series(key, COUNT, ""), Series(key, SECONDS, machine)]
    (point,) = history.points(Series(key, SECONDS, machine))
    seconds = run.results[0].seconds()
    assert (point.value, point.number) == (statistics.median(seconds), len(seconds))
    assert point.low < point.value < point.high
    assert history.points(Series(key, SECONDS, "another")) == []
    (count,) = history.points(Series(key, COUNT, ""))
    assert count.value == count.low == count.high == 100
    assert history.failures(point.run) == {"scan[n=2.5]": ("wrong", "element 3 is 1.0, not 2.0")}
    assert history.lines(point.run, key)[0]["text"] == "sum += a * b;"
    assert history.runs()[0]["environment"]["device"] == "CPU device"


def test_a_run_is_added_once(history, run):
    assert history.add(run)
    assert not history.add(run)
    assert len(history.runs()) == 1


def test_runs_are_ordered_by_their_time(history, run):
    for started in (30.0, 10.0, 20.0):
        run.started = started
        history.add(run)
    series = history.series()[0]
    assert [point.started for point in history.points(series)] == [10, 20, 30]


def test_an_error_adds_nothing_of_a_run(history, run):
    run.results.append(Result("broken", samples=[None]))
    with pytest.raises(AttributeError):
        history.add(run)
    assert history.series() == []
    assert history.runs() == []


def test_runs_without_results_are_refused(history):
    with pytest.raises(HistoryError, match=r"empty\.json has no results"):
        history.add(Run(), "empty.json")


def test_files_that_are_no_history(tmp_path):
    with pytest.raises(HistoryError, match="there is no history"):
        History(tmp_path / "absent.db")
    (tmp_path / "text.db").write_text("some text, long enough for a header of SQLite" * 20)
    with pytest.raises(HistoryError, match="damaged or no history"):
        History(tmp_path / "text.db")
    with contextlib.closing(sqlite3.connect(tmp_path / "other.db")) as other:
        other.execute("CREATE TABLE t (x)")
    with pytest.raises(HistoryError, match=r"other\.db is an SQLite file, but no history"):
        History(tmp_path / "other.db")


def test_damage_is_reported(tmp_path, run):
    path = tmp_path / "history.db"
    with History(path, create=True) as opened:
        opened.add(run)
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)  # all pages but the first
    path.write_bytes(content)
    with History(path) as opened, pytest.raises(HistoryError, match="damaged"):
        opened.series()


def test_exchange_as_json_lines(tmp_path, history, run):
    history.add(run, "first.json")
    series = history.series()[0]
    history.decide(series, "abc", "noise", "not reproduced")
    rows = history_lines.export(history, tmp_path / "rows.jsonl")
    assert rows == len((tmp_path / "rows.jsonl").read_text().splitlines()) == 6
    with History(tmp_path / "copy.db", create=True) as copy:
        assert history_lines.load(copy, tmp_path / "rows.jsonl") == 1
        assert history_lines.load(copy, tmp_path / "rows.jsonl") == 0
        assert copy.series() == history.series()
        assert [copy.points(each) for each in copy.series()] == [history.points(each) for each in history.series()]
        assert copy.verdict(series, "abc") == "noise"
        assert copy.lines(1, series.benchmark) == history.lines(1, series.benchmark)


@pytest.mark.parametrize("damage", ['{"table": "points"}', "{", '{"table": "other"}', "[]", '{"x": 1}'])
def test_damaged_lines_add_nothing(tmp_path, history, run, damage):
    history.add(run)
    history_lines.export(history, tmp_path / "rows.jsonl")
    with open(tmp_path / "rows.jsonl", "a") as file:
        file.write(damage + "\n")
    with History(tmp_path / "copy.db", create=True) as copy:
        with pytest.raises(HistoryError, match=r"rows\.jsonl, line 6 is no row of a history"):
            history_lines.load(copy, tmp_path / "rows.jsonl")
        assert copy.runs() == []


def test_the_interval_contains_the_median_of_the_distribution():
    assert interval([1.0]) == (1.0, 1.0)
    assert interval([3.0, 1.0, 2.0]) == (1.0, 3.0)
    low, high = interval([float(value) for value in range(101)])
    assert (low, high) == (40, 60)


def test_replaced_files_are_whole(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")
    with pytest.raises(TypeError), replaced(path) as file:
        file.write(b"not text")
    assert path.read_text() == "old"
    with replaced(path) as file:
        file.write("new")
    assert path.read_text() == "new"
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


def test_the_command(tmp_path, run, capsys):
    files.write(tmp_path / "run.json", run)
    database = str(tmp_path / "history.db")
    assert __main__.main(["history", "add", database, str(tmp_path / "run.json"), str(tmp_path / "run.json")]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"{tmp_path / 'run.json'}: 2 results",
        f"{tmp_path / 'run.json'}: known already",
    ]
    assert __main__.main(["history", "list", database]) == 0
    assert f"gemm[m=128,type=f32] {COUNT}: 1 values, latest 100" in capsys.readouterr().out
    assert __main__.main(["history", "export", database, str(tmp_path / "rows.jsonl")]) == 0
    assert __main__.main(["history", "import", str(tmp_path / "copy.db"), str(tmp_path / "rows.jsonl")]) == 0
    assert "1 new runs" in capsys.readouterr().out
    assert __main__.main(["history", "add", database, str(tmp_path / "absent.json")]) == 2
    assert "absent.json" in capsys.readouterr().err
