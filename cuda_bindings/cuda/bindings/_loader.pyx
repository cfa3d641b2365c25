# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Lazy loading of the library behind each API, and lookup of its functions.

``CUDA_PYTHON_DRIVER`` chooses the driver: ``auto`` (NVIDIA's if its library loads, else the CPU device, with one
warning), ``nvidia``, ``cpu``, or the path of a library. A driver that loads and then fails is never replaced.
"""

from libc.stdlib cimport getenv
from libc.string cimport strcmp
from posix cimport dlfcn

import os
import sys
import warnings
from _thread import RLock  # threading would take a third of the import time

cdef extern from *:
    """
    #ifndef _GNU_SOURCE
    #define _GNU_SOURCE
    #endif
    #include <dlfcn.h>
    #include <link.h>
    /* The path of an open library, as the dynamic loader knows it (dladdr needs no symbol of ours). */
    static const char *open_cuda_library_path(void *handle) {
        struct link_map *map = NULL;
        return dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map && map->l_name ? map->l_name : "";
    }
    typedef int (*open_cuda_get_proc)(const char *, void **, int, unsigned long long, int *);
    typedef int (*open_cuda_get_version)(int *);
    #if PY_VERSION_HEX >= 0x030D0000
    #define open_cuda_is_finalizing Py_IsFinalizing
    #else
    #define open_cuda_is_finalizing _Py_IsFinalizing
    #endif
    """
    bint is_finalizing "open_cuda_is_finalizing" ()
    const char* open_cuda_library_path(void* handle) nogil
    ctypedef int (*open_cuda_get_proc)(const char*, void**, int, unsigned long long, int*) noexcept nogil
    ctypedef int (*open_cuda_get_version)(int*) noexcept nogil

CPU_LIBRARY = "cuda/cpu/entry/libcuda.so.1"
CUDA_EXTRA = "'open-cuda-python[cu13]'"
# API -> name of the library in cuda.pathfinder, and the pip package that contains it.
COMPONENTS = {
    "runtime": ("cudart", CUDA_EXTRA),
    "nvrtc": ("nvrtc", CUDA_EXTRA),
    "nvjitlink": ("nvJitLink", CUDA_EXTRA),
    "nvvm": ("nvvm", CUDA_EXTRA),
    "nvfatbin": ("nvfatbin", CUDA_EXTRA),
    "cufile": ("cufile", "nvidia-cufile"),
}
CPU_EXTRA = "pip install 'open-cuda-python[cpu]'"


class LibraryNotFound(RuntimeError):
    """A library that a function needs cannot be opened; the message says what to install or set."""


class FunctionNotFound(RuntimeError):
    """The open library lacks a function; the message says which version has it."""


cdef class Library:
    """One open shared library."""

    cdef void* handle
    cdef void* get_proc_address
    cdef readonly str path

    cdef void* symbol(self, str name):
        cdef bytes encoded = name.encode()
        return dlfcn.dlsym(self.handle, encoded)


class CannotOpen(OSError):
    """Report why the dynamic loader cannot open a library. Signal handlers of the program raise other OSErrors."""


cdef Library _open(str path):
    """Open `path`, or raise CannotOpen with the dynamic loader's message."""
    cdef bytes encoded = os.fsencode(path)
    cdef void* handle = dlfcn.dlopen(encoded, dlfcn.RTLD_NOW | dlfcn.RTLD_LOCAL)
    if handle == NULL:
        raise CannotOpen(dlfcn.dlerror().decode(errors="replace"))
    cdef Library library = Library()
    library.handle = handle
    library.path = os.fsdecode(open_cuda_library_path(handle)) or path
    library.get_proc_address = library.symbol("cuGetProcAddress_v2")
    return library


cdef dict _libraries = {}
_lock = RLock()
_warned = False


def cpu_library():
    """Return the path of the CPU device's library, or None if this installation has none."""
    from importlib.util import find_spec

    try:
        spec = find_spec("cuda.cpu")
    except ModuleNotFoundError:
        spec = None
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = os.path.join(folder, "entry", "libcuda.so.1")
        if os.path.exists(path):
            return path
    return None


cdef Library _open_cpu():
    path = cpu_library()
    if path is None:
        raise LibraryNotFound(
            "CUDA_PYTHON_DRIVER asks for the CPU device, but this installation has no cuda/cpu/entry/libcuda.so.1: "
            "reinstall open-cuda-python"
        )
    try:
        return _open(path)
    except CannotOpen as error:
        raise LibraryNotFound(f"the CPU device's library cannot be opened: {error}") from None


