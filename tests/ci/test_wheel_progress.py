# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""An interrupted run of `python -m ci.wheels` goes on, with the compiler and the smoke test replaced."""

import argparse
import pathlib
import shutil
import subprocess
import zipfile

import pytest

progress = pytest.importorskip("ci.wheels.progress", reason="runs in a checkout")
pytest.importorskip("elftools", reason="needs pyelftools, of the extra `test`")
wheels = pytest.importorskip("ci.wheels.__main__", reason="runs in a checkout")
toolchain = pytest.importorskip("ci.wheels.toolchain", reason="runs in a checkout")

NAME = "cuda-cpu 3.13 x86_64"
FILE = "cuda_cpu-0.1.0-cp313-cp313-linux_x86_64.whl"


@pytest.fixture
def session(tmp_path, monkeypatch):
    """A session whose compiler writes an archive; `session.calls` records what ran."""
    arguments = argparse.Namespace(
        out=tmp_path / "out", work=tmp_path, machine=[], smoke=True, emulate=False, fresh=False
    )
    arguments.out.mkdir(exist_ok=True)
    monkeypatch.setattr(wheels.os, "uname", lambda: argparse.Namespace(machine="x86_64"))

    def make():
        made, calls = wheels.Session(arguments), []

        def build(project, python, inside, compiler):
            calls.append("build")
            with zipfile.ZipFile(made.out / FILE, "w") as archive:
                archive.writestr("a.py", "x" * 10)
            return made.out / FILE

        monkeypatch.setattr(made, "build", build)
        monkeypatch.setattr(made, "run_native", lambda *_: calls.append("smoke"))
        made.calls = calls
        return made

    return make


def step(session, version="3.13", machine="x86_64", borrowed=False):
    python = toolchain.Interpreter("python", version, "3.13.0", ".so", "include", borrowed)
    session.wheel("cuda-cpu", python, "python", toolchain.Compiler(machine, "cc", session.work))


def test_a_second_run_repeats_nothing(session):
    first = session()
    step(first)
    assert first.calls == ["build", "smoke"]
    second = session()
    step(second)
    assert second.calls == []
    assert f"| {FILE} |" in second.progress.table([NAME])
    assert "passed" in second.progress.table([NAME])


def test_a_run_that_stopped_before_the_smoke_test_runs_it(session, monkeypatch):
    first = session()
    monkeypatch.setattr(first, "run_native", lambda *_: exec("raise KeyboardInterrupt"))
    with pytest.raises(KeyboardInterrupt):
        step(first)
    second = session()
    step(second)
    assert second.calls == ["smoke"]


def test_a_changed_or_missing_file_is_built_again(session):
    first = session()
    step(first)
    with (first.out / FILE).open("ab") as wheel:
        wheel.write(b"more")
    second = session()
    step(second)
    assert second.calls == ["build", "smoke"]
    (first.out / FILE).unlink()
    third = session()
    step(third)
    assert third.calls == ["build", "smoke"]


def test_other_sources_are_built(session, monkeypatch):
    step(session())
    monkeypatch.setattr(wheels, "source_key", lambda root: "another commit")
    second = session()
    step(second)
    assert second.calls == ["build", "smoke"]


def test_a_failure_is_recorded_and_tried_again(session, monkeypatch, capsys):
    first = session()

    def fail(*_):
        raise toolchain.WheelError("the module does not load")

    monkeypatch.setattr(first, "run_native", fail)
    step(first)
    assert first.failures == [NAME]
    assert "the module does not load" in capsys.readouterr().err
    assert "failed" in first.progress.table([NAME])
    second = session()
    step(second)
    assert (second.calls, second.failures) == (["smoke"], [])


def test_why_a_smoke_test_did_not_run(session):
    made = session()
    step(made, machine="aarch64")
    step(made, version="3.14t", borrowed=True)
    assert made.calls == ["build", "build"]
    table = made.progress.table(["cuda-cpu 3.13 aarch64", "cuda-cpu 3.14t x86_64", "cuda-cpu 3.12 x86_64"])
    assert "not run: another machine" in table
    assert "not run: no Python 3.14t here" in table
    assert "| cuda-cpu 3.12 x86_64 | not built |" in table


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_the_key_changes_with_commits_and_edits(tmp_path):
    def git(*arguments):
        identity = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
        subprocess.run(["git", *identity, *arguments], cwd=tmp_path, check=True, capture_output=True)

    git("init")
    file = pathlib.Path(tmp_path / "a.py")
    file.write_text("x = 1\n")
    git("add", "a.py")
    git("commit", "-m", "first")
    keys = [progress.source_key(tmp_path)]
    file.write_text("x = 2\n")
    keys.append(progress.source_key(tmp_path))
    git("commit", "-am", "second")
    keys.append(progress.source_key(tmp_path))
    assert len(set(keys)) == 3
    assert progress.source_key(tmp_path) == keys[2]
