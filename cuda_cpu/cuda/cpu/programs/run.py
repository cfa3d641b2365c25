# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Run a program on the CPU device, with our libcuda.so.1 in place of NVIDIA's: `python -m cuda.cpu run`.

The program's interpreter gets a private folder with `libcuda.so.1` at the end of LD_LIBRARY_PATH, and on its PYTHONPATH
this package alone, so that its own cuda.bindings and cuda.core are used. At the start of the program and of each Python
process that it starts, programs/forward/start.py opens the driver and the forwarders by path, so that a later dlopen by
name finds them. For compiled programs see machine_code.py.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Mapping

from cuda.cpu import check
from cuda.cpu.programs import machine_code

PACKAGE = pathlib.Path(__file__).parents[1]

# The libraries of the private folder; programs open the driver by either name. The runtime library is for programs that
# nvcc has linked dynamically.
LIBRARIES = {
    "libcuda.so.1": "entry/libcuda.so.1",
    "libcuda.so": "entry/libcuda.so.1",
    machine_code.RUNTIME: "runtime_api/libcudart_cpu.so.13",
    "libnvidia-ml.so.1": "nvml/libnvidia-ml.so.1",
    "libnvidia-ml.so": "nvml/libnvidia-ml.so.1",
}

PASSED_ON = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2)  # to the program

_PROBE = (
    "import json, sys, sysconfig; print(json.dumps([sys.version.split()[0], sysconfig.get_config_var('EXT_SUFFIX')]))"
)


class RunError(Exception):
    """A program cannot be run; the message says why."""


def check_interpreter(python: str) -> None:
    """Raise an error unless an interpreter can load our compiled modules: same version, same ABI."""
    try:
        answer = subprocess.run([python, "-I", "-c", _PROBE], capture_output=True, text=True, check=True).stdout
        version, suffix = json.loads(answer)
    except (OSError, subprocess.CalledProcessError, ValueError) as error:
        raise RunError(f"{python} is no Python interpreter: {error}") from None
    if suffix != sysconfig.get_config_var("EXT_SUFFIX"):
        own = ".".join(map(str, sys.version_info[:2]))
        same = f" (its modules end in {suffix})" if version.startswith(f"{own}.") else ""
        raise RunError(
            f"{python} is Python {version}{same}; cuda.cpu is installed for Python {own}: install it there, or give "
            f"an interpreter of Python {own}"
        )


def hides_others(entry: str) -> bool:
    """Return whether a PYTHONPATH entry contains our cuda.bindings or cuda.core, which would hide the program's own."""
    return any((pathlib.Path(entry) / "cuda" / name).is_dir() for name in ("bindings", "core"))


def prepare(folder: pathlib.Path) -> None:
    """Fill the private folder: driver and NVML by name, this package, and llvmlite for interpreters without it."""
    for name in ("lib", "start", "python/cuda", "fallback"):
        (folder / name).mkdir(parents=True)
    for name, path in LIBRARIES.items():
        (folder / "lib" / name).symlink_to(PACKAGE / path)
    (folder / "start" / "sitecustomize.py").symlink_to(PACKAGE / "programs" / "forward" / "start.py")
    (folder / "python" / "cuda" / "cpu").symlink_to(PACKAGE)
    found = importlib.util.find_spec("llvmlite")
    if found is not None and found.submodule_search_locations:
        (folder / "fallback" / "llvmlite").symlink_to(found.submodule_search_locations[0])


