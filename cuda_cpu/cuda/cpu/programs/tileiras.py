# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Forward cuTile's calls of NVIDIA's assembler: Tile IR that our compiler supports stays as it is.

cuTile starts `tileiras IN -o OUT --gpu-name sm_89 ...` and loads OUT. The forwarder copies IN to OUT, which the driver
accepts as well. What our compiler does not support, and what is for another architecture than the device's (cuTile
tries out which bytecode tileiras reads), goes to the real assembler.
"""

from __future__ import annotations

import functools
import os
import subprocess
from typing import Any

from cuda.cpu.compile import tile_program
from cuda.cpu.ptx.error import PtxError
from cuda.cpu.signals import own

CACHE = "CUDA_TILE_CACHE_DIR"  # of cuTile, for what tileiras makes
NAME = "tileiras"


def install() -> None:
    """Forward from now on, with a cache of our own for cuTile: its entries are no cubins."""
    if tile_program.setting() == "assembler":
        return
    given = os.environ.get(CACHE, "")
    if given != "0":
        base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
        os.environ[CACHE] = os.path.join(given or os.path.join(base, "cutile-python"), "open-cuda-python")
    original = subprocess.Popen.__init__

    @functools.wraps(original)
    def start(self: Any, args: Any, *others: Any, **named: Any) -> None:
        original(self, forwarded(args), *others, **named)

    subprocess.Popen.__init__ = start  # type: ignore[method-assign]


def forwarded(command: Any) -> Any:
    """Return the command to run instead of one that starts tileiras; others are returned as they are."""
    if not isinstance(command, list) or len(command) < 4 or os.path.basename(str(command[0])) != NAME:
        return command
    options = [str(each) for each in command]
    if options[2] != "-o" or option(options, "--gpu-name") != f"sm_{capability()}":
        return command
    return ["/bin/cp", options[1], options[3]] if _is_ours(options[1]) else command


def _is_ours(path: str) -> bool:
    """Return whether our compiler gets a file: what it supports, or all, which it may then reject by name."""
    try:
        with open(path, "rb") as file:
            return tile_program.load(file.read(), capability()) is not None
    except own(OSError, PtxError):
        return tile_program.setting() == "own"


def option(options: list[str], name: str) -> str:
    """Return the value of an option: the next word, or what follows a sign of equality."""
    for word, following in zip(options, [*options[1:], ""], strict=True):
        if word == name:
            return following
        if word.startswith(f"{name}="):
            return word.partition("=")[2]
    return ""


def capability() -> int:
    from cuda.cpu.driver.code.image import capability

    return capability()
