# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The back-end of `torch.compile` that fuses operations into CUDA C++ kernels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.fx import GraphModule


@dataclass(frozen=True)
class FusedGraph:
    """What the back-end has made of a graph, forward or backward.

    Attributes
    ----------
    kernels : list of FusedKernel
        The fused kernels, in no particular order; each has a `name` and a `source`.
    eager : list of str
        The operations that PyTorch carries out, in their order.
    module : torch.fx.GraphModule
        The graph that calls both.
    """

    kernels: list[Any]
    eager: list[str]
    module: GraphModule


def backend(
    module: GraphModule, example_inputs: Sequence[Any], *, options: Mapping[str, Any] | None = None
) -> Callable[..., Any]:
    """Compile a graph: the back-end ``"cuda_core"`` of `torch.compile`.

    Element-wise operations, casts, comparisons, broadcasts, and reductions of the last dimension, or of all others, are
    fused into CUDA C++ kernels, forward and backward. Other operations stay PyTorch's. With ``dynamic=True`` sizes are
    arguments of the kernels.

    Parameters
    ----------
    module : torch.fx.GraphModule
        The graph.
    example_inputs : sequence
        Its inputs.
    options : mapping, optional
        ``{"report": function}``: called with a `FusedGraph` for each graph that is compiled.

    Returns
    -------
    callable
        The compiled graph.

    Raises
    ------
    ValueError
        If an option is unknown.

    Examples
    --------
    >>> torch.compile(torch.nn.functional.gelu, backend=backend)(torch.zeros(2, 2)).tolist()
    [[0.0, 0.0], [0.0, 0.0]]
    """
    from torch._dynamo.backends.common import aot_autograd
    from torch._functorch.aot_autograd import make_boxed_func

    from cuda.interop.torch._decompositions import decompositions
    from cuda.interop.torch._fusion import fuse

    options = options or {}
    if unknown := set(options) - {"report"}:
        raise ValueError(f"options has {sorted(unknown)[0]!r}, must be 'report'")

    def compile_graph(graph: GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
        fused, kernels = fuse(graph)
        if "report" in options:
            eager = [str(node.target) for node in fused.graph.nodes if isinstance(node.target, torch._ops.OpOverload)]
            options["report"](FusedGraph(kernels, eager, fused))
        return make_boxed_func(fused.forward)

    return aot_autograd(fw_compiler=compile_graph, decompositions=decompositions())(module, example_inputs)
