# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Install on a machine with an NVIDIA GPU, offline; run tests, examples, benchmarks; write a report.

python ci/gpu/run.py --wheels FOLDER --report FOLDER [--peer FOLDER] [--steps tests,kernels,...] [--at-once]
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import time
from concurrent.futures import ThreadPoolExecutor

ARGUMENTS = {  # of the examples that take arguments
    "image_filter.py": ["picture.png", "edges.png"],
    "mandelbrot.py": ["mandelbrot.png"],
    "nbody.py": ["galaxies.gif", "4096"],
    "texture_picture.py": ["texture.png"],
}
NEED_MORE = (
    "dask_squares.py", "heat_dask.py", "heat_halo.py", "heat_mpi.py", "make_picture.py", "mpi_sum.py", "sweep_ray.py",
    "torch_operator.py",
)  # fmt: skip
LIBRARIES = {"nvrtc": "libnvrtc.so.13", "nvJitLink": "libnvJitLink.so.13"}
# Needed by the tests besides pytest and NumPy: without one of these, tests cannot be collected.
WANTED = ["cuda-pathfinder", "pytest-timeout", "hypothesis", "pillow", "ml_dtypes", "tqdm", "mpmath", "anyio", "trio"]
STEPS = ("tests", "kernels", "examples", "benchmarks", "observe", "scaling")
HERE = pathlib.Path(__file__).resolve().parent


class Report:
    """The steps with their results and the end of their output."""

    def __init__(self, folder: pathlib.Path, timeout: int) -> None:
        self.folder, self.timeout = folder, timeout
        self.facts: dict[str, object] = {}
        self.steps: list[dict] = []
        folder.mkdir(parents=True, exist_ok=True)

    def run(self, name: str, command: list, cwd: pathlib.Path, environment: dict) -> bool:
        started = time.monotonic()
        try:
            done = subprocess.run(
                [str(part) for part in command], cwd=cwd, env=environment, timeout=self.timeout,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
            )  # fmt: skip
            status, output = done.returncode, done.stdout
        except subprocess.TimeoutExpired as late:
            status, output = None, f"{(late.stdout or b'').decode(errors='replace')}\nended after {self.timeout} s"
        (self.folder / f"{re.sub(r'[^a-z0-9]+', '-', name.lower())}.log").write_text(output)
        self.add(name, "passed" if status == 0 else "failed", output[-4000:], time.monotonic() - started)
        return status == 0

    def add(self, name: str, outcome: str, output: str = "", seconds: float = 0.0) -> None:
        self.steps.append({"name": name, "outcome": outcome, "seconds": round(seconds, 1), "output": output})
        last = output.strip().splitlines()[-1:] or [""]
        print(f"{outcome:8} {name} ({seconds:.1f} s) {last[0]}", flush=True)

    def write(self) -> None:
        (self.folder / "report.json").write_text(json.dumps({"facts": self.facts, "steps": self.steps}, indent=1))
        lines = ["# Open CUDA Python on a GPU", "", *(f"- {name}: {value}" for name, value in self.facts.items()), ""]
        lines += ["| step | outcome | seconds |", "|---|---|---|"]
        lines += [f"| {step['name']} | {step['outcome']} | {step['seconds']} |" for step in self.steps]
        for step in self.steps:
            if step["output"]:
                lines += ["", f"## {step['name']}: {step['outcome']}", "", "```text", step["output"].strip(), "```"]
        (self.folder / "report.md").write_text("\n".join(lines) + "\n")


def driver_facts() -> dict[str, object]:
    """Return the version and devices of NVIDIA's driver, or the error."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        return {"driver": f"none: {error}"}
    if status := driver.cuInit(0):
        return {"driver": f"cuInit failed with status {status}"}
    version, count, name = ctypes.c_int(), ctypes.c_int(), ctypes.create_string_buffer(256)
    driver.cuDriverGetVersion(ctypes.byref(version))
    driver.cuDeviceGetCount(ctypes.byref(count))
    driver.cuDeviceGetName(name, 256, 0)
    return {"driver": f"CUDA {version.value / 1000:g}", "devices": count.value, "device 0": name.value.decode()}


def newest_build(wheels: pathlib.Path) -> pathlib.Path:
    """Return the newest wheel for this Python, or the newest sdist if there is none."""
    tag = f"cp{sys.version_info.major}{sys.version_info.minor}"
    for pattern in (f"open_cuda_python-*-{tag}-{tag}-*.whl", "open_cuda_python-*.tar.gz"):
        if found := sorted(wheels.glob(pattern), key=lambda path: path.stat().st_mtime):
            return found[-1]
    raise SystemExit(f"{wheels} has no open_cuda_python-*.tar.gz and no wheel for {tag}: python -m build --sdist")


def sources(build: pathlib.Path, folder: pathlib.Path) -> pathlib.Path:
    """Return the tree with the tests: of the sdist, or of this script where a wheel is installed."""
    if build.suffix == ".whl":
        return HERE.parents[1]
    with tarfile.open(build) as archive:
        archive.extractall(folder, filter="data")
        return folder / archive.getnames()[0].split("/")[0]


def missing_libraries(python: pathlib.Path, environment: dict) -> list[str]:
    """Return the sonames of the compiler libraries that cuda.pathfinder cannot load."""
    program = "import sys; from cuda import pathfinder; pathfinder.load_nvidia_dynamic_lib(sys.argv[1])"
    return [
        soname
        for library, soname in LIBRARIES.items()
        if subprocess.run([python, "-I", "-c", program, library], env=environment, capture_output=True).returncode
    ]


def has(python: pathlib.Path, package: str, environment: dict) -> bool:
    """Tell whether a distribution is installed; setuptools must be new enough for this project's metadata."""
    compare = "int(m.version(sys.argv[1]).split('.')[0]) < int(sys.argv[2])"
    program = f"import sys, importlib.metadata as m; sys.exit({compare})"
    least = "77" if package == "setuptools" else "0"
    command = [python, "-I", "-c", program, package, least]
    return subprocess.run(command, env=environment, capture_output=True).returncode == 0


