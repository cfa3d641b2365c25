# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Processes that the package starts import nothing from their current folder."""

from __future__ import annotations

import ast
import os
import pathlib
import subprocess
import sys
import zlib

import pytest

import cuda.cpu

ROOT = pathlib.Path(cuda.cpu.__file__).parent
SOURCES = ROOT.parents[2]
PACKAGES = [ROOT.parents[1], SOURCES / "cuda_core", SOURCES / "cuda_bindings"]
# Modules that start processes, each with a test here, in tests/cpu/driver/test_run.py, test_tile_assembler.py or
# tests/core/program/test_core_tile.py; gpu_timeline.py starts the program as Python would; tileiras.py starts none, it
# replaces commands; _run.py, _find.py, _precompiled.py and _whole_tools.py start clang, with an environment of their
# own, and _whole_tools.py the linker, which has the user's.
STARTING = {
    "tier_up.py", "machine_code.py", "run.py", "session.py", "tile_assembler.py", "_tile.py", "tileiras.py",
    "gpu_timeline.py", "_run.py", "_find.py", "_precompiled.py", "_whole_tools.py",
}  # fmt: skip
# What the processes import, and what Python imports for them.
HIJACKED = (
    "select", "zlib", "struct", "json", "sysconfig", "threading", "subprocess", "llvmlite", "cuda", "encodings", "site",
    "sitecustomize", "usercustomize",
)  # fmt: skip


@pytest.fixture
def hostile(tmp_path):
    """Return a folder whose modules each leave a file "ran" behind."""
    for name in HIJACKED:
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'a').write({name!r} + ' ')\n")
    return tmp_path


def packages_path():
    return [str(ROOT.parents[1]), *(path for path in sys.path if path and os.path.isabs(path))]


COMPILE = """
import sys
sys.path[:0] = {path!r}
from cuda.cpu.compile import tier_up
compiler = tier_up._Compiler()
print(compiler.compile(bytes.fromhex({ir!r}))[1:4])
with compiler._process as process:
    process.stdin.close()
print(process.returncode)
"""


@pytest.mark.parametrize("flag", ["-I", "-P"])
@pytest.mark.parametrize("variable", [None, "PYTHONPATH", "PYTHONHOME", "PYTHONUSERBASE", "PYTHONSTARTUP"])
def test_the_compiler_of_hot_kernels_is_isolated(hostile, flag, variable):
    pytest.importorskip("llvmlite")
    if flag == "-P" and variable in ("PYTHONPATH", "PYTHONHOME"):
        pytest.skip("the parent itself runs what these name")
    ir = zlib.compress(b"define void @f() { ret void }").hex()
    environment = dict(os.environ)
    if variable:
        environment[variable] = str(hostile / "select.py" if variable == "PYTHONSTARTUP" else hostile)
    command = [sys.executable, flag, "-c", COMPILE.format(path=packages_path(), ir=ir)]
    done = subprocess.run(command, cwd=hostile, env=environment, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("b'ELF'\n0\n", "")
    assert not (hostile / "ran").exists()


HOT = """
import sys, time
sys.path[:0] = {path!r}
import ctypes
from cuda.cpu import driver
from cuda.cpu.compile import tier_up, jit
tier_up.ENOUGH = 1
machines = []
driver.cuInit(0); driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0))
watch = tier_up.watch
tier_up.watch = lambda grid, machine, name: (machines.append(machine), watch(grid, machine, name))
image = ctypes.create_string_buffer({text!r})
function = driver.cuModuleGetFunction(driver.cuModuleLoadData(ctypes.addressof(image)), b"k")
end = time.monotonic() + 60
while time.monotonic() < end and not (machines and isinstance(machines[0].image, tuple)):
    driver.cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, 0, 0, 0)
    driver.cuCtxSynchronize()
print(isinstance(machines[0].image, tuple))
"""
EMPTY = b".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }\n"


def test_a_hot_kernel_imports_nothing_from_the_current_folder(hostile, tmp_path_factory):
    pytest.importorskip("llvmlite")
    environment = os.environ | {"CUDA_CPU_CACHE": str(tmp_path_factory.mktemp("cache"))}
    environment.pop("CUDA_CPU_LEVEL", None)
    command = [sys.executable, "-I", "-c", HOT.format(path=packages_path(), text=EMPTY)]
    done = subprocess.run(command, cwd=hostile, env=environment, capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.stderr) == ("True\n", "")
    assert not (hostile / "ran").exists()


def test_interpreters_are_queried_in_isolation(hostile, monkeypatch):
    from cuda.cpu.programs import machine_code, run

    monkeypatch.chdir(hostile)
    for variable in ("PYTHONPATH", "PYTHONHOME"):
        monkeypatch.setenv(variable, str(hostile))
        run.check_interpreter(sys.executable)
        assert os.path.samefile(machine_code.about(sys.executable)[0], sys.executable)
    assert not (hostile / "ran").exists()


def test_only_known_modules_start_processes():
    def starts(path):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                yield node.module or ""
            elif isinstance(node, ast.Attribute):
                yield node.attr

    found = {
        path.name
        for package in PACKAGES
        for ours in ("bindings", "core", "cpu")  # beside cuda.pathfinder, which others maintain
        for path in (package / "cuda" / ours).rglob("*.py")
        if {"subprocess", "posix_spawn", "popen", "execv", "find_library"} & set(starts(path))
    }
    assert found == STARTING
