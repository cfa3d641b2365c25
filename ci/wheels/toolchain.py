# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Interpreters and the cross compiler: zig's clang, which links against any glibc version of both machines."""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

VERSIONS = ("3.11", "3.12", "3.13", "3.14", "3.14t")
MACHINES = ("x86_64", "aarch64")
GLIBC = (2, 28)  # manylinux_2_28: Debian 10, Ubuntu 18.10, RHEL 8 and newer

QUERY = """
import json, sys, sysconfig
print(json.dumps({
    "version": "%d.%d" % sys.version_info[:2] + ("t" if sysconfig.get_config_var("Py_GIL_DISABLED") else ""),
    "release": "%d.%d.%d" % sys.version_info[:3],
    "suffix": sysconfig.get_config_var("EXT_SUFFIX"),
    "include": sysconfig.get_path("include"),
}))
"""
# Prints the build variables of a free-threaded Python, from those of the same release with the GIL.
FREE_THREADED = """
import importlib, pprint, sys, sysconfig
name = getattr(sysconfig, "_get_sysconfigdata_name", lambda: sysconfig._sysconfigdata_name())()
variables = dict(importlib.import_module(name).build_time_vars)
own = "cpython-%d%d-" % sys.version_info[:2]
for key in ("SOABI", "EXT_SUFFIX"):
    variables[key] = variables[key].replace(own, own[:-1] + "t-")
variables |= {"Py_GIL_DISABLED": 1, "ABIFLAGS": "t"}
print("build_time_vars = " + pprint.pformat(variables))
"""


class WheelError(Exception):
    """A message for the person who runs the command."""


@dataclass(frozen=True)
class Interpreter:
    """A CPython of this machine; its headers serve both machines (see `check_headers`)."""

    path: str
    version: str  # "3.14t": free-threaded
    release: str
    suffix: str  # of extension modules
    include: str
    borrowed: bool = False  # compiles for 3.14t with the headers of 3.14 (see `free_threaded`)


def ask(path: str) -> Interpreter:
    done = subprocess.run([path, "-c", QUERY], capture_output=True, text=True)
    if done.returncode != 0:
        raise WheelError(f"{path} does not run: {done.stderr.strip()[-200:]}")
    return Interpreter(path=path, **json.loads(done.stdout))


def candidates(version: str) -> Iterator[str]:
    """Yield the paths of Pythons of a version: those given in WHEEL_PYTHONS, those of pyenv, those on PATH."""
    yield from filter(None, os.environ.get("WHEEL_PYTHONS", "").split(os.pathsep))
    pyenv = pathlib.Path(os.environ.get("PYENV_ROOT", pathlib.Path.home() / ".pyenv")) / "versions"
    number, threaded = version.rstrip("t"), version.endswith("t")
    for folder in sorted(pyenv.glob(f"{number}.*"), reverse=True):
        if folder.name.endswith("t") == threaded:
            yield str(folder / "bin" / "python")
    if found := shutil.which(f"python{version}"):
        yield found


def free_threaded(python: Interpreter) -> Interpreter:
    """Return the settings that compile for the free-threaded build of a release, with the Python that has the GIL.

    Of the headers, the two builds of a release differ in pyconfig.h, which defines Py_GIL_DISABLED or not. (Those of
    3.13.5, built both ways, differ in nothing else that extensions read.)
    """
    number = python.version.replace(".", "")
    suffix = python.suffix.replace(f"cpython-{number}-", f"cpython-{number}t-")
    return replace(python, version=f"{python.version}t", suffix=suffix, borrowed=True)


def find_interpreter(version: str, targets: list[Compiler]) -> tuple[Interpreter | None, list[str]]:
    """Return the first Python of a version whose headers serve all targets, and why others do not."""
    found, reasons = _find(version, targets)
    if found is None and version.endswith("t"):
        with_gil, others = _find(version.removesuffix("t"), targets)
        return (free_threaded(with_gil) if with_gil else None), reasons + others
    return found, reasons


def _find(version: str, targets: list[Compiler]) -> tuple[Interpreter | None, list[str]]:
    reasons = []
    for path in candidates(version):
        try:
            found = ask(path)
            if found.version != version:
                continue
            for target in targets:
                check_headers(found, target)
        except (WheelError, OSError) as error:
            reasons.append(str(error))
            continue
        return found, reasons
    return None, reasons


@dataclass(frozen=True)
class Compiler:
    """The command that compiles for a machine."""

    machine: str
    command: str
    folder: pathlib.Path

    def environment(self, python: Interpreter) -> dict[str, str]:
        """Return the settings with which setuptools builds for this machine and not for its own."""
        own = re.sub(r"(x86_64|aarch64)(?=-linux-gnu)", self.machine, python.suffix)
        settings = {
            "CC": self.command,
            "LDSHARED": f"{self.command} -shared",
            "CFLAGS": " ".join(header_options(python, self.folder)),
            "LDFLAGS": "",
            "_PYTHON_HOST_PLATFORM": f"linux-{self.machine}",
            "SETUPTOOLS_EXT_SUFFIX": own,
        }
        return settings | (build_variables(python, self.folder) if python.borrowed else {})


