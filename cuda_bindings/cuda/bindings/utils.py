# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Utilities: native handles, PTX versions, libNVVM options, and environment variables."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Sequence
from typing import Any

# CUDA release of each PTX version before 7.0; from then on the major version is 4 less than CUDA's.
# Source: PTX ISA manual, "PTX Release History".
FIRST_RELEASES = {
    **{(1, 0): (1, 0), (1, 1): (1, 1), (1, 2): (2, 0), (1, 3): (2, 1), (1, 4): (2, 2)},
    **{(2, 0): (3, 0), (2, 1): (3, 1), (2, 2): (3, 2), (2, 3): (4, 0)},
    **{(3, 0): (4, 1), (3, 1): (5, 0), (3, 2): (5, 5)},
    **{(4, 0): (6, 0), (4, 1): (6, 5), (4, 2): (7, 0), (4, 3): (7, 5), (5, 0): (8, 0)},
    **{(6, 0): (9, 0), (6, 1): (9, 1), (6, 2): (9, 2), (6, 3): (10, 0), (6, 4): (10, 1), (6, 5): (10, 2)},
}
LAST_MINORS = {7: 8, 8: 8, 9: 5}
# NVVM IR that is valid for every target: without pointer types, which differ between the two dialects.
EMPTY_KERNEL = b"""\
target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-f32:32:32-f64:64:64-\
v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
define void @empty() {
  ret void
}
!nvvmir.version = !{!0}
!0 = !{i32 %d, i32 %d}
"""


def get_cuda_native_handle(obj: Any) -> int:
    """Return the C handle of an object of cuda.bindings as int.

    Parameters
    ----------
    obj : handle object
        A CUstream, CUevent, CUdeviceptr or the like of any module of cuda.bindings.

    Raises
    ------
    TypeError
        If `obj` is not a handle object.
    """
    from cuda.bindings._handle import Handle

    if not isinstance(obj, Handle):
        raise TypeError(
            f"obj must be a handle of cuda.bindings such as CUstream, not {type(obj).__name__} ({obj!r:.80})"
        )
    return int(obj)


def get_ptx_ver(ptx: str) -> str:
    """Return the PTX version that PTX code declares, such as "9.0".

    Raises
    ------
    ValueError
        If the code has no .version directive.
    """
    match = re.search(r"^\s*\.version\s+(\d+\.\d+)", ptx, re.MULTILINE)
    if match is None:
        raise ValueError(f"ptx has no .version directive; it begins with {ptx[:60]!r}")
    return match[1]


def get_minimal_required_cuda_ver_from_ptx_ver(ptx_version: str) -> int:
    """Return the CUDA version that a driver needs to load PTX of a version, as 1000 * major + 10 * minor.

    Parameters
    ----------
    ptx_version : str
        Such as "8.8", which needs 12090.

    Raises
    ------
    ValueError
        If the version of PTX does not exist, or is unknown to this release.
    """
    match = re.fullmatch(r"(\d+)\.(\d+)", ptx_version)
    version = (int(match[1]), int(match[2])) if match else (0, 0)
    major, minor = version
    if minor <= LAST_MINORS.get(major, -1):
        # CUDA 12.6 brought no new PTX version.
        release = major + 4, minor + 1 if major == 8 and minor >= 6 else minor
    elif version in FIRST_RELEASES:
        release = FIRST_RELEASES[version]
    else:
        raise ValueError(f"ptx_version {ptx_version!r} is unknown; versions from 1.0 to 9.{LAST_MINORS[9]} are known")
    return 1000 * release[0] + 10 * release[1]


def check_nvvm_compiler_options(options: Sequence[str]) -> bool:
    """Return whether the installed libNVVM accepts all of the options; False if none is installed.

    Parameters
    ----------
    options : sequence of str
        Options of nvvmCompileProgram, such as "-arch=compute_90".
    """
    from cuda.bindings import nvvm
    from cuda.bindings._loader import LibraryNotFound

    if isinstance(options, (str, bytes)):
        raise TypeError(f"options must be a sequence of str, not {type(options).__name__} ({options!r:.80})")
    try:
        program = nvvm.create_program()
    except LibraryNotFound:
        return False
    try:
        code = EMPTY_KERNEL % nvvm.ir_version()[:2]
        nvvm.add_module_to_program(program, code, len(code), "empty")
        nvvm.compile_program(program, len(options), list(options))
    except nvvm.nvvmError:
        return False
    finally:
        nvvm.destroy_program(program)
    return True


def envvar_bool(name: str, default: bool = False) -> bool:
    """Return an environment variable as bool: 0, false, no, off and the empty string are False.

    Raises
    ------
    ValueError
        If its value is not a recognised word.
    """
    text = os.environ.get(name)
    if text is None:
        return default
    word = text.strip().lower()
    if word in ("1", "true", "yes", "on"):
        return True
    if word in ("", "0", "false", "no", "off"):
        return False
    raise ValueError(f"the environment variable {name} is {text!r}; set it to 1 or 0")


_compared = False


def warn_if_cuda_major_version_mismatch() -> None:
    """Warn, once, if the driver supports only an older major version of CUDA than these bindings.

    CUDA_PYTHON_DISABLE_MAJOR_VERSION_WARNING=1 turns the warning off.
    """
    global _compared
    if _compared or envvar_bool("CUDA_PYTHON_DISABLE_MAJOR_VERSION_WARNING"):
        return
    from cuda.bindings import driver

    status, version = driver.cuDriverGetVersion()
    if status != driver.CUresult.CUDA_SUCCESS:
        raise RuntimeError(f"cuDriverGetVersion failed: {status.name}")
    _compared = True
    ours, theirs = driver.CUDA_VERSION // 1000, version // 1000
    if theirs < ours:
        warnings.warn(
            f"cuda.bindings is for CUDA {ours}, but the driver supports CUDA {theirs}: functions that it lacks raise "
            "an error. Update the driver, or set CUDA_PYTHON_DISABLE_MAJOR_VERSION_WARNING=1 to silence this.",
            stacklevel=2,
        )
