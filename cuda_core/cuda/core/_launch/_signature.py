# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Read the kinds of a kernel's parameters from PTX, since the driver reports only their sizes.

PTX manual, "Kernel and Function Directives: .entry" and "Kernel Function Parameters".
"""

from __future__ import annotations

import re

# One letter per parameter: i integer or pointer, f floating point, s aggregate by value, ? bits of any type.
_ENTRY = re.compile(r"\.entry\s+([\w$%]+)\s*(?:\(([^)]*)\))?")
_TYPE = re.compile(r"\.(?:(u|s)\d+|(f)\d+\w*|(b)\d+)\b")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def _kind(parameter: str) -> str:
    if "[" in parameter:
        return "s"
    match = _TYPE.search(parameter)
    if match is None or match[3]:
        return "?"
    return "i" if match[1] else "f"


def kernel_signatures(ptx: str) -> dict[str, str]:
    """Return the kinds of the parameters of each kernel in a PTX text.

    Parameters
    ----------
    ptx : str
        A PTX module.

    Returns
    -------
    dict of str to str
        A kernel's name and one letter for each of its parameters.
    """
    text = _COMMENT.sub("", ptx)
    return {
        match[1]: "".join(_kind(part) for part in (match[2] or "").split(",") if part.strip())
        for match in _ENTRY.finditer(text)
    }