def make_environment(report: Report, folder: pathlib.Path, environment: dict) -> bool:
    """Create a virtual environment that can import this Python's packages."""
    make = [sys.executable, "-m", "venv", "--clear", "--without-pip", folder]
    if not report.run(f"environment {folder.name}", make, folder.parent, environment):
        return False
    # Not --system-site-packages: it would miss the packages of a virtual environment that runs this script.
    own = pathlib.Path(sysconfig.get_path("purelib", vars={"base": str(folder)}))
    paths = dict.fromkeys(sysconfig.get_path(kind) for kind in ("purelib", "platlib"))
    (own / "beneath.pth").write_text("".join(f"{path}\n" for path in paths))
    return True


def link_libraries(folder: pathlib.Path) -> None:
    """Link NVIDIA's libraries into the environment: cuda.pathfinder searches only the environment's own folder."""

    def link(source: str, target: str) -> None:
        if not os.path.lexists(target):
            os.symlink(source, target)

    own = pathlib.Path(sysconfig.get_path("purelib", vars={"base": str(folder)}))
    for path in dict.fromkeys(sysconfig.get_path(kind) for kind in ("purelib", "platlib")):
        if (found := pathlib.Path(path) / "nvidia").is_dir():
            shutil.copytree(found, own / "nvidia", copy_function=link, dirs_exist_ok=True)


def install(report: Report, work: pathlib.Path, wheels: pathlib.Path, build: pathlib.Path, environment: dict) -> bool:
    """Create an environment and install the wheel or the sdist in it."""
    python = work / "env/bin/python"
    if not make_environment(report, work / "env", environment):
        return False
    offline = [python, "-m", "pip", "install", "--no-index", "--find-links", wheels]
    for wanted in ["setuptools", *WANTED]:
        if not has(python, wanted, environment):
            report.run(f"package {wanted}", [*offline, wanted], work, environment)
    for path in sorted(wheels.glob("nvidia_*.whl")):
        # Even if this Python has the package: cuda.pathfinder searches only the environment's own folder.
        command = [*offline, "--no-deps", "--ignore-installed", path]
        report.run(f"package {path.name.split('-')[0]}", command, work, environment)
    link_libraries(work / "env")
    return report.run("install", [*offline, "--no-build-isolation", build], work, environment)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wheels", type=pathlib.Path, required=True, help="folder with the sdist and other wheels")
    parser.add_argument("--report", type=pathlib.Path, required=True, help="folder for report.md, report.json and logs")
    parser.add_argument("--driver", default="nvidia", choices=["nvidia", "cpu"], help="cpu tests this script itself")
    parser.add_argument("--peer", type=pathlib.Path, help="wheels of NVIDIA's cuda-core and cuda-bindings")
    parser.add_argument("--without", metavar="EXPRESSION", help="tests that this machine cannot run (pytest -k)")
    parser.add_argument("--at-once", action="store_true", help="run the tests and the kernels' tests at the same time")
    parser.add_argument("--timeout", type=int, default=1800, help="seconds for one step")
    parser.add_argument("--steps", default=",".join(STEPS), help=f"of {', '.join(STEPS)}; default: all; '' only builds")
    options = parser.parse_args()
    if unknown := set(options.steps.split(",")) - {*STEPS, ""}:
        parser.error(f"no step {', '.join(sorted(unknown))}; there are {', '.join(STEPS)}")
    report = Report(options.report.resolve(), options.timeout)
    work = report.folder / "work"
    work.mkdir(exist_ok=True)
    environment = {name: value for name, value in os.environ.items() if name not in ("CUDA_HOME", "PYTHONPATH")}
    environment["CUDA_PYTHON_DRIVER"] = options.driver
    report.facts = {"machine": platform.platform(), "python": platform.python_version(), **driver_facts()}
    wheels = options.wheels.resolve()
    build = newest_build(wheels)
    report.facts["installed"] = build.name
    if install(report, work, wheels, build, environment):
        peer = options.peer and install_peer(report, work, options.peer.resolve(), environment)
        run_steps(report, work, sources(build, work), options, environment, peer)
    report.write()
    print(f"see {report.folder / 'report.md'}")
    return int(any(step["outcome"] == "failed" for step in report.steps if not step["name"].startswith("package ")))


