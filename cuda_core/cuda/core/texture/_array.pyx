# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""OpaqueArray (CUarray) and MipmappedArray (CUmipmappedArray)."""

cimport cython
from cpython.buffer cimport (
    PyBUF_C_CONTIGUOUS, PyBUF_SIMPLE, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer,
)
from libc.stdint cimport uintptr_t
from libc.string cimport memset

from cuda.bindings cimport cydriver
from cuda.core._memory._buffer cimport Buffer
from cuda.core._memory._pointer cimport memory_type
from cuda.core._utils._check cimport check, fail, is_finalizing
from cuda.core._device._context cimport Activation, activate
from cuda.core._stream._stream cimport Stream, as_stream

from cuda.core._errors import ClosedError, not_pickled
from cuda.core._utils._options import as_options
from cuda.core.texture._options import (
    SIZES,
    MipmappedArrayOptions,
    OpaqueArrayOptions,
    checked_format,
    checked_shape,
)
from cuda.core.typing import ArrayFormatType

cdef dict _FORMATS = {
    ArrayFormatType.UINT8: cydriver.CU_AD_FORMAT_UNSIGNED_INT8,
    ArrayFormatType.UINT16: cydriver.CU_AD_FORMAT_UNSIGNED_INT16,
    ArrayFormatType.UINT32: cydriver.CU_AD_FORMAT_UNSIGNED_INT32,
    ArrayFormatType.INT8: cydriver.CU_AD_FORMAT_SIGNED_INT8,
    ArrayFormatType.INT16: cydriver.CU_AD_FORMAT_SIGNED_INT16,
    ArrayFormatType.INT32: cydriver.CU_AD_FORMAT_SIGNED_INT32,
    ArrayFormatType.FLOAT16: cydriver.CU_AD_FORMAT_HALF,
    ArrayFormatType.FLOAT32: cydriver.CU_AD_FORMAT_FLOAT,
}


def native_format(format) -> int:
    """Return the CUarray_format for an ArrayFormatType."""
    return _FORMATS[format]


cdef class _Array:
    """Base of OpaqueArray and MipmappedArray."""

    def __init__(self, *args, **kwargs):
        raise RuntimeError(f"a {type(self).__name__} is not made directly: use the methods of Device")

    cdef cydriver.CUDA_ARRAY3D_DESCRIPTOR descriptor(self, object options, int ordinal) except *:
        """Store the properties of a new array and return its CUDA_ARRAY3D_DESCRIPTOR."""
        cdef cydriver.CUDA_ARRAY3D_DESCRIPTOR native
        memset(&native, 0, sizeof(native))
        self.format = checked_format(options.format, options.num_channels)
        self.shape, self.num_channels = checked_shape(options.shape), options.num_channels
        self.is_surface_load_store = bool(options.is_surface_load_store)
        self._ordinal = ordinal
        native.Width, native.Height, native.Depth = self.shape + (0,) * (3 - len(self.shape))
        native.Format = <cydriver.CUarray_format><int>_FORMATS[self.format]
        native.NumChannels = self.num_channels
        native.Flags = cydriver.CUDA_ARRAY3D_SURFACE_LDST if self.is_surface_load_store else 0
        return native

    @property
    def device(self):
        """Return the device whose memory holds the array."""
        from cuda.core import Device

        return Device(self._ordinal)

    @property
    def _is_open(self) -> bool:
        return not self.is_closed

    def __enter__(self):
        if self.is_closed:
            raise ClosedError(f"this {type(self).__name__} is closed")
        return self

    def __exit__(self, exc_type, exc, tb):
        self.close()

    def __reduce__(self):
        raise not_pickled(self)

    def __repr__(self):
        state = ", closed" if self.is_closed else ""
        return f"<{type(self).__name__} {self.shape} of {self.num_channels} x {self.format.value}{state}>"


