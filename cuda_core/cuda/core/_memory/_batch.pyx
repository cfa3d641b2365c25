# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""Batched copies, prefetches and discards (cuMemcpyBatchAsync and so on), and single copies with options."""

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
    """The arrays that the driver's batch functions take: addresses, sizes, indices, locations and attributes."""

    cdef size_t count
    cdef cydriver.CUdeviceptr* first
    cdef cydriver.CUdeviceptr* second
    cdef size_t* sizes
    cdef size_t* indices
    cdef cydriver.CUmemLocation* locations
    cdef cydriver.CUmemcpyAttributes* attributes

    def __cinit__(self, size_t count):
        # One allocation: the arrays with items of eight bytes first, then those of structs.
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
    """Return a list of `count` values: the items of a sequence, or the same value for each buffer."""
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


cdef int _check_stream(Stream stream, str operation) except -1:
    """Raise for streams that the driver's functions with attributes do not accept."""
    cdef cydriver.CUstreamCaptureStatus capturing
    if <size_t>stream.open_handle() in (0, 1):
        raise TypeError(f"{operation} cannot run in the legacy default stream: use a stream of your own, or "
                        "PER_THREAD_DEFAULT_STREAM")
    check(cydriver.cuStreamIsCapturing(stream.native, &capturing), b"cuStreamIsCapturing")
    if capturing != cydriver.CU_STREAM_CAPTURE_STATUS_NONE:
        raise RuntimeError(f"{operation} cannot be captured into a graph: copy without options there")
    return 0


def copy_with_options(
    cydriver.CUdeviceptr dst, cydriver.CUdeviceptr src, size_t nbytes, Stream stream not None, options
) -> None:
    """Implement `Buffer.copy_to` and `Buffer.copy_from` with options."""
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
        # A driver before 13.2. A stream-ordered copy satisfies every access order but this one.
        if attributes.srcAccessOrder == cydriver.CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL:
            raise
        with nogil:
            status = cydriver.cuMemcpyAsync(dst, src, nbytes, native)
        check(status, b"cuMemcpyAsync")


def copy_batch(stream, srcs, dsts, *, options=None) -> None:
    """Copy several buffers in one driver call, in the order of a stream (cuMemcpyBatchAsync).

    The copies are not ordered among themselves: none may read or write memory that another one writes.

    Parameters
    ----------
    stream : Stream
        The stream: not the legacy default stream, and not one that is being captured.
    srcs : sequence of Buffer
        The sources.
    dsts : sequence of Buffer
        The destinations: as many, each with the size of its source.
    options : CopyOptions or sequence of CopyOptions, optional
        Options for all copies, or one item for each.

    Raises
    ------
    TypeError
        If an item is not a Buffer, `options` or `stream` are of another type, or `stream` is the legacy default
        stream.
    ValueError
        If the numbers of buffers, their sizes or the number of options differ, or an option is unknown.
    RuntimeError
        If `stream` is being captured.
    ClosedError
        If a buffer is closed.
    CUDAError
        If cuMemcpyBatchAsync fails.

    Examples
    --------
    >>> sources = [device.allocate(8, stream=stream) for _ in range(3)]
    >>> targets = [device.allocate(8, stream=stream) for _ in range(3)]
    >>> for number, source in enumerate(sources):
    ...     source.fill(number, stream=stream)
    >>> copy_batch(stream, sources, targets)
    >>> result = targets[2].copy_to(np.empty(8, np.uint8), stream=stream)
    >>> stream.sync()
    >>> print(result[:3])
    [2 2 2]
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
        if i == 0 or wanted[i] != wanted[i - 1]:  # the driver takes each run of equal attributes once
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
    """Return the arrays for a batch of managed memory; with locations, `indices` holds the starts of their runs."""
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
            # One run per buffer: simpler than merging equal locations, and allowed by the driver.
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
    """Prefetch managed memory to the locations that will use it, in one driver call, in the order of a stream.

    Parameters
    ----------
    stream : Stream
        The stream of the operation.
    buffers : sequence of Buffer
        Managed memory.
    locations : cuda.core.Device or Host, or a sequence of them
        The destination: one location for all buffers, or one for each.

    Raises
    ------
    TypeError
        If a buffer or a location is of another type, or `stream` no stream.
    ValueError
        If a buffer is not managed memory, or the numbers of buffers and locations differ.
    ClosedError
        If a buffer is closed.
    CUDAError
        If cuMemPrefetchBatchAsync fails.

    Examples
    --------
    >>> managed = [ManagedMemoryResource().allocate(4096, stream=stream) for _ in range(2)]
    >>> prefetch_batch(stream, managed, device)
    >>> prefetch_batch(stream, managed, [device, Host()])
    """
    _prefetch(stream, buffers, locations, False)


def discard_batch(stream, buffers) -> None:
    """Discard the contents of managed memory, so that they need not be migrated, in the order of a stream.

    Until the memory is written again, reading it returns undefined values.

    Parameters
    ----------
    stream : Stream
        The stream of the operation.
    buffers : sequence of Buffer
        Managed memory.

    Raises
    ------
    TypeError
        If an item is not a Buffer, or `stream` no stream.
    ValueError
        If a buffer is not managed memory.
    ClosedError
        If a buffer is closed.
    CUDAError
        If cuMemDiscardBatchAsync fails.

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
    """Discard the contents of managed memory and prefetch it, in one driver call, in the order of a stream.

    Parameters
    ----------
    stream : Stream
        The stream of the operation.
    buffers : sequence of Buffer
        Managed memory.
    locations : cuda.core.Device or Host, or a sequence of them
        The destination: one location for all buffers, or one for each.

    Raises
    ------
    TypeError
        If a buffer or a location is of another type, or `stream` no stream.
    ValueError
        If a buffer is not managed memory, or the numbers of buffers and locations differ.
    ClosedError
        If a buffer is closed.
    CUDAError
        If cuMemDiscardAndPrefetchBatchAsync fails.

    Examples
    --------
    >>> managed = [ManagedMemoryResource().allocate(4096, stream=stream) for _ in range(2)]
    >>> discard_prefetch_batch(stream, managed, device)
    """
    _prefetch(stream, buffers, locations, True)
