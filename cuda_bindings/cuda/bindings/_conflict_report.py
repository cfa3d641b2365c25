# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The warning or error for a site-packages folder in which files of NVIDIA's packages and ours are mixed."""

import os
import warnings

# Strings of which each extension module of ours contains at least one; see `is_ours`.
OURS = (b"cuda.bindings._cython_utility", b"cuda.bindings._loader")


def mixed(folder: str) -> list[str]:
    """Return the modules in our packages' folders that Python would import from NVIDIA, as "cuda/bindings/driver"."""
    found = set()
    for package in ("cuda/bindings", "cuda/core"):
        for directory, folders, files in os.walk(os.path.join(folder, package)):
            sources = {file.partition(".")[0] for file in files if file.endswith(".py")}
            packages = {name for name in folders if os.path.exists(os.path.join(directory, name, "__init__.py"))}
            for file in files:
                name, path = file.partition(".")[0], os.path.join(directory, file)
                # Python imports a package before an extension module of the same name, and that before a source file.
                hidden = name in packages or (file.endswith(".so") and name in sources)
                if file.endswith((".so", ".py")) and (hidden or (file.endswith(".so") and not is_ours(path))):
                    found.add(os.path.relpath(os.path.join(directory, name), folder))
    return sorted(found)


def is_ours(path: str) -> bool:
    """Return whether an extension module is ours."""
    if os.path.basename(path).startswith("_cython_utility."):
        return True
    with open(path, "rb") as file:
        content = file.read()
    return any(name in content for name in OURS)


def report(folder: str, found: list[str]) -> None:
    """Warn about NVIDIA's distributions in `folder`; raise ImportError if their files replaced ours."""
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
        stacklevel=3,
    )
