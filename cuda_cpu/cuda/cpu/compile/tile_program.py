# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Load Tile IR for the driver: our own compiler, or NVIDIA's assembler for what it does not support.

CUDA_CPU_TILE chooses: "auto" (the default), "own" (without the assembler), or "assembler".
"""

from __future__ import annotations

import functools
import json
import os
import sys
import threading
from typing import TYPE_CHECKING

from cuda.cpu import check, debug
from cuda.cpu.compile import cache, identity, jit, machines
from cuda.cpu.compile.code import Code, GlobalVariable, Kernel, MachineCode
from cuda.cpu.compile.frames import stack_of
from cuda.cpu.compile.progress import Progress
from cuda.cpu.counters import spans, state
from cuda.cpu.ptx.error import NoAssemblerError, PtxError
from cuda.cpu.ptx.layout import Parameter, aligned
from cuda.cpu.runtime.kernel_abi import FULL_RUN, Path
from cuda.cpu.tile.error import TileError, UnsupportedTileError

if TYPE_CHECKING:
    from cuda.cpu.runtime._runtime import Fault
    from cuda.cpu.tile.kernel import TileText
    from cuda.cpu.tile.syntax import Function, Module

VARIABLE = "CUDA_CPU_TILE"
CHOICES = ("auto", "own", "assembler")
_LANES = 32  # of a warp, whose local memory is a block's scratch memory
_PADDING = 64  # bytes, to align it
_ALIGNMENT = 256  # of globals that state none
_NEEDED = {"x86_64": ("fma", "f16c"), "aarch64": ()}  # features of the CPU, without which LLVM calls libm


def setting() -> str:
    """Return what CUDA_CPU_TILE says.

    Raises
    ------
    ValueError
        It has another value than those of CHOICES.
    """
    value = os.environ.get(VARIABLE) or "auto"
    if value not in CHOICES:
        raise ValueError(f"{VARIABLE} must be one of {', '.join(CHOICES)}, not {value!r}")
    return value


def stages(data: bytes, name: str | None, parts: tuple[str, ...], level: int) -> dict[str, list[str]] | None:
    """Return what `explain` shows of a kernel, None if NVIDIA's assembler is to be used.

    Raises
    ------
    PtxError
        There is no such kernel, or none of `load`'s choices can compile it.
    """
    from cuda.cpu.compile import tile_assembler
    from cuda.cpu.tile import bytecode, text

    code = load(data, max(tile_assembler.ARCHITECTURES))
    if code is None:
        return None
    module = bytecode.read(data)
    matching = [each for each in code.kernels if name is None or name == each or name in each]
    chosen = name if name in code.kernels else matching[0] if len(matching) == 1 else None
    if chosen is None:
        raise PtxError(f"name one kernel; there are: {', '.join(code.kernels) or 'none'}")
    kernel = _translated(module, module.functions[chosen])
    found = {"Tile IR": list(text.lines_of_function(module.functions[chosen]))} if "passes" in parts else {}
    if "paths" in parts:
        found[f"{chosen}: how it will run"] = [
            f"blocks are loops over vectors of {_width()} 32-bit lanes, with {kernel.scratch} bytes of tiles each"
        ]
    if "ir" in parts:
        found["LLVM IR"] = kernel.text.rstrip().splitlines()
    if "asm" in parts:
        found[f"machine code at level {level}"] = jit.disassemble(kernel.text, level).rstrip().splitlines()
    return found


def _translated(module: Module, function: Function) -> TileText:
    from cuda.cpu.tile import kernel, verify

    verify.verify_function(function)
    return kernel.emit_kernel(function, _width(), list(module.globals))


def variables_of(module: Module) -> dict[str, GlobalVariable]:
    """Return a module's globals in the form that the driver uses; what is not aligned is as CUDA aligns allocations."""
    return {
        each.name: GlobalVariable(each.name, "global", len(each.data), each.alignment or _ALIGNMENT, each.data)
        for each in module.globals.values()
    }


def load(data: bytes, capability: int) -> Code | None:
    """Load bytecode by our own compiler; return None if NVIDIA's assembler is to be used.

    Parameters
    ----------
    data : bytes
        Tile IR bytecode.
    capability : int
        Compute capability of the device times ten, for the attributes of kernels.

    Raises
    ------
    TileError
        The bytecode is damaged, or not supported and CUDA_CPU_TILE is "own".
    NoAssemblerError
        It is not supported, and the assembler is not installed.
    """
    choice = setting()
    # Checks, profiles and debuggers need PTX.
    if choice == "assembler" or (choice == "auto" and (check.chosen() or debug.active() or state.active)):
        return None
    try:
        return _code_of(data, capability)
    except TileError as error:
        if choice == "own":
            raise
        from cuda.cpu.compile import tile_assembler  # imports much that is not needed otherwise

        if tile_assembler.find() is None:
            if isinstance(error, UnsupportedTileError):
                raise NoAssemblerError(f"{error}; {tile_assembler.NEEDED}") from None
            raise
        if "CUDA_CPU_LOG" in os.environ:
            print(f"cuda.cpu: {error}; NVIDIA's assembler compiles it", file=sys.stderr)
        return None


@functools.lru_cache(maxsize=16)
def _code_of(data: bytes, capability: int) -> Code:
    """Return the code of bytecode, which is loaded twice: when cuTile assembles it, and by the driver."""
    return code_of(data, capability)


