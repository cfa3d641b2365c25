# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The functions `swiglu` and `rotary_embedding`, eager and in traces, and the expressions that stand for them."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
pytest.importorskip(
    "cuda.interop.thunder",
    reason="Lightning Thunder, or a PyTorch that it works with, is missing",
    exc_type=ImportError,
)
import thunder  # noqa: E402
from executor_results import TOLERANCES, assert_as_in_double, calls, values  # noqa: E402

from cuda.interop.thunder import OperatorPatterns, operator_executor, rotary_embedding, swiglu  # noqa: E402

F = torch.nn.functional
pytestmark = [pytest.mark.needs_nvrtc, pytest.mark.timeout(300)]


def compiled(function, *transforms):
    return thunder.jit(function, executors=[operator_executor], transforms=list(transforms))


def gated(gate, up):
    return F.silu(gate) * up


def half_turned(x):
    first, second = x.chunk(2, -1)
    return torch.cat([-second, first], -1)


def turned(x, cos, sin):
    head, rest = x[..., : cos.shape[-1]], x[..., cos.shape[-1] :]
    return torch.cat([head * cos + half_turned(head) * sin, rest], -1)


def tensor(*shape, dtype=torch.float32):
    torch.manual_seed(sum(shape))
    return torch.randn(*shape, dtype=dtype, requires_grad=True)


@pytest.fixture(params=["eager", "thunder"])
def form(request):
    """Return what makes a function one that is called eagerly, or in a trace."""
    return compiled if request.param == "thunder" else lambda function: function


@pytest.mark.parametrize("dtype", TOLERANCES, ids=str)
@pytest.mark.parametrize(("loads", "columns"), [("elements", 37), ("16 bytes", 64)], indirect=["loads"])
def test_swiglu(form, loads, columns, dtype):
    assert_as_in_double(form(swiglu), gated, [tensor(3, 5, columns, dtype=dtype), tensor(3, 5, columns, dtype=dtype)])


