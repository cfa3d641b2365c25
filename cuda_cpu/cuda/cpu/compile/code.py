# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Interface of loaded code to the driver: kernels, global variables, and functions that compile on demand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cuda.cpu.ptx.layout import Parameter
from cuda.cpu.runtime.kernel_abi import FULL_RUN, Path

if TYPE_CHECKING:
    from cuda.cpu.runtime._runtime import Fault, Image


@dataclass(slots=True)
class MachineCode:
    """One kernel, ready to run. `image` keeps the mapped object alive; `address` is `void entry(struct cpu_warp *)`.

    Code that was compiled quickly has `translate`, which returns LLVM IR for optimised code, and the `key` of its entry
    in the disk cache: see `tier_up.py`.
    """

    address: int
    path: Path
    local_bytes: int  # local memory per thread, without recursion
    image: object
    translate: Callable[[], str] | None = None  # None if it is not compiled again
    key: str = ""
    lane_run: int = FULL_RUN
    most_threads: int = 0  # of a launch, if the code is brief, see brief.py; 0: any number
    frames: int = 0  # bytes of stack if each function runs once
    checks: int = 0  # the checks in the code, see check/__init__.py
    counters: int = 0  # of a profiled kernel
    token: int = 0  # identifies a profiled kernel, see counters/state.py

    def images(self) -> tuple:
        """Return the loaded objects that may run: two after a tier-up."""
        return self.image if isinstance(self.image, tuple) else (self.image,)

    def image_at(self, address: int) -> Image | None:
        """Return the object that contains an address, None if none does."""
        return next((each for each in self.images() if 0 <= address - each.base < each.size), None)

    def faulted(self, fault: Fault) -> tuple[int, Image | None]:
        """Return the address of the instruction that faulted, and the object that contains it.

        If a function of another library faulted, such as memcpy, it is the address of the call. None: of neither.
        """
        for address in (fault.pc, *(caller - 1 for caller in fault.callers)):
            if image := self.image_at(address):
                return address, image
        return fault.pc, None


@dataclass(slots=True)
class Kernel:
    name: str
    parameters: tuple[Parameter, ...]
    parameter_bytes: int
    shared_bytes: int  # static
    max_threads: int  # .maxntid product, or 1024
    required_block: tuple[int, int, int] | None  # that a launch must give: .reqntid, of tile kernels one thread
    required_cluster: tuple[int, int, int] | None
    registers: int  # declared 32-bit registers, at most 255, for CU_FUNC_ATTRIBUTE_NUM_REGS
    ptx_version: int  # 95
    binary_version: int  # 90 for sm_90
    line: int = 0
    explicit_cluster: bool = False  # .explicitcluster: each launch must give the cluster dimensions
    alignment: int = 64  # the greatest of its .local, .shared and .param variables
    tile_block: tuple[int, int, int] | None = None  # of tile kernels: the block that runs, .reqntid

    @property
    def block(self) -> tuple[int, int, int] | None:
        """The block that runs, if the kernel determines it."""
        return self.tile_block or self.required_block


@dataclass(slots=True)
class GlobalVariable:
    """A .global or .const variable. `relocations` are (offset, width, symbol, addend, shift)."""

    name: str
    space: str  # global or const
    size: int
    align: int
    data: bytes  # initial value; what it does not cover is zero
    relocations: tuple[tuple[int, int, str, int, int], ...] = ()
    visible: bool = True
    managed: bool = False


@dataclass(slots=True)
class Code:
    """A loaded program: all units of one module, linked.

    `symbols` orders every global variable and address-taken function; machine code finds the address of
    symbol i in `warp->symbols[i]`, an array that the driver fills when it loads the module.
    """

    kernels: dict[str, Kernel]
    variables: dict[str, GlobalVariable]
    symbols: list[str]
    ptx: list[str] = field(default_factory=list)
    device_runtime: bool = False  # kernels may launch others (those in `symbols`), copy and so on
    # (kernel name, run of lanes, threads of the launch or None) -> MachineCode, compiled at the first call. It
    # may be brief if there are threads. Raises ptx.error.PtxError.
    compile: Callable[..., MachineCode] | None = None
    # Kernel name -> local memory per thread, without recursion, which does not compile it.
    local_bytes: Callable[[str], int] | None = None
    # The same as `compile`, with counters.
    compile_profiled: Callable[..., MachineCode] | None = None
    # Fault -> description of its instruction, "" if unknown.
    locate: Callable[[Fault], str] | None = None
    # (kernel, site of an instruction in it, see kernel_abi.h) -> description of the instruction.
    describe_site: Callable[[str, int], str] | None = None
    # The same -> (function, file, line) of the instruction and of the calls around it, from the innermost.
    frames_of_site: Callable[[str, int], list[tuple[str, str, int]]] | None = None
    # Name of an address-taken device function -> its host address; compiles at the first call.
    function_address: Callable[[str], int] | None = None
