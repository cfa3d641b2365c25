# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from typing import Any, Self

import numpy

class Strided:
    ptr: int
    shape: tuple[int, ...]
    strides: tuple[int, ...] | None
    dtype: numpy.dtype[Any] | None
    device_id: int
    is_device_accessible: bool
    readonly: bool
    exporting_obj: Any
    _keep: Any
    _itemsize: int | None
    _dlpack_kind: int | None
    def __init__(self, obj: object = None, stream_ptr: Any = None) -> None: ...
    @classmethod
    def from_any_interface(cls, obj: object, stream_ptr: Any = None) -> Self: ...
    @classmethod
    def from_dlpack(cls, obj: Any, stream_ptr: Any = None) -> Self: ...
    @classmethod
    def from_cuda_array_interface(cls, obj: Any, stream_ptr: Any = None) -> Self: ...
    @classmethod
    def from_array_interface(cls, obj: Any) -> Self: ...
    @classmethod
    def _make(cls, **fields: Any) -> Self: ...
    def _fields(self) -> dict[str, Any]: ...
