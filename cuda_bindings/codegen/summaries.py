# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""One sentence about each function, from summaries/<library>.txt: lines of a function's name and its sentence."""

from __future__ import annotations

import functools
import pathlib
import re

FOLDER = pathlib.Path(__file__).parent / "summaries"


@functools.cache
def read(library: str) -> dict[str, str]:
    """Return the sentences of a library by function, empty if it has no file."""
    path = FOLDER / f"{library}.txt"
    lines = path.read_text().splitlines() if path.exists() else []
    return dict(line.split(" ", 1) for line in lines if not line.startswith("#"))


def of(library: str, function: str) -> str:
    """Return the sentence about a function; functions of newer headers have none of their own yet.

    The runtime's functions share the sentences of the driver's functions of the same name.

    >>> of("runtime", "cudaMemPoolTrimTo") == of("driver", "cuMemPoolTrimTo")
    True
    """
    if found := read(library).get(function):
        return found
    if library == "runtime" and (found := read("driver").get(function.replace("cuda", "cu", 1))):
        return re.sub(r"\bcu(?=[A-Z])", "cuda", found)
    return f"Call {function}."
