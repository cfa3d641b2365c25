# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Loading of images (PTX, cubin, fatbin, file), and the CUresults of their errors."""

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
    CUDA_ERROR_OUT_OF_MEMORY,
    CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
    CUDA_VERSION,
)
from cuda.cpu.compile.code import Code
from cuda.cpu.driver.base.error import CudaError, is_of_program
from cuda.cpu.driver.base.jit_option import Options
from cuda.cpu.driver.device import device as devices
from cuda.cpu.ptx.error import NoAssemblerError, NoPtxError, PtxError, VersionError
from cuda.cpu.signals import own

# Kinds of errors that have statuses of their own; others get that of what was being done.
STATUSES: tuple[tuple[type[Exception], int], ...] = (
    (VersionError, CUDA_ERROR_UNSUPPORTED_PTX_VERSION),
    (NoPtxError, CUDA_ERROR_NO_BINARY_FOR_GPU),
    (NoAssemblerError, CUDA_ERROR_JIT_COMPILER_NOT_FOUND),
    (MemoryError, CUDA_ERROR_OUT_OF_MEMORY),
)
NEWEST_PTX = (CUDA_VERSION // 1000 - 4, CUDA_VERSION % 1000 // 10)  # 9.5 for CUDA 13.5 (PTX ISA manual, chapter 13)


@contextlib.contextmanager
def ptx_errors(status: int, options: Options | None = None) -> Iterator[None]:
    """Turn errors of the PTX front end and the compiler into a CudaError, written to the error log as well.

    What they do not expect is an image that they cannot read, too, and not an unknown error.
    """
    try:
        yield
    except CudaError:
        raise
    except PtxError as error:
        failure = CudaError(_status_of(error, status), str(error))
    except ImportError as error:
        if (error.name or "").partition(".")[0] != "llvmlite":
            raise
        failure = CudaError(CUDA_ERROR_JIT_COMPILER_NOT_FOUND, str(error))
    except MemoryError as error:
        failure = CudaError(_status_of(error, status), "there is not enough memory to read the image or to compile it")
    except Exception as error:
        if is_of_program(error, error.__traceback__):
            raise
        failure = CudaError(status, f"the image cannot be read or compiled: {type(error).__name__}: {error}")
    else:
        return
    if options is not None:
        options.finish(error=failure.args[1])
    raise failure from None


def _status_of(error: Exception, otherwise: int) -> int:
    return next((status for kind, status in STATUSES if isinstance(error, kind)), otherwise)


def capability() -> int:
    """Return the compute capability of the devices, times ten; all have the same."""
    found = devices.all_devices()
    major, minor = found[0].capability if found else (9, 0)
    return major * 10 + minor


def units_at(address: int, options: Options | None = None) -> list[str]:
    """Return the PTX of each unit of the image at a host address."""
    from cuda.cpu.ptx.image import image

    with ptx_errors(CUDA_ERROR_INVALID_IMAGE, options):
        data = image.image_at(address)
    return units_of(data, options)


def units_of(data: bytes, options: Options | None = None) -> list[str]:
    from cuda.cpu.ptx.image import image, tile_ir

    with ptx_errors(CUDA_ERROR_INVALID_IMAGE, options):
        if data.startswith(tile_ir.MAGIC):
            from cuda.cpu.compile import tile_assembler

            return image.ptx_of(tile_assembler.assemble(data, capability()))
        return image.ptx_of(data, capability=capability())


def code_at(address: int, options: Options) -> Code:
    """Load the image at a host address."""
    from cuda.cpu.ptx.image import tile_ir

    with ptx_errors(CUDA_ERROR_INVALID_IMAGE, options):
        data = tile_ir.image_at(address)  # reading PTX needs more modules
        if data is None:
            from cuda.cpu.ptx.image import image

            data = image.image_at(address)
    return code_of(data, options)


def code_of(data: bytes, options: Options) -> Code:
    """Load an image. Tile IR goes to our own compiler, or by way of NVIDIA's assembler to PTX."""
    from cuda.cpu.ptx.image import tile_ir

    if data.startswith(tile_ir.MAGIC):
        from cuda.cpu.compile import tile_program

        with ptx_errors(CUDA_ERROR_INVALID_IMAGE, options):
            code = tile_program.load(data, capability())
        if code is not None:
            options.finish(info="")
            return code
    return load(units_of(data, options), options)


def load(units: list[str], options: Options, names: Sequence[str] = ()) -> Code:
    from cuda.cpu.compile import program
    from cuda.cpu.ptx import targets
    from cuda.cpu.ptx.image import image

    with ptx_errors(CUDA_ERROR_INVALID_PTX, options):
        for unit in units:
            if not isinstance(unit, image.CubinText):
                targets.check(unit, capability(), NEWEST_PTX)
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
    except own(OSError) as error:
        raise CudaError(CUDA_ERROR_FILE_NOT_FOUND, f"{name}: {error}") from None
