# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""`python -m cuda.cpu run`, and the libraries that it puts before NVIDIA's."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest

import cuda.cpu
from cuda.cpu import run

pytestmark = pytest.mark.cpu_only

ROOT = pathlib.Path(cuda.cpu.__file__).parent

SAXPY = pathlib.Path(__file__).with_name("other_program.py")


def start(*arguments: str, **variables: str):
    command = [sys.executable, "-m", "cuda.cpu", "run", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=os.environ | variables)


def test_a_script_gets_its_arguments_status_and_driver(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import ctypes, os, sys, beside\n"
        "print(sys.argv[1:], __name__, ctypes.CDLL('libcuda.so.1').cuInit(0), beside.here)\n"
        "print(os.environ['LD_LIBRARY_PATH'].split(':')[0])\n"
        "sys.exit(7)\n"
    )
    (tmp_path / "beside.py").write_text("here = True\n")
    done = start(str(script), "a", "--b", LD_LIBRARY_PATH="/mine")
    assert done.stdout.splitlines() == ["['a', '--b'] __main__ 0 True", "/mine"], done.stderr
    assert done.returncode == 7


def test_a_module(tmp_path):
    done = start("-m", "platform")
    assert done.returncode == 0
    assert "Linux" in done.stdout


@pytest.mark.needs_nvrtc
def test_a_program_that_knows_nothing_of_us():
    """Uses libcuda and NVRTC by their names alone, and compiles to a cubin without -lineinfo."""
    done = start(str(SAXPY))
    assert done.stdout.strip() == "5", done.stderr


def test_what_cannot_be_run():
    done = start("/nowhere.py")
    assert done.returncode == 2
    assert "there is no script /nowhere.py" in done.stderr
    done = start("--python", "/nowhere/python", __file__)
    assert done.returncode == 2
    assert "/nowhere/python is no Python interpreter" in done.stderr


def test_an_interpreter_of_another_version_is_refused(tmp_path):
    other = tmp_path / "python"
    other.write_text('#!/bin/sh\necho \'["2.7.18", ".so"]\'\n')
    other.chmod(0o755)
    with pytest.raises(run.RunError, match=r"is Python 2\.7\.18; cuda\.cpu is installed for Python 3\."):
        run.check_interpreter(str(other))


def test_another_environment_sees_of_ours_only_cuda_cpu(tmp_path, monkeypatch):
    for package in ("bindings", "core"):
        (tmp_path / package / "cuda" / package).mkdir(parents=True)
    (tmp_path / "user").mkdir()
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(str(tmp_path / name) for name in ("bindings", "user", "core")))
    folder = tmp_path / "private"
    folder.mkdir()
    run.prepare(folder)
    variables = run.environment(folder, other=True)
    assert variables["PYTHONPATH"].split(os.pathsep) == [str(tmp_path / "user"), str(folder / "python")]
    assert sorted(path.name for path in (folder / "python" / "cuda").iterdir()) == ["cpu"]
    for name, place in (("libcuda.so.1", "entry"), ("libnvidia-ml.so.1", "nvml")):
        assert (folder / "lib" / name).resolve() == (ROOT / place / name).resolve()


def exported(path: pathlib.Path) -> set[str]:
    listed = subprocess.run(["nm", "-D", "--defined-only", path], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1].partition("@")[0] for line in listed.splitlines()}


@pytest.mark.parametrize(("module", "library"), [("nvrtc", "libnvrtc.so.13"), ("nvjitlink", "libnvJitLink.so.13")])
def test_forwarders_have_every_function_of_the_header(module, library):
    pytest.importorskip("clang")
    from codegen import roles

    functions = roles.libraries()[module].functions.values()
    names = {function.symbol for function in functions}
    assert len(names) > 10
    assert names <= exported(ROOT / "forward" / library)


@pytest.mark.skipif("CUDA_CPU_PEER" not in os.environ, reason="set CUDA_CPU_PEER to a Python with NVIDIA's cuda-core")
def test_nvidia_s_own_packages():
    """A venv with NVIDIA's cuda-core, cuda-bindings, NVRTC and nvJitLink wheels and NumPy, of this Python version."""
    peer = os.environ["CUDA_CPU_PEER"]
    script = pathlib.Path(__file__).parents[2] / "support" / "nvidia_saxpy.py"
    done = start("--python", peer, str(script))
    assert done.returncode == 0, done.stderr
    assert "saxpy is right on CPU device" in done.stdout
    prefix = subprocess.run(
        [peer, "-c", "import sys; print(sys.prefix)"], capture_output=True, text=True
    ).stdout.strip()
    assert f"with {prefix}" in done.stdout
