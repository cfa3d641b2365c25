# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Makes the images of image/test_ptx_image.py importable."""

import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).parent / "image"))