cdef class OpaqueArray(_Array):
    """A CUDA array: an image in the hardware's opaque layout, created by `Device.create_opaque_array`.

    It has no address: kernels read it through a `TextureObject` and write it through a `SurfaceObject`; the host
    fills and reads it by copies.

    Thread safety: threads may share it; of several `close` calls one destroys the array.

    Attributes
    ----------
    shape : tuple of int
        The extents: width, height and depth, as many as the array has axes.
    format : ArrayFormatType
        The type of the channels.
    num_channels : int
        The number of channels per element: 1, 2 or 4.
    is_surface_load_store : bool
        Whether surfaces can be created of it.

    Examples
    --------
    >>> from cuda.core.texture import OpaqueArrayOptions
    >>> image = device.create_opaque_array(OpaqueArrayOptions(shape=(4, 2), format="float32", num_channels=1))
    >>> image.copy_from(np.arange(8, dtype=np.float32).reshape(2, 4), stream=stream)
    >>> print(image.copy_to(np.empty((2, 4), np.float32), stream=stream)[1])
    [4. 5. 6. 7.]
    """

    @cython.critical_section
    cdef cydriver.CUarray open_handle(self) except NULL:
        if self.native == NULL or (self.parent is not None and self.parent.native == NULL):
            raise ClosedError("this OpaqueArray is closed")
        return self.native

    def __dealloc__(self):
        if self.native != NULL and self.parent is None and not is_finalizing():
            with nogil:
                cydriver.cuArrayDestroy(self.native)

    @cython.critical_section
    def close(self):
        """Free the array (cuArrayDestroy); a level only releases its mipmapped array. Closing twice does nothing.

        Raises
        ------
        CUDAError
            If cuArrayDestroy fails, for example because the context has failed before.

        Examples
        --------
        >>> from cuda.core.texture import OpaqueArrayOptions
        >>> image = device.create_opaque_array(OpaqueArrayOptions(shape=(4, 2), format="uint8", num_channels=4))
        >>> image.close()
        >>> image.is_closed
        True
        """
        cdef cydriver.CUarray native = self.native
        self.native = NULL
        if native != NULL and self.parent is None:
            with nogil:
                check(cydriver.cuArrayDestroy(native), b"cuArrayDestroy")
        self.parent = None

    @property
    @cython.critical_section
    def is_closed(self) -> bool:
        """Return whether the array, or the mipmapped array that it is a level of, was closed."""
        return self.native == NULL or (self.parent is not None and self.parent.native == NULL)

    @property
    def handle(self) -> int:
        """Return the address of the CUarray, 0 once closed."""
        return 0 if self.is_closed else <uintptr_t>self.native

    @property
    def element_bytes(self) -> int:
        """Return the size of an element with all its channels in bytes."""
        return SIZES[self.format] * self.num_channels

    @property
    def size_bytes(self) -> int:
        """Return the size of all elements in bytes, without padding."""
        count = self.element_bytes
        for extent in self.shape:
            count *= extent
        return count

    def copy_from(self, src, *, stream) -> None:
        """Copy elements from contiguous memory in C order (width fastest) into the array (cuMemcpy3DAsync).

        Parameters
        ----------
        src : Buffer or bytes-like
            A Buffer, or host memory such as a NumPy array, of `size_bytes`. For anything but a Buffer the call waits
            until the copy is done.
        stream : Stream
            The stream of the copy.

        Raises
        ------
        TypeError
            If `src` is neither a Buffer nor bytes-like, or `stream` no stream.
        ValueError
            If the sizes differ, or `src` is not C-contiguous.
        ClosedError
            If the array or the buffer is closed.
        CUDAError
            If cuMemcpy3DAsync fails.

        Examples
        --------
        >>> from cuda.core.texture import OpaqueArrayOptions
        >>> image = device.create_opaque_array(OpaqueArrayOptions(shape=(10, 10), format="float32", num_channels=1))
        >>> image.copy_from(buffer, stream=stream)  # 400 bytes
        """
        self._copy(src, as_stream(stream, "stream"), True)

    def copy_to(self, dst, *, stream):
        """Copy the array's elements to contiguous memory in C order (cuMemcpy3DAsync).

        Parameters
        ----------
        dst : Buffer or writable bytes-like
            Memory of `size_bytes`. For anything but a Buffer the call waits until the copy is done.
        stream : Stream
            The stream of the copy.

        Returns
        -------
        Buffer or object
            `dst`

        Raises
        ------
        TypeError
            If `dst` is neither a Buffer nor writable bytes-like, or `stream` no stream.
        ValueError
            If the sizes differ, or `dst` is not C-contiguous.
        ClosedError
            If the array or the buffer is closed.
        CUDAError
            If cuMemcpy3DAsync fails.

        Examples
        --------
        >>> from cuda.core.texture import OpaqueArrayOptions
        >>> image = device.create_opaque_array(OpaqueArrayOptions(shape=(10, 10), format="float32", num_channels=1))
        >>> image.copy_from(buffer, stream=stream)
        >>> print(image.copy_to(np.empty((10, 10), np.float32), stream=stream).sum())
        100.0
        """
        self._copy(dst, as_stream(stream, "stream"), False)
        return dst

    def _copy(self, other, Stream stream, bint inwards):
        cdef Py_buffer view
        name = "src" if inwards else "dst"
        if isinstance(other, Buffer):
            if (<Buffer>other).closed:
                raise ClosedError(f"{name} is a closed Buffer")
            self._queue((<Buffer>other).ptr, (<Buffer>other).nbytes, name, stream, inwards)
            return
        try:
            PyObject_GetBuffer(other, &view, PyBUF_C_CONTIGUOUS | (PyBUF_SIMPLE if inwards else PyBUF_WRITABLE))
        except (BufferError, TypeError, ValueError):
            raise _refused(other, name, inwards) from None
        try:
            self._queue(<uintptr_t>view.buf, view.len, name, stream, inwards)
            if not _is_captured(stream):
                stream.sync()
        finally:
            PyBuffer_Release(&view)

    def _queue(self, uintptr_t ptr, size_t nbytes, name, Stream stream, bint inwards):
        cdef cydriver.CUDA_MEMCPY3D native
        cdef cydriver.CUarray array = self.open_handle()
        cdef cydriver.CUstream line = stream.native
        cdef cydriver.CUresult status
        if nbytes != self.size_bytes:
            raise ValueError(f"{name} has {nbytes} bytes, but the array {self.size_bytes}: they must be of one size")
        memset(&native, 0, sizeof(native))
        native.WidthInBytes = self.shape[0] * self.element_bytes
        native.Height = self.shape[1] if len(self.shape) > 1 else 1
        native.Depth = self.shape[2] if len(self.shape) > 2 else 1
        cdef cydriver.CUmemorytype kind
        kind = <cydriver.CUmemorytype>(memory_type(ptr) or <int>cydriver.CU_MEMORYTYPE_HOST)
        if inwards:
            native.srcMemoryType, native.srcDevice, native.srcHost = kind, ptr, <void*>ptr
            native.srcPitch, native.srcHeight = native.WidthInBytes, native.Height
            native.dstMemoryType, native.dstArray = cydriver.CU_MEMORYTYPE_ARRAY, array
        else:
            native.dstMemoryType, native.dstDevice, native.dstHost = kind, ptr, <void*>ptr
            native.dstPitch, native.dstHeight = native.WidthInBytes, native.Height
            native.srcMemoryType, native.srcArray = cydriver.CU_MEMORYTYPE_ARRAY, array
        with nogil:
            status = cydriver.cuMemcpy3DAsync(&native, line)
        check(status, b"cuMemcpy3DAsync")


