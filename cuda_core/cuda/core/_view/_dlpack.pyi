# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from typing import Any

import numpy

from cuda.core._memory._buffer import Buffer
from cuda.core._stream._stream import Stream

CPU: int
CUDA: int
CUDA_HOST: int
CUDA_MANAGED: int

class Export: ...

class Tensor:
    def __init__(self, capsule: object) -> None: ...
    @property
    def ptr(self) -> int: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def strides(self) -> tuple[int, ...] | None: ...
    @property
    def dtype_code(self) -> tuple[int, int, int]: ...
    @property
    def device(self) -> tuple[int, int]: ...
    @property
    def readonly(self) -> bool: ...

def make_capsule(
    owner: object,
    ptr: int,
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    dtype: tuple[int, int, int],
    device: tuple[int, int],
    readonly: bool,
    max_version: tuple[int, int] | None,
    copied: bool = False,
) -> object: ...
def peek_pointer(capsule: object) -> tuple[int, int, int]: ...
def dtype_of(code: tuple[int, int, int]) -> numpy.dtype[Any]: ...
def code_of(dtype: numpy.dtype[Any]) -> tuple[int, int, int]: ...
def device_of(buffer: Buffer) -> tuple[int, int]: ...
def check_target(device: tuple[int, int], dl_device: tuple[int, int] | None) -> tuple[int, int]: ...
def order_streams(stream: int | None, producer: Stream | None) -> None: ...
def export_buffer(
    buffer: Buffer,
    stream: int | None,
    max_version: tuple[int, int] | None,
    dl_device: tuple[int, int] | None,
    copy: bool | None,
) -> object: ...
