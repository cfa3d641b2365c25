# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of two threads, interleaved at every line: lazy initialisation, and destroying an object that is in use."""

from __future__ import annotations

import contextlib
import ctypes
from ctypes import addressof

import arrays
import kernels
import live_handles
import pytest
from scenes import CALLBACK, HERE, HOST, PTX, ROOM, SIZE, Scene, left, scene
from support.interleaving import everywhere

from cuda.cpu import abi, driver
from cuda.cpu.driver.base.error import CudaError
from cuda.cpu.driver.memory import memory
from cuda.cpu.runtime import _runtime


@pytest.fixture(scope="module", autouse=True)
def begun(initialized):
    """Create what a process creates once, so that leaks of a test can be counted."""
    memory.host_arena()
    driver.cuDeviceGetDefaultMemPool(0)
    here = Scene()
    here.run_module(here.module)  # the cache keeps its folder open
    driver.cuCtxDestroy(here.context)


# --- uses and ends ----------------------------------------------------------------------------------------------------


def _graph_run(here: Scene) -> None:
    graph = driver.cuGraphCreate(0)
    driver.cuGraphAddEmptyNode(graph, 0, 0)
    made = driver.cuGraphInstantiate(graph, 0)
    try:
        driver.cuGraphLaunch(made, here.thing)
    finally:
        driver.cuGraphExecDestroy(made)
        driver.cuGraphDestroy(graph)


def _captured(here: Scene) -> None:
    driver.cuStreamBeginCapture(here.thing, 2)
    driver.cuMemsetD8Async(here.memory, 1, 4, here.thing)
    driver.cuGraphDestroy(driver.cuStreamEndCapture(here.thing))


def _copy_array(handle: int) -> None:
    given = abi.CUDA_MEMCPY2D(srcMemoryType=abi.CU_MEMORYTYPE_ARRAY, srcArray=handle, WidthInBytes=16, Height=4)
    given.dstMemoryType, given.dstHost, given.dstPitch = abi.CU_MEMORYTYPE_HOST, addressof(HOST), 16
    driver.cuMemcpy2D(addressof(given))


def _texture(handle: int) -> None:
    given, settings = arrays.resource(handle), abi.CUDA_TEXTURE_DESC()
    driver.cuTexObjectDestroy(driver.cuTexObjectCreate(addressof(given), addressof(settings), 0))


