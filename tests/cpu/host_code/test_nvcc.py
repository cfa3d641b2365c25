# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Programs compiled by nvcc and linked to NVIDIA's libcudart, run on the CPU device; each prints "fine" on success."""

from __future__ import annotations

import importlib.util
import pathlib
import shutil
import subprocess

import pytest
from host_programs import HERE, run

pytestmark = [pytest.mark.cpu_only, pytest.mark.timeout(600)]  # CUB and Thrust take half a minute to compile


@pytest.fixture(scope="session")
def toolkit():
    """Return the folder of the installed Python packages of nvcc and its headers; a system toolkit is never used."""
    if shutil.which("g++") is None:
        pytest.skip("nvcc needs g++")
    spec = importlib.util.find_spec("nvidia")
    for location in (spec.submodule_search_locations or ()) if spec else ():
        folder = pathlib.Path(location) / "cu13"
        if (folder / "bin" / "nvcc").exists():
            needed = ("nvvm/bin/cicc", "include/crt/host_runtime.h", "lib/libcudart.so.13", "include/cccl/cub/cub.cuh")
            lacking = [name for name in needed if not (folder / name).exists()]
            assert not lacking, f"beside nvcc, there is no {lacking}: pip install open-cuda-python[test]"
            return folder
    pytest.skip("nvcc is not installed: pip install nvidia-cuda-nvcc")


@pytest.fixture(scope="session")
def libraries(toolkit, tmp_path_factory):
    """Return a folder with libcudart.so, the name that nvcc's linker looks for, which the packages lack."""
    folder = tmp_path_factory.mktemp("lib")
    (folder / "libcudart.so").symlink_to(toolkit / "lib" / "libcudart.so.13")
    return folder


@pytest.fixture
def compiled(toolkit, libraries, tmp_path):
    """Return a function that compiles translation units into a program."""

    def compiled(*units: str, options: tuple[str, ...] = (), name: str = "program") -> pathlib.Path:
        program = tmp_path / name
        command = [str(toolkit / "bin" / "nvcc"), "-cudart", "shared", f"-L{libraries}", "-o", str(program), *options]
        done = subprocess.run([*command, *(str(HERE / unit) for unit in units)], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return program

    return compiled


def is_fine(program: pathlib.Path, *arguments: str, **variables: str) -> None:
    done = run(program, *arguments, **variables)
    assert (done.stdout, done.returncode) == ("fine\n", 0), done.stdout + done.stderr


VARIABLES = ("variables.cu", "variables_more.cu")


def test_variables_templates_and_two_units(compiled):
    is_fine(compiled(*VARIABLES))


@pytest.mark.parametrize(
    "options",
    [
        ("-default-stream", "per-thread"),
        ("-arch=sm_90", "-G"),
        ("-gencode", "arch=compute_90,code=sm_90", "-lineinfo"),
        ("-rdc=true",),
    ],
    ids=["per-thread", "debug", "lineinfo", "relocatable"],
)
def test_options_of_nvcc(compiled, options):
    is_fine(compiled(*VARIABLES, options=options))


def test_machine_code_alone_is_refused(compiled):
    program = compiled("graphs.cu", options=("-gencode", "arch=compute_90,code=sm_90"))
    done = run(program)
    assert done.returncode == 1
    assert done.stdout.endswith("cudaErrorNoKernelImageForDevice\n")
    assert "has no PTX, which the CPU device needs, but machine code for sm_90: " in done.stderr


def test_launches_of_every_kind_and_their_errors(compiled):
    is_fine(compiled("launches.cu"))


def test_threads_that_begin_at_once(compiled):
    program = compiled("threads.cu")
    for _ in range(4):
        is_fine(program)


def test_graphs(compiled):
    is_fine(compiled("graphs.cu"))


def test_streams_events_textures_and_output(compiled):
    done = run(compiled("streams.cu"), CUDA_CPU_DEVICES="1")
    first, *blocks, last = done.stdout.splitlines() or [""]
    assert (first, last) == ("before", "fine"), done.stderr
    assert sorted(blocks) == ["thread 0 of block 0", "thread 0 of block 1"]  # blocks run in any order


def test_each_device_has_variables_of_its_own(compiled):
    is_fine(compiled("devices.cu"), CUDA_CPU_DEVICES="2")


def test_before_and_after_main(compiled):
    assert run(compiled("early.cu")).stdout == "main 42\nat exit 84\ndestroyed\n"


def test_libraries_that_are_opened_and_closed(compiled):
    shared = ("-shared", "-Xcompiler", "-fPIC")
    libraries = [str(compiled("plugin.cu", options=(*shared, f"-DPLUGIN={i}"), name=f"plugin{i}.so")) for i in (1, 2)]
    is_fine(compiled("plugins.cu"), *libraries)


def test_relocatable_device_code(compiled):
    is_fine(compiled("linked.cu", "linked_more.cu", options=("-rdc=true",)))


@pytest.mark.parametrize("name", ["cub.cu", "thrust.cu"])
def test_algorithms_for_the_whole_device(compiled, name):
    is_fine(compiled(name))


def test_a_program_with_the_static_runtime_is_told_why(toolkit, tmp_path):
    """The default of nvcc: NVIDIA's runtime is linked into the program."""
    command = [toolkit / "bin" / "nvcc", "-cudart", "static", "-o", tmp_path / "program", HERE / "launches.cu"]
    subprocess.run(command, check=True, capture_output=True)
    done = run(tmp_path / "program")
    assert done.returncode == 1
    assert "contains NVIDIA's CUDA runtime (libcudart)" in done.stderr
    assert "link it by nvcc -cudart shared" in done.stderr


def test_what_else_programs_use(compiled):
    program = compiled("samples.cu", options=("--extended-lambda", "-arch=sm_90"))
    is_fine(program)
    assert "Assertion `value == 0` failed" in run(program).stderr
