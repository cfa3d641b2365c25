# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Choice of the libraries, and errors for missing libraries and functions; each case in a new process."""

import os
import pathlib
import re
import subprocess
import sys
import textwrap
import tomllib

import pytest
from support.echo import compile_c
from support.scripts import run_checked

from codegen import apis
from cuda.bindings import _line_info, _loader
from cuda.bindings.driver import CUDA_VERSION

# A driver for CUDA 11.4: it knows cuInit and cuStreamQuery, and tells by cuInit's status what it was asked for.
DRIVER = """
#include <string.h>
static unsigned long long seen;
EXPORT int cuInit(unsigned flags) { return flags == 7 ? (int)seen : 100; }
EXPORT int cuDriverGetVersion(int *version) { *version = 11040; return 0; }
#ifndef WITHOUT_LOOK_UP
EXPORT int cuGetProcAddress_v2(const char *name, void **f, int version, unsigned long long flags, int *status) {
    seen = flags;
    *f = strcmp(name, "cuInit") == 0 ? (void *)cuInit : 0;
    *status = *f ? 0 : version > 11040 ? 2 : 1;
    return *f ? 0 : 500;
}
#endif
"""
EXPORT = '#define EXPORT __attribute__((visibility("default")))\n'


@pytest.fixture(scope="module")
def drivers(tmp_path_factory):
    """Folders: `old` has a driver as libcuda.so.1, `broken` a file that is none, `cpu` a package cuda.cpu."""
    folder = tmp_path_factory.mktemp("drivers")
    for name in ("old", "oldest", "broken", "cpu/cuda/cpu/entry"):
        (folder / name).mkdir(parents=True)
    built = compile_c(EXPORT + DRIVER, folder / "driver.so")
    oldest = compile_c(EXPORT + DRIVER, folder / "oldest.so", "-DWITHOUT_LOOK_UP")
    (folder / "old/libcuda.so.1").symlink_to(built)
    (folder / "oldest/libcuda.so.1").symlink_to(oldest)
    (folder / "broken/libcuda.so.1").touch()
    (folder / "cpu/cuda/cpu/__init__.py").touch()
    (folder / "cpu/cuda/cpu/entry/libcuda.so.1").write_bytes(built.read_bytes())
    return folder


def run(code, *, driver=None, found=None, package=None, **environment):
    """Run Python code after `from cuda.bindings import ...`; return its output and what it wrote to stderr."""
    env = {name: value for name, value in os.environ.items() if name != "CUDA_PYTHON_DRIVER"} | environment
    if driver:
        env["CUDA_PYTHON_DRIVER"] = str(driver)
    if found:
        env["LD_LIBRARY_PATH"] = str(found)
    env["PYTHONPATH"] = os.pathsep.join(str(path) for path in (package, *sys.path) if path)
    code = "import sys\nfrom cuda.bindings import driver, _loader\n" + textwrap.dedent(code)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, timeout=60)
    return done.stdout.strip(), done.stderr.strip()


def message(error):
    """Return the last line of a traceback."""
    return error.splitlines()[-1]


def test_import_opens_nothing():
    code = "print([m for m in ('enum', 'ctypes', 'numpy', 'cuda.pathfinder', 'cuda.cpu') if m in sys.modules])"
    out, _ = run(f"{code}\nprint('libcuda' in open('/proc/self/maps').read())")
    assert out.splitlines()[-1] == "False"
    assert "numpy" not in out
    assert "pathfinder" not in out
    assert "cuda.cpu" not in out


def test_path(drivers):
    path = drivers / "driver.so"
    out, _ = run("print(driver.cuInit(0)[0].name, _loader.driver_path(), _loader.is_cpu())", driver=path)
    assert out == f"CUDA_ERROR_NO_DEVICE {path} False"


def test_path_that_cannot_be_opened(drivers):
    _, error = run("driver.cuInit(0)", driver=drivers / "none.so")
    assert "LibraryNotFound: CUDA_PYTHON_DRIVER=" in message(error)
    assert "none.so' cannot be opened" in message(error)


