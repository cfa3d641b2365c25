# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Records of findings and call stacks: incomplete files, bounds, what XML cannot express."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

pytest.importorskip("cuda.cpu.runtime._runtime", reason="the CPU device's runtime is not built")

from cuda.cpu.check import formats, stacks
from cuda.cpu.check.build import demangled
from cuda.cpu.check.finding import Finding, Frame, to_dict
from cuda.cpu.check.session import read_records, recorded

FOUND = Finding(
    "racecheck", "read_after_write", "error", "a < b & \x01", "k", 3, (1, 2, 3), (4, 5, 6), 7, 8, 9, "ld",
    (Frame("f", "a.cu", 1),), (Frame("g", "b.cu", 2),), (Frame("main", "s.py", 3),),
)  # fmt: skip


def test_a_record_of_a_killed_process_ends_in_the_middle(tmp_path):
    line = json.dumps(to_dict(FOUND)) + "\n"
    path = tmp_path / "12.jsonl"
    path.write_text(line + line[:50])
    found, position = read_records(str(path))
    assert (found, position) == ([FOUND], len(line))
    path.write_text(line + line)
    assert read_records(str(path), position) == ([FOUND], 2 * len(line))


def test_processes_are_in_the_order_of_their_numbers(tmp_path):
    for number in (9, 100, 20):
        finding = Finding("memcheck", "outside", "error", "", process=number)
        (tmp_path / f"{number}.jsonl").write_text(json.dumps(to_dict(finding)) + "\n")
    assert [each.process for each in recorded(str(tmp_path))] == [9, 20, 100]


def test_xml_escapes_what_it_cannot_contain():
    root = ElementTree.fromstring(formats.to_xml(formats.Report("all", 0, [FOUND])))
    assert root.findtext("record/what/text") == "a < b & ?"
    assert [each.tag for each in root.find("record")] == [
        "tool", "kind", "severity", "count", "what", "where", "block", "thread",
        "deviceStack", "otherStack", "launchStack",
    ]  # fmt: skip


def test_old_stacks_are_dropped(monkeypatch):
    monkeypatch.setattr(stacks, "MOST_RECORDS", 10)
    records = stacks.Records()
    for number in range(15):
        records.note(number)
    assert records.find(4) == ()
    assert records.find(5)[0].function == "test_old_stacks_are_dropped"
    records.copy(5, 99)
    assert records.find(99) == records.find(5)


def test_equal_stacks_are_one_object():
    assert len({id(stacks.here()) for _ in range(3)}) == 1


def test_stacks_end_at_the_test_runner():
    assert stacks.frames(stacks.here())[-1].function == "test_stacks_end_at_the_test_runner"


@pytest.mark.parametrize(
    ("name", "expected"),
    [("_Z3sumPfi", "sum(float*, int)"), ("k", "k"), ("_Znot", "_Znot"), ("", "")],
)
def test_names_of_cpp(name, expected):
    assert demangled(name) == expected