cdef Library _open_driver():
    """Open the driver that CUDA_PYTHON_DRIVER names."""
    choice = os.environ.get("CUDA_PYTHON_DRIVER") or "auto"
    if choice == "cpu":
        return _open_cpu()
    if choice not in ("auto", "nvidia"):
        if os.sep not in choice:
            raise ValueError(
                f"CUDA_PYTHON_DRIVER={choice!r} is not one of 'auto', 'nvidia', 'cpu' or the path of a library "
                "(with a '/')"
            )
        try:
            return _open(choice)
        except CannotOpen as error:
            raise LibraryNotFound(f"CUDA_PYTHON_DRIVER={choice!r} cannot be opened: {error}") from None
    try:
        library = _open("libcuda.so.1")
        # dlopen returns the library that this process has already loaded under the name.
        if choice == "nvidia" and library.path.endswith(CPU_LIBRARY):
            raise CannotOpen("libcuda.so.1 is the CPU device's library in this process, which has loaded that before")
        return library
    except CannotOpen as error:
        if choice == "auto" and cpu_library() is not None:
            return _open_cpu()
        raise LibraryNotFound(
            f"no NVIDIA driver: {error}. Install the NVIDIA driver, or set CUDA_PYTHON_DRIVER=cpu for the CPU device"
        ) from None


cdef Library _open_component(str api):
    """Open the library of an API, located by cuda.pathfinder."""
    from cuda import pathfinder

    name, package = COMPONENTS[api]
    try:
        found = pathfinder.load_nvidia_dynamic_lib(name)
        return _open(found.abs_path)
    except pathfinder.DynamicLibNotFoundError:  # its message lists all folders that were searched
        raise LibraryNotFound(f"lib{name} is not found: install it by pip install {package}") from None
    except OSError as error:
        from cuda.bindings._signals import of_program

        if of_program(error.__traceback__):
            raise
        raise LibraryNotFound(f"lib{name} cannot be opened ({error}): install it by pip install {package}") from None


cdef Library _open_runtime():
    """Open NVIDIA's runtime, or for the CPU device the one of this project, which calls the driver."""
    if not cpu_in_use():
        return _open_component("runtime")
    entry = os.path.dirname(_library("driver").path)
    path = os.path.join(os.path.dirname(entry), "runtime_api", "libcudart_cpu.so.13")
    try:
        return _open(path)
    except CannotOpen as error:
        raise LibraryNotFound(f"the CPU device's runtime library cannot be opened: {error}") from None


cdef Library _open_nvml():
    """Open NVML, part of NVIDIA's driver, or for the CPU device the one of this project."""
    if will_use_cpu():
        folder = os.path.dirname(os.path.dirname(_library("driver").path))
        path = os.path.join(folder, "nvml", "libnvidia-ml.so.1")
        if not os.path.exists(path):
            raise LibraryNotFound(
                f"the CPU device has no NVML in this installation: {path} is absent. On a GPU, NVML comes with "
                "NVIDIA's driver; set CUDA_PYTHON_DRIVER=nvidia to use that"
            )
        try:
            return _open(path)
        except CannotOpen as error:
            raise LibraryNotFound(f"the CPU device's NVML cannot be opened: {error}") from None
    try:
        return _open("libnvidia-ml.so.1")
    except CannotOpen as error:
        raise LibraryNotFound(
            f"NVML is not found: {error}. It comes with NVIDIA's driver: install that, or set CUDA_PYTHON_DRIVER=cpu "
            "for the CPU device"
        ) from None


cdef Library _open_cufile():
    """Open cuFile, or for the CPU device our own: NVIDIA's hangs without NVIDIA's driver (seen with 1.20)."""
    if not will_use_cpu():
        return _open_component("cufile")
    folder = os.path.dirname(os.path.dirname(_library("driver").path))
    path = os.path.join(folder, "cufile", "libcufile_cpu.so.0")
    try:
        return _open(path)
    except CannotOpen as error:
        raise LibraryNotFound(
            f"the CPU device's cuFile cannot be opened: {error}. Set CUDA_PYTHON_DRIVER=nvidia where there is a GPU"
        ) from None


cdef Library _open_cudla():
    """Open cuDLA, which is part of the system software."""
    try:
        return _open("libcudla.so.1")
    except CannotOpen as error:
        raise LibraryNotFound(
            f"libcudla.so.1 cannot be opened: {error}. It comes with the system of NVIDIA's Jetson and DRIVE boards "
            "(JetPack, DRIVE OS); no pip package has it"
        ) from None


OPENERS = {
    "driver": _open_driver,
    "runtime": _open_runtime,
    "nvml": _open_nvml,
    "cufile": _open_cufile,
    "cudla": _open_cudla,
}


cdef Library _library(str api):
    """Return the open library of an API."""
    cdef Library library = _libraries.get(api)
    if library is None:
        with _lock:
            library = _libraries.get(api)
            if library is None:
                opener = OPENERS.get(api)
                library = opener() if opener else _open_component(api)
                _libraries[api] = library
    return library