def _refused(other, name, inwards) -> Exception:
    """Return the error for host memory that cannot be copied."""
    from cuda.core._memory._array_copy import not_contiguous

    try:
        memory = memoryview(other)
    except (BufferError, TypeError, ValueError):
        memory = None
    if memory is not None and not memory.c_contiguous:
        return not_contiguous(name, memory.shape, memory.strides, "bytes")
    kind = "bytes-like" if inwards else "writable bytes-like"
    return TypeError(f"{name} must be a Buffer or {kind}, not {type(other).__name__}")


cdef bint _is_captured(Stream stream) except -1:
    cdef cydriver.CUstreamCaptureStatus status
    check(cydriver.cuStreamIsCapturing(stream.native, &status), b"cuStreamIsCapturing")
    return status != cydriver.CU_STREAM_CAPTURE_STATUS_NONE


cdef class MipmappedArray(_Array):
    """A mipmapped array: an image at several sizes, each half of the one before; see `Device.create_mipmapped_array`.

    Thread safety: threads may share it; of several `close` calls one destroys the array.

    Attributes
    ----------
    shape : tuple of int
        The extents of level 0: width, height and depth, as many as the array has axes.
    format : ArrayFormatType
        The type of the channels.
    num_channels : int
        The number of channels per element: 1, 2 or 4.
    is_surface_load_store : bool
        Whether surfaces can be created of its levels.
    num_levels : int
        The number of levels.

    Examples
    --------
    >>> from cuda.core.texture import MipmappedArrayOptions
    >>> options = MipmappedArrayOptions(shape=(8, 8), format="float32", num_channels=1, num_levels=4)
    >>> array = device.create_mipmapped_array(options)
    >>> [array.get_level(level).shape for level in range(array.num_levels)]
    [(8, 8), (4, 4), (2, 2), (1, 1)]
    """

    cdef cydriver.CUmipmappedArray open_handle(self) except NULL:
        if self.native == NULL:
            raise ClosedError("this MipmappedArray is closed")
        return self.native

    def __dealloc__(self):
        if self.native != NULL and not is_finalizing():
            with nogil:
                cydriver.cuMipmappedArrayDestroy(self.native)

    @cython.critical_section
    def close(self):
        """Free the array with all its levels (cuMipmappedArrayDestroy). Closing twice does nothing.

        Raises
        ------
        CUDAError
            If cuMipmappedArrayDestroy fails, for example because the context has failed before.

        Examples
        --------
        >>> from cuda.core.texture import MipmappedArrayOptions
        >>> options = MipmappedArrayOptions(shape=(8, 8), format="float32", num_channels=1, num_levels=4)
        >>> array = device.create_mipmapped_array(options)
        >>> level = array.get_level(1)
        >>> array.close()
        >>> level.is_closed
        True
        """
        cdef cydriver.CUmipmappedArray native = self.native
        self.native = NULL
        if native != NULL:
            with nogil:
                check(cydriver.cuMipmappedArrayDestroy(native), b"cuMipmappedArrayDestroy")

    @property
    def is_closed(self) -> bool:
        """Return whether the array was closed."""
        return self.native == NULL

    @property
    def handle(self) -> int:
        """Return the address of the CUmipmappedArray, 0 once closed."""
        return <uintptr_t>self.native

    def get_level(self, level):
        """Return one level, which keeps this array alive (cuMipmappedArrayGetLevel).

        Parameters
        ----------
        level : int
            The level; 0 is the largest.

        Returns
        -------
        OpaqueArray
            The image of this level.

        Raises
        ------
        ValueError
            If there is no such level.
        ClosedError
            If the array is closed.
        CUDAError
            If cuMipmappedArrayGetLevel fails.

        Examples
        --------
        >>> from cuda.core.texture import MipmappedArrayOptions
        >>> options = MipmappedArrayOptions(shape=(8, 8), format="float32", num_channels=1, num_levels=2)
        >>> half = device.create_mipmapped_array(options).get_level(1)
        >>> half.copy_from(np.zeros((4, 4), np.float32), stream=stream)
        """
        cdef cydriver.CUarray native = NULL
        cdef OpaqueArray self_level
        self.open_handle()
        if not hasattr(level, "__index__") or not 0 <= level < self.num_levels:
            raise ValueError(f"level must be an int from 0 to {self.num_levels - 1}, not {level!r}")
        check(cydriver.cuMipmappedArrayGetLevel(&native, self.native, level), b"cuMipmappedArrayGetLevel")
        self_level = OpaqueArray.__new__(OpaqueArray)
        self_level.native, self_level.parent, self_level._ordinal = native, self, self._ordinal
        self_level.shape = tuple([max(extent >> level, 1) for extent in self.shape])
        self_level.format, self_level.num_channels = self.format, self.num_channels
        self_level.is_surface_load_store = self.is_surface_load_store
        return self_level


