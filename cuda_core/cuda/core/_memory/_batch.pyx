# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""Many buffers in one call: copies, and moves of managed memory; and a copy with options."""

from libc.stdlib cimport calloc
from libc.stdlib cimport free as c_free
from libc.string cimport memset

from cuda.bindings cimport cydriver
from cuda.core._memory._allocation cimport Allocation
from cuda.core._utils._check cimport check
from cuda.core._device._location cimport set_location
from cuda.core._stream._stream cimport Stream, as_stream

from cuda.bindings._loader import FunctionNotFound
from cuda.core._memory._copy_options import CopyOptions, MemcpyOverlapMode, MemcpySrcAccessOrder

cdef dict _ORDERS = {
    MemcpySrcAccessOrder.STREAM: <int>cydriver.CU_MEMCPY_SRC_ACCESS_ORDER_STREAM,
    MemcpySrcAccessOrder.DURING_API_CALL: <int>cydriver.CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL,
    MemcpySrcAccessOrder.ANY: <int>cydriver.CU_MEMCPY_SRC_ACCESS_ORDER_ANY,
}


cdef class Arrays:
    """The addresses and sizes of some buffers, and an index each, as the driver wants them."""

    cdef size_t count
    cdef cydriver.CUdeviceptr* first
    cdef cydriver.CUdeviceptr* second
    cdef size_t* sizes
    cdef size_t* indices
    cdef cydriver.CUmemLocation* locations
    cdef cydriver.CUmemcpyAttributes* attributes

    def __cinit__(self, size_t count):
        # One block: all arrays have members of eight bytes, but those of the structs, which come last.
        self.count = count
        cdef size_t each = 8 * count
        self.first = <cydriver.CUdeviceptr*>calloc(
            count, 4 * 8 + sizeof(cydriver.CUmemLocation) + sizeof(cydriver.CUmemcpyAttributes)
        )
        if self.first == NULL:
            raise MemoryError
        cdef char* start = <char*>self.first
        self.second = <cydriver.CUdeviceptr*>(start + each)
        self.sizes = <size_t*>(start + 2 * each)
        self.indices = <size_t*>(start + 3 * each)
        self.locations = <cydriver.CUmemLocation*>(start + 4 * each)
        self.attributes = <cydriver.CUmemcpyAttributes*>(<char*>self.locations + count * sizeof(cydriver.CUmemLocation))

    def __dealloc__(self):
        c_free(self.first)


cdef list _buffers(object given, str argument):
    if isinstance(given, Allocation):
        raise TypeError(f"{argument} must be a sequence of Buffers, not one Buffer")
    try:
        buffers = list(given)
    except TypeError:
        raise TypeError(f"{argument} must be a sequence of Buffers, not {type(given).__name__}") from None
    for i, buffer in enumerate(buffers):
        if not isinstance(buffer, Allocation):
            raise TypeError(f"{argument}[{i}] must be a Buffer, not {type(buffer).__name__}")
    if not buffers:
        raise ValueError(f"{argument} is empty: there is nothing to do")
    return buffers


cdef list _each(object given, size_t count, str argument):
    """Return one of something for each of `count` buffers: of a sequence, or the same for all."""
    if not isinstance(given, (list, tuple)):
        return [given] * count
    if <size_t>len(given) != count:
        raise ValueError(f"{argument} has {len(given)} members for {count} buffers: give one for all, or one for each")
    return list(given)


cdef int _set_attributes(cydriver.CUmemcpyAttributes* native, object options, str argument) except -1:
    memset(native, 0, sizeof(cydriver.CUmemcpyAttributes))
    if isinstance(options, dict):
        options = CopyOptions(**options)
    if not isinstance(options, CopyOptions):
        raise TypeError(f"{argument} must be CopyOptions, not {type(options).__name__}")
    native.srcAccessOrder = <cydriver.CUmemcpySrcAccessOrder><int>_ORDERS[options.src_access_order]
    set_location(&native.srcLocHint, options.src_location_hint, "src_location_hint")
    set_location(&native.dstLocHint, options.dst_location_hint, "dst_location_hint")
    if options.overlap_mode == MemcpyOverlapMode.PREFER_OVERLAP_WITH_COMPUTE:
        native.flags = cydriver.CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE
    return 0


