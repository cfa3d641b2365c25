# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""StridedMemoryView: shape, strides and type of memory that some array library owns."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cuda.core import _dlpack
from cuda.core._options import not_yet

if TYPE_CHECKING:
    import numpy

    from cuda.core._buffer import Buffer
    from cuda.core._stream import Stream


def _row_major(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the strides, in elements, of an array in C order."""
    strides: list[int] = []
    step = 1
    for extent in reversed(shape):
        strides.append(step)
        step *= max(extent, 1)
    return tuple(reversed(strides))


def _in_elements(strides: tuple[int, ...] | None, itemsize: int) -> tuple[int, ...] | None:
    if strides is None:
        return None
    if any(stride % itemsize for stride in strides):
        raise BufferError(f"strides {strides} bytes are no multiples of the itemsize {itemsize}")
    return tuple(stride // itemsize for stride in strides)


def _extents(values: Any, name: str) -> tuple[int, ...]:
    try:
        return tuple(int(value) for value in values)
    except TypeError:
        raise TypeError(f"{name} must be a tuple of ints, not {values!r}") from None


class StridedMemoryView:
    """Tell where an array lies, and how.

    Parameters
    ----------
    obj : object
        An array with ``__dlpack__``, ``__cuda_array_interface__`` or ``__array_interface__``, tried in this order. The
        view keeps it alive.
    stream_ptr : int, optional
        The stream that will use the memory, by its address (or `Stream.handle`), which waits for the array's producer;
        -1 does not wait. It must be given for arrays on a device; arrays on the host have no use for it.

    Attributes
    ----------
    ptr : int
        Address of the first element.
    shape : tuple of int
        The extent of each axis.
    strides : tuple of int or None
        The distance along each axis in elements; None for C order, where the array's owner says nothing else.
    dtype : numpy.dtype
        The type of the elements; None for a view of a Buffer without a type.
    device_id : int
        The ordinal of the memory's device, -1 for the host.
    is_device_accessible : bool
        Whether kernels can use the memory.
    readonly : bool
        Whether the memory must not be written.
    exporting_obj : object
        Whose memory it is.
    """

    __slots__ = (
        "__weakref__",
        "_dlpack_kind",
        "_itemsize",
        "_keep",
        "device_id",
        "dtype",
        "exporting_obj",
        "is_device_accessible",
        "ptr",
        "readonly",
        "shape",
        "strides",
    )

    ptr: int
    shape: tuple[int, ...]
    strides: tuple[int, ...] | None
    dtype: numpy.dtype | None
    device_id: int
    is_device_accessible: bool
    readonly: bool
    exporting_obj: Any
    _keep: Any
    _itemsize: int | None
    _dlpack_kind: int | None

    def __init__(self, obj: object = None, stream_ptr: int | None = None) -> None:
        if obj is None:
            raise TypeError("obj must be an array: give one, or use a from_... method")
        self._set(**type(self).from_any_interface(obj, stream_ptr)._fields())

    @classmethod
    def _make(cls, **fields: Any) -> StridedMemoryView:
        self = cls.__new__(cls)
        self._set(**{"_keep": None, "_itemsize": None, "_dlpack_kind": None, **fields})
        return self

    def _set(self, **fields: Any) -> None:
        for name, value in fields.items():
            setattr(self, name, value)

    def _fields(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in StridedMemoryView.__slots__ if name != "__weakref__"}

    @classmethod
    def from_any_interface(cls, obj: object, stream_ptr: int | None = None) -> StridedMemoryView:
        """View an array by whichever protocol it has; see the class."""
        if hasattr(obj, "__dlpack__") and hasattr(obj, "__dlpack_device__"):
            return cls.from_dlpack(obj, stream_ptr)
        if hasattr(obj, "__cuda_array_interface__"):
            return cls.from_cuda_array_interface(obj, stream_ptr)
        if hasattr(obj, "__array_interface__"):
            return cls.from_array_interface(obj)
        raise BufferError(
            f"{type(obj).__name__} has none of __dlpack__, __cuda_array_interface__ and __array_interface__"
        )

    @classmethod
    def from_dlpack(cls, obj: Any, stream_ptr: int | None = None) -> StridedMemoryView:
        """View an array by DLPack; see the class."""
        kind, ordinal = obj.__dlpack_device__()
        on_host = kind in (_dlpack.CPU, _dlpack.CUDA_HOST)
        if kind not in (_dlpack.CPU, _dlpack.CUDA, _dlpack.CUDA_HOST, _dlpack.CUDA_MANAGED):
            raise BufferError(f"the array is on DLPack device ({kind}, {ordinal}), which CUDA does not reach")
        if not on_host and stream_ptr is None:
            raise BufferError(
                "give stream_ptr for an array on a device: the stream that will use it, or -1 not to wait"
            )
        stream = None if on_host or stream_ptr is None else int(stream_ptr) or 1
        try:
            capsule = obj.__dlpack__(stream=stream, max_version=(1, 0))
        except TypeError:
            capsule = obj.__dlpack__() if stream is None else obj.__dlpack__(stream=stream)  # older than DLPack 1.0
        tensor = _dlpack.Tensor(capsule)
        return cls._make(
            ptr=tensor.ptr,
            shape=tensor.shape,
            strides=tensor.strides,
            dtype=_dlpack.dtype_of(tensor.dtype_code),
            device_id=-1 if kind == _dlpack.CPU else ordinal,
            is_device_accessible=kind != _dlpack.CPU,
            readonly=tensor.readonly,
            exporting_obj=obj,
            _keep=tensor,
            _dlpack_kind=kind,
        )

    @classmethod
    def from_cuda_array_interface(cls, obj: Any, stream_ptr: int | None = None) -> StridedMemoryView:
        """View an array on a device by the CUDA Array Interface; see the class."""
        from cuda.core._pointer import pointer_device
        from cuda.core._stream import Stream

        interface = obj.__cuda_array_interface__
        if interface.get("version", 0) < 3:
            raise BufferError("only version 3 of the CUDA Array Interface is understood")
        if interface.get("mask") is not None:
            raise BufferError("masked arrays are not understood")
        if stream_ptr is None:
            raise BufferError(
                "give stream_ptr for an array on a device: the stream that will use it, or -1 not to wait"
            )
        consumer, producer = int(stream_ptr), interface.get("stream")
        if producer == 0:
            raise BufferError("stream 0 is ambiguous in the CUDA Array Interface: 1 or 2 are the default streams")
        if producer is not None and consumer != -1 and producer != consumer:
            Stream.from_handle(consumer).wait(Stream.from_handle(producer))
        view = cls._from_interface(obj, interface)
        view._set(device_id=pointer_device(view.ptr) if view.ptr else 0, is_device_accessible=True)
        return view

    @classmethod
    def from_array_interface(cls, obj: Any) -> StridedMemoryView:
        """View an array of the host by NumPy's array interface."""
        interface = obj.__array_interface__
        if interface.get("mask") is not None:
            raise BufferError("masked arrays are not understood")
        view = cls._from_interface(obj, interface)
        view._set(device_id=-1, is_device_accessible=False)
        return view

    @classmethod
    def _from_interface(cls, obj: Any, interface: dict) -> StridedMemoryView:
        import numpy

        descr = interface.get("descr")
        dtype = numpy.dtype(interface["typestr"])
        if dtype.kind == "V" and descr and descr != [("", interface["typestr"])]:
            dtype = numpy.dtype(descr)
        if interface.get("data") is None:
            raise BufferError(f"{type(obj).__name__} gives no address in its array interface")
        ptr, readonly = interface["data"]
        return cls._make(
            ptr=int(ptr),
            shape=tuple(interface["shape"]),
            strides=_in_elements(interface.get("strides"), dtype.itemsize),
            dtype=dtype,
            readonly=bool(readonly),
            exporting_obj=obj,
            _keep=interface,
        )

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
            The distance along each axis in elements; C order if not given.
        itemsize : int, optional
            Bytes of an element; needed without `dtype`.
        dtype : numpy.dtype, optional
            The type of the elements.
        is_readonly : bool
            Whether the memory must not be written.
        """
        from cuda.core._buffer import Buffer

        if not isinstance(buffer, Buffer):
            raise TypeError(f"buffer must be a Buffer, not {type(buffer).__name__}")
        if buffer.is_closed:
            raise ValueError("buffer is closed")
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

    def view(self, layout: object = None, dtype: numpy.dtype | None = None) -> StridedMemoryView:
        """Return a view of the same memory with another type.

        Parameters
        ----------
        layout : optional
            Not in this version.
        dtype : numpy.dtype, optional
            The type of the elements, of the same size.
        """
        if layout is not None:
            raise not_yet("StridedMemoryView.view(layout=...)", "it has no layouts")
        fields = self._fields()
        if dtype is not None:
            import numpy

            dtype = numpy.dtype(dtype)
            if dtype.itemsize != self._bytes_per_item:
                raise ValueError(
                    f"dtype {dtype} has {dtype.itemsize} bytes, but the elements have {self._bytes_per_item}"
                )
            fields["dtype"] = dtype
        return type(self)._make(**fields)

    def copy_from(
        self, other: StridedMemoryView, stream: Stream, allocator: object = None, blocking: bool | None = None
    ) -> None:
        """Copy the elements of another view into this one.

        Parameters
        ----------
        other : StridedMemoryView
            A view of the same shape and size of elements.
        stream : Stream
            The stream that does it.
        allocator : MemoryResource, optional
            Not used: strided copies need no memory of their own here.
        blocking : bool, optional
            Whether to wait for the end; by default if one of the two is memory that only the host reaches.
        """
        from cuda.core._view_copy import copy_view

        if self.readonly:
            raise ValueError("this view is read-only")
        copy_view(self, other, stream, blocking)

    def copy_to(
        self,
        other: StridedMemoryView,
        stream: Stream | None = None,
        allocator: object = None,
        blocking: bool | None = None,
    ) -> None:
        """Copy the elements of this view into another one; see `copy_from`."""
        from cuda.core._stream import default_stream

        other.copy_from(self, default_stream() if stream is None else stream, allocator, blocking)

    def as_tensor_map(
        self,
        box_dim: tuple[int, ...] | None = None,
        *,
        options: object = None,
        element_strides: tuple[int, ...] | None = None,
        data_type: object = None,
        interleave: object = None,
        swizzle: object = None,
        l2_promotion: object = None,
        oob_fill: object = None,
    ) -> object:
        """Raise NotImplementedError: tensor maps are not in this version."""
        raise not_yet("StridedMemoryView.as_tensor_map", "it has no tensor maps")

    def __dlpack_device__(self) -> tuple[int, int]:
        """Return DLPack's kind of device and the device's ordinal."""
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
        """Export the array; see `Buffer.__dlpack__`. It is not copied."""
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


def _check_extent(nbytes: int, shape: tuple[int, ...], strides: tuple[int, ...] | None, itemsize: int) -> None:
    """Raise unless every element lies in memory of `nbytes` bytes."""
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
