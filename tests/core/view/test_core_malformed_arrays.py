# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Malformed DLPack capsules and array interfaces: each is viewed or rejected, and no bad pointer is followed."""

import ctypes
import gc
import pathlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.scripts import run_checked

from cuda.core import LaunchConfig, launch
from cuda.core._view import _dlpack
from cuda.core.utils import StridedLayout, StridedMemoryView

NAMES = ("int32", "int64", "uint8", "uint16", "uint32", "uint64")
I32, I64, U8, U16, U32, U64 = (getattr(ctypes, f"c_{n}") for n in NAMES)
LARGEST = 2**63 - 1
MEMORY = ctypes.create_string_buffer(1 << 12)
HERE = ctypes.addressof(MEMORY)


class Tensor(ctypes.Structure):
    _fields_ = (
        ("data", U64), ("device_type", I32), ("device_id", I32), ("ndim", I32), ("code", U8), ("bits", U8),
        ("lanes", U16), ("shape", ctypes.POINTER(I64)), ("strides", ctypes.POINTER(I64)), ("byte_offset", U64),
    )  # fmt: skip


DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Managed(ctypes.Structure):
    _fields_ = (("tensor", Tensor), ("context", U64), ("deleter", DELETER))


class Versioned(ctypes.Structure):
    _fields_ = (
        ("major", U32), ("minor", U32), ("context", U64), ("deleter", DELETER), ("flags", U64), ("tensor", Tensor),
    )  # fmt: skip


_new = ctypes.PyDLL(None).PyCapsule_New  # not that of ctypes.pythonapi, whose argtypes others set as well
_new.restype, _new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Array:
    """An array with a configurable DLPack capsule; `deleted` counts the calls of its deleter."""

    def __init__(self, shape=(2, 3), strides=None, *, versioned=True, major=1, name=None, device=1, **fields):
        self.managed = Versioned(major=major) if versioned else Managed()
        self.deleted, self.device = 0, device
        self.managed.deleter = DELETER(self._delete)
        given = {"data": HERE, "device_type": device, "ndim": len(shape or ()), "code": 2, "bits": 32, "lanes": 1}
        for key, value in (given | fields).items():
            setattr(self.managed.tensor, key, value)
        if shape is not None:
            self.managed.tensor.shape = (I64 * len(shape))(*shape)
        if strides is not None:
            self.managed.tensor.strides = (I64 * len(strides))(*strides)
        self.name = name or (b"dltensor_versioned" if versioned else b"dltensor")

    def _delete(self, _):
        self.deleted += 1

    def __dlpack_device__(self):
        return (self.device, 0)

    def __dlpack__(self, **_):
        return _new(ctypes.addressof(self.managed), self.name, None)


@pytest.mark.parametrize("versioned", [True, False])
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"shape": None, "ndim": 2}, r"^the DLPack tensor has ndim 2, but its shape is NULL$"),
        ({"ndim": -1}, r"^the DLPack tensor has ndim -1, must be 0 to 64$"),
        ({"ndim": 2**31 - 1}, r"has ndim 2147483647, must be 0 to 64$"),
        ({"shape": (2, -3)}, r"^the DLPack tensor's shape\[1\] is -3, must not be negative$"),
        ({"data": 0}, r"^the DLPack tensor has elements, but its data is NULL$"),
        ({"byte_offset": 2**64 - 1}, r"byte_offset 18446744073709551615 leads past the end of all memory$"),
        ({"shape": (LARGEST, 2)}, r"^the DLPack tensor of shape \(9223372036854775807, 2\), strides None and 32 bits"),
        ({"shape": (2**62,)}, r"is larger than any memory$"),
        ({"strides": (LARGEST, 1), "shape": (3, 3)}, r"strides \(9223372036854775807, 1\) and 32 bits"),
        ({"strides": (-LARGEST - 1, 1)}, r"is larger than any memory$"),
        ({"strides": (2**61, 1)}, r"is larger than any memory$"),
        ({"bits": 24}, r"^DLPack type \(code 2, 24 bits, 1 lanes\) has no NumPy equivalent$"),
        ({"bits": 0}, r"has no NumPy equivalent$"),
        ({"bits": 16, "code": 6}, r"has no NumPy equivalent$"),
        ({"bits": 8, "code": 5}, r"has no NumPy equivalent$"),
        ({"lanes": 0}, r"has no NumPy equivalent$"),
        ({"lanes": 4}, r"has no NumPy equivalent$"),
        ({"code": 77}, r"has no NumPy equivalent$"),
        ({"device_type": 2}, r"^__dlpack_device__ says \(1, 0\), but the capsule's array is on \(2, 0\)$"),
        ({"name": b"used_dltensor"}, r"^this is no unused DLPack capsule"),
        ({"name": b"something"}, r"^this is no unused DLPack capsule"),
    ],
)
def test_a_malformed_capsule_is_refused(settings, message, versioned):
    array = Array(**settings, versioned=versioned)
    with pytest.raises(BufferError, match=message):
        StridedMemoryView(array, stream_ptr=-1)


