# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Tile IR to a cubin with PTX, by NVIDIA's assembler tileiras in another process."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile

from cuda.cpu.compile import cache
from cuda.cpu.ptx.error import NoAssemblerError, NoPtxError, PtxError
from cuda.cpu.signals import own

# Architectures of tileiras without tensor maps, whose kernels have parameters that are not documented.
ARCHITECTURES = (80, 86, 87, 88, 89)
NEEDED = (
    "NVIDIA's assembler tileiras is needed: pip install nvidia-cuda-tileiras, or add the bin folder of CUDA 13.3 or "
    "later to PATH"
)
_LONGEST = 600  # seconds
_PACKAGE = os.path.join("nvidia", "cu13", "bin")


def find() -> str | None:
    """Return the path of tileiras: of its Python package, on PATH, or in the toolkit that CUDA_HOME names."""
    search = [os.path.join(folder, _PACKAGE) for folder in sys.path]
    search += os.environ.get("PATH", "").split(os.pathsep)
    search += [os.path.join(os.environ[name], "bin") for name in ("CUDA_HOME", "CUDA_PATH") if os.environ.get(name)]
    # What relative folders contain depends on the current directory.
    return shutil.which("tileiras", path=os.pathsep.join(filter(os.path.isabs, search)))


def assemble(data: bytes, capability: int) -> bytes:
    """Return the cubin of Tile IR, from the cache of compiled kernels if it is there.

    Parameters
    ----------
    data : bytes
        Tile IR bytecode.
    capability : int
        Compute capability of the device times ten. The cubin is made for this one or an older one.

    Raises
    ------
    NoAssemblerError
        tileiras is not installed.
    NoPtxError
        tileiras has no architecture that the device runs.
    PtxError
        tileiras rejects the bytecode.
    """
    arch = max((each for each in ARCHITECTURES if each <= capability), default=0)
    if not arch:
        raise NoPtxError("Tile IR needs compute capability 8.0 or later: set CUDA_CPU_CAPABILITY=8.9")
    program = find()
    if program is None:
        raise NoAssemblerError(f"the image is Tile IR; {NEEDED}")
    status = os.stat(program)
    key = cache.key_of(b"tile", data, str(arch).encode(), f"{program} {status.st_size} {status.st_mtime_ns}".encode())
    cubin = cache.find(key)
    if cubin is None:
        cubin = _run(program, data, arch)
        cache.store(key, cubin)
    return cubin


def _run(program: str, data: bytes, arch: int) -> bytes:
    with tempfile.TemporaryDirectory(prefix="cuda-cpu-tile-") as folder:
        source, result = os.path.join(folder, "kernel.tile"), os.path.join(folder, "kernel.cubin")
        with open(source, "wb") as file:
            file.write(data)
        command = [program, f"--gpu-name=sm_{arch}", "--lineinfo", "-o", result, source]
        try:
            done = subprocess.run(command, cwd=folder, capture_output=True, timeout=_LONGEST, stdin=subprocess.DEVNULL)
        except own(OSError, subprocess.TimeoutExpired) as error:
            raise PtxError(f"tileiras cannot assemble the Tile IR: {error}") from None
        if done.returncode or not os.path.exists(result):
            said = (done.stderr or done.stdout).decode(errors="replace").replace(folder + os.sep, "").strip()
            raise PtxError(f"tileiras cannot assemble the Tile IR: {said or f'exit status {done.returncode}'}")
        with open(result, "rb") as file:
            return file.read()