def create_array(int ordinal, options):
    """Create an array; see `Device.create_opaque_array`."""
    cdef OpaqueArray self = OpaqueArray.__new__(OpaqueArray)
    if options is None:
        raise TypeError("options must be OpaqueArrayOptions: an array has a shape and a format")
    cdef cydriver.CUDA_ARRAY3D_DESCRIPTOR native = self.descriptor(
        as_options(OpaqueArrayOptions, options, "options"), ordinal
    )
    cdef Activation _active = activate(ordinal)
    with nogil:
        status = cydriver.cuArray3DCreate(&self.native, &native)
    _checked(status, b"cuArray3DCreate", self)
    return self


def create_mipmapped(int ordinal, options):
    """Create a mipmapped array; see `Device.create_mipmapped_array`."""
    cdef MipmappedArray self = MipmappedArray.__new__(MipmappedArray)
    if options is None:
        raise TypeError("options must be MipmappedArrayOptions: an array has a shape and a format")
    chosen = as_options(MipmappedArrayOptions, options, "options")
    cdef cydriver.CUDA_ARRAY3D_DESCRIPTOR native = self.descriptor(chosen, ordinal)
    most = max(self.shape).bit_length()
    if not hasattr(chosen.num_levels, "__index__") or not 1 <= chosen.num_levels <= most:
        given = chosen.num_levels
        raise ValueError(f"num_levels must be an int from 1 to {most} for shape {self.shape}, not {given!r}")
    self.num_levels = chosen.num_levels
    cdef Activation _active = activate(ordinal)
    with nogil:
        status = cydriver.cuMipmappedArrayCreate(&self.native, &native, self.num_levels)
    _checked(status, b"cuMipmappedArrayCreate", self)
    return self


cdef int _checked(cydriver.CUresult status, const char* call, _Array array) except -1:
    if status == cydriver.CUDA_ERROR_INVALID_VALUE:
        return fail(status, call, f"shape {array.shape} or {array.num_channels} x {array.format.value} is not offered.")
    return check(status, call)
