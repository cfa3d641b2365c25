# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Structs: layouts as in C; values that fields accept, return and refuse."""

import copy
import ctypes
import gc
import pickle
import struct
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codegen import roles
from codegen.c_types import integer, strip_typedefs
from codegen.model import Array, Enum, Pointer, Primitive, Struct
from cuda.bindings import driver, nvrtc, runtime

MODULES = {"driver": driver, "nvrtc": nvrtc}
LIBRARIES = {name: library for name, library in roles.libraries().items() if name in MODULES}


def memory(made):
    return ctypes.string_at(made.getPtr(), type(made)._kind_.size)


def scalars(library, record, base=0):
    """Return name, type and offset of the fields that hold one number, with those of members without a name."""
    for field in record.fields:
        meaning = strip_typedefs(library, field.type)
        if field.name is None:
            yield from scalars(library, meaning, base + field.offset)
        elif not isinstance(meaning, Struct | Array) and not field.name.startswith("_"):
            yield field.name, meaning, base + field.offset


def sample(library, meaning):
    """Return a value with the sign bit set where there is one, and its bytes."""
    if isinstance(meaning, Enum):
        number = meaning.members[-1].value
        return number, struct.pack("<q", number)[:4]
    if isinstance(meaning, Primitive) and meaning.name in ("float", "double"):
        return -2.5, struct.pack("<f" if meaning.name == "float" else "<d", -2.5)
    size, signed = (8, False) if isinstance(meaning, Pointer) else integer(library, meaning)
    raw = bytes(0x91 + j for j in range(size))
    return int.from_bytes(raw, "little", signed=signed), raw


@pytest.mark.parametrize("name", MODULES)
def test_fields_have_the_offsets_of_c(name):
    library, seen = LIBRARIES[name], 0
    for record in library.structs.values():
        if not record.size:
            continue
        cls = getattr(MODULES[name], record.name)
        assert MODULES[name].sizeof(cls) == record.size
        for field, meaning, offset in scalars(library, record):
            made = cls()
            assert memory(made) == bytes(record.size)
            value, raw = sample(library, meaning)
            setattr(made, field, value)
            expected = bytes(offset) + raw + bytes(record.size - offset - len(raw))
            assert memory(made) == expected, f"{record.name}.{field}"
            if not isinstance(meaning, Pointer) or library is not LIBRARIES["driver"]:
                got = getattr(made, field)
                assert (float(got) if isinstance(got, float) else int(got)) == value, f"{record.name}.{field}"
            seen += 1
    assert seen >= {"driver": 500, "nvrtc": 5}[name]


def test_nested_structs_share_memory_and_keep_it_alive():
    params = driver.CUDA_MEMCPY_NODE_PARAMS()
    inner = params.copyParams
    inner.WidthInBytes = 77
    assert params.copyParams.WidthInBytes == 77
    del params
    gc.collect()
    assert inner.WidthInBytes == 77


def test_assigning_a_struct_copies_it():
    location = driver.CUmemLocation(type=driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE, id=3)
    access = driver.CUmemAccessDesc()
    access.location = location
    location.id = 4
    assert access.location.id == 3
    with pytest.raises(TypeError, match=r"CUmemAccessDesc\.location must be CUmemLocation, not int"):
        access.location = 5


def test_union_members_overlap():
    value = driver.CUlaunchAttributeValue()
    value.clusterDim.x = 7
    assert value.cooperative == 7
    assert value.pad[:4] == b"\x07\0\0\0"


def test_members_of_anonymous_unions_belong_to_the_struct():
    params = driver.CUstreamBatchMemOpParams()
    params.waitValue.value64 = 1 << 40 | 5
    assert params.waitValue.value == 5


def test_lists_behind_pointers_live_as_long_as_the_struct():
    config = driver.CUlaunchConfig()
    attributes = [driver.CUlaunchAttribute() for _ in range(3)]
    for i, attribute in enumerate(attributes):
        attribute.value.priority = i
    config.attrs = attributes
    config.numAttrs = 3
    del attributes, attribute
    gc.collect()
    assert [attribute.value.priority for attribute in config.attrs] == [0, 1, 2]
    # A view of the same memory knows the number of elements from the field that counts them.
    assert [attribute.value.priority for attribute in driver.CUlaunchConfig(_ptr=config.getPtr()).attrs] == [0, 1, 2]
    config.attrs = None
    assert config.attrs == []


