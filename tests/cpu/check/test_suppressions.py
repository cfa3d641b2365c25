# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Rules of suppressions files: what they match, and what is wrong with a line."""

from __future__ import annotations

import pytest

pytest.importorskip("cuda.cpu.runtime._runtime", reason="the CPU device's runtime is not built")

from cuda.cpu.check.finding import Finding, Frame
from cuda.cpu.check.suppressions import SuppressionError, read, rule_for, unused

FOUND = Finding(
    "memcheck", "outside", "error", "text", kernel="_Z3sumPf",
    device_stack=(Frame("put(int*, int)", "/src/put.cu", 4), Frame("sum(float*)", "/src/sum.cu", 9)),
    launch_stack=(Frame("main", "/home/script.py", 3),),
)  # fmt: skip


def rules(tmp_path, text):
    path = tmp_path / "known.txt"
    path.write_text(text)
    return read(str(path))


@pytest.mark.parametrize(
    ("text", "matches"),
    [
        ("checker=memcheck", True),
        ("checker=racecheck", False),
        ("kind=outside kernel=^_Z3sum", True),
        ("kind=freed kernel=sum", False),
        ("kernel=^sum$", False),
        ("source=put.cu:4", True),
        ("source=/src/*.cu", True),
        ("source=sum.cu:9 function='put*'", True),
        ("source=put.cu:9", False),
        ("source=ut.cu", False),
        ("function=put", False),
        ("function='sum(float*)'", True),
        ("launched=script.py:3", True),
        ("launched=else.py", False),
    ],
)
def test_matches(tmp_path, text, matches):
    (rule,) = rules(tmp_path, f"# comment\n\n{text}  # why\n")
    assert rule.line == 3
    assert rule.matches(FOUND) == matches


def test_the_printed_rule_matches_that_finding_only(tmp_path):
    (rule,) = rules(tmp_path, rule_for(FOUND))
    assert rule.matches(FOUND)
    other = Finding("memcheck", "outside", "error", "text", kernel="_Z3sumPfi", device_stack=FOUND.device_stack)
    assert not rule.matches(other)


def test_unused_rules(tmp_path):
    used, other = rules(tmp_path, "checker=memcheck\nchecker=racecheck")
    assert unused([used, other], [Finding("memcheck", "outside", "error", "", suppressed_by=1)]) == [other]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("kernl=x", "'kernl' is not known; did you mean kernel?"),
        ("xyz=x", "there are checker, kind, kernel"),
        ("checker", "'checker' is no name=value"),
        ("checker=", "is no name=value"),
        ("kernel=a kernel=b", "kernel is given twice"),
        ("kernel=(", "kernel= is '(', which is no regular expression"),
        ("function='x", "No closing quotation"),
        ("checker=memchek", "did you mean memcheck?"),
    ],
)
def test_wrong_lines(tmp_path, line, expected):
    with pytest.raises(SuppressionError) as raised:
        rules(tmp_path, f"checker=memcheck\n{line}\n")
    assert "known.txt, line 2: " in str(raised.value)
    assert expected in str(raised.value)


def test_unreadable_files(tmp_path):
    with pytest.raises(SuppressionError, match="cannot be read"):
        read(str(tmp_path))
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    with pytest.raises(SuppressionError, match="cannot be read"):
        read(str(tmp_path / "binary"))
