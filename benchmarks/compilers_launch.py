# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Time one launch by compilers of kernels and by cuda.core: python -m benchmarks.compilers_launch

All use the driver that does nothing, so that the time is that of the caller. The processes alternate; a value is the
median over them. The compilers are installed into an environment of their own at the first run.
"""

from __future__ import annotations

import argparse
import collections
import json
import statistics
import subprocess
import sys

from benchmarks import null_driver
from benchmarks.__main__ import HERE, OUT, clean_environment, peer_python
from benchmarks.rows_compilers import ROWS
from benchmarks.tables import duration, machine

PACKAGES = ["triton==3.9.0", "cuda-tile==1.7.0", "nvidia-cuda-tileiras==13.5.*", "numba_cuda_mlir[cu13]==0.6.0"]
OURS = "cuda_core"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="processes of each compiler; default 5")
    parser.add_argument(
        "--python", action="append", default=[], metavar="ROW=PYTHON",
        help=f"an interpreter that has the package of a row: {', '.join(ROWS)}",
    )  # fmt: skip
    options = parser.parse_args()
    OUT.mkdir(exist_ok=True)
    driver = null_driver.build(OUT)
    pythons = {OURS: sys.executable} | dict(given.split("=", 1) for given in options.python)
    for row in ROWS.keys() - pythons.keys():
        pythons[row] = peer_python("compilers", PACKAGES)
    common = clean_environment() | {"LD_LIBRARY_PATH": str(driver.parent), "CC": "gcc"}
    times = collections.defaultdict(list)
    for _ in range(options.rounds):
        for row in ROWS:
            own = {"CUDA_PYTHON_DRIVER": str(driver)} if row == OURS else {"PYTHONPATH": ""}
            command = [pythons[row], str(HERE / "rows_compilers.py"), row]
            done = subprocess.run(command, env=common | own, stdout=subprocess.PIPE, text=True, check=True)
            for title, value in json.loads(done.stdout.splitlines()[-1]).items():
                times[title].append(value)
    print(machine(), "\n\n| launch of two arrays and two numbers | time of the host |\n|---|---|")
    for title, values in times.items():
        print(f"| {title} | {duration(statistics.median(values) / 1e9)} |")


if __name__ == "__main__":
    main()
