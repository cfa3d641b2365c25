# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Core dumps of kernels that have failed: ELF files with the registers and memory of the warp, and global memory.

Their notes of the owner "CUDA-CPU" hold what `python -m cuda.cpu debug --core` needs: the description of the fault, and
the kernels' objects with debug information. Notes and segments: ELF gABI, chapter 5; struct elf_prstatus: sys/procfs.h.
"""

from __future__ import annotations

import os
import socket
import struct
import sys
import time
from collections.abc import Iterable, Iterator
from typing import IO, NamedTuple

from cuda.cpu import debug
from cuda.cpu.debug import core_is_wanted
from cuda.cpu.runtime import _runtime
from cuda.cpu.signals import own

FILE = "CUDA_COREDUMP_FILE"
DEFAULT = "core_%t_%h_%p.cudacpu"
OWNER = b"CUDA-CPU"
TEXT, OBJECT = 1, 2  # types of our notes
PRSTATUS = 1
MOST_MEMORY = 1 << 30  # bytes of global memory
_HEADER = struct.Struct("<4s5B7xHHIQQQIHHHHHH")
_SEGMENT = struct.Struct("<IIQQQQQQ")
_NOTE = struct.Struct("<III")
_MACHINES = {"x86_64": 62, "aarch64": 183}
_STATUS = 112  # bytes of struct elf_prstatus before the registers
SIGTRAP = 5
PAGE = 4096
_EXECUTABLE = 4  # SHF_EXECINSTR


class Memory(NamedTuple):
    """A range of memory: its bytes, or its size for memory of this process, which is read when it is written."""

    address: int
    data: bytes | int

    @property
    def size(self) -> int:
        return self.data if isinstance(self.data, int) else len(self.data)


def enable() -> None:
    """Let the runtime keep the state of a warp that fails, if core dumps are wanted."""
    if core_is_wanted():
        _runtime.enable_snapshots(True)


def pattern(context: int = debug.ALL) -> str:
    """Return the name of core dumps of a context, with %t, %h and %p for what differs."""
    return debug.files.get(context) or debug.files.get(debug.ALL) or os.environ.get(FILE) or DEFAULT


def path(context: int = debug.ALL) -> str:
    """Return the name of the next core dump of a context."""
    text = pattern(context)
    values = {"%t": str(int(time.time())), "%h": socket.gethostname(), "%p": str(os.getpid())}
    for name, value in values.items():
        text = text.replace(name, value)
    return text


def write(description: str, allocations: Iterable[tuple[int, int]], context: int = debug.ALL) -> str:
    """Write the core dump of a fault that was just collected; return its name, "" if there is none.

    Parameters
    ----------
    description : str
        What is known of the fault.
    allocations : iterable of tuple
        Addresses and sizes of global memory.
    context : int
        The number of the context.
    """
    taken = _runtime.take_snapshot() if core_is_wanted() else None
    if taken is None:
        return ""
    registers, ranges = taken
    notes = [(b"CORE", PRSTATUS, _status(registers)), (OWNER, TEXT, description.encode())]
    notes += [(OWNER, OBJECT, each) for each in _runtime.announced_objects()]
    name, left = path(context), MOST_MEMORY
    memory = [Memory(address, data) for address, data in ranges]
    for address, size in allocations:
        if 0 < size <= left:
            left -= size
            memory.append(Memory(address, size))
    try:
        with open(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600), "wb") as file:
            _write(file, notes, memory)
    except own(OSError) as error:
        print(f"cuda.cpu: no core dump is written: {error}", file=sys.stderr)
        return ""
    return name


def _status(registers: bytes) -> bytes:
    head = struct.pack("<iiihxxQQiiii", SIGTRAP, 0, 0, SIGTRAP, 0, 0, os.getpid(), 0, 0, 0)
    return head.ljust(_STATUS, b"\0") + registers + bytes(8)


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)


def _write(file: IO[bytes], notes: list[tuple[bytes, int, bytes]], memory: list[Memory]) -> None:
    text = b"".join(
        _NOTE.pack(len(owner) + 1, len(data), kind) + _padded(owner + b"\0") + _padded(data)
        for owner, kind, data in notes
    )
    count = 1 + len(memory)
    machine = _MACHINES[os.uname().machine]
    at = _HEADER.size + _SEGMENT.size * count
    file.write(
        _HEADER.pack(b"\x7fELF", 2, 1, 1, 0, 0, 4, machine, 1, 0, _HEADER.size, 0, 0, _HEADER.size, _SEGMENT.size,
                     count, 64, 0, 0)
    )  # fmt: skip
    file.write(_SEGMENT.pack(4, 4, at, 0, 0, len(text), 0, 4))
    at += len(text)
    starts = []
    for each in memory:
        at = -(-at // PAGE) * PAGE + each.address % PAGE
        starts.append(at)
        file.write(_SEGMENT.pack(1, 6, at, each.address, 0, each.size, each.size, PAGE))
        at += each.size
    file.write(text)
    with open("/proc/self/mem", "rb") as process:
        for start, each in zip(starts, memory, strict=True):
            file.seek(start)
            for data in _pieces(process, each):
                file.write(data)


def _pieces(process: IO[bytes], memory: Memory, step: int = 1 << 20) -> Iterator[bytes]:
    """Yield the bytes of memory; zeros for what is not mapped."""
    if not isinstance(memory.data, int):
        yield memory.data
        return
    for start in range(memory.address, memory.address + memory.size, step):
        size = min(step, memory.address + memory.size - start)
        try:
            process.seek(start)
            data = process.read(size)
        except own(OSError):
            data = b""
        yield data.ljust(size, b"\0")


def read(data: bytes) -> tuple[str, list[bytes]]:
    """Return the description and the objects of a core dump.

    Raises
    ------
    ValueError
        It is none of ours, or is damaged.
    """
    if data[:4] != b"\x7fELF" or len(data) < _HEADER.size + _SEGMENT.size:
        raise ValueError("no ELF file")
    kind, _, at, _, _, size, _, _ = _SEGMENT.unpack_from(data, _HEADER.size)
    description, objects = "", []
    end = at + size
    if kind != 4 or end > len(data):
        raise ValueError("no notes")
    while at + _NOTE.size <= end:
        owner_size, size, kind = _NOTE.unpack_from(data, at)
        owner = data[at + _NOTE.size : at + _NOTE.size + owner_size].rstrip(b"\0")
        at += _NOTE.size + len(_padded(bytes(owner_size)))
        if owner == OWNER and kind == TEXT:
            description = data[at : at + size].decode(errors="replace")
        elif owner == OWNER and kind == OBJECT:
            objects.append(data[at : at + size])
        at += -(-size // 4) * 4
    if not objects:
        raise ValueError("no kernels")
    return description, objects


def code_address(data: bytes) -> int:
    """Return the address at which the code of an object was loaded, 0 if it has none."""
    offset, count = struct.unpack_from("<Q", data, 0x28)[0], struct.unpack_from("<H", data, 0x3C)[0]
    for index in range(count):
        _, _, flags, address, _, _ = struct.unpack_from("<IIQQQQ", data, offset + 64 * index)
        if flags & _EXECUTABLE and address:
            return address
    return 0
