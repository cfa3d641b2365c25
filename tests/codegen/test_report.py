# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The committed report and the generated files are current; commands of the generator."""

import subprocess
import sys

import codegen.__main__ as command
from codegen import docstrings, report, roles
from codegen.versions import VersionError


def test_committed_report_is_current(libraries):
    assert (command.ROOT / command.REPORT).read_text() == report.render(libraries), "run: python -m codegen report"


def test_roles_of_every_function_are_printed(monkeypatch, capsys, libraries):
    monkeypatch.setattr(roles, "libraries", lambda: libraries)
    monkeypatch.setattr(sys, "argv", ["codegen", "roles"])
    assert command.main() == 0
    printed = capsys.readouterr().out.splitlines()
    assert "driver.cuMemGetInfo(free: out, total: out)" in printed
    assert len(printed) == sum(len(library.functions) for library in libraries.values())


def test_headers_that_do_not_fit_end_in_a_message(monkeypatch, capsys):
    def fail():
        raise VersionError("cuX: no typedef")

    monkeypatch.setattr(command, "generated", fail)
    monkeypatch.setattr(sys, "argv", ["codegen", "write"])
    assert command.main() == 1
    assert capsys.readouterr().err == "VersionError: cuX: no typedef\n"


def test_check_names_the_stale_file_and_the_command(tmp_path, monkeypatch, capsys, libraries):
    monkeypatch.setattr(command, "ROOT", tmp_path)
    monkeypatch.setattr(command, "read_facts", dict)
    monkeypatch.setattr(command, "generated", lambda: {"a.c": "new", "b.c": "same", "absent.c": "any"})
    monkeypatch.setattr(roles, "libraries", lambda: libraries)
    (tmp_path / command.REPORT).parent.mkdir(parents=True)
    command.write_report()
    (tmp_path / "a.c").write_text("old")
    (tmp_path / "b.c").write_text("same")
    assert command.check() == 1
    assert capsys.readouterr().err == "a.c does not match the headers; run: python -m codegen write\n"
    command.write()
    assert command.check() == 0
    (tmp_path / command.REPORT).write_text("old")
    assert command.check() == 1


def test_unchanged_files_are_not_written(tmp_path, monkeypatch):
    monkeypatch.setattr(command, "ROOT", tmp_path)
    monkeypatch.setattr(command, "generated", lambda: {"a.c": "text"})
    command.write()
    before = (tmp_path / "a.c").stat().st_mtime_ns
    command.write()
    assert (tmp_path / "a.c").stat().st_mtime_ns == before


def test_an_unknown_command_is_refused():
    done = subprocess.run(
        [sys.executable, "-m", "codegen", "rite"],
        cwd=command.ROOT / "cuda_bindings",
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert "invalid choice: 'rite'" in done.stderr


def test_every_generated_file_names_its_command(libraries):
    for path, text in command.generated().items():
        assert "python -m codegen write" in text.partition("\n")[0], path


def test_docstring(libraries):
    driver = libraries["driver"]
    assert (
        docstrings.render(driver, driver.functions["cuPointerGetAttribute"])
        == """\
Return one property of an address: its context, memory type, device, range or pool.

Parameters
----------
attribute : CUpointer_attribute, in
ptr : CUdeviceptr, in

Returns
-------
status : CUresult
data : value of the type that attribute selects

Errors
------
CUresult
    CUDA_ERROR_DEINITIALIZED, CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT,
    CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_DEVICE

Notes
-----
Needs a driver of CUDA 4.0 or newer.
C reference: https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__UNIFIED.html"""
    )
