# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""`environment`: print what a run records about this machine."""

from __future__ import annotations

import argparse
import importlib.util
import json
import subprocess
import sys
from dataclasses import asdict

from cuda.perf import environment, noise
from cuda.perf.errors import CommandError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print it as JSON")
    parser.add_argument(
        "--hints", action="store_true", help='run pyperf\'s "system show", which says how to make the machine quieter'
    )


def main(options: argparse.Namespace) -> int:
    if options.hints:
        return hints()
    found, current = environment.collect(), noise.Recorder().stop()
    if options.json:
        print(json.dumps({"machine_id": found.machine_id, **asdict(found), "noise": asdict(current)}, indent=1))
        return 0
    for name, value in {"machine_id": found.machine_id, **asdict(found), **asdict(current)}.items():
        shown = ", ".join(f"{key} {each}" for key, each in value.items()) if isinstance(value, dict) else value
        print(f"{name:20} {'unknown' if shown is None or shown == '' else shown}")
    return 0


def hints() -> int:
    """Print what pyperf says of the system; it changes nothing."""
    if importlib.util.find_spec("pyperf") is None:
        raise CommandError("--hints needs pyperf: pip install 'open-cuda-python[perf]'")
    return subprocess.run([sys.executable, "-m", "pyperf", "system", "show"]).returncode
