# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Run other people's programs on the CPU device: put our libcuda.so.1 in the place of NVIDIA's.

The program's interpreter gets a private folder with `libcuda.so.1`, behind whatever LD_LIBRARY_PATH has, and this
package alone on its PYTHONPATH, so that its own cuda.bindings and cuda.core stay what they are. Before the program
starts, forward/start.py opens the driver and the forwarders by path; who asks for them by name afterwards gets these.
"""

from __future__ import annotations

import importlib.util
import json
import os
import pathlib
import signal
import subprocess
import sys
import sysconfig
import tempfile

from cuda.cpu import check

PACKAGE = pathlib.Path(__file__).parent

_PROBE = (
    "import json, sys, sysconfig; print(json.dumps([sys.version.split()[0], sysconfig.get_config_var('EXT_SUFFIX')]))"
)


class RunError(Exception):
    """Why a program cannot be run."""


def check_interpreter(python: str) -> None:
    """See that an interpreter can load our compiled modules: same version, same ABI."""
    try:
        answer = subprocess.run([python, "-I", "-c", _PROBE], capture_output=True, text=True, check=True).stdout
        version, suffix = json.loads(answer)
    except (OSError, subprocess.CalledProcessError, ValueError) as error:
        raise RunError(f"{python} is no Python interpreter: {error}") from None
    if suffix != sysconfig.get_config_var("EXT_SUFFIX"):
        own = ".".join(map(str, sys.version_info[:2]))
        raise RunError(
            f"{python} is Python {version}; cuda.cpu is installed for Python {own}: install it there, or give "
            f"an interpreter of Python {own}"
        )


def hides_others(entry: str) -> bool:
    """Return whether a PYTHONPATH entry has our cuda.bindings or cuda.core, which another environment must not see."""
    return any((pathlib.Path(entry) / "cuda" / name).is_dir() for name in ("bindings", "core"))


def prepare(folder: pathlib.Path) -> None:
    """Fill the private folder: driver and NVML by their names, this package, and llvmlite for those without."""
    (folder / "lib").mkdir()
    for place in ("entry/libcuda.so.1", "nvml/libnvidia-ml.so.1"):
        (folder / "lib" / pathlib.Path(place).name).symlink_to(PACKAGE / place)
    (folder / "python" / "cuda").mkdir(parents=True)
    (folder / "python" / "cuda" / "cpu").symlink_to(PACKAGE)
    (folder / "fallback").mkdir()
    found = importlib.util.find_spec("llvmlite")
    if found is not None and found.submodule_search_locations:
        (folder / "fallback" / "llvmlite").symlink_to(found.submodule_search_locations[0])


def environment(folder: pathlib.Path, *, other: bool, checks: str | None = None) -> dict[str, str]:
    """Return the program's environment; `other`: it runs in another interpreter than this one."""
    variables = dict(os.environ) if checks is None else os.environ | {"CUDA_CPU_CHECK": checks}

    def append(name: str, *entries: str) -> None:
        kept = [entry for entry in variables.get(name, "").split(os.pathsep) if entry]
        variables[name] = os.pathsep.join([*kept, *entries])

    append("LD_LIBRARY_PATH", str(folder / "lib"))
    if other:
        entries = [
            entry for entry in variables.get("PYTHONPATH", "").split(os.pathsep) if entry and not hides_others(entry)
        ]
        variables["PYTHONPATH"] = os.pathsep.join([*entries, str(folder / "python")])
        variables["CUDA_CPU_FALLBACK"] = str(folder / "fallback")
    variables.setdefault("CUDA_PYTHON_DRIVER", "cpu")  # for our own cuda.bindings, without its warning
    return variables


def program(
    python: str | None, script: str, arguments: list[str], *, module: bool = False, checks: str | None = None
) -> int:
    """Run a script or module on the CPU device and return its exit status.

    Parameters
    ----------
    python : str or None
        The interpreter; None: this one.
    script : str
        Path of the script, or name of the module.
    arguments : list of str
        The program's own arguments.
    module : bool
        Whether `script` is the name of a module.
    checks : str, optional
        What kernels are checked for, as in CUDA_CPU_CHECK.

    Raises
    ------
    RunError
        The interpreter, the script or a check is not there, or the interpreter is of another version.
    """
    try:
        check.parse(checks or "")
    except ValueError as error:
        raise RunError(str(error)) from None
    if not (PACKAGE / "entry" / "libcuda.so.1").exists():
        raise RunError(f"{PACKAGE / 'entry' / 'libcuda.so.1'} is not built: python setup.py build_ext --inplace")
    if not module and not pathlib.Path(script).is_file():
        raise RunError(f"there is no script {script}")
    if python is not None:
        check_interpreter(python)
    with tempfile.TemporaryDirectory(prefix="cuda-cpu-") as name:
        folder = pathlib.Path(name)
        prepare(folder)
        start = [python or sys.executable, str(PACKAGE / "forward" / "start.py"), "-m" if module else "-"]
        variables = environment(folder, other=python is not None, checks=checks)
        child = subprocess.Popen([*start, script, *arguments], env=variables)
        # Ctrl-C goes to both of us: it is the program's to handle, ours to wait.
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            status = child.wait()
        finally:
            signal.signal(signal.SIGINT, before)
    return 128 - status if status < 0 else status
