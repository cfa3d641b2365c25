# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""`python -m cuda.cpu run`, and the libraries that it puts before NVIDIA's."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import pathlib
import shutil
import signal
import subprocess
import sys

import pytest

import cuda.cpu
from cuda.cpu.programs import run

pytestmark = pytest.mark.cpu_only

ROOT = pathlib.Path(cuda.cpu.__file__).parent

SAXPY = pathlib.Path(__file__).with_name("other_program.py")


def start(*arguments: str, **variables: str):
    command = [sys.executable, "-m", "cuda.cpu", "run", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=os.environ | variables)


def test_a_script_has_its_arguments_exit_status_and_driver(tmp_path):
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


def test_the_compute_capability_can_be_chosen():
    code = (
        "import ctypes; library = ctypes.CDLL('libcuda.so.1'); library.cuInit(0); found = (ctypes.c_int * 2)();"
        "[library.cuDeviceGetAttribute(ctypes.byref(found, 4 * i), 75 + i, 0) for i in range(2)]; print(*found)"
    )
    assert start("-c", code).stdout == "9 0\n"
    assert start("--capability", "8.9", "-c", code).stdout == "8 9\n"
    done = start("--capability", "8.9.1", "-c", code)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--capability is '8.9.1': give 7.5 to 12.9, such as 9.0" in done.stderr


def test_running_a_module(tmp_path):
    done = start("-m", "platform")
    assert done.returncode == 0
    assert "Linux" in done.stdout


