# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Compile kernels: PTX to LLVM IR (emit), LLVM IR to an object (llvmlite), an object to memory (the native loader)."""

from __future__ import annotations

import ctypes
import functools
import os
import re
import struct
import sys
from typing import TYPE_CHECKING

from cuda.cpu import check, debug
from cuda.cpu.compile import cache, identity, machines
from cuda.cpu.compile.brief import most_threads, needs_whole_warps
from cuda.cpu.compile.code import MachineCode
from cuda.cpu.compile.frames import stack_of
from cuda.cpu.compile.progress import Progress
from cuda.cpu.counters import spans
from cuda.cpu.runtime.kernel_abi import FULL_RUN, Path
from cuda.cpu.signals import own

if TYPE_CHECKING:
    from types import ModuleType

    import llvmlite.binding as llvm

    from cuda.cpu.emit import KernelText
    from cuda.cpu.emit.llvm.module import DebugLocation
    from cuda.cpu.emit.simt.instrumentation import Instrumentation
    from cuda.cpu.ptx.program import Program

LEAST_LLVM = (20, 0, 0)  # of llvmlite 0.45: opaque pointers
RIGHT_EXTREMA = (21, 0, 0)  # see Settings.number_extrema
QUICK, BEST = 0, 3  # levels: of the first compilation of a kernel, and of the one that hot kernels get
LEVELS = ("0", "1", "2", "3")
MOST_JOINED = 5_000_000  # variables times blocks: 0.2 s; a thousand statements compiled with -G exceed it
MOST_VARIABLE, MOST_INSTRUCTIONS = "CUDA_CPU_MOST_INSTRUCTIONS", 200_000  # of a kernel: about half a minute
BRANCH = 4  # instructions more that take LLVM as long to compile as a conditional branch does
MOST_VARIABLES = 2000  # time is quadratic in them
CUT = "cut"  # prefix of labels where emit/function.py has split a long block, which must not be merged again
# LLVM IR that may become an addition with carry: bits extended to integers (except to i8, which is only stored), and
# integers of more than 64 bits.
CARRY = r"ext (?:<1 x )?i1>? \S+ to (?!i8\b)|select (?:<1 x )?i1>? \S+, \S+ -?[01], |\.with\.overflow\.| i128"
HEAD = struct.Struct("<B?QQ")  # of a cache entry: path, quick, local memory, stack


def compile_kernel(program: Program, name: str, lane_run: int = FULL_RUN, threads: int | None = None) -> MachineCode:
    """Return a kernel's machine code, from the disk cache if it has been compiled before.

    Parameters
    ----------
    program : Program
        Linked PTX.
    name : str
        The kernel's name.
    lane_run : int, optional
        Consecutive lanes with consecutive x in the blocks that it is launched with, a constant of kernel_abi.py.
    threads : int, optional
        Number of threads of the launch that needs the code, which may then be brief (see brief.py). By default, the
        code is for any launches.

    Raises
    ------
    PtxError
        Something in the kernel cannot be translated.
    ImportError
        llvmlite is not installed.
    """
    from cuda.cpu.runtime import _runtime

    level, checks = setting(), check.of_kernel(name)

    def key_of(kind: str) -> str:
        settings = f"{_runtime.ABI} {level} {_path()} {_width()} {lane_run} {checks}{kind}"
        return cache.key_of(identity.compiler(), settings.encode(), identity.cpu(), program.key, name.encode())

    key = stored = key_of("")
    most = 0
    shown = os.environ.get("CUDA_CPU_EXPLAIN") == "1" or os.environ.get("CUDA_CPU_DUMP")  # only what is compiled now
    with spans.span(name, "cache look-up"):
        entry = None if shown else cache.find(key)
        if entry is None and threads is not None and level is None and not (shown or checks):
            most = most_threads(program, name)
            most = most if threads <= most else 0
            if most:
                stored = key_of(" brief")
                entry = cache.find(stored)
    if entry is None:
        with spans.span(name, "compile"), Progress(f"compiling kernel {name!r} for the CPU"):
            text, path, local_bytes = emit(program, name, lane_run, quick=level is None, brief=most > 0, checks=checks)
            data = assemble(text, QUICK if level is None else level)
        entry = pack(data, path, local_bytes, stack_of(data), quick=level is None)
        cache.store(stored, entry)
    path, local_bytes, frames, data, quick = unpack(entry)
    image = _runtime.Image(data)
    fibers = _path() == "fiber"
    translate = functools.partial(_translate, program, name, lane_run, _width(), fibers, checks) if quick else None
    return MachineCode(image.address(name), path, local_bytes, image, translate, key, lane_run, most, frames, checks)


