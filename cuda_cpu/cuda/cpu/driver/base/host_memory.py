# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""How much memory this process may use: the machine's, or less in a container or under ulimit."""

from __future__ import annotations

import ctypes
import os
import posixpath
import re
import resource
from collections.abc import Callable, Iterator
from typing import TypeVar

from cuda.cpu.abi import CUDA_ERROR_OPERATING_SYSTEM, CUDA_ERROR_OUT_OF_MEMORY
from cuda.cpu.driver.base.error import CudaError
from cuda.cpu.signals import own

_Range = TypeVar("_Range")

ROOT = ""  # the folder in front of /proc and /sys, which a test changes

# The file of a control group's limit, by the type of its file system: cgroups(7), both versions.
LIMITS = {"cgroup": "memory.limit_in_bytes", "cgroup2": "memory.max"}
# Which files of the tree are limits where /proc does not show the process's cgroup.
DEFAULT_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
FOR_OTHERS = 1 << 30  # bytes of a limited address space that stay for Python, LLVM and the stacks of threads, at most
LEAST = 16 << 20  # bytes of a range that is worth to be tried


def read(path: str) -> str:
    """Return what a file says, "" if it is not there or may not be read."""
    try:
        with open(ROOT + path) as file:
            return file.read()
    except own(OSError, ValueError):
        return ""


def physical() -> int:
    """Return the bytes of memory that this process may use: the least of the machine's and the limits.

    Raises
    ------
    CudaError
        The system does not report it, and no container limit is set.
    """
    known = [*_machine(), *container_limits()]
    if not known:
        raise CudaError(
            CUDA_ERROR_OPERATING_SYSTEM,
            "neither sysinfo() nor /proc/meminfo reports the size of memory: set CUDA_CPU_MEMORY, such as 4G",
        )
    return min([*known, *_address_space()])


class _SystemInfo(ctypes.Structure):
    """struct sysinfo of Linux."""

    _fields_ = [
        ("uptime", ctypes.c_long),
        ("loads", ctypes.c_ulong * 3),
        ("memory", ctypes.c_ulong * 6),  # total, free, shared, buffers, total and free swap space
        ("processes", ctypes.c_uint16),
        ("high_memory", ctypes.c_ulong * 2),
        ("unit", ctypes.c_uint32),
        ("more", ctypes.c_uint8 * 64),
    ]


def _machine() -> list[int]:
    # Not sysconf(SC_PHYS_PAGES): where a sandbox denies sysinfo(), the C library returns what was on the stack.
    info = _SystemInfo()
    if ctypes.CDLL(None).sysinfo(ctypes.byref(info)) == 0 and info.memory[0]:
        return [info.memory[0] * info.unit]
    found = re.search(r"^MemTotal:\s*(\d+) kB", read("/proc/meminfo"), re.MULTILINE)
    return [int(found[1]) << 10] if found else []


def _address_space() -> list[int]:
    """Return what a limit of the address space (ulimit -v) leaves for memory of devices."""
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit == resource.RLIM_INFINITY:
        return []
    left = max(limit - in_use(), LEAST)
    return [(left - min(left // 2, FOR_OTHERS)) // 2]


def reserve(memory: int, make: Callable[[int], _Range]) -> _Range:
    """Return the address range that `make` reserves, of a size for so much memory.

    It is four times that, so that guard pages and gaps between allocations do not eat into it, and less where the
    address space is limited.

    Raises
    ------
    CudaError
        There is no room for LEAST bytes.
    """
    size = max(min([4 * memory, *_address_space()]), LEAST)
    while True:
        try:
            return make(size)
        except MemoryError as error:
            if size == LEAST:
                raise CudaError(
                    CUDA_ERROR_OUT_OF_MEMORY, f"{error}: the address space is full; see ulimit -v"
                ) from None
            size = max(size // 2, LEAST)


def in_use() -> int:
    """Return the bytes of address space that the process uses; a guess for a small program where there is no /proc."""
    pages = read("/proc/self/statm").partition(" ")[0]
    return int(pages) * os.sysconf("SC_PAGE_SIZE") if pages.isdigit() else 512 << 20


def container_limits() -> list[int]:
    """Return the limits of the control groups from this process's up to the root, of both versions."""
    return [limit for path in _group_folders() if (limit := _limit(path)) is not None]


def _limit(path: str) -> int | None:
    text = read(path).strip()  # "max" of version 2 and the huge number of version 1 are no limits
    return int(text) if text.isdigit() and int(text) < 1 << 62 else None


def _group_folders() -> Iterator[str]:
    """Yield the files with the limits of the process's control groups and of all groups above them."""
    groups, mounts = dict(_groups()), list(_mounts())
    if not mounts:
        yield from DEFAULT_LIMITS
    for kind, root, mount in mounts:
        group, root = groups.get(kind, "/"), root.rstrip("/")
        # What is mounted may be a part of the tree, as in a container that sees its own group as the root.
        inside = group.startswith(root + "/") and ".." not in group.split("/")
        path = posixpath.normpath(mount + (group[len(root) :] if inside else ""))
        while True:
            yield f"{path}/{LIMITS[kind]}"
            if path == mount:
                break
            path = posixpath.dirname(path)


def _groups() -> Iterator[tuple[str, str]]:
    """Yield, by type of file system, the group of this process that has the memory controller."""
    for line in read("/proc/self/cgroup").splitlines():
        number, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if number == "0" and not controllers:
            yield "cgroup2", path
        elif "memory" in controllers.split(","):
            yield "cgroup", path


def _mounts() -> Iterator[tuple[str, str, str]]:
    """Yield type, root within the tree of groups, and mount point, of file systems with limits of memory."""
    for line in read("/proc/self/mountinfo").splitlines():
        mounted, _, kind = line.partition(" - ")
        fields, options = mounted.split(), kind.split()
        if len(fields) < 5 or len(options) < 3 or options[0] not in LIMITS:
            continue
        if options[0] == "cgroup2" or "memory" in options[2].split(","):
            yield options[0], _unescaped(fields[3]), _unescaped(fields[4])


def _unescaped(text: str) -> str:
    r"""Return a path of mountinfo, where blanks are written as \040."""
    return re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), text)
