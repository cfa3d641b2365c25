# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Kernel arguments with a C type of their own: NumPy and ctypes scalars, and dataclasses as structs."""

import ctypes
import dataclasses
import struct

import numpy as np
import pytest

from cuda.core import Buffer, LaunchConfig, launch
from cuda.core._launch._dataclass_arguments import layout, to_bytes

ONE = LaunchConfig(grid=1, block=1)


@pytest.fixture
def arrives(module, device, stream, host):
    """Return a function that passes an argument to a kernel and returns the bytes that arrived."""
    names = {1: "byte", 2: "short", 4: "int", 8: "long", -4: "float", -8: "double", 16: "mixed"}
    with device.allocate(16, stream=stream) as out:

        def send(value, size):
            launch(stream, ONE, module.get_kernel(f"store_{names[size]}"), out, value)
            return host(out, "u1").tobytes()[: abs(size)]

        yield send


@pytest.mark.parametrize("code", "?bBhHiIlLfd")
def test_scalars_are_passed_bit_for_bit(arrives, code):
    if code == "?":
        scalars = [np.bool_(True), np.bool_(False), ctypes.c_bool(True)]
    else:
        data = bytes(range(0xF1, 0xF1 + struct.calcsize(code)))
        kind = next(kind for kind in vars(ctypes).values() if getattr(kind, "_type_", None) == code)
        scalars = [np.frombuffer(data, code)[0], kind.from_buffer_copy(data)]
    for scalar in scalars:
        raw = memoryview(scalar).tobytes()
        assert arrives(scalar, -len(raw) if code in "fd" else len(raw)) == raw


class Narrow(np.float32):
    """A user-defined subclass of a scalar type, which may have any layout."""


class Own(ctypes.c_int32):
    """A ctypes subclass: ctypes stores its values like those of the base class."""


def test_subclasses_of_scalars_and_shared_memory(arrives):
    assert arrives(Narrow(1.5), -4) == struct.pack("f", 1.5)
    assert arrives(Own(-2), 4) == struct.pack("i", -2)
    shared = bytearray(struct.pack("ii", 5, 6))
    assert arrives(ctypes.c_int.from_buffer(shared, 4), 4) == struct.pack("i", 6)
    pair = (ctypes.c_int * 2)(8, 9)
    assert arrives(Own.from_buffer(pair, 4), 4) == struct.pack("i", 9)
    assert arrives(ctypes.c_int.__ctype_be__(1), 4) == struct.pack(">i", 1)


def test_scalars_of_other_kinds(arrives):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    assert arrives(np.datetime64(5, "s"), 8) == struct.pack("q", 5)
    for wrong in (ml_dtypes.bfloat16(1), np.float16(1)):
        with pytest.raises(TypeError, match=r"but the parameter is an integer or pointer of 2 bytes"):
            arrives(wrong, 2)


@dataclasses.dataclass
class Mixed:
    a: ctypes.c_float
    n: np.int32
    d: ctypes.c_double


@dataclasses.dataclass
class Inner:
    flag: np.bool_
    values: ctypes.c_int16 * 3


@dataclasses.dataclass
class Outer:
    first: np.uint8
    inner: Inner
    data: ctypes.c_void_p
    last: np.float16


def test_a_dataclass_is_passed_by_value(arrives):
    expected = struct.pack("fid", 1.5, -7, 2.5)
    for value in (Mixed(1.5, -7, 2.5), Mixed(ctypes.c_float(1.5), np.int32(-7), np.float64(2.5)), Mixed(1.5, -7, 2.5)):
        assert arrives(value, 16) == expected


def test_dataclass_layout_matches_c():
    assert layout(Outer).itemsize == 32
    assert {name: offset for name, (_, offset) in layout(Outer).fields.items()} == {
        "first": 0,
        "inner": 2,
        "data": 16,
        "last": 24,
    }
    value = Outer(7, Inner(True, [1, -2, 3]), None, 0.5)
    assert to_bytes(value) == struct.pack("B x ? x 3h 6x Q e 6x", 7, True, 1, -2, 3, 0, 0.5)


def test_buffers_in_structures(device, stream):
    with device.allocate(8, stream=stream) as buffer:
        assert to_bytes(Outer(0, Inner(False, (0, 0, 0)), buffer, 0))[16:24] == struct.pack("Q", buffer.handle)
    with pytest.raises(ValueError, match=r"a field is a closed Buffer"):
        to_bytes(Outer(0, Inner(False, (0, 0, 0)), buffer, 0))


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (Mixed(1.5, 2.5, 3.5), TypeError, r"^argument 2 of kernel 'store_mixed': field 'n' of Mixed is 2.5, which is"),
        (Mixed(1.5, 1 << 31, 3.5), OverflowError, r"field 'n' of Mixed is 2147483648, which does not fit int32"),
        (Mixed(1.5, 1 << 80, 3.5), OverflowError, r"field 'n' of Mixed is 1208925819614629174706176, which does not"),
        (Mixed(1e39, 1, 1), OverflowError, r"field 'a' of Mixed is 1e\+39, which does not fit float32"),
        (Mixed("x", 1, 1), TypeError, r"field 'a' of Mixed is 'x', which is no float32"),
        (Mixed(np.float64(1), 1, 1), TypeError, r"field 'a' of Mixed is .*1.0.*, which is no float32"),
        (Mixed(1, 1, Inner(True, (1, 2, 3))), TypeError, r"field 'd' of Mixed is a Inner, not what the field's type"),
        (Inner(True, (1, 2, 3)), TypeError, r"is a .*Inner, a structure of 8 bytes, but the parameter is a structure"),
        (Inner(True, (1, 2)), ValueError, r"field 'values' of Inner has shape \(2,\), but its type has \(3,\)"),
    ],
)
def test_dataclasses_that_do_not_fit(arrives, value, error, message):
    with pytest.raises(error, match=message):
        arrives(value, 16)


@dataclasses.dataclass
class Unsized:
    n: int


@dataclasses.dataclass
class Pointing:
    data: Buffer


@dataclasses.dataclass
class Empty:
    pass


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (Unsized(1), r"field 'n' of Unsized has type int, but a structure for a kernel has fields of NumPy and ctypes"),
        (Pointing(None), r"field 'data' of Pointing has type Buffer, but a structure .* ctypes.c_void_p"),
        (Empty(), r"Empty has no fields"),
    ],
)
def test_dataclasses_without_a_layout(value, message):
    for _ in range(2):
        with pytest.raises(TypeError, match=message):
            to_bytes(value)
