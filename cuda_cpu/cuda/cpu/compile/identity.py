# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Identity of the compiler (our sources, llvmlite, LLVM) and of the CPU, as parts of the disk cache's keys.

llvmlite is imported only where its files do not suffice, so that a launch from the cache is fast.
"""

from __future__ import annotations

import functools
import itertools
import os
import sys

from cuda.cpu.compile import machines
from cuda.cpu.signals import own

# Real paths: `run --python` makes links to the package and llvmlite in a folder of its own.
PACKAGE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
# Folders whose modules determine the machine code.
SOURCES = (
    "check", "compile", "counters", "debug", "emit", "emit/access", "emit/instructions", "emit/instructions/matrix",
    "emit/instructions/memory", "emit/llvm", "emit/simt", "passes", "ptx", "ptx/image", "ptx/rows", "runtime",
    "tile",
)  # fmt: skip
LINKED_IN = 32 << 20  # bytes: a larger libllvmlite contains LLVM, a smaller one loads the system's libLLVM

CPUINFO = "/proc/cpuinfo"


def _file(path: str) -> str:
    path = os.path.realpath(path)
    status = os.stat(path)
    return f"{path} {status.st_size} {status.st_mtime_ns}"


@functools.cache
def compiler() -> bytes:
    """Return the identity of the compiler: paths, sizes and times of its files, and LLVM's version."""
    from cuda.cpu.runtime import _runtime

    native = _file(_runtime.__file__)  # defines the offsets of structs
    modules = [_runtime.stamps(os.path.join(PACKAGE, folder)) for folder in SOURCES]
    return b"\n".join([PACKAGE.encode(), native.encode(), llvm().encode(), *modules])


def llvm() -> str:
    """Return the identity of llvmlite and its LLVM, "" where llvmlite is not installed."""
    folder = find_llvmlite()
    if folder is None:
        return ""
    try:
        version = _file(os.path.join(folder, "_version.py"))
        library = os.path.join(folder, "binding", "libllvmlite.so")
        if os.stat(library).st_size >= LINKED_IN:
            return f"{version}\n{_file(library)}"
    except own(OSError):
        pass  # the files are elsewhere
    import llvmlite
    import llvmlite.binding

    return f"{llvmlite.__version__} {llvmlite.binding.llvm_version_info}"


def find_llvmlite() -> str | None:
    """Return the absolute path of llvmlite's package, which need not have been imported; None where there is none."""
    known = sys.modules.get("llvmlite")
    if known is not None and known.__file__:
        return os.path.dirname(os.path.abspath(known.__file__))
    for entry in sys.path:
        package = os.path.join(entry, "llvmlite")
        if os.path.isabs(entry) and os.path.exists(os.path.join(package, "__init__.py")):
            return package
    from importlib.util import find_spec  # found by an import hook, such as that of an editable installation

    found = find_spec("llvmlite")
    return os.path.dirname(os.path.abspath(found.origin)) if found is not None and found.origin else None


@functools.cache
def cpu() -> bytes:
    """Return the CPU's name and features, on which machine code depends."""
    lines = machines.host().cpuinfo
    try:
        with open(CPUINFO, "rb") as file:
            first = itertools.takewhile(bytes.strip, file)  # all cores are like the first
            found = b"".join(line for line in first if line.startswith(lines))
    except own(OSError):
        found = b""
    return found or _cpu_of_llvm()


def _cpu_of_llvm() -> bytes:
    """Return the same by LLVM's names, where there is no /proc, or one of another machine (user-mode emulators)."""
    import llvmlite.binding as llvm

    name = llvm.get_host_cpu_name()
    vendor = "AuthenticAMD" if name.startswith(("znver", "bdver", "btver", "amdfam", "k8")) else ""
    features = [feature for feature, has in llvm.get_host_cpu_features().items() if has]
    return " ".join([name, vendor, *features]).encode()


def cpu_has(flag: str) -> bool:
    """Return whether the CPU has a feature or vendor, by its name in /proc/cpuinfo."""
    return flag.encode() in cpu().split()
