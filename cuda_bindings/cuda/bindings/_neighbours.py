# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Notice NVIDIA's packages in the same folder: the files of theirs and ours overwrite each other."""

import os
import warnings

# NVIDIA's distributions, whose folders in site-packages these begin; ours of the same name (compat/) hold this file.
FOREIGN = ("cuda_core-", "cuda_bindings-")
MARK = "OPEN_CUDA_PYTHON"


def foreign(folder: str) -> list[str]:
    """Return the names of NVIDIA's distributions that are installed in `folder`, such as "cuda-core"."""
    try:
        entries = os.listdir(folder)
    except OSError:
        return []
    return sorted(
        entry.partition("-")[0].replace("_", "-")
        for entry in entries
        if entry.startswith(FOREIGN)
        and entry.endswith(".dist-info")
        and not os.path.exists(os.path.join(folder, entry, "licenses", MARK))
    )


def check(folder: str) -> None:
    """Warn where NVIDIA's distributions are installed in `folder`."""
    if not (found := foreign(folder)):
        return
    names = " and ".join(found)
    warnings.warn(
        f"NVIDIA's {names} and open-cuda-python are installed together, and their files overwrite each other: run "
        f"'pip uninstall {' '.join(found)}', then 'pip install --force-reinstall --no-deps open-cuda-python'. Where "
        f"another package requires {names}, see 'Beside NVIDIA's packages' in the documentation.",
        RuntimeWarning,
        stacklevel=2,
    )


# The folder that `cuda` lies in; a module is run once a process, whichever package asks for it first.
check(os.path.dirname(os.path.dirname(os.path.dirname(__file__))))
