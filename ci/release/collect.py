# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Prepare the files of a release: `python -m ci.release.collect dist other --tag v0.1.0`.

Checks that all sdists and wheels are there, and writes into OTHER: SHA256SUMS, a bill of materials (CycloneDX) for each
distribution with its resolved dependencies, and the conda recipe with the sdist's hash.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile

from ci.wheels.toolchain import MACHINES, VERSIONS, sums

ROOT = pathlib.Path(__file__).parents[2]
# Distribution -> what is installed for its bill of materials.
DISTRIBUTIONS = {"open-cuda-python": "open-cuda-python[all]", "cuda-cpu": "cuda-cpu"}
RECIPE = ROOT / "ci/conda/recipe.yaml"


def missing(dist: pathlib.Path, version: str) -> list[str]:
    """Return what a complete release has and the folder lacks."""
    lacking = []
    for name in (distribution.replace("-", "_") for distribution in DISTRIBUTIONS):
        if not (dist / f"{name}-{version}.tar.gz").exists():
            lacking.append(f"{name}-{version}.tar.gz")
        for python in VERSIONS:
            number = python.replace(".", "")
            for machine in MACHINES:
                pattern = f"{name}-{version}-cp{number.rstrip('t')}-cp{number}-*{machine}.whl"
                if len(list(dist.glob(pattern))) != 1:
                    lacking.append(pattern)
    return lacking


def recipe(text: str, version: str, sdist: pathlib.Path) -> str:
    """Return the conda recipe for a version."""
    lines = []
    for line in text.splitlines(keepends=True):
        if line.startswith('  version: "'):
            line = f'  version: "{version}"\n'
        elif line.startswith("  sha256:"):
            line = f"  sha256: {hashlib.sha256(sdist.read_bytes()).hexdigest()}\n"
        lines.append(line)
    return "".join(lines)


def write_bill(dist: pathlib.Path, requirement: str, project: pathlib.Path, target: pathlib.Path) -> None:
    """Install a distribution from the folder and write what is then in the environment."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
        python = f"{folder}/bin/python"
        command = [sys.executable, "-m", "pip", "--python", python, "install", "-q", "--only-binary", ":all:"]
        subprocess.run([*command, "--find-links", str(dist), requirement], check=True)
        command = [sys.executable, "-m", "cyclonedx_py", "environment", "--output-reproducible", "--mc-type", "library"]
        command += ["--pyproject", str(project), "--output-file", str(target), python]
        subprocess.run(command, check=True)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m ci.release.collect", description=__doc__)
    parser.add_argument("dist", type=pathlib.Path)
    parser.add_argument("other", type=pathlib.Path)
    parser.add_argument("--tag", required=True)
    parsed = parser.parse_args(arguments)
    version = parsed.tag.removeprefix("v")
    if lacking := missing(parsed.dist, version):
        print("missing:", *lacking, sep="\n  ", file=sys.stderr)
        return 1
    parsed.other.mkdir(exist_ok=True)
    for distribution, requirement in DISTRIBUTIONS.items():
        project = ROOT / ("cuda_cpu" if distribution == "cuda-cpu" else ".") / "pyproject.toml"
        target = parsed.other / f"{distribution}-{version}.cdx.json"
        write_bill(parsed.dist, f"{requirement}=={version}", project, target)
    sdist = parsed.dist / f"open_cuda_python-{version}.tar.gz"
    (parsed.other / "recipe.yaml").write_text(recipe(RECIPE.read_text(), version, sdist))
    files = [pathlib.Path(entry.path) for folder in (parsed.dist, parsed.other) for entry in os.scandir(folder)]
    (parsed.other / "SHA256SUMS").write_text(sums([path for path in files if path.name != "SHA256SUMS"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
