# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""PEP 517/660 backend: generate -> cythonize -> compile. setup.py asks it for the extensions."""

from __future__ import annotations

import os
import pathlib

ROOT = pathlib.Path(__file__).parent
SOURCE_ROOTS = ("cuda_bindings", "cuda_core", "cuda_cpu")

# What a module needs beyond its own .pyx: C and assembler sources, libraries, include folders.
EXTRA = {
    "cuda.cpu.runtime._runtime": {
        "sources": sorted(
            str(path.relative_to(ROOT))
            for pattern in ("*.c", "*.S")
            for path in (ROOT / "cuda_cpu/cuda/cpu/runtime").glob(pattern)
            if path.name != "_runtime.c"
        ),
        "include_dirs": ["cuda_cpu/cuda/cpu/runtime"],
        "libraries": ["dl", "pthread", "m"],
    },
}


def extensions():
    """Return the Cython extensions found below the source roots, named by their place."""
    from Cython.Build import cythonize
    from setuptools import Extension

    modules = []
    for root in SOURCE_ROOTS:
        for path in sorted((ROOT / root / "cuda").rglob("*.pyx")):
            name = ".".join(path.relative_to(ROOT / root).with_suffix("").parts)
            extra = dict(EXTRA.get(name, {}))
            sources = [str(path.relative_to(ROOT)), *extra.pop("sources", [])]
            modules.append(Extension(name, sources, **extra))
    return cythonize(
        modules,
        include_path=list(SOURCE_ROOTS),
        nthreads=os.cpu_count() or 1,
        compiler_directives={"language_level": 3, "embedsignature": False},
    )
