# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Compile kernels: PTX to LLVM IR (emit), LLVM IR to an object (llvmlite), an object to memory (the native loader)."""

from __future__ import annotations

import ctypes
import functools
import os
import sys
from typing import TYPE_CHECKING

from cuda.cpu import cache
from cuda.cpu.code import MachineCode

if TYPE_CHECKING:
    from types import ModuleType

    import llvmlite.binding as llvm

    from cuda.cpu.ptx.program import Program

WIDTH = 32  # lanes of a packet: a whole warp


def compile_kernel(program: Program, name: str) -> MachineCode:
    """Return a kernel's machine code, from the disk cache if it has been compiled before.

    Parameters
    ----------
    program : Program
        Linked PTX.
    name : str
        The kernel's name.

    Raises
    ------
    PtxError
        Something in the kernel cannot be translated.
    ImportError
        llvmlite is not installed.
    """
    from cuda.cpu.runtime import _runtime

    key = cache.key_of(_compiler_identity(), str(_runtime.ABI).encode(), _cpu_identity(), program.key, name.encode())
    entry = None if os.environ.get("CUDA_CPU_EXPLAIN") == "1" else cache.find(key)
    if entry is None:
        entry = pack(*build_object(program, name))
        cache.store(key, entry)
    needs_fibers, local_bytes, data = unpack(entry)
    image = _runtime.Image(data)
    return MachineCode(image.address(name), needs_fibers, local_bytes, image)


def compile_function(program: Program, name: str) -> MachineCode:
    """Return what stands for the address of a device function.

    Calls through pointers compare the pointer with the addresses of the functions that it may mean, so an
    address needs no
    code behind it: it is that of a place in memory which belongs to the function.
    """
    token = ctypes.create_string_buffer(16)
    return MachineCode(ctypes.addressof(token), False, 0, token)


def pack(data: bytes, needs_fibers: bool, local_bytes: int) -> bytes:
    """Join an object and what the runtime must know of it to one cache entry."""
    return bytes([needs_fibers]) + local_bytes.to_bytes(8, "little") + data


def unpack(entry: bytes) -> tuple[bool, int, bytes]:
    return bool(entry[0]), int.from_bytes(entry[1:9], "little"), entry[9:]


def build_object(program: Program, name: str) -> tuple[bytes, bool, int]:
    """Compile a kernel to an ELF object; also tell whether it needs fibers, and its local memory."""
    from cuda.cpu.emit import emit_kernel

    llvm = _llvm()
    machine = _target_machine()
    kernel = emit_kernel(program, name, width=WIDTH, native_gather=_has_gathers())
    if os.environ.get("CUDA_CPU_DUMP"):
        with open(os.path.join(os.environ["CUDA_CPU_DUMP"], name[:100] + ".ll"), "w") as file:
            file.write(kernel.text)
    if os.environ.get("CUDA_CPU_EXPLAIN") == "1":
        print(*(f"cuda.cpu: {note}" for note in kernel.notes), sep="\n", file=sys.stderr)
    module = llvm.parse_assembly(kernel.text)
    module.verify()
    module.triple = machine.triple
    module.data_layout = str(machine.target_data)
    optimise(module, machine)
    return machine.emit_object(module), kernel.needs_fibers, kernel.local_bytes


def optimise(module: llvm.ModuleRef, machine: llvm.TargetMachine) -> None:
    """Run LLVM's passes at level 1: mem2reg, simplification, loops. The code is vectors already."""
    llvm = _llvm()
    options = llvm.create_pipeline_tuning_options(speed_level=1)
    options.slp_vectorization = False
    options.loop_vectorization = False
    options.loop_unrolling = False
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)


# --- the host -----------------------------------------------------------------------------------------


@functools.cache
def _llvm() -> ModuleType:
    try:
        import llvmlite.binding as llvm
    except ImportError as error:
        raise ImportError(
            "the CPU device's compiler, llvmlite, is not installed: pip install 'open-cuda-python[cpu]'",
            name="llvmlite",
        ) from error
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm


@functools.cache
def _target_machine() -> llvm.TargetMachine:
    llvm = _llvm()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        opt=1,
        reloc="pic",
        codemodel="small",
    )


@functools.cache
def _has_gathers() -> bool:
    return bool(_llvm().get_host_cpu_features().get("avx512f"))


@functools.cache
def _compiler_identity() -> bytes:
    """Return what changes when the code here does: names, sizes and times of the files that make machine code."""
    found = []
    for folder in (".", "emit", "passes", "ptx"):
        for entry in os.scandir(os.path.join(os.path.dirname(__file__), folder)):
            if entry.name.endswith(".py"):
                status = entry.stat()
                found.append(f"{folder}/{entry.name} {status.st_size} {status.st_mtime_ns}")
    return "\n".join(sorted(found)).encode()


@functools.cache
def _cpu_identity() -> bytes:
    """Return what tells CPUs apart for which code is compiled differently; llvmlite need not be imported for it."""
    wanted = (
        "model name",
        "vendor_id",
        "cpu family",
        "model\t",
        "stepping",
        "flags",
        "Features",
        "CPU part",
        "CPU implementer",
    )
    found = []
    with open("/proc/cpuinfo", "rb") as file:
        for line in file:
            if not line.strip():
                break  # the first core speaks for all
            if line.startswith(tuple(word.encode() for word in wanted)):
                found.append(line)
    return b"".join(found)
