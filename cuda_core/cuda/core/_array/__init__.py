# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""DeviceArray: typed n-dimensional arrays on a device; public names are imported on first use."""

from cuda.core import _MODULES
from cuda.core._utils._lazy import lazy_names, names_within

__getattr__, __dir__ = lazy_names(globals(), names_within(_MODULES, __name__))
