# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest that puts the executors before Thunder's own.

They come first where Thunder's tests ask for the executor of PyTorch, which is the only one without a GPU, and among
the default executors. Each traced program counts as theirs if it calls one of their kernels.
"""

from __future__ import annotations

from typing import Any

import pytest
from thunder.core.trace import TraceCtx
from thunder.extend import add_default_executor
from thunder.tests import framework

from cuda.interop.thunder import fusion_executor, operator_executor

EXECUTORS = (operator_executor, fusion_executor)
MARK = "cuda_core"
_called = [0]


def pytest_configure() -> None:
    for each in reversed(EXECUTORS):
        add_default_executor(each)
    own = framework.TorchTestExecutor.executors_list
    framework.TorchTestExecutor.executors_list = lambda self: [*EXECUTORS, *own(self)]
    compiled = TraceCtx.python_callable

    def counted(self: TraceCtx, **options: Any) -> Any:
        _called[0] += sum(line.sym.executor in EXECUTORS for line in self.bound_symbols)
        return compiled(self, **options)

    TraceCtx.python_callable = counted


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Any:
    """Record how many calls of their kernels the compiled programs of a test have."""
    _called[0] = 0
    yield
    item.user_properties.append((MARK, _called[0]))