cdef int _check_stream(Stream stream, str what) except -1:
    """Refuse the streams that the driver's calls with attributes do not take."""
    cdef cydriver.CUstreamCaptureStatus capturing
    if <size_t>stream.open_handle() in (0, 1):
        raise TypeError(f"{what} cannot run in the legacy default stream: use a stream of your own, or "
                        "PER_THREAD_DEFAULT_STREAM")
    check(cydriver.cuStreamIsCapturing(stream.native, &capturing), b"cuStreamIsCapturing")
    if capturing != cydriver.CU_STREAM_CAPTURE_STATUS_NONE:
        raise RuntimeError(f"{what} cannot be captured into a graph: copy without options there")
    return 0


def copy_with_options(
    cydriver.CUdeviceptr dst, cydriver.CUdeviceptr src, size_t nbytes, Stream stream not None, options
) -> None:
    """Do what `Buffer.copy_to` does with options."""
    cdef cydriver.CUmemcpyAttributes attributes
    cdef cydriver.CUstream native = stream.open_handle()
    cdef cydriver.CUresult status
    _set_attributes(&attributes, options, "options")
    _check_stream(stream, "a copy with options")
    if nbytes == 0:
        return
    try:
        with nogil:
            status = cydriver.cuMemcpyWithAttributesAsync(dst, src, nbytes, &attributes, native)
        check(status, b"cuMemcpyWithAttributesAsync")
    except FunctionNotFound:
        # A driver before 13.2. Reading in the stream's order keeps every promise but this one.
        if attributes.srcAccessOrder == cydriver.CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL:
            raise
        with nogil:
            status = cydriver.cuMemcpyAsync(dst, src, nbytes, native)
        check(status, b"cuMemcpyAsync")


def copy_batch(stream, srcs, dsts, *, options=None) -> None:
    """Copy many buffers in one call of the driver, in the order of a stream.

    The copies have no order among themselves, so that none may read or write what another one writes.

    Parameters
    ----------
    stream : Stream
        The stream that does it: not the legacy default stream, and not one that is being captured.
    srcs : sequence of Buffer
        What to copy.
    dsts : sequence of Buffer
        Where to: as many, each of the size of its source.
    options : CopyOptions or sequence of CopyOptions, optional
        For all copies, or one for each.

    Examples
    --------
    >>> from cuda.core import Device
    >>> from cuda.core.utils import copy_batch
    >>> device = Device()
    >>> device.set_current()
    >>> stream = device.create_stream()
    >>> srcs = [device.allocate(8, stream=stream) for _ in range(3)]
    >>> dsts = [device.allocate(8, stream=stream) for _ in range(3)]
    >>> copy_batch(stream, srcs, dsts)
    """
    cdef Stream queue = as_stream(stream, "stream")
    cdef list sources = _buffers(srcs, "srcs"), targets = _buffers(dsts, "dsts"), wanted
    cdef size_t count = len(sources), kinds = 0, i
    cdef Allocation source, target
    cdef cydriver.CUresult status
    if <size_t>len(targets) != count:
        raise ValueError(f"srcs has {count} buffers and dsts {len(targets)}: there must be as many")
    wanted = _each(CopyOptions() if options is None else options, count, "options")
    cdef Arrays arrays = Arrays(count)
    for i in range(count):
        source, target = sources[i], targets[i]
        arrays.first[i], arrays.second[i] = target.address(), source.address()
        arrays.sizes[i] = source.nbytes
        if target.nbytes != source.nbytes:
            raise ValueError(f"dsts[{i}] has {target.nbytes} bytes and srcs[{i}] {source.nbytes}: "
                             "they must be of one size")
        if i == 0 or wanted[i] != wanted[i - 1]:  # the driver wants each run of equal options once
            _set_attributes(&arrays.attributes[kinds], wanted[i], f"options[{i}]" if options is not None else "options")
            arrays.indices[kinds] = i
            kinds += 1
    _check_stream(queue, "copy_batch")
    cdef cydriver.CUstream native = queue.native
    with nogil:
        status = cydriver.cuMemcpyBatchAsync(
            arrays.first, arrays.second, arrays.sizes, count, arrays.attributes, arrays.indices, kinds, native
        )
    check(status, b"cuMemcpyBatchAsync")


