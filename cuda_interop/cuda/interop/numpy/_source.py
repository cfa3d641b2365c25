# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The CUDA C++ of universal functions: a device function for one element, and the kernels that call it."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from cuda.interop.arrays._types import cuda_name, header_of
from cuda.interop.numpy._loops import Loop

_KERNELS = """
// Elements that lie one behind the other. A bit of `single` says that an operand is one element for all.
template <{types}, unsigned single, bool masked>
__global__ void flat({pointers}, const bool *mask, long long count)
{{
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < count && (!masked || mask[single >> {operands} & 1 ? 0 : i])) {{
{flat_body}
    }}
}}

// Any strides. layout: the axes' extents, then for each operand its strides in elements; the last axis is that of the
// threads. A bit of `unit` says that an operand's elements on this axis lie one behind the other.
template <{types}, unsigned single, unsigned unit, bool masked>
__global__ void strided({pointers}, const bool *mask, const long long *layout, int axes, long long rows)
{{
    long long column = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (column >= layout[axes - 1])
        return;
    for (long long row = blockIdx.y; row < rows; row += gridDim.y) {{
        long long rest = row, offset[{operands} + 1] = {{}};
        for (int axis = axes - 2; axis >= 0; axis--) {{
            long long index = rest % layout[axis];
            rest /= layout[axis];
            for (int k = 0; k < {operands} + masked; k++)
                offset[k] += index * layout[(k + 1) * axes + axis];
        }}
        for (int k = 0; k < {operands} + masked; k++)
            if (!(single >> k & 1))
                offset[k] += unit >> k & 1 ? column : column * layout[(k + 2) * axes - 1];
        if (!masked || mask[offset[{operands}]]) {{
{strided_body}
        }}
    }}
}}
"""


def source_of(
    body: str, outputs: Sequence[str] | None, inputs: Sequence[str], loops: Sequence[Loop], declarations: str
) -> str:
    """Return the source of a universal function.

    Parameters
    ----------
    body : str
        An expression, or statements that assign the outputs.
    outputs : sequence of str or None
        The names of the outputs; None if the body is an expression.
    inputs : sequence of str
        The names of the inputs.
    loops : sequence of Loop
        The types that occur, whose headers are included.
    declarations : str
        CUDA C++ in front.
    """
    results = list(outputs or ["result"])
    names = [*inputs, *results]
    headers = {header_of(each) for loop in loops for each in (*loop.inputs, *loop.outputs)} - {None}
    types = ", ".join(f"class {each}_t" for each in names)
    parameters = ", ".join([*(f"{each}_t {each}" for each in inputs), *(f"{each}_t &{each}" for each in results)])
    pointers = [f"const {each}_t *in{k}" for k, each in enumerate(inputs)]
    pointers += [f"{each}_t *out{k}" for k, each in enumerate(results)]
    statement = body if outputs else f"result = static_cast<result_t>({body}\n    );"  # it may end in a comment
    element = f"template <{types}> __device__ __forceinline__ void element({parameters})\n{{\n    {statement}\n}}\n"
    kernels = _KERNELS.format(
        types=types,
        pointers=", ".join(pointers),
        operands=len(names),
        flat_body=_call(inputs, results, "single >> {k} & 1 ? 0 : i", " " * 8),
        strided_body=_call(inputs, results, "offset[{k}]", " " * 12),
    )
    includes = "".join(f"#include <{each}>\n" for each in sorted(filter(None, headers)))
    return f"{includes}{declarations}\nnamespace elementwise {{\n{element}{kernels}}}\n"


def _call(inputs: Sequence[str], results: Sequence[str], index: str, indent: str) -> str:
    """Return statements that compute one element and store it."""
    indices = [index.format(k=k) for k in range(len(inputs) + len(results))]
    declared = [f"{each}_t value{k};" for k, each in enumerate(results)]
    arguments = [f"in{k}[{indices[k]}]" for k in range(len(inputs))] + [f"value{k}" for k in range(len(results))]
    types = ", ".join(f"{each}_t" for each in [*inputs, *results])
    lines = [*declared, f"element<{types}>({', '.join(arguments)});"]
    lines += [f"out{k}[{indices[len(inputs) + k]}] = value{k};" for k in range(len(results))]
    return "\n".join(indent + each for each in lines)


@functools.lru_cache(4096)
def flat_name(loop: Loop, single: int, masked: bool) -> str:
    """Return the name of the kernel for elements that lie one behind the other."""
    return f"elementwise::flat<{_types(loop)}, {single}u, {str(masked).lower()}>"


@functools.lru_cache(4096)
def strided_name(loop: Loop, single: int, unit: int, masked: bool) -> str:
    """Return the name of the kernel for any strides."""
    return f"elementwise::strided<{_types(loop)}, {single}u, {unit}u, {str(masked).lower()}>"


def _types(loop: Loop) -> str:
    return ", ".join(cuda_name(each) for each in (*loop.inputs, *loop.outputs))
