# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Linking (cuLinkCreate): collects PTX into one image; the code is linked when the image is loaded.

The image is an ELF file with a section `.nv_debug_ptx_txt.N` for each unit, the form in which NVIDIA's compilers leave
PTX in a cubin, so that there is one way to read either.
"""

from __future__ import annotations

import contextlib
import ctypes
import struct
from typing import Any

from cuda.cpu.abi import (
    CU_JIT_INPUT_CUBIN,
    CU_JIT_INPUT_FATBINARY,
    CU_JIT_INPUT_LIBRARY,
    CU_JIT_INPUT_OBJECT,
    CU_JIT_INPUT_PTX,
    CU_JIT_MAX_REGISTERS,
    CUDA_ERROR_INVALID_IMAGE,
    CUDA_ERROR_INVALID_PTX,
    CUDA_ERROR_NOT_SUPPORTED,
)
from cuda.cpu.driver.base.error import CudaError, invalid
from cuda.cpu.driver.base.handle import Table
from cuda.cpu.driver.base.jit_option import Options
from cuda.cpu.driver.code import image as images
from cuda.cpu.driver.device import device as devices
from cuda.cpu.ptx.image import host_memory

links = Table("link state")

ACCEPTED = (CU_JIT_INPUT_CUBIN, CU_JIT_INPUT_PTX, CU_JIT_INPUT_FATBINARY, CU_JIT_INPUT_OBJECT)


class Link:
    def __init__(self, options: Options) -> None:
        self.options = options
        self.units: list[str] = []
        self.names: list[str] = []  # of the units, for messages
        self.libraries: list[list[str]] = []  # the units of each member
        self.image: Any = None
        self.handle = links.add(self)

    def add(self, kind: int, data: bytes, name: bytes | None, options: Options) -> None:
        if kind == CU_JIT_INPUT_LIBRARY:
            self._add_library(data, options)
            return
        if kind not in ACCEPTED:
            message = f"cuLinkAddData: input type {kind} is none of PTX, cubin, object, fatbin or library"
            raise CudaError(CUDA_ERROR_NOT_SUPPORTED, message)
        units = images.units_of(data, options)
        first = (name or b"<ptx>").decode(errors="replace")
        self.names += [first if len(units) == 1 else f"{first}[{index}]" for index in range(len(units))]
        self.units += units

    def _add_library(self, data: bytes, options: Options) -> None:
        from cuda.cpu.ptx.image import archive

        with images.ptx_errors(CUDA_ERROR_INVALID_IMAGE, options):
            members = archive.members(data)
        for member in members:
            with contextlib.suppress(CudaError):  # without PTX: what lacks it then is named, if anything does
                self.libraries.append(images.units_of(member))

    def all_units(self) -> list[str]:
        """Return the units with those of the libraries that they need."""
        from cuda.cpu.ptx.image import archive

        if not self.libraries:
            return self.units
        with images.ptx_errors(CUDA_ERROR_INVALID_PTX, self.options):
            return self.units + archive.needed(self.units, self.libraries)


ET_EXEC, EM_CUDA, SHT_PROGBITS, SHT_STRTAB = 2, 190, 1, 3


def pack(units: list[str], most_registers: int = 0) -> bytes:
    """Return an ELF file that carries the PTX of the units, each line ended by NUL, and the limit of registers."""
    names = [f".nv_debug_ptx_txt.{index}" for index in range(len(units))]
    contents = [b"\0".join(stream.encode() for stream in unit.splitlines()) + b"\0" for unit in units]
    if most_registers:
        names.append(".note.nv.tkinfo")
        contents.append(f"-maxrregcount {most_registers}\0".encode())
    table, offsets = b"\0", []
    for name in (*names, ".shstrtab"):
        offsets.append(len(table))
        table += name.encode() + b"\0"
    body, headers = b"", struct.pack("<IIQQQQIIQQ", *[0] * 10)
    for offset, data in zip(offsets, (*contents, table), strict=True):
        kind = SHT_STRTAB if data is table else SHT_PROGBITS
        headers += struct.pack("<IIQQQQIIQQ", offset, kind, 0, 0, 64 + len(body), len(data), 0, 0, 1, 0)
        body += data
    count, table_offset = len(contents) + 2, 64 + len(body) + -len(body) % 8
    identity = b"\x7fELF\x02\x01\x01".ljust(16, b"\0")
    header = struct.pack(
        "<16sHHIQQQIHHHHHH", identity, ET_EXEC, EM_CUDA, 1, 0, 0, table_offset, 0, 64, 0, 0, 64, count, count - 1
    )
    return (header + body).ljust(table_offset, b"\0") + headers


def cuLinkCreate(numOptions: int, options: int, optionValues: int) -> int:
    devices.check_started()
    return Link(Options("cuLinkCreate", numOptions, options, optionValues)).handle


def cuLinkAddData(
    state: int, type_: int, data: int, size: int, name: bytes | None, numOptions: int, options: int, optionValues: int
) -> None:
    link = links.find(state)
    if not data or not size:
        raise invalid("cuLinkAddData: data is NULL or size is 0")
    Options("cuLinkAddData", numOptions, options, optionValues)
    with images.ptx_errors(CUDA_ERROR_INVALID_IMAGE, link.options):
        given = host_memory.read(data, size, "the input of cuLinkAddData")
    link.add(type_, given, name, link.options)


def cuLinkAddFile(state: int, type_: int, path: bytes | None, numOptions: int, options: int, optionValues: int) -> None:
    link = links.find(state)
    Options("cuLinkAddFile", numOptions, options, optionValues)
    link.add(type_, images.read("cuLinkAddFile", path), path, link.options)


def cuLinkComplete(state: int) -> tuple[int, int]:
    """Check that the units make a program; return address and size of the image, which lives as long as the link."""
    link = links.find(state)
    units = link.all_units()
    images.load(units, link.options, link.names)
    most = link.options.value(CU_JIT_MAX_REGISTERS) & 0xFFFFFFFF
    data = pack(units, most or max((getattr(unit, "most_registers", 0) for unit in units), default=0))
    link.image = ctypes.create_string_buffer(data, len(data))
    return ctypes.addressof(link.image), len(data)


def cuLinkDestroy(state: int) -> None:
    links.take(state)


def forget_after_fork() -> None:
    links.clear()
