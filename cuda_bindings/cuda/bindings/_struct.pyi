# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from typing import Any, SupportsIndex

class Struct:
    def __init__(self, _ptr: SupportsIndex = 0, **fields: Any) -> None: ...
    def getPtr(self) -> int: ...
