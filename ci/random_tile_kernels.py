# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Compare random kernels of Tile IR with NumPy: `python -m ci.random_tile_kernels [--count N] [--seed S]`.

Each kernel has 6 to 16 operations (arithmetic, comparisons, conversions, shapes, reductions, scans, products) on tiles
of arrays with odd sizes, and exact results. Our own compiler runs it and, with `--assembler FOLDER`, also NVIDIA's
assembler, of which this is the folder. The exit status is 1 if a result differs. A kernel takes 50 ms by our compiler.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import sys


def run(compiler: str, seeds: range) -> int:
    """Return how many kernels have wrong results by a compiler."""
    from support.random_tile_ir import differences

    os.environ["CUDA_CPU_TILE"] = compiler
    bad = 0
    for seed in seeds:
        try:
            found = differences(seed)
        except Exception as error:  # of the driver
            found = [f"{type(error).__name__}: {error}"]
        bad += bool(found)
        for line in found:
            print(f"seed {seed}, {compiler}: {line}", flush=True)
    print(f"{compiler}: {len(seeds) - bad} of {len(seeds)} kernels have NumPy's results", flush=True)
    return bad


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m ci.random_tile_kernels", description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0, help="of the first kernel; the next ones follow")
    parser.add_argument("--assembler", metavar="FOLDER", help="the folder of tileiras")
    options = parser.parse_args()
    os.environ["CUDA_CPU_CAPABILITY"] = "8.9"  # without tensor maps
    sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "tests"))
    from cuda.cpu import driver

    driver.cuInit(0)
    driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0))
    seeds = range(options.seed, options.seed + options.count)
    bad = run("own", seeds)
    if options.assembler:
        os.environ["PATH"] += os.pathsep + options.assembler
        bad += run("assembler", seeds)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
