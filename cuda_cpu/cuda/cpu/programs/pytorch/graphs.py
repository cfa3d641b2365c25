# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""CUDA graphs of PyTorch: kernels are captured by the driver, operations of PyTorch as calls.

A graph is a list of steps. Launches are captured into a graph of the driver, up to the next operation of PyTorch, which
the host will do. While a graph is captured nothing runs: new tensors have the shape of the results and no contents.
"""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import threading
from collections.abc import Callable
from typing import Any

import torch
from torch.utils._pytree import tree_leaves, tree_map_only

from cuda.cpu.programs.driver_calls import DriverError, call, returned
from cuda.cpu.programs.pytorch import driver, precision

RELAXED = 2  # CU_STREAM_CAPTURE_MODE_RELAXED: kernels are loaded and memory is registered during the capture
NOT_IN_CAPTURE = "operation not permitted when stream is capturing"
_current = threading.local()
_pools = itertools.count(1)


def capture() -> CUDAGraph | None:
    """Return the graph that this thread captures, None if there is none."""
    return getattr(_current, "graph", None)


def refuse_in_capture(what: str) -> None:
    """Raise an error if this thread captures a graph.

    Raises
    ------
    RuntimeError
        It does: `what` needs contents that a tensor only has when the graph runs.
    """
    if capture() is not None:
        raise RuntimeError(f"{NOT_IN_CAPTURE}: {what} cannot be part of a CUDA graph")


def graph_pool_handle() -> tuple[int, int]:
    """Return a new pool's handle: tensors of graphs stay alive with the graph, so pools do nothing."""
    return 0, next(_pools)


class Launches:
    """Kernels that follow each other, as a graph of the driver."""

    def __init__(self, graph: int, stream: int, storages: dict[int, Any]) -> None:
        self.stream, self.storages = stream, storages
        self.executable = returned(ctypes.c_void_p, "cuGraphInstantiateWithFlags", ctypes.c_void_p(graph), 0)

    def run(self) -> None:
        for storage in self.storages.values():
            driver.register(storage)
        try:
            call("cuGraphLaunch", ctypes.c_void_p(self.executable), ctypes.c_void_p(self.stream))
        finally:
            driver.finish_launch()

    def destroy(self) -> None:
        call("cuGraphExecDestroy", ctypes.c_void_p(self.executable))


class Operation:
    """A call of PyTorch, whose results go to the tensors that the capture has returned."""

    def __init__(self, function: Callable[[], Any], results: list[Any]) -> None:
        self.function, self.results = function, results

    def run(self) -> None:
        with torch.no_grad(), torch._C._DisableTorchDispatch(), torch._C.DisableTorchFunction():
            found = tree_leaves(self.function())
            for known, new in zip(self.results, found, strict=False):
                if isinstance(known, torch.Tensor):
                    known.copy_(new)

    def destroy(self) -> None:
        pass


class CUDAGraph:
    """A captured graph, as `torch.cuda.CUDAGraph`."""

    def __init__(self, keep_graph: bool = False) -> None:
        self._steps: list[Launches | Operation] = []
        self._pool = graph_pool_handle()
        self._captured = False
        self.stream = 0

    def capture_begin(
        self, pool: Any = None, capture_error_mode: str = "global", check_input_liveness: bool = False
    ) -> None:
        if capture() is not None or self._captured:
            raise RuntimeError("a CUDAGraph is captured once, until its reset(), and no other one at the same time")
        self.stream = torch.cuda.current_stream().cuda_stream
        if not self.stream:
            raise RuntimeError("CUDA graphs must be captured on a non-default stream: use torch.cuda.graph")
        self._pool = pool or self._pool
        self._begin_launches()
        _current.graph = self

    def capture_end(self) -> None:
        if capture() is not self:
            raise RuntimeError("capture_end() of a CUDAGraph that is not being captured")
        _current.graph = None
        self._end_launches()
        self._captured = True

    def _begin_launches(self) -> None:
        driver.keep_storages({})
        call("cuStreamBeginCapture_v2", ctypes.c_void_p(self.stream), RELAXED)

    def _end_launches(self) -> None:
        """Add the kernels captured since `_begin_launches`, if there are any, as a step."""
        storages = driver.keep_storages(None)
        graph = returned_second(ctypes.c_void_p, "cuStreamEndCapture", ctypes.c_void_p(self.stream))
        try:
            count = returned_second(ctypes.c_size_t, "cuGraphGetNodes", ctypes.c_void_p(graph), None)
            if count:
                self._steps.append(Launches(graph, self.stream, storages))
        finally:
            call("cuGraphDestroy", ctypes.c_void_p(graph))

    def add_operation(self, function: Callable[[], Any], results: Any) -> None:
        """Add a call of PyTorch, and the tensors that get its results; None if it writes arguments only."""
        self._end_launches()
        self._begin_launches()
        with torch._C._DisableTorchDispatch():
            kept = tree_map_only(torch.Tensor, torch.Tensor.detach, tree_leaves(results))
        self._steps.append(Operation(function, kept))

    def instantiate(self) -> None:
        pass

    def replay(self) -> None:
        if not self._captured:
            raise RuntimeError("replay() of a CUDAGraph that has not been captured")
        refuse_in_capture("the replay of another graph")
        for step in self._steps:
            step.run()

    def reset(self) -> None:
        for step in self._steps:
            step.destroy()
        self._steps, self._captured = [], False

    def pool(self) -> tuple[int, int]:
        return self._pool

    def __del__(self) -> None:
        with contextlib.suppress(DriverError):  # at the end of the program
            self.reset()


