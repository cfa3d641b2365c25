# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from typing import Any

from cuda.core._device._device import Device

class TensorMapDescriptor:
    @staticmethod
    def _of_view(view: Any, options: Any) -> TensorMapDescriptor: ...
    @property
    def device(self) -> Device: ...
    def replace_address(self, tensor: object) -> None: ...
