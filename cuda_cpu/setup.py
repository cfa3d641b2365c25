# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""What setuptools cannot read from pyproject.toml. Build with pip: driver_build.py prepares what this needs."""

import pathlib
import sys

from setuptools import setup

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import driver_build

if __name__ == "__main__":  # Cython's worker processes import this file, too, unless they are forked (Python 3.14)
    hooks = driver_build.here()
    setup(
        packages=sorted(hooks.packages()),
        package_dir=hooks.packages(),
        package_data={"": ["*.pyi", "py.typed"]},
        include_package_data=False,
        ext_modules=hooks.extensions(),
        cmdclass={"build_ext": hooks.BuildExt},
    )
