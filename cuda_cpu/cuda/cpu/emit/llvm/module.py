# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""An LLVM module under construction, and the settings with which a kernel is emitted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from cuda.cpu.ptx.syntax import Location
from cuda.cpu.runtime.kernel_abi import FULL_RUN, HALF_ROW, HALF_RUN, PADDED_ROW, QUARTER_ROW, QUARTER_RUN

if TYPE_CHECKING:
    from cuda.cpu.emit.llvm.builder import Builder
    from cuda.cpu.emit.simt.instrumentation import Instrumentation


class DebugLocation(NamedTuple):
    """Location of a PTX instruction: its function and PTX line, and the source line if the PTX has it (.loc)."""

    function: str
    line: int
    source: Location | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How a kernel is translated.

    Attributes
    ----------
    width : int
        Lanes of a SIMD group: a power of two up to 32. Kernels whose lanes communicate always have 32.
    lane_run : int
        Consecutive lanes in the blocks that the code is optimised for, a constant of kernel_abi.py. Code for WHOLE_RUN,
        HALF_ROW, PADDED_ROW and QUARTER_ROW is correct for such blocks only, any other code for all blocks.
    native_gather : bool
        Whether the CPU has masked gathers and scatters (AVX-512, SVE).
    native_dots : bool
        Whether the CPU adds products of four bytes to 32 bits (AVX-512 VNNI).
    vector_bytes : int
        Bytes of a vector register of a CPU with fast shuffles and masked accesses of words (AVX2, AVX-512), else 0:
        interleaved elements are accessed lane by lane, and rows are not padded.
    near : int
        Distance in bytes, within a page, of software prefetches; 0 if the hardware prefetches well. See prefetch.py.
    number_extrema : bool
        Whether LLVM's `maximumnum` and `minimumnum` are right; those of LLVM 20 return the wrong operand.
    fibers : bool
        Run every warp on a fiber of its own, even if one call could run all warps of a block.
    quick : bool
        Omit copies of blocks that only make the code faster: tier-up will replace the code.
    brief : bool
        Omit the copies for SIMD groups that have not diverged and for consecutive lanes, too.
    locations : list, optional
        Filled with the locations of the instructions; comments "; location N" in the text count from 1. See locate.py.
    instrumentation : Instrumentation, optional
        Checks, counters or a debugger's locations; warps then run on fibers, or one after the other.
    """

    width: int = 32
    lane_run: int = FULL_RUN
    native_gather: bool = False
    native_dots: bool = False
    vector_bytes: int = 0
    near: int = 0
    number_extrema: bool = True
    fibers: bool = False
    quick: bool = False
    brief: bool = False
    locations: list[DebugLocation] | None = None
    instrumentation: Instrumentation | None = None

    @property
    def checks(self) -> int:
        """The checks, bits of enum cpu_check."""
        return self.instrumentation.checks if self.instrumentation else 0

    @property
    def replaces_addresses(self) -> bool:
        """Whether loads may have other addresses than their operands."""
        return self.instrumentation is not None and self.instrumentation.replaces_addresses

    @property
    def tracks_barriers(self) -> bool:
        """Whether lanes are counted at barriers for the checks."""
        return self.instrumentation is not None and self.instrumentation.tracks_barriers

    @property
    def keeps_returns(self) -> bool:
        """Whether lanes that branch to a return wait there for others."""
        return self.instrumentation is not None and self.instrumentation.keeps_returns


def _segment(settings: Settings) -> int:
    """Return how many lanes are consecutive; checks and counters know no quarters."""
    if settings.lane_run in (QUARTER_RUN, QUARTER_ROW) and settings.instrumentation is None:
        return QUARTER_RUN
    return max(settings.lane_run, HALF_RUN)


class Module:
    """The text of one LLVM module: declarations and helper functions are added once, on first use.

    Parameters
    ----------
    settings : Settings
    functions : tuple of str
        Names of the kernel and the functions that it calls; sites in reports of checks contain the index.
    leaves : frozenset of str
        Device functions in which lanes may exit.
    has_barriers : bool
        The runtime counts lanes at barriers.
    has_clusters : bool
        Blocks may access each other's shared memory.
    pads_rows : bool
        The rows of a block's threads may be padded to half runs, see padded_rows.py.
    """

    def __init__(
        self,
        settings: Settings,
        functions: tuple[str, ...],
        leaves: frozenset[str],
        *,
        has_barriers: bool,
        has_clusters: bool,
        pads_rows: bool = False,
    ):
        self.settings = settings
        self.width = settings.width
        # Lanes that contiguous access needs, see affine.py.
        self.lane_run = min(settings.width, _segment(settings))
        self.checks = settings.checks
        self.functions = functions
        self.leaves = leaves
        self.has_barriers = has_barriers
        self.has_clusters = has_clusters
        self.pads_rows = pads_rows
        # Each row of a block is one segment.
        rows = {HALF_ROW: HALF_RUN, QUARTER_ROW: QUARTER_RUN} | ({PADDED_ROW: HALF_RUN} if pads_rows else {})
        self.has_short_rows = rows.get(settings.lane_run) == _segment(settings)
        self._numbers: dict[tuple[str, int], int] = {}  # number of a location, by function and line
        self._parts: dict[str, str] = {}

    def declare(self, name: str, result: str, parameters: Iterable[str], attributes: str = "") -> None:
        if name not in self._parts:
            self._parts[name] = f"declare {result} @{name}({', '.join(parameters)}) {attributes}\n"

    def define(self, name: str, text: str) -> None:
        self._parts[name] = text

    def define_function(self, name: str, head: str, builder: Builder) -> None:
        """Define a function with the body that a builder has."""
        body = "\n".join(["entry:", *builder.allocas, *builder.lines])
        self.define(name, f"{head} {{\n{body}\n}}\n")

    def constant(self, name: str, type_: str, value: str) -> None:
        """Define a constant in memory; `name` begins with @."""
        self._parts.setdefault(name, f"{name} = private constant {type_} {value}\n")

    def has(self, name: str) -> bool:
        return name in self._parts

    def number_of(self, location: DebugLocation) -> int | None:
        """Return the number of a location, from 1; None if locations are not collected."""
        locations = self.settings.locations
        if locations is None:
            return None
        # One number for all copies of an instruction: when LLVM merges equal code with two numbers, it drops both.
        number = self._numbers.setdefault(location[:2], len(locations) + 1)
        if number > len(locations):
            locations.append(location)
        return number

    def text(self) -> str:
        return "".join(self._parts.values())
