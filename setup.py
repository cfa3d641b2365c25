# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Packages and extension modules for setuptools. `python setup.py build_ext --inplace` builds in the tree."""

import pathlib
import sys

from setuptools import setup

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import build_hooks

if __name__ == "__main__":  # Cython's worker processes import this file, too, unless they are forked (Python 3.14)
    build_hooks.check_platform()
    build_hooks.generate()
    packages = build_hooks.packages()
    # Cython's declarations of the modules that users cimport; those of cuda.cpu are private.
    carried = {"cuda.core._program._clang": ["include/**/*.h"]}  # device headers for clang
    cimported = {name: ["*.pxd"] for name in packages if name.startswith(("cuda.bindings", "cuda.core"))}
    setup(
        packages=sorted(packages),
        package_dir=packages,
        package_data={"": ["*.pyi", "py.typed"], **cimported, **carried},
        include_package_data=False,
        ext_modules=build_hooks.extensions(),
        cmdclass={"build_ext": build_hooks.BuildExt},
    )
