# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Run an aarch64 wheel on an x86-64 machine: `python -m ci.aarch64 [dist/wheels/open_cuda_python-*aarch64.whl]`.

Debian's Python for aarch64 runs in qemu's user-mode emulator, with the wheel and its dependencies for aarch64. The
tests' C kernels are compiled by zig. Emulation is 10 to 30 times slower: TESTS is a choice of the tests.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import zipfile

from ci.aarch64.sysroot import SUITES, make_environment
from ci.wheels.toolchain import GLIBC, make_compiler

ROOT = pathlib.Path(__file__).parents[2]
DEPENDENCIES = ("numpy", "llvmlite", "cuda-pathfinder", "nvidia-cuda-nvrtc==13.*", "nvidia-nvjitlink==13.*",
                "nvidia-cuda-runtime==13.*", "nvidia-cuda-crt==13.*", "pytest", "pytest-timeout", "hypothesis",
                "ml_dtypes", "mpmath")  # fmt: skip
# Tests that the emulator or its slowness defeats.
NOT_HERE = (
    "tests/cpu/runtime/queue/test_arena.py::test_arena_of_a_file",  # qemu ignores madvise(MADV_REMOVE)
    # A launch begins in the calling thread only if the one before took microseconds.
    "tests/cpu/runtime/queue/test_inline.py::test_what_was_left_can_be_cancelled",
    "tests/cpu/runtime/queue/test_inline.py::test_what_sleeps_is_left_to_the_queues_thread",
)
WHEEL = re.compile(r"-cp3(\d+)-cp3\d+-.*aarch64\.whl$")
# Name -> arguments of Python.
TESTS = {
    "smoke": ["-I", "ci/wheels/smoke.py"],
    "saxpy": ["examples/saxpy.py"],
    "runtime": ["-m", "pytest", "-q", "tests/cpu/runtime/elf", "tests/cpu/runtime/exec", "tests/cpu/runtime/queue"],
    "frames": ["-m", "pytest", "-q", "tests/cpu/compile/test_frames.py", "tests/cpu/compile/test_machines.py"],
    "faults": ["-m", "pytest", "-q", "tests/cpu/driver/base/test_failures.py", "tests/cpu/driver/code/test_launch.py"],
    "kernels": ["-m", "pytest", "-q", "tests/cpu/emit/simt/test_emit_kernels.py",
                "tests/cpu/emit/simt/test_emit_control.py", "tests/cpu/emit/instructions/test_emit_warp.py"],
    "blocks": ["-m", "pytest", "-q", "tests/cpu/emit/simt/test_emit_block_indices.py"],
    "programs": ["-m", "pytest", "-q", "tests/cpu/programs/test_cuda_programs.py",
                 "-k", "saxpy or templates or shared"],
}  # fmt: skip


def version_of(wheel: pathlib.Path) -> str:
    found = WHEEL.search(wheel.name)
    if found is None or f"3.{found[1]}" not in SUITES:
        raise SystemExit(f"{wheel.name}: needs a wheel for aarch64 and Python {', '.join(SUITES)}")
    return f"3.{found[1]}"


def install(environment: pathlib.Path, version: str, wheel: pathlib.Path) -> None:
    """Install the dependencies for aarch64 with the pip of this Python, and unpack the wheel."""
    packages = environment / f"lib/python{version}/site-packages"
    if not (packages / "llvmlite").exists():
        platforms = [f"manylinux_2_{minor}_aarch64" for minor in range(17, GLIBC[1] + 1)] + ["manylinux2014_aarch64"]
        command = [sys.executable, "-m", "pip", "install", "-q", "--only-binary", ":all:", "--target", str(packages)]
        command += ["--python-version", version, *(f"--platform={platform}" for platform in platforms)]
        subprocess.run([*command, *DEPENDENCIES], check=True)
    for name in ("bindings", "core", "cpu"):  # of another wheel; `cuda` also contains cuda-pathfinder
        shutil.rmtree(packages / "cuda" / name, ignore_errors=True)
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(packages)


def variables(folder: pathlib.Path) -> dict[str, str]:
    """Return the settings of the emulated Python: zig as `gcc`, and caches of its own."""
    compilers = folder / "bin"
    compilers.mkdir(exist_ok=True)
    made = make_compiler("aarch64", folder)
    link = compilers / "gcc"
    if not link.exists():
        link.symlink_to(made.command)
    path = os.pathsep.join([str(compilers), "/usr/bin", "/bin"])
    unset = ("CC", "PYTHONPATH", "VIRTUAL_ENV", "CUDA_HOME", "CUDA_PATH")
    kept = {name: value for name, value in os.environ.items() if name not in unset}
    return kept | {"PATH": path, "XDG_CACHE_HOME": str(folder / "cache-of-user"), "CUDA_PYTHON_DRIVER": "cpu"}


def newest_wheel(folder: pathlib.Path) -> pathlib.Path:
    """Return the newest wheel of open-cuda-python in a folder that the emulator can run."""
    found = [path for path in folder.glob("open_cuda_python-*aarch64.whl") if WHEEL.search(path.name)]
    found = [path for path in found if f"3.{WHEEL.findall(path.name)[0]}" in SUITES]
    if not found:
        raise SystemExit(f"{folder} has no wheel for aarch64 and Python {', '.join(SUITES)}: run nox -s wheels")
    return max(found, key=os.path.getmtime)


def run_group(name: str, python: pathlib.Path, folder: pathlib.Path, timeout: int) -> tuple[bool, str]:
    """Run a group of TESTS; return whether it passed, and the last line that it printed."""
    command = [str(python), *TESTS[name]]
    if "pytest" in command:
        command += ["-p", "no:cacheprovider", f"--timeout={timeout}"]
        command += [f"--deselect={test}" for test in NOT_HERE]
    log = folder / f"{name}.log"
    with log.open("w") as output:
        try:
            done = subprocess.run(
                command, cwd=ROOT, env=variables(folder), timeout=2 * timeout, stdout=output, stderr=subprocess.STDOUT
            )
        except subprocess.TimeoutExpired:
            return False, f"stopped after {2 * timeout} s"
    lines = log.read_text(errors="replace").splitlines()
    if done.returncode != 0:
        print("\n".join(lines[-30:]), flush=True)
    return done.returncode == 0, lines[-1] if lines else ""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m ci.aarch64", description=__doc__)
    parser.add_argument("wheel", type=pathlib.Path, nargs="?", help="by default the newest in dist/wheels")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build/aarch64", help="the emulated system, logs")
    parser.add_argument("--tests", nargs="+", choices=TESTS, default=list(TESTS))
    parser.add_argument("--timeout", type=int, default=1800, help="seconds for one test, and half of those of a group")
    parsed = parser.parse_args()
    wheel = parsed.wheel or newest_wheel(ROOT / "dist/wheels")
    version = version_of(wheel)
    folder = parsed.work.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    environment = make_environment(folder, version)
    install(environment, version, wheel)
    failed = []
    print(f"{wheel.name}\n\n| group | result | seconds | last line |\n|---|---|---:|---|", flush=True)
    for name in parsed.tests:
        started = time.monotonic()
        passed, said = run_group(name, environment / "bin/python", folder, parsed.timeout)
        if not passed:
            failed.append(name)
        result = "passed" if passed else "failed"
        print(f"| {name} | {result} | {time.monotonic() - started:.0f} | {said.strip('= ')} |", flush=True)
    print(f"\nfailed: {', '.join(failed) or 'none'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
