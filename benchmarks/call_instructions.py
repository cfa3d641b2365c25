# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Count the instructions of calls in built checkouts: `python -m benchmarks.call_instructions ../before .`

The rows are those of the calls' benchmark, on the null driver. Valgrind counts, so that the figures do not depend on
what else the machine does. The last column is the ratio of the last checkout to the first.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).parents[1]
SUITES = ("rows_core", "rows_bindings")
SOURCE_ROOTS = ("cuda_bindings", "cuda_core", "cuda_cpu")
CALLS = 200
MARK = "*getpgid*"  # callgrind writes its counts and begins anew at each call


def run_rows(module: str) -> None:
    """Run each row of a module, with a mark before and after; print its name. A row that fails has no marks."""
    rows = importlib.import_module(module)
    gc.disable()
    for name, _, statement in rows.ROWS:
        body = compile(f"for _ in range({CALLS}): {statement}", name, "exec")
        names = dict(vars(rows))
        try:
            exec(body, names)
        except Exception:
            continue
        os.getpgid(0)
        exec(body, names)
        os.getpgid(0)
        print(name, flush=True)


def count(checkout: pathlib.Path, module: str, driver: pathlib.Path) -> dict[str, float]:
    """Return the instructions of one call of each row."""
    paths = [str(checkout / root) for root in SOURCE_ROOTS] + [str(ROOT / "benchmarks"), str(ROOT)]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("CUDA_")}
    environment |= {"PYTHONPATH": os.pathsep.join(paths), "CUDA_PYTHON_DRIVER": str(driver), "PYTHONHASHSEED": "0"}
    with tempfile.TemporaryDirectory() as folder:
        command = ["valgrind", "--tool=callgrind", f"--dump-before={MARK}", f"--callgrind-out-file={folder}/counts"]
        command += [sys.executable, "-m", "benchmarks.call_instructions", "--run", module]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"{checkout}: status {done.returncode}\n{done.stderr[-2000:]}")
        dumps = sorted(pathlib.Path(folder).glob("counts.*"), key=lambda path: int(path.suffix[1:]))
        totals = [int(re.findall(r"^(?:totals|summary): (\d+)", path.read_text(), re.MULTILINE)[0]) for path in dumps]
    # Dump 1 is what ran before the first mark, dump 2 the first row, dump 3 what lies between the rows, and so on.
    return dict(zip(done.stdout.splitlines(), (total / CALLS for total in totals[1::2]), strict=False))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.call_instructions", description=__doc__)
    parser.add_argument("checkouts", nargs="*", type=pathlib.Path)
    parser.add_argument("--suites", nargs="+", choices=SUITES, default=list(SUITES))
    parser.add_argument("--run", choices=SUITES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        run_rows(options.run)
        return
    from benchmarks import null_driver

    out = ROOT / "benchmarks/_out"
    out.mkdir(exist_ok=True)
    driver = null_driver.build(out)
    for suite in options.suites:
        counts = [count(checkout.resolve(), suite, driver) for checkout in options.checkouts]
        for name in counts[0]:
            values = [each.get(name, float("nan")) for each in counts]
            cells = " | ".join(f"{value:,.0f}" for value in values)
            print(f"| {name} | {cells} | {values[-1] / values[0]:.3f} |", flush=True)


if __name__ == "__main__":
    main()
