# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Write reports to files."""

from __future__ import annotations

import os


def replace(path: str, content: str) -> None:
    """Write a file as a whole, or leave what was there. Pipes and devices are written to.

    Raises
    ------
    OSError
        It cannot be written.
    """
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)
        return
    temporary = f"{path}.{os.getpid()}.tmp"
    try:
        with open(temporary, "w", encoding="utf-8") as file:
            file.write(content)
        os.replace(temporary, path)
    except BaseException:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise


def of_process(path: str, process: str) -> str:
    """Return the name of a report of another process of the program: with its number before the suffix."""
    stem, suffix = os.path.splitext(path)
    return f"{stem}.{process}{suffix}" if path else ""


def folder_problem(path: str) -> str:
    """Return why no file can be written at a path, "" if one can."""
    folder = os.path.dirname(os.path.abspath(path))
    return "" if os.access(folder, os.W_OK) else f"{folder} is no folder in which files can be written"