cdef Arrays _managed(object given, object locations):
    """Return the arrays for a call about managed memory; with locations, `indices` are the starts of their runs."""
    cdef list buffers = _buffers(given, "buffers")
    cdef size_t count = len(buffers), i
    cdef Arrays arrays = Arrays(count)
    cdef Allocation buffer
    for i in range(count):
        buffer = buffers[i]
        arrays.first[i], arrays.sizes[i] = buffer.address(), buffer.nbytes
        if not buffer.is_managed:
            raise ValueError(f"buffers[{i}] is not managed memory: allocate it from a ManagedMemoryResource")
    if locations is not None:
        wanted = _each(locations, count, "locations")
        for i in range(count):
            # One location for each buffer: simpler than runs, and the driver takes as many as there are buffers.
            if wanted[i] is None:
                raise TypeError(f"locations[{i}] must be a Device or a Host, not None")
            set_location(&arrays.locations[i], wanted[i], f"locations[{i}]")
            arrays.indices[i] = i
    return arrays


cdef int _prefetch(object stream, object buffers, object locations, bint discards) except -1:
    cdef Stream queue = as_stream(stream, "stream")
    if locations is None:
        raise TypeError("locations must be a Device or a Host, or a sequence of them, not None")
    cdef Arrays arrays = _managed(buffers, locations)
    cdef cydriver.CUstream native = queue.native
    cdef cydriver.CUresult status
    with nogil:
        status = (cydriver.cuMemDiscardAndPrefetchBatchAsync if discards else cydriver.cuMemPrefetchBatchAsync)(
            arrays.first, arrays.sizes, arrays.count, arrays.locations, arrays.indices, arrays.count, 0, native
        )
    check(status, b"cuMemDiscardAndPrefetchBatchAsync" if discards else b"cuMemPrefetchBatchAsync")
    return 0


def prefetch_batch(stream, buffers, locations) -> None:
    """Move managed memory to where it will be used, in one call and in the order of a stream.

    Parameters
    ----------
    stream : Stream
        The stream that does it.
    buffers : sequence of Buffer
        Managed memory.
    locations : cuda.core.Device or Host, or a sequence of them
        Where to: one location for all, or one for each.

    Examples
    --------
    >>> managed = [ManagedMemoryResource().allocate(4096, stream=stream) for _ in range(2)]
    >>> prefetch_batch(stream, managed, device)
    """
    _prefetch(stream, buffers, locations, False)


def discard_batch(stream, buffers) -> None:
    """Give up the contents of managed memory, so that they need not be moved, in the order of a stream.

    Until the memory is written again, reading it gives any values.

    Parameters
    ----------
    stream : Stream
        The stream that does it.
    buffers : sequence of Buffer
        Managed memory.

    Examples
    --------
    >>> managed = [ManagedMemoryResource().allocate(4096, stream=stream) for _ in range(2)]
    >>> discard_batch(stream, managed)
    """
    cdef Stream queue = as_stream(stream, "stream")
    cdef Arrays arrays = _managed(buffers, None)
    cdef cydriver.CUstream native = queue.native
    cdef cydriver.CUresult status
    with nogil:
        status = cydriver.cuMemDiscardBatchAsync(arrays.first, arrays.sizes, arrays.count, 0, native)
    check(status, b"cuMemDiscardBatchAsync")


def discard_prefetch_batch(stream, buffers, locations) -> None:
    """Give up the contents of managed memory and move the memory, in one call and in the order of a stream.

    Parameters
    ----------
    stream : Stream
        The stream that does it.
    buffers : sequence of Buffer
        Managed memory.
    locations : cuda.core.Device or Host, or a sequence of them
        Where to: one location for all, or one for each.

    Examples
    --------
    >>> managed = [ManagedMemoryResource().allocate(4096, stream=stream) for _ in range(2)]
    >>> discard_prefetch_batch(stream, managed, device)
    """
    _prefetch(stream, buffers, locations, True)