def environment(
    folder: pathlib.Path, *, other: bool, checks: str | None = None, more: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Return the environment of a Python program; `other`: it runs in another interpreter than this one.

    Search paths are made absolute, so that child processes in other folders find the same code. If this interpreter
    ignores PYTHON* variables (-E, -I), the program gets none but the one that names our folder.
    """
    ignored = "PYTHON" if sys.flags.ignore_environment else None
    variables = {name: value for name, value in os.environ.items() if not (ignored and name.startswith(ignored))}
    if checks is not None:
        variables["CUDA_CPU_CHECK"] = checks
    variables |= more or {}

    def entries(name: str) -> list[str]:
        return [os.path.abspath(entry) for entry in variables.get(name, "").split(os.pathsep) if entry]

    variables["LD_LIBRARY_PATH"] = os.pathsep.join([*entries("LD_LIBRARY_PATH"), str(folder / "lib")])
    search = entries("PYTHONPATH")
    if other:
        search = [entry for entry in search if not hides_others(entry)] + [str(folder / "python")]
        variables["CUDA_CPU_FALLBACK"] = str(folder / "fallback")
    variables["PYTHONPATH"] = os.pathsep.join([str(folder / "start"), *search])
    variables.setdefault("CUDA_PYTHON_DRIVER", "cpu")  # for our own cuda.bindings, without its warning
    return variables


def flags() -> list[str]:
    """Return the options that keep the program as isolated as this interpreter is."""
    return [option for option, given in (("-P", sys.flags.safe_path), ("-s", sys.flags.no_user_site)) if given]


def check_script(script: str) -> None:
    """Raise an error unless Python can run a script: a file, or a folder or archive with a `__main__.py`."""
    if not pathlib.Path(script).exists():
        advice = f"; to run a module: -m {script}" if script.isidentifier() else ""
        raise RunError(f"there is no script or program {script}{advice}")


def machine_code_of(script: str) -> pathlib.Path | None:
    """Return the file of a compiled program, None if it is a script."""
    found = script if os.path.exists(script) else shutil.which(script)
    path = pathlib.Path(found).absolute() if found else None
    return path if path is not None and path.is_file() and machine_code.is_machine_code(path) else None


def wait(child: subprocess.Popen) -> int:
    """Wait for the program and return its status; signals that end us are passed on to it."""
    # Ctrl-C reaches both processes: the program handles it, this one goes on waiting.
    handlers = {number: lambda number, _: child.send_signal(number) for number in PASSED_ON} | {
        signal.SIGINT: signal.SIG_IGN
    }
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        return child.wait()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def start_machine_code(
    code: pathlib.Path,
    command: list[str],
    variables: dict[str, str],
    folder: pathlib.Path,
    python: str | None,
    under: Callable[[list[str], Mapping[str, str]], list[str]] | None = None,
) -> subprocess.Popen:
    try:
        machine_code.check(code)
        machine_code.extend(variables, folder, python)
        if under is not None:
            return subprocess.Popen(under([str(code), *command[1:]], variables))
        return subprocess.Popen(command, executable=code, env=variables)
    except (machine_code.MachineCodeError, OSError) as error:
        raise RunError(str(error)) from None


def program(
    python: str | None,
    script: str,
    arguments: list[str],
    *,
    kind: str | None = None,
    checks: str | None = None,
    variables: Mapping[str, str] | None = None,
    under: Callable[[list[str], Mapping[str, str]], list[str]] | None = None,
) -> int:
    """Run a script or module on the CPU device and return its exit status.

    Parameters
    ----------
    python : str or None
        The interpreter; None: this one.
    script : str
        Path of the script ("-": standard input) or of a compiled program, name of the module, or the code itself.
    arguments : list of str
        The program's own arguments.
    kind : str, optional
        Kind of `script` as an option of the interpreter: "-m" (module), "-c" (code), or None (script).
    checks : str, optional
        The checks of kernels, as in CUDA_CPU_CHECK.
    variables : mapping, optional
        More environment variables of the program.
    under : callable, optional
        Returns the command of a debugger that runs the program, by the program's command and environment.

    Raises
    ------
    RunError
        The interpreter, script or check does not exist, or the interpreter is of another version.
    """
    try:
        if checks is not None:
            check.demand(checks, "--check:")
    except ValueError as error:
        raise RunError(str(error)) from None
    if not (PACKAGE / "entry" / "libcuda.so.1").exists():
        raise RunError(f"{PACKAGE / 'entry' / 'libcuda.so.1'} is not built: python setup.py build_ext --inplace")
    code = machine_code_of(script) if kind is None and script != "-" else None
    if kind is None and script != "-" and code is None:
        check_script(script)
    if python is not None:
        check_interpreter(python)
    with tempfile.TemporaryDirectory(prefix="cuda-cpu-") as name:
        folder = pathlib.Path(name)
        prepare(folder)
        own = environment(folder, other=python is not None, checks=checks, more=variables)
        if code is not None:
            child = start_machine_code(code, [script, *arguments], own, folder, python, under)
        else:
            with contextlib.suppress(machine_code.MachineCodeError):  # for compiled programs that the program starts
                machine_code.name_python(own, python)
            command = [python or sys.executable, *flags(), *([kind] if kind else []), script, *arguments]
            if under is None:
                child = subprocess.Popen(command, env=own)
            else:
                child = subprocess.Popen(under(command, own))
        status = wait(child)
    return 128 - status if status < 0 else status
