# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from collections.abc import Callable

def call_after_waits(function: Callable[[], object]) -> None: ...
