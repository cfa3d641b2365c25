# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Driver calls from Python code that is not performance-critical."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cuda.core._errors import driver_error


def call(function: Callable[..., tuple], *arguments: Any) -> Any:
    """Call a function of cuda.bindings.driver and return its values without the status, or raise CUDAError."""
    from cuda.bindings import driver

    status, *values = function(*arguments)
    if status:
        _, text = driver.cuGetErrorString(status)
        description = text.decode() if text else "the driver has no description of it"
        name = getattr(status, "name", f"CUDA error {int(status)}")
        raise driver_error(name, description, int(status), function.__name__)
    return None if not values else values[0] if len(values) == 1 else tuple(values)
