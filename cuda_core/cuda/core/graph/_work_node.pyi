# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from collections.abc import Callable, Sequence
from typing import Any

from cuda.core._launch._kernel import Kernel
from cuda.core._launch._launch_config import LaunchConfig
from cuda.core._memory._buffer import Buffer
from cuda.core._stream._event import Event
from cuda.core.graph._builder import GraphBuilder
from cuda.core.graph._definition import GraphDefinition
from cuda.core.graph._node import GraphNode
from cuda.core.typing import GraphMemoryType

class EmptyNode(GraphNode): ...

class KernelNode(GraphNode):
    @property
    def grid(self) -> tuple[int, int, int]: ...
    @property
    def block(self) -> tuple[int, int, int]: ...
    @property
    def shmem_size(self) -> int: ...
    @property
    def config(self) -> LaunchConfig: ...
    @property
    def kernel(self) -> Kernel: ...
    def update(
        self, *, config: LaunchConfig | None = None, kernel: Kernel | None = None, args: Sequence[Any] | None = None
    ) -> None: ...

class MemcpyNode(GraphNode):
    @property
    def dst(self) -> int: ...
    @property
    def src(self) -> int: ...
    @property
    def size(self) -> int: ...
    def update(
        self,
        *,
        dst: Buffer | int | None = None,
        src: Buffer | int | None = None,
        size: int | None = None,
        dst_owner: object = None,
        src_owner: object = None,
    ) -> None: ...

class MemsetNode(GraphNode):
    @property
    def dptr(self) -> int: ...
    @property
    def value(self) -> int: ...
    @property
    def element_size(self) -> int: ...
    @property
    def width(self) -> int: ...
    @property
    def height(self) -> int: ...
    @property
    def pitch(self) -> int: ...
    def update(
        self,
        *,
        dst: Buffer | int | None = None,
        value: Any = None,
        width: int | None = None,
        height: int | None = None,
        pitch: int | None = None,
        dst_owner: object = None,
    ) -> None: ...

class HostCallbackNode(GraphNode):
    @property
    def callback(self) -> Callable[[], object] | None: ...  # type: ignore[override]
    def update(self, fn: Callable[..., object], *, user_data: Any = None) -> None: ...

class EventRecordNode(GraphNode):
    @property
    def event(self) -> Event: ...
    def update(self, event: Event) -> None: ...

class EventWaitNode(GraphNode):
    @property
    def event(self) -> Event: ...
    def update(self, event: Event) -> None: ...

class ChildGraphNode(GraphNode):
    @property
    def child_graph(self) -> GraphDefinition: ...
    def update(self, child: GraphDefinition | GraphBuilder) -> None: ...

class AllocNode(GraphNode):
    @property
    def dptr(self) -> int: ...
    @property
    def bytesize(self) -> int: ...
    @property
    def device_id(self) -> int: ...
    @property
    def memory_type(self) -> GraphMemoryType: ...
    @property
    def peer_access(self) -> tuple[int, ...]: ...

class FreeNode(GraphNode):
    @property
    def dptr(self) -> int: ...
