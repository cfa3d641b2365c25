# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Run examples and record what they print and draw, for the page of examples: python docs/record_examples.py [NAME...]

Writes docs/_static/examples/NAME.txt and NAME.png. An example whose libraries are not installed is named and left out.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

from PIL import Image

ROOT = pathlib.Path(__file__).parents[1]
EXAMPLES, RECORDS = ROOT / "examples", ROOT / "docs/_static/examples"
NOT_SHOWN = {"make_picture", "heat_halo"}
# Arguments of the examples that draw. The picture is the only file in their folder then.
DRAWS = {
    "mandelbrot": ["mandelbrot.png"],
    "texture_picture": ["texture.png"],
    "image_filter": [str(EXAMPLES / "picture.png"), "edges.png"],
    "nbody": ["galaxies.gif", "4096", "40"],
    "heat": ["--steps", "1000", "--every", "250", "--picture", "heat.png"],
    "sweep_ray": ["--picture", "sweep.png"],
}
RANKS = {
    "mpi_sum": ["mpiexec", "-n", "4", sys.executable],
    "heat_mpi": ["mpiexec", "-n", "3", sys.executable, "-m", "mpi4py"],
}
SETTINGS = {
    "CUDA_PYTHON_DRIVER": "cpu", "CUDA_CPU_DEVICES": "2", "RAY_AUTH_MODE": "disabled", "RAY_USAGE_STATS_ENABLED": "0",
    "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
}  # fmt: skip


def neutral(text: str) -> str:
    """Return an output without the paths and the processor of the machine that recorded it."""
    return re.sub(r"CPU device \(.*?, \d+ cores?\)", "CPU device", text.replace(f"{EXAMPLES}/", ""))


def record(name: str) -> str:
    """Run an example, and return its name with the outcome."""
    arguments = DRAWS.get(name, [])
    with tempfile.TemporaryDirectory() as folder:
        command = [*RANKS.get(name, [sys.executable]), str(EXAMPLES / f"{name}.py"), *arguments]
        result = subprocess.run(command, cwd=folder, env=os.environ | SETTINGS, capture_output=True, text=True)
        if result.returncode:
            return f"{name}: not recorded: {(result.stderr.strip() or 'no message').splitlines()[-1]}"
        (RECORDS / f"{name}.txt").write_text(neutral(result.stdout))
        if arguments:
            with Image.open(next(pathlib.Path(folder).iterdir())) as picture:
                picture.seek(getattr(picture, "n_frames", 1) * 2 // 3)  # galaxies that have met
                picture.save(RECORDS / f"{name}.png", optimize=True)
    return f"{name}: recorded"


def main(names: list[str]) -> None:
    RECORDS.mkdir(exist_ok=True)
    for name in names or sorted({path.stem for path in EXAMPLES.glob("*.py")} - NOT_SHOWN):
        print(record(name), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