def test_assigned_structs_keep_referents_alive():
    node = driver.CUgraphNodeParams()
    params = driver.CUDA_KERNEL_NODE_PARAMS_v3()
    params.kernelParams = ((5,), (ctypes.c_int,))
    address = params.kernelParams
    node.kernel = params
    del params
    gc.collect()
    pointer = ctypes.c_void_p.from_address(address).value
    assert node.kernel.kernelParams == address
    assert ctypes.c_int.from_address(pointer).value == 5


def test_failed_list_assignments_change_nothing():
    desc = driver.CUDA_TEXTURE_DESC()
    desc.borderColor = [1, 2, 3, 4]
    with pytest.raises(TypeError, match=r"CUDA_TEXTURE_DESC\.borderColor must be a number, not str"):
        desc.borderColor = [9, 9, "x", 9]
    with pytest.raises(ValueError, match=r"borderColor takes 4 elements, not 2"):
        desc.borderColor = [1, 2]
    assert desc.borderColor == [1.0, 2.0, 3.0, 4.0]


def test_text_has_its_exact_length():
    uuid = driver.CUuuid()
    uuid.bytes = bytes(range(16))
    assert uuid.bytes == bytes(range(16))
    with pytest.raises(ValueError, match=r"CUuuid\.bytes must be bytes of length 16, not 3"):
        uuid.bytes = b"abc"
    with pytest.raises(TypeError, match="not str"):
        uuid.bytes = "0123456789abcdef"


@given(st.integers())
def test_integers_are_range_checked(value):
    params = driver.CUDA_KERNEL_NODE_PARAMS()
    if 0 <= value < 2**32:
        params.gridDimX = value
        assert params.gridDimX == value
    else:
        with pytest.raises(OverflowError, match=r"gridDimX must be an int from 0 to 4294967295, not"):
            params.gridDimX = value
        assert params.gridDimX == 0


@given(st.integers(-(2**31), 2**31 - 1))
def test_signed_integers(value):
    location = driver.CUmemLocation()
    location.id = value
    assert location.id == value


@given(st.floats(width=32))
def test_floats(value):
    desc = driver.CUDA_TEXTURE_DESC()
    desc.mipmapLevelBias = value
    assert struct.pack("<f", desc.mipmapLevelBias) == struct.pack("<f", value) or value != value


def test_float_out_of_range():
    with pytest.raises(OverflowError, match="does not fit a C float"):
        driver.CUDA_TEXTURE_DESC().mipmapLevelBias = 1e39


@given(st.integers(0, 2**32 - 1))
def test_enumeration_fields_accept_unknown_values(value):
    desc = driver.CUDA_ARRAY_DESCRIPTOR()
    desc.Format = value
    assert desc.Format == value
    assert isinstance(desc.Format, driver.CUarray_format)


@pytest.mark.parametrize("value", ["3", 3.5, b"3", [3]])
def test_integer_fields_refuse_other_types(value):
    with pytest.raises(TypeError, match=r"CUDA_MEMCPY2D\.Height must be an int from 0"):
        driver.CUDA_MEMCPY2D().Height = value


def test_addresses_keep_buffers_alive():
    params = driver.CUDA_MEMCPY2D()
    params.srcHost = bytearray(b"hello")
    gc.collect()
    assert ctypes.string_at(params.srcHost, 5) == b"hello"


def test_equality_repr_and_constructor():
    one, other = driver.CUextent3D(width=1, height=2), driver.CUextent3D(width=1, height=2)
    assert one == other
    assert one != driver.CUextent3D()
    assert one != driver.CUoffset3D(x=1, y=2)
    assert repr(one) == "CUextent3D(width=1, height=2, depth=0)"
    with pytest.raises(TypeError, match="CUextent3D has no field 'size'; its fields are width, height, depth"):
        driver.CUextent3D(size=1)
    with pytest.raises(TypeError):
        hash(one)


