# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Messages for the findings of checks."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from cuda.cpu.check import READ, SPACES, WRITE
from cuda.cpu.runtime.abi import numbers

if TYPE_CHECKING:
    from cuda.cpu.runtime._runtime import Finding

NULL_PAGE = 4096

# By enum cpu_finding_kind: the check, and the message.
FOUND = numbers("CPU_FOUND_")
KINDS = {
    FOUND["OUTSIDE"]: ("memcheck", "{verb} of {size} bytes at 0x{address:x}, {where}"),
    FOUND["FREED"]: ("memcheck", "{verb} of {size} bytes at 0x{address:x}, in {allocation}, which is freed"),
    FOUND["HOST"]: ("memcheck", "{verb} of {size} bytes at 0x{address:x}, which is memory of the host alone"),
    FOUND["MISALIGNED"]: ("memcheck", "{verb} of {size} bytes at 0x{address:x}, which is no multiple of that"),
    FOUND["SHARED"]: (
        "memcheck",
        "{verb} of {size} bytes at byte {offset} of the block's shared memory, which has {bytes}",
    ),
    FOUND["LOCAL"]: (
        "memcheck",
        "{verb} of {size} bytes at byte {offset} of the thread's local memory, which has {bytes}",
    ),
    FOUND["VARIABLE"]: ("memcheck", "{verb} of {size} bytes at byte {offset} of {variable}, which has {bytes}"),
    FOUND["EXITED"]: (
        "memcheck",
        "{verb} of {size} bytes at byte {offset} of the shared memory of another block, which has exited",
    ),
    FOUND["PARAM"]: (
        "memcheck",
        "{verb} of {size} bytes at byte {offset} of the kernel's parameters, which have {bytes}",
    ),
    FOUND["FREE"]: ("memcheck", "free() of 0x{address:x}, which malloc() has not returned, or which is free already"),
}
for _kind in ("WRITE_AFTER_WRITE", "READ_AFTER_WRITE", "WRITE_AFTER_READ"):
    _order = _kind.lower().replace("_after_", " after a ")
    KINDS[FOUND[_kind]] = ("racecheck", f"{_order} of {{memory}}: nothing orders it after {{other}}")
SYNCS = {
    "DIVERGENT": "lanes {lanes} of the warp are at a barrier of all its lanes, and {others} are not",
    "COUNT": "the barrier is to have {address} threads: it must be a multiple of 32, and at most the block's {size}",
    "COUNTS": "the barrier is to have {address} threads, and others have come to it for {size}",
    "UNNAMED": "the mask 0x{address:08x} does not name the lane itself",
    "MASKS": "the mask is 0x{address:08x}, and 0x{size:08x} in a lane that it names",
    "ALONE": "lanes {lanes} wait for others that they name, of which {others} do not come",
    "SOURCE": "lanes {lanes} read lanes {others}, which the mask does not name, or which have exited or never existed",
    "MBARRIER_NONE": "the mbarrier at byte {offset} of shared memory was never initialised",
    "MBARRIER_INVALID": "the mbarrier at byte {offset} of shared memory was invalidated",
    "MBARRIER_TWICE": "the mbarrier at byte {offset} of shared memory is initialised while it is in use",
    "MBARRIER_COUNT": "the mbarrier is to expect {address} arrivals: it must be 1 to {size}",
    "MBARRIER_OVER": "{address} arrivals on the mbarrier at byte {offset} of shared memory, which waits for {size}",
    "MBARRIER_EARLY": "more than the {address} arrivals that the mbarrier at byte {offset} of shared memory expects: "
    "nothing orders this one after the end of the phase by {other}",
    "MBARRIER_STALE": "waits for a phase of the mbarrier at byte {offset} of shared memory that ended {address} ago",
    "MBARRIER_STUCK": "lanes {lanes} wait for ever at the mbarrier at byte {offset} of shared memory: {lacking}",
    "STUCK": "{warps} of the block's {size} warps wait at the barrier for ever",
}
KINDS |= {FOUND[name]: ("synccheck", text) for name, text in SYNCS.items()}
KINDS[FOUND["UNWRITTEN"]] = ("initcheck", "read of {size} bytes: {memory} was never written")
# Of the check that the first of these errors is of.
KINDS[FOUND["MORE"]] = ("", "{count} more errors, unlike the {offset} findings that are recorded of a launch at most")
ENDS = "; this launch was ended, since one warp had made so many illegal accesses that it may wait for what they bring"
VERBS = {READ: "read", WRITE: "write", READ | WRITE: "update"}