def test_unknown_driver_setting():
    _, error = run("driver.cuInit(0)", driver="gpu")
    assert "ValueError: CUDA_PYTHON_DRIVER='gpu' is not one of 'auto', 'nvidia', 'cpu' or the path" in message(error)


def test_nvidia_without_a_driver(drivers):
    _, error = run("driver.cuInit(0)", driver="nvidia", found=drivers / "broken", package=drivers / "cpu")
    assert "LibraryNotFound: no NVIDIA driver: " in message(error)
    assert "Install the NVIDIA driver, or set CUDA_PYTHON_DRIVER=cpu" in message(error)


def test_auto_uses_a_driver_that_loads_even_if_its_calls_fail(drivers):
    code = "print(driver.cuInit(0)[0].name, _loader.is_cpu())"
    out, error = run(code, found=drivers / "old", package=drivers / "cpu")
    assert (out, error) == ("CUDA_ERROR_NO_DEVICE False", "")


def test_auto_falls_back_to_the_cpu_device_with_one_warning(drivers):
    code = "driver.cuInit(0); driver.cuDriverGetVersion(); print(_loader.is_cpu(), _loader.driver_path())"
    out, error = run(code, found=drivers / "broken", package=drivers / "cpu")
    assert out == f"True {drivers}/cpu/cuda/cpu/entry/libcuda.so.1"
    assert error.count("RuntimeWarning") == 1
    assert error.startswith("<string>:3: ")
    assert "CUDA runs on the CPU device. Set CUDA_PYTHON_DRIVER=nvidia to demand a GPU" in error


@pytest.mark.parametrize(
    ("module", "expected"),
    [
        ("cuda.core._x", "<string>:5: "),
        ("multiprocessing.queues", "<string>:5: "),
        ("multiprocessing.spawn", "job.py:0: "),
    ],
)
def test_the_warning_names_the_line_of_the_program(drivers, module, expected):
    """Not one of cuda.core, or of multiprocessing, which may unpickle buffers before the program itself runs."""
    code = f"""\
        import types; sys.argv = ["job.py"]; other = types.ModuleType({module!r})
        exec("def call(function): function(0)", other.__dict__)
        other.call(driver.cuInit)
    """
    _, error = run(code, found=drivers / "broken", package=drivers / "cpu")
    assert error.startswith(f"{expected}RuntimeWarning: No NVIDIA driver"), error


@pytest.mark.parametrize("there", [True, False])
def test_the_warning_says_what_to_install(drivers, there):
    code = f"sys.modules['llvmlite'] = {'sys' if there else None}; sys.__spec__ = 1; driver.cuInit(0)"
    _, error = run(code, found=drivers / "broken", package=drivers / "cpu")
    assert ("pip install 'open-cuda-python[cpu]'" in error) is not there


def test_cpu_setting_gives_no_warning(drivers):
    code = "print(_loader.will_use_cpu(), driver.cuInit(0)[0].name, _loader.is_cpu())"
    out, error = run(code, driver="cpu", found=drivers / "old", package=drivers / "cpu")
    assert (out, error) == ("True CUDA_ERROR_NO_DEVICE True", "")


def test_neither_driver_nor_cpu_device(drivers):
    code = "sys.modules['cuda.cpu'] = None; print(_loader.will_use_cpu()); driver.cuInit(0)"
    out, error = run(code, found=drivers / "broken")
    assert out == "False"
    assert "LibraryNotFound: no NVIDIA driver" in message(error)
    _, error = run(code, driver="cpu")
    assert "has no cuda/cpu/entry/libcuda.so.1: reinstall open-cuda-python" in message(error)


def test_function_of_a_newer_driver(drivers):
    _, error = run("driver.cuCtxGetId(0)", driver=drivers / "driver.so")
    assert message(error).endswith(
        "FunctionNotFound: cuCtxGetId appeared in CUDA 12.0; the driver in use, "
        f"{drivers}/driver.so, is for CUDA 11.4: update the driver"
    )