def _warn_of_cpu_device():
    """Warn, at the first call only, that kernels run on the CPU because there is no NVIDIA driver."""
    global _warned
    if _warned or (os.environ.get("CUDA_PYTHON_DRIVER") or "auto") != "auto" or not cpu_in_use():
        return
    _warned = True
    from importlib.util import find_spec

    advice = "" if find_spec("llvmlite") else f" To run kernels on it, install its compiler first: {CPU_EXTRA}."
    frame = _frame_of_program()
    warnings.warn_explicit(
        "No NVIDIA driver (libcuda.so.1) found: CUDA runs on the CPU device. Set CUDA_PYTHON_DRIVER=nvidia to demand "
        f"a GPU, or CUDA_PYTHON_DRIVER=cpu to choose the CPU device without this warning.{advice}",
        RuntimeWarning,
        frame.f_code.co_filename if frame else sys.argv[0] if getattr(sys, "argv", None) else "python",
        frame.f_lineno if frame else 0,
        str(frame.f_globals.get("__name__")) if frame else "__main__",
        frame.f_globals.setdefault("__warningregistry__", {}) if frame else None,  # several threads warn once
    )


def _frame_of_program():
    """Return the innermost frame of the program itself; None if there is none, as while a process is started."""
    frame = sys._getframe(0)  # Cython functions have no frame: this is the caller
    while frame is not None:
        module = str(frame.f_globals.get("__name__"))
        if module == "multiprocessing.spawn":
            return None
        if not module.startswith(("cuda.bindings", "cuda.core", "multiprocessing.", "importlib.")):
            return frame
        frame = frame.f_back
    return None


def driver_path():
    """Return the path of the driver library in use, opening it if need be."""
    return _library("driver").path


def will_use_cpu():
    """Return whether the CPU device is, or would be, in use; never raises, and does not open it."""
    choice = os.environ.get("CUDA_PYTHON_DRIVER") or "auto"
    if "driver" not in _libraries and choice in ("cpu", "nvidia"):
        return choice == "cpu"
    try:
        return cpu_in_use()
    except (LibraryNotFound, ValueError):
        return False


def is_cpu():
    """Return whether the driver in use is the CPU device, without a warning."""
    return cpu_in_use()


cdef bint cpu_in_use() except -1:
    return os.path.realpath(_library("driver").path).endswith(CPU_LIBRARY)


def use_library(str api, path):
    """Open `path` as the library of `api`, for functions not called before; for tests of the bindings."""
    _libraries[api] = _open(os.fspath(path))


def library_path(str api):
    """Return the path of the library opened for `api`, a module of cuda.bindings."""
    return _library(api).path


cdef _driver_version(Library library):
    """Return the CUDA version of an open driver, 0 if unknown."""
    cdef int version = 0
    cdef void* function = library.symbol("cuDriverGetVersion")
    if function != NULL and (<open_cuda_get_version>function)(&version) != 0:
        version = 0
    return version


cdef str _spell(int version):
    return f"{version // 1000}.{version % 1000 // 10}"


cdef _raise_absent(str api, Library library, str name, int version):
    """Raise the error for a function that `library` does not have."""
    if api != "driver":
        raise FunctionNotFound(f"{name} is not in {library.path}: install a newer version of that library")
    needed = f" appeared in CUDA {_spell(version)};" if version else " is not there;"
    installed = _driver_version(library)
    found = f"for CUDA {_spell(installed)}" if installed else "of unknown version"
    raise FunctionNotFound(f"{name}{needed} the driver in use, {library.path}, is {found}: update the driver")


cdef bint per_thread_streams() except -1:
    cdef const char* value = getenv("CUDA_PYTHON_CUDA_PER_THREAD_DEFAULT_STREAM")  # `os` may be None already
    return value != NULL and value[0] != 0 and strcmp(value, "0") != 0


cdef void* _driver_function(Library library, str name, str symbol, int version, str per_thread):
    """Look a function up by cuGetProcAddress, or by its symbol if the driver is older than that function."""
    cdef void* function = NULL
    cdef int status = 0
    cdef unsigned long long flags = 0
    if per_thread_streams():
        flags = 2  # CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM
        symbol = per_thread or symbol
    cdef bytes encoded = name.encode()
    if library.get_proc_address != NULL and version:
        look_up = <open_cuda_get_proc>library.get_proc_address
        if look_up(encoded, &function, version, flags, &status) == 0 and function:
            return function
        if status == 2:  # CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
            return NULL
    return library.symbol(symbol)


cdef void* resolve(str api, str name, str symbol, int version, str per_thread) except NULL with gil:
    """Return the address of `symbol`.

    `name` and `version` are arguments of cuGetProcAddress; other APIs do not use them.
    """
    cdef Library library = _library(api)
    cdef void* function
    if api in ("driver", "runtime") and not is_finalizing():  # the names of this module are None then
        _warn_of_cpu_device()
    if api == "driver":
        function = _driver_function(library, name, symbol, version, per_thread)
        if function != NULL and not is_finalizing() and os.environ.get("CUDA_PYTHON_TIMELINE"):
            from cuda.bindings import _timeline

            function = <void*><size_t>_timeline.replace(
                library.path, name, <size_t>function, per_thread_streams()
            )
    else:
        function = library.symbol(per_thread if per_thread and per_thread_streams() else symbol)
    if function == NULL:
        _raise_absent(api, library, symbol, version)
    return function
