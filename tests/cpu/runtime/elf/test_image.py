# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The ELF loader: relocations, libm and libc, and objects that are damaged."""

import contextlib
import ctypes
import platform
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.warp_kernels import compile_kernels

from cuda.cpu.runtime import _runtime as runtime


def test_constants_variables_and_libm(device):
    out = np.zeros(32)
    assert device.run("library", 1, 32, out.ctypes.data, 0) is None
    lanes = np.arange(32)
    assert np.array_equal(out, 2.0**lanes + 10.0 ** (lanes % 4) + 1)


def test_variable_is_writable(device, image):
    out = np.zeros(32)
    scale = np.frombuffer((ctypes.c_double * 1).from_address(image.address("scale")))
    before = scale[0]
    scale[0] = 3.0
    try:
        assert device.run("library", 1, 2, out.ctypes.data, 0) is None
    finally:
        scale[0] = before
    assert out[1] == 3 + 10 + 1


def test_unknown_symbol_of_an_image(image):
    with pytest.raises(KeyError, match="no_such_kernel"):
        image.address("no_such_kernel")


def test_undefined_symbol_is_named(tmp_path):
    source = tmp_path / "k.c"
    source.write_text("extern int nobody_has_this(void); int f(void) { return nobody_has_this(); }")
    with pytest.raises(ValueError, match=r"'nobody_has_this'.*libm nor libc"):
        runtime.Image(compile_kernels(tmp_path, source))


@pytest.mark.skipif(platform.machine() != "x86_64", reason="only x86-64 has absolute 32-bit relocations")
def test_code_that_must_lie_low_is_refused(tmp_path):
    source = tmp_path / "k.c"
    source.write_text("int x; int *f(void) { return &x; }")
    data = compile_kernels(tmp_path, source, "-fno-pic", "-mcmodel=small")
    with pytest.raises(ValueError, match="position-independent"):
        runtime.Image(data)


@pytest.mark.parametrize("data", [b"", b"\x7fELF", bytes(64), b"\x7fELF" + bytes(100)])
def test_what_is_no_object(data):
    with pytest.raises(ValueError, match="ELF"):
        runtime.Image(data)


def test_not_bytes():
    for data in (None, "text", 5):
        with pytest.raises(TypeError):
            runtime.Image(data)


def load(data):
    with contextlib.suppress(ValueError):  # anything else is a defect
        runtime.Image(data)


@settings(max_examples=400)
@given(data=st.data())
def test_damaged_objects_are_refused_or_loaded(object_bytes, data):
    damaged = bytearray(object_bytes)
    table = struct.unpack_from("<Q", damaged, 40)[0]
    # Anywhere, and more often in the ELF header and the section headers, which have the offsets.
    position = st.integers(0, len(damaged) - 1) | st.integers(0, 63) | st.integers(table, len(damaged) - 1)
    for at, value in data.draw(st.lists(st.tuples(position, st.integers(0, 255)), min_size=1, max_size=8)):
        damaged[at] = value
    load(bytes(damaged))


@settings(max_examples=100)
@given(data=st.data())
def test_damaged_section_headers(object_bytes, data):
    damaged = bytearray(object_bytes)
    table, count = struct.unpack_from("<Q", damaged, 40)[0], struct.unpack_from("<H", damaged, 60)[0]
    extreme = st.sampled_from([0, 1, 2**63, 2**64 - 1, 2**32, 2**31 - 1]) | st.integers(0, 2**64 - 1)
    for _ in range(data.draw(st.integers(1, 3))):
        at = table + 64 * data.draw(st.integers(0, count - 1)) + 8 * data.draw(st.integers(0, 7))
        struct.pack_into("<Q", damaged, at, data.draw(extreme))
    load(bytes(damaged))


def test_a_section_of_no_type_is_not_read(object_bytes):
    """Its offset and size are not validated."""
    table, count = struct.unpack_from("<Q", object_bytes, 40)[0], struct.unpack_from("<H", object_bytes, 60)[0]
    for number in range(count):
        damaged, at = bytearray(object_bytes), table + 64 * number
        struct.pack_into("<I", damaged, at + 4, 0)
        struct.pack_into("<Q", damaged, at + 24, 2**46)
        load(bytes(damaged))


@settings(max_examples=60)
@given(data=st.data())
def test_truncated_objects(object_bytes, data):
    load(object_bytes[: data.draw(st.integers(0, len(object_bytes)))])
