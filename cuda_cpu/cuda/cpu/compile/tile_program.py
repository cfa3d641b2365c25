# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Load Tile IR for the driver: our own compiler, or NVIDIA's assembler for what it does not support.

CUDA_CPU_TILE chooses: "auto" (the default), "own" (without the assembler), or "assembler".
"""

from __future__ import annotations

import functools
import os
import sys
import threading
from typing import TYPE_CHECKING

from cuda.cpu import check, debug
from cuda.cpu.compile import cache, identity, jit, machines, tile_assembler
from cuda.cpu.compile.code import Code, Kernel, MachineCode
from cuda.cpu.compile.frames import stack_of
from cuda.cpu.compile.progress import Progress
from cuda.cpu.counters import spans, state
from cuda.cpu.ptx.error import NoAssemblerError, PtxError
from cuda.cpu.runtime.kernel_abi import FULL_RUN, Path
from cuda.cpu.tile.error import TileError, UnsupportedTileError

if TYPE_CHECKING:
    from cuda.cpu.tile.kernel import TileText
    from cuda.cpu.tile.syntax import Function

VARIABLE = "CUDA_CPU_TILE"
CHOICES = ("auto", "own", "assembler")
_LANES = 32  # of a warp, whose local memory is a block's scratch memory
_PADDING = 64  # bytes, to align it
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
    from cuda.cpu.tile import bytecode, text

    code = load(data, max(tile_assembler.ARCHITECTURES))
    if code is None:
        return None
    module = bytecode.read(data)
    matching = [each for each in code.kernels if name is None or name == each or name in each]
    chosen = name if name in code.kernels else matching[0] if len(matching) == 1 else None
    if chosen is None:
        raise PtxError(f"name one kernel; there are: {', '.join(code.kernels) or 'none'}")
    kernel = _translated(module.functions[chosen])
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


def _translated(function: Function) -> TileText:
    from cuda.cpu.tile import kernel, verify

    verify.verify_function(function)
    return kernel.emit_kernel(function, _width())


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
    """Return bytecode in the form that the driver uses. All kernels are checked and translated, or cached already."""
    from cuda.cpu.tile import bytecode, kernel, verify

    module = bytecode.read(data)
    verify.verify(module)
    if lacking := [each for each in _NEEDED[machines.host().name] if not identity.cpu_has(each)]:
        raise UnsupportedTileError(f"the CPU does not have {', '.join(lacking)}, without which Tile IR")
    compiler = _Compiler(data)
    kernels = {}
    for name, function in module.functions.items():
        if not function.entry:
            continue
        compiler.add(function)
        parameters, size = kernel.parameters_of(function)
        kernels[name] = Kernel(
            name=name, parameters=parameters, parameter_bytes=size, shared_bytes=0, max_threads=1,
            required_block=(1, 1, 1), required_cluster=None, registers=255, ptx_version=capability,
            binary_version=capability,
        )  # fmt: skip
    return Code(kernels=kernels, variables={}, symbols=[], compile=compiler.compile,
                compile_profiled=compiler.compile, locate=lambda fault: "")  # fmt: skip


class _Compiler:
    """Compiles the kernels of a module at their first launch."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._lock = threading.Lock()
        self._entries: dict[str, tuple[str, bytes | None, TileText | None]] = {}  # key, cache entry or LLVM IR
        self._kernels: dict[str, MachineCode] = {}

    def add(self, function: Function) -> None:
        """Find a kernel in the disk cache, or translate it, so that what is not supported is known now."""
        from cuda.cpu.runtime import _runtime

        level, width = _level(), _width()
        parts = (identity.compiler(), f"tile {_runtime.ABI} {level} {width}".encode(), identity.cpu(), self._data)
        key = cache.key_of(*parts, function.name.encode())
        shown = os.environ.get("CUDA_CPU_DUMP")
        entry = None if shown else cache.find(key)
        text = None
        if entry is None:
            from cuda.cpu.tile.kernel import emit_kernel

            text = emit_kernel(function, width)
            if shown:
                os.makedirs(shown, exist_ok=True)
                with open(os.path.join(shown, function.name[:100] + ".ll"), "w") as file:
                    file.write(text.text)
        self._entries[function.name] = key, entry, text

    def compile(self, name: str, lane_run: int = FULL_RUN) -> MachineCode:
        with self._lock:
            if name not in self._kernels:
                self._kernels[name] = self._compiled(name)
            return self._kernels[name]

    def _compiled(self, name: str) -> MachineCode:
        from cuda.cpu.runtime import _runtime

        key, entry, text = self._entries[name]
        if entry is None:
            assert text is not None
            with spans.span(name, "compile"), Progress(f"compiling kernel {name!r} for the CPU"):
                data = jit.assemble(text.text, _level())
            local = -(-(text.scratch + _PADDING) // _LANES)
            entry = jit.pack(data, Path.BLOCKS, local, stack_of(data), quick=False)
            cache.store(key, entry)
        path, local, frames, data, _ = jit.unpack(entry)
        image = _runtime.Image(data)
        return MachineCode(image.address(name), path, local, image, key=key, frames=frames)


def _level() -> int:
    level = jit.setting()
    return jit.BEST if level is None else level


def _width() -> int:
    """Return the 32-bit lanes of the CPU's vector registers."""
    return next(width for feature, width in machines.host().widths if not feature or identity.cpu_has(feature))
