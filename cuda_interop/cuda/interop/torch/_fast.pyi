# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from collections.abc import Callable
from typing import Any

from cuda.core import Kernel, LaunchConfig

class Step:
    def __init__(
        self, kernel: Kernel, config: LaunchConfig, values: tuple[Any, ...], tensors: tuple[int, ...]
    ) -> None: ...

class Plan:
    def __init__(
        self, made: tuple[Any, ...], steps: tuple[Step, ...], outputs: tuple[int, ...], single: bool
    ) -> None: ...

class FastPath:
    record: Callable[..., Any]
    def __init__(
        self,
        slow: Callable[..., Any],
        compute: Callable[..., Any],
        recorded: Callable[..., Any],
        learn: Callable[..., Any],
        own: Any,
        stream: Callable[[], Any],
        aligns: tuple[int, ...],
    ) -> None: ...
    def call(self, args: tuple[Any, ...]) -> Any: ...
    def below(self, args: tuple[Any, ...]) -> Any: ...
    def save(self, saved: tuple[int, ...], kept: tuple[int, ...], defaults: tuple[Any, ...]) -> None: ...
    def forward(self, ctx: Any, how: Any, *args: Any) -> Any: ...
