# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from cuda.core._device._device import Device
from cuda.core._device._host import Host

def location_object(kind: int, ordinal: int) -> Device | Host | None: ...
