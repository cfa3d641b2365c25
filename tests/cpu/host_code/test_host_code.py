# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Host code in the form that nvcc generates, compiled by gcc: registration, launches, and `python -m cuda.cpu run`."""

from __future__ import annotations

import ctypes
import json
import os
import pathlib
import platform
import shutil
import signal
import struct
import subprocess
import sys

import host_programs
import pytest
from host_programs import PTX, compile_c, entry, fatbin, image, run

import cuda.cpu
from cuda.cpu.driver.code import link
from cuda.cpu.programs import machine_code

pytestmark = pytest.mark.cpu_only

PACKAGE = pathlib.Path(cuda.cpu.__file__).parent
RUNTIME = "libcudart.so.13"
WHOLE = fatbin(entry(1, 75, PTX.encode()))
GOOD = image(data=WHOLE)
RUN = ["launch: cudaSuccess", "copy: cudaSuccess", "cell 18", "launch: cudaSuccess", "copy: cudaSuccess", "cell 30"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("programs")


@pytest.fixture(scope="module")
def stub(folder):
    return compile_c(folder / "stub", "stub.c", GOOD, RUNTIME)


def lines(done) -> list[str]:
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_kernels_and_variables_by_their_addresses_in_host_code(stub):
    done = run(stub, "run")
    assert lines(done) == [*RUN, "module: cudaSuccess", "managed 77"]
    assert done.stderr == ""


def test_a_compiled_program_runs_in_gdb(stub):
    gdb = shutil.which("gdb")
    if gdb is None:
        pytest.skip("gdb is not installed: apt-get install gdb")
    probe = subprocess.run([gdb, "-nx", "-batch", "-ex", "run", shutil.which("true")], capture_output=True, text=True)
    if "exited normally" not in probe.stdout:
        pytest.skip(f"gdb cannot start programs: {probe.stderr.strip()}")
    commands = ("break kernel.ptx:11", "run", "cuda", "print r0", "delete", "continue")
    options = [word for each in commands for word in ("-ex", each)]
    done = run(stub, "run", options=("--batch", *options), command="debug")
    assert "hit Breakpoint 1, add () at kernel.ptx:11\n" in done.stdout, done.stdout + done.stderr
    assert "focus is CUDA kernel add, grid " in done.stdout
    assert "$1 = 2\n" in done.stdout
    assert "cell 30\n" in done.stdout
    assert "exited normally" in done.stdout


def test_what_goes_wrong_has_its_error(stub):
    done = run(stub, "fail")
    assert lines(done) == [
        "too many threads: cudaErrorInvalidConfiguration",
        "no such kernel: cudaErrorInvalidDeviceFunction",
        "no such variable: cudaErrorInvalidSymbol",
        "nothing pushed: cudaErrorMissingConfiguration",
        "no kernel: cudaErrorInvalidDeviceFunction",
        "crash: cudaErrorIllegalAddress",
        "after it: cudaErrorIllegalAddress",
    ]
    said = run(stub, "fail", CUDA_CPU_LOG="1").stderr
    assert "the block is (2000, 1, 1)" in said
    assert "no kernel 'lacking'" in said
    assert "no variable 'missing'" in said
    assert "kernel 'crash', block (0, 0, 0)" in said


def test_configurations_that_exceptions_leave_behind(stub):
    assert lines(run(stub, "push")) == ["0 1000 999", "1 at most", "then: cudaErrorMissingConfiguration"]


def test_a_fork_before_the_device_is_used(stub):
    child, own = ["launch: cudaSuccess", "copy: cudaSuccess", "cell 14"], "cell 18"
    refused = ["launch: cudaErrorInitializationError", "copy: cudaErrorInitializationError", "cell -1"]
    assert lines(run(stub, "fork")) == [*child, *child[:2], own, *refused, *child[:2], "cell 26"]


def test_code_that_is_unregistered_and_registered_again(stub):
    again = ["launch: cudaSuccess", "copy: cudaSuccess", "cell 26"]
    assert lines(run(stub, "again")) == [*RUN[:3], "unregistered: cudaErrorInvalidDeviceFunction", *again]


def test_relocatable_code_is_linked(folder):
    """nvlink's wrapper lists the fatbins of all units. That of libcudadevrt may be among them; it is built in here."""
    head = PTX[: PTX.index(".visible")]
    first = PTX.replace(".visible .global .align 4 .u32 cell = 10;", ".extern .global .align 4 .u32 cell;")
    second = head + ".visible .global .align 4 .u32 cell = 110;"
    library = head + ".entry __nv_static_51__0afad4c0_22_cuda_device_runtime_cu_x() { frobnicate; }"
    parts = [fatbin(entry(1, 75, text.encode())) for text in (first, library, second)]
    program = compile_c(folder / "linked", "stub.c", image(*parts, data=fatbin(entry(2, 75, b"\x7fELF"))), RUNTIME)
    assert lines(run(program, "run"))[2::3] == ["cell 118", "cell 130"]


def test_code_without_ptx(folder):
    machine = fatbin(entry(2, 90, link.pack([])), entry(8, 100, b"LTO"))
    program = compile_c(folder / "without", "stub.c", image(data=machine), RUNTIME)
    done = run(program, "run")
    none, said = (
        "cudaErrorNoKernelImageForDevice",
        "has no PTX, which the CPU device needs, but machine code for sm_90, ",
    )
    assert lines(done) == [f"launch: {none}", f"copy: {none}", "cell -1"] * 2 + [
        "module: cudaErrorInvalidValue",
        "managed -1",
    ]
    assert done.stderr.count(f"{said}LTO-IR for sm_100: ") == 1


def test_a_wrapper_that_is_none(stub):
    assert lines(run(stub, "run", "5"))[:3] == [
        "launch: cudaErrorInvalidKernelImage",
        "copy: cudaErrorInvalidKernelImage",
        "cell -1",
    ]


def test_ptx_that_cannot_be_loaded(folder):
    wrong = fatbin(entry(1, 75, PTX.replace("mov.u64", "frobnicate.u64").encode()))
    done = run(compile_c(folder / "wrong", "stub.c", image(data=wrong), RUNTIME), "run")
    assert lines(done)[0] == "launch: cudaErrorInvalidPtx"
    assert "instruction frobnicate.u64 is not supported" in done.stderr


# --- how they are run ---------------------------------------------------------------------------------


def test_a_program_keeps_its_arguments_and_status(stub):
    assert run(stub, "status", "more").returncode == 3


def test_a_program_of_the_driver_api(folder):
    program = compile_c(folder / "driver", "driver_program.c", GOOD, "libcuda.so.1")
    done = run(program)
    assert (done.returncode, done.stdout) == (3, f"00000000 50 4 {program}\n"), done.stderr


def test_signals_end_a_program(folder):
    program = compile_c(folder / "waits", "driver_program.c", GOOD, "libcuda.so.1")
    command = [sys.executable, "-m", "cuda.cpu", "run", str(program), "wait"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=host_programs.environment({})) as running:
        assert running.stdout.readline().startswith("00000000 50")
        running.send_signal(signal.SIGTERM)
        assert running.wait(timeout=50) == 128 + signal.SIGTERM


def test_checks(stub):
    done = run(stub, "fail", options=("--check", "memcheck"))
    assert "crash: cudaErrorIllegalAddress" in done.stdout
    assert "memcheck" in done.stderr


def test_report_of_checks(stub, tmp_path):
    """There are no call stacks of Python in a program without it."""
    done = run(stub, "fail", command="check", options=("--json", str(tmp_path / "out.json")))
    assert "crash: cudaSuccess" in done.stdout
    assert done.returncode == 1, done.stderr
    (found,) = json.loads((tmp_path / "out.json").read_text())["findings"]
    assert (found["checker"], found["kernel"], found["launch_stack"]) == ("memcheck", "crash", [])


def test_another_runtime_library_is_passed_over(stub, tmp_path):
    """LD_LIBRARY_PATH often contains the folder of a CUDA toolkit."""
    shutil.copy(PACKAGE / "entry" / "libcuda.so.1", tmp_path / RUNTIME)  # has none of its functions
    assert lines(run(stub, "run", LD_LIBRARY_PATH=str(tmp_path)))[:6] == RUN


def test_a_library_of_kernels_in_a_python_program(folder):
    """Loaded by ctypes, like the library of an extension module."""
    library = compile_c(folder / "library", "stub.c", GOOD, RUNTIME, "-shared", "-fPIC")
    code = (
        "import ctypes, sys; library = ctypes.CDLL(sys.argv[1]); words = (ctypes.c_char_p * 2)(b'', b'run')\n"
        "library.main(2, words); ctypes.CDLL(None).fflush(None)"
    )
    command = [sys.executable, "-m", "cuda.cpu", "run", "-c", code, str(library)]
    done = subprocess.run(command, capture_output=True, text=True, env=host_programs.environment({}))
    assert done.stdout.splitlines()[:6] == RUN, done.stderr


def test_programs_that_a_python_program_starts(stub, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(f"import subprocess\nsubprocess.run([{str(stub)!r}, 'run'])\n")
    assert lines(run(script))[:6] == RUN


def test_a_program_without_python(stub, tmp_path):
    """Not started by `run`, it finds the library, whose functions return an error."""
    (tmp_path / RUNTIME).symlink_to(PACKAGE / "runtime_api" / "libcudart_cpu.so.13")
    variables = host_programs.environment({"LD_LIBRARY_PATH": str(tmp_path)})
    done = subprocess.run([stub, "run"], capture_output=True, text=True, env=variables)
    assert done.stdout.splitlines()[:3] == [
        "launch: cudaErrorInitializationError",
        "copy: cudaErrorInitializationError",
        "cell -1",
    ]
    assert done.returncode == 0


def test_a_python_that_cannot_start(stub):
    done = run(pathlib.Path(shutil.which("env")), "PYTHONHOME=/nowhere", str(stub), "run")
    assert lines(done)[:2] == ["launch: cudaErrorInitializationError", "copy: cudaErrorInitializationError"]
    assert done.stderr.count("cuda.cpu: Python cannot start in this program: ") == 1


def test_programs_that_cannot_be_run(folder, tmp_path):
    old = compile_c(folder / "old", "stub.c", GOOD, "libcudart.so.12")
    for path, why in (
        (old, "needs libcudart.so.12; the CPU device has libcudart.so.13: compile it with nvcc of CUDA 13"),
        (PACKAGE / "entry" / "libcuda.so.1", "is a library, or a program that is linked statically"),
    ):
        done = run(path)
        assert (done.returncode, done.stdout) == (2, "")
        assert why in done.stderr
    data = bytearray(old.read_bytes())
    struct.pack_into("<H", data, 18, 243)  # EM_RISCV
    (tmp_path / "other").write_bytes(data)
    with pytest.raises(machine_code.MachineCodeError, match=f"for another machine than this one, {platform.machine()}"):
        machine_code.check(tmp_path / "other")
    for size in (5, 19, 60, 100):
        (tmp_path / "cut").write_bytes(old.read_bytes()[:size])
        with pytest.raises(machine_code.MachineCodeError, match=r"is damaged|is a library"):
            machine_code.check(tmp_path / "cut")


def test_what_a_program_needs(stub):
    found = machine_code.dynamic(stub.read_bytes())
    assert {RUNTIME, "libc.so.6"} <= set(found[machine_code.DT_NEEDED])
    assert found[machine_code.DT_RPATH] == found[machine_code.DT_RUNPATH] == []


@pytest.mark.parametrize("kind", ["disable", "enable"])
def test_a_path_to_another_runtime_library(folder, kind):
    """RPATH is searched before LD_LIBRARY_PATH, RUNPATH after it."""
    options = (f"-Wl,--{kind}-new-dtags", "-Wl,-rpath,/nowhere:$ORIGIN/other")
    program = compile_c(folder / kind, "stub.c", GOOD, RUNTIME, *options)
    assert lines(run(program, "run"))[:6] == RUN  # there is none
    (program.parent / "other").mkdir()
    shutil.copy(PACKAGE / "entry" / "libcuda.so.1", program.parent / "other" / RUNTIME)
    done = run(program, "run")
    if kind == "enable":
        assert lines(done)[:6] == RUN
    else:
        assert (done.returncode, done.stdout) == (2, "")
        assert f"stub finds {program.parent}/other/{RUNTIME} before that of the CPU device, by its RPATH" in done.stderr


def test_a_python_without_a_library(tmp_path):
    python = tmp_path / "python"
    answer = [str(python), 3, 99, "t", str(tmp_path), "libpython3.99t.a", "/nowhere", None]
    python.write_text(f"#!/bin/sh\necho '{json.dumps(answer)}'\n")
    python.chmod(0o755)
    library = "libpython3.99t.so.1.0"
    with pytest.raises(
        machine_code.MachineCodeError, match=rf"{library}, and .*python has none: install it .*python3\.99"
    ):
        machine_code.python_library(str(python))
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / library).touch()
    assert machine_code.python_library(str(python)) == (str(python), str(tmp_path / "lib" / library))


def test_the_library_of_this_python():
    try:
        executable, library = machine_code.python_library(None)
    except machine_code.MachineCodeError as error:
        pytest.skip(str(error))
    assert os.path.samefile(executable, sys.executable)
    assert ctypes.CDLL(library).Py_IsInitialized() is not None
    assert machine_code.about(sys.executable)[1:] == machine_code.about(None)[1:]
