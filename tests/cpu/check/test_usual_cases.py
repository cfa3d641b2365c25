# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Random kernels with planted errors: the code for usual cases finds what a call for each access finds."""

from __future__ import annotations

import ctypes
import re
from ctypes import c_uint64
from dataclasses import replace

import pytest

pytest.importorskip("cuda.cpu.runtime._runtime", reason="the CPU device's runtime is not built")
pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")
pytest.importorskip("hypothesis", reason="hypothesis is not installed")

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from cuda.cpu import driver
from cuda.cpu.check import Check, bounds, instrument
from cuda.cpu.runtime.abi import number

pytestmark = pytest.mark.cpu_only

BLOCKS, WORDS = 1, 512  # several blocks may run in any order
HEAD = f"""
.version 9.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p, .param .u64 q) {{
 .reg .b64 %d<20>; .reg .b32 %r<30>; .reg .b16 %h<4>; .reg .pred %p<3>;
 .shared .align 16 .b8 s[{4 * WORDS // 4}]; .shared .align 16 .b8 t[512]; .local .align 16 .b8 a[64];
 ld.param.u64 %d1, [p]; ld.param.u64 %d2, [q];
 mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %ntid.x; mov.u32 %r4, %ctaid.x; mov.u32 %r5, %ntid.y;
 mad.lo.s32 %r6, %r2, %r3, %r1;
 mul.lo.s32 %r7, %r3, %r5;
 mad.lo.s32 %r8, %r4, %r7, %r6;
 mov.u32 %r20, 0;
 mov.u32 %r26, s; cvta.shared.u64 %d6, s; mov.u64 %d7, a;
 mov.u32 %r10, %r6;
CLEAR:
 shl.b32 %r11, %r10, 2; mov.u32 %r28, s; add.s32 %r28, %r28, %r11; st.shared.u32 [%r28], 0;
 add.s32 %r10, %r10, %r7; setp.lt.s32 %p1, %r10, {WORDS // 4}; @%p1 bra CLEAR;
 mov.u32 %r10, %r6;
CLEAR2:
 shl.b32 %r11, %r10, 2; mov.u32 %r27, t; add.s32 %r27, %r27, %r11; st.shared.u32 [%r27], 0;
 add.s32 %r10, %r10, %r7; setp.lt.s32 %p1, %r10, 128; @%p1 bra CLEAR2;
 mov.u32 %r11, 0; {" ".join(f"st.local.v4.u32 [a+{at}], {{{{%r11, %r11, %r11, %r11}}}};" for at in range(0, 64, 16))}
 bar.sync 0;
""".replace("{{", "{").replace("}}", "}")
TAIL = """
 mul.wide.u32 %d3, %r8, 4; add.s64 %d3, %d2, %d3; st.global.u32 [%d3], %r20;
 ret; }
"""
# Instructions, and the bytes of their elements; {0} is the space, {1} the address. What an atomic operation returns
# where it may not access memory is left over from earlier ones, so it is ignored.
OPERATIONS = [
    ("ld{0}.u32 %r21, [{1}];", 4), ("ld{0}.u8 %r21, [{1}];", 1),
    ("ld{0}.v4.u32 {{%r21, %r22, %r23, %r24}}, [{1}];", 16),
    ("ld{0}.u64 %d9, [{1}]; cvt.u32.u64 %r21, %d9;", 8), ("st{0}.u32 [{1}], %r8;", 4), ("st{0}.u8 [{1}], %r8;", 1),
    ("st{0}.v2.u32 [{1}], {{%r8, %r20}};", 8), ("atom{0}.add.u32 %r22, [{1}], %r8;", 4),
    ("red{0}.max.u32 [{1}], %r8;", 4),
]  # fmt: skip
SPACES = {".global": "%d1", "": "%d1", ".shared": "%r26", ".local": "%d7", "shared": "%d6"}
INDICES = {
    "x": "mov.u32 %r10, %r1;", "all": "mov.u32 %r10, %r8;", "block": "mov.u32 %r10, %r6;", "one": "mov.u32 %r10, 3;",
    "same": "mov.u32 %r10, %r4;", "twice": "shl.b32 %r10, %r1, 1;", "down": "sub.s32 %r10, 60, %r1;",
    "mixed": "mul.lo.s32 %r10, %r6, 7; and.b32 %r10, %r10, 63;",
}  # fmt: skip
GUARDS = {
    "all": "setp.ge.s32 %p1, %r1, 0;", "few": "setp.lt.s32 %p1, %r1, 5;", "one": "setp.eq.s32 %p1, %r6, 40;",
    "odd": "and.b32 %r11, %r1, 1; setp.ne.s32 %p1, %r11, 0;", "warp": "setp.lt.s32 %p1, %r6, 32;",
}  # fmt: skip

