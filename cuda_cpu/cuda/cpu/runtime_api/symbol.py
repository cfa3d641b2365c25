# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Device variables, addressed by their host shadow variables, and copies to and from them (cudaMemcpyToSymbol)."""

from __future__ import annotations

import ctypes
from typing import Any

from cuda.cpu import driver
from cuda.cpu import runtime_abi as abi
from cuda.cpu.driver.base.error import CudaError, invalid
from cuda.cpu.driver.device import context
from cuda.cpu.driver.memory import copy
from cuda.cpu.runtime_api.copy import copy_linear
from cuda.cpu.runtime_api.graph_node import _line, _set_copy, _set_copy_in
from cuda.cpu.runtime_api.host_code import variable_of

TO = (abi.cudaMemcpyHostToDevice, abi.cudaMemcpyDeviceToDevice, abi.cudaMemcpyDefault)
FROM = (abi.cudaMemcpyDeviceToHost, abi.cudaMemcpyDeviceToDevice, abi.cudaMemcpyDefault)


def cudaGetSymbolAddress(symbol: int) -> int:
    return variable_of("cudaGetSymbolAddress", symbol)[0]


def cudaGetSymbolSize(symbol: int) -> int:
    return variable_of("cudaGetSymbolSize", symbol)[1]


def place_of(name: str, symbol: int, count: int, offset: int, kind: int, kinds: tuple[int, ...]) -> int:
    """Return the address of a part of a variable, which must lie in it."""
    if kind not in kinds:
        text = f"{name}: kind is {kind}, must be one of {', '.join(map(str, kinds))}"
        raise CudaError(abi.cudaErrorInvalidMemcpyDirection, text)
    start, size = variable_of(name, symbol)
    if offset + count > size:
        raise invalid(f"{name}: {count} bytes at offset {offset} are beyond the variable's {size}")
    return start + offset


def cudaMemcpyToSymbol(symbol: int, src: int, count: int, offset: int, kind: int) -> None:
    name = "cudaMemcpyToSymbol"
    copy_linear(name, place_of(name, symbol, count, offset, kind, TO), src, count, kind, copy.SYNC)


def cudaMemcpyToSymbolAsync(symbol: int, src: int, count: int, offset: int, kind: int, stream: int) -> None:
    name = "cudaMemcpyToSymbolAsync"
    copy_linear(name, place_of(name, symbol, count, offset, kind, TO), src, count, kind, stream)


def cudaMemcpyFromSymbol(dst: int, symbol: int, count: int, offset: int, kind: int) -> None:
    name = "cudaMemcpyFromSymbol"
    copy_linear(name, dst, place_of(name, symbol, count, offset, kind, FROM), count, kind, copy.SYNC)


def cudaMemcpyFromSymbolAsync(dst: int, symbol: int, count: int, offset: int, kind: int, stream: int) -> None:
    name = "cudaMemcpyFromSymbolAsync"
    copy_linear(name, dst, place_of(name, symbol, count, offset, kind, FROM), count, kind, stream)


def _box_to(name: str, symbol: int, source: int, count: int, offset: int, kind: int) -> Any:
    return _line(name, place_of(name, symbol, count, offset, kind, TO), source, count, kind)


def _box_from(name: str, target: int, symbol: int, count: int, offset: int, kind: int) -> Any:
    return _line(name, target, place_of(name, symbol, count, offset, kind, FROM), count, kind)


def _add(graph: int, before: int, number: int, box: Any) -> int:
    return driver.cuGraphAddMemcpyNode(graph, before, number, ctypes.addressof(box), context.cuCtxGetCurrent())


def cudaGraphAddMemcpyNodeToSymbol(
    graph: int, pDependencies: int, numDependencies: int, symbol: int, src: int, count: int, offset: int, kind: int
) -> int:
    box = _box_to("cudaGraphAddMemcpyNodeToSymbol", symbol, src, count, offset, kind)
    return _add(graph, pDependencies, numDependencies, box)


def cudaGraphAddMemcpyNodeFromSymbol(
    graph: int, pDependencies: int, numDependencies: int, dst: int, symbol: int, count: int, offset: int, kind: int
) -> int:
    box = _box_from("cudaGraphAddMemcpyNodeFromSymbol", dst, symbol, count, offset, kind)
    return _add(graph, pDependencies, numDependencies, box)


def cudaGraphMemcpyNodeSetParamsToSymbol(node: int, symbol: int, src: int, count: int, offset: int, kind: int) -> None:
    _set_copy(node, _box_to("cudaGraphMemcpyNodeSetParamsToSymbol", symbol, src, count, offset, kind))


def cudaGraphMemcpyNodeSetParamsFromSymbol(
    node: int, dst: int, symbol: int, count: int, offset: int, kind: int
) -> None:
    _set_copy(node, _box_from("cudaGraphMemcpyNodeSetParamsFromSymbol", dst, symbol, count, offset, kind))


def cudaGraphExecMemcpyNodeSetParamsToSymbol(
    hGraphExec: int, node: int, symbol: int, src: int, count: int, offset: int, kind: int
) -> None:
    box = _box_to("cudaGraphExecMemcpyNodeSetParamsToSymbol", symbol, src, count, offset, kind)
    _set_copy_in(hGraphExec, node, box)


def cudaGraphExecMemcpyNodeSetParamsFromSymbol(
    hGraphExec: int, node: int, dst: int, symbol: int, count: int, offset: int, kind: int
) -> None:
    box = _box_from("cudaGraphExecMemcpyNodeSetParamsFromSymbol", dst, symbol, count, offset, kind)
    _set_copy_in(hGraphExec, node, box)
