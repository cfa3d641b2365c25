# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""One run of clang: its output, its messages, and the error if it fails."""

from __future__ import annotations

import os
import re
import signal
import subprocess

from cuda.core._errors import ClangError, compiler_error
from cuda.core._program._clang._find import ENVIRONMENT

_COUNT = re.compile(
    r"^\d+ (?:warnings?|errors?)(?: and \d+ errors?)? generated when compiling for \S+\.\n?", re.MULTILINE
)


def run(arguments: list[str], text: bytes, folder: str, work: str) -> tuple[bytes | None, str]:
    """Run clang in a folder, and return its output and its messages. `work` is for its files.

    Raises
    ------
    ClangError
        It rejects the program, or was killed; `log` has its messages.
    """
    output = os.path.join(work, "output")
    done = subprocess.run(
        [*arguments, "-o", output], input=text, capture_output=True, cwd=folder, env={**ENVIRONMENT, "TMPDIR": work}
    )
    log = _COUNT.sub("", done.stderr.decode(errors="replace")).strip("\n")
    if done.returncode:
        raise _error(done.returncode, log)
    if not os.path.exists(output):
        return None, log
    with open(output, "rb") as file:
        return file.read(), log


def _error(status: int, log: str) -> ClangError:
    if status < 0:
        killed = signal.Signals(-status).name
        return compiler_error(
            ClangError,
            "CLANG_KILLED",
            status,
            "clang",
            f"{log}\nclang was ended by {killed}: too little memory?".strip(),
        )
    error: ClangError = compiler_error(ClangError, "CLANG_ERROR_COMPILATION", status, "clang", log)
    return error
