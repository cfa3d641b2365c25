# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Validation of the arguments of `Program.compile`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cuda.core.typing import SourceCodeType

_TARGETS = {
    SourceCodeType.CXX: ("ptx", "cubin", "ltoir", "tile_ir"),
    SourceCodeType.NVVM: ("ptx", "cubin", "ltoir"),
    SourceCodeType.PTX: ("cubin", "ptx"),
    SourceCodeType.TILE: ("cubin", "tile_ir"),
}


def target_of(kind: SourceCodeType, target_type: Any) -> str:
    target = str(target_type).lower()
    if target not in _TARGETS[kind]:
        allowed = ", ".join(map(repr, _TARGETS[kind]))
        raise ValueError(f"target_type must be one of {allowed} for {kind} programs, not {target_type!r}")
    return target


def names_of(name_expressions: Sequence[Any]) -> list[str]:
    if isinstance(name_expressions, (str, bytes, bytearray)):
        raise TypeError(
            f"name_expressions must be a sequence of names, such as ({_text(name_expressions)!r},), not one "
            f"{type(name_expressions).__name__}"
        )
    return [_text(name) for name in name_expressions]


def _text(name: Any) -> str:
    if isinstance(name, (bytes, bytearray)):
        return bytes(name).decode()
    if not isinstance(name, str):
        raise TypeError(f"name_expressions must be str, not {type(name).__name__}")
    return name