def install_peer(report: Report, work: pathlib.Path, wheels: pathlib.Path, environment: dict) -> pathlib.Path | None:
    """Create an environment with NVIDIA's packages."""
    command = [work / "peer/bin/python", "-m", "pip", "install", "--no-index", "--no-deps", "--ignore-installed"]
    made = make_environment(report, work / "peer", environment)
    if made and report.run("package peer", [*command, *sorted(wheels.glob("*.whl"))], work, environment):
        link_libraries(work / "peer")
        return work / "peer"
    return None


def run_steps(
    report: Report,
    work: pathlib.Path,
    tree: pathlib.Path,
    options: argparse.Namespace,
    environment: dict,
    peer: pathlib.Path | None,
) -> None:
    """Run tests, examples and benchmarks of the unpacked tree with the installed package."""
    python, steps = work / "env/bin/python", options.steps.split(",")
    missing = missing_libraries(python, environment)
    report.facts["missing libraries"] = ", ".join(missing) or "none"
    test = [python, "-m", "pytest", "-q", f"--driver={options.driver}"]
    if options.without:
        test += ["-k", f"not ({options.without})"]
    if has(python, "pytest-xdist", environment):  # a test that hangs or crashes does not stop the others
        test += ["-o", "timeout_method=thread", "--timeout=60", "--max-worker-restart=999"]
        one, many = ["-n", "7" if options.at_once else "1"], ["-n", "8"]  # 1: tests that compare the GPU's free memory
    else:
        one = many = []
    suites = {"tests": [*test, *one, "--ignore=tests/cpu"], "kernels": [*test, *many, "tests/cpu"]}
    with ThreadPoolExecutor(len(suites) if options.at_once else 1) as pool:
        chosen = [name for name in suites if name in steps]
        list(pool.map(lambda name: run_tests(report, name, suites[name], tree, environment), chosen))
    if "examples" in steps:
        run_examples(report, python, tree, environment, missing)
    if "benchmarks" in steps:
        suites = ["calls", "imports", *(["gpu"] if options.driver == "nvidia" else [])]
        compared = environment | {"CUDA_BENCH_PEER": str(peer)} if peer else environment
        command = [python, "-m", "benchmarks", *suites, "--fast", *([] if peer else ["--no-peer"])]
        report.run("benchmarks", command, tree, compared)
    if "observe" in steps:
        report.run("observe", [python, HERE / "observe.py"], tree, environment)
    for table in ("scaling", "short", "openmp") if "scaling" in steps else ():  # of the CPU device, on all cores
        command = [python, "-m", "benchmarks.cpu_kernels", "--only", table, "--best", "--seconds", "0.3"]
        report.run(f"scaling, {table}", command, tree, environment | {"CUDA_PYTHON_DRIVER": "cpu"})


def run_tests(report: Report, name: str, command: list, tree: pathlib.Path, environment: dict) -> None:
    """Run tests, and what failed again, one at a time: others use the GPU's memory, or its process ended by a fault.

    Outcomes are in NAME.jsonl at once, see record.py.
    """
    record = report.folder / f"{name}.jsonl"
    environment = environment | {"GPU_RECORD": str(record), "PYTHONPATH": str(HERE)}
    command = [*command, "-p", "record", "-o", f"cache_dir={report.folder / 'work' / name}"]
    if not report.run(name, command, tree, environment) and "-n" in command:
        next(step for step in report.steps if step["name"] == name)["outcome"] = "repeated"
        report.run(f"{name}, failed ones again", [*command, "-n", "1", "--last-failed"], tree, environment)


def run_examples(report: Report, python: pathlib.Path, tree: pathlib.Path, environment: dict, missing: list) -> None:
    for name in sorted(path.name for path in (tree / "examples").glob("*.py") if path.name not in NEED_MORE):
        if LIBRARIES["nvrtc"] in missing:
            report.add(f"example {name}", "skipped", f"needs {LIBRARIES['nvrtc']}: add nvidia-cuda-nvrtc to the wheels")
        else:
            report.run(f"example {name}", [python, name, *ARGUMENTS.get(name, [])], tree / "examples", environment)


if __name__ == "__main__":
    sys.exit(main())
