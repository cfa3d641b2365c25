# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Devices, errors, streams and events of the runtime API, and how it shares contexts with the driver API."""

import os
import subprocess
import sys
import textwrap

import pytest
from support.scripts import run_checked

from cuda.bindings import driver, runtime
from cuda.bindings.runtime import cudaError_t as Error


def test_properties_are_those_of_the_attributes(ok):
    properties = ok(runtime.cudaGetDeviceProperties(0))
    assert properties.name.startswith(b"CPU device (")
    assert b"\0" not in properties.name
    for field, attribute in {
        "major": "ComputeCapabilityMajor",
        "warpSize": "WarpSize",
        "multiProcessorCount": "MultiProcessorCount",
        "sharedMemPerBlockOptin": "MaxSharedMemoryPerBlockOptin",
    }.items():
        value = ok(runtime.cudaDeviceGetAttribute(runtime.cudaDeviceAttr[f"cudaDevAttr{attribute}"], 0))
        assert getattr(properties, field) == value > 0
    assert properties.maxThreadsDim == [1024, 1024, 64]
    assert properties.totalGlobalMem == ok(runtime.cudaMemGetInfo())[1]
    assert bytes(properties.uuid.bytes) == bytes(ok(driver.cuDeviceGetUuid(0)).bytes)
    assert ok(runtime.cudaChooseDevice(properties)) == 0
    assert runtime.cudaGetDeviceProperties(99) == (Error.cudaErrorInvalidDevice, None)


def test_versions_and_entry_points(ok):
    assert ok(runtime.cudaRuntimeGetVersion()) == runtime.CUDART_VERSION == ok(runtime.getLocalRuntimeVersion())
    assert ok(runtime.cudaDriverGetVersion()) == runtime.CUDART_VERSION
    found = runtime.cudaDriverEntryPointQueryResult
    address, result = ok(runtime.cudaGetDriverEntryPoint("cuMemAlloc", 0))
    assert (address != 0, result) == (True, found.cudaDriverEntryPointSuccess)
    assert address != ok(runtime.cudaGetDriverEntryPointByVersion("cuMemAlloc", 3000, 0))[0]
    absent = ok(runtime.cudaGetDriverEntryPoint("cuNoSuchFunction", 0))
    assert absent == (0, found.cudaDriverEntryPointSymbolNotFound)
    assert runtime.cudaGetDriverEntryPoint("cuInit", 99)[0] == Error.cudaErrorInvalidValue


def test_the_last_error_is_cleared_when_read():
    assert runtime.cudaGetLastError() == (Error.cudaSuccess,)
    assert runtime.cudaSetDevice(99) == (Error.cudaErrorInvalidDevice,)
    assert runtime.cudaGetDevice() == (Error.cudaSuccess, 0)
    assert runtime.cudaPeekAtLastError() == (Error.cudaErrorInvalidDevice,)
    assert runtime.cudaGetLastError() == (Error.cudaErrorInvalidDevice,)
    assert runtime.cudaGetLastError() == (Error.cudaSuccess,)


def test_not_ready_is_not_a_sticky_error(ok):
    """As the programming guide states for cudaStreamQuery and cudaEventQuery."""
    flag = ok(runtime.cudaMalloc(4))
    ok(runtime.cudaMemset(flag, 0, 4))
    stream, event = ok(runtime.cudaStreamCreateWithFlags(runtime.cudaStreamNonBlocking)), ok(runtime.cudaEventCreate())
    ok(driver.cuStreamWaitValue32(int(stream), flag, 1, driver.CUstreamWaitValue_flags.CU_STREAM_WAIT_VALUE_EQ))
    ok(runtime.cudaEventRecord(event, stream))
    for query, of in ((runtime.cudaStreamQuery, stream), (runtime.cudaEventQuery, event)):
        assert query(of) == (Error.cudaErrorNotReady,)
        assert runtime.cudaPeekAtLastError() == (Error.cudaSuccess,)
    ok(driver.cuMemsetD32(flag, 1, 1))
    ok(runtime.cudaStreamSynchronize(stream))
    ok(runtime.cudaStreamDestroy(stream))
    ok(runtime.cudaEventDestroy(event))
    ok(runtime.cudaFree(flag))


def test_error_names_and_strings(ok):
    assert ok(runtime.cudaGetErrorName(Error.cudaErrorNotReady)) == b"cudaErrorNotReady"
    for error, text in (
        (Error.cudaErrorECCUncorrectable, b"uncorrectable ECC error encountered"),
        (Error.cudaErrorInvalidValue, b"invalid argument"),
        (Error.cudaErrorInvalidConfiguration, b"invalid configuration argument"),
        (Error.cudaErrorStreamDetached, b"stream detached"),
    ):
        assert ok(runtime.cudaGetErrorString(error)) == text
    assert ok(runtime.cudaGetErrorString(0)) == b"no error"
    assert ok(runtime.cudaGetErrorName(54321)) == b"unrecognized error code"


