# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Creation of arrays on a device: the methods of Device that return a DeviceArray."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cuda.core._array._device_array import DeviceArray
    from cuda.core.typing import IsStreamType


class DeviceArrays:
    """Base of Device: the methods that create arrays."""

    __slots__ = ()

    def to_device(self, array: Any, *, stream: IsStreamType | None = None, order: str = "C") -> DeviceArray:
        """Copy an array to new memory of the device.

        Parameters
        ----------
        array : array
            A NumPy array or scalar, or an object with the buffer protocol, DLPack or the CUDA Array Interface.
        stream : Stream, optional
            The stream of the allocation and the copy, in whose order the memory will be freed. Do not change `array`
            before the copy is done. Without, the copy is complete on return, the array can be used in every stream, and
            the memory is freed after all work of the device.
        order : {"C", "F", "K"}
            Whether the last or the first axis is contiguous; "K" keeps the order of the axes in the memory of `array`.

        Returns
        -------
        DeviceArray

        Raises
        ------
        TypeError
            If kernels have no type for the elements: Python objects, strings, dates, or swapped bytes.

        Examples
        --------
        >>> x = device.to_device(np.array([1, 2, 3], np.float32))
        >>> launch(stream, config, kernel, x, 2.0, x.size)
        >>> x.to_host(stream=stream)
        array([2., 4., 6.], dtype=float32)
        """
        from cuda.core._array._creation import to_device

        return to_device(self, array, stream, order)  # type: ignore[arg-type]

    def empty(self, shape: Any, dtype: Any, *, stream: IsStreamType | None = None, order: str = "C") -> DeviceArray:
        """Allocate an array without setting its elements.

        Parameters
        ----------
        shape : int or tuple of int
            The extent of each axis.
        dtype : numpy.dtype
            The type of the elements: a number, a structured type, or bfloat16 or float8 of ml_dtypes.
        stream : Stream, optional
            The stream of the allocation, in whose order the memory will be freed. Without, the array can be used in
            every stream, and the memory is freed after all work of the device.
        order : {"C", "F"}
            Whether the last or the first axis is contiguous.

        Returns
        -------
        DeviceArray

        Examples
        --------
        >>> device.empty((480, 640, 3), np.uint8).nbytes
        921600
        """
        from cuda.core._array._creation import empty

        return empty(self, shape, dtype, stream, order)  # type: ignore[arg-type]

    def zeros(self, shape: Any, dtype: Any, *, stream: IsStreamType | None = None, order: str = "C") -> DeviceArray:
        """Allocate an array of zeros; see `empty`.

        Parameters
        ----------
        shape, dtype, stream, order
            As for `empty`.

        Returns
        -------
        DeviceArray

        Examples
        --------
        >>> device.zeros(4, np.int32).to_host()
        array([0, 0, 0, 0], dtype=int32)
        """
        from cuda.core._array._creation import full

        return full(self, shape, 0, dtype, stream, order)  # type: ignore[arg-type]

    def full(
        self, shape: Any, fill_value: Any, dtype: Any, *, stream: IsStreamType | None = None, order: str = "C"
    ) -> DeviceArray:
        """Allocate an array whose elements all have one value; see `empty`.

        Parameters
        ----------
        shape : int or tuple of int
            The extent of each axis.
        fill_value : scalar
            Converted to `dtype`.
        dtype, stream, order
            As for `empty`.

        Returns
        -------
        DeviceArray

        Examples
        --------
        >>> device.full((2, 2), 7, np.uint8).to_host()
        array([[7, 7],
               [7, 7]], dtype=uint8)
        """
        from cuda.core._array._creation import full

        return full(self, shape, fill_value, dtype, stream, order)  # type: ignore[arg-type]
