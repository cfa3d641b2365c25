# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""LLVM's OpenMP library, which host code compiled by clang with -fopenmp needs: libomp.so and its omp.h."""

from __future__ import annotations

import glob
import os
import re
import sys
from collections.abc import Iterator

# Where packages have them, below a folder of `_roots`.
_HEADERS = ("lib/clang/*/include/omp.h", "include/omp.h")
_LIBRARIES = ("lib/libomp.so", "lib64/libomp.so", "lib/*-linux-gnu/libomp.so")
NAMES = ("-lgomp", "-lomp", "-liomp5")  # OpenMP libraries that command lines name for other compilers
MISSING = (
    "-fopenmp needs LLVM's OpenMP library, libomp.so and its omp.h: apt install libomp-dev, dnf install libomp-devel, "
    "or conda install llvm-openmp; or name their folders by -I and -L"
)


def _newest(pattern: str) -> list[str]:
    """Return the paths that match, those with higher numbers first."""
    return sorted(glob.glob(pattern), key=lambda path: list(map(int, re.findall(r"\d+", path))), reverse=True)


def _roots(system: str) -> Iterator[str]:
    yield from dict.fromkeys((sys.prefix, sys.base_prefix))
    yield from _newest(os.path.join(system, "lib/llvm-*"))
    yield from (system, os.path.join(system, "local"))


def _below(root: str, patterns: tuple[str, ...]) -> str:
    return next((path for each in patterns for path in _newest(os.path.join(root, each))), "")


def _named(folders: list[str], name: str) -> str:
    return next(filter(os.path.isfile, (os.path.join(folder, name) for folder in folders)), "")


def find(folders: list[str], library_folders: list[str], system: str = "/usr") -> tuple[str, str] | None:
    """Return the paths of omp.h and libomp.so, None if there is not both.

    Parameters
    ----------
    folders, library_folders : list of str
        Folders that the command line names by -I and -L: they come first.
    system : str
        Where the system's packages are.
    """
    header, library = _named(folders, "omp.h"), _named(library_folders, "libomp.so")
    for root in _roots(system):
        here, there = header or _below(root, _HEADERS), library or _below(root, _LIBRARIES)
        if here and there:
            return here, there
    return None