def test_opening_is_retried_after_a_failure(drivers):
    code = """
        for _ in range(2):
            try: driver.cuCtxGetId(0)
            except RuntimeError as error: print(type(error).__name__)
        print(driver.cuInit(0)[0].value)
    """
    out, _ = run(code, driver=drivers / "driver.so")
    assert out.split() == ["FunctionNotFound", "FunctionNotFound", "100"]


def test_driver_without_cugetprocaddress(drivers):
    code = "print(driver.cuInit(0)[0].value); driver.cuMemAlloc(1)"
    out, error = run(code, driver=drivers / "oldest.so")
    assert out == "100"
    assert "FunctionNotFound: cuMemAlloc_v2 appeared in CUDA 3.2" in message(error)


@pytest.mark.parametrize(("value", "flags"), [("1", 2), ("0", 0)])
def test_per_thread_default_stream(drivers, value, flags):
    environment = {"CUDA_PYTHON_CUDA_PER_THREAD_DEFAULT_STREAM": value}
    out, _ = run("print(int(driver.cuInit(7)[0]))", driver=drivers / "driver.so", **environment)
    assert out == str(flags)


def test_first_calls_from_many_threads(drivers):
    code = """
        import threading
        start, seen = threading.Barrier(8), []
        def call():
            start.wait()
            seen.append(driver.cuInit(0)[0].value)
        threads = [threading.Thread(target=call) for _ in range(8)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        print(seen == [100] * 8)
    """
    out, error = run(code, found=drivers / "broken", package=drivers / "cpu")
    assert out == "True"
    assert error.count("RuntimeWarning") == 1


@pytest.mark.parametrize(
    ("api", "call", "words"),
    [
        ("nvrtc", "nvrtcVersion", "libnvrtc is not found: install it by pip install 'open-cuda-python[cu13]'"),
        ("nvjitlink", "version", "libnvJitLink is not found: install it by pip install 'open-cuda-python[cu13]'"),
        ("nvvm", "version", "libnvvm is not found: install it by pip install 'open-cuda-python[cu13]'"),
        ("nvfatbin", "version", "libnvfatbin is not found: install it by pip install 'open-cuda-python[cu13]'"),
    ],
)
def test_compiler_that_is_not_installed(api, call, words):
    """The message is one sentence, without the folders that were searched."""
    code = f"""
        from cuda import pathfinder
        def absent(name): raise pathfinder.DynamicLibNotFoundError("not there\\nsearched everywhere")
        pathfinder.load_nvidia_dynamic_lib = absent
        from cuda.bindings import {api}
        {api}.{call}()
    """
    _, error = run(code)
    assert message(error) == f"cuda.bindings._loader.LibraryNotFound: {words}"


def test_every_component_is_in_the_extra_that_the_message_names():
    text = (pathlib.Path(__file__).parents[2] / "pyproject.toml").read_text()
    extra = [need.partition("=")[0] for need in tomllib.loads(text)["project"]["optional-dependencies"]["cu13"]]
    for name, package in _loader.COMPONENTS.values():
        in_extra = any(need.endswith(name.lower().replace("cudart", "cuda-runtime")) for need in extra)
        assert in_extra == (package == "'open-cuda-python[cu13]'"), name


def test_runtime_library_matches_the_driver(drivers):
    code = (
        "from cuda.bindings import runtime; print(runtime.cudaRuntimeGetVersion()[1], _loader.library_path('runtime'))"
    )
    out, error = run(code, found=drivers / "broken")
    assert out.endswith("cuda/cpu/runtime_api/libcudart_cpu.so.13")
    assert error.count("RuntimeWarning") == 1
    # Libraries that are loaded later and need NVIDIA's do not get ours.
    _, error = run(code + "; import ctypes, os; ctypes.CDLL('libcudart.so.13', mode=os.RTLD_NOLOAD)", driver="cpu")
    assert message(error).startswith("OSError")
    _, error = run(code, driver="cpu", package=drivers / "cpu")
    assert "LibraryNotFound: the CPU device's runtime library cannot be opened" in message(error)
    _, error = run(code, driver="nvidia", found=drivers / "broken")
    assert "LibraryNotFound: no NVIDIA driver" in message(error)