@pytest.mark.parametrize("major", [0, 2, 2**32 - 1])
def test_an_unknown_major_version_is_refused(major):
    array = Array(major=major)
    array.managed.tensor.ndim = -1  # fields after the version are not read
    for read in (lambda: StridedMemoryView(array), lambda: _dlpack.peek_pointer(array.__dlpack__())):
        with pytest.raises(BufferError, match=rf"^the array comes as DLPack {major}\.x, but 1\.x is"):
            read()


@pytest.mark.parametrize("settings", [{"shape": None, "ndim": 3}, {"data": 0}, {"byte_offset": 2**64 - 1}])
def test_an_argument_of_a_kernel_is_checked_as_well(settings):
    for array in (Array(**settings), Array(**settings, versioned=False)):  # a capsule does not keep its Array alive
        with pytest.raises(BufferError, match=r"^the DLPack tensor"):
            _dlpack.peek_pointer(array.__dlpack__())
    used = Array(name=b"used_dltensor")
    for wrong in (1, None, "dltensor", used.__dlpack__()):
        with pytest.raises(BufferError, match=r"^__dlpack__ returned no unused DLPack capsule$"):
            _dlpack.peek_pointer(wrong)


@pytest.mark.parametrize(
    "settings",
    [
        {}, {"shape": ()}, {"shape": None, "ndim": 0}, {"shape": (0, LARGEST), "data": 0}, {"strides": (-3, 1)},
        {"shape": (1, 2), "strides": (LARGEST, 1)}, {"strides": (0, 0), "shape": (2**40, 2)},
    ],
)  # fmt: skip
def test_a_valid_capsule_is_deleted_once(settings):
    array = Array(**settings)
    view = StridedMemoryView(array)
    assert len(view.shape) == array.managed.tensor.ndim
    assert (view.strides is None) == (not array.managed.tensor.strides)
    assert array.deleted == 0
    del view
    gc.collect()
    assert array.deleted == 1


@pytest.mark.parametrize("other", [{}, {"dtype": np.int32}, {"layout": StridedLayout.dense((6,), 4)}])
def test_a_view_of_a_view_keeps_the_array(other):
    array = Array()
    view = StridedMemoryView(array).view(**other)
    gc.collect()
    assert array.deleted == 0
    del view
    gc.collect()
    assert array.deleted == 1


def test_a_refused_capsule_is_not_consumed():
    array = Array(shape=(-1,))
    capsule = array.__dlpack__()
    with pytest.raises(BufferError, match="negative"):
        _dlpack.Tensor(capsule)
    assert '"dltensor_versioned"' in repr(capsule)
    assert array.deleted == 0


NUMBERS = st.sampled_from([0, 1, 2, 3, 64, 65, 2**31 - 1, 2**31, 2**62, LARGEST, -1, -(2**31), -(2**63)])
SMALL = st.integers(0, 255)


@given(
    shape=st.none() | st.lists(NUMBERS, max_size=5),
    strides=st.none() | st.lists(NUMBERS, min_size=5, max_size=5),
    more=st.fixed_dictionaries(
        {},
        optional={
            "ndim": st.sampled_from([-(2**31), -1, 0, 2**31 - 1]), "code": SMALL, "bits": SMALL, "lanes": SMALL,
            "byte_offset": st.sampled_from([0, 1, 2**63, 2**64 - 1]), "data": st.sampled_from([0, HERE, 2**64 - 1]),
            "device_type": NUMBERS.filter(lambda n: -(2**31) <= n < 2**31), "major": st.sampled_from([0, 1, 2]),
            "name": st.sampled_from([b"dltensor", b"dltensor_versioned", b"used_dltensor_versioned", b"x"]),
        },
    ),
    versioned=st.booleans(),
)  # fmt: skip
def test_random_capsules_are_viewed_or_refused(shape, strides, more, versioned):
    if more.get("name", b"") == (b"dltensor" if versioned else b"dltensor_versioned"):
        del more["name"]  # the capsule's name would be wrong for the structure, which cannot be detected
    array = Array(shape=shape, strides=strides, versioned=versioned, **more)
    try:
        view = StridedMemoryView(array)
    except (BufferError, ImportError):
        assert array.deleted <= 1
        return
    assert len(view.shape) == array.managed.tensor.ndim
    assert view.size >= 0
    assert view.layout.volume == view.size
    del view
    assert array.deleted == 1


