# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""How long a dashboard of 1,000 benchmarks takes to write and to open: python -m benchmarks.dashboard [OUT.html]

It is opened in headless Chromium, three times. The time is that from the start of the navigation to the end of the load
event and the next frame, as the browser's own clock tells it.
"""

from __future__ import annotations

import pathlib
import random
import sys
import tempfile
import time

from cuda.perf import dashboard
from cuda.perf.history import History
from cuda.perf.model import Environment, Result, Run, Samples, Work

BENCHMARKS, RUNS = 1000, 100
LOADED = """
const frame = document.createElement("iframe");
frame.width = width; frame.height = 900;
const start = performance.now();
await new Promise(done => { frame.onload = done; frame.src = "/dashboard.html"; document.body.append(frame); });
await new Promise(done => frame.contentWindow.requestAnimationFrame(() => setTimeout(done)));
return [performance.now() - start, frame.contentDocument.querySelectorAll("#rows tr").length,
        frame.contentDocument.documentElement.scrollWidth];
"""


def fill(history: History) -> Run:
    """Add runs of which some benchmarks become slower; return the latest."""
    generator = random.Random(1)
    levels = [10 ** generator.uniform(-6, -3) for _ in range(BENCHMARKS)]
    steps = {at: (generator.randint(20, 95), generator.uniform(0.9, 1.2)) for at in range(0, BENCHMARKS, 25)}
    for number in range(RUNS):
        results = []
        for at, level in enumerate(levels):
            first, factor = steps.get(at, (RUNS, 1.0))
            value = level * (factor if number >= first else 1) * generator.lognormvariate(0, 0.01)
            times = [value * factor for factor in (0.99, 1.0, 1.01)]
            work = Work(bytes_read=level * 1e10, flops=level * 10 ** generator.uniform(9, 11))
            axes = {"m": 2 ** (at % 12), "type": "f32"}
            results.append(Result(f"kernel{at:04}", axes, work=work, samples=[Samples(0, 0, 0, 1, times)]))
        environment = Environment(device="CPU device", cores=2, commit=f"{number:040x}")
        run = Run(1.7e9 + 86400 * number, "main", environment, results, complete=True)
        history.add(run)
    return run


def main() -> None:
    sys.path.insert(0, "docs")
    import browser  # type: ignore[import-not-found]

    with tempfile.TemporaryDirectory() as folder, History(pathlib.Path(folder) / "history.db", create=True) as history:
        latest = fill(history)
        start = time.perf_counter()
        page = dashboard.page(history, last=RUNS, latest=latest)
        print(f"written in {time.perf_counter() - start:.1f} s, {len(page) / 1e6:.1f} MB")
        pathlib.Path(folder, "dashboard.html").write_text(page)
        if len(sys.argv) > 1:
            pathlib.Path(sys.argv[1]).write_text(page)
        for width in (1280, 390):
            for _ in range(3):
                shown, rows, wide = browser.evaluate(pathlib.Path(folder), LOADED, {"width": width}, 60)
                print(f"{width} pixels: {shown:.0f} ms to open, {rows} rows, {wide} pixels wide")


if __name__ == "__main__":
    main()
