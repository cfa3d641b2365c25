# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The C structures of XLA's foreign function interface, by which XLA calls a handler on buffers in memory of the host.

Their members are those of `xla/ffi/api/c_api.h`, which jaxlib installs (`jax.ffi.include_dir()`). All begin with their
size, so that a handler can tell whether XLA's structure has the members that it knows.
"""

from __future__ import annotations

import ctypes
import math
from typing import Any

import ml_dtypes
import numpy as np

EXECUTE = 3  # XLA_FFI_ExecutionStage
_METADATA = 1  # XLA_FFI_Extension_Type
_STRING = 4  # XLA_FFI_AttrType
_INTERNAL = 13  # XLA_FFI_Error_Code
_MAJOR = 0  # of the interface's version; the minor version counts additions

Handler = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
_Function = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)

# XLA_FFI_DataType
DTYPES = {
    1: np.dtype(bool), 2: np.dtype("i1"), 3: np.dtype("i2"), 4: np.dtype("i4"), 5: np.dtype("i8"), 6: np.dtype("u1"),
    7: np.dtype("u2"), 8: np.dtype("u4"), 9: np.dtype("u8"), 10: np.dtype("f2"), 11: np.dtype("f4"),
    12: np.dtype("f8"), 15: np.dtype("c8"), 18: np.dtype("c16"), 16: np.dtype(ml_dtypes.bfloat16),
    19: np.dtype(ml_dtypes.float8_e5m2), 20: np.dtype(ml_dtypes.float8_e4m3fn),
}  # fmt: skip


_SIZED = (("struct_size", ctypes.c_size_t), ("extension_start", ctypes.c_void_p))


class _Extension(ctypes.Structure):
    _fields_ = (("struct_size", ctypes.c_size_t), ("type", ctypes.c_int), ("next", ctypes.c_void_p))


class _Version(ctypes.Structure):
    _fields_ = (*_SIZED, ("major", ctypes.c_int), ("minor", ctypes.c_int))


class _Metadata(ctypes.Structure):
    _fields_ = (("struct_size", ctypes.c_size_t), ("version", _Version), ("traits", ctypes.c_uint32))


class _MetadataExtension(ctypes.Structure):
    _fields_ = (("base", _Extension), ("metadata", ctypes.POINTER(_Metadata)))


class _Api(ctypes.Structure):
    """The functions of XLA; those that are not used here have no type."""

    _fields_ = (
        *_SIZED,
        ("version", _Version),
        ("internal", ctypes.c_void_p),
        ("error_create", _Function),
        ("others", ctypes.c_void_p * 16),
        ("device_ordinal_get", _Function),
    )


_LAST = _Api.device_ordinal_get


class _ErrorCreate(ctypes.Structure):
    _fields_ = (*_SIZED, ("message", ctypes.c_char_p), ("code", ctypes.c_int))


class _OrdinalGet(ctypes.Structure):
    _fields_ = (*_SIZED, ("context", ctypes.c_void_p), ("ordinal", ctypes.c_int32))


class _Buffer(ctypes.Structure):
    _fields_ = (
        *_SIZED,
        ("dtype", ctypes.c_int),
        ("data", ctypes.c_void_p),
        ("rank", ctypes.c_int64),
        ("dims", ctypes.POINTER(ctypes.c_int64)),
    )


class _Span(ctypes.Structure):
    _fields_ = (("text", ctypes.c_void_p), ("length", ctypes.c_size_t))


class _Buffers(ctypes.Structure):
    _fields_ = (
        *_SIZED,
        ("size", ctypes.c_int64),
        ("types", ctypes.POINTER(ctypes.c_int)),
        ("items", ctypes.POINTER(ctypes.POINTER(_Buffer))),
    )


class _Attributes(ctypes.Structure):
    _fields_ = (
        *_SIZED,
        ("size", ctypes.c_int64),
        ("types", ctypes.POINTER(ctypes.c_int)),
        ("names", ctypes.POINTER(ctypes.POINTER(_Span))),
        ("items", ctypes.POINTER(ctypes.POINTER(_Span))),
    )


class Frame(ctypes.Structure):
    """The call of a handler."""

    _fields_ = (
        *_SIZED,
        ("api", ctypes.POINTER(_Api)),
        ("context", ctypes.c_void_p),
        ("stage", ctypes.c_int),
        ("args", _Buffers),
        ("rets", _Buffers),
        ("attrs", _Attributes),
    )


class _Memory:
    """Memory at an address, for NumPy."""

    def __init__(self, address: int, size: int) -> None:
        self.__array_interface__ = {"version": 3, "shape": (size,), "typestr": "|u1", "data": (address, False)}


def answer_query(frame: Frame) -> bool:
    """Answer if XLA asks for the version of the interface that the handler was made for, and return whether it does."""
    address = frame.extension_start
    while address:
        extension = _MetadataExtension.from_address(address)
        if extension.base.type == _METADATA:
            wanted, found = frame.api.contents.version, extension.metadata.contents.version
            found.major, found.minor = _MAJOR, wanted.minor if wanted.major == _MAJOR else 0
            extension.metadata.contents.traits = 0
            return True
        address = extension.base.next
    return False


def check(frame: Frame) -> None:
    """Raise if XLA's structures lack members that are used here: XLA is older than they are."""
    sizes = ("the call", frame.struct_size, Frame.attrs), ("XLA's table", frame.api.contents.struct_size, _LAST)
    for what, found, member in sizes:
        if found < member.offset + member.size:
            raise RuntimeError(f"{what} has {found} bytes, must have {member.offset + member.size}: update jaxlib")


def buffers(found: _Buffers) -> list[np.ndarray[Any, Any]]:
    """Return the arrays in XLA's memory."""
    return [_array(found.items[k].contents) for k in range(found.size)]


def _array(buffer: _Buffer) -> np.ndarray[Any, Any]:
    if buffer.struct_size < ctypes.sizeof(_Buffer):
        raise RuntimeError(f"a buffer has {buffer.struct_size} bytes, must have {ctypes.sizeof(_Buffer)}")
    shape = tuple(buffer.dims[: buffer.rank])
    try:
        dtype = DTYPES[buffer.dtype]
    except KeyError:
        raise TypeError(f"XLA's type {buffer.dtype} has no equivalent in CUDA C++") from None
    size = math.prod(shape) * dtype.itemsize
    if not size:
        return np.empty(shape, dtype)
    return np.asarray(_Memory(buffer.data, size)).view(dtype).reshape(shape)


def text_attribute(frame: Frame) -> bytes:
    """Return the only attribute of a call, a text."""
    if frame.attrs.size != 1 or frame.attrs.types[0] != _STRING:
        raise RuntimeError(f"the call has {frame.attrs.size} attributes, must have one text")
    span = frame.attrs.items[0].contents
    return ctypes.string_at(span.text, span.length)


def ordinal(frame: Frame) -> int:
    """Return the number of JAX's device on which the call runs."""
    asked = _OrdinalGet(ctypes.sizeof(_OrdinalGet), None, frame.context, 0)
    asked.struct_size = _OrdinalGet.ordinal.offset + _OrdinalGet.ordinal.size
    if frame.api.contents.device_ordinal_get(ctypes.addressof(asked)):
        raise RuntimeError("XLA does not tell the device of the call")
    return asked.ordinal


def error(frame: Frame, message: str) -> int:
    """Return an error of XLA."""
    text = message.encode()
    made = _ErrorCreate(0, None, text, _INTERNAL)
    made.struct_size = _ErrorCreate.code.offset + _ErrorCreate.code.size
    return frame.api.contents.error_create(ctypes.addressof(made))