# --- dictionaries -----------------------------------------------------------------------------------------------------


class Interface:
    def __init__(self, host, interface):
        setattr(self, "__array_interface__" if host else "__cuda_array_interface__", interface)


GOOD = {"data": (HERE, False), "shape": (2, 3), "typestr": "<i2", "version": 3}


@pytest.mark.parametrize("host", [True, False])
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"typestr": None}, r"^'typestr' of the array interface is None, must be a string such as '<f4'$"),
        ({"typestr": "no type"}, r"^the type 'no type' of the array interface, with descr None: "),
        ({"typestr": "<f3"}, r"^the type '<f3' of the array interface"),
        ({"typestr": ","}, r"^the type ',' of the array interface"),
        ({"typestr": "|V0"}, r"^the array interface's type \|V0 has no bytes$"),
        ({"typestr": "|V4", "descr": [("a", "<f8")]}, r"^'descr' .* must be of the size of typestr '\|V4'$"),
        ({"typestr": "|V4", "descr": 5}, r"^the type '\|V4' of the array interface, with descr 5: "),
        ({"data": 5}, r"^'data' of the array interface is 5, must be a tuple of an address and whether"),
        ({"data": (HERE,)}, r"^'data' of the array interface is"),
        ({"data": ("x", False)}, r"^'data' of the array interface is \('x', False\), must be an address of 64 bits"),
        ({"data": (-1, False)}, r"must be an address of 64 bits"),
        ({"data": (2**64, False)}, r"must be an address of 64 bits"),
        ({"data": (0, False)}, r"^'data' .* is 0, must be an address other than 0 for an array of shape \(2, 3\)$"),
        ({"shape": None}, r"^'shape' of the array interface is None, must be a tuple of at most 64 integers of 0"),
        ({"shape": (2, -1)}, r"^'shape' of the array interface is \(2, -1\), must be"),
        ({"shape": (2, 2.5)}, r"^'shape' of the array interface is \(2, 2.5\), must be"),
        ({"shape": (1,) * 65}, r"must be a tuple of at most 64 integers"),
        ({"shape": (2**62, 2**62)}, r"^'shape' .* must be smaller: "),
        ({"strides": (6,)}, r"^'strides' of the array interface is \(6,\), must be one number for each of the 2 axes$"),
        ({"strides": (6, "2")}, r"^'strides' of the array interface is \(6, '2'\), must be"),
        ({"strides": (2**63, 2)}, r"must be a tuple of at most 64 integers of 64 bits$"),
        ({"strides": (2**62, 2), "shape": (9, 9)}, r"must be smaller: "),
        ({"mask": 1}, r"^masked arrays are not understood$"),
    ],
)
def test_a_malformed_interface_is_refused(host, changes, message):
    with pytest.raises(BufferError, match=message):
        StridedMemoryView(Interface(host, GOOD | changes), stream_ptr=-1)


@pytest.mark.parametrize("key", ["data", "shape", "typestr", "version"])
def test_the_error_names_a_missing_key(key):
    given = {name: value for name, value in GOOD.items() if name != key}
    with pytest.raises(BufferError, match="no address" if key == "data" else key):
        StridedMemoryView(Interface(False, given), stream_ptr=-1)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"version": "3"}, r"^only version 3 of the CUDA Array Interface is understood, not version '3'$"),
        ({"stream": "1"}, r"^'stream' of the array interface is '1', must be None, 1, 2 or a stream's handle$"),
        ({"stream": -5}, r"^'stream' of the array interface is -5, must be"),
        ({"typestr": "|O"}, r"^the array is of object: Python objects do not live on a device$"),
    ],
)
def test_a_malformed_interface_of_a_device_is_refused(changes, message):
    with pytest.raises(BufferError, match=message):
        StridedMemoryView(Interface(False, GOOD | changes), stream_ptr=-1)


