# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Run benchmark suites with this project and with peers, and print tables: python -m benchmarks [SUITE ...]

Calls and imports are measured on a driver that does nothing, alternating between this project and the peer. Peers are
installed into virtual environments at the first run; CUDA_BENCH_PEER can name one that has NVIDIA's packages. Results
and the driver are written to benchmarks/_out.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import subprocess
import sys

from benchmarks import call_tables, import_time, install, null_driver
from benchmarks.tables import machine

HERE = pathlib.Path(__file__).parent
OUT = HERE / "_out"
PEERS = ["cuda-core==1.2.2", "cuda-bindings==13.5.0"]
PEER_PACKAGES = [*PEERS, "nvidia-cuda-nvrtc==13.5.*", "numpy"]
NUMBA_PACKAGES = ["numba", "numpy"]
SUITES = ("calls", "imports", "install", "cpu_kernels")
ON_GPU = "gpu"  # not run by default: the calls of cuda.core on NVIDIA's driver


def peer_python(name: str, packages: list[str]) -> str:
    """Return the Python of an environment with a peer's packages; creates it if necessary."""
    python = OUT / name / "bin/python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", OUT / name], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *packages], check=True)
    return str(python)


def clean_environment() -> dict[str, str]:
    """Return the environment variables without settings of CUDA."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("CUDA_", "LD_LIBRARY"))}


def sides(with_peer: bool, on_gpu: bool = False) -> list[tuple[str, dict[str, str]]]:
    """Return Python and environment of this project and of NVIDIA's, for the null driver or for NVIDIA's driver."""
    driver = pathlib.Path("nvidia") if on_gpu else null_driver.build(OUT)
    found = {"LD_LIBRARY_PATH": os.environ.get("LD_LIBRARY_PATH", "") if on_gpu else str(driver.parent)}
    ours = (sys.executable, clean_environment() | found | {"CUDA_PYTHON_DRIVER": str(driver)})
    if not with_peer:
        return [ours]
    given = os.environ.get("CUDA_BENCH_PEER")
    peer = f"{given}/bin/python" if given else peer_python("peer", PEER_PACKAGES)
    return [ours, (peer, clean_environment() | found | {"PYTHONPATH": ""})]


def kernels(fast: bool, with_peer: bool) -> None:
    """Print the tables of kernels: one process on one core, compared with C and Numba."""
    command = [sys.executable, "-m", "benchmarks.cpu_kernels", *(["--seconds", "0.4"] if fast else [])]
    command += ["--numba", peer_python("numba", NUMBA_PACKAGES)] if with_peer else []
    subprocess.run(command, env=clean_environment(), cwd=HERE.parent, check=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__.splitlines()[0])
    parser.add_argument("suites", nargs="*", metavar="SUITE", help=f"{', '.join(SUITES)} (default: all); {ON_GPU}")
    parser.add_argument("--fast", action="store_true", help="fewer values, for a first look")
    parser.add_argument("--no-peer", action="store_true", help="leave NVIDIA's packages and Numba out")
    options = parser.parse_args()
    fast, with_peer = options.fast, not options.no_peer
    if unknown := set(options.suites) - {*SUITES, ON_GPU}:
        parser.error(f"no suite {', '.join(sorted(unknown))}; there are {', '.join((*SUITES, ON_GPU))}")
    OUT.mkdir(exist_ok=True)
    tables = {
        "calls": lambda: call_tables.table(sides(with_peer), OUT, 2 if fast else 7),
        "imports": lambda: import_time.table(sides(with_peer), 3 if fast else 9),
        ON_GPU: lambda: call_tables.gpu_table(sides(with_peer, on_gpu=True), 2 if fast else 7),
        "install": lambda: install.table(OUT / "install", PEERS, with_peer),
    }
    print(machine(), flush=True)
    for suite in options.suites or SUITES:
        print(f"\n## {suite}\n", flush=True)
        if suite == "cpu_kernels":
            kernels(fast, with_peer)
        else:
            print(*tables[suite](), sep="\n", flush=True)


if __name__ == "__main__":
    main()