def compile_profiled(program: Program, name: str, lane_run: int = FULL_RUN) -> MachineCode:
    """Return a kernel's machine code with counters, which is not cached on disk.

    Raises
    ------
    PtxError, ImportError
        As for `compile_kernel`.
    """
    from cuda.cpu.counters import state
    from cuda.cpu.counters.instrument import Counters
    from cuda.cpu.runtime import _runtime

    counters = Counters(program, name)
    kernel = kernel_text(program, name, lane_run, instrumentation=counters)
    level = setting()
    data = assemble(kernel.text, BEST if level is None else level)
    image = _runtime.Image(data)
    return MachineCode(
        image.address(name), kernel.path, kernel.local_bytes, image, lane_run=lane_run, frames=stack_of(data),
        counters=counters.layout.counters, token=state.register(counters.layout),
    )  # fmt: skip


def compile_for_debugger(program: Program, name: str, lane_run: int = FULL_RUN) -> MachineCode:
    """Return a kernel's machine code with debug information, which is not cached on disk and not optimised.

    Raises
    ------
    PtxError, ImportError
        As for `compile_kernel`.
    """
    from cuda.cpu.debug import core
    from cuda.cpu.debug.instrument import Debug
    from cuda.cpu.runtime import _runtime

    state = Debug(program, name)
    kernel = kernel_text(
        program, name, lane_run, quick=True, locations=state.symbols.locations, instrumentation=state, plain=True
    )
    with spans.span(name, "compile"), Progress(f"compiling kernel {name!r} for a debugger"):
        data = assemble(state.symbols.added_to(kernel.text), None)
    core.enable()
    image = _runtime.Image(data, debug=True)
    return MachineCode(
        image.address(name), kernel.path, kernel.local_bytes, image, lane_run=lane_run, frames=stack_of(data)
    )


def _translate(program: Program, name: str, lane_run: int, width: int, fibers: bool, checks: int) -> str:
    return kernel_text(program, name, lane_run, width=width, fibers=fibers, instrumentation=checked_by(checks)).text


def setting() -> int | None:
    """Return LLVM's level for all code (CUDA_CPU_LEVEL); None: quick level first, then tier-up of hot kernels."""
    value = os.environ.get("CUDA_CPU_LEVEL", "")
    if value and value not in LEVELS:
        raise ValueError(f"CUDA_CPU_LEVEL is {value!r}; it must be one of {', '.join(LEVELS)}, or not set")
    return int(value) if value else None


def token() -> MachineCode:
    """Return a placeholder whose address represents a device function; there is no code at it.

    Indirect calls compare the pointer with the addresses of all possible callees.
    """
    memory = ctypes.create_string_buffer(16)
    return MachineCode(ctypes.addressof(memory), Path.WARPS, 0, memory)


def pack(data: bytes, path: Path, local_bytes: int, frames: int, *, quick: bool) -> bytes:
    """Return a cache entry: metadata, then the object. `quick`: optimised code may replace it."""
    return HEAD.pack(path, quick, local_bytes, frames) + data


def unpack(entry: bytes) -> tuple[Path, int, int, bytes, bool]:
    path, quick, local_bytes, frames = HEAD.unpack_from(entry)
    return Path(path), local_bytes, frames, entry[HEAD.size :], quick


def build_object(
    program: Program, name: str, *, lane_run: int = FULL_RUN, fibers: bool | None = None
) -> tuple[bytes, Path, int]:
    """Compile a kernel to an ELF object; also return its path and the size of its local memory."""
    text, path, local_bytes = emit(program, name, lane_run, fibers=fibers)
    return assemble(text, setting() or QUICK), path, local_bytes


def emit(
    program: Program,
    name: str,
    lane_run: int = FULL_RUN,
    *,
    fibers: bool | None = None,
    quick: bool = False,
    brief: bool = False,
    checks: int = 0,
) -> tuple[str, Path, int]:
    """Translate a kernel to LLVM IR; also return its path and the size of its local memory."""
    kernel = kernel_text(
        program, name, lane_run, fibers=fibers, quick=quick, brief=brief, instrumentation=checked_by(checks)
    )
    if folder := os.environ.get("CUDA_CPU_DUMP"):
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, name[:100] + ".ll"), "w") as file:
            file.write(kernel.text)
    if os.environ.get("CUDA_CPU_EXPLAIN") == "1":
        print(*(f"cuda.cpu: {note}" for note in kernel.notes), sep="\n", file=sys.stderr)
    return kernel.text, kernel.path, kernel.local_bytes