@pytest.mark.parametrize("host", [True, False])
@pytest.mark.parametrize("interface", [None, 5, [], "x"])
def test_an_interface_that_is_not_a_dict_is_refused(host, interface):
    with pytest.raises(BufferError, match=r"array_interface__ is a \w+, must be a dict$"):
        StridedMemoryView(Interface(host, interface), stream_ptr=-1)


@pytest.mark.parametrize("interface", [5, {}, {"data": None}, {"data": ()}, {"data": ("x", 0)}, {"data": (-1, 0)}])
def test_a_malformed_interface_is_refused_as_kernel_argument(module, stream, interface):
    with pytest.raises(
        TypeError, match=r"^argument 1 of .*: its __cuda_array_interface__ must be a dict whose data is"
    ):
        launch(stream, LaunchConfig(grid=1, block=1), module.get_kernel("store_long"), Interface(False, interface), 1)


TEXTS = st.text(max_size=4)
ANYTHING = st.none() | st.booleans() | NUMBERS | TEXTS | st.lists(NUMBERS | TEXTS, max_size=3)
TYPES = st.sampled_from(["<f4", ">i8", "|u1", "|V3", "|S5", "<U2", "|b1", "<c16", "|O", "<M8[s]", "|V0"])


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "typestr": TYPES | ANYTHING, "shape": st.lists(NUMBERS, max_size=4).map(tuple) | ANYTHING,
            "strides": st.lists(NUMBERS, max_size=4).map(tuple) | ANYTHING, "descr": ANYTHING, "mask": ANYTHING,
            "data": st.tuples(st.just(HERE) | NUMBERS, st.booleans()) | ANYTHING, "version": st.just(3) | ANYTHING,
        },
    )
)  # fmt: skip
def test_random_interfaces_are_viewed_or_refused(interface):
    try:
        view = StridedMemoryView(Interface(True, GOOD | interface))
    except BufferError:
        return
    assert view.layout.volume == view.size >= 0
    assert isinstance(view.dtype, np.dtype)


EXCHANGE = """
    import ctypes
    import sys
    sys.path.insert(0, {folder!r})
    from test_core_malformed_arrays import U64, Array, _new
    from cuda.core.utils import StridedMemoryView

    class Offered(Array):
        def __init__(self, **fields):
            super().__init__(**fields, versioned=False)
            self.by_api = Array(**fields)

    @ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(ctypes.c_void_p))
    def managed_of(array, found):
        found[0] = ctypes.addressof(array.by_api.managed)
        return 0

    address = ctypes.cast(managed_of, ctypes.c_void_p).value
    table = (U64 * 7)(1, 0, 0, address, 0, 1, 0)  # version 1.0, the previous table, five functions
    name = b"dlpack_exchange_api"
    Offered.__dlpack_c_exchange_api__ = _new(ctypes.addressof(table), name, None)
    for code, bits in ((2, 32), (5, 64)):
        array = Offered(code=code, bits=bits)
        StridedMemoryView(array, -1)  # asks the type
        view = StridedMemoryView(array, -1)
        print(view.dtype, view.shape, array.deleted, array.by_api.deleted)
        del view
        print(array.deleted, array.by_api.deleted)
"""


def test_what_the_exchange_api_gives_is_deleted_once():
    """Complex numbers are taken from the capsule, which has another layout here; by a process without another type."""
    folder = str(pathlib.Path(__file__).parent)
    lines = run_checked(EXCHANGE.format(folder=folder)).splitlines()
    assert lines == ["float32 (2, 3) 1 0", "1 1", "complex64 (2, 3) 1 2", "2 2"]


def test_a_view_is_initialised_once():
    array, other = Array(), Array()
    view = StridedMemoryView(array)
    with pytest.raises(RuntimeError, match=r"^this view is initialised already: make another one$"):
        view.__init__(other)
    assert (view.exporting_obj, array.deleted, other.deleted) == (array, 0, 0)


def test_a_view_can_be_initialised_after_its_array_was_refused():
    class Retrying(StridedMemoryView):
        def __init__(self, first, second):
            with pytest.raises(BufferError, match="no NumPy equivalent"):
                super().__init__(first)
            assert (self.shape, self.ptr) == (None, 0)
            super().__init__(second)

    for versioned in (True, False):
        refused, array = Array(code=77), Array(versioned=versioned)
        view = Retrying(refused, array)
        assert (view.shape, refused.deleted, array.deleted) == ((2, 3), 1, 0)
        del view
        gc.collect()
        assert (refused.deleted, array.deleted) == (1, 1)
