# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from typing import Any

from cuda.core._launch._kernel import Kernel
from cuda.core._launch._launch_config import LaunchConfig
from cuda.core._stream._stream import Stream
from cuda.core.typing import IsStreamType

class Launcher:
    @staticmethod
    def _prepare(kernel: Kernel, config: LaunchConfig, stream: IsStreamType) -> Launcher: ...
    @property
    def kernel(self) -> Kernel: ...
    @property
    def config(self) -> LaunchConfig: ...
    @property
    def stream(self) -> Stream: ...
    def __call__(self, *kernel_args: Any) -> None: ...
