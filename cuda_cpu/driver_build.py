# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""PEP 517 backend of the distribution `cuda-cpu`: the project's build_hooks.py, with paths relative to this folder.

In a checkout, build_hooks.py is in the parent folder; in an sdist, it is beside this file.
"""

from __future__ import annotations

import contextlib
import importlib.util
import pathlib
import shutil
import subprocess
import sys
from collections.abc import Iterator
from types import ModuleType

from setuptools import build_meta

HERE = pathlib.Path(__file__).parent
ABOVE = HERE.parent
SHARED = ("build_hooks.py", "LICENSE", "NOTICE")  # files of the project that this distribution's sdist contains


def load(name: str) -> ModuleType:
    """Return a new module object of build_hooks.py, whose settings can be changed."""
    folder = next(folder for folder in (ABOVE, HERE) if (folder / "build_hooks.py").exists())
    spec = importlib.util.spec_from_file_location(name, folder / "build_hooks.py")
    assert spec is not None
    assert spec.loader is not None
    hooks = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hooks)
    return hooks


project = load("project_build_hooks")  # with the project's own paths
in_checkout = (ABOVE / "build_hooks.py").exists() and (ABOVE / "cuda_bindings/codegen").exists()


def short(path: str) -> str:
    return path.removeprefix("cuda_cpu/")


def here() -> ModuleType:
    """Return build_hooks with this folder as the only source root."""
    hooks = load("driver_build_hooks")
    hooks.ROOT, hooks.SOURCE_ROOTS, hooks.ABOVE_PACKAGES = HERE, (".",), 0
    hooks.LIBRARIES = {
        short(target): [short(source) for source in sources] for target, sources in hooks.LIBRARIES.items()
    }
    hooks.VERSIONS = {short(target): short(path) for target, path in hooks.VERSIONS.items()}
    hooks.LIBRARY_HEADERS = [short(path) for path in hooks.LIBRARY_HEADERS]
    hooks.EXTENSION_NEEDS = {
        name: {key: [short(value) for value in values] for key, values in needs.items()}
        for name, needs in hooks.EXTENSION_NEEDS.items()
    }
    return hooks


def missing() -> list[str]:
    return [path for path in project.GENERATED if path.startswith("cuda_cpu/") and not (HERE / short(path)).exists()]


def generate() -> None:
    """Run the generator, which writes all sources of the project, if one of ours is absent."""
    if missing() and in_checkout:
        subprocess.run([sys.executable, "-m", "codegen", "write"], cwd=ABOVE / "cuda_bindings", check=True)


@contextlib.contextmanager
def prepared() -> Iterator[None]:
    """Run the generator, and copy the project's files into this folder for the duration of a build."""
    project.check_platform()
    generate()
    (HERE / "build").mkdir(exist_ok=True)  # setup.cfg puts the metadata there
    copies = [HERE / name for name in SHARED if not (HERE / name).exists()]
    try:
        for copy in copies:
            shutil.copy(ABOVE / copy.name, copy)
        yield
    finally:
        for copy in copies:
            copy.unlink(missing_ok=True)


def get_requires_for_build_sdist(config_settings=None) -> list[str]:
    project.check_platform()
    return project.HEADER_NEEDS if project.needs_headers() and missing() and in_checkout else []


def get_requires_for_build_wheel(config_settings=None) -> list[str]:
    needs = get_requires_for_build_sdist()
    project.check_compiler()
    return needs


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    with prepared():
        return build_meta.prepare_metadata_for_build_wheel(metadata_directory, config_settings)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    with prepared():
        return build_meta.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_sdist(sdist_directory, config_settings=None):
    with prepared():
        return build_meta.build_sdist(sdist_directory, config_settings)
