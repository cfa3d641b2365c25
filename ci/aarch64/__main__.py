# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Run an aarch64 wheel on an x86-64 machine: `python -m ci.aarch64 dist/wheels/open_cuda_python-*aarch64.whl`.

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
import tempfile
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
# Name -> arguments of Python.
TESTS = {
    "smoke": ["-I", "ci/wheels/smoke.py"],
    "saxpy": ["examples/saxpy.py"],
    "runtime": ["-m", "pytest", "-q", "tests/cpu/runtime/elf", "tests/cpu/runtime/exec", "tests/cpu/runtime/queue"],
    "frames": ["-m", "pytest", "-q", "tests/cpu/compile/test_frames.py", "tests/cpu/compile/test_machines.py"],
    "faults": ["-m", "pytest", "-q", "tests/cpu/driver/base/test_failures.py", "tests/cpu/driver/code/test_launch.py"],
    "kernels": ["-m", "pytest", "-q", "tests/cpu/emit/simt/test_emit_kernels.py",
                "tests/cpu/emit/simt/test_emit_control.py", "tests/cpu/emit/instructions/test_emit_warp.py"],
    "programs": ["-m", "pytest", "-q", "tests/cpu/programs/test_cuda_programs.py",
                 "-k", "saxpy or templates or shared"],
}  # fmt: skip


def version_of(wheel: pathlib.Path) -> str:
    found = re.search(r"-cp3(\d+)-cp3\d+-.*aarch64\.whl$", wheel.name)
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


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m ci.aarch64", description=__doc__)
    parser.add_argument("wheel", type=pathlib.Path)
    parser.add_argument("--work", type=pathlib.Path, help="folder that is kept, with the emulated system")
    parser.add_argument("--tests", nargs="+", choices=TESTS, default=list(TESTS))
    parser.add_argument("--timeout", type=int, default=1200, help="seconds for each of TESTS, and for one test of it")
    parsed = parser.parse_args()
    version = version_of(parsed.wheel)
    failed = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = (parsed.work or pathlib.Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        environment = make_environment(folder, version)
        install(environment, version, parsed.wheel)
        for name in parsed.tests:
            started = time.monotonic()
            command = [str(environment / "bin/python"), *TESTS[name]]
            if "pytest" in command:
                command += ["-p", "no:cacheprovider", f"--timeout={parsed.timeout}"]
                command += [f"--deselect={test}" for test in NOT_HERE]
            done = subprocess.run(command, cwd=ROOT, env=variables(folder), timeout=2 * parsed.timeout)
            print(f"{name}: status {done.returncode}, {time.monotonic() - started:.0f} s", flush=True)
            if done.returncode != 0:
                failed.append(name)
    print(f"failed: {', '.join(failed) or 'none'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
