# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""cuda.cpu.abi: its classes have the layouts of the headers' structs."""

import ctypes
import types

import pytest

from codegen import write_abi


@pytest.fixture(scope="module")
def abi(libraries):
    """The module as the generator writes it now."""
    (text,) = write_abi.files(libraries).values()
    module = types.ModuleType("abi")
    exec(text, vars(module))
    return module


def test_every_struct_has_the_layout_of_the_header(abi, libraries):
    for name, struct in libraries["driver"].structs.items():
        if struct.fields:
            made = getattr(abi, name)
            assert ctypes.sizeof(made) == struct.size, name
            assert issubclass(made, ctypes.Union if struct.union else ctypes.Structure)
            for field in struct.fields:
                if field.name:
                    descriptor = getattr(made, field.name)
                    assert (descriptor.offset, descriptor.size) == (field.offset, field.size), (name, field.name)


def test_a_struct_views_memory(abi):
    memory = ctypes.create_string_buffer(ctypes.sizeof(abi.CUDA_MEMCPY2D))
    copy = abi.CUDA_MEMCPY2D.from_buffer(memory)
    copy.dstHost, copy.Height = 2**63 + 1, 7
    again = abi.CUDA_MEMCPY2D_st.from_address(ctypes.addressof(memory))
    assert (again.dstHost, again.Height) == (2**63 + 1, 7)  # addresses are plain ints
    assert abi.CUDA_MEMCPY2D is abi.CUDA_MEMCPY2D_st


def test_unnamed_members_belong_to_their_parent(abi):
    location = abi.CUmemLocation(type=1, id=3)
    assert location.id == 3


def test_older_structs_exist(abi):
    assert abi.CUDA_MEMCPY2D_v1.srcDevice.size == 4


def test_numbers(abi, libraries):
    driver = libraries["driver"]
    for enum in driver.enums.values():
        for member in enum.members:
            assert getattr(abi, member.name) == member.value
    for name, constant in driver.constants.items():
        assert getattr(abi, name) == constant.value


def test_an_unknown_name_is_an_attribute_error(abi):
    with pytest.raises(AttributeError, match="NoSuchStruct"):
        _ = abi.NoSuchStruct
