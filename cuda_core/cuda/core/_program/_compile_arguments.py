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
_TEXT = (str,)
_BYTES = (bytes, bytearray)
_FORMS: dict[SourceCodeType, tuple[type[str | bytes | bytearray], ...]] = {
    SourceCodeType.CXX: _TEXT,
    SourceCodeType.PTX: _TEXT,
    SourceCodeType.NVVM: _TEXT + _BYTES,  # the text or the bitcode
    SourceCodeType.TILE: _BYTES,
}


def code_type_of(code_type: Any) -> SourceCodeType:
    """Return the kind of a program's source."""
    try:
        return SourceCodeType(str(code_type).lower())
    except ValueError:
        raise RuntimeError(f"code_type must be 'c++', 'ptx', 'nvvm' or 'tile', not {code_type!r}") from None


def source_of(code: Any, code_type: SourceCodeType, *, encoded: bool = False) -> bytes:
    """Return the source of a program; text may be `encoded`."""
    forms = _FORMS[code_type]
    if not isinstance(code, forms + _BYTES if encoded else forms):
        names = " or ".join(form.__name__ for form in forms if form is not bytearray)
        raise TypeError(f"code must be the {code_type} source as {names}, not {type(code).__name__}")
    code = code.encode() if isinstance(code, str) else bytes(code)
    if forms is not _TEXT:
        return code  # it may have NUL bytes
    code = code.rstrip(b"\0")
    if b"\0" in code:
        raise ValueError(f"code has a NUL character at {code.index(0)}")
    return code


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
