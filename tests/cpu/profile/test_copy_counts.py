# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Traffic of bulk and tensor copies, matrix operands, multicast, textures and surfaces, in closed form."""

import contextlib
import ctypes

import numpy as np
import pytest
from support.copy_cases import AT, BULK, MATRICES, TENSORS, text_of, tma
from support.profile_cases import HEAD, TAIL, access

from cuda.cpu import abi, driver
from cuda.cpu.profile import Profile

PAGE = 2 << 20


def counts(launcher, text, names, block=64, grid=1):
    function = launcher.function(text)
    with Profile() as profile:
        launcher.launch(function, grid, block)
    return {name: profile.launches[0].metric(name) for name in names}


@pytest.mark.parametrize("case", [*TENSORS, *BULK], ids=lambda case: case.name)
def test_copies(launcher, case):
    if case.tensor:
        _write(launcher, case.tensor.encoded(launcher.memory + AT))
    assert counts(launcher, text_of(case), case.expected) == case.expected


@pytest.mark.parametrize("case", MATRICES, ids=lambda case: case.name)
def test_matrix_operands(launcher, case):
    block = 128 if "wgmma" in case.body else 64
    assert counts(launcher, text_of(case), case.expected, block) == case.expected


def test_multicast_reaches_the_shared_memory_of_each_block(launcher):
    body = """
        setp.eq.u32 %p7, %r0, 0; mov.u32 %r30, bar; @%p7 mbarrier.init.shared.b64 [%r30], 1;
        barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
        mov.u32 %r5, %cluster_ctarank; setp.eq.and.u32 %p6, %r5, 0, %p7; mov.u32 %r31, s; mov.b16 %h0, 3;
        @%p6 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster
            [%r31], [%rd0], 256, [%r30], %h0;
        barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"""
    text = HEAD.replace("k(.param .u64 p) {", "k(.param .u64 p) .explicitcluster .reqnctapercluster 2 {")
    text += ".shared .align 8 .b64 bar;" + body + TAIL
    expected = {
        tma("requests", "ld"): 1, tma("bytes", "ld"): 256, tma("sectors", "ld"): 8,
        tma("bytes", "st", "shared"): 2 * 256, tma("wavefronts", "st", "shared"): 2 * 2,
    }  # fmt: skip
    assert counts(launcher, text, expected, grid=2) == expected


def _write(launcher, data):
    room = ctypes.create_string_buffer(data, len(data))
    driver.cuMemcpyHtoD(launcher.memory, ctypes.addressof(room), len(data))


