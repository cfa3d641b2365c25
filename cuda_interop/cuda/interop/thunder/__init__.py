# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Executors of Lightning Thunder that make CUDA C++ kernels of the operations in its traces.

`fusion_executor` fuses element-wise operations, casts, broadcasts, and reductions of the last or of all other axes.
`operator_executor` has kernels for softmax, layer norm, RMS norm, GELU, cross-entropy and attention, and for the
functions `rotary_embedding` and `swiglu`; `OperatorPatterns` finds in traces what these functions stand for. The extra
``thunder`` names the versions that work together.

Examples
--------
>>> import thunder
>>> from cuda.interop.thunder import fused_kernels, fusion_executor
>>> compiled = thunder.jit(torch.nn.functional.gelu, executors=[fusion_executor])
>>> compiled(torch.zeros(2, 2)).tolist()
[[0.0, 0.0], [0.0, 0.0]]
>>> len(fused_kernels(thunder.last_traces(compiled)[-1]))
1
"""

try:
    from thunder.extend import register_executor
except (ImportError, AttributeError) as error:  # AttributeError: PyTorch 2.13 has no Tensor.align_as, which it names
    raise ImportError(
        "cuda.interop.thunder needs Lightning Thunder and a PyTorch before 2.13: "
        f"pip install 'open-cuda-python[all,thunder]' ({error})",
        name=getattr(error, "name", None),
    ) from error

from cuda.interop.thunder import _attention as _attention  # registers it
from cuda.interop.thunder import _functions as _functions
from cuda.interop.thunder._fusion import fused_kernels, fusion_executor
from cuda.interop.thunder._operators import operator_executor
from cuda.interop.thunder._patterns import OperatorPatterns
from cuda.interop.thunder._rotary import rotary_embedding
from cuda.interop.thunder._swiglu import swiglu

register_executor(fusion_executor)
register_executor(operator_executor)

__all__ = [
    "OperatorPatterns",
    "fused_kernels",
    "fusion_executor",
    "operator_executor",
    "rotary_embedding",
    "swiglu",
]
