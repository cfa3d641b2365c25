# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Check the content of wheels: `python -m ci.wheels.check dist/wheels/*.whl`. Exits with 1 if there is a problem.

Needs pyelftools. auditwheel checks the symbols' versions; this checks what it does not look at. `--any-platform` allows
wheels that were built for this machine only (`linux_x86_64`).
"""

from __future__ import annotations

import base64
import csv
import email
import hashlib
import io
import os
import pathlib
import re
import sys
import zipfile
from collections.abc import Iterator
from email.message import Message
from typing import Any

from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile

# 6.20 MB with Python 3.11: since 5.90 MB, whole programs (headers, OpenMP, options of nvcc) and code for CPUs without
# AVX-512.
MOST_BYTES = {"open_cuda_python": 6_400_000, "cuda_cpu": 1_400_000}
IMPORTABLE = {
    "open_cuda_python": ("cuda/bindings/", "cuda/core/", "cuda/cpu/", "cuda/interop/", "cuda/perf/"),
    "cuda_cpu": ("cuda/cpu/",),
}
# Files of the packages; Cython's declarations belong to the modules that users cimport.
KINDS = {".py", ".pyi", ".typed", ".so"}
CIMPORTED = ("cuda/bindings/", "cuda/core/")
DEVICE_HEADERS = "cuda/core/_program/_clang/include/"  # with which clang compiles kernels
PURE = ("cuda/perf/",)  # packages without compiled modules
LIBRARY = re.compile(r"\.so(\.\d+)*$")
METADATA = ("Name", "Version", "Summary", "Description-Content-Type", "Requires-Python", "License-Expression", "Author",
            "Keywords", "Classifier", "Requires-Dist")  # fmt: skip
LICENCES = ("LICENSE", "NOTICE")
ELF_MACHINES = {"x86_64": "EM_X86_64", "aarch64": "EM_AARCH64"}
# Functions that Py_DECREF calls -> whether of the free-threaded build.
RELEASE_FUNCTIONS = {"_Py_Dealloc": False, "_Py_DecRefShared": True}
# What glibc brings, whatever the distribution; everything else is opened at run time.
SYSTEM_LIBRARIES = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "ld-linux-x86-64.so.2",
                    "ld-linux-aarch64.so.1"}  # fmt: skip
# Folders where builds take place. /tmp/ and /home/ alone occur in messages and in documentation.
BUILD_PATHS = re.compile(rb"/(?:root|work|build|project|home/[\w.-]+|tmp/[\w.-]{6,}|opt/[\w.-]+)/[\w.+-]+/[\w.+/-]+")
WHEEL_NAME = re.compile(
    r"(?P<name>\w+)-(?P<version>[\w.]+)-(?P<python>cp3\d+)-(?P<abi>cp3\d+t?)-(?P<platform>[\w.]+)\.whl"
)
MANYLINUX = re.compile(r"manylinux_(\d+)_(\d+)_(?:x86_64|aarch64)")
GLIBC = (2, 28)  # as in toolchain.py, which is not needed here


def problems(wheel: pathlib.Path, any_platform: bool = False) -> Iterator[str]:
    """Yield a sentence for each thing that is wrong with a wheel."""
    tags = WHEEL_NAME.fullmatch(wheel.name)
    if tags is None:
        yield f"the name is not NAME-VERSION-cpXY-cpXY-PLATFORM.whl: {wheel.name}"
        return
    for platform in () if any_platform else tags["platform"].split("."):
        glibc = MANYLINUX.fullmatch(platform)
        if glibc is None or (int(glibc[1]), int(glibc[2])) > GLIBC:
            yield f"the tag {platform} is not manylinux_{GLIBC[0]}_{GLIBC[1]} or older"
    name, most = tags["name"], MOST_BYTES.get(tags["name"])
    if most is None:
        yield f"{name} is not a distribution of this project"
        return
    if (size := wheel.stat().st_size) >= most:
        yield f"{size} bytes; the limit is {most}"
    with zipfile.ZipFile(wheel) as archive:
        files = {entry.filename: archive.read(entry) for entry in archive.infolist() if not entry.is_dir()}
    info = f"{name}-{tags['version']}.dist-info/"
    yield from content_problems(files, info, IMPORTABLE[name])
    yield from metadata_problems(files, info, tags)
    yield from record_problems(files, f"{info}RECORD")
    machine = tags["platform"].rpartition("_")[2] if "aarch64" in tags["platform"] else "x86_64"
    for path, data in files.items():
        if found := BUILD_PATHS.search(data):
            yield f"{path} contains a path of the machine that built it: {found[0].decode()}"
        if LIBRARY.search(path):
            yield from library_problems(path, data, machine, tags["abi"])


def content_problems(files: dict[str, bytes], info: str, packages: tuple[str, ...]) -> Iterator[str]:
    for path in files:
        if path.startswith(info):
            continue
        kinds = KINDS | {".pxd"} if path.startswith(CIMPORTED) else KINDS
        kinds = kinds | {".h"} if path.startswith(DEVICE_HEADERS) else kinds
        if not path.startswith(packages):
            yield f"{path} is outside of the packages"
        elif not LIBRARY.search(path) and pathlib.PurePath(path).suffix not in kinds:
            yield f"{path} does not belong into a wheel"
    for package in set(packages) - set(PURE):
        if not any(LIBRARY.search(path) for path in files if path.startswith(package)):
            yield f"{package} has no compiled module"


def metadata_problems(files: dict[str, bytes], info: str, tags: re.Match[str]) -> Iterator[str]:
    metadata = read_headers(files, f"{info}METADATA")
    for field in METADATA:
        if not metadata.get(field):
            yield f"METADATA lacks {field}"
    if len(str(metadata.get_payload())) < 500:
        yield "METADATA lacks the description (README)"
    if (metadata.get("Name") or "").replace("-", "_") != tags["name"] or metadata.get("Version") != tags["version"]:
        yield "METADATA has another name or version than the file"
    for licence in LICENCES:
        if not files.get(f"{info}licenses/{licence}"):
            yield f"{licence} is missing"
    about = read_headers(files, f"{info}WHEEL")
    expected = {f"{tags['python']}-{tags['abi']}-{platform}" for platform in tags["platform"].split(".")}
    if set(about.get_all("Tag") or []) != expected:
        yield f"WHEEL has the tags {about.get_all('Tag')}, the file {sorted(expected)}"
    if about.get("Root-Is-Purelib") != "false":
        yield "WHEEL says that the root is pure Python"


def read_headers(files: dict[str, bytes], path: str) -> Message:
    return email.message_from_bytes(files.get(path, b""))


def record_problems(files: dict[str, bytes], record: str) -> Iterator[str]:
    listed = {row[0]: row[1:] for row in csv.reader(io.StringIO(files.get(record, b"").decode()))}
    if set(listed) != set(files):
        yield f"RECORD and the archive differ: {sorted(set(listed) ^ set(files))}"
    for path in set(listed) & set(files) - {record}:
        digest = base64.urlsafe_b64encode(hashlib.sha256(files[path]).digest()).rstrip(b"=").decode()
        if listed[path] != [f"sha256={digest}", str(len(files[path]))]:
            yield f"RECORD has another digest or size of {path}"


def library_problems(path: str, data: bytes, machine: str, abi: str) -> Iterator[str]:
    elf = ELFFile(io.BytesIO(data))
    if elf["e_machine"] != ELF_MACHINES[machine]:
        yield f"{path} is for {elf['e_machine']}"
    if path.endswith(".so") and not os.path.basename(path).startswith("lib"):
        suffix = f".cpython-{abi.removeprefix('cp')}-{machine}-linux-gnu.so"
        if not path.endswith(suffix):
            yield f"{path} does not end in {suffix}"
        yield from reference_count_problems(path, elf, abi.endswith("t"))
    if unneeded := [section.name for section in elf.iter_sections() if re.match(r"\.(debug|symtab)", section.name)]:
        yield f"{path} is not stripped: {', '.join(unneeded)}"
    for section in elf.iter_sections():
        if isinstance(section, DynamicSection):
            yield from dynamic_problems(path, section)
    if any(segment["p_type"] == "PT_GNU_STACK" and segment["p_flags"] & 1 for segment in elf.iter_segments()):
        yield f"{path} asks for an executable stack"


def reference_count_problems(path: str, elf: ELFFile, free_threaded: bool) -> Iterator[str]:
    """Compare with the tag how a module releases objects: inline code of Python.h that differs without the GIL."""
    symbols: Any = elf.get_section_by_name(".dynsym")
    used = {symbol.name for symbol in symbols.iter_symbols()} if symbols else set()
    for name, without_gil in RELEASE_FUNCTIONS.items():
        if name in used and without_gil != free_threaded:
            yield f"{path} calls {name}: it is compiled for Python {'without' if without_gil else 'with'} the GIL"


def dynamic_problems(path: str, section: DynamicSection) -> Iterator[str]:
    tag: Any  # has a member named after its kind
    for tag in section.iter_tags():
        if tag.entry.d_tag in ("DT_RPATH", "DT_RUNPATH"):
            yield f"{path} has an {tag.entry.d_tag[3:]}"
        if tag.entry.d_tag == "DT_NEEDED" and tag.needed not in SYSTEM_LIBRARIES:
            yield f"{path} needs {tag.needed}"
        if tag.entry.d_tag == "DT_TEXTREL":
            yield f"{path} has relocations in its code"


def main(arguments: list[str]) -> int:
    wrong = 0
    any_platform = "--any-platform" in arguments
    paths = [pathlib.Path(argument) for argument in arguments if argument != "--any-platform"]
    for path in paths:
        found = list(problems(path, any_platform))
        print(f"{path.name}: {path.stat().st_size} bytes, {len(found)} problems")
        for problem in found:
            print(f"  {problem}")
        wrong += len(found)
    if not paths:
        print("no wheel given", file=sys.stderr)
    return 1 if wrong or not paths else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
