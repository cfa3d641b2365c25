# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Files and commands of guides that tests follow as a reader would."""

from __future__ import annotations

import pathlib
import re
from collections.abc import Iterator

FENCE = re.compile(r"^```([^\n]+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
FILE = re.compile(r"(?:#|//) (\w+\.\w+)\n")


def commands(console: str) -> Iterator[tuple[str, str]]:
    """Yield the commands of a console, with what it shows for each."""
    for part in re.split(r"^\$ ", console, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        yield command, shown


def matches(shown: str, printed: str) -> bool:
    """Return whether a text is printed, in which `...` stands for anything."""
    pattern = re.escape(shown.strip()).replace(re.escape("..."), ".*")
    return re.fullmatch(pattern, printed.strip(), re.DOTALL) is not None


def write_files(text: str, folder: pathlib.Path) -> None:
    """Write the fences that begin with the name of a file in a comment."""
    for _, content in FENCE.findall(text):
        named = FILE.match(content)
        if named:
            (folder / named[1]).write_text(content.partition("\n")[2])
