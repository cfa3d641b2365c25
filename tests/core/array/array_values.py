# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Values of the arrays that tests copy."""

import numpy as np

PAIR = np.dtype([("x", np.float32), ("n", np.int16, (3,))], align=True)
FLOATS = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
