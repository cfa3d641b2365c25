# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""What the headers declare, as the repository keeps it."""

import sys

import pytest

import codegen.__main__ as command
from codegen import facts, headers
from codegen.model import HeaderError, Library


@pytest.mark.parametrize("name", facts.NAMES)
def test_facts_are_those_of_the_headers(name):
    from_headers = facts.from_headers(name)
    assert (facts.FOLDER / f"{name}.json").read_text() == facts.dumps(from_headers), "run: python -m codegen facts"
    assert facts.read(name) == from_headers


def test_functions_of_nvml_are_those_of_the_header():
    assert facts.nvml_functions() == headers.nvml_functions(), "run: python -m codegen facts"


def test_what_is_read_is_what_was_written(read):
    library = read("""
        typedef enum { XY_OK = 0, XY_NAN = -1 } xyResult;
        typedef union { struct { int low : 3; unsigned long long *const *high[2][3]; }; double whole; } xyNumber;
        typedef void (*xyCallback)(xyResult Pointer, const char *text, void (*then)(void));
        #define XY_VERSION 0x10
        #define XY_RATIO 0.1
        xyResult xyCall(xyNumber *number, xyCallback callback);
    """)
    assert len(library.structs) == 2
    assert facts.loads(facts.dumps(library)) == library
    assert facts.loads(facts.dumps(Library("xy"))) == Library("xy")


def test_the_headers_of_a_toolkit_are_read_instead(monkeypatch, tmp_path):
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    with pytest.raises(HeaderError, match="searched: "):
        facts.read("nvrtc")


def test_check_names_facts_that_are_not_current(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(command, "ROOT", tmp_path)
    monkeypatch.setattr(command, "generated", dict)
    monkeypatch.setattr(facts, "FOLDER", tmp_path / "facts")
    monkeypatch.setattr(facts, "texts", lambda: {"nvrtc.json": "new"})
    monkeypatch.setattr(command.report, "render", lambda _: "")
    monkeypatch.setattr(command.roles, "libraries", dict)
    monkeypatch.setattr(command, "REPORT", "report.md")
    monkeypatch.setattr(sys, "argv", ["codegen", "facts"])
    assert command.main() == 0
    command.write_report()
    assert command.check() == 0
    (tmp_path / "facts/nvrtc.json").write_text("{}")
    assert command.check() == 1
    assert capsys.readouterr().err == "facts/nvrtc.json does not match the headers; run: python -m codegen facts\n"
