# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Lines of programs that are strings in Python, for reports: a compiler knows such a program by an invented name."""

from __future__ import annotations

import sys

SOURCES = "cuda.core._program._diagnostics"  # knows the programs that this process has compiled by cuda.core


def find_line(file: str, line: int, function: str) -> tuple[str, int, str]:
    """Return the file and line of a line of a program in Python, and its text; the line as given and "" if not known.

    Parameters
    ----------
    file, line
        The line by the compiler's line table.
    function : str
        The function of PTX that contains it.
    """
    programs = sys.modules.get(SOURCES)  # not imported: the CPU device can be installed alone
    found = programs.find_line(file, line, function) if programs else None
    return (found.path, found.line, found.text.strip()) if found else (file, line, "")
