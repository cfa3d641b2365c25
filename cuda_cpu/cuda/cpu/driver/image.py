# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""From what a caller loads (PTX, cubin, fatbin, file) to code, with errors as the API tells them."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence

from cuda.cpu.abi import (
    CU_JIT_MAX_REGISTERS,
    CUDA_ERROR_FILE_NOT_FOUND,
    CUDA_ERROR_INVALID_IMAGE,
    CUDA_ERROR_INVALID_PTX,
    CUDA_ERROR_JIT_COMPILER_NOT_FOUND,
    CUDA_ERROR_NO_BINARY_FOR_GPU,
)
from cuda.cpu.code import Code
from cuda.cpu.driver import device
from cuda.cpu.driver.error import CudaError
from cuda.cpu.driver.jit_option import Options
from cuda.cpu.ptx.error import PtxError


@contextlib.contextmanager
def ptx_errors(status: int, options: Options | None = None) -> Iterator[None]:
    """Turn errors of the PTX front end and the compiler into a CudaError, written to the error log as well."""
    try:
        yield
    except PtxError as error:
        failure = CudaError(status, str(error))
    except ImportError as error:
        if (error.name or "").partition(".")[0] != "llvmlite":
            raise
        failure = CudaError(CUDA_ERROR_JIT_COMPILER_NOT_FOUND, str(error))
    else:
        return
    if options is not None:
        options.finish(error=failure.args[1])
    raise failure from None


def capability() -> int:
    """Return the compute capability of the devices, times ten; all have the same."""
    found = device.devices()
    major, minor = found[0].capability if found else (9, 0)
    return major * 10 + minor


def units_at(address: int, options: Options | None = None) -> list[str]:
    """Return the PTX of each unit of the image at a host address."""
    from cuda.cpu.ptx import image

    with ptx_errors(CUDA_ERROR_INVALID_IMAGE, options):
        data = image.image_at(address)
    return units_of(data, options)


def units_of(data: bytes, options: Options | None = None) -> list[str]:
    from cuda.cpu.ptx import elf, fatbin, image

    magic = int.from_bytes(data[:4], "little")
    binary = data[:4] == elf.MAGIC or magic in (fatbin.MAGIC, fatbin.WRAPPER_MAGIC)
    with ptx_errors(CUDA_ERROR_NO_BINARY_FOR_GPU if binary else CUDA_ERROR_INVALID_IMAGE, options):
        return image.ptx_of(data, capability=capability())


def load(units: list[str], options: Options, names: Sequence[str] = ()) -> Code:
    from cuda.cpu.ptx import program

    with ptx_errors(CUDA_ERROR_INVALID_PTX, options):
        most = options.value(CU_JIT_MAX_REGISTERS) & 0xFFFFFFFF  # of what is PTX; cubins were compiled with their own
        code = program.load(units, capability=capability(), names=names, most_registers=most)
    options.finish(info="")
    return code


def read(name: str, path: bytes | None) -> bytes:
    """Return what a file holds."""
    if not path:
        raise CudaError(CUDA_ERROR_FILE_NOT_FOUND, f"{name}: the file name is NULL or empty")
    try:
        with open(os.fsdecode(path), "rb") as file:
            return file.read()
    except OSError as error:
        raise CudaError(CUDA_ERROR_FILE_NOT_FOUND, f"{name}: {error}") from None
