# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Load PTX for the driver as a checked program, whose kernels are compiled at their first launch."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING

from cuda.cpu import check, debug
from cuda.cpu.compile import jit
from cuda.cpu.compile.code import Code, GlobalVariable, Kernel, MachineCode
from cuda.cpu.ptx import device_runtime
from cuda.cpu.ptx.layout import parameter_layout
from cuda.cpu.ptx.program import Program, build
from cuda.cpu.ptx.syntax import Function, Variable
from cuda.cpu.runtime.kernel_abi import FULL_RUN

if TYPE_CHECKING:
    from cuda.cpu.runtime._runtime import Fault

TILE = 7  # .language of kernels that tileiras compiled from Tile IR (seen in its output)
_REGISTERS = 65536  # of an SM, which .minnctapersm divides among its blocks
_REGISTER_WORDS = {"pred": 0, "b64": 2, "u64": 2, "s64": 2, "f64": 2, "b128": 4}


def load(units: list[str], *, capability: int = 90, names: Sequence[str] = (), most_registers: int = 0) -> Code:
    """Load a program.

    Parameters
    ----------
    units : list of str
        PTX text of each unit.
    capability : int, optional
        Compute capability of the device times ten. PTX of any target is accepted: the CPU runs them alike.
    names : sequence of str, optional
        Names of the first units in error messages.
    most_registers : int, optional
        Limit of registers for kernels without a directive for it; 0 for no limit.

    Returns
    -------
    Code

    Raises
    ------
    PtxError
        Wrong PTX, a name defined twice or not at all, or an instruction that the CPU device does not support.
    """
    program = build(units, capability=capability, names=names)
    return code_of(program, most_registers)


def code_of(program: Program, most_registers: int = 0) -> Code:
    """Return a program in the form that the driver uses."""
    code = Code(
        kernels={
            name: _kernel(program, name, most_registers)
            for name, function in program.functions.items()
            if function.entry
        },
        variables={
            name: _global_variable(variable)
            for name, variable in program.variables.items()
            if variable.space in ("global", "const")
        },
        symbols=program.symbols,
        ptx=program.units,
        device_runtime=not device_runtime.NATIVE.isdisjoint(program.declared),
    )
    compiler = _Compiler(program)
    code.compile = compiler.compile
    code.compile_profiled = compiler.compile_profiled
    code.local_bytes = compiler.local_bytes
    code.locate = compiler.locate
    code.describe_site = compiler.describe_site
    code.frames_of_site = compiler.frames_of_site
    code.function_address = compiler.function_address
    return code


