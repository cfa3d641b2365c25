# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Notice NVIDIA's packages in the same folder: the files of theirs and ours overwrite each other.

The only cost where there are none is one listing of the folder that `cuda` lies in. Where there are, all files are
looked at: modules of theirs in the place of ours cannot work with the rest, so that the import fails.
"""

import os
import warnings

# NVIDIA's distributions, whose folders in site-packages these begin; ours of the same name (compat/) hold this file.
FOREIGN = ("cuda_core-", "cuda_bindings-")
# It has no files of its own, but requires those that have.
REQUIRING = "cuda_python-"
MARK = "OPEN_CUDA_PYTHON"
# Every extension module of ours but the first of these names one of them.
OURS = (b"cuda.bindings._cython_utility", b"cuda.bindings._loader")
SUFFIXES = (".so", ".py")


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
        if entry.startswith((*FOREIGN, REQUIRING))
        and entry.endswith(".dist-info")
        and not os.path.exists(os.path.join(folder, entry, "licenses", MARK))
    )
    return found if found != ["cuda-python"] else []


def mixed(folder: str) -> list[str]:
    """Return the modules that are not ours although ours are in the same folder, such as "cuda/bindings/driver"."""
    found = set()
    for package in ("cuda/bindings", "cuda/core"):
        for place, folders, files in os.walk(os.path.join(folder, package)):
            sources = {file.partition(".")[0] for file in files if file.endswith(".py")}
            packages = {name for name in folders if os.path.exists(os.path.join(place, name, "__init__.py"))}
            for file in files:
                name, path = file.partition(".")[0], os.path.join(place, file)
                # A package is found before an extension module of the same name, and that before a source file.
                hidden = name in packages or (file.endswith(".so") and name in sources)
                if file.endswith(SUFFIXES) and (hidden or (file.endswith(".so") and not is_ours(path))):
                    found.add(os.path.relpath(os.path.join(place, name), folder))
    return sorted(found)


def is_ours(path: str) -> bool:
    """Tell whether an extension module is ours."""
    if os.path.basename(path).startswith("_cython_utility."):
        return True
    with open(path, "rb") as file:
        content = file.read()
    return any(name in content for name in OURS)


def check(folder: str) -> None:
    """Warn where NVIDIA's distributions are in `folder`; raise ImportError where their files replaced ours."""
    if not (found := foreign(folder)):
        return
    names = " and ".join(found)
    advice = (
        f"run 'pip uninstall {' '.join(found)}', then 'pip install --force-reinstall --no-deps open-cuda-python'. "
        f"Where another package requires {names}, see 'Beside NVIDIA's packages' in the documentation."
    )
    if theirs := mixed(folder):
        number = f"{len(theirs)} modules, {', '.join(theirs[:3])} ..." if len(theirs) > 3 else ", ".join(theirs)
        raise ImportError(
            f"files of NVIDIA's {names} are mixed with those of open-cuda-python ({number}), so that neither works: "
            f"{advice} To keep NVIDIA's packages: 'pip uninstall open-cuda-python', then "
            f"'pip install --force-reinstall --no-deps {' '.join(found)}'."
        )
    warnings.warn(
        f"NVIDIA's {names} and open-cuda-python are installed together, and their files overwrite each other: {advice}",
        RuntimeWarning,
        stacklevel=2,
    )


# The folder that `cuda` lies in; a module is run once a process, whichever package asks for it first.
check(os.path.dirname(os.path.dirname(os.path.dirname(__file__))))