def code_of(data: bytes, capability: int) -> Code:
    """Return bytecode in the form that the driver uses: checked and translated, now or when it was cached."""
    compiler = _Compiler(data)
    kernels = {}
    for name, sizes in compiler.parameters.items():
        parameters, end = [], 0
        for size in sizes:
            parameters.append(Parameter(aligned(end, size), size, size))
            end = parameters[-1].offset + size
        kernels[name] = Kernel(
            name=name, parameters=tuple(parameters), parameter_bytes=end, shared_bytes=0, max_threads=1,
            required_block=(1, 1, 1), required_cluster=None, registers=255, ptx_version=capability,
            binary_version=capability,
        )  # fmt: skip
    return Code(
        kernels=kernels, variables=compiler.variables, symbols=list(compiler.variables), compile=compiler.compile,
        compile_profiled=compiler.compile, locate=compiler.locate,
        local_bytes=lambda name: compiler.compile(name).local_bytes,
    )  # fmt: skip


class _Compiler:
    """Compiles the kernels of a module at their first launch. `parameters` has the sizes of each kernel's.

    The disk cache has the parameters of a module, which is not read again, and the machine code of each kernel.
    """

    def __init__(self, data: bytes) -> None:
        from cuda.cpu.runtime import _runtime

        self._lock = threading.Lock()
        self._data = data
        self._settings = (
            identity.compiler(), f"tile {_runtime.ABI} {_level()} {_width()}".encode(), identity.cpu(), data
        )  # fmt: skip
        self._texts: dict[str, TileText] = {}
        self.variables: dict[str, GlobalVariable] = {}
        self._kernels: dict[str, MachineCode] = {}
        key = self._key("parameters")
        entry = None if os.environ.get("CUDA_CPU_DUMP") else cache.find(key)
        if entry is None:
            self.parameters = self._translate()
            stored = [(each.name, each.space, each.size, each.align, each.data.hex()) for each in
                      self.variables.values()]  # fmt: skip
            cache.store(key, json.dumps([self.parameters, stored]).encode())
        else:
            self.parameters, stored = json.loads(entry)
            self.variables = {
                name: GlobalVariable(name, space, size, align, bytes.fromhex(content))
                for name, space, size, align, content in stored
            }

    def _key(self, *names: str) -> str:
        return cache.key_of(*self._settings, *(name.encode() for name in names))

    def _translate(self) -> dict[str, list[int]]:
        """Read, check and translate all kernels, so that what is not supported is known now."""
        from cuda.cpu.tile import bytecode, kernel, verify

        if lacking := [each for each in _NEEDED[machines.host().name] if not identity.cpu_has(each)]:
            raise UnsupportedTileError(f"the CPU does not have {', '.join(lacking)}, without which Tile IR")
        module = bytecode.read(self._data)
        verify.verify(module)
        entries = {name: function for name, function in module.functions.items() if function.entry}
        self.variables = variables_of(module)
        self._texts = {
            name: kernel.emit_kernel(function, _width(), list(self.variables)) for name, function in entries.items()
        }
        if folder := os.environ.get("CUDA_CPU_DUMP"):
            os.makedirs(folder, exist_ok=True)
            for name, text in self._texts.items():
                with open(os.path.join(folder, name[:100] + ".ll"), "w") as file:
                    file.write(text.text)
        return {name: kernel.parameter_sizes(function) for name, function in entries.items()}

    def compile(self, name: str, lane_run: int = FULL_RUN, threads: int | None = None) -> MachineCode:
        with self._lock:
            if name not in self._kernels:
                self._kernels[name] = self._compiled(name)
            return self._kernels[name]

    def _compiled(self, name: str) -> MachineCode:
        from cuda.cpu.runtime import _runtime

        key = self._key("code", name)
        entry = None if os.environ.get("CUDA_CPU_DUMP") else cache.find(key)
        if entry is None:
            if not self._texts:
                self._translate()
            text = self._texts[name]
            with spans.span(name, "compile"), Progress(f"compiling kernel {name!r} for the CPU"):
                data = jit.assemble(text.text, _level())
            local = -(-(text.scratch + _PADDING) // _LANES)
            entry = jit.pack(data, Path.BLOCKS, local, stack_of(data), quick=False)
            cache.store(key, entry)
        path, local, frames, data, _ = jit.unpack(entry)
        image = _runtime.Image(data)
        return MachineCode(image.address(name), path, local, image, key=key, frames=frames)

    def locate(self, fault: Fault) -> str:
        """Describe the operation whose machine code faulted, "" if it is unknown.

        The kernel is compiled again, with a line table, as compile/locate.py does.
        """
        from cuda.cpu.compile.locate import Code as Located
        from cuda.cpu.compile.locate import with_locations
        from cuda.cpu.tile.text import described

        with self._lock:
            machine = self._kernels.get(fault.kernel)
            address, image = machine.faulted(fault) if machine is not None else (0, None)
            if image is None:
                return ""
            if not self._texts:
                self._translate()
            text = self._texts[fault.kernel]
        code = Located(jit.assemble(with_locations(text.text), _level()), fault.kernel)
        number = code.location(address - code.start(image)) if code.is_of(image) else 0
        return described(text.located[number - 1]) if number else ""


def _level() -> int:
    level = jit.setting()
    return jit.BEST if level is None else level


def _width() -> int:
    """Return the 32-bit lanes of the CPU's vector registers."""
    return next(width for feature, width in machines.host().widths if not feature or identity.cpu_has(feature))