RANGE = 2 << 20
ACCESS = abi.CUmemAccessDesc(flags=abi.CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
ACCESS.location.type = abi.CU_MEM_LOCATION_TYPE_DEVICE


def _mapped(here: Scene) -> int:
    here.physical = live_handles._memory()
    start = driver.cuMemAddressReserve(RANGE, 0, 0, 0)
    driver.cuMemMap(start, RANGE, 0, here.physical, 0)
    driver.cuMemSetAccess(start, RANGE, addressof(ACCESS), 1)
    return start


def _unmapped(here: Scene) -> None:
    for end in (
        lambda: driver.cuMemUnmap(here.thing, RANGE),
        lambda: driver.cuMemAddressFree(here.thing, RANGE),
        lambda: driver.cuMemRelease(here.physical),
    ):
        with contextlib.suppress(CudaError):
            end()


def _graph(here: Scene) -> int:
    graph = driver.cuGraphCreate(0)
    given = abi.CUDA_MEMSET_NODE_PARAMS(dst=here.memory, value=1, elementSize=4, width=4, height=1)
    here.nodes = [
        driver.cuGraphAddEmptyNode(graph, 0, 0),
        driver.cuGraphAddMemsetNode(graph, 0, 0, addressof(given), here.context),
    ]
    return graph


def _exec(here: Scene) -> int:
    here.graph = _graph(here)
    return driver.cuGraphInstantiate(here.graph, 0)


def _end_exec(here: Scene) -> None:
    driver.cuGraphDestroy(here.graph)
    driver.cuGraphExecDestroy(here.thing)


def _link(here: Scene) -> None:
    driver.cuLinkAddData(here.thing, abi.CU_JIT_INPUT_PTX, kernels.address_of(PTX), len(PTX) + 1, b"x", 0, 0, 0)
    driver.cuLinkComplete(here.thing)


MEMORY_USES = {
    "fill": lambda h: driver.cuMemsetD8(h.thing, 1, SIZE),
    "copy from": lambda h: driver.cuMemcpyDtoH(addressof(HOST), h.thing, SIZE),
    "copy to": lambda h: driver.cuMemcpyHtoD(h.thing, addressof(HOST), SIZE),
    "launch": lambda h: h.launch(driver.cuModuleGetFunction(h.module, b"store"), 0, h.thing),
    "ask": lambda h: driver.cuPointerGetAttribute(ROOM, abi.CU_POINTER_ATTRIBUTE_CONTEXT, h.thing),
    "advise": lambda h: driver.cuMemAdvise(h.thing, SIZE, abi.CU_MEM_ADVISE_SET_READ_MOSTLY, 0),
    "free in order": lambda h: driver.cuMemFreeAsync(h.thing, 0),
}


def _use_library(here: Scene) -> None:
    """Load, place, run and unload a library."""
    library = live_handles._library()
    try:
        driver.cuLibraryGetModule(library)
        here.run_library(library)
    finally:
        driver.cuLibraryUnload(library)


def _use_variables(here: Scene) -> None:
    """Load a module, write its variables and read them."""
    loaded = driver.cuModuleLoadData(kernels.address_of(PTX))
    try:
        for name in (b"table", b"all"):
            start, size = driver.cuModuleGetGlobal(loaded, name)
            driver.cuMemcpyHtoD(start, addressof(HOST), size)
            driver.cuMemcpyDtoH(addressof(HOST), start, size)
    finally:
        driver.cuModuleUnload(loaded)


def _use_graph(here: Scene) -> None:
    """Make a graph of a kernel, a copy and a fill, and launch it."""
    line = driver.cuStreamCreate(1)
    try:
        driver.cuStreamBeginCapture(line, 2)
        here.launch(driver.cuModuleGetFunction(here.module, b"store"), line)
        driver.cuMemcpyAsync(here.memory, here.memory + 64, 32, line)
        driver.cuMemsetD8Async(here.memory, 1, 4, line)
        graph = driver.cuStreamEndCapture(line)
        try:
            made = driver.cuGraphInstantiate(graph, 0)
            try:
                driver.cuGraphLaunch(made, 0)
            finally:
                driver.cuGraphExecDestroy(made)
        finally:
            driver.cuGraphDestroy(graph)
    finally:
        driver.cuStreamDestroy(line)


IN_CONTEXT = {
    "allocate": lambda h: driver.cuMemAlloc(SIZE),
    "allocate pinned": lambda h: driver.cuMemHostAlloc(SIZE, 0),
    "allocate in order": lambda h: driver.cuMemAllocAsync(SIZE, 0),
    "make a stream": lambda h: driver.cuStreamCreate(0),
    "make an event": lambda h: driver.cuEventCreate(0),
    "make an array": lambda h: live_handles._array(),
    "load": lambda h: driver.cuModuleLoadData(kernels.address_of(PTX)),
    "launch": lambda h: h.run_module(h.module),
    "wait": lambda h: driver.cuCtxSynchronize(),
}
IN_PRIMARY = {
    "load": lambda h: driver.cuModuleLoadData(kernels.address_of(PTX)),
    "launch": lambda h: h.run_module(h.module),
    "use a library": _use_library,
    "use variables": _use_variables,
    "use a graph": _use_graph,
    "fill": lambda h: driver.cuMemsetD8(h.memory, 1, SIZE),
    "copy": lambda h: driver.cuMemcpyHtoD(h.memory, addressof(HOST), SIZE),
    "unload": lambda h: driver.cuModuleUnload(h.module),
    "free": lambda h: driver.cuMemFree(h.memory),
}

# Object: how it is created, how it is destroyed, and its other uses.
THINGS = {
    "memory": (lambda h: driver.cuMemAlloc(SIZE), lambda h: driver.cuMemFree(h.thing), MEMORY_USES),
    "a pool's memory": (lambda h: driver.cuMemAllocAsync(SIZE, 0), lambda h: driver.cuMemFree(h.thing), MEMORY_USES),
    "pinned memory": (
        lambda h: driver.cuMemHostAlloc(SIZE, 0),
        lambda h: driver.cuMemFreeHost(h.thing),
        {
            "fill": lambda h: driver.cuMemsetD8(h.thing, 1, SIZE),
            "copy": lambda h: driver.cuMemcpy(h.thing, h.memory, SIZE),
            "ask": lambda h: driver.cuMemHostGetFlags(h.thing),
        },
    ),
    "registered memory": (
        lambda h: driver.cuMemHostRegister(addressof(HOST), SIZE, 0),
        lambda h: driver.cuMemHostUnregister(addressof(HOST)),
        {"register": lambda h: driver.cuMemHostRegister(addressof(HOST), SIZE, 0)},
    ),
    "a stream": (
        lambda h: driver.cuStreamCreate(1),
        lambda h: driver.cuStreamDestroy(h.thing),
        {
            "record": lambda h: driver.cuEventRecord(h.event, h.thing),
            "wait for an event": lambda h: driver.cuStreamWaitEvent(h.thing, h.event, 0),
            "wait": lambda h: driver.cuStreamSynchronize(h.thing),
            "ask": lambda h: driver.cuStreamQuery(h.thing),
            "launch": lambda h: h.launch(driver.cuModuleGetFunction(h.module, b"store"), h.thing),
            "copy": lambda h: driver.cuMemcpyAsync(addressof(HOST), h.memory, 64, h.thing),
            "call": lambda h: driver.cuLaunchHostFunc(h.thing, CALLBACK, 0),
            "allocate": lambda h: driver.cuMemFreeAsync(driver.cuMemAllocAsync(64, h.thing), h.thing),
            "write": lambda h: driver.cuStreamWriteValue32(h.thing, h.memory, 1, 0),
            "graph": _graph_run,
            "capture": _captured,
        },
    ),
    "an event": (
        lambda h: driver.cuEventCreate(0),
        lambda h: driver.cuEventDestroy(h.thing),
        {
            "record": lambda h: driver.cuEventRecord(h.thing, 0),
            "wait": lambda h: driver.cuEventSynchronize(h.thing),
            "order": lambda h: driver.cuStreamWaitEvent(0, h.thing, 0),
            "time": lambda h: driver.cuEventElapsedTime(h.thing, h.thing),
        },
    ),
    "a module": (
        lambda h: driver.cuModuleLoadData(kernels.address_of(PTX)),
        lambda h: driver.cuModuleUnload(h.thing),
        {
            "launch": lambda h: h.run_module(h.thing),
            "copy to a variable": lambda h: driver.cuMemcpyHtoD(
                driver.cuModuleGetGlobal(h.thing, b"table")[0], addressof(HOST), 16
            ),
        },
    ),
    "a library": (
        lambda h: live_handles._library(),
        lambda h: driver.cuLibraryUnload(h.thing),
        {"launch": lambda h: h.run_library(h.thing), "module": lambda h: driver.cuLibraryGetModule(h.thing)},
    ),
    "a pool": (
        lambda h: live_handles._pool(),
        lambda h: driver.cuMemPoolDestroy(h.thing),
        {
            "allocate": lambda h: driver.cuMemFreeAsync(driver.cuMemAllocFromPoolAsync(SIZE, h.thing, 0), 0),
            "trim": lambda h: driver.cuMemPoolTrimTo(h.thing, 0),
        },
    ),
    "a graph": (
        _graph,
        lambda h: driver.cuGraphDestroy(h.thing),
        {
            "add": lambda h: driver.cuGraphAddEmptyNode(h.thing, 0, 0),
            "remove": lambda h: driver.cuGraphDestroyNode(h.nodes[1]),
            "clone": lambda h: driver.cuGraphDestroy(driver.cuGraphClone(h.thing)),
            "instantiate": lambda h: driver.cuGraphExecDestroy(driver.cuGraphInstantiate(h.thing, 0)),
        },
    ),
    "a graph's code": (
        _exec,
        _end_exec,
        {
            "launch": lambda h: driver.cuGraphLaunch(h.thing, 0),
            "update": lambda h: driver.cuGraphExecUpdate(h.thing, h.graph, ROOM),
        },
    ),
    "an array": (
        lambda h: live_handles._array(),
        lambda h: driver.cuArrayDestroy(h.thing),
        {"copy": lambda h: _copy_array(h.thing), "texture": lambda h: _texture(h.thing)},
    ),
    "a mipmapped array": (
        lambda h: live_handles._mipmapped(),
        lambda h: driver.cuMipmappedArrayDestroy(h.thing),
        {"copy": lambda h: _copy_array(driver.cuMipmappedArrayGetLevel(h.thing, 1))},
    ),
    "mapped memory": (
        _mapped,
        _unmapped,
        {
            "fill": lambda h: driver.cuMemsetD8(h.thing, 1, SIZE),
            "copy": lambda h: driver.cuMemcpyDtoH(addressof(HOST), h.thing, SIZE),
            "allow": lambda h: driver.cuMemSetAccess(h.thing, RANGE, addressof(ACCESS), 1),
        },
    ),
    "a user object": (
        lambda h: driver.cuUserObjectCreate(0, CALLBACK, 1, 1),
        lambda h: driver.cuUserObjectRelease(h.thing, 1),
        {},
    ),
    "a link": (lambda h: driver.cuLinkCreate(0, 0, 0), lambda h: driver.cuLinkDestroy(h.thing), {"link": _link}),
    "external memory": (
        lambda h: live_handles._external(),
        lambda h: driver.cuDestroyExternalMemory(h.thing),
        {},
    ),
    "a green context": (
        lambda h: driver.cuGreenCtxCreate(live_handles._descriptor(), 0, 1),
        lambda h: driver.cuGreenCtxDestroy(h.thing),
        {
            "make a stream": lambda h: driver.cuGreenCtxStreamCreate(h.thing, 1, 0),
            "record": lambda h: driver.cuGreenCtxRecordEvent(h.thing, h.event),
        },
    ),
    "a context": (lambda h: h.context, lambda h: driver.cuCtxDestroy(h.thing), IN_CONTEXT),
}

MEETINGS = [
    (thing, held, other)
    for thing, (_, _, uses) in THINGS.items()
    for held, other in [("end", "end"), *((use, "end") for use in uses), *(("end", use) for use in uses)]
]


@pytest.mark.parametrize(("thing", "held", "other"), MEETINGS, ids=[", ".join(each) for each in MEETINGS])
def test_destroying_an_object_during_another_call(thing, held, other):
    """Each call succeeds or returns an error; nothing leaks, and nothing is destroyed twice."""
    make, end, uses = THINGS[thing]
    calls = {"end": end, **uses}
    meetings = 0
    for outcomes in everywhere(lambda: scene(make, end, calls[held], calls[other]), HERE):
        meetings += 1
        for each in outcomes:
            assert each.error is None or isinstance(each.error, CudaError | _runtime.QueueClosed), each.text
        if held == other == "end" and thing != "mapped memory":  # whose end here destroys three objects
            assert [each.error is None for each in outcomes].count(True) == 1
    assert meetings > 2


@contextlib.contextmanager
def primary(held, other):
    """Yield two calls, one of which may reset the primary context, which must be usable afterwards."""
    before = left()
    here = Scene(driver.cuDevicePrimaryCtxRetain(0))
    here.thing = here.context
    yield lambda: driver.cuCtxSetCurrent(here.context), lambda: held(here), lambda: other(here)
    driver.cuCtxSetCurrent(here.context)
    with contextlib.suppress(CudaError):
        driver.cuCtxSynchronize()  # a kernel may have used memory that the reset freed
    driver.cuDevicePrimaryCtxReset(0)
    pointer = driver.cuMemAlloc(SIZE)
    again = driver.cuModuleLoadData(kernels.address_of(PTX))
    kernels.run(again, "store", ctypes.c_uint64(pointer), ctypes.c_uint32(41))
    assert kernels.read(pointer) == 41
    driver.cuDevicePrimaryCtxRelease(0)
    driver.context.stack().clear()
    driver.cuMemPoolTrimTo(driver.cuDeviceGetDefaultMemPool(0), 0)
    assert left() == before


RESET = {"reset": lambda h: driver.cuDevicePrimaryCtxReset(0), **IN_PRIMARY}
RESETS = [("reset", "reset"), *((use, "reset") for use in IN_PRIMARY), *(("reset", use) for use in ("load", "launch"))]
EACH = {"use a library": 3, "use variables": 7, "use a graph": 7}  # for long calls, only every n-th line is tried


@pytest.mark.parametrize(("held", "other"), RESETS, ids=[", ".join(each) for each in RESETS])
def test_resetting_a_context_during_another_call(held, other):
    meetings = 0
    for outcomes in everywhere(lambda: primary(RESET[held], RESET[other]), HERE, EACH.get(held, 1)):
        meetings += 1
        for each in outcomes:
            assert each.error is None or isinstance(each.error, CudaError | _runtime.QueueClosed), each.text
    assert meetings > 2


def test_a_library_of_two_contexts_while_one_is_destroyed():
    """Both contexts share a managed variable, whose memory lives as long as one of the modules."""

    @contextlib.contextmanager
    def shared():
        before = left()
        contexts = [driver.cuCtxCreate(0, 0, 0) for _ in range(2)]
        library = driver.cuLibraryLoadData(kernels.address_of(PTX), 0, 0, 0, 0, 0, 0)

        def use():
            driver.cuCtxSetCurrent(contexts[0])
            start, size = driver.cuLibraryGetManaged(library, b"all")
            driver.cuMemsetD8(start, 1, size)

        driver.cuCtxSetCurrent(contexts[1])
        driver.cuLibraryGetManaged(library, b"all")
        yield int, use, lambda: driver.cuCtxDestroy(contexts[1])
        use()
        driver.cuCtxSetCurrent(contexts[0])
        driver.cuLibraryUnload(library)
        driver.cuCtxDestroy(contexts[0])
        driver.context.stack().clear()
        assert left() == before

    meetings = 0
    for held, other in everywhere(shared, HERE):
        assert (held.error, other.error) == (None, None), held.text + other.text
        meetings += 1
    assert meetings > 2
