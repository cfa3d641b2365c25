# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""docs/platforms.md lists every file that uses a facility of Linux: searched for in the sources."""

import pathlib
import re

ROOT = pathlib.Path(__file__).parent.parent
PAGE = ROOT / "docs/platforms.md"
FOLDERS = ("cuda_cpu/cuda/cpu", "cuda_core/cuda/core", "cuda_bindings/cuda/bindings")
SUFFIXES = {".c", ".h", ".py", ".pyx", ".pxi", ".pxd"}
# Row of the page -> what is searched for.
FACILITIES = {
    "futex": r"\bSYS_futex\b",
    "pidfd": r"\bSYS_pidfd_open\b",
    "signal contexts": r"\bucontext|\bsigaltstack\b|\bsiginfo_t\b",
    "ELF constants": r"<elf\.h>|\bR_X86_64_64\b|\bR_AARCH64_ABS64\b",
    "ELF assembler": r"\.pushsection|\.hidden ",
    "libc and libm by name": r"\"lib[cm]\.so\.6\"",
    "reserved memory": r"\bMAP_NORESERVE\b|\bMAP_FIXED_NOREPLACE\b|\bMADV_\w+",
    "memory files": r"\bmemfd_create\b",
    "/proc and /sys": r"[\"'({f]/(?:proc|sys)/",
    "reads of foreign memory": r"\bprocess_vm_readv\b",
    "C library through ctypes": r"\bCDLL\(None\b",
    "dynamic loader": r"\bdlopen\(|\bdlsym\(",
    "loader's search path": r"\bLD_LIBRARY_PATH\b",
    "fork handlers": r"\bpthread_atfork\b|\bregister_at_fork\b",
    "folders by descriptor": r"\bdir_fd\b",
    "unbuffered files": r"\bO_DIRECT\b",
    "processor affinity": r"\bsched_getaffinity\b",
    "names of libraries": r"\"lib(?:cuda|nvrtc|nvJitLink|nvidia-ml|cufile)\.so",
}


def sources():
    from build_hooks import GENERATED

    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            name = str(path.relative_to(ROOT))
            from_cython = path.suffix == ".c" and (path.with_suffix(".pyx").exists() or "/_cython_" in name)
            if path.suffix in SUFFIXES and name not in GENERATED and not from_cython:
                yield path


def short(path):
    """Return a path as the page writes it."""
    return str(path.relative_to(ROOT)).removeprefix("cuda_cpu/cuda/cpu/")


def rows(heading):
    """Return the first cell of each row of a section's table, and the rest of the row."""
    section = PAGE.read_text().partition(f"## {heading}\n")[2].partition("\n##")[0]
    lines = [line.strip("|").split(" | ") for line in section.splitlines() if line.startswith("| ")]
    return {cells[0].strip(): cells[1:] for cells in lines[1:]}


def test_the_files_of_each_facility_are_those_that_use_it():
    texts = {short(path): re.sub(r"(?m)^ *>>> .*$", "", path.read_text()) for path in sources()}
    assert len(texts) > 400
    used = {name: {path for path in texts if re.search(pattern, texts[path])} for name, pattern in FACILITIES.items()}
    listed = {
        name: set(re.findall(r"`([^`]+)`", cells[0])) for name, cells in rows("What macOS and Windows lack").items()
    }
    assert listed == used


def test_each_proof_exists():
    for system, cells in rows("What works where").items():
        named = [name for name in re.findall(r"`([\w./-]+)`", cells[-1]) if "/" in name]
        assert named, f"{system}: the last column names no file"
        assert [name for name in named if not (ROOT / name).exists()] == [], system