class _Compiler:
    """Compiles the kernels and functions of a program at their first use, each once."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._lock = threading.Lock()
        self._kernels: dict[tuple[str, int, int], MachineCode] = {}  # by checks, too
        self._brief: dict[tuple[str, int, int], MachineCode] = {}
        self._profiled: dict[tuple[str, int], MachineCode] = {}
        self._functions: dict[str, MachineCode] = {}

    def compile(self, name: str, lane_run: int = FULL_RUN, threads: int | None = None) -> MachineCode:
        key = name, lane_run, check.of_kernel(name)
        with self._lock:
            found = self._kernels.get(key) or self._brief.get(key)
            if found is None or (found.most_threads and (threads is None or threads > found.most_threads)):
                found = self._compiled(name, lane_run, threads)
                (self._brief if found.most_threads else self._kernels)[key] = found
            return found

    def _compiled(self, name: str, lane_run: int, threads: int | None) -> MachineCode:
        program = self._program.laid_out(name)
        if debug.active():
            return jit.compile_for_debugger(program, name, lane_run)
        return jit.compile_kernel(program, name, lane_run, threads)

    def compile_profiled(self, name: str, lane_run: int = FULL_RUN) -> MachineCode:
        with self._lock:
            if (name, lane_run) not in self._profiled:
                program = self._program.laid_out(name)
                self._profiled[name, lane_run] = jit.compile_profiled(program, name, lane_run)
            return self._profiled[name, lane_run]

    def local_bytes(self, name: str) -> int:
        from cuda.cpu.emit.kernel import local_bytes  # imports the emitter, which loading does not need

        return local_bytes(self._program.laid_out(name), name)

    def locate(self, fault: Fault) -> str:
        with self._lock:
            known = [*self._kernels.items(), *self._brief.items(), *self._profiled.items()]
        compiled = [machine for (name, *_), machine in known if name == fault.kernel]
        if not compiled:
            return ""
        machine = next((each for each in compiled if each.faulted(fault)[1]), compiled[0])
        from cuda.cpu.compile.locate import describe  # imports the emitter, which loading does not need

        return describe(self._program.laid_out(fault.kernel), machine, fault)

    def describe_site(self, name: str, site: int) -> str:
        from cuda.cpu.compile.locate import describe_site

        return describe_site(self._program, name, site)

    def frames_of_site(self, name: str, site: int) -> list[tuple[str, str, int]]:
        from cuda.cpu.compile.locate import frames_of_site

        return frames_of_site(self._program, name, site)

    def function_address(self, name: str) -> int:
        with self._lock:
            if name not in self._functions:
                self._functions[name] = jit.token()
            return self._functions[name].address


def _kernel(program: Program, name: str, most_registers: int) -> Kernel:
    function = program.functions[name]
    module = program.unit_of[name]
    parameters, size = parameter_layout(function.parameters)
    required = function.directives.get("reqntid")
    tile = required is not None and function.directives.get("language") == TILE
    most = required or function.directives.get("maxntid") or (1024,)
    laid_out = program.laid_out(name)
    words = sum(_REGISTER_WORDS.get(kind, 1) for kind in function.registers.values())
    limit = _most_registers(function, getattr(module.text, "most_registers", most_registers))
    return Kernel(
        name=name,
        parameters=parameters,
        parameter_bytes=size,
        shared_bytes=laid_out.shared_static,
        max_threads=min(prod(most), 1024),
        required_block=(1, 1, 1) if tile else required,
        tile_block=required if tile else None,
        required_cluster=function.directives.get("reqnctapercluster"),
        registers=min(words, limit),
        ptx_version=_architecture(module.target) or program.capability,
        binary_version=program.capability,
        line=function.line,
        explicit_cluster="explicitcluster" in function.directives,
        alignment=max(
            64,
            *(each.align for each in function.parameters),
            *(program.variables[each].align for each in laid_out.shared),
            *(program.references[each].stack_alignment for each in program.reachable(name)),
        ),
    )


def _most_registers(function: Function, given: int) -> int:
    """Return the most registers a kernel may have: by its directives, else the given number.

    .maxnreg gives the number itself, .maxntid and .minnctapersm the blocks that must fit on an SM (PTX manual, section
    11.4, and nvcc's manual, --maxrregcount). A kernel needs at least 16 for calls.
    """
    directives = function.directives
    if "maxnreg" in directives:
        given = directives["maxnreg"]
    elif {"maxntid", "reqntid", "minnctapersm"} & directives.keys():
        threads = min(prod(directives.get("reqntid") or directives.get("maxntid") or (1024,)), 1024)
        blocks = max(directives.get("minnctapersm", 1), 1)
        given = max(_REGISTERS // (max(threads, 1) * blocks) // 8 * 8, 16)
    return min(max(given, 16), 255) if given else 255


def _architecture(target: str) -> int:
    """Return the number of a target: CUDA reports the virtual architecture as a kernel's PTX version."""
    return int("".join(itertools.takewhile(str.isdigit, target.partition("_")[2])) or 0)


def _global_variable(variable: Variable) -> GlobalVariable:
    initial = variable.initializer
    return GlobalVariable(
        name=variable.name,
        space=variable.space,
        size=variable.size,
        align=variable.align,
        data=initial.data if initial else b"",
        relocations=tuple((r.offset, r.width, r.symbol, r.addend, r.shift) for r in initial.relocations)
        if initial
        else (),
        visible=variable.linkage in ("visible", "weak", "common"),
        managed="managed" in variable.attributes,
    )