def returned_second(kind: Any, name: str, first: Any, *others: Any) -> Any:
    """Call a function of the driver whose last parameter is an output, and return that."""
    result = kind()
    call(name, first, *others, ctypes.byref(result))
    return result.value


def captured_operation(graph: CUDAGraph, func: Any, args: Any, kwargs: Any) -> Any:
    """Add an operation on tensors of the device to a graph, and return tensors for its results.

    Raises
    ------
    RuntimeError
        The shape of the results depends on contents.
    """
    schema, inplace_view = func._schema, torch.Tag.inplace_view in func.tags
    if inplace_view or any(each.alias_info and not each.alias_info.is_write for each in schema.returns):
        return func(*args, **kwargs)  # a view: nothing is to be done when the graph runs
    arguments = tree_map_only(torch.Tensor, torch.Tensor.detach, (args, kwargs))

    def run() -> Any:
        return precision.call(func, *arguments)

    fresh = [each for each in schema.returns if each.alias_info is None]
    if not fresh:
        graph.add_operation(run, None)
        return _written(func, args, kwargs)
    if len(fresh) < len(schema.returns):
        raise RuntimeError(f"{NOT_IN_CAPTURE}: {schema.name} returns both new tensors and arguments")
    results = _like(_shapes(func, args, kwargs))
    if not schema.name.startswith(("aten::empty", "aten::new_empty")):
        graph.add_operation(run, results)
    return results


def _written(func: Any, args: Any, kwargs: Any) -> Any:
    """Return what an operation returns that writes arguments and returns these."""
    values = {
        "".join(each.alias_info.before_set): kwargs.get(each.name, args[at] if at < len(args) else None)
        for at, each in enumerate(func._schema.arguments)
        if each.alias_info and each.alias_info.is_write
    }
    written = [values["".join(each.alias_info.before_set)] for each in func._schema.returns]
    return (None, *written)[-1] if len(written) < 2 else tuple(written)


def _shapes(func: Any, args: Any, kwargs: Any) -> Any:
    """Return the results of an operation as tensors without memory."""

    def shape(tensor: torch.Tensor) -> torch.Tensor:
        return torch.empty_strided(tensor.size(), tensor.stride(), dtype=tensor.dtype, device="meta")

    args, kwargs = tree_map_only(torch.Tensor, shape, (args, kwargs))
    if kwargs.get("device") is not None:
        kwargs = kwargs | {"device": torch.device("meta")}
    try:
        return precision.call(func, args, kwargs)
    except (NotImplementedError, RuntimeError) as error:
        name = func._schema.name
        raise RuntimeError(f"{NOT_IN_CAPTURE}: {name} needs the contents of tensors ({error})") from None


def _like(results: Any) -> Any:
    return tree_map_only(
        torch.Tensor,
        lambda each: torch.empty_strided(each.size(), each.stride(), dtype=each.dtype, device="cpu"),
        results,
    )


def install() -> None:
    """Replace PyTorch's graphs; `torch.cuda.graph` and `make_graphed_callables` are its own, and use them."""
    for module in (torch.cuda, torch.cuda.graphs):
        module.CUDAGraph = CUDAGraph
        module.graph_pool_handle = graph_pool_handle
        module.is_current_stream_capturing = lambda: capture() is not None
    torch._C._host_emptyCache = lambda: None
