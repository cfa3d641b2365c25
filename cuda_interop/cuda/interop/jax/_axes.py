# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The axes of a mesh over which arrays vary in `jax.shard_map`: the outputs of an operator vary where its inputs do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax


def varying(arrays: Sequence[Any]) -> frozenset[Any]:
    """Return the axes over which any of the arrays varies; none outside of `jax.shard_map`."""
    return frozenset().union(*(jax.typeof(each).manual_axis_type.varying for each in arrays))


def varying_over(array: Any, wanted: frozenset[Any]) -> Any:
    """Return an array that varies over the given axes, too; its gradient is summed over those that are new."""
    missing = wanted - varying([array])
    return jax.lax.pcast(array, tuple(missing), to="varying") if missing else array
