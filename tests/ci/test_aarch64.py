# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The command that runs wheels in the emulator, with this machine's Python in place of the emulated one."""

import os
import pathlib
import sys

import pytest

aarch64 = pytest.importorskip("ci.aarch64.__main__", reason="runs in a checkout")
ROOT = pathlib.Path(__file__).parents[2]


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setattr(aarch64, "variables", lambda folder: dict(os.environ))

    def run(code, timeout=30):
        monkeypatch.setitem(aarch64.TESTS, "mine", ["-c", code])
        return aarch64.run_group("mine", sys.executable, tmp_path, timeout)

    return run


def test_the_result_of_a_group(run, capsys):
    assert run("print('first'); print('3 passed in 2 s')") == (True, "3 passed in 2 s")
    assert capsys.readouterr().out == ""


def test_a_failing_group_shows_the_end_of_its_output(run, capsys):
    assert run("print('one failed'); raise SystemExit(1)") == (False, "one failed")
    assert "one failed" in capsys.readouterr().out


def test_a_group_that_hangs_is_stopped(run):
    assert run("import time; time.sleep(100)", timeout=0.2) == (False, "stopped after 0.4 s")


def test_all_tests_of_the_groups_exist():
    named = [part for arguments in aarch64.TESTS.values() for part in arguments if part.endswith((".py", "/"))]
    folders = [part for arguments in aarch64.TESTS.values() for part in arguments if part.startswith("tests/")]
    assert [path for path in {*named, *folders} if not (ROOT / path).exists()] == []
    for test in aarch64.NOT_HERE:
        path, name = test.split("::")
        assert f"def {name}(" in (ROOT / path).read_text()


def test_the_newest_wheel_that_can_run_is_taken(tmp_path):
    for age, tag in enumerate(["cp311-cp311", "cp312-cp312", "cp314-cp314t", "cp313-cp313"]):
        wheel = tmp_path / f"open_cuda_python-0.1.0-{tag}-manylinux_2_27_aarch64.whl"
        wheel.touch()
        os.utime(wheel, (1000 - age, 1000 - age))
    assert "cp311-cp311" in aarch64.newest_wheel(tmp_path).name
    with pytest.raises(SystemExit, match="run nox -s wheels"):
        aarch64.newest_wheel(tmp_path / "none")
    with pytest.raises(SystemExit, match=r"needs a wheel for aarch64 and Python 3\.11"):
        aarch64.version_of(pathlib.Path("open_cuda_python-0.1.0-cp314-cp314t-manylinux_2_27_aarch64.whl"))