def kernel_text(
    program: Program,
    name: str,
    lane_run: int = FULL_RUN,
    *,
    width: int | None = None,
    fibers: bool | None = None,
    quick: bool = False,
    brief: bool = False,
    locations: list[DebugLocation] | None = None,
    instrumentation: Instrumentation | None = None,
    plain: bool = False,
) -> KernelText:
    """Translate a kernel to LLVM IR for this CPU, with the environment's settings where no argument overrides them.

    `plain`: without features of the CPU.
    """
    from cuda.cpu.emit import Settings, emit_kernel

    check_size(program, name)
    default = "native" if brief and not needs_whole_warps(program, name) else "32"
    settings = Settings(
        width=width or _width(default),
        lane_run=lane_run,
        native_gather=not plain and _has_gathers(),
        native_dots=not plain and _has_dots(),
        vector_bytes=0 if plain else _vector_bytes(),
        near=0 if plain else _near(),
        number_extrema=_llvm().llvm_version_info >= RIGHT_EXTREMA,
        fibers=_path() == "fiber" if fibers is None else fibers,
        quick=quick,
        brief=brief,
        locations=locations,
        instrumentation=instrumentation,
    )
    return emit_kernel(program, name, settings)


def checked_by(checks: int) -> Instrumentation | None:
    """Return what emits some checks of kernels; None for no checks."""
    if not checks:
        return None
    from cuda.cpu.check.instrument import Checks

    return Checks(checks)


def check_size(program: Program, name: str) -> None:
    """Reject a kernel that would take minutes and too much memory to compile."""
    from cuda.cpu.passes.split_blocks import ENDS
    from cuda.cpu.ptx.syntax import Instruction

    body = [item for each in program.reachable(name) for item in program.functions[each].body or ()]
    branches = sum(isinstance(item, Instruction) and item.opcode in ENDS and item.guard is not None for item in body)
    if len(body) + BRANCH * branches > most_instructions():
        from cuda.cpu.ptx.error import PtxError

        known = f"kernel {name} and the functions that it calls have {len(body)} instructions and labels"
        if branches:
            known += f", of which {branches} are conditional branches, each counted as {1 + BRANCH}"
        raise PtxError(
            f"{known}; the CPU device compiles at most {most_instructions()}, or as many as {MOST_VARIABLE} allows"
        )


def most_instructions() -> int:
    """Return how many instructions a kernel may have, with the functions that it calls (CUDA_CPU_MOST_INSTRUCTIONS)."""
    text = os.environ.get(MOST_VARIABLE) or str(MOST_INSTRUCTIONS)
    if not text.isdecimal() or len(text) > 15:
        raise ValueError(f"{MOST_VARIABLE} must be a number of instructions, not {text!r}")
    return int(text)


def assemble(text: str, level: int | None) -> bytes:
    """Compile LLVM IR to an ELF object at a level from 0 to 3, or without any pass over the IR (None)."""
    _choose_scheduler(text, level or QUICK)
    return _target_machine(level or QUICK).emit_object(_optimised(text, level))


def disassemble(text: str, level: int) -> str:
    """Compile LLVM IR to assembler text, with the code of `assemble`."""
    _choose_scheduler(text, level)
    return _target_machine(level).emit_assembly(_optimised(text, level))


def _choose_scheduler(text: str, level: int) -> None:
    """Select the machine's scheduler at the quick level: LLVM's default is quadratic in the length of a block.

    The fast one aborts where two live carries need the CPU's flags, so code that may have carries gets the default.
    """
    simple = level == QUICK and not re.search(CARRY, text)
    _llvm().set_option("cuda.cpu", f"-pre-RA-sched={machines.host().quick_scheduler if simple else 'default'}")


def _optimised(text: str, level: int | None) -> llvm.ModuleRef:
    machine = _target_machine(level or QUICK)
    module = _llvm().parse_assembly(text)
    module.verify()
    module.triple = machine.triple
    module.data_layout = str(machine.target_data)
    if level == QUICK:
        _tidy(module, machine)
    elif level is not None:
        _optimise(module, machine, level)
    return module


