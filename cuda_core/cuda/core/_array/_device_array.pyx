# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""DeviceArray: shape, strides and type of the memory of a Buffer."""

cimport cython

from cuda.bindings cimport cydriver
from cuda.core._memory._buffer cimport Buffer

from math import prod

from cuda.core._errors import not_pickled
from cuda.core._array._indexing import index_view
from cuda.core._view._layout import StridedLayout


cdef DeviceArray wrap(Buffer buffer, cydriver.CUdeviceptr address, tuple shape, tuple strides, object dtype):
    cdef DeviceArray self = DeviceArray.__new__(DeviceArray)
    self.memory, self.address = buffer, address
    self.extents, self.steps, self.element = shape, strides, dtype
    return self


def make_array(Buffer buffer not None, offset, tuple shape, tuple strides, dtype) -> DeviceArray:
    """Return an array of validated properties; `offset` is that of its first element in the buffer, in bytes."""
    return wrap(buffer, buffer.address() + <cydriver.CUdeviceptr>offset, shape, strides, dtype)


def forget_stream(Buffer buffer not None) -> None:
    """Let the memory be freed after all work of the device rather than in the order of a stream."""
    buffer.stream = None


@cython.final
cdef class DeviceArray:
    """A typed n-dimensional array in device memory.

    Arrays come from `Device.to_device`, `Device.empty`, `Device.zeros` and `Device.full`; `from_buffer` and
    `from_any_interface` give other memory a shape and a type. A kernel takes an array as a pointer to its first
    element, whatever the strides. Indexing returns views of the same memory. There is no arithmetic, and `==` compares
    identities, not elements.

    With ``stream=``, an operation is ordered in that stream and may return before it is done. Without, it first waits
    for all work of the device, and is complete when it returns.

    Thread safety: threads may share it; of several `close` calls one frees the memory. Streams and events alone
    order accesses to it.

    Examples
    --------
    >>> array = device.to_device(np.arange(6, dtype=np.float32).reshape(2, 3))
    >>> array[:, ::2]
    <DeviceArray (2, 2) float32, strides (12, 8), device 0>
    >>> array[:, ::2].to_host()
    array([[0., 2.],
           [3., 5.]], dtype=float32)
    """

    def __init__(self, *args, **kwargs):
        raise RuntimeError(
            "a DeviceArray is not made directly: use Device.to_device, Device.empty or DeviceArray.from_buffer"
        )

    cdef DeviceArray part(self, cydriver.CUdeviceptr address, tuple shape, tuple strides, object dtype):
        return wrap(self.memory, address, shape, strides, dtype)

    @staticmethod
    def from_buffer(buffer, shape, dtype, *, order="C"):
        """Return an array of the memory of a Buffer, of any kind.

        Parameters
        ----------
        buffer : Buffer
            The memory: at least as many bytes as the array has.
        shape : int or tuple of int
            The extent of each axis.
        dtype : numpy.dtype
            The type of the elements.
        order : {"C", "F"}
            Whether the last or the first axis is contiguous.

        Returns
        -------
        DeviceArray

        Examples
        --------
        >>> DeviceArray.from_buffer(buffer, (10, 10), np.float32).buffer is buffer
        True
        """
        from cuda.core._array._adopt import from_buffer

        return make_array(*from_buffer(buffer, shape, dtype, order))

    @staticmethod
    def from_any_interface(obj, *, stream=None):
        """Return another library's array on a device as a DeviceArray, without a copy.

        Parameters
        ----------
        obj : object with ``__dlpack__`` or ``__cuda_array_interface__``
            The array. It is kept alive.
        stream : Stream, optional
            The stream that will use the array: it waits for the work that makes `obj`. Without, this call waits.

        Returns
        -------
        DeviceArray

        Raises
        ------
        BufferError
            If the array is on the host or read-only.
        TypeError
            If kernels have no type for its elements.

        Examples
        --------
        >>> view = StridedMemoryView.from_buffer(buffer, (10, 10), dtype=np.dtype(np.float32))
        >>> DeviceArray.from_any_interface(view, stream=stream).shape
        (10, 10)
        """
        from cuda.core._array._adopt import from_any_interface

        return make_array(*from_any_interface(obj, stream))

    @property
    def buffer(self):
        """Return the memory, which all views of an array share. It is freed when the last of them is gone."""
        return self.memory

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the extent of each axis."""
        return self.extents

    @property
    def strides(self) -> tuple[int, ...]:
        """Return the distance of neighbouring elements along each axis, in bytes as in NumPy."""
        return self.steps

    @property
    def dtype(self):
        """Return the type of the elements, a numpy.dtype."""
        return self.element

    @property
    def ptr(self) -> int:
        """Return the address of the first element; 0 once closed."""
        return 0 if self.memory.closed else self.address

    @property
    def ndim(self) -> int:
        """Return the number of axes."""
        return len(self.extents)

    @property
    def size(self) -> int:
        """Return the number of elements."""
        return prod(self.extents)

    @property
    def itemsize(self) -> int:
        """Return the size of an element in bytes."""
        return self.element.itemsize

    @property
    def nbytes(self) -> int:
        """Return the size of all elements in bytes, without gaps between them."""
        return prod(self.extents) * self.element.itemsize

    @property
    def device(self):
        """Return the Device of the memory; None for memory that the host can use, too."""
        from cuda.core import Device

        if self.memory.is_device_accessible and not self.memory.is_host_accessible:
            return Device(self.memory.device_id)
        return None

    @property
    def stream(self):
        """Return the stream in whose order the memory is freed; None if that waits for all work of the device."""
        return self.memory.stream

    @property
    def is_closed(self) -> bool:
        """Return whether the memory was given back."""
        return self.memory.closed

    @property
    def is_contiguous_c(self) -> bool:
        """Return whether the elements lie without gaps, the last axis contiguous."""
        return is_dense(self.extents, self.steps, self.element.itemsize)

    @property
    def is_contiguous_f(self) -> bool:
        """Return whether the elements lie without gaps, the first axis contiguous."""
        return is_dense(self.extents[::-1], self.steps[::-1], self.element.itemsize)

    def close(self, stream=None) -> None:
        """Free the memory; all views of it are closed, too. Closing twice does nothing.

        Parameters
        ----------
        stream : Stream, optional
            The stream after whose present work the memory is freed; by default `stream` of the array.

        Examples
        --------
        >>> array = device.empty(10, np.float32)
        >>> array.close()
        >>> array[2:]
        <DeviceArray (8,) float32, closed>
        """
        self.memory.close(stream)

    def __enter__(self):
        self.memory.address()
        return self

    def __exit__(self, exc_type, exc_val, exc_tb):
        self.close()

    def to_host(self, *, stream=None):
        """Copy the array into a new NumPy array, and wait for the copy.

        Parameters
        ----------
        stream : Stream, optional
            The stream whose work the copy follows; by default all work of the device.

        Returns
        -------
        numpy.ndarray
            Of the same shape and type. The order of the axes in memory is kept, gaps are not.

        Examples
        --------
        >>> device.full(3, 2.5, np.float64).to_host()
        array([2.5, 2.5, 2.5])
        """
        from cuda.core._array._transfer import to_host

        return to_host(self, stream)

    def copy_from(self, src, *, stream=None) -> None:
        """Copy the elements of another array into this one.

        Parameters
        ----------
        src : array or Buffer
            An array of the same shape and type: a DeviceArray, a NumPy array, or an object with the buffer protocol,
            DLPack or the CUDA Array Interface, on the host or the device. A Buffer has as many bytes as the array. Do
            not change it before the copy is done.
        stream : Stream, optional
            The stream of the copy. Without, the copy follows all work of the device and is complete on return.

        Raises
        ------
        ValueError
            If the shapes differ.
        TypeError
            If the types differ: elements are not converted.

        Examples
        --------
        >>> array = device.empty((2, 2), np.int32)
        >>> array[0].copy_from(np.array([1, 2], np.int32), stream=stream)
        """
        from cuda.core._array._transfer import copy

        copy(self, src, stream, False)

    def copy_to(self, dst, *, stream=None):
        """Copy the elements of this array into another one; see `copy_from`.

        Parameters
        ----------
        dst : array or Buffer
            The destination.
        stream : Stream, optional
            The stream of the copy. Call its `sync` before you read an array of the host.

        Returns
        -------
        array or Buffer
            `dst`.

        Raises
        ------
        ValueError
            If the shapes differ, or `dst` is read-only.
        TypeError
            If the types differ.

        Examples
        --------
        >>> device.full(3, 7, np.int32).copy_to(np.zeros(3, np.int32))
        array([7, 7, 7], dtype=int32)
        """
        from cuda.core._array._transfer import copy

        copy(self, dst, stream, True)
        return dst

    def fill(self, value, *, stream=None) -> None:
        """Set all elements to a value.

        Parameters
        ----------
        value : scalar
            Converted to the type of the elements.
        stream : Stream, optional
            The stream of the operation.

        Examples
        --------
        >>> array = device.zeros(5, np.int32)
        >>> array[1::2].fill(9)
        >>> array.to_host()
        array([0, 9, 0, 9, 0], dtype=int32)
        """
        from cuda.core._array._transfer import fill

        fill(self, value, stream)

    def reshape(self, *shape):
        """Return a view with another shape; one extent may be -1, to be inferred.

        Parameters
        ----------
        *shape : int or tuple of int
            The extent of each axis.

        Returns
        -------
        DeviceArray

        Raises
        ------
        ValueError
            If the number of elements differs, or the strides do not allow a view: elements are never copied.

        Examples
        --------
        >>> device.zeros(12, np.int32).reshape(3, -1).shape
        (3, 4)
        """
        wanted = shape[0] if len(shape) == 1 else shape
        layout = StridedLayout(self.extents, self.steps, 1).reshaped(wanted)  # with strides in bytes
        return self.part(self.address, layout.shape, layout.strides, self.element)

    def transpose(self, *axes):
        """Return a view with the axes in another order, by default reversed.

        Parameters
        ----------
        *axes : int or tuple of int
            The axes of this array in their new order.

        Returns
        -------
        DeviceArray

        Examples
        --------
        >>> device.zeros((2, 3, 4), np.int32).transpose(1, 0, 2).shape
        (3, 2, 4)
        """
        given = axes[0] if len(axes) == 1 and not hasattr(axes[0], "__index__") else axes
        layout = StridedLayout(self.extents, self.steps, 1).permuted(given or range(len(self.extents))[::-1])
        return self.part(self.address, layout.shape, layout.strides, self.element)

    @property
    def T(self):
        """Return a view with the axes reversed."""
        return self.part(self.address, self.extents[::-1], self.steps[::-1], self.element)

    def __getitem__(self, key):
        if isinstance(key, str):
            return self._field(key)
        offset, shape, strides = index_view(self.extents, self.steps, key)
        return self.part(self.address + <Py_ssize_t>offset, shape, strides, self.element)

    def _field(self, str name):
        """Return a view of one field of structured elements."""
        fields = self.element.fields or {}
        if name not in fields:
            had = f"its fields are {', '.join(map(repr, fields))}" if fields else "it has none"
            raise IndexError(f"dtype {self.element} has no field {name!r}: {had}")
        dtype, offset = fields[name][:2]
        shape, strides = self.extents, self.steps
        if dtype.subdtype is not None:
            dtype, inner = dtype.subdtype
            shape += inner
            strides += tuple([prod(inner[axis + 1:]) * dtype.itemsize for axis in range(len(inner))])
        return self.part(self.address + <Py_ssize_t>offset, shape, strides, dtype)

    def __setitem__(self, key, value):
        raise TypeError("elements are not assigned: use array[...].copy_from(values), fill(value) or a kernel")

    def __len__(self):
        if not self.extents:
            raise TypeError("len() of a 0-d DeviceArray")
        return self.extents[0]

    def __iter__(self):
        if not self.extents:
            raise TypeError("iteration over a 0-d DeviceArray")
        return (self[index] for index in range(self.extents[0]))

    def __bool__(self):
        raise TypeError("the elements of a DeviceArray are on the device: test array.to_host(), or array.size")

    __array_ufunc__ = None  # NumPy's operators leave a DeviceArray alone

    def __array__(self, dtype=None, copy=None):
        """Return a NumPy array of memory that the host can read; raise TypeError for other memory."""
        from cuda.core._array._interop import as_numpy

        return as_numpy(self, dtype, copy)

    @property
    def __cuda_array_interface__(self) -> dict:
        """Return the array's description by the CUDA Array Interface, version 3."""
        from cuda.core._array._interop import cuda_array_interface

        self.memory.address()
        return cuda_array_interface(self, self.address)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        """Export the array by DLPack; see `Buffer.__dlpack__`."""
        from cuda.core._array._interop import export

        self.memory.address()
        return export(self, self.address, stream, max_version, dl_device, copy)

    def __dlpack_device__(self) -> tuple[int, int]:
        """Return DLPack's device type and device id."""
        return self.memory.__dlpack_device__()

    def __reduce__(self):
        raise not_pickled(self)

    def _repr_html_(self):
        from cuda.core._utils._html import of_array

        return of_array(self)

    def __repr__(self):
        dense = is_dense(self.extents, self.steps, self.element.itemsize)
        strides = "" if dense else f", strides {self.steps}"
        if self.memory.closed:
            where = "closed"
        else:
            where = "host memory" if self.device is None else f"device {self.memory.device_id}"
        return f"<DeviceArray {self.extents} {self.element}{strides}, {where}>"


cdef bint is_dense(tuple shape, tuple strides, Py_ssize_t itemsize) except -1:
    """Return whether elements lie without gaps, the last axis contiguous; of an empty array, they do."""
    cdef Py_ssize_t step = itemsize, axis, extent
    if 0 in shape:
        return True
    for axis in range(len(shape) - 1, -1, -1):
        extent = shape[axis]
        if extent != 1:
            if <Py_ssize_t>strides[axis] != step:
                return False
            step *= extent
    return True