def test_missing_functions_return_not_supported():
    assert runtime.cudaVDPAUGetDevice(0, 0) == (Error.cudaErrorNotSupported, None)
    assert runtime.cudaGraphicsUnregisterResource(0) == (Error.cudaErrorNotSupported,)


def test_channel_descriptions_are_made_without_a_device(ok):
    unsigned = runtime.cudaChannelFormatKind.cudaChannelFormatKindUnsigned
    made = ok(runtime.cudaCreateChannelDesc(8, 16, 0, 32, unsigned))
    assert (made.x, made.y, made.z, made.w, made.f) == (8, 16, 0, 32, unsigned)


def test_events_and_streams(ok):
    stream = ok(runtime.cudaStreamCreateWithPriority(runtime.cudaStreamNonBlocking, 0))
    start, end = ok(runtime.cudaEventCreate()), ok(runtime.cudaEventCreateWithFlags(runtime.cudaEventDefault))
    ok(runtime.cudaEventRecord(start, stream))
    ok(runtime.cudaEventRecordWithFlags(end, stream, 0))
    ok(runtime.cudaStreamWaitEvent(0, end, 0))
    ok(runtime.cudaEventSynchronize(end))
    assert ok(runtime.cudaEventElapsedTime(start, end)) >= 0
    assert runtime.cudaStreamQuery(stream) == (Error.cudaSuccess,)
    assert ok(runtime.cudaStreamGetFlags(stream)) == runtime.cudaStreamNonBlocking
    assert ok(runtime.cudaStreamGetDevice(stream)) == 0
    for destroy, handle in (("Stream", stream), ("Event", start), ("Event", end)):
        ok(getattr(runtime, f"cuda{destroy}Destroy")(handle))
    assert runtime.cudaStreamSynchronize(stream) == (Error.cudaErrorInvalidResourceHandle,)


def test_a_context_of_the_driver_is_used(ok):
    ok(driver.cuCtxSetCurrent(0))
    context = ok(driver.cuCtxCreate(None, 0, 0))
    start = ok(runtime.cudaMalloc(64))
    of = driver.CUpointer_attribute.CU_POINTER_ATTRIBUTE_CONTEXT
    assert int(ok(driver.cuPointerGetAttribute(of, start))) == int(context)
    ok(runtime.cudaFree(start))
    ok(driver.cuCtxDestroy(context))


def test_reset_frees_everything(ok):
    free = ok(runtime.cudaMemGetInfo())[0]
    stream = ok(runtime.cudaStreamCreate())
    ok(runtime.cudaMalloc(4096))
    ok(runtime.cudaDeviceReset())
    assert ok(runtime.cudaMemGetInfo())[0] == free
    assert runtime.cudaStreamSynchronize(stream) == (Error.cudaErrorInvalidResourceHandle,)


def test_reset_after_a_fault(ok):
    """After a fault, device queries succeed and calls that need the context fail; after a reset all succeed."""
    ok(runtime.cudaDeviceReset())
    text = b".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry stop() { trap; }\0"
    module = ok(driver.cuModuleLoadData(text))
    ok(driver.cuLaunchKernel(ok(driver.cuModuleGetFunction(module, b"stop")), 1, 1, 1, 1, 1, 1, 0, 0, None, 0))
    failed = Error.cudaErrorLaunchFailure
    assert runtime.cudaDeviceSynchronize() == (failed,)
    assert runtime.cudaMalloc(4) == (failed, None)
    assert runtime.cudaGetLastError() == (failed,)
    assert ok(runtime.cudaGetDevice()) == 0
    ok(runtime.cudaDeviceReset())
    assert runtime.cudaGetLastError() == (Error.cudaSuccess,)
    ok(runtime.cudaFree(ok(runtime.cudaMalloc(4))))
    ok(runtime.cudaDeviceSynchronize())


def test_a_device_is_no_peer_of_itself(ok):
    assert runtime.cudaDeviceEnablePeerAccess(0, 0) == (Error.cudaErrorInvalidDevice,)
    assert runtime.cudaDeviceDisablePeerAccess(0) == (Error.cudaErrorPeerAccessNotEnabled,)


