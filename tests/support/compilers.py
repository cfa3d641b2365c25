# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""NVRTC, nvJitLink and nvFatbin of the installed packages, through ctypes: these tests need no bindings."""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import os
import pathlib

import pytest

PTX_KIND, CUBIN_KIND, LTOIR_KIND, LIBRARY_KIND = 2, 1, 3, 6  # nvJitLinkInputType
VARIABLE = "CUDA_PYTHON_COMPILER"


def _folder() -> pathlib.Path | None:
    spec = importlib.util.find_spec("nvidia")
    locations = spec.submodule_search_locations if spec else []
    return next((path for location in locations or () if (path := pathlib.Path(location) / "cu13").is_dir()), None)


@functools.cache
def library(name: str) -> ctypes.CDLL:
    """Return a library of the installed packages; the test is skipped if it is not there."""
    folder = _folder()
    found = sorted(folder.glob(f"lib/lib{name}.so.13")) if folder else []
    if not found:
        pytest.skip(f"lib{name} is not installed: pip install nvidia-{name.lower()}")
    return ctypes.CDLL(str(found[0]))


def include_option(part: str = "") -> str:
    """Return the option that finds the toolkit's headers, or with "cccl" those of CCCL; for clang, our own headers."""
    if is_clang():
        from cuda.core._program._clang import _cccl, _find

        own = os.path.join(_find.headers(), part)
        return f"--include-path={_cccl.installed() or own if part == 'cccl' else own}"
    return f"--include-path={_folder() / 'include' / part}"


def device_runtime_library() -> bytes:
    """Return libcudadevrt.a of the installed packages."""
    folder = _folder()
    if folder is None:
        pytest.skip("libcudadevrt is not installed: pip install nvidia-cuda-runtime")
    return (folder / "lib/libcudadevrt.a").read_bytes()


def _bytes_of(call: object, handle: object) -> bytes:
    size = ctypes.c_size_t()
    get_size, get = call
    assert get_size(handle, ctypes.byref(size)) == 0
    buffer = ctypes.create_string_buffer(size.value)
    assert get(handle, buffer) == 0
    return buffer.raw


def is_clang() -> bool:
    """Return whether tests compile CUDA C++ by clang, with its own headers: it is named, or NVRTC is not installed."""
    try:
        from cuda.core._program import _compiler
    except ModuleNotFoundError:  # cuda.cpu alone
        return os.environ.get(VARIABLE) == "clang"
    return _compiler.is_clang(None)


def cached_for_compiler(make):
    """Cache what a function without parameters makes, once for each compiler."""
    made = functools.cache(lambda _clang: make())
    return lambda: made(is_clang())


def compile_cuda(source: str, *options: str, result: str = "PTX") -> bytes:
    """Compile CUDA C++ and return PTX (without the NUL), CUBIN or LTOIR.

    PTX is made by clang, through `cuda.core`, if it is named by CUDA_PYTHON_COMPILER or NVRTC is not installed.
    """
    if result == "PTX" and is_clang():
        return _compile_by_clang(source, options)
    nvrtc = library("nvrtc")
    program = ctypes.c_void_p()
    assert nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"test.cu", 0, None, None) == 0
    try:
        array = (ctypes.c_char_p * len(options))(*map(str.encode, options))
        if nvrtc.nvrtcCompileProgram(program, len(options), array):
            log = _bytes_of((nvrtc.nvrtcGetProgramLogSize, nvrtc.nvrtcGetProgramLog), program)
            raise RuntimeError(log.decode())
        data = _bytes_of((getattr(nvrtc, f"nvrtcGet{result}Size"), getattr(nvrtc, f"nvrtcGet{result}")), program)
        return data.rstrip(b"\0") if result == "PTX" else data
    finally:
        nvrtc.nvrtcDestroyProgram(ctypes.byref(program))


# Option of NVRTC -> field of ProgramOptions, and its value where the option has none.
_FIELDS = {
    "gpu-architecture": "arch", "arch": "arch", "std": "std", "include-path": "include_path", "I": "include_path",
    "define-macro": "define_macro", "D": "define_macro", "relocatable-device-code": "relocatable_device_code",
    "rdc": "relocatable_device_code", "use_fast_math": "use_fast_math", "fmad": "fma", "ftz": "ftz",
    "prec-div": "prec_div", "prec-sqrt": "prec_sqrt", "generate-line-info": "lineinfo", "lineinfo": "lineinfo",
    "device-debug": "debug", "G": "debug", "maxrregcount": "max_register_count", "device-int128": "device_int128",
    "default-device": "device_as_default_execution_space",
    "device-as-default-execution-space": "device_as_default_execution_space",
}  # fmt: skip
_VALUES = {"true": True, "false": False, "": True}


def _compile_by_clang(source: str, options: tuple[str, ...]) -> bytes:
    from cuda.core import Program, ProgramOptions

    given: dict[str, object] = {"arch": "sm_75"}
    for option in options:
        name, _, value = option.lstrip("-").partition("=")
        if name not in _FIELDS and name[:1] in "ID":
            name, value = name[:1], name[1:] + (f"={value}" if value else "")
        field, value = _FIELDS[name], _VALUES.get(value, value)
        given[field] = [*given.get(field, []), value] if field in ("include_path", "define_macro") else value
    made = Program(source, "c++", ProgramOptions(name="test.cu", compiler="clang", **given)).compile("ptx")
    return bytes(made.code)


def _link_function(name: str) -> object:
    """Return nvJitLink's function; its symbols carry the version in which they appeared."""
    found = library("nvJitLink")
    symbols = [f"__nvJitLink{name}_13_{minor}" for minor in range(9, -1, -1)] + [f"nvJitLink{name}"]
    return next(getattr(found, symbol) for symbol in symbols if hasattr(found, symbol))


def link(inputs: list[tuple[int, bytes]], *options: str) -> bytes:
    """Link device code to a cubin."""
    handle = ctypes.c_void_p()
    array = (ctypes.c_char_p * len(options))(*map(str.encode, options))
    assert _link_function("Create")(ctypes.byref(handle), len(options), array) == 0
    try:
        for index, (kind, data) in enumerate(inputs):
            name = f"input{index}".encode()
            assert _link_function("AddData")(handle, kind, data, ctypes.c_size_t(len(data)), name) == 0
        assert _link_function("Complete")(handle) == 0
        return _bytes_of((_link_function("GetLinkedCubinSize"), _link_function("GetLinkedCubin")), handle)
    finally:
        _link_function("Destroy")(ctypes.byref(handle))


def fatbin(entries: list[tuple[str, str, bytes]], *options: str) -> bytes:
    """Put ("ptx" or "cubin", architecture such as "90", data) into a fatbin."""
    found = library("nvfatbin")
    handle = ctypes.c_void_p()
    array = (ctypes.c_char_p * len(options))(*map(str.encode, options))
    assert found.nvFatbinCreate(ctypes.byref(handle), array, ctypes.c_size_t(len(options))) == 0
    try:
        for kind, arch, data in entries:
            if kind == "ptx":
                data += b"\0"
                add = found.nvFatbinAddPTX(handle, data, ctypes.c_size_t(len(data)), arch.encode(), b"x", None)
            else:
                add = found.nvFatbinAddCubin(handle, data, ctypes.c_size_t(len(data)), arch.encode(), b"x")
            assert add == 0
        return _bytes_of((found.nvFatbinSize, found.nvFatbinGet), handle)
    finally:
        found.nvFatbinDestroy(ctypes.byref(handle))