accesses = st.tuples(
    st.sampled_from(OPERATIONS), st.sampled_from(list(SPACES)), st.sampled_from(list(INDICES)),
    st.sampled_from(list(GUARDS)), st.sampled_from([0, 0, 0, 0, 16, 60, 64, 128, 448, 512, 2000, 4096, -16]),
    st.integers(1, 3), st.booleans(),
)  # fmt: skip


def text_of(chosen: list) -> str:
    text = HEAD
    for count, ((operation, size), space, index, guard, offset, times, barrier) in enumerate(chosen):
        base, wide = SPACES[space], not SPACES[space].startswith("%r")
        named = space if space.startswith(".") and not (space == ".local" and operation[0] in "ar") else ""
        if space == ".local" and not named:
            base, offset = "%d1", 0  # there are no atomic operations in local memory
        scale = f"mul.wide.s32 %d4, %r10, {size}; add.s64 %d5, {base}, %d4;"
        if not wide:
            scale = f"mul.lo.s32 %r12, %r10, {size}; add.s32 %r14, {base}, %r12;"
        address = f"{'%d5' if wide else '%r14'}+{offset}"
        text += f"""
 {GUARDS[guard]} @!%p1 bra SKIP{count};
 mov.u32 %r13, 0;
LOOP{count}:
 {INDICES[index]} add.s32 %r10, %r10, %r13; {scale}
 mov.u32 %r21, 0;
 {operation.format(named, address)}
 add.u32 %r20, %r20, %r21;
 add.s32 %r13, %r13, 1; setp.lt.s32 %p2, %r13, {times}; @%p2 bra LOOP{count};
SKIP{count}:
 {"bar.sync 0;" if barrier else ""}
"""
    return text + TAIL


@pytest.fixture
def buffers(monkeypatch):
    monkeypatch.setenv("CUDA_CPU_CACHE", "0")
    driver.cuInit(0)
    handle = driver.cuCtxCreate_v2(0, 0)
    yield [driver.cuMemAlloc(4 * size) for size in (WORDS, BLOCKS * 128)]
    driver.cuCtxDestroy(handle)


@pytest.fixture(params=[None, "1"])
def level(request, monkeypatch):
    """The quick code that checked kernels run by default, and optimised code, which has copies for converged lanes."""
    if request.param:
        monkeypatch.setenv("CUDA_CPU_LEVEL", request.param)