def test_every_alias_is_the_same_class():
    assert driver.CUDA_ARRAY3D_DESCRIPTOR_st is driver.CUDA_ARRAY3D_DESCRIPTOR_v2 is driver.CUDA_ARRAY3D_DESCRIPTOR
    assert driver.CUkernelNodeAttrValue is driver.CUlaunchAttributeValue


def test_structs_without_pointers_are_pickled_and_copied():
    made = driver.CUextent3D(width=1, height=2)
    for again in (pickle.loads(pickle.dumps(made)), copy.copy(made), copy.deepcopy(made)):
        assert again == made
        again.width = 7
        assert made.width == 1
    part = driver.CUDA_ARRAY3D_DESCRIPTOR(Width=3)
    assert pickle.loads(pickle.dumps([part]))[0].Width == 3


def test_structs_with_pointers_are_not_pickled():
    made = driver.CUDA_MEMCPY3D(srcHost=bytearray(8))
    for make in (pickle.dumps, copy.deepcopy):
        with pytest.raises(TypeError, match=r"CUDA_MEMCPY3D holds addresses of this process \(srcHost, srcArray, "):
            make(made)
    within = driver.CUDA_KERNEL_NODE_PARAMS
    with pytest.raises(TypeError, match="func, kernelParams, extra, kern, ctx"):
        pickle.dumps(within())


def test_copies_keep_referents_alive():
    memory = bytearray(b"abcd")
    made = driver.CUDA_MEMCPY3D(srcHost=memory)
    again = copy.copy(made)
    before = sys.getrefcount(memory)
    del made
    gc.collect()
    assert sys.getrefcount(memory) >= before - 1  # the copy's own reference
    assert ctypes.string_at(again.srcHost, 4) == b"abcd"


def test_pickle_of_another_size_is_refused():
    rebuild, (cls, contents, number) = driver.CUextent3D().__reduce__()
    with pytest.raises(ValueError, match="CUextent3D has 24 bytes here, but 23 where it was pickled"):
        rebuild(cls, contents[:-1], number)


def test_misuse_does_not_crash():
    bare = driver.CUextent3D.__new__(driver.CUextent3D)
    for use in (lambda: bare.width, lambda: setattr(bare, "width", 1), lambda: bare == bare):
        with pytest.raises(ValueError, match="was not initialised"):
            use()
    made = driver.CUextent3D(width=3)
    with pytest.raises(TypeError, match="initialised already"):
        made.__init__()
    with pytest.raises(AttributeError, match="cannot be deleted"):
        del made.width
    with pytest.raises(TypeError, match="CUoffset3D"):
        driver.CUoffset3D.x.__get__(made, None)
    with pytest.raises(TypeError, match="base class"):
        driver.CUextent3D.__mro__[1]()


def test_set_dsts_srcs():
    params = driver.CUDA_MEMCPY_BATCH_NODE_PARAMS()
    params.set_dsts_srcs([1, 2], [3, 4])
    assert ([int(p) for p in params.dsts], [int(p) for p in params.srcs], params.count) == ([1, 2], [3, 4], 2)
    with pytest.raises(ValueError, match="dsts has 1 elements, but srcs has 2"):
        params.set_dsts_srcs([1], [3, 4])


def test_sizeof():
    assert driver.sizeof(driver.CUstream) == 8
    assert driver.sizeof(driver.CUdevice) == 4
    assert driver.sizeof(driver.CUresult) == 4
    with pytest.raises(TypeError, match="takes a handle, enumeration or struct class"):
        driver.sizeof(int)


def test_make_functions_of_the_runtime():
    extent = runtime.make_cudaExtent(3, 2, 1)
    assert (type(extent), extent.width, extent.height, extent.depth) == (runtime.cudaExtent, 3, 2, 1)
    pitched = runtime.make_cudaPitchedPtr(4096, 512, 500, 3)
    assert (int(pitched.ptr), pitched.pitch, pitched.xsize, pitched.ysize) == (4096, 512, 500, 3)
    position = runtime.make_cudaPos(7, 8, 9)
    assert (position.x, position.y, position.z) == (7, 8, 9)
    with pytest.raises(OverflowError, match="width"):
        runtime.make_cudaExtent(-1, 0, 0)
