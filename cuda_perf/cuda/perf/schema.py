# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Check and convert JSON data by the types of dataclasses. Errors name the field: `samples.seconds[3]`.

A function per type is made once; paths are put together only for errors, since files have millions of values.
"""

from __future__ import annotations

import dataclasses
import enum
import math
import types
import typing
from collections.abc import Callable, Hashable
from functools import cache
from typing import Any, TypeVar

T = TypeVar("T")
Converter = Callable[[Any], Any]


class SchemaError(ValueError):
    """A field that is missing, unknown or of the wrong type; the message names it."""


class _Wrong(Exception):
    """An error whose path is not complete; each level adds its part in front."""

    def __init__(self, message: str, path: str = "") -> None:
        self.message, self.path = message, path

    def inside(self, part: str) -> _Wrong:
        dot = "." if self.path and not self.path.startswith("[") else ""
        return _Wrong(self.message, f"{part}{dot}{self.path}")


def build(cls: type[T], data: Any, path: str = "") -> T:
    """Return an object of a dataclass from JSON data.

    Raises
    ------
    SchemaError
        A field is missing, unknown, or of another type than the dataclass's.
    """
    try:
        return typing.cast(T, _converter(typing.cast(Hashable, cls))(data))
    except _Wrong as error:
        field = error.inside(path).path if path else error.path
        raise SchemaError(f"{field or 'the record'} {error.message}") from None


@cache
def _converter(kind: Hashable) -> Converter:
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if dataclasses.is_dataclass(kind):
        return _of_dataclass(kind)
    if origin is list:
        return _floats if arguments[0] is float else _of_list(_converter(arguments[0]))
    if origin is dict:
        return _of_dict(_converter(arguments[1]))
    if origin in (typing.Union, types.UnionType):
        return _of_union(arguments)
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return _of_enum(kind)
    return _float if kind is float else _of_type(kind)


NAMES: dict[Any, str] = {int: "an integer", str: "a string", bool: "true or false", float: "a number"}


def _not(data: Any, expected: str) -> _Wrong:
    shown = repr(data) if len(repr(data)) <= 40 else f"{repr(data)[:37]}..."
    return _Wrong(f"is {shown}, not {expected}")


def _of_type(kind: Any) -> Converter:
    def convert(data: Any) -> Any:
        if type(data) is not kind:
            raise _not(data, NAMES[kind])
        return data

    return convert


def _float(data: Any) -> float:
    if type(data) not in (float, int) or not math.isfinite(data):
        raise _not(data, "a finite number")
    return float(data)


def _floats(data: Any) -> list[float]:
    if type(data) is list and all(type(value) is float for value in data) and math.isfinite(sum(data)):
        return data
    return _of_list(_float)(data)


def _of_list(convert: Converter) -> Converter:
    def convert_list(data: Any) -> list[Any]:
        if not isinstance(data, list):
            raise _not(data, "a list")
        found = []
        for value in data:
            try:
                found.append(convert(value))
            except _Wrong as error:
                raise error.inside(f"[{len(found)}]") from None
        return found

    return convert_list


def _of_dict(convert: Converter) -> Converter:
    def convert_dict(data: Any) -> dict[str, Any]:
        if not isinstance(data, dict):
            raise _not(data, "an object")
        found = {}
        for name, value in data.items():
            try:
                found[name] = convert(value)
            except _Wrong as error:
                raise error.inside(name) from None
        return found

    return convert_dict


def _of_union(kinds: tuple[Any, ...]) -> Converter:
    others = {kind: _converter(kind) for kind in kinds if kind is not type(None)}
    optional = len(others) < len(kinds)
    single = next(iter(others.values())) if len(others) == 1 else None
    expected = " or ".join(NAMES.get(kind, "a number") for kind in others)

    def convert(data: Any) -> Any:
        if data is None and optional:
            return None
        chosen = single or others.get(type(data))
        if chosen is None:
            raise _not(data, expected)
        return chosen(data)

    return convert


def _of_enum(kind: Any) -> Converter:
    known = {each.value: each for each in kind}

    def convert(data: Any) -> Any:
        if not isinstance(data, str) or data not in known:
            raise _not(data, f"one of {', '.join(map(repr, known))}")
        return known[data]

    return convert


def _of_dataclass(cls: Any) -> Converter:
    hints = typing.get_type_hints(cls)
    fields = {each.name: _converter(hints[each.name]) for each in dataclasses.fields(cls)}
    required = [
        each.name
        for each in dataclasses.fields(cls)
        if each.default is dataclasses.MISSING and each.default_factory is dataclasses.MISSING
    ]

    def convert(data: Any) -> Any:
        if not isinstance(data, dict):
            raise _not(data, f"an object with the fields of {cls.__name__}")
        found = {}
        for name, value in data.items():
            if name not in fields:
                raise _Wrong(f"is not a field of {cls.__name__}", name)
            try:
                found[name] = fields[name](value)
            except _Wrong as error:
                raise error.inside(name) from None
        for name in required:
            if name not in found:
                raise _Wrong("is missing", name)
        return cls(**found)

    return convert
