# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Make findings from what the runtime reports, and from what is left at the end of a context."""

from __future__ import annotations

import ctypes
import functools
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from cuda.cpu.check import recorder, report, stacks
from cuda.cpu.check.finding import Finding, Frame, Stack
from cuda.cpu.python_lines import find_line
from cuda.cpu.signals import own

if TYPE_CHECKING:
    from cuda.cpu.runtime import _runtime

NAMES = {value: name.lower() for name, value in report.FOUND.items()}
_INSTRUCTION = re.compile(r"`(.*)`")


def finding_of(raw: _runtime.Finding, kernel: str, code: Any) -> Finding:
    """Return a finding of a kernel; `code` is its program, None if its module is unloaded."""

    def locate(name: str, site: int) -> str:
        return code.describe_site(name, site) if code else f"PTX line {site & 0xFFFFFFFF}"

    checker, _, message = report.describe(raw, kernel, locate).partition(": ")
    instruction = _INSTRUCTION.search(locate(kernel, raw.site)) if raw.site else None
    stack = frames_of(kernel, code, raw.site) if raw.site else ()
    race = checker == "racecheck"
    start, size = report.allocation_of(raw)
    return Finding(
        checker, NAMES[raw.kind], "error", message, kernel, recorder.number_of(raw.grid_id), raw.block, raw.thread,
        raw.count, raw.address, raw.size, instruction[1] if instruction else "", stack,
        frames_of(kernel, code, raw.other_site) if race else (), stacks.launches.find(raw.grid_id),
        stacks.allocations.find(raw.allocation),
        stacks.frees.find(raw.allocation) if NAMES[raw.kind] == "freed" else (),
        allocation_address=start, allocation_size=size,
    )  # fmt: skip


def frames_of(kernel: str, code: Any, site: int) -> Stack:
    """Return the device call stack of an instruction; () if the source is not known."""
    found = code.frames_of_site(kernel, site) if code else [(kernel, "", 0)]
    known = any(file for _, file, _ in found)
    return tuple(Frame(demangled(each[0]), *find_line(each[1], each[2], each[0])) for each in found) if known else ()


@functools.cache
def _demangler() -> Any:
    """Return __cxa_demangle of the C++ library; None without one."""
    try:
        function = ctypes.CDLL("libstdc++.so.6").__cxa_demangle
    except own(OSError, AttributeError):
        return None
    function.restype = ctypes.c_void_p
    return function


def demangled(name: str) -> str:
    """Return the C++ name of a function, or its name in PTX."""
    demangle = _demangler()
    if demangle is None or not name.startswith("_Z"):
        return name
    status = ctypes.c_int()
    text = demangle(name.encode(), None, None, ctypes.byref(status))
    if not text:
        return name
    found = ctypes.string_at(text).decode(errors="replace")
    libc = ctypes.CDLL(None)
    libc.free(ctypes.c_void_p(text))
    return found


def leaked_memory(records: Iterable[Any]) -> Iterator[Finding]:
    """Yield a finding for each allocation that still exists."""
    for each in records:
        yield Finding(
            "leakcheck", "memory", "warning",
            f"{each.size} bytes at 0x{each.start:x} made by {each.origin} were never freed",
            address=each.start, size=each.size, allocation_stack=stacks.allocations.find(each.tag),
            allocation_address=each.start, allocation_size=each.size,
        )  # fmt: skip


def leaked_blocks(blocks: Iterable[tuple[int, str, int]]) -> Iterator[tuple[Finding, int]]:
    """Yield a finding, and the number of the grid, for each launch that has not freed what its kernel allocated."""
    launches: dict[tuple[int, str], list[int]] = {}
    for grid, kernel, size in blocks:
        launches.setdefault((grid, kernel), []).append(size)
    for (grid, kernel), sizes in sorted(launches.items()):
        number = recorder.number_of(grid)
        text = f"{sum(sizes)} bytes of {len(sizes)} malloc() in kernel {kernel!r}, launch {number}, were never freed"
        yield Finding(
            "leakcheck", "heap", "warning", text, kernel, number, count=len(sizes), size=sum(sizes),
            launch_stack=stacks.launches.find(grid),
        ), grid  # fmt: skip


def leaked_objects(kind: str, ended: str, handles: Iterable[int], severity: str) -> Iterator[Finding]:
    """Yield a finding for each object that still exists."""
    for handle in sorted(handles):
        text = f"{kind.replace('_', ' ')} 0x{handle:x} was never {ended}"
        stack = stacks.handles.find(handle)
        yield Finding("leakcheck", kind, severity, text, address=handle, allocation_stack=stack)
