# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Notice NVIDIA's packages in the same folder: the files of theirs and ours overwrite each other.

The only cost where there are none is one listing of the folder that `cuda` lies in. Where there are, all files are
looked at: modules of theirs in the place of ours cannot work with the rest, so that the import fails.
"""

import os

# NVIDIA's distributions, whose folders in site-packages these begin; ours of the same name (compat/) hold this file.
FOREIGN = ("cuda_core-", "cuda_bindings-", "cuda_python-")
MARK = "OPEN_CUDA_PYTHON"


def foreign(folder: str) -> list[str]:
    """Return the names of NVIDIA's distributions that are installed in `folder`, such as "cuda-core".

    "cuda-python" is named only beside others, for it has no files.
    """
    try:
        entries = os.listdir(folder)
    except OSError:
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
    """Warn where NVIDIA's distributions are in `folder`; raise ImportError where their files replaced ours."""
    if not (found := foreign(folder)):
        return
    from cuda.bindings import _mixture

    _mixture.report(folder, found)


# The folder that `cuda` lies in; a module is run once a process, whichever package asks for it first.
check(os.path.dirname(os.path.dirname(os.path.dirname(__file__))))
