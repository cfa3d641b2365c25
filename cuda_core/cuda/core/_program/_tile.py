# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Tile IR: NVRTC's options for tile kernels, and NVIDIA's assembler tileiras, which makes cubins of Tile IR."""

from __future__ import annotations

import functools
import os
import sys
from typing import TYPE_CHECKING

from cuda.core._errors import TileError, compiler_error

if TYPE_CHECKING:
    from cuda.core._program._program_options import ProgramOptions

MAGIC = b"\x7fTileIR\0"  # Tile IR specification 13.4, section 5.2
ARCHITECTURES = [80, 86, 87, 88, 89, 90, 100, 103, 107, 110, 120, 121]  # of tileiras 13.5
NVRTC_ONLY = ("enable_tile", "tile_only", "tile_as_default_execution_space")
_STANDARD = "c++20"  # the oldest that cuda_tile.h accepts
_FIELDS = ("name", "arch", "debug", "lineinfo", "device_code_optimize", "no_cache")
_MISSING = (
    "NVIDIA's assembler tileiras is not installed: pip install nvidia-cuda-tileiras, or add the bin folder of CUDA "
    "13.3 or later to PATH"
)


def with_implied(spelled: list[str], options: ProgramOptions, target: str | None) -> list[str]:
    """Return NVRTC's options with those that tile kernels, or a target, imply."""
    if makes_tile_ir(options, target):
        # NVRTC 13.5 does not know the lowered names of kernels with it.
        spelled = [each for each in spelled if each != "--tile-only"]
        spelled += [] if options.enable_tile else ["--enable-tile"]
    elif not options.enable_tile:
        return spelled
    return spelled if options.std is not None else [*spelled, f"--std={_STANDARD}"]


def makes_tile_ir(options: ProgramOptions, target: str | None) -> bool:
    """Return whether NVRTC's result for a target is Tile IR; of `tile_only` programs, this is assembled to a cubin."""
    return target == "tile_ir" or (target == "cubin" and bool(options.tile_only))


def check(code: bytes) -> bytes:
    """Return Tile IR, or raise ValueError if it is something else."""
    if not code.startswith(MAGIC):
        raise ValueError(f"code is not Tile IR bytecode: it begins with {code[: len(MAGIC)].hex(' ') or 'nothing'}")
    return code


def refuse_unused(options: ProgramOptions) -> None:
    """Raise ValueError for options that a program of Tile IR has no use for."""
    given = [field for field in options.__dataclass_fields__ if getattr(options, field) is not None]
    unused = [field for field in given if field not in _FIELDS]
    if unused:
        raise ValueError(f"{', '.join(unused)} {'is' if len(unused) == 1 else 'are'} not for Tile IR programs")


def find() -> str:
    """Return the path of tileiras: of its Python package, on PATH, or in the toolkit that CUDA_HOME names.

    Raises
    ------
    TileError
        It is not installed.
    """
    import shutil

    search = [os.path.join(entry, "nvidia", "cu13", "bin") for entry in sys.path]
    search += os.environ.get("PATH", "").split(os.pathsep)
    search += [os.path.join(os.environ[name], "bin") for name in ("CUDA_HOME", "CUDA_PATH") if os.environ.get(name)]
    # What relative folders contain depends on the current directory.
    found = shutil.which("tileiras", path=os.pathsep.join(filter(os.path.isabs, search)))
    if found is None:
        raise TileError(_MISSING, name="TILEIRAS_NOT_FOUND", status=-1, call="tileiras")
    return found


def command_line(options: ProgramOptions) -> list[str]:
    """Return the options of tileiras."""
    arch = options._arch_among(ARCHITECTURES)
    # The CPU device finds the PTX of a cubin by its line information.
    given = [f"--gpu-name=sm_{arch.rpartition('_')[2].rstrip('af')}", "--lineinfo"]
    given += ["--device-debug"] if options.debug else []
    return given + (["--opt-level=0"] if options.device_code_optimize is False else [])


@functools.cache
def _version(program: str, size: int, changed: int) -> bytes:
    import subprocess

    return subprocess.run([program, "--version"], capture_output=True, check=True).stdout


def build() -> bytes:
    """Return an identifier of the assembler, for keys of caches."""
    program = find()
    status = os.stat(program)
    return b"tileiras " + _version(program, status.st_size, status.st_mtime_ns)


def assemble(code: bytes, options: ProgramOptions) -> tuple[bytes, str]:
    """Return the cubin of Tile IR, and the assembler's messages.

    Raises
    ------
    TileError
        tileiras is not installed, or rejects the code.
    """
    import subprocess
    import tempfile

    program = find()
    with tempfile.TemporaryDirectory(prefix="cuda-core-tile-") as folder:
        source, result = os.path.join(folder, "kernel.tile"), os.path.join(folder, "kernel.cubin")
        with open(source, "wb") as file:
            file.write(code)
        command = [program, *command_line(options), "-o", result, source]
        done = subprocess.run(command, cwd=folder, capture_output=True, stdin=subprocess.DEVNULL)
        said = (done.stderr + done.stdout).decode(errors="replace").replace(folder + os.sep, "").strip()
        if done.returncode or not os.path.exists(result):
            raise compiler_error(TileError, "TILEIRAS_ERROR", done.returncode, "tileiras", said)
        with open(result, "rb") as file:
            return file.read(), said
