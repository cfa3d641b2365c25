# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""TensorMapDescriptor: CUtensorMap, the description of an array for tensor copies (TMA)."""

cimport cython
from cpython.buffer cimport PyBuffer_FillInfo
from libc.stdint cimport uint32_t, uint64_t, uintptr_t
from libc.stdlib cimport free
from libc.string cimport memset

from cuda.bindings cimport cydriver
from cuda.core._utils._check cimport check, fail

from cuda.core._errors import not_pickled
from cuda.core._utils._options import as_options
from cuda.core._launch._tensor_map_options import (
    FLOATS,
    TensorMapDescriptorOptions,
    TensorMapInterleave,
    TensorMapL2Promotion,
    TensorMapOOBFill,
    TensorMapSwizzle,
    data_type_of,
    numbers,
)

cdef extern from "<stdlib.h>" nogil:
    void* aligned_alloc(size_t alignment, size_t size)

# The largest inner dimension of a box for each swizzle, in bytes (CUDA driver API, cuTensorMapEncodeTiled).
cdef tuple _SPANS = (0, 32, 64, 128, 128, 128, 128)


cdef class TensorMapDescriptor:
    """A tensor map: describes an array and a box of it to the hardware's tensor copies (TMA, CUtensorMap).

    `StridedMemoryView.as_tensor_map` creates it. Pass it as kernel argument for a parameter of type
    ``const __grid_constant__ CUtensorMap``. It keeps the array alive.

    Thread safety: threads may share it; a launch uses the address before or after `replace_address`.

    Examples
    --------
    >>> view = StridedMemoryView.from_buffer(device.allocate(4096, stream=stream), (32, 32), dtype=np.dtype("f4"))
    >>> view.as_tensor_map((8, 8)).device == device
    True
    """

    cdef cydriver.CUtensorMap* native
    cdef object view
    cdef int alignment

    def __cinit__(self):
        # The hardware requires an alignment of 64 bytes, cuda.h declares 128.
        self.native = <cydriver.CUtensorMap*>aligned_alloc(128, sizeof(cydriver.CUtensorMap))
        if self.native == NULL:
            raise MemoryError
        memset(self.native, 0, sizeof(cydriver.CUtensorMap))

    def __init__(self, *args, **kwargs):
        raise RuntimeError("a TensorMapDescriptor is not made directly: use StridedMemoryView.as_tensor_map")

    @staticmethod
    def _of_view(view, options):
        """Encode the map for a view; see `StridedMemoryView.as_tensor_map`."""
        cdef uint64_t[5] extents
        cdef uint64_t[5] strides
        cdef uint32_t[5] box
        cdef uint32_t[5] steps
        cdef int axis
        cdef TensorMapDescriptor self = TensorMapDescriptor.__new__(TensorMapDescriptor)
        chosen = as_options(TensorMapDescriptorOptions, options, "options")
        interleave, swizzle = TensorMapInterleave(chosen.interleave), TensorMapSwizzle(chosen.swizzle)
        promotion, fill = TensorMapL2Promotion(chosen.l2_promotion), TensorMapOOBFill(chosen.oob_fill)
        rank, itemsize = len(view.shape), view._bytes_per_item
        if not 1 <= rank <= 5:
            raise ValueError(f"tensor copies are for arrays of 1 to 5 axes, but the view has {rank}")
        if interleave != TensorMapInterleave.NONE and rank < 3:
            raise ValueError(f"interleave {interleave.name} is for arrays of 3 to 5 axes, but the view has {rank}")
        kind = data_type_of(chosen.data_type, view.dtype, itemsize)
        if fill != TensorMapOOBFill.NONE and kind not in FLOATS:
            raise ValueError(f"oob_fill {fill.name} is for floating-point numbers, but the elements are {kind.name}")
        self.alignment = 32 if interleave == TensorMapInterleave.INTERLEAVE_32B else 16
        _check_pointer(view, self.alignment)
        numbers(view.shape, rank, "the view's shape", 2**32)
        lengths = numbers(chosen.box_dim, rank, "box_dim", 256)
        every = chosen.element_strides
        every = (1,) * rank if every is None else numbers(every, rank, "element_strides", 8)
        distances = _distances(view, itemsize, self.alignment)
        _check_line(lengths[-1] * itemsize, interleave, swizzle)
        for axis in range(rank):  # the driver's axes begin with the innermost
            extents[axis], box[axis], steps[axis] = view.shape[rank - 1 - axis], lengths[-1 - axis], every[-1 - axis]
            strides[axis] = distances[rank - 1 - axis]
        cdef cydriver.CUresult status = cydriver.cuTensorMapEncodeTiled(
            self.native,
            <cydriver.CUtensorMapDataType><int>kind,
            rank,
            <void*><uintptr_t>view.ptr,
            extents,
            &strides[1],
            box,
            steps,
            <cydriver.CUtensorMapInterleave><int>interleave,
            <cydriver.CUtensorMapSwizzle><int>swizzle,
            <cydriver.CUtensorMapL2promotion><int>promotion,
            <cydriver.CUtensorMapFloatOOBfill><int>fill,
        )
        if status == cydriver.CUDA_ERROR_NOT_SUPPORTED:
            fail(status, b"cuTensorMapEncodeTiled", "Tensor copies need a device of compute capability 9.0 or newer.")
        check(status, b"cuTensorMapEncodeTiled")
        self.view = view
        return self

    def __dealloc__(self):
        free(self.native)

    @cython.critical_section
    cdef object described_view(self):
        return self.view

    @property
    def device(self):
        """Return the device whose memory holds the array."""
        from cuda.core import Device

        return Device(max(self.described_view().device_id, 0))

    def replace_address(self, tensor) -> None:
        """Make the map describe another array of the same shape, strides and type (cuTensorMapReplaceAddress).

        Parameters
        ----------
        tensor : object
            An array with DLPack or the CUDA Array Interface, or a StridedMemoryView, on the same device.

        Raises
        ------
        ValueError
            If the array is on another device or in host memory, or its address is not aligned.
        CUDAError
            If cuTensorMapReplaceAddress fails.

        Examples
        --------
        >>> first, second = (
        ...     StridedMemoryView.from_buffer(device.allocate(4096, stream=stream), (32, 32), dtype=np.dtype("f4"))
        ...     for _ in range(2)
        ... )
        >>> tensor_map = first.as_tensor_map((8, 8))
        >>> tensor_map.replace_address(second)
        >>> tensor_map
        <TensorMapDescriptor of <StridedMemoryView (32, 32) of float32 at ...>>
        """
        view = _viewed(tensor)
        _check_pointer(view, self.alignment)
        ours = self.described_view().device_id
        if max(view.device_id, 0) != max(ours, 0):
            raise ValueError(f"tensor is on device {view.device_id}, but this map is for device {ours}")
        cdef void* ptr = <void*><uintptr_t>view.ptr
        with cython.critical_section(self):
            check(cydriver.cuTensorMapReplaceAddress(self.native, ptr), b"cuTensorMapReplaceAddress")
            self.view = view

    def __getbuffer__(self, Py_buffer* view, int flags):
        PyBuffer_FillInfo(view, self, self.native, sizeof(cydriver.CUtensorMap), True, flags)

    def __reduce__(self):
        raise not_pickled(self)

    def __repr__(self):
        return f"<TensorMapDescriptor of {self.described_view()!r}>"


