# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Option dataclasses: conversion from a dict or keyword arguments, and suggestions for misspelt names."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable
from typing import Any, TypeVar

_Options = TypeVar("_Options")

# Names of options in CUDA C++, nvcc, CuPy and Numba that are spelt too differently to be found by similarity.
_SYNONYMS = {
    "shmem_size": ("shared", "shared_mem", "shared_memory", "sharedmem", "sharedmembytes", "smem", "dynamic_shared"),
    "grid": ("blocks", "num_blocks", "griddim", "nblocks"),
    "block": ("threads", "num_threads", "threads_per_block", "blockdim", "nthreads"),
    "arch": ("architecture", "gpu_architecture", "compute_capability", "gpu", "target", "sm"),
    "include_path": ("includes", "include_dirs", "include_directories", "i"),
    "define_macro": ("define", "defines", "macros", "d"),
    "std": ("standard", "cxx_standard"),
    "use_fast_math": ("fast_math", "fastmath"),
    "max_register_count": ("maxrregcount", "max_registers", "registers"),
    "relocatable_device_code": ("rdc", "dc", "separable_compilation"),
    "link_time_optimization": ("lto", "dlto"),
    "device_code_optimize": ("optimize", "optimization", "opt_level"),
    "timing_enabled": ("enable_timing", "timing"),
    "nonblocking": ("non_blocking", "blocking"),
}


def closest(given: str, known: Iterable[str]) -> str:
    """Return the name of `known` that `given` is probably meant to be, "" if none is close."""
    names = list(known)
    for name in names:
        if given.lower() in _SYNONYMS.get(name, ()):
            return name
    return similar(given, names)


def similar(given: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """Return the name of `known` that is spelt most like `given`, "" if none is close: see difflib's ratio()."""
    import difflib  # takes 5 ms, so only for errors

    names = {name.lower(): name for name in known}
    return names.get(next(iter(difflib.get_close_matches(given.lower(), names, 1, cutoff)), ""), "")


def unknown_option(kind: str, given: str, known: Iterable[str]) -> TypeError:
    """Return the error for an option that a class does not have."""
    names = list(known)
    meant = closest(given, names)
    advice = f"did you mean {meant!r}?" if meant else f"the options are {', '.join(names)}"
    return TypeError(f"{kind} has no option {given!r}: {advice}")


def named_options(kind: type[_Options]) -> type[_Options]:
    """Decorate a dataclass so that its error for an unknown option suggests the one probably meant."""
    plain: Any = kind.__init__
    known = [field.name for field in dataclasses.fields(kind) if field.init]  # type: ignore[arg-type]

    @functools.wraps(plain)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        try:
            plain(self, *args, **kwargs)
        except TypeError:
            for name in kwargs:
                if name not in known:
                    raise unknown_option(kind.__name__, name, known) from None
            raise

    kind.__init__ = __init__  # type: ignore[method-assign]
    return kind


def as_options(kind: type, value: Any, name: str) -> Any:
    """Return `value` as an instance of the option class `kind`: None gives the defaults, a dict the fields."""
    if value is None:
        return kind()
    if isinstance(value, kind):
        return value
    if isinstance(value, dict):
        return kind(**value)
    raise TypeError(f"{name} must be {kind.__name__}, a dict of its fields or None, not {type(value).__name__}")
