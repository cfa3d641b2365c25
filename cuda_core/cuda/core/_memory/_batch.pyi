# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from collections.abc import Sequence
from typing import Any

from cuda.core._device._device import Device
from cuda.core._device._host import Host
from cuda.core._memory._buffer import Buffer
from cuda.core._memory._copy_options import CopyOptions
from cuda.core._stream._stream import Stream
from cuda.core.typing import IsStreamType

def copy_with_options(
    dst: int, src: int, nbytes: int, stream: Stream, options: CopyOptions | dict[str, Any]
) -> None: ...
def copy_batch(
    stream: IsStreamType,
    srcs: Sequence[Buffer],
    dsts: Sequence[Buffer],
    *,
    options: CopyOptions | Sequence[CopyOptions] | None = None,
) -> None: ...
def prefetch_batch(
    stream: IsStreamType, buffers: Sequence[Buffer], locations: Device | Host | Sequence[Device | Host]
) -> None: ...
def discard_batch(stream: IsStreamType, buffers: Sequence[Buffer]) -> None: ...
def discard_prefetch_batch(
    stream: IsStreamType, buffers: Sequence[Buffer], locations: Device | Host | Sequence[Device | Host]
) -> None: ...