def test_a_program_is_started_as_python_starts_it(tmp_path):
    """What `__main__` is and what a traceback shows do not tell that we are there."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "__main__.py").write_text("import sys; print(sys.argv[1:], sys.path[0], __name__)\n")
    done = start(str(tmp_path / "folder"), "-x")
    assert done.stdout.strip() == f"['-x'] {tmp_path / 'folder'} __main__", done.stderr
    assert start("-c", "import sys; print(sys.argv)", "-m").stdout.strip() == "['-c', '-m']"
    command = [sys.executable, "-m", "cuda.cpu", "run", "-", "--a"]
    done = subprocess.run(command, input="import sys; print(sys.argv)", capture_output=True, text=True)
    assert done.stdout.strip() == "['-', '--a']", done.stderr
    script = tmp_path / "wrong.py"
    script.write_text("import sys, __main__\nprint(__main__.__file__, __main__.__dict__ is globals())\n1 / 0\n")
    done = start(str(script))
    assert done.stdout.strip() == f"{script} True"
    assert done.stderr.count("  File ") == 1
    assert done.returncode == 1


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGUSR1, 3)])
def test_signals_reach_the_program(tmp_path, number, status):
    script = tmp_path / "waits.py"
    script.write_text(
        "import os, signal, sys, time\n"
        "signal.signal(signal.SIGUSR1, lambda *_: sys.exit(3))\n"
        "print(os.environ['LD_LIBRARY_PATH'].split(':')[-1], flush=True)\n"
        "time.sleep(60)\n"
    )
    command = [sys.executable, "-m", "cuda.cpu", "run", str(script)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        folder = pathlib.Path(running.stdout.readline().strip())
        assert folder.is_dir()
        running.send_signal(number)
        assert running.wait(timeout=50) == status
    assert not folder.exists()


@pytest.mark.needs_nvrtc
def test_a_program_that_only_uses_libcuda_and_nvrtc():
    """Uses libcuda and NVRTC by their names alone, and compiles to a cubin without -lineinfo."""
    done = start(str(SAXPY))
    assert (done.stdout.strip(), done.stderr) == ("5", "")


@pytest.mark.needs_nvrtc
def test_the_reason_for_refused_code_is_printed_once(tmp_path):
    """The program of others reports a status, if that."""
    script = tmp_path / "refused.py"
    script.write_text(
        "import ctypes\n"
        "cuda, handle = ctypes.CDLL('libcuda.so.1'), ctypes.c_void_p()\n"
        "cuda.cuInit(0), cuda.cuDevicePrimaryCtxRetain(ctypes.byref(handle), 0), cuda.cuCtxSetCurrent(handle)\n"
        "text = b'.version 8.0 .target sm_90 .address_size 64 .entry k() { frobnicate.b32; }'\n"
        "print([cuda.cuModuleLoadData(ctypes.byref(handle), text) for _ in range(2)])\n"
    )
    done = start(str(script))
    assert done.stdout == "[218, 218]\n"
    assert done.stderr.count("cuda.cpu: error 218: <ptx>, line 1: instruction frobnicate.b32 is not supported") == 1


def test_child_processes_use_the_cpu_device(tmp_path):
    script = tmp_path / "starts.py"
    script.write_text(
        "import multiprocessing, runpy, subprocess, sys\n"
        "if __name__ == '__main__':\n"
        f"    subprocess.run([sys.executable, {str(SAXPY)!r}])\n"
        "    for method in ('spawn', 'forkserver', 'fork'):\n"
        "        process = multiprocessing.get_context(method).Process(\n"
        f"            target=runpy.run_path, args=({str(SAXPY)!r},))\n"
        "        process.start()\n"
        "        process.join()\n"
    )
    done = start(str(script))
    assert done.stdout.split() == ["5"] * 4, done.stderr


def test_the_sitecustomize_of_the_environment_also_runs(tmp_path):
    (tmp_path / "sitecustomize.py").write_text("import builtins; builtins.mine = __file__\n")
    search = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    code = "import ctypes, sitecustomize; print(mine, sitecustomize.__file__, ctypes.CDLL('libcuda.so.1').cuInit(0))"
    done = start("-c", code, PYTHONPATH=search)
    assert done.stdout.split() == [*[str(tmp_path / "sitecustomize.py")] * 2, "0"], done.stderr


def test_the_driver_ends_after_the_handlers_of_the_program(tmp_path):
    """Packages register theirs when they are imported, long before the first call of the driver."""
    script = tmp_path / "handler.py"
    script.write_text(
        "import atexit, ctypes\n"
        "cuda = ctypes.CDLL('libcuda.so.1')\n"
        "atexit.register(lambda: print(cuda.cuCtxSynchronize(), cuda.cuStreamSynchronize(None)))\n"
        "context = ctypes.c_void_p()\n"
        "print(cuda.cuInit(0), cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))\n"
        "print(cuda.cuCtxSetCurrent(context))\n"
    )
    assert start(str(script)).stdout.split() == ["0"] * 5


LATE_FREE = """
import ctypes, sys
runtime = ctypes.CDLL('libcudart.so.13')
memory, device = ctypes.c_void_p(), ctypes.c_int(7)
assert runtime.cudaMalloc(ctypes.byref(memory), ctypes.c_size_t(64)) == 0
class Late:
    calls = (runtime.cudaGetDevice, ctypes.byref(device)), (runtime.cudaSetDevice, 0), (runtime.cudaFree, memory)
    more = runtime.cudaGetDeviceCount, ctypes.byref(device)
    def __del__(self, calls=calls, device=device, more=more):
        print(*(function(argument) for function, argument in calls), device.value, more[0](more[1]))