# enum cpu_relation
_RELATIONS: dict[int, Callable[[Finding], str]] = {
    0: lambda f: "a null pointer" if f.address < NULL_PAGE else "where nothing is allocated",
    1: lambda f: f"{f.start - f.address} bytes before {allocation(f)}",
    2: lambda f: f"{f.address - f.start - f.bytes} bytes after {allocation(f)}",
    4: lambda f: f"{f.address + f.size - f.start - f.bytes} of them after the end of {allocation(f)}",
}


def allocation(finding: Finding) -> str:
    return f"the allocation of {finding.bytes} bytes at 0x{finding.start:x} made by {finding.origin}"


def allocation_of(finding: Finding) -> tuple[int, int]:
    """Return address and bytes of the allocation that the text of a finding names, zeros if it names none."""
    check = KINDS[finding.kind][0]
    in_block = finding.flags & 15 in (SPACES["shared"], SPACES["local"])
    is_named = finding.relation or finding.kind == FOUND["FREED"]
    if check in ("racecheck", "initcheck"):
        is_named = finding.bytes and not in_block
    return (finding.start, finding.bytes) if is_named and check != "synccheck" else (0, 0)


def describe(finding: Finding, kernel: str, locate: Callable[[str, int], str]) -> str:
    """Return a finding as a line of text; `locate` names an instruction by kernel and site."""
    check, text = KINDS[finding.kind]
    if finding.kind == FOUND["MORE"]:
        what = text.format(count=finding.count, offset=finding.offset)
        return f"{KINDS[finding.flags][0]}: kernel {kernel!r}: {what}{ENDS if finding.ends else ''}"
    where = _RELATIONS.get(finding.relation, lambda f: "")(finding)
    offset = finding.offset - (1 << 64) if finding.offset >> 63 else finding.offset
    if check == "racecheck":
        what = text.format(memory=_memory(finding), other=_other(finding, kernel, locate))
        return _line(check, finding, kernel, locate, what)
    what = text.format(
        verb=VERBS.get(finding.flags & (READ | WRITE), ""), size=finding.size, address=finding.address, offset=offset,
        bytes=finding.bytes, allocation=allocation(finding), where=where, lanes=_lanes(finding.address),
        others=_lanes(finding.size), warps=finding.address.bit_count(), memory=_memory(finding),
        variable=f"`{finding.origin}`" if finding.origin else "a local array",
        other=_other(finding, kernel, locate) if finding.other_site else "", lacking=_lacking(finding.size),
    )  # fmt: skip
    return _line(check, finding, kernel, locate, what)


def _lanes(mask: int) -> str:
    """Return lanes as "0-3, 7"."""
    runs: list[list[int]] = []
    for lane in (lane for lane in range(32) if mask >> lane & 1):
        if runs and lane == runs[-1][1] + 1:
            runs[-1][1] = lane
        else:
            runs.append([lane, lane])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in runs) or "none"


def _lacking(state: int) -> str:
    """Return what a phase of an mbarrier lacks; emit/instructions/memory/mbarrier.py has the format of its state."""
    arrivals, expected, left = state & 0xFFFFF, state >> 20 & 0xFFFFF, state >> 40 & 0x3FFFFF
    what = [f"{arrivals} of its {expected} arrivals are missing"] if arrivals else []
    return " and ".join(what + ([f"{left} bytes are missing"] if left else [])) or "the phase is not over"


def _memory(finding: Finding) -> str:
    """Return a location: an offset in shared or local memory, or an address with its allocation."""
    if finding.flags & 15 == SPACES["shared"]:
        return f"byte {finding.offset} of shared memory"
    if finding.flags & 15 == SPACES["local"]:
        return f"byte {finding.offset} of the thread's local memory"
    if finding.bytes:
        return f"0x{finding.address:x}, byte {finding.offset} of {allocation(finding)}"
    return f"0x{finding.address:x}"


def _other(finding: Finding, kernel: str, locate: Callable[[str, int], str]) -> str:
    block = "" if finding.other_block == finding.block else f"block {finding.other_block}, "
    return f"{block}thread {finding.other_thread}, {locate(kernel, finding.other_site)}"


def _line(check: str, finding: Finding, kernel: str, locate: Callable[[str, int], str], what: str) -> str:
    more = f" (and {finding.count - 1} more by this instruction)" if finding.count > 1 else ""
    more += ENDS if finding.ends else ""
    instruction = locate(kernel, finding.site)
    return f"{check}: kernel {kernel!r}, block {finding.block}, thread {finding.thread}, {instruction}: {what}{more}"
