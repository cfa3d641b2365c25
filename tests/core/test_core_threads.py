# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Threads that share objects: sixteen on three CPU devices, and what free-threaded Python requires.

CUDA_TEST_SECONDS lengthens the stress test: `nox -s threads -- 600`.
"""

import itertools
import os
import pathlib
import pkgutil
import subprocess
import sys
import sysconfig
import threading

import pytest
from support.scripts import run_checked

from cuda.core import ClosedError, ObjectCode, Program, ProgramOptions

SUPPORT = pathlib.Path(__file__).parents[1] / "support"
SECONDS = float(os.environ.get("CUDA_TEST_SECONDS", "3"))
PTX = b".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry empty() { ret; }\n"
FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))


@pytest.mark.cpu_only
@pytest.mark.needs_nvrtc
@pytest.mark.timeout(SECONDS + 300)
def test_threads_on_three_devices():
    """Every operation runs in every thread, all results are right, and no memory leaks."""
    environment = os.environ | {
        "CUDA_CPU_DEVICES": "3",
        "CUDA_CPU_MEMORY": "1G",
        "PYTHONPATH": os.pathsep.join([str(SUPPORT), *filter(None, sys.path)]),
    }
    program = [sys.executable, "-X", "faulthandler", str(SUPPORT / "thread_stress.py"), str(SECONDS)]
    run = subprocess.run(program, env=environment, capture_output=True, text=True, timeout=SECONDS + 280)
    assert (run.returncode, run.stderr) == (0, ""), f"exit status {run.returncode}\n{run.stdout}\n{run.stderr}"
    first, *counts = run.stdout.splitlines()
    assert first.endswith("operations of 16 threads on 3 devices")
    assert len(counts) == 11
    assert all(int(line.split()[0]) >= 16 for line in counts)


def in_threads(work, count=8):
    """Call `work()` in threads that start together; return the results."""
    found, together = [], threading.Barrier(count)

    def run():
        together.wait(60)
        try:
            found.append(work())
        except Exception as error:
            found.append(error)

    threads = [threading.Thread(target=run) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def test_code_first_used_by_several_threads_is_loaded_once(device):
    """Else their kernels would use different copies of the code's variables."""

    def first_use():
        device.set_current()
        return code.get_kernel("empty")

    for _ in range(5):
        code = ObjectCode.from_ptx(PTX)
        kernels = in_threads(first_use)
        assert len(set(kernels)) == 1


@pytest.mark.needs_nvrtc
def test_threads_compile_one_program():
    """NVRTC's program is used by one thread at a time, and not destroyed while another one uses it."""
    source = 'template<int N> __global__ void f(int *x) { *x = N; } extern "C" __global__ void g() {}'
    program = Program(source, "c++", ProgramOptions(arch="sm_80"))
    for numbers in ((1, 2), (3,)):
        names = [f"f<{number}>" for number in numbers]
        codes = in_threads(lambda names=names: program.compile("ptx", name_expressions=names))
        assert len({code.code for code in codes}) == 1
    program.close()


@pytest.mark.needs_nvrtc
def test_a_program_closed_by_another_thread():
    """`close` waits for the compilation; later ones are refused."""
    for _ in range(3):
        program = Program('extern "C" __global__ void g() {}', "c++", ProgramOptions(arch="sm_80"))
        turns = itertools.count()

        def work(program=program, turns=turns):
            return program.close() if next(turns) % 2 else program.compile("ptx")

        found = in_threads(work)
        assert all(each is None or isinstance(each, (ObjectCode, ClosedError)) for each in found)


def modules():
    """Return the names of all compiled modules of the packages."""
    import cuda.bindings
    import cuda.core
    import cuda.cpu

    found = []
    for package in (cuda.bindings, cuda.core, cuda.cpu):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            origin = module.module_finder.find_spec(module.name).origin
            if origin is not None and origin.endswith(".so"):
                found.append(module.name)
    return found


@pytest.mark.skipif(not FREE_THREADED, reason="needs free-threaded Python")
def test_no_import_enables_the_gil():
    """Each extension declares that it works without the GIL; else Python enables it, with a warning."""
    names = modules()
    assert len(names) > 60
    imports = "; ".join(f"import {name}" for name in names)
    said = run_checked(
        f"import sys; {imports}; import cuda.core.graph, cuda.core.system; print(sys._is_gil_enabled())", "-W", "error"
    )
    assert said == "False\n"