NVML = """
EXPORT int nvmlInit_v2(void) { return 0; }
EXPORT int nvmlSystemGetNVMLVersion(char *version, unsigned size) { version[0] = '7'; version[1] = 0; return 0; }
"""


def ask_nvml(**options):
    return run("""
        from cuda.bindings import nvml
        try:
            print(nvml.system_get_nvml_version())
        except _loader.LibraryNotFound as error:
            print(error)
        """, **options)  # fmt: skip


def test_nvml_library_matches_the_driver(drivers, tmp_path):
    out, _ = ask_nvml(driver="cpu", package=drivers / "cpu")
    assert "the CPU device has no NVML in this installation" in out
    (tmp_path / "cuda/cpu/nvml").mkdir(parents=True)
    (tmp_path / "cuda/cpu/entry").mkdir()
    (tmp_path / "cuda/cpu/__init__.py").touch()
    (tmp_path / "cuda/cpu/entry/libcuda.so.1").write_bytes((drivers / "driver.so").read_bytes())
    built = compile_c(EXPORT + NVML, tmp_path / "nvml.so")
    (tmp_path / "cuda/cpu/nvml/libnvidia-ml.so.1").write_bytes(built.read_bytes())
    assert ask_nvml(driver="cpu", package=tmp_path)[0].strip() == "7"
    (tmp_path / "found").mkdir()
    (tmp_path / "found/libnvidia-ml.so.1").symlink_to(built)
    assert ask_nvml(driver="nvidia", found=tmp_path / "found")[0].strip() == "7"
    (tmp_path / "found/libnvidia-ml.so.1").unlink()
    (tmp_path / "found/libnvidia-ml.so.1").touch()
    out, _ = ask_nvml(driver="nvidia", found=tmp_path / "found")
    assert "NVML is not found" in out or out.strip()[0].isdigit()  # a machine with NVIDIA's driver has one


def test_cufile_library_matches_the_driver(drivers):
    out, _ = run("""
        from cuda.bindings import cufile
        try:
            cufile.driver_open()
        except _loader.LibraryNotFound as error:
            print(error)
        """, driver="cpu", package=drivers / "cpu")  # fmt: skip
    assert "the CPU device's cuFile cannot be opened" in out  # this driver stands alone


def test_library_without_a_function(drivers):
    code = f"""
        from cuda.bindings import nvrtc
        _loader.use_library("nvrtc", {str(drivers / "driver.so")!r})
        nvrtc.nvrtcVersion()
    """
    _, error = run(code)
    assert "FunctionNotFound: nvrtcVersion is not in" in message(error)
    assert "install a newer version of that library" in message(error)


LINE_INFO = """
    from cuda.bindings import nvrtc
    _, program = nvrtc.nvrtcCreateProgram("__global__ void k() {}", "k.cu", 0, [], [])
    print(*map(int, nvrtc.nvrtcCompileProgram(program, 1, ["-arch=sm_90"])))
    _, size = nvrtc.nvrtcGetCUBINSize(program)
    cubin = bytearray(size)
    nvrtc.nvrtcGetCUBIN(program, cubin)
    print(cubin.count(b".nv_debug_ptx_txt") > 0)
"""


@pytest.mark.needs_nvrtc
@pytest.mark.parametrize(("driver", "there"), [("cpu", True), ("nvidia", False)])
def test_cubins_for_the_cpu_device_have_their_ptx(driver, there):
    out, _ = run(LINE_INFO, driver=driver)
    assert out.split() == ["0", str(there)]


@pytest.mark.parametrize(
    ("options", "count", "expected"),
    [
        ([], 0, ([b"-lineinfo"], 1)),
        (None, 0, ([b"-lineinfo"], 1)),
        (("-O3",), 1, (["-O3", b"-lineinfo"], 2)),
        (["-O3", "-G"], 1, (["-O3", b"-lineinfo"], 2)),
        (["-lineinfo"], 1, (["-lineinfo"], 1)),
        ([b"--generate-line-info"], 1, ([b"--generate-line-info"], 1)),
        (["-G"], 1, (["-G"], 1)),
        (12345, 2, (12345, 2)),
        ([], 3, ([], 3)),
    ],
)
def test_line_info_is_added_once(monkeypatch, options, count, expected):
    monkeypatch.setattr(_line_info._loader, "will_use_cpu", lambda: True)
    assert _line_info.with_line_info(options, count) == expected
    monkeypatch.setattr(_line_info._loader, "will_use_cpu", lambda: False)
    assert _line_info.with_line_info(options, count) == (options, count)


