# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from typing import Any

from cuda.core._launch._kernel import Kernel
from cuda.core._launch._launch_config import LaunchConfig
from cuda.core.typing import IsStreamType

def launch(stream: IsStreamType, config: LaunchConfig, kernel: Kernel, *kernel_args: Any) -> None: ...
