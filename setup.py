# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from setuptools import setup

import build_hooks

setup(ext_modules=build_hooks.extensions())