def make_compiler(machine: str, folder: pathlib.Path) -> Compiler:
    """Write the program that setuptools calls as C compiler into `folder`."""
    import ziglang

    zig = pathlib.Path(ziglang.__file__).parent / "zig"
    program = folder / f"{machine}-cc"
    target = f"{machine}-linux-gnu.{GLIBC[0]}.{GLIBC[1]}"
    # Paths of the build must not get into the files, nor change them: __FILE__, and the cache of another build.
    program.write_text(
        "#!/bin/sh\n"
        f"ZIG_GLOBAL_CACHE_DIR={folder}/cache ZIG_LOCAL_CACHE_DIR={folder}/cache \\\n"
        f'exec {zig} cc -target {target} "-ffile-prefix-map=$PWD=." "$@"\n'
    )
    program.chmod(0o755)
    return Compiler(machine, str(program), folder)


def header_options(python: Interpreter, folder: pathlib.Path) -> list[str]:
    """Return compiler options that make Debian's headers serve both machines.

    Debian's pyconfig.h includes <MACHINE-linux-gnu/python3.X/pyconfig.h>. Both machines get that of this machine.
    """
    header = pathlib.Path(python.include) / "pyconfig.h"
    threads = ["-DPy_GIL_DISABLED=1"] if python.borrowed else []
    if pyconfig(python) == header:
        return threads
    options = folder / f"include-{python.version}"
    for machine in MACHINES:
        copy = options / f"{machine}-linux-gnu" / header.parent.name / header.name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(pyconfig(python), copy)
    return [f"-I{options}", *threads]


def build_variables(python: Interpreter, folder: pathlib.Path) -> dict[str, str]:
    """Return the settings by which sysconfig, and so the wheel's tag, describes the free-threaded build."""
    name = f"_sysconfigdata_{python.version.replace('.', '_')}"
    module = folder / "variables" / f"{name}.py"
    if not module.exists():
        module.parent.mkdir(parents=True, exist_ok=True)
        done = subprocess.run([python.path, "-c", FREE_THREADED], capture_output=True, text=True)
        if done.returncode != 0:
            raise WheelError(f"{python.path} does not tell its build variables: {done.stderr.strip()[-200:]}")
        module.write_text(done.stdout)
    return {"_PYTHON_SYSCONFIGDATA_NAME": name, "PYTHONPATH": str(module.parent)}


def pyconfig(python: Interpreter) -> pathlib.Path:
    """Return the file with the definitions."""
    include = pathlib.Path(python.include)
    own = include.parent / f"{os.uname().machine}-linux-gnu" / include.name / "pyconfig.h"
    return own if own.exists() else include / "pyconfig.h"


def check_headers(python: Interpreter, compiler: Compiler) -> None:
    """Raise WheelError if the sizes in Python's pyconfig.h are not those of the target's types.

    CPython's headers differ between machines in pyconfig.h only. In Debian's python3.11-dev and python3.14-dev,
    those of arm64 and amd64 differ in HAVE_GCC_ASM_FOR_X64 and _X87, HAVE_USABLE_WCHAR_T, PY_SUPPORT_TIER, _Py_HACL_*,
    which only the interpreter reads.
    """
    header = pyconfig(python)
    if not header.exists():
        raise WheelError(f"{python.path} has no headers: {header} is missing")
    options = [f"-I{python.include}", *header_options(python, compiler.folder)]
    done = compile_only(compiler, options, "\n".join(["#include <Python.h>", *assertions(header.read_text())]))
    if done.returncode != 0:
        raise WheelError(
            f"the headers of {python.path} do not serve {compiler.machine}: {done.stderr.strip().splitlines()[0]}"
        )


def assertions(pyconfig: str) -> list[str]:
    """Return C lines that compare the sizes and alignments of pyconfig.h with the compiler's."""
    types = {"VOID_P": "void *", "_BOOL": "_Bool", "FPOS_T": "fpos_t", "PID_T": "pid_t", "MAX_ALIGN_T": "max_align_t"}
    types |= {"PTHREAD_KEY_T": "pthread_key_t", "PTHREAD_T": "pthread_t"}
    lines = ["#include <pthread.h>", "#include <stddef.h>", "#include <stdio.h>", "#include <wchar.h>"]
    for kind, name in re.findall(r"^#\s*define (SIZEOF|ALIGNOF)_(\w+) \d+$", pyconfig, re.MULTILINE):
        type_ = types.get(name) or (name.lower() if name.endswith("_T") else name.lower().replace("_", " "))
        operator = "sizeof" if kind == "SIZEOF" else "_Alignof"
        lines.append(f'_Static_assert({kind}_{name} == {operator}({type_}), "{kind}_{name}");')
    return lines


def compile_only(compiler: Compiler, options: list[str], source: str) -> subprocess.CompletedProcess[str]:
    command = [compiler.command, *options, "-x", "c", "-c", "-o", os.devnull, "-"]
    return subprocess.run(command, input=source, capture_output=True, text=True)


def sums(files: Iterable[pathlib.Path]) -> str:
    """Return lines in the format of `sha256sum --check`."""
    return "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in sorted(files))


def require(*modules: str) -> None:
    """Raise WheelError naming the packages that the command needs."""
    import importlib.util

    if missing := [name for name in modules if importlib.util.find_spec(name) is None]:
        raise WheelError(f"{sys.executable} lacks {', '.join(missing)}: pip install -r ci/wheels/requirements.txt")