def _tidy(module: llvm.ModuleRef, machine: llvm.TargetMachine) -> None:
    """Promote variables to registers and merge blocks; instruction selection folds the rest."""
    llvm = _llvm()
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=1))
    passes = llvm.create_new_function_pass_manager()
    passes.add_simplify_cfg_pass()
    whole = llvm.create_new_function_pass_manager()
    whole.add_sroa_pass()
    whole.add_simplify_cfg_pass()
    for function in module.functions:
        if not function.is_declaration:
            blocks = list(function.blocks)
            if not any(block.name.startswith(f"{CUT}.") for block in blocks):
                (whole if _can_join(blocks) else passes).run(function, builder)


def _can_join(blocks: list[llvm.ValueRef]) -> bool:
    """Return whether variables can be promoted to registers in short time, which grows with variables times blocks."""
    variables = sum(instruction.opcode == "alloca" for instruction in blocks[0].instructions)
    return len(blocks) * variables < MOST_JOINED and variables < MOST_VARIABLES


def _optimise(module: llvm.ModuleRef, machine: llvm.TargetMachine, level: int) -> None:
    """Run LLVM's passes except for the vectorisers: the code has vectors already."""
    llvm = _llvm()
    options = llvm.create_pipeline_tuning_options(speed_level=level)
    options.slp_vectorization = False
    options.loop_vectorization = False
    options.loop_unrolling = level > 1
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)


def _path() -> str:
    """Return how warps run by CUDA_CPU_PATH: "fiber", or "region" where that is possible (the default)."""
    path = os.environ.get("CUDA_CPU_PATH", "region")
    if path not in ("region", "fiber"):
        raise ValueError(f"CUDA_CPU_PATH must be region or fiber, not {path!r}")
    return path


def _width(default: str = "32") -> int:
    """Return the SIMD width by CUDA_CPU_WIDTH: native, or a power of two up to 32, a warp (the default)."""
    text = _width_asked(default)
    if text == "native":
        return _of_this_cpu(machines.host().widths)
    return int(text)


def _width_asked(default: str = "32") -> str:
    text = os.environ.get("CUDA_CPU_WIDTH", default)
    if text not in ("native", "1", "2", "4", "8", "16", "32"):
        raise ValueError(f"CUDA_CPU_WIDTH must be native or a power of two up to 32, not {text!r}")
    return text


def check_settings() -> None:
    """Raise a ValueError for an environment variable that would fail at the first launch."""
    setting(), _path(), _width_asked(), most_instructions(), debug.active()


# --- the host -----------------------------------------------------------------------------------------


@functools.cache
def _llvm() -> ModuleType:
    try:
        import llvmlite
        import llvmlite.binding as llvm
    except ImportError as error:
        raise ImportError(
            "the CPU device's compiler, llvmlite, is not installed: pip install 'open-cuda-python[cpu]'",
            name="llvmlite",
        ) from error
    except own(OSError) as error:  # libllvmlite cannot be loaded, for example under ulimit -v
        raise ImportError(f"the CPU device's compiler, llvmlite, cannot be loaded: {error}", name="llvmlite") from error
    if llvm.llvm_version_info < LEAST_LLVM:
        raise ImportError(
            f"llvmlite {llvmlite.__version__} is too old for the CPU device: pip install 'llvmlite>=0.45' (and "
            "numba>=0.62, if that asks for the old one)",
            name="llvmlite",
        )
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm


@functools.cache
def _target_machine(level: int) -> llvm.TargetMachine:
    llvm = _llvm()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        opt=level,
        reloc="pic",
        codemodel="small",
    )


def _near() -> int:
    """Return the distance of software prefetches within a page."""
    return _of_this_cpu(machines.host().prefetch)


def _has_gathers() -> bool:
    return _has_all(machines.host().gathers)


def _has_dots() -> bool:
    return _has_all(machines.host().dots)


def _has_all(needed: tuple[str, ...]) -> bool:
    return bool(needed) and all(map(identity.cpu_has, needed))


def _vector_bytes() -> int:
    """Return the bytes of a vector register whose elements are shuffled and masked quickly, 0 if there is none."""
    sizes = machines.host().vectors
    return _of_this_cpu(sizes if _has_gathers() else sizes[-2:])


def _of_this_cpu(values: tuple[tuple[str, int], ...]) -> int:
    return next(value for feature, value in values if not feature or identity.cpu_has(feature))
