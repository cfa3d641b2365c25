# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""StridedMemoryView: address, shape, strides and type of another library's array."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cuda.core._errors import ClosedError
from cuda.core._view import _dlpack
from cuda.core._view._layout import StridedLayout
from cuda.core._view._layout import row_major as _row_major
from cuda.core._view._strided import Strided

if TYPE_CHECKING:
    import numpy

    from cuda.core._launch._tensor_map import TensorMapDescriptor
    from cuda.core._launch._tensor_map_options import TensorMapDescriptorOptions
    from cuda.core._memory._buffer import Buffer
    from cuda.core._stream._stream import Stream


def _extents(values: Any, name: str) -> tuple[int, ...]:
    try:
        return tuple(int(value) for value in values)
    except TypeError:
        raise TypeError(f"{name} must be a tuple of ints, not {values!r}") from None


class StridedMemoryView(Strided):
    """The address, shape, strides and type of an array.

    Thread safety: threads may share it; nothing orders accesses to the memory.

    Parameters
    ----------
    obj : object
        An array with ``__dlpack__``, ``__cuda_array_interface__`` or ``__array_interface__``, tried in this order. The
        view keeps it alive.
    stream_ptr : int, optional
        The address (or `Stream.handle`) of the stream that will use the memory; it waits for the array's producer, with
        -1 nothing waits. It is required for arrays on a device, and not used for arrays on the host.

    Attributes
    ----------
    ptr : int
        Address of the first element.
    shape : tuple of int
        The extent of each axis.
    strides : tuple of int or None
        The strides in elements; None for C order if the array's producer gave no strides.
    dtype : numpy.dtype
        The type of the elements; None for a view of a Buffer without a type.
    device_id : int
        The ordinal of the memory's device, -1 for the host.
    is_device_accessible : bool
        Whether kernels can access the memory.
    readonly : bool
        Whether the memory is read-only.
    exporting_obj : object
        The object that owns the memory.

    Examples
    --------
    >>> array = np.zeros((3, 4), np.float32)
    >>> view = StridedMemoryView.from_any_interface(array[:, ::2], stream_ptr=-1)
    >>> view.shape, view.strides, view.is_device_accessible
    ((3, 2), (4, 2), False)
    """

    __slots__ = ()

    @classmethod
    def from_buffer(
        cls,
        buffer: Buffer,
        shape: tuple[int, ...],
        strides: tuple[int, ...] | None = None,
        *,
        itemsize: int | None = None,
        dtype: numpy.dtype | None = None,
        is_readonly: bool = False,
    ) -> StridedMemoryView:
        """View a Buffer as an array.

        Parameters
        ----------
        buffer : Buffer
            The memory.
        shape : tuple of int
            The extent of each axis.
        strides : tuple of int, optional
            The strides in elements; C order by default.
        itemsize : int, optional
            The size of an element in bytes; required without `dtype`.
        dtype : numpy.dtype, optional
            The type of the elements.
        is_readonly : bool
            Whether the memory is read-only.

        Returns
        -------
        StridedMemoryView
            A view that keeps the buffer alive.

        Raises
        ------
        TypeError
            If `buffer` is not a Buffer, or `shape` or `strides` are no sequences of ints.
        ValueError
            If the elements do not fit in the buffer, or neither or contradictory `dtype` and `itemsize` are given.
        ClosedError
            If the buffer is closed.

        Examples
        --------
        >>> view = StridedMemoryView.from_buffer(buffer, (10, 10), dtype=np.dtype(np.float32))
        >>> print(np.asarray(view)[9])
        [1. 1. 1. 1. 1. 1. 1. 1. 1. 1.]
        """
        from cuda.core import Buffer

        if not isinstance(buffer, Buffer):
            raise TypeError(f"buffer must be a Buffer, not {type(buffer).__name__}")
        if buffer.is_closed:
            raise ClosedError("buffer is closed")
        if dtype is not None:
            import numpy

            dtype = numpy.dtype(dtype)
        if dtype is not None and itemsize not in (None, dtype.itemsize):
            raise ValueError(f"itemsize is {itemsize}, but dtype {dtype} has {dtype.itemsize}")
        if dtype is None and itemsize is None:
            raise ValueError("give dtype or itemsize")
        size = dtype.itemsize if dtype is not None else itemsize
        shape = _extents(shape, "shape")
        strides = None if strides is None else _extents(strides, "strides")
        _check_extent(buffer.size, shape, strides, size or 1)
        device = buffer.__dlpack_device__()
        return cls._make(
            ptr=buffer.handle,
            shape=shape,
            strides=strides,
            dtype=dtype,
            device_id=-1 if device[0] == _dlpack.CPU else device[1],
            is_device_accessible=buffer.is_device_accessible,
            readonly=bool(is_readonly),
            exporting_obj=buffer,
            _itemsize=size,
            _dlpack_kind=device[0],
        )

    @property
    def size(self) -> int:
        """Return the number of elements."""
        count = 1
        for extent in self.shape:
            count *= extent
        return count

    @property
    def _bytes_per_item(self) -> int:
        if self.dtype is not None:
            return self.dtype.itemsize
        return self._itemsize or 1

    @property
    def layout(self) -> StridedLayout:
        """Return the layout: shape, strides and item size. Pass a layout derived from it to `view`."""
        return StridedLayout(self.shape, self.strides, self._bytes_per_item)

    _layout = layout  # numba-cuda uses this name

    def view(self, layout: StridedLayout | None = None, dtype: numpy.dtype | None = None) -> StridedMemoryView:
        """Return a view of the same memory, or a part of it, with another shape or type.

        Parameters
        ----------
        layout : StridedLayout, optional
            The layout of the new view; its `slice_offset` counts from this view's first element.
        dtype : numpy.dtype, optional
            The type of the elements, with the layout's item size. By default unchanged, if the item size is.

        Returns
        -------
        StridedMemoryView
            A view that keeps this one alive.

        Raises
        ------
        TypeError
            If `layout` is not a StridedLayout.
        ValueError
            If the layout leads out of this view's memory, or `dtype` has another size.

        Examples
        --------
        >>> view = StridedMemoryView(np.arange(12).reshape(3, 4))
        >>> every_other_row = view.view(view.layout[::2])
        >>> every_other_row.shape
        (2, 4)
        """
        fields = self._fields() | {"_keep": self}  # without it, the producer may free the memory
        size, unit = self._bytes_per_item, "elements"
        if layout is not None:
            if not isinstance(layout, StridedLayout):
                raise TypeError(f"layout must be a StridedLayout, not {type(layout).__name__}")
            _check_part(self.layout, layout)
            fields.update(shape=layout.shape, strides=layout.strides, _itemsize=layout.itemsize)
            fields["ptr"] = self.ptr + layout.slice_offset_in_bytes
            if layout.itemsize != size:
                fields["dtype"] = None
            size, unit = layout.itemsize, "elements of the layout"
        if dtype is not None:
            import numpy

            dtype = numpy.dtype(dtype)
            if dtype.itemsize != size:
                raise ValueError(f"dtype {dtype} has {dtype.itemsize} bytes, but the {unit} have {size}")
            fields["dtype"] = dtype
        return type(self)._make(**fields)

    def copy_from(self, other: Any, stream: Stream, allocator: object = None, blocking: bool | None = None) -> None:
        """Copy the elements of another view or of an array into this one, in the order of a stream.

        Parameters
        ----------
        other : StridedMemoryView or array
            A view or array, on the host or the device, of the same shape and size of elements. With
            ``blocking=False`` an array must live until the copy is done.
        stream : Stream
            The stream of the copy.
        allocator : MemoryResource, optional
            Not used: strided copies need no temporary memory here.
        blocking : bool, optional
            Whether to wait for the copy; by default only if one of the two is not accessible to devices.

        Raises
        ------
        ValueError
            If shapes or sizes of elements differ, or this view is read-only.
        TypeError
            If `other` is no array, or `stream` no stream.
        CUDAError
            If the copy fails.

        Examples
        --------
        >>> target = StridedMemoryView.from_buffer(buffer, (10, 10), dtype=np.dtype(np.float32))
        >>> target.copy_from(np.eye(10, dtype=np.float32), stream)
        >>> print(np.asarray(target).trace())
        10.0
        """
        from cuda.core._view._view_copy import copy_view

        copy_view(self, other, stream, blocking)

    def copy_to(
        self,
        other: Any,
        stream: Stream | None = None,
        allocator: object = None,
        blocking: bool | None = None,
    ) -> None:
        """Copy the elements of this view into another one or an array, in the order of a stream.

        Parameters
        ----------
        other : StridedMemoryView or array
            A writable view or array, on the host or the device, of the same shape and size of elements.
        stream : Stream, optional
            The stream of the copy; the default stream if none is given.
        allocator : MemoryResource, optional
            Not used: strided copies need no temporary memory here.
        blocking : bool, optional
            Whether to wait for the copy; by default only if one of the two is not accessible to devices.

        Raises
        ------
        ValueError
            If shapes or sizes of elements differ, or `other` is read-only.
        TypeError
            If `other` is no array, or `stream` no stream.
        CUDAError
            If the copy fails.

        Examples
        --------
        >>> view = StridedMemoryView.from_buffer(buffer, (10, 10), dtype=np.dtype(np.float32))
        >>> columns = np.empty((10, 5), np.float32)
        >>> view.view(view.layout[:, ::2]).copy_to(columns, stream)
        >>> print(columns.sum())
        50.0
        """
        from cuda.core._stream._stream import default_stream
        from cuda.core._view._view_copy import copy_view

        copy_view(other, self, default_stream() if stream is None else stream, blocking)

    def as_tensor_map(
        self,
        box_dim: tuple[int, ...] | None = None,
        *,
        options: TensorMapDescriptorOptions | dict[str, Any] | None = None,
        element_strides: tuple[int, ...] | None = None,
        data_type: object = None,
        interleave: object = None,
        swizzle: object = None,
        l2_promotion: object = None,
        oob_fill: object = None,
    ) -> TensorMapDescriptor:
        """Create a tensor map of the array, for the hardware's tensor copies (TMA; cuTensorMapEncodeTiled).

        Parameters
        ----------
        box_dim : tuple of int
            The extents of the box that one copy moves, in elements, axes in the order of the shape.
        options : TensorMapDescriptorOptions, optional
            An options object, instead of `box_dim` and the other arguments.
        element_strides, data_type, interleave, swizzle, l2_promotion, oob_fill : optional
            The fields of `TensorMapDescriptorOptions`.

        Returns
        -------
        TensorMapDescriptor
            A kernel argument for a parameter ``const __grid_constant__ CUtensorMap``.

        Raises
        ------
        TypeError
            If neither or both of `box_dim` and `options` are given.
        ValueError
            If the hardware does not support such an array or box: alignment, strides, number of axes, type.
        CUDAError
            If the device has no tensor copies: they need compute capability 9.0.

        Examples
        --------
        >>> view = StridedMemoryView.from_buffer(device.allocate(32768, stream=stream), (64, 128), dtype=np.dtype("f4"))
        >>> view.as_tensor_map((8, 32)).device == device
        True
        """
        from cuda.core import TensorMapDescriptor

        given = {
            "box_dim": box_dim,
            "element_strides": element_strides,
            "data_type": data_type,
            "interleave": interleave,
            "swizzle": swizzle,
            "l2_promotion": l2_promotion,
            "oob_fill": oob_fill,
        }
        fields = {name: value for name, value in given.items() if value is not None}
        if options is not None and fields:
            raise TypeError(f"give options or {', '.join(fields)}, not both")
        if options is None and box_dim is None:
            raise TypeError("box_dim must be given: the extent of what one copy moves along each axis")
        return TensorMapDescriptor._of_view(self, fields if options is None else options)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """Return a NumPy array of memory that the host can read; raise TypeError for other memory."""
        import numpy

        if self.__dlpack_device__()[0] == _dlpack.CUDA:
            raise TypeError(
                "this view is of memory of the device, which NumPy cannot read: copy it to an array, "
                "array = numpy.empty(view.shape, view.dtype); view.copy_to(array, stream=stream); stream.sync()"
            )
        exporter: Any = self
        array = numpy.from_dlpack(exporter)
        wanted = array if dtype is None else array.astype(dtype, copy=False)
        if copy is False and wanted is not array:
            raise ValueError(f"dtype {dtype} needs a copy of the elements, which are {self.dtype}")
        return wanted.copy() if copy and wanted is array else wanted

    __array_ufunc__ = None  # NumPy's operators leave a view alone

    def __dlpack_device__(self) -> tuple[int, int]:
        """Return DLPack's device type and device id."""
        if self._dlpack_kind is not None:
            return (self._dlpack_kind, max(self.device_id, 0))
        return (_dlpack.CUDA, self.device_id) if self.is_device_accessible else (_dlpack.CPU, 0)

    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> object:
        """Export the array without a copy; see `Buffer.__dlpack__`."""
        if copy:
            raise BufferError("a StridedMemoryView is exported as it is: copy=True is not offered")
        if self.dtype is None:
            raise BufferError("this view has no dtype: use view(dtype=...) first")
        target = _dlpack.check_target(self.__dlpack_device__(), dl_device)
        strides = self.strides or _row_major(self.shape)
        return _dlpack.make_capsule(
            self, self.ptr, self.shape, strides, _dlpack.code_of(self.dtype), target, self.readonly, max_version
        )

    def __repr__(self) -> str:
        where = "host" if self.device_id < 0 else f"device {self.device_id}"
        return f"<StridedMemoryView {self.shape} of {self.dtype} at {self.ptr:#x}, {where}>"


