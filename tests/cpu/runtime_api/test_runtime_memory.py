# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Memory of the runtime API: allocations, copies in one to three dimensions, memset, pools, pointer attributes."""

import numpy as np
import pytest

from cuda.bindings import runtime
from cuda.bindings.runtime import cudaError_t as Error
from cuda.bindings.runtime import cudaMemcpyKind as Kind
from cuda.bindings.runtime import cudaMemoryType as MemoryType


@pytest.fixture
def memory(ok):
    """4096 bytes of device memory."""
    start = ok(runtime.cudaMalloc(4096))
    yield start
    ok(runtime.cudaFree(start))


@pytest.mark.parametrize("kinds", [(Kind.cudaMemcpyHostToDevice, Kind.cudaMemcpyDeviceToHost), 2 * (Kind(4),)])
def test_copies_round_trip(ok, memory, kinds):
    data, back = np.arange(1024, dtype=np.int32), np.zeros(1024, np.int32)
    ok(runtime.cudaMemcpy(memory, data, data.nbytes, kinds[0]))
    stream = ok(runtime.cudaStreamCreate())
    ok(runtime.cudaMemcpyAsync(back, memory, back.nbytes, kinds[1], stream))
    ok(runtime.cudaStreamSynchronize(stream))
    ok(runtime.cudaStreamDestroy(stream))
    assert (back == data).all()


def test_wrong_copies_are_refused(memory):
    data = bytearray(16)
    assert runtime.cudaMemcpy(memory, data, 16, 9) == (Error.cudaErrorInvalidMemcpyDirection,)
    assert runtime.cudaMemcpy(data, data, 16, Kind.cudaMemcpyHostToDevice) == (Error.cudaErrorInvalidValue,)
    with pytest.raises(ValueError, match="src has 16 bytes, but 17 are needed"):
        runtime.cudaMemcpy(memory, data, 17, Kind.cudaMemcpyHostToDevice)
    wide = (memory, 8, data, 16, 9, 1, Kind.cudaMemcpyHostToDevice)
    assert runtime.cudaMemcpy2D(*wide) == (Error.cudaErrorInvalidPitchValue,)


def test_empty_allocations_and_null_are_fine(ok):
    assert ok(runtime.cudaMalloc(0)) == 0
    assert ok(runtime.cudaMallocPitch(0, 4)) == (0, 0)
    ok(runtime.cudaFree(0))
    ok(runtime.cudaFreeHost(0))
    assert runtime.cudaFree(0x1234) == (Error.cudaErrorInvalidValue,)


def test_copies_in_2d(ok):
    start, pitch = ok(runtime.cudaMallocPitch(20, 6))
    assert pitch % 256 == 0
    data, back = np.arange(120, dtype=np.uint8).reshape(6, 20), np.zeros((6, 32), np.uint8)
    ok(runtime.cudaMemset2D(start, pitch, 0x1FF, 20, 6))
    ok(runtime.cudaMemcpy2D(start + pitch, pitch, data, 20, 20, 4, Kind.cudaMemcpyHostToDevice))
    ok(runtime.cudaMemcpy2DAsync(back, 32, start, pitch, 20, 6, Kind.cudaMemcpyDeviceToHost, 0))
    ok(runtime.cudaStreamSynchronize(0))
    expected = np.full((6, 20), 255)
    expected[1:5] = data[:4]
    assert (back[:, :20] == expected).all()
    assert not back[:, 20:].any()
    ok(runtime.cudaFree(start))


def test_copies_in_3d(ok):
    box = ok(runtime.cudaMalloc3D(runtime.make_cudaExtent(8, 3, 2)))
    assert (box.xsize, box.ysize) == (8, 3)
    ok(runtime.cudaMemset3D(box, 7, runtime.make_cudaExtent(8, 3, 2)))
    ok(runtime.cudaMemset3D(box, 9, runtime.make_cudaExtent(4, 2, 2)))
    back = np.zeros((2, 3, 8), np.uint8)
    copy = runtime.cudaMemcpy3DParms()
    copy.srcPtr, copy.extent = box, runtime.make_cudaExtent(6, 3, 2)
    copy.dstPtr = runtime.make_cudaPitchedPtr(back.ctypes.data, 8, 8, 3)
    copy.dstPos = runtime.make_cudaPos(2, 0, 0)
    copy.kind = Kind.cudaMemcpyDeviceToHost
    ok(runtime.cudaMemcpy3D(copy))
    expected = np.zeros((2, 3, 8), np.uint8)
    expected[:, :, 2:] = 7
    expected[:, :2, 2:6] = 9
    assert (back == expected).all()
    ok(runtime.cudaFree(box.ptr))


def test_pointer_attributes_of_pinned_and_managed_memory(ok, memory):
    pinned = ok(runtime.cudaHostAlloc(256, runtime.cudaHostAllocMapped))
    managed = ok(runtime.cudaMallocManaged(256, runtime.cudaMemAttachGlobal))
    for start, kind in ((memory, "Device"), (pinned, "Host"), (managed, "Managed")):
        answer = ok(runtime.cudaPointerGetAttributes(start))
        assert answer.type == MemoryType[f"cudaMemoryType{kind}"]
        assert (answer.device, int(answer.devicePointer)) == (0, start)
        assert int(answer.hostPointer) == (0 if kind == "Device" else start)
    own = np.zeros(4)
    answer = ok(runtime.cudaPointerGetAttributes(own.ctypes.data))
    assert (answer.type, answer.device) == (MemoryType.cudaMemoryTypeUnregistered, runtime.cudaInvalidDeviceId)
    assert ok(runtime.cudaHostGetDevicePointer(pinned, 0)) == pinned
    ok(runtime.cudaFreeHost(pinned))
    ok(runtime.cudaFree(managed))


def test_pools(ok):
    stream = ok(runtime.cudaStreamCreateWithFlags(runtime.cudaStreamNonBlocking))
    pool = ok(runtime.cudaDeviceGetDefaultMemPool(0))
    used = runtime.cudaMemPoolAttr.cudaMemPoolAttrUsedMemCurrent
    start = ok(runtime.cudaMallocAsync(1000, stream))
    other = ok(runtime.cudaMallocFromPoolAsync(1000, pool, stream))
    assert ok(runtime.cudaMemPoolGetAttribute(pool, used)) >= 2000
    ok(runtime.cudaFreeAsync(start, stream))
    ok(runtime.cudaFreeAsync(other, stream))
    ok(runtime.cudaStreamSynchronize(stream))
    assert ok(runtime.cudaMemPoolGetAttribute(pool, used)) == 0
    ok(runtime.cudaMemPoolTrimTo(pool, 0))
    ok(runtime.cudaStreamDestroy(stream))


def test_handles_for_other_processes(ok, memory):
    handle = ok(runtime.cudaIpcGetMemHandle(memory))
    assert runtime.cudaIpcOpenMemHandle(handle, 1) == (Error.cudaErrorDeviceUninitialized, None)  # our own
    event = ok(runtime.cudaEventCreateWithFlags(runtime.cudaEventInterprocess | runtime.cudaEventDisableTiming))
    assert runtime.cudaIpcOpenEventHandle(ok(runtime.cudaIpcGetEventHandle(event)))[0] == (
        Error.cudaErrorDeviceUninitialized
    )
    ok(runtime.cudaEventDestroy(event))