@pytest.mark.parametrize("function", ["DeviceSetLimit", "DeviceSetCacheConfig"])
def test_context_settings_are_stored(ok, function):
    get = function.replace("Set", "Get")
    ok(runtime.cudaDeviceReset())  # other tests may have printed, which fixes the size
    if function == "DeviceSetLimit":
        size = runtime.cudaLimit.cudaLimitPrintfFifoSize
        ok(runtime.cudaDeviceSetLimit(size, 1 << 21))
        assert ok(runtime.cudaDeviceGetLimit(size)) == 1 << 21
    else:
        shared = runtime.cudaFuncCache.cudaFuncCachePreferShared
        ok(runtime.cudaDeviceSetCacheConfig(shared))
        assert ok(getattr(runtime, f"cuda{get}")()) == shared
    ok(runtime.cudaDeviceReset())


SEVERAL = """
    import threading
    from cuda.bindings import runtime as rt
    print(rt.cudaGetDeviceCount()[1], *map(int, rt.cudaSetDevice(1)), rt.cudaGetDevice()[1])
    p = rt.cudaMalloc(64)[1]
    print(rt.cudaPointerGetAttributes(p)[1].device)
    thread = threading.Thread(target=lambda: print(rt.cudaGetDevice()[1], rt.cudaMalloc(0)))
    thread.start()
    thread.join()
    print(*map(int, rt.cudaDeviceEnablePeerAccess(0, 0) + rt.cudaDeviceEnablePeerAccess(0, 0)))
    q = (rt.cudaSetDevice(0), rt.cudaMalloc(64)[1])[1]
    print(*map(int, rt.cudaMemcpyPeer(q, 0, p, 1, 64)), rt.cudaDeviceCanAccessPeer(0, 1)[1])
"""


def test_the_current_device_is_per_thread():
    environment = dict(os.environ, CUDA_CPU_DEVICES="2", PYTHONPATH=os.pathsep.join(sys.path))
    command = [sys.executable, "-c", textwrap.dedent(SEVERAL)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    lines = done.stdout.splitlines()
    assert lines[:3] == ["2 0 1", "1", f"0 ({Error.cudaSuccess!r}, 0)"], done.stderr
    assert lines[3:] == [f"0 {Error.cudaErrorPeerAccessAlreadyEnabled.value}", "0 1"]


def test_execution_contexts(ok):
    kind = runtime.cudaDevResourceType.cudaDevResourceTypeSm
    resource = ok(runtime.cudaDeviceGetDevResource(0, kind))
    groups, count, rest = ok(runtime.cudaDevSmResourceSplitByCount(8, resource, 0, 1))
    assert (count, groups[0].sm.smCount, rest.type) == (
        resource.sm.smCount, 1, runtime.cudaDevResourceType.cudaDevResourceTypeInvalid
    )  # fmt: skip
    green = ok(runtime.cudaGreenCtxCreate(ok(runtime.cudaDevResourceGenerateDesc(groups[:1], 1)), 0, 0))
    own = ok(runtime.cudaDeviceGetExecutionCtx(0))
    assert ok(runtime.cudaExecutionCtxGetDevResource(green, kind)).sm.smCount == 1
    assert ok(runtime.cudaExecutionCtxGetDevice(green)) == 0
    assert ok(runtime.cudaExecutionCtxGetId(green)) != ok(runtime.cudaExecutionCtxGetId(own))
    stream = ok(runtime.cudaExecutionCtxStreamCreate(green, runtime.cudaStreamNonBlocking, 0))
    assert ok(runtime.cudaStreamGetDevResource(stream, kind)).sm.smCount == 1
    event = ok(runtime.cudaEventCreate())
    ok(runtime.cudaExecutionCtxRecordEvent(green, event))
    ok(runtime.cudaExecutionCtxWaitEvent(own, event))
    ok(runtime.cudaExecutionCtxSynchronize(green))
    ok(runtime.cudaEventDestroy(event))
    ok(runtime.cudaStreamDestroy(stream))
    assert runtime.cudaExecutionCtxDestroy(own) == (Error.cudaErrorInvalidValue,)
    ok(runtime.cudaExecutionCtxDestroy(green))


def test_valid_devices():
    said = run_checked(
        """
        import ctypes, threading
        from cuda.cpu import runtime_api as runtime
        listed = (ctypes.c_int * 2)(1, 0)
        runtime.cudaSetValidDevices(ctypes.addressof(listed), 2)
        print(runtime.cudaGetDevice())
        runtime.cudaSetValidDevices(0, 0)
        print(runtime.cudaGetDevice())
        listed[0] = 7
        try:
            runtime.cudaSetValidDevices(ctypes.addressof(listed), 2)
        except Exception as error:
            print(error.status)
        """,
        CUDA_CPU_DEVICES="2",
    )
    assert said.split() == ["1", "0", "101"]  # cudaErrorInvalidDevice
