# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Dataclasses as kernel arguments: C structs whose members have NumPy or ctypes types."""

from __future__ import annotations

import ctypes
import dataclasses
import typing
import weakref
from typing import Any

import numpy

_layouts: weakref.WeakKeyDictionary[type, numpy.dtype[Any]] = weakref.WeakKeyDictionary()


def layout(kind: type) -> numpy.dtype[Any]:
    """Return the dtype of a dataclass: its fields in order, each aligned as in C.

    Parameters
    ----------
    kind : type
        A dataclass. Its fields' types are NumPy scalar types or dtypes, ctypes types, or such dataclasses.
    """
    if kind not in _layouts:
        hints = typing.get_type_hints(kind)
        fields = [(field.name, _member(kind, field.name, hints[field.name])) for field in dataclasses.fields(kind)]
        if not fields:
            raise TypeError(f"{kind.__name__} has no fields: C has no structures without members")
        _layouts[kind] = numpy.dtype(fields, align=True)
    return _layouts[kind]


def _member(kind: type, name: str, hint: Any) -> numpy.dtype[Any]:
    if dataclasses.is_dataclass(hint):
        return layout(typing.cast(type, hint))
    # Python's own int and float say nothing about their size in C.
    if isinstance(hint, numpy.dtype) or (isinstance(hint, type) and issubclass(hint, _SIZED)):
        try:
            return numpy.dtype(numpy.uint64 if hint is ctypes.c_void_p else hint)
        except TypeError:
            pass
    raise TypeError(
        f"field {name!r} of {kind.__name__} has type {getattr(hint, '__name__', hint)}, but a structure for a kernel "
        "has fields of NumPy and ctypes types, such as numpy.float32, ctypes.c_int or ctypes.c_void_p, or dataclasses"
    )


_SIZED = (numpy.generic, ctypes._SimpleCData, ctypes.Structure, ctypes.Union, ctypes.Array)


def to_bytes(obj: Any) -> bytes:
    """Return a dataclass object as the bytes of its C struct; padding is zero."""
    record = numpy.zeros((), layout(type(obj)))
    _fill(record, obj)
    return record.tobytes()


def _fill(record: Any, obj: Any) -> None:
    for field in dataclasses.fields(obj):
        _put(record, f"field {field.name!r} of {type(obj).__name__}", field.name, getattr(obj, field.name))


def _put(record: Any, where: str, name: str, value: Any) -> None:
    dtype = record.dtype[name]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        if layout(type(value)) != dtype:
            raise TypeError(f"{where} is a {type(value).__name__}, not what the field's type says")
        _fill(record[name], value)
        return
    if dtype == numpy.uint64:
        value = _address(value)
    if isinstance(value, ctypes._SimpleCData):
        value = value.value
    if isinstance(value, (ctypes.Structure, ctypes.Union, ctypes.Array)):
        value = numpy.frombuffer(bytes(value), dtype.base).reshape(dtype.shape)
    given = numpy.asarray(value)
    wanted = dtype.base
    if given.dtype != wanted and not _fits(given.dtype, wanted, value):
        raise TypeError(f"{where} is {value!r:.60}, which is no {wanted}")
    if given.shape != dtype.shape:
        raise ValueError(f"{where} has shape {given.shape}, but its type has {dtype.shape}")
    if given.dtype != wanted and wanted.kind in "iu":
        limits = numpy.iinfo(wanted)
        if not all(limits.min <= int(number) <= limits.max for number in given.flat):
            raise OverflowError(f"{where} is {value}, which does not fit {wanted}")
    with numpy.errstate(over="ignore"):
        converted = given.astype(wanted)
    if wanted.kind in "fc" and (numpy.isinf(converted) & ~numpy.isinf(given)).any():
        raise OverflowError(f"{where} is {value}, which does not fit {wanted}")
    record[name] = converted


def _fits(given: numpy.dtype[Any], wanted: numpy.dtype[Any], value: Any) -> bool:
    """Return whether a value may be converted to the field's type: Python's numbers if they are of its kind."""
    if isinstance(value, (int, float, complex, list, tuple)) and not isinstance(value, numpy.generic):
        kinds = {"b": "b", "i": "biu", "u": "biu", "f": "biuf", "c": "biufc"}
        return given.kind in kinds.get(wanted.kind, "") or (given.kind == "O" and wanted.kind in "iu")
    return bool(numpy.can_cast(given, wanted, "safe"))


def _address(value: Any) -> Any:
    """Return the value of a pointer field: the address of a Buffer or DeviceArray, 0 for None."""
    from cuda.core._array._device_array import DeviceArray
    from cuda.core._memory._buffer import Buffer

    if value is None:
        return 0
    if isinstance(value, DeviceArray):
        if value.is_closed:
            raise ValueError("a field is a closed DeviceArray")
        return value.ptr
    if isinstance(value, Buffer):
        if value.is_closed:
            raise ValueError("a field is a closed Buffer")
        return value.handle
    return value