sys.modules['late'] = Late()
"""


def test_memory_is_freed_after_python_has_ended():
    """TVM saves and restores the current device around cudaFree, in destructors of objects that Python ends with."""
    assert start("-c", LATE_FREE).stdout.split() == ["0", "0", "0", "0", "4"]  # 4: cudaErrorCudartUnloading


def test_an_incompatible_interpreter_is_left_unchanged(monkeypatch):
    opening = importlib.util.spec_from_file_location("start", ROOT / "programs" / "forward" / "start.py")
    module = importlib.util.module_from_spec(opening)
    opening.loader.exec_module(module)
    assert module.is_for_this_python()
    monkeypatch.setattr(importlib.machinery, "EXTENSION_SUFFIXES", [".cpython-27m-x86_64-linux-gnu.so"])
    assert not module.is_for_this_python()


def test_the_driver_is_found_by_each_library_name():
    """Taichi asks for libcuda.so; a name that ends in a version is the rule."""
    code = "import ctypes; print(*(ctypes.CDLL(name)._handle for name in ('libcuda.so', 'libcuda.so.1')))"
    first, second = start("-c", code).stdout.split()
    assert first == second
    code = code.replace("libcuda", "libnvidia-ml")
    first, second = start("-c", code).stdout.split()
    assert first == second


def test_errors_for_programs_that_cannot_be_run(tmp_path):
    done = start("/nowhere.py")
    assert done.returncode == 2
    assert done.stderr == "python -m cuda.cpu run: there is no script or program /nowhere.py\n"
    assert "to run a module: -m pytest" in start("pytest").stderr
    assert "can't find '__main__' module" in start(str(tmp_path)).stderr
    done = start("--python", "/nowhere/python", __file__)
    assert done.returncode == 2
    assert "/nowhere/python is no Python interpreter" in done.stderr


def test_an_interpreter_of_another_version_is_refused(tmp_path):
    other = tmp_path / "python"
    other.write_text('#!/bin/sh\necho \'["2.7.18", ".so"]\'\n')
    other.chmod(0o755)
    with pytest.raises(run.RunError, match=r"is Python 2\.7\.18; cuda\.cpu is installed for Python 3\."):
        run.check_interpreter(str(other))
    own = sys.version.split()[0]
    other.write_text(f'#!/bin/sh\necho \'["{own}", ".other.so"]\'\n')
    with pytest.raises(run.RunError, match=r"is Python 3\.\S+ \(its modules end in \.other\.so\); cuda\.cpu is"):
        run.check_interpreter(str(other))


def test_another_environment_can_import_only_cuda_cpu(tmp_path, monkeypatch):
    for package in ("bindings", "core"):
        (tmp_path / package / "cuda" / package).mkdir(parents=True)
    (tmp_path / "user").mkdir()
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(str(tmp_path / name) for name in ("bindings", "user", "core")))
    folder = tmp_path / "private"
    folder.mkdir()
    run.prepare(folder)
    variables = run.environment(folder, other=True)
    assert variables["PYTHONPATH"].split(os.pathsep) == [
        *map(str, (folder / "start", tmp_path / "user", folder / "python"))
    ]
    assert sorted(path.name for path in (folder / "python" / "cuda").iterdir()) == ["cpu"]
    for name, package in (("libcuda.so.1", "entry"), ("libnvidia-ml.so.1", "nvml")):
        assert (folder / "lib" / name).resolve() == (ROOT / package / name).resolve()


def test_search_paths_are_absolute(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", "::relative:.:/absolute:")
    monkeypatch.setenv("LD_LIBRARY_PATH", ":libraries")
    variables = run.environment(tmp_path / "private", other=False)
    found = [str(tmp_path / "private" / "start"), str(tmp_path / "relative"), str(tmp_path), "/absolute"]
    assert variables["PYTHONPATH"].split(os.pathsep) == found
    libraries = [str(tmp_path / "libraries"), str(tmp_path / "private" / "lib")]
    assert variables["LD_LIBRARY_PATH"].split(os.pathsep) == libraries


@pytest.mark.parametrize(("flag", "safe", "ignores"), [("-I", True, True), ("-P", True, False), ("-E", False, True)])
def test_a_program_inherits_the_isolation_of_its_parent(tmp_path, flag, safe, ignores):
    (tmp_path / "hostile").mkdir()
    for name in ("json", "ctypes", "subprocess", "beside"):
        (tmp_path / "hostile" / f"{name}.py").write_text("print('hostile')")
    (tmp_path / "script.py").write_text(
        "import ctypes, os, sys\nprint(sys.flags.safe_path, 'PYTHONFROZEN' in os.environ)\n"
        f"print({str(tmp_path)!r} in sys.path, {str(tmp_path / 'hostile')!r} in sys.path)\n"
        "print(ctypes.CDLL('libcuda.so.1').cuInit(0))\n"
    )
    starter = f"import sys; sys.path.insert(0, {str(ROOT.parents[1])!r}); from cuda.cpu.programs import run; " + (
        "sys.exit(run.program(None, sys.argv[1], []))"
    )
    variables = os.environ | {"PYTHONFROZEN": "1"} | ({"PYTHONPATH": str(tmp_path / "hostile")} if ignores else {})
    command = [sys.executable, flag, "-c", starter, str(tmp_path / "script.py")]
    done = subprocess.run(command, capture_output=True, text=True, env=variables, cwd=tmp_path)
    assert done.stdout.split() == [str(safe), str(not ignores), str(not safe), "False", "0"], done.stderr


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
    assert names <= exported(ROOT / "programs" / "forward" / library)


FAKE = """
#include <stdio.h>
int nvrtcGetNVVM(void *program, char *to) { return 17; }
int nvrtcCompileProgram(void *program, int count, const char *const *options)
{
    for (int i = 0; i < count; i++) puts(options[i]);
    return fflush(stdout);
}
int __nvJitLinkCreate_12_9(void **handle, unsigned count, const char **options)
{
    return nvrtcCompileProgram(0, count, options);
}
int nvJitLinkGetLinkedPtx(void *handle, char *to) { return 18; }
"""


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_cuda_12_compilers_also_receive_lineinfo(tmp_path):
    """Libraries with the names of NVRTC 12 and nvJitLink 12, where the wheels have them, print their options."""
    (tmp_path / "fake.c").write_text(FAKE)
    for name, folder in (("libnvrtc.so.12", "cuda_nvrtc"), ("libnvJitLink.so.12", "nvjitlink")):
        library = tmp_path / "nvidia" / folder / "lib"
        library.mkdir(parents=True)
        soname = f"-Wl,-soname,{name}"
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", library / name, tmp_path / "fake.c", soname], check=True)
    code = (
        "import ctypes; rtc, link = ctypes.CDLL('libnvrtc.so.12'), ctypes.CDLL('libnvJitLink.so.12')\n"
        "options, create = (ctypes.c_char_p * 1)(b'-arch=sm_90'), getattr(link, '__nvJitLinkCreate_12_9')\n"
        "print(rtc.nvrtcCompileProgram(None, 1, options), create(None, 1, options))\n"
        "print(rtc.nvrtcGetNVVM(None, None), link.nvJitLinkGetLinkedPtx(None, None), link.nvJitLinkComplete(None))"
    )
    done = start("-c", code, PYTHONPATH=os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    assert done.stdout.split() == ["-arch=sm_90", "-lineinfo"] * 2 + ["0", "0", "17", "18", "6"], done.stderr


@pytest.mark.skipif("CUDA_CPU_PEER" not in os.environ, reason="set CUDA_CPU_PEER to a Python with NVIDIA's cuda-core")
def test_nvidia_packages_run_on_the_cpu_device():
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


@pytest.mark.skipif("CUDA_CPU_PEER" not in os.environ, reason="set CUDA_CPU_PEER to a Python with NVIDIA's cuda-core")
def test_nvidia_system_module_returns_the_same_values(monkeypatch):
    """All of `cuda.core.system` on two CPU devices, in NVIDIA's package and in this one."""
    monkeypatch.setenv("CUDA_CPU_DEVICES", "2")
    monkeypatch.setenv("CUDA_PYTHON_DRIVER", "cpu")
    script = str(pathlib.Path(__file__).parents[2] / "support" / "system_answers.py")
    theirs = start("--python", os.environ["CUDA_CPU_PEER"], script)
    ours = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert theirs.returncode == 0, theirs.stderr
    differing = (
        "get_kernel_mode_driver_version", "get_nvml_version",  # installed from a clone, or found on its path
        "device.compute_running_processes",  # other programs start and end meanwhile
    )  # fmt: skip
    found = [[line for line in run.stdout.splitlines() if not line.startswith(differing)] for run in (theirs, ours)]
    assert found[0] == found[1]
    assert len(found[0]) > 150
