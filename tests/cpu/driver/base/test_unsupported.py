# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Functions of CUDA's headers that are not supported: each has a reason, which its error states."""

import pathlib
import re
import subprocess
import sys

import pytest

from cuda.cpu import abi, driver, runtime_api
from cuda.cpu.driver.base import unsupported

ROOT = pathlib.Path(__file__).parents[4] / "cuda_cpu/cuda/cpu"  # the shells' sources, written by the build


def exported(folder):
    """Return the functions of CUDA that a shell exports."""
    return set(re.findall(r'struct shell_entry entry = {"(\w+)"', (ROOT / folder / "_shell.c").read_text()))


@pytest.mark.parametrize(
    ("folder", "implemented", "reason_of"),
    [
        ("entry", driver.implemented(), unsupported.reason_of),
        ("runtime_api", runtime_api.implemented(), runtime_api.reason_of),
    ],
)
def test_every_function_is_implemented_or_has_a_reason(folder, implemented, reason_of):
    names = exported(folder)
    assert len(names) > 300
    assert set(implemented) <= names
    assert [name for name in sorted(names - set(implemented)) if not reason_of(name)] == []


def test_every_reason_matches_a_missing_function():
    missing = (exported("entry") | exported("runtime_api")) - set(driver.implemented())
    for pattern, _ in unsupported.REASONS:
        assert any(re.fullmatch(pattern, name) for name in missing), pattern


def test_unsupported_calls_state_the_reason(refused):
    with refused("NOT_SUPPORTED", "has no cuCoredumpRegisterStartCallback: core dumps are written without calls"):
        driver.cuCoredumpRegisterStartCallback(1, 2, 3)
    with refused("NOT_SUPPORTED", "has no cudaGraphicsMapResources: shares objects of a graphics API"):
        runtime_api.cudaGraphicsMapResources(0, 0, 0)
    with pytest.raises(AttributeError, match="no attribute 'cuNothing'"):
        driver.cuNothing  # noqa: B018
    with pytest.raises(AttributeError, match="no attribute 'cudaNothing'"):
        runtime_api.cudaNothing  # noqa: B018


def test_a_statically_linked_nvidia_runtime_is_reported():
    """It is reported once, with the name of the calling library: here libffi, which ctypes uses."""
    code = """
import ctypes, cuda.cpu
from cuda.cpu.driver.base import unsupported
for compiler in ("/nvidia/cu13/lib/libnvrtc.so.13", "/nvidia/cu13/lib/libnvJitLink.so.13", "libnvvm.so.4"):
    unsupported.report_runtime(compiler)  # these do without
library = ctypes.CDLL(cuda.cpu.library_path())
table, number = ctypes.c_void_p(), (ctypes.c_char * 16)()
print([library.cuGetExportTable(ctypes.byref(table), number) for _ in range(2)], cuda.cpu.last_error_message())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith(
        f"[{abi.CUDA_ERROR_NOT_SUPPORTED}, {abi.CUDA_ERROR_NOT_SUPPORTED}] the CPU device has no"
    )
    assert re.fullmatch(
        r"cuda\.cpu: \S*(libffi|ctypes)\S* contains NVIDIA's CUDA runtime \(libcudart\), .*\n", done.stderr
    )