CIMPORT = """
# cython: language_level=3
cimport cuda.bindings.cydriver as cydriver
cimport cuda.bindings.cyruntime as cyruntime
from cuda.bindings.cydriver cimport CUDA_SUCCESS, CU_STREAM_PER_THREAD, CUlaunchConfig, CUmemLocation, CUresult


def call():
    cdef CUresult status
    with nogil:
        status = cydriver.cuInit(0)
    return status


def layout():
    cdef CUlaunchConfig config
    cdef CUmemLocation location
    cdef cydriver.CUlaunchAttribute attribute
    attribute.value.clusterDim.x = 3
    config.attrs = &attribute
    location.localized.deviceId = 4
    cdef size_t size = sizeof(cydriver.CUgraphNodeParams)
    cdef unsigned char[cydriver.CU_IPC_HANDLE_SIZE] handle
    cdef cydriver.CUuuid of_driver  # one struct, which both declare
    cdef cyruntime.CUuuid of_runtime
    of_driver.bytes[0] = of_runtime.bytes[0] = 5
    cdef size_t properties = sizeof(cyruntime.cudaDeviceProp)
    return config.attrs[0].value.cooperative, location.id & 0xff, CU_STREAM_PER_THREAD, size, properties
"""


# Besides, with NVIDIA's own header, which declares the same.
WITH_HEADER = (
    CIMPORT
    + """

cdef extern from "cuda.h":
    int CUDA_VERSION
"""
)


def test_nvidia_setting_refuses_a_loaded_cpu_library():
    code = """
        import ctypes
        from cuda.bindings import _loader, driver
        ctypes.CDLL(_loader.cpu_library())
        try:
            driver.cuInit(0)
        except RuntimeError as error:
            print(error)
    """
    assert "which has loaded that before" in run_checked(code, CUDA_PYTHON_DRIVER="nvidia")


def version_of(headers):
    text = next(path for folder in headers if (path := pathlib.Path(folder) / "cuda.h").exists()).read_text()
    return int(re.search(r"#define CUDA_VERSION (\d+)", text)[1])


@pytest.mark.parametrize("headers", [[], apis.include_path()], ids=["alone", "with cuda.h"])
def test_other_cython_code_can_cimport_the_c_level(drivers, tmp_path, headers):
    if headers and (found := version_of(headers)) < CUDA_VERSION:
        pytest.skip(f"the installed cuda.h is of {found}, the bindings of {CUDA_VERSION}")
    (tmp_path / "user.pyx").write_text(WITH_HEADER if headers else CIMPORT)
    bindings = pathlib.Path(_loader.__file__).parents[2]
    build = f"""
        from Cython.Build import cythonize
        from setuptools import Extension, setup
        sys.argv = ["setup.py", "-q", "build_ext", "--inplace"]
        headers = {[str(folder) for folder in headers]}
        macros = [("CUDA_BINDINGS_USE_HEADERS", None)] if headers else []
        user = Extension("user", ["user.pyx"], include_dirs=headers, define_macros=macros)
        setup(ext_modules=cythonize([user], include_path=[{str(bindings)!r}], quiet=True))
        import user
        print(user.layout(), user.call())
        _loader.use_library("driver", "missing.so")
    """
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join([str(tmp_path), *sys.path]))
    environment["CUDA_PYTHON_DRIVER"] = str(drivers / "driver.so")
    code = "import sys\nfrom cuda.bindings import _loader\n" + textwrap.dedent(build)
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == "(3, 4, 2, 256, 1008) 100", done.stderr
    assert "CannotOpen: missing.so" in done.stderr
