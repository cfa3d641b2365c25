# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Time tile kernels on one core: python -m benchmarks.tile_kernels --python PYTHON

PYTHON is an interpreter with cuda-tile, nvidia-cuda-tileiras, cuda-core and NumPy. The first table compares kernels of
cuTile with NumPy (OpenBLAS with one thread) in one process. The second one has the CPU time from bytecode to a kernel
that can be launched, in a new process, without cache and with it.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

from benchmarks.tables import machine

HERE = pathlib.Path(__file__).parent
LOAD = """
import ctypes, json, sys, time
from cuda.cpu import driver
driver.cuInit(0)
driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0))
data = open(sys.argv[1], "rb").read()
image = ctypes.create_string_buffer(data, len(data))
started = time.process_time()
module = driver.cuModuleLoadData(ctypes.addressof(image))
driver.cuFuncLoad(driver.cuModuleGetFunction(module, sys.argv[2].encode()))
print(json.dumps(time.process_time() - started))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", required=True)
    parser.add_argument("--rounds", type=int, default=5, help="processes for each time to load; default 5")
    options = parser.parse_args()
    core = str(max(os.sched_getaffinity(0)))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        dumps = folder / "bytecode"
        dumps.mkdir()
        one = {"OPENBLAS_NUM_THREADS": "1", "CUDA_CPU_WORKERS": "1", "CUDA_CPU_TILE": "own"}
        one |= {"CUDA_TILE_CACHE_DIR": "0", "CUDA_CPU_CACHE": "0", "CUDA_TILE_DUMP_BYTECODE": str(dumps)}
        run = ["taskset", "-c", core, sys.executable, "-m", "cuda.cpu", "run", "--python", options.python]
        print(machine(), "\n\n| kernel | ours | NumPy | NumPy's time / ours |\n|---|---|---|---|", flush=True)
        subprocess.run(
            [*run, str(HERE / "tile_programs.py")], env=os.environ | one, stderr=subprocess.DEVNULL, check=True
        )
        print("\n| bytecode | without cache | from the cache |\n|---|---|---|")
        for file in sorted(dumps.iterdir()):
            times = []
            for cache in ("0", str(folder / "cache")):
                found = [load(file, cache, core) for _ in range(options.rounds + 1)][1:]
                times.append(1000 * statistics.median(found))
            print(f"| {file.name.split('.')[0]}, {file.stat().st_size} bytes | {times[0]:.0f} ms | {times[1]:.1f} ms |")


def load(file: pathlib.Path, cache: str, core: str) -> float:
    """Return the CPU time, in seconds, that a new process takes to load and compile the only kernel of a file."""
    from cuda.cpu.tile import bytecode

    (name,) = bytecode.read(file.read_bytes()).functions
    command = ["taskset", "-c", core, sys.executable, "-c", LOAD, str(file), name]
    variables = dict(os.environ, CUDA_CPU_CACHE=cache, CUDA_CPU_TILE="own", PYTHONPYCACHEPREFIX=str(file.parents[1]))
    variables.pop("PYTHONDONTWRITEBYTECODE", None)  # Python's own compilation is not measured
    return float(json.loads(subprocess.check_output(command, env=variables, text=True)))


if __name__ == "__main__":
    main()