@pytest.mark.parametrize("layout", ["halves", "transposed", "expanded", "vector", "empty"])
def test_swiglu_of_other_layouts(form, layout):
    x = tensor(4, 6, 32)
    halves = {
        "halves": lambda x: x.chunk(2, -1),
        "transposed": lambda x: x.transpose(1, 2).chunk(2, 1),
        "expanded": lambda x: (x[:, :1].expand(4, 6, 32), x[:1].expand(4, 6, 32)),
        "vector": lambda x: (x[0, 0, :7], x[0, 1, 1:8]),
        "empty": lambda x: (x[:0], x[:0]),
    }[layout]
    found, expected = (values(lambda x, f=f: f(*halves(x)), [x]) for f in (form(swiglu), gated))
    for part, wanted in zip(found, expected, strict=True):
        torch.testing.assert_close(part, wanted, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("dtype", TOLERANCES, ids=str)
@pytest.mark.parametrize(("loads", "columns"), [("elements", 10), ("16 bytes", 32)], indirect=["loads"])
def test_rotary_embedding(form, loads, columns, dtype):
    cos, sin = (tensor(9, columns, dtype=dtype).detach() for _ in range(2))
    x = tensor(2, 4, 9, columns, dtype=dtype)
    assert_as_in_double(form(rotary_embedding), turned, [x, cos, sin])


# Shapes of x and of the tables
LAYOUTS = {
    "part of the columns": ((2, 4, 9, 24), (9, 16)),
    "a table for each batch": ((2, 4, 9, 8), (2, 1, 9, 8)),
    "a table for each head": ((2, 4, 9, 8), (4, 9, 8)),
    "heads behind the length": ((2, 9, 4, 8), (9, 1, 8)),
    "one row for all": ((2, 4, 9, 8), (8,)),
    "two dimensions": ((9, 8), (9, 8)),
    "five dimensions": ((2, 3, 4, 9, 8), (1, 9, 8)),
    "no columns": ((2, 9, 8), (9, 0)),
    "no rows": ((0, 9, 8), (9, 8)),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_rotary_embedding_of_other_layouts(form, name):
    shape, table = LAYOUTS[name]
    inputs = [tensor(*shape), tensor(*table).detach(), tensor(*table).detach() * 2]
    for part, wanted in zip(values(form(rotary_embedding), inputs), values(turned, inputs), strict=True):
        torch.testing.assert_close(part, wanted, atol=1e-5, rtol=1e-5)


def test_rotary_embedding_of_a_view_with_wide_tables(form):
    x = tensor(2, 9, 4, 16, dtype=torch.bfloat16).detach().transpose(1, 2).requires_grad_()
    cos, sin = tensor(9, 16).detach(), tensor(9, 16).detach().flip(0)
    assert_as_in_double(form(rotary_embedding), turned, [x, cos, sin])


@pytest.mark.parametrize("table", [(9, 8), (2, 1, 9, 8), (1, 8)], ids=str)
def test_gradients_of_tables(form, table):
    assert_as_in_double(form(rotary_embedding), turned, [tensor(2, 4, 9, 12), tensor(*table), tensor(*table)])


def test_a_call_is_one_line_of_the_trace():
    fused = compiled(lambda x, cos, sin: swiglu(rotary_embedding(x, cos, sin), x))
    values(fused, [tensor(2, 9, 8), tensor(9, 8).detach(), tensor(9, 8).detach()])
    assert calls(fused) == [["cuda_rotary", "cuda_swiglu"], ["cuda_swiglu_backward", "cuda_rotary_backward"]]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_compiler_of_pytorch_sees_one_operator():
    def function(x, cos, sin):
        return swiglu(rotary_embedding(x, cos, sin), x)

    inputs = [tensor(2, 9, 8), tensor(9, 8).detach(), tensor(9, 8).detach()]
    fused = torch.compile(function, backend="aot_eager", fullgraph=True)
    for part, wanted in zip(values(fused, inputs), values(function, inputs), strict=True):
        torch.testing.assert_close(part, wanted)


def test_second_gradients_of_rotary_embedding():
    cos, sin = (tensor(3, 4, dtype=torch.float64).detach() for _ in range(2))
    assert torch.autograd.gradgradcheck(lambda x: rotary_embedding(x, cos, sin), [tensor(2, 3, 4, dtype=torch.float64)])


BAD = {
    "gate is of torch.int64, must be of float64": (swiglu, [torch.ones(2, dtype=torch.int64)] * 2),
    "up is of torch.float64, must be of torch.float32, as gate": (swiglu, [torch.ones(2), torch.ones(2).double()]),
    r"up has the shape \(3,\), must have \(2,\)": (swiglu, [torch.ones(2), torch.ones(3)]),
    "x is of torch.bool": (rotary_embedding, [torch.ones(2, 2) > 0, torch.ones(2, 2), torch.ones(2, 2)]),
    "cos is of torch.float16, must be of torch.float32": (
        rotary_embedding,
        [torch.ones(2, 2), torch.ones(2, 2).half(), torch.ones(2, 2)],
    ),
    "sin is of torch.float32, must be of torch.float64": (
        rotary_embedding,
        [torch.ones(2, 2).double(), torch.ones(2, 2).double(), torch.ones(2, 2)],
    ),
    r"sin has the shape \(2, 2\), must have \(1, 2\)": (
        rotary_embedding,
        [torch.ones(2, 2), torch.ones(1, 2), torch.ones(2, 2)],
    ),
    "cos has 3 columns, must have an even number of at most 4": (
        rotary_embedding,
        [torch.ones(2, 4), torch.ones(2, 3), torch.ones(2, 3)],
    ),
    "cos has 6 columns, must have an even number of at most 4": (
        rotary_embedding,
        [torch.ones(2, 4), torch.ones(2, 6), torch.ones(2, 6)],
    ),
    r"cos has the shape \(3, 4\), must be broadcast to the rows of x, \(2, 4\)": (
        rotary_embedding,
        [torch.ones(2, 4), torch.ones(3, 4), torch.ones(3, 4)],
    ),
    "must have 3 dimensions, as x has more than 4": (
        rotary_embedding,
        [torch.ones(2, 2, 2, 2, 4), torch.ones(2, 1, 2, 4), torch.ones(2, 1, 2, 4)],
    ),
    "up is on meta, must be on cpu": (swiglu, [torch.ones(2), torch.ones(2, device="meta")]),
}


@pytest.mark.parametrize("message", BAD)
def test_bad_arguments(form, message):
    function, inputs = BAD[message]
    with pytest.raises((TypeError, ValueError), match=message):
        form(function)(*inputs)


def by_slices(x, cos, sin):
    """Turn rows as LitGPT does."""
    half = x.size(-1) // 2
    return (torch.cat((-x[..., half:], x[..., :half]), dim=-1) * sin) + (cos * x)


EXPRESSIONS = {
    "silu on the left": (gated, "cuda_swiglu", [(3, 8), (3, 8)]),
    "silu on the right": (lambda gate, up: up * torch.nn.SiLU()(gate), "cuda_swiglu", [(3, 8), (3, 8)]),
    "chunks": (lambda x, cos, sin: x * cos + half_turned(x) * sin, "cuda_rotary", [(2, 3, 5, 8), (5, 8), (5, 8)]),
    "slices": (by_slices, "cuda_rotary", [(2, 3, 5, 8), (2, 1, 5, 8), (2, 1, 5, 8)]),
}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_expressions_become_operations(name):
    function, operation, shapes = EXPRESSIONS[name]
    fused = compiled(function, OperatorPatterns())
    inputs = [tensor(*shape) for shape in shapes]
    for part, wanted in zip(values(fused, inputs), values(function, inputs), strict=True):
        torch.testing.assert_close(part, wanted, atol=1e-5, rtol=1e-5)
    assert calls(fused) == [[operation], [f"{operation}_backward"]]


def exchanged(x, sign=-1, split=4, dim=-1):
    """Return rows with their parts exchanged, but not as rotary positions do it, unless the defaults are used."""
    first, second = x.split([split, 8 - split], -1)
    return torch.cat([sign * second if sign != -1 else -second, first], dim)


OTHERS = {
    "product of other shapes": lambda x, y, z: F.silu(x) * y[0],
    "silu in place": lambda x, y, z: F.silu(x + 1, inplace=True) * y,
    "parts are no halves": lambda x, y, z: x * y + exchanged(x, split=2) * z,
    "nothing is negated": lambda x, y, z: x * y + exchanged(x, sign=1) * z,
    "other rows are turned": lambda x, y, z: x * y + half_turned(x + 1) * z,
    "the first half is negated": lambda x, y, z: x * y + torch.cat([-x[..., :4], x[..., 4:]], -1) * z,
    "a sum with a factor": lambda x, y, z: torch.add(x * y, half_turned(x) * z, alpha=2),
    "a difference": lambda x, y, z: x * y - half_turned(x) * z,
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_expressions_do_not(name):
    function = OTHERS[name]
    fused = compiled(function, OperatorPatterns())
    inputs = [tensor(5, 8) for _ in range(3)]
    torch.testing.assert_close(fused(*inputs), function(*inputs))
    assert "cuda_" not in str(thunder.last_traces(fused)[-1])


def test_a_part_that_is_used_elsewhere_remains():
    def function(gate, up):
        opened = F.silu(gate)
        return opened * up + opened

    fused = compiled(function, OperatorPatterns())
    inputs = [tensor(5, 8), tensor(5, 8)]
    for part, wanted in zip(values(fused, inputs), values(function, inputs), strict=True):
        torch.testing.assert_close(part, wanted, atol=1e-5, rtol=1e-5)
    assert "cuda_swiglu" in calls(fused)[0]


def test_patterns_without_the_executor_are_refused():
    with pytest.raises(ValueError, match="executors must have operator_executor"):
        thunder.jit(gated, transforms=[OperatorPatterns()])(tensor(2, 2), tensor(2, 2))
