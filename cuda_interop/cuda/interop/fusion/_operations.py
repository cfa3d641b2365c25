# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The operations that kernels can have, in CUDA C++.

`{0}`, `{1}`, `{2}` are the operands, `{f}` is "f" for float and nothing for double, `{T}` the type of the operands.
"""

from __future__ import annotations

_FUNCTIONS = (
    "exp2", "expm1", "log", "log2", "log1p", "sqrt", "rsqrt", "sin", "cos", "tanh", "floor", "ceil",
)  # fmt: skip

ELEMENTWISE = {
    **{name: f"{name}{{f}}({{0}})" for name in _FUNCTIONS},
    "exp": "exponential({0})",
    "erf": "error_function({0})",
    "abs": "{0} < 0 ? -{0} : {0}",
    "add": "{0} + {1}",
    "sub": "{0} - {1}",
    "mul": "{0} * {1}",
    "div": "{0} / {1}",
    "neg": "-{0}",
    "reciprocal": "1 / {0}",
    "square": "{0} * {0}",
    "cube": "{0} * {0} * {0}",
    "pow": "pow{f}({0}, {1})",
    "sigmoid": "1 / (1 + exponential(-{0}))",
    "relu": "{0} < 0 ? 0 : {0}",
    "maximum": "{0} > {1} || {0} != {0} ? {0} : {1}",  # NaN if one of them is NaN
    "minimum": "{0} < {1} || {0} != {0} ? {0} : {1}",
    "eq": "{0} == {1}",
    "ne": "{0} != {1}",
    "lt": "{0} < {1}",
    "le": "{0} <= {1}",
    "gt": "{0} > {1}",
    "ge": "{0} >= {1}",
    "and": "{0} && {1}",
    "or": "{0} || {1}",
    "not": "!{0}",
    "where": "{0} ? {1} : {2}",
    "cast": "{0}",
}

# Functions that kernels with the operations of USES contain.
HELPERS = {
    # expf rounds downwards in its range reduction, which CPUs do slowly. This is within 2 ulp, and as short on a GPU:
    # 2 ** (x / log(2)), times a correction for the rounding of the exponent, which infinities do not have.
    "exponential": """\
static __device__ __forceinline__ float exponential(float x)
{
    const float exponent = x * 1.44269504f;
    const float rest = fmaf(x, 1.92596303e-8f, fmaf(x, 1.44269504f, -exponent));
    return exp2f(exponent) * fmaf(fabsf(x) < 1000 ? rest : 0, 0.693147181f, 1.0f);
}

static __device__ __forceinline__ double exponential(double x)
{
    return exp(x);
}
""",
    # erff has two polynomials, chooses each coefficient, and needs an exponential. This is a quotient of polynomials,
    # fitted to erf(x) / x by least squares, reweighted for the least relative error: within 6 ulp and 4e-7. From 3.92
    # on, the nearest float is 1. The comparisons are false for NaN, which remains.
    "error_function": """\
static __device__ __forceinline__ float error_function(float x)
{
    const float size = fabsf(x), t = x * x;
    float p = fmaf(2.05008678e-6f, t, 2.84882728e-4f), q = fmaf(3.80917081e-5f, t, 1.16253563e-3f);
    p = fmaf(p, t, 3.7656175e-3f), q = fmaf(q, t, 1.49692167e-2f);
    p = fmaf(p, t, 5.27487248e-2f), q = fmaf(q, t, 0.114109114f);
    p = fmaf(p, t, 0.190406486f), q = fmaf(q, t, 0.502076089f);
    p = fmaf(p, t, 1.12837911f), q = fmaf(q, t, 1.0f);
    const float value = size * __fdividef(p, q);
    return copysignf(value > 1 || size > 3.92f ? 1.0f : value, x);
}

static __device__ __forceinline__ double error_function(double x)
{
    return erf(x);
}
""",
}
USES = {"exponential": ("exp", "sigmoid"), "error_function": ("erf",)}

# Operation of ELEMENTWISE that combines two partial results, and the result for no elements.
REDUCTIONS = {"sum": ("add", "0"), "amax": ("maximum", "-infinity"), "amin": ("minimum", "infinity")}

_INFINITY = {"float": "__int_as_float(0x7f800000)", "double": "__longlong_as_double(0x7ff0000000000000ll)"}


def expression(operation: str, operands: list[str], operand_type: str) -> str:
    """Return an operation in CUDA C++."""
    return ELEMENTWISE[operation].format(*operands, f="f" if operand_type == "float" else "", T=operand_type)


def literal(value: float | int | bool, type_: str) -> str:
    """Return a number in CUDA C++, of a type."""
    if type_ == "bool":
        return "true" if value else "false"
    if type_ not in ("float", "double"):
        return f"{int(value)}ll" if type_ == "long long" else str(int(value))
    number = float(value)
    if number != number:
        return f"({_INFINITY[type_]} - {_INFINITY[type_]})"
    if number in (float("inf"), float("-inf")):
        return f"({'-' if number < 0 else ''}{_INFINITY[type_]})"
    text = repr(number) + ("f" if type_ == "float" else "")
    return f"({text})" if number < 0 else text


def neutral(operation: str, type_: str) -> str:
    """Return the result of a reduction of no elements."""
    text = REDUCTIONS[operation][1]
    return literal(float(text), type_)
