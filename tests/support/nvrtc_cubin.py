# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Compile CUDA C++ to a cubin, using only ctypes and NVRTC."""

from __future__ import annotations

import ctypes

from cuda.pathfinder import load_nvidia_dynamic_lib


def compile_cubin(source: bytes, *options: bytes, arch: bytes = b"-arch=sm_90") -> bytes:
    """Return the cubin of a program, compiled with just these options."""
    library = ctypes.CDLL(load_nvidia_dynamic_lib("nvrtc").abs_path)
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    assert library.nvrtcCreateProgram(ctypes.byref(program), source, b"test.cu", 0, None, None) == 0
    given = (ctypes.c_char_p * (1 + len(options)))(arch, *options)
    status = library.nvrtcCompileProgram(program, len(given), given)
    library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    library.nvrtcGetProgramLog(program, log)
    assert status == 0, log.value.decode()
    assert library.nvrtcGetCUBINSize(program, ctypes.byref(size)) == 0
    cubin = ctypes.create_string_buffer(size.value)
    assert library.nvrtcGetCUBIN(program, cubin) == 0
    library.nvrtcDestroyProgram(ctypes.byref(program))
    return cubin.raw
