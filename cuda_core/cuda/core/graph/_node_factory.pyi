# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from collections.abc import Callable, Sequence
from typing import Any

from cuda.core._device._device import Device
from cuda.core._launch._kernel import Kernel
from cuda.core._launch._launch_config import LaunchConfig
from cuda.core._memory._buffer import Buffer
from cuda.core._stream._event import Event
from cuda.core.graph._conditional_node import IfElseNode, IfNode, SwitchNode, WhileNode
from cuda.core.graph._definition import GraphDefinition
from cuda.core.graph._node import GraphNode
from cuda.core.graph._state import GraphCondition
from cuda.core.graph._work_node import (
    AllocNode,
    ChildGraphNode,
    EmptyNode,
    EventRecordNode,
    EventWaitNode,
    FreeNode,
    HostCallbackNode,
    KernelNode,
    MemcpyNode,
    MemsetNode,
)
from cuda.core.typing import GraphMemoryType

class NodeFactory:
    def launch(self, config: LaunchConfig, kernel: Kernel, *args: Any) -> KernelNode: ...
    def memcpy(
        self, dst: Buffer | int, src: Buffer | int, size: int, *, dst_owner: object = None, src_owner: object = None
    ) -> MemcpyNode: ...
    def memset(
        self,
        dst: Buffer | int,
        value: Any,
        width: int,
        height: int = 1,
        pitch: int = 0,
        *,
        dst_owner: object = None,
    ) -> MemsetNode: ...
    # HostCallbackNode overrides this method with a property, the function.
    def callback(self, fn: Callable[..., object], *, user_data: Any = None) -> HostCallbackNode: ...
    def embed(self, child: GraphDefinition) -> ChildGraphNode: ...
    def join(self, *nodes: GraphNode) -> EmptyNode: ...
    def record(self, event: Event) -> EventRecordNode: ...
    def wait(self, event: Event) -> EventWaitNode: ...
    def allocate(
        self,
        size: int,
        *,
        device: Device | int | None = None,
        memory_type: GraphMemoryType | str = ...,
        peer_access: Sequence[Device | int] | None = None,
    ) -> AllocNode: ...
    def deallocate(self, dptr: int) -> FreeNode: ...
    def if_then(self, condition: GraphCondition) -> IfNode: ...
    def if_else(self, condition: GraphCondition) -> IfElseNode: ...
    def while_loop(self, condition: GraphCondition) -> WhileNode: ...
    def switch(self, condition: GraphCondition, count: int) -> SwitchNode: ...
