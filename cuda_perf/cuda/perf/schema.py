# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Check and convert JSON data by the types of dataclasses. Errors name the field: `samples.seconds[3]`."""

from __future__ import annotations

import dataclasses
import enum
import math
import types
import typing
from functools import cache
from typing import Any, TypeVar

T = TypeVar("T")


class SchemaError(ValueError):
    """A field that is missing, unknown or of the wrong type; the message names it."""


@cache
def _hints(cls: type) -> dict[str, Any]:
    return typing.get_type_hints(cls)


def build(cls: type[T], data: Any, path: str = "") -> T:
    """Return an object of a dataclass from JSON data.

    Raises
    ------
    SchemaError
        A field is missing, unknown, or of another type than the dataclass's.
    """
    return _convert(cls, data, path)


def _convert(kind: Any, data: Any, path: str) -> Any:
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if dataclasses.is_dataclass(kind):
        return _dataclass(kind, data, path)
    if origin is list:
        _check(isinstance(data, list), data, path, "a list")
        return [_convert(arguments[0], value, f"{path}[{number}]") for number, value in enumerate(data)]
    if origin is dict:
        _check(isinstance(data, dict), data, path, "an object")
        return {name: _convert(arguments[1], value, f"{path}.{name}") for name, value in data.items()}
    if origin in (typing.Union, types.UnionType):
        return _union(arguments, data, path)
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        known = [each.value for each in kind]
        _check(data in known, data, path, f"one of {', '.join(map(repr, known))}")
        return kind(data)
    if kind is float:
        number = isinstance(data, (int, float)) and not isinstance(data, bool) and math.isfinite(data)
        _check(number, data, path, "a finite number")
        return float(data)
    _check(type(data) is kind, data, path, NAMES[kind])
    return data


NAMES = {int: "an integer", str: "a string", bool: "true or false"}


def _union(kinds: tuple[Any, ...], data: Any, path: str) -> Any:
    if data is None and type(None) in kinds:
        return None
    others = [kind for kind in kinds if kind is not type(None)]
    if len(others) == 1:
        return _convert(others[0], data, path)
    exact = next((kind for kind in others if type(data) is kind), None)
    _check(exact is not None, data, path, " or ".join(NAMES.get(kind, "a number") for kind in others))
    return _convert(exact, data, path)


def _dataclass(cls: Any, data: Any, path: str) -> Any:
    _check(isinstance(data, dict), data, path, f"an object with the fields of {cls.__name__}")
    fields = {each.name: each for each in dataclasses.fields(cls)}
    inside = f"{path}." if path else ""
    unknown = next((name for name in data if name not in fields), None)
    if unknown is not None:
        raise SchemaError(f"{inside}{unknown} is not a field of {cls.__name__}")
    for name, each in fields.items():
        required = each.default is dataclasses.MISSING and each.default_factory is dataclasses.MISSING
        if required and name not in data:
            raise SchemaError(f"{inside}{name} is missing")
    hints = _hints(cls)
    return cls(**{name: _convert(hints[name], value, f"{inside}{name}") for name, value in data.items()})


def _check(right: bool, data: Any, path: str, expected: str) -> None:
    if not right:
        shown = repr(data) if len(repr(data)) <= 40 else f"{repr(data)[:37]}..."
        raise SchemaError(f"{path or 'the record'} is {shown}, not {expected}")
