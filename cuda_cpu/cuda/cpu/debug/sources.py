# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Files with the text of programs, for debuggers to show: in a folder of this process that is removed at its end."""

from __future__ import annotations

import atexit
import functools
import hashlib
import os
import shutil
import tempfile

from cuda.cpu.signals import own

FOLDER = "CUDA_CPU_DEBUG_FOLDER"  # set by the debug command, which removes it


@functools.cache
def _folder() -> str:
    if given := os.environ.get(FOLDER):
        return given
    made = tempfile.mkdtemp(prefix="cuda-cpu-debug-")
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made


def file_of(text: str, name: str) -> str:
    """Return the path of a file with a text, in a folder of its own."""
    folder = os.path.join(_folder(), hashlib.sha256(text.encode()).hexdigest()[:12])
    path = os.path.join(folder, os.path.basename(name))
    os.makedirs(folder, exist_ok=True)
    try:
        with open(path, "x") as file:
            file.write(text)
    except own(FileExistsError):
        pass
    return path