def _viewed(tensor):
    from cuda.core._view._view import StridedMemoryView

    return tensor if isinstance(tensor, StridedMemoryView) else StridedMemoryView.from_any_interface(tensor, -1)


def _check_pointer(view, int alignment):
    if not view.is_device_accessible:
        raise ValueError("the array is in memory of the host, which tensor copies do not reach")
    if view.ptr % alignment:
        raise ValueError(f"the array's address {view.ptr:#x} must be a multiple of {alignment} bytes")


def _distances(view, itemsize, alignment):
    """Return the strides in bytes, checked."""
    from cuda.core._view._layout import row_major

    strides = view.strides or row_major(view.shape)
    if strides[-1] != 1 and view.shape[-1] != 1:
        raise ValueError(f"the last axis must be contiguous, but its stride is {strides[-1]} elements")
    found = tuple([stride * itemsize for stride in strides])
    for axis, distance in enumerate(found[:-1]):
        if not 0 <= distance < 2**40 or distance % alignment:
            raise ValueError(
                f"the stride of axis {axis} is {distance} bytes, "
                f"but must be a multiple of {alignment} below 2**40 and not negative"
            )
    return found


def _check_line(size, interleave, swizzle):
    """Raise unless an inner dimension of `size` bytes is valid with this interleave and swizzle."""
    if interleave == TensorMapInterleave.INTERLEAVE_32B and swizzle != TensorMapSwizzle.SWIZZLE_32B:
        raise ValueError("interleave INTERLEAVE_32B needs swizzle SWIZZLE_32B")
    if interleave != TensorMapInterleave.NONE:
        return
    if size % 16:
        raise ValueError(f"the last extent of box_dim makes lines of {size} bytes, which must be a multiple of 16")
    if swizzle != TensorMapSwizzle.NONE and size > _SPANS[swizzle]:
        raise ValueError(
            f"the last extent of box_dim makes lines of {size} bytes, but swizzle {swizzle.name} permutes "
            f"at most {_SPANS[swizzle]}"
        )
