# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from cuda.core.graph._definition import GraphDefinition
from cuda.core.graph._node import GraphNode
from cuda.core.graph._state import GraphCondition
from cuda.core.typing import GraphConditionalType

class ConditionalNode(GraphNode):
    @property
    def condition(self) -> GraphCondition | None: ...
    @property
    def cond_type(self) -> GraphConditionalType | None: ...
    @property
    def branches(self) -> tuple[GraphDefinition, ...]: ...

class IfNode(ConditionalNode):
    @property
    def then(self) -> GraphDefinition: ...

class IfElseNode(ConditionalNode):
    @property
    def then(self) -> GraphDefinition: ...
    @property
    def else_(self) -> GraphDefinition: ...

class WhileNode(ConditionalNode):
    @property
    def body(self) -> GraphDefinition: ...

class SwitchNode(ConditionalNode): ...