@contextlib.contextmanager
def _multicast():
    """Yield the address of a multicast object to which memory is bound."""
    settings = abi.CUmulticastObjectProp(numDevices=1, size=PAGE)
    kind = abi.CUmemAllocationProp(type=abi.CU_MEM_ALLOCATION_TYPE_PINNED)
    kind.location.type = abi.CU_MEM_LOCATION_TYPE_DEVICE
    allowed = abi.CUmemAccessDesc(flags=abi.CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
    allowed.location.type = abi.CU_MEM_LOCATION_TYPE_DEVICE
    handle = driver.cuMulticastCreate(ctypes.addressof(settings))
    driver.cuMulticastAddDevice(handle, 0)
    memory = driver.cuMemCreate(PAGE, ctypes.addressof(kind), 0)
    driver.cuMulticastBindMem(handle, 0, memory, 0, PAGE, 0)
    start = driver.cuMemAddressReserve(PAGE, 0, 0, 0)
    driver.cuMemMap(start, PAGE, 0, handle, 0)
    driver.cuMemSetAccess(start, PAGE, ctypes.addressof(allowed), 1)
    yield start
    driver.cuMemUnmap(start, PAGE)
    driver.cuMemAddressFree(start, PAGE)
    driver.cuMemRelease(memory)
    driver.cuMemRelease(handle)


def test_multimem(launcher):
    body = """
        multimem.ld_reduce.relaxed.gpu.global.add.u32 %r5, [%rd2+4096];
        multimem.red.relaxed.gpu.global.add.u32 [%rd2+4096], %r0;
        multimem.st.relaxed.gpu.global.v2.f32 [%rd3+8192], {%f0, %f0};"""
    text = HEAD + access("mad.wide.u32 %rd3, %r3, 8, %rd0;", 4) + body + TAIL
    expected = {
        f"ptx__{unit}_multimem_op_{kind}.sum": value
        for kind, values in (("ld", (2, 8, 256)), ("red", (2, 8, 256)), ("st", (2, 16, 512)))
        for unit, value in zip(("requests", "sectors", "bytes"), values, strict=True)
    }
    with _multicast() as start:
        launcher.memory = start
        assert counts(launcher, text, expected) == expected


@contextlib.contextmanager
def _array(flags):
    """Yield an array of 16 x 16 elements of four floats."""
    shape = abi.CUDA_ARRAY3D_DESCRIPTOR(Width=16, Height=16, Format=0x20, NumChannels=4, Flags=flags)
    handle = driver.cuArray3DCreate(ctypes.addressof(shape))
    resource = abi.CUDA_RESOURCE_DESC(resType=abi.CU_RESOURCE_TYPE_ARRAY)
    resource.res.array.hArray = handle
    yield resource
    driver.cuArrayDestroy(handle)


def _textures(unit):
    return {
        kind: f"ptx__{unit}_mem_{kind}.sum" for kind in ("texture", "surface_op_ld", "surface_op_st", "surface_op_red")
    }


REQUESTS, BYTES = _textures("requests"), _textures("bytes_requested")


@pytest.mark.parametrize(("body", "requests", "bytes_"), [
    ("tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%rd9, {%f4, %f4}];", 2, 64 * 16),
    ("setp.lt.u32 %p0, %r0, 40; @%p0 tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%rd9, {%f4, %f4}];", 2, 40 * 16),
    ("setp.lt.u32 %p0, %r0, 32; @%p0 tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%rd9, {%f4, %f4}];", 1, 32 * 16),
    ("tld4.r.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%rd9, {%f4, %f4}];", 2, 64 * 16),
], ids=["tex", "guarded tex", "tex of one warp", "tld4"])  # fmt: skip
def test_textures(launcher, body, requests, bytes_):
    with _array(0) as resource:
        settings = abi.CUDA_TEXTURE_DESC()
        handle = driver.cuTexObjectCreate(ctypes.addressof(resource), ctypes.addressof(settings), 0)
        _write(launcher, np.uint64(handle).tobytes())
        found = counts(launcher, HEAD + "ld.global.u64 %rd9, [%rd0]; mov.f32 %f4, 0f00000000;" + body + TAIL,
                       [REQUESTS["texture"], BYTES["texture"]])  # fmt: skip
        driver.cuTexObjectDestroy(handle)
    assert list(found.values()) == [requests, bytes_]


def test_surfaces(launcher):
    body = """
        ld.global.u64 %rd9, [%rd0]; and.b32 %r5, %r0, 15; shl.b32 %r6, %r5, 4; mov.u32 %r7, 1;
        suld.b.2d.v2.b32.trap {%r8, %r9}, [%rd9, {%r6, %r5}];
        sust.b.2d.b32.trap [%rd9, {%r6, %r5}], %r8;
        setp.lt.u32 %p0, %r0, 3; @%p0 sured.b.add.2d.u32.trap [%rd9, {%r6, %r5}], %r7;"""
    with _array(abi.CUDA_ARRAY3D_SURFACE_LDST) as resource:
        handle = driver.cuSurfObjectCreate(ctypes.addressof(resource))
        _write(launcher, np.uint64(handle).tobytes())
        found = counts(launcher, HEAD + body + TAIL, [*REQUESTS.values(), *BYTES.values()])
        driver.cuSurfObjectDestroy(handle)
    expected = {"surface_op_ld": (2, 64 * 8), "surface_op_st": (2, 64 * 4), "surface_op_red": (1, 3 * 4)}
    assert {kind: (found[REQUESTS[kind]], found[BYTES[kind]]) for kind in expected} == expected
    assert found[REQUESTS["texture"]] == 0