def run(text: str, block: tuple[int, int], buffers: list[int], checks: str) -> tuple[list, bytes]:
    """Return what is found, and what is in memory afterwards."""
    for pointer, count in zip(buffers, (WORDS, BLOCKS * 128), strict=True):
        driver.cuMemsetD32(pointer, 7, count)
    image, values = ctypes.create_string_buffer(text.encode()), [c_uint64(each) for each in buffers]
    addresses = (ctypes.c_void_p * 2)(*map(ctypes.addressof, values))
    with Check(checks) as checked:
        module = driver.cuModuleLoadData(ctypes.addressof(image))
        function = driver.cuModuleGetFunction(module, b"k")
        driver.cuLaunchKernel(function, BLOCKS, 1, 1, *block, 1, 0, 0, ctypes.addressof(addresses), 0)
    driver.cuModuleUnload(module)
    found = [
        replace(each, launch=0, launch_stack=(), address=0, message=re.sub("0x[0-9a-f]+", "ADDRESS", each.message))
        for each in checked.findings  # shared memory is not always at the same address
    ]
    memory = b"".join(
        ctypes.string_at(p, 4 * n) for p, n in zip(buffers, (WORDS, BLOCKS * 128), strict=True)
    )  # the CPU device's memory is the host's
    return found, memory


def compare(text: str, block: tuple[int, int], buffers: list[int], checks: str) -> list:
    usual = run(text, block, buffers, checks)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bounds, "can_test", lambda *_: False)
        patch.setattr(instrument, "SINGLY", number("ACCESS_SINGLY"))
        each = run(text, block, buffers, checks)
    assert usual[0] == each[0], text
    assert usual[1] == each[1], text
    return usual[0]


FEW = settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    database=None,
    phases=[Phase.generate],
)
BLOCK_SIZES = [(128, 1), (32, 2), (16, 8), (96, 1), (50, 1), (8, 8), (33, 3)]


@FEW
@given(chosen=st.lists(accesses, min_size=1, max_size=5), block=st.sampled_from(BLOCK_SIZES))
def test_memcheck(buffers, level, chosen, block):
    compare(text_of(chosen), block, buffers, "memcheck")


@FEW
@given(chosen=st.lists(accesses, min_size=1, max_size=5), block=st.sampled_from(BLOCK_SIZES))
def test_racecheck(buffers, level, chosen, block):
    compare(text_of(chosen), block, buffers, "memcheck,racecheck")


@pytest.mark.parametrize("space", SPACES)
def test_memcheck_finds_what_is_planted(buffers, space):
    """One access of the last lanes is outside of what it may access, in a loop that the others pass."""
    load, least = OPERATIONS[0], {".local": 64, ".shared": WORDS, "shared": WORDS}.get(space, 4 * WORDS) - 4 * 10
    assert not compare(text_of([(load, space, "x", "all", least, 3, False)]), (8, 1), buffers, "memcheck")
    found = compare(text_of([(load, space, "x", "all", least, 4, False)]), (8, 1), buffers, "memcheck")
    assert [each.count for each in found] == [BLOCKS]


def test_reads_of_one_instruction_in_a_loop_count_once(buffers):
    """Each word is read by several lanes of a warp, in different iterations, and then changed by threads of others."""
    read = (("ld{0}.u32 %r21, [{1}];", 4), ".global", "x", "all", 448, 3, False)
    change = (("red{0}.max.u32 [{1}], %r8;", 4), ".global", "twice", "all", 64, 3, False)
    found = compare(text_of([read, change]), (128, 1), buffers, "racecheck")
    assert any(each.kind == "write_after_read" for each in found)


@pytest.mark.parametrize("block", [(128, 1), (16, 8), (50, 1)])
@pytest.mark.parametrize("space", [".global", "", ".shared"])
@pytest.mark.parametrize("offset", [0, 64])
def test_rows_of_lanes_without_memcheck(buffers, space, block, offset):
    """The runtime gets the first address of each row of lanes; with an offset, others access the same words."""
    store, load, change = OPERATIONS[4], OPERATIONS[0], OPERATIONS[7]
    chosen = [(each, space, index, "all", at, 1, False) for each in (store, load, change)
              for index, at in (("block", 0), ("x", offset))]  # fmt: skip
    races = compare(text_of(chosen), block, buffers, "racecheck")
    assert bool(races) == (offset > 0 or block[1] > 1)
    assert compare(text_of(chosen[2:4]), block, buffers, "racecheck") == []
