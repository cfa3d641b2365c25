# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Detect NVIDIA's packages in the same site-packages, whose files overwrite ours.

Without them this costs one directory listing. With them, all files are checked, and the import fails if some of ours
were replaced.
"""

import os

# Beginnings of the .dist-info folders of NVIDIA's distributions; ours of the same names (compat/) contain MARK.
FOREIGN = ("cuda_core-", "cuda_bindings-", "cuda_python-")
MARK = "OPEN_CUDA_PYTHON"


def foreign(folder: str) -> list[str]:
    """Return the names of NVIDIA's distributions that are installed in `folder`, such as "cuda-core".

    "cuda-python" is included only together with others, since it contains no files.
    """
    try:
        entries = os.listdir(folder)
    except OSError as error:
        if error.errno is None:
            raise  # by a signal handler of the program: errors of the system have a number
        return []
    found = sorted(
        entry.partition("-")[0].replace("_", "-")
        for entry in entries
        if entry.startswith(FOREIGN)
        and entry.endswith(".dist-info")
        and not os.path.exists(os.path.join(folder, entry, "licenses", MARK))
    )
    return found if found != ["cuda-python"] else []


def check(folder: str) -> None:
    """Warn if NVIDIA's distributions are in `folder`; raise ImportError if their files replaced ours."""
    if not (found := foreign(folder)):
        return
    from cuda.bindings import _conflict_report

    _conflict_report.report(folder, found)


# Check the folder that contains `cuda`, once per process: when cuda.bindings or cuda.core first imports this module.
check(os.path.dirname(os.path.dirname(os.path.dirname(__file__))))
