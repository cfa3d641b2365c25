# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Makes image/test_ptx_image.py importable for its images."""

import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).parent / "image"))
