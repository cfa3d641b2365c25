# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import contextlib
import ctypes

import kernels
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_module import Logs

from cuda.cpu import abi, driver
from cuda.cpu.driver.code.link import pack
from cuda.cpu.ptx.image import image

TWICE = """
.visible .func (.param .u32 result) twice(.param .u32 value)
{
 .reg .b32 %r<3>;
 ld.param.u32 %r1, [value]; add.u32 %r2, %r1, %r1; st.param.u32 [result], %r2; ret;
}
"""
CALLER = """
.extern .func (.param .u32 result) twice(.param .u32 value);
.visible .entry caller(.param .u64 out, .param .u32 value)
{
 .reg .b64 %rd<2>; .reg .b32 %r<3>;
 ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [value];
 {
  .param .u32 given; .param .u32 taken;
  st.param.u32 [given], %r1; call (taken), twice, (given); ld.param.u32 %r2, [taken];
 }
 st.global.u32 [%rd1], %r2; ret;
}
"""


@contextlib.contextmanager
def linking(*arguments):
    link = driver.cuLinkCreate(*(arguments or (0, 0, 0)))
    try:
        yield link
    finally:
        driver.cuLinkDestroy(link)


def add(link: int, *parts: str, kind: int = abi.CU_JIT_INPUT_PTX) -> None:
    add_bytes(link, kernels.text(*parts), kind)


def add_bytes(link: int, data: bytes, kind: int) -> None:
    driver.cuLinkAddData(link, kind, kernels.address_of(data), len(data), b"part", 0, 0, 0)


def archive_of(*members: bytes) -> bytes:
    """Return a static library with a table of symbols, as ar makes them."""
    data = b"!<arch>\n"
    for name, member in ((b"/", b"\0" * 4), *((b"part.o/", member) for member in members)):
        data += name.ljust(48) + b"%-10d`\n" % len(member) + member + b"\n" * (len(member) % 2)
    return data


def test_units_call_each_other(context, tmp_path):
    out = driver.cuMemAlloc(4)
    path = tmp_path / "caller.ptx"
    path.write_bytes(kernels.text(CALLER)[:-1])
    with linking() as link:
        add(link, TWICE)
        driver.cuLinkAddFile(link, abi.CU_JIT_INPUT_PTX, bytes(path), 0, 0, 0)
        address, size = driver.cuLinkComplete(link)
        assert ctypes.string_at(address, 4) == b"\x7fELF"
        assert image.image_size(address) == size
        module = driver.cuModuleLoadData(address)
    kernels.run(module, "caller", ctypes.c_uint64(out), ctypes.c_uint32(21))
    assert kernels.read(out) == 42
    driver.cuModuleUnload(module)
    driver.cuMemFree(out)


@pytest.mark.parametrize("others", [(abi.CU_JIT_INPUT_LIBRARY, abi.CU_JIT_INPUT_PTX), (abi.CU_JIT_INPUT_CUBIN,)])
def test_units_of_all_kinds(context, others):
    """A cubin, PTX and a static library, of which only the members needed by the others are linked."""
    out = driver.cuMemAlloc(4)
    thrice = TWICE.replace("add.u32 %r2, %r1, %r1;", "mul.lo.u32 %r2, %r1, 3;")
    cubins = [pack([kernels.text(part)[:-1].decode()]) for part in (TWICE, CALLER, thrice)]
    with linking() as link:
        add_bytes(link, cubins[1], abi.CU_JIT_INPUT_CUBIN)
        for kind in others:
            if kind == abi.CU_JIT_INPUT_LIBRARY:  # the second member defines the same, but is not needed any more
                add_bytes(link, archive_of(b"no device code", cubins[0], cubins[2]), kind)
            elif kind == abi.CU_JIT_INPUT_PTX:
                add(link, CALLER.replace("caller", "another"))
            else:
                add_bytes(link, cubins[0], kind)
        address, _ = driver.cuLinkComplete(link)
        module = driver.cuModuleLoadData(address)
    for name in ("caller", "another")[: len(others)]:
        kernels.run(module, name, ctypes.c_uint64(out), ctypes.c_uint32(21))
        assert kernels.read(out) == 42
    driver.cuModuleUnload(module)
    driver.cuMemFree(out)


def test_unresolved_names_are_reported_in_the_log(refused):
    logs = Logs()
    with linking(*logs.arguments) as link:
        add(link, CALLER)
        with refused("INVALID_PTX", "twice"):
            driver.cuLinkComplete(link)
    assert b"twice" in logs.error.value
    assert logs.error.value.startswith(b"part, line ")


def test_errors_name_their_input(refused, tmp_path):
    path = tmp_path / "twice.ptx"
    path.write_bytes(kernels.text(TWICE)[:-1])
    units = [kernels.text(part)[:-1].decode() for part in (CALLER, TWICE)]
    with linking() as link:
        add_bytes(link, pack(units), abi.CU_JIT_INPUT_CUBIN)
        driver.cuLinkAddFile(link, abi.CU_JIT_INPUT_PTX, str(path).encode(), 0, 0, 0)
        with refused("INVALID_PTX", f"{path}, line") as _:
            driver.cuLinkComplete(link)
        assert "also in part[1]" in driver.error.last_error_message()


def test_wrong_inputs(refused):
    with linking() as link:
        with refused("NOT_SUPPORTED", "input type 5"):
            add(link, TWICE, kind=abi.CU_JIT_INPUT_NVVM)
        with refused("INVALID_IMAGE", "the library is no archive"):
            add(link, TWICE, kind=abi.CU_JIT_INPUT_LIBRARY)
        with refused("INVALID_IMAGE", "the member at byte 72 has a wrong header"):
            add_bytes(link, archive_of(b"xx")[:-1], kind=abi.CU_JIT_INPUT_LIBRARY)
        with refused("INVALID_VALUE", "data is NULL"):
            driver.cuLinkAddData(link, abi.CU_JIT_INPUT_PTX, 0, 0, None, 0, 0, 0)
        with refused("FILE_NOT_FOUND"):
            driver.cuLinkAddFile(link, abi.CU_JIT_INPUT_PTX, b"/nowhere", 0, 0, 0)
    with refused("INVALID_HANDLE", "no live link state"):
        driver.cuLinkComplete(link)


UNIT = st.lists(st.text("abc .;{}", min_size=1).map(str.strip), max_size=5).map("\n".join)


@given(st.lists(UNIT, min_size=1, max_size=4))
def test_packed_units_round_trip(units):
    texts = [".version 8.0\n" + unit for unit in units]
    found = image.ptx_of(pack(texts))
    assert [text.splitlines() for text in found] == [text.splitlines() for text in texts]
    assert {text.most_registers for text in found} == {0}


@pytest.mark.parametrize("count", [1, 3])
def test_the_size_of_a_linked_image(count):
    data = pack([".version 8.0"] * count, 24)
    assert image.image_size(kernels.address_of(data)) == len(data)