def _check_part(whole: StridedLayout, part: StridedLayout) -> None:
    """Raise unless all elements of `part` are within the bounds of `whole`."""
    (low, high), (first, last) = whole.offset_bounds, part.offset_bounds
    if last < first:
        return
    start, end = low * whole.itemsize, (high + 1) * whole.itemsize
    if first * part.itemsize < start or (last + 1) * part.itemsize > end:
        raise ValueError(
            f"layout has elements from byte {first * part.itemsize} to {(last + 1) * part.itemsize}, which lead out of "
            f"the view's memory: bytes {start} to {end}"
        )


def _check_extent(nbytes: int, shape: tuple[int, ...], strides: tuple[int, ...] | None, itemsize: int) -> None:
    """Raise unless all elements are within memory of `nbytes` bytes."""
    if any(extent < 0 for extent in shape):
        raise ValueError(f"shape {shape} has a negative extent")
    if strides is not None and len(strides) != len(shape):
        raise ValueError(f"strides {strides} and shape {shape} have different lengths")
    if 0 in shape:
        return
    steps = [(extent - 1) * stride for extent, stride in zip(shape, strides or _row_major(shape), strict=True)]
    if any(step < 0 for step in steps):
        raise ValueError(f"strides {strides} lead out of the buffer, to before its beginning")
    needed = (sum(steps) + 1) * itemsize
    if needed > nbytes:
        raise ValueError(
            f"shape {shape} with {itemsize} bytes an element needs {needed} bytes, but the buffer has {nbytes}"
        )


def args_viewable_as_strided_memory(arg_indices: tuple[int, ...]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate a function so that some of its arguments can be viewed as strided memory.

    Parameters
    ----------
    arg_indices : tuple of int
        The positions of the arguments. The function gets, in their place, objects whose ``view(stream_ptr)`` returns
        a `StridedMemoryView`.

    Returns
    -------
    callable
        The decorator.

    Examples
    --------
    >>> @args_viewable_as_strided_memory((0,))
    ... def shape_of(array):
    ...     return array.view(-1).shape
    >>> shape_of(np.zeros((3, 4)))
    (3, 4)
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            given = list(args)
            for index in arg_indices:
                given[index] = _Viewable(given[index])
            return function(*given, **kwargs)

        return wrapped

    return decorate


class _Viewable:
    """An argument that can be viewed as strided memory."""

    def __init__(self, obj: Any) -> None:
        self.obj = obj

    def view(self, stream_ptr: int | None = None) -> StridedMemoryView:
        """Return the view; `stream_ptr` is the stream that will use the memory."""
        return StridedMemoryView.from_any_interface(self.obj, stream_ptr)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.obj, name)
