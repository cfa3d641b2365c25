# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from typing import Any, SupportsIndex

class Struct:
    def __init__(self, _ptr: SupportsIndex = 0, **fields: Any) -> None: ...
    def getPtr(self) -> int: ...

class Kind:
    name: str

class HandleKind(Kind):
    def __init__(self, name: str, size: int, is_signed: bool, accepts: Any, make_class: Any) -> None: ...

class EnumKind(Kind):
    def __init__(self, name: str, is_signed: bool, make_class: Any) -> None: ...

class StructKind(Kind):
    def __init__(self, name: str, size: int, align: int, make_class: Any) -> None: ...

class Field:
    def __init__(self, kind: StructKind, name: str, type: Any, offset: int) -> None: ...
