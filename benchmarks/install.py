# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The cost of building and installing: time of the build from a clean checkout, size packed and installed."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys
import time
import zipfile

ROOT = pathlib.Path(__file__).parent.parent
MIB = 1 << 20


def build(folder: pathlib.Path) -> tuple[list[pathlib.Path], float]:
    """Build the wheel from a copy of the tracked files; return it and the seconds."""
    shutil.rmtree(folder, ignore_errors=True)
    source = folder / "source"
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True).stdout
    for name in filter(None, listed.decode().split("\0")):
        if (ROOT / name).exists():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, source / name)
    # No compiler cache, and no build of the working tree.
    environment = {name: value for name, value in os.environ.items() if name not in ("CC", "PYTHONPATH")}
    start = time.perf_counter()
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(folder / "ours"), str(source)]
    subprocess.run(command, env=environment, check=True)
    seconds = time.perf_counter() - start
    return list((folder / "ours").glob("*.whl")), seconds


def peers(folder: pathlib.Path, packages: list[str]) -> list[pathlib.Path]:
    """Download NVIDIA's wheels."""
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(folder / "peers"), *packages]
    subprocess.run(command, check=True)
    return list((folder / "peers").glob("*.whl"))


def sizes(wheels: list[pathlib.Path]) -> tuple[float, float]:
    """Return the size of wheels in MiB, packed and installed."""
    packed = sum(wheel.stat().st_size for wheel in wheels)
    installed = sum(entry.file_size for wheel in wheels for entry in zipfile.ZipFile(wheel).infolist())
    return packed / MIB, installed / MIB


def table(folder: pathlib.Path, packages: list[str], with_peer: bool) -> list[str]:
    """Return the rows of the table."""
    wheels, seconds = build(folder)
    packed, installed = sizes(wheels)
    theirs = [f"{value:.1f} MiB" for value in sizes(peers(folder, packages))] if with_peer else ["-", "-"]
    return [
        "| what | target | ours | NVIDIA's |",
        "|---|---|---|---|",
        f"| wheel (NVIDIA's: core and bindings) | 5 MB | {packed:.1f} MiB | {theirs[0]} |",
        f"| installed, without byte code | 15 MB | {installed:.1f} MiB | {theirs[1]} |",
        f"| build from a clean checkout, {len(os.sched_getaffinity(0))} cores | 4 minutes | {seconds:.0f} s | - |",
    ]
