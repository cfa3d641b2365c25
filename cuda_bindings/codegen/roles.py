# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Which parameter is input, output, buffer, count or handle."""

from __future__ import annotations

from codegen import apis, headers
from codegen.model import Library


def libraries() -> dict[str, Library]:
    """Return the model of every bound API by module name."""
    return {name: headers.read(api) for name, api in apis.APIS.items()}
