# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Attention of the operator executor: masks, causal attention, grouped heads, and what stays of PyTorch."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
pytest.importorskip(
    "cuda.interop.thunder",
    reason="Lightning Thunder, or a PyTorch that it works with, is missing",
    exc_type=ImportError,
)
import thunder  # noqa: E402
from executor_results import TOLERANCES, assert_as_in_double, calls, values  # noqa: E402

from cuda.interop.thunder import _attention_kernels, operator_executor  # noqa: E402

attention = torch.nn.functional.scaled_dot_product_attention
pytestmark = [pytest.mark.needs_nvrtc, pytest.mark.timeout(300)]
ONE_CALL = [["cuda_attention"], ["cuda_attention_backward"]]
WITH_MASK = [["cuda_attention"], ["cuda_attention_backward", "cuda_attention_slopes"]]


def compiled(function):
    return thunder.jit(function, executors=[operator_executor])


def tensors(dtype=torch.float32, heads=(3, 3), lengths=(9, 13), columns=(8, 6), batch=2):
    """Return queries, keys and values."""
    torch.manual_seed(0)
    keys = (heads[1], lengths[1])
    shapes = [(heads[0], lengths[0], columns[0]), (*keys, columns[0]), (*keys, columns[1])]
    return [torch.randn(batch, *each, dtype=dtype, requires_grad=True) for each in shapes]


@pytest.mark.parametrize("dtype", TOLERANCES, ids=str)
@pytest.mark.parametrize(
    ("causal", "loads", "columns"),
    [(False, "elements", (8, 6)), (True, "16 bytes", (16, 8))],
    indirect=["loads"],
)
def test_without_mask(causal, loads, columns, dtype):
    def function(q, k, v):
        return attention(q, k, v, is_causal=causal, scale=0.3)

    fused = compiled(function)
    assert_as_in_double(fused, function, tensors(dtype, columns=columns))
    assert calls(fused) == ONE_CALL


@pytest.mark.parametrize("loads", ["elements", "16 bytes"], indirect=True)
@pytest.mark.parametrize("dtype", TOLERANCES, ids=str)
@pytest.mark.parametrize(
    ("lengths", "columns"),
    [((3, 13), (8, 16)), ((40, 70), (40, 72)), ((9, 5), (264, 136))],
    ids=["few", "many", "wide"],
)
def test_few_and_many_queries_and_wide_rows(lengths, columns, dtype, loads):
    def function(q, k, v):
        return attention(q, k, v, is_causal=lengths[0] == 40)

    assert_as_in_double(compiled(function), function, tensors(dtype, lengths=lengths, columns=columns))


@pytest.mark.parametrize("of", ["queries", "float", "bool"])
@pytest.mark.parametrize("shape", [(45, 70), (1, 70), (45, 1)], ids=str)
@pytest.mark.parametrize("lengths", [(45, 70), (3, 70)], ids=str)
def test_masks_of_more_than_a_tile(lengths, shape, of):
    torch.manual_seed(4)
    mask = torch.randn(shape)[: lengths[0]]
    mask = {"queries": mask.double(), "float": mask, "bool": mask > -1}[of]
    inputs = [*tensors(torch.float64 if of == "queries" else torch.float32, lengths=lengths), mask]
    for part, expected in zip(values(compiled(attention), inputs), values(attention, inputs), strict=True):
        torch.testing.assert_close(part, expected, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("lengths", [(70, 40), (45, 45), (8, 100)], ids=str)
def test_causal_attention_of_other_lengths_and_grouped_heads(lengths):
    def function(q, k, v):
        return attention(q, k, v, is_causal=True, enable_gqa=True)

    inputs = tensors(heads=(4, 2), lengths=lengths)
    for part, expected in zip(values(compiled(function), inputs), values(function, inputs), strict=True):
        torch.testing.assert_close(part, expected, atol=1e-5, rtol=1e-5)


def test_kernels_by_tiles_and_by_rows_are_chosen_by_sizes(monkeypatch):
    names = []
    taken = _attention_kernels.launch_kernel
    monkeypatch.setattr(
        _attention_kernels,
        "launch_kernel",
        lambda *args, **options: (
            names.append(options.get("kernel", "default").split("<")[0]) or taken(*args, **options)
        ),
    )
    tiled = ["attention_tiles", "attention_query_tiles", "attention_key_tiles"]
    for lengths, columns, expected in (
        ((21, 22), (7, 5), tiled),
        ((7, 22), (7, 5), ["default", "default", "attention_keys"]),
        ((21, 7), (7, 5), ["attention_tiles", "default", "attention_keys"]),
        ((21, 22), (264, 137), ["default", "default", "attention_keys"]),
    ):
        names.clear()
        values(compiled(attention), tensors(lengths=lengths, columns=columns))
        assert names == expected


SHAPES = [(9, 13), (13,), (2, 1, 9, 13), (3, 1, 13), (2, 1, 1, 13), (9, 1), (2, 3, 9, 13)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_additive_masks_and_their_gradients(shape):
    mask = torch.randn(shape, requires_grad=True)
    fused = compiled(attention)
    assert_as_in_double(fused, attention, [*tensors(), mask])
    assert calls(fused) == WITH_MASK


@pytest.mark.parametrize("of", ["queries", "float", "bool"])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_masks_of_narrow_types(dtype, of):
    torch.manual_seed(1)
    mask = torch.randn(2, 1, 9, 13)
    mask = {"queries": mask.to(dtype), "float": mask, "bool": mask > 0}[of]
    fused = compiled(attention)
    assert_as_in_double(fused, attention, [*tensors(dtype, columns=(8, 8)), mask])
    assert calls(fused) == ONE_CALL  # no gradient of the mask is computed


@pytest.mark.parametrize("boolean", [False, True])
def test_a_query_that_sees_no_key_has_the_result_zero(boolean):
    visible = torch.arange(13) < torch.tensor([[[5], [0], [13]]]).repeat(1, 3, 1)[0][:, :, None].reshape(9, 1)
    mask = visible if boolean else torch.where(visible, 0.0, -torch.inf)
    fused = compiled(attention)
    inputs = [*tensors(), mask]
    found = values(fused, inputs)
    assert (found[0][:, :, ~visible.any(-1)] == 0).all()
    for part, expected in zip(found, values(attention, inputs), strict=True):
        torch.testing.assert_close(part, expected, atol=1e-5, rtol=1e-5)


def test_masks_of_any_strides():
    torch.manual_seed(2)
    wide = torch.randn(13, 9)
    fused = compiled(attention)
    for mask in (wide.T, wide[:1].T.expand(9, 13), torch.randn(9, 26)[:, ::2]):
        inputs = [*tensors(), mask]
        torch.testing.assert_close(fused(*inputs), attention(*inputs), atol=1e-5, rtol=1e-5)


def test_three_dimensions():
    torch.manual_seed(3)
    q, k, v = (each[:, 0].detach().requires_grad_() for each in tensors())
    fused = compiled(attention)
    assert_as_in_double(fused, attention, [q, k, v, torch.randn(2, 9, 13, requires_grad=True)])
    assert calls(fused) == WITH_MASK


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("name", ["causal", "mask", "scale"])
def test_grouped_heads(name, dtype):
    mask = torch.ones(9, 13).tril() > 0
    options = {"causal": {"is_causal": True}, "mask": {"attn_mask": mask}, "scale": {"scale": 0.5}}[name]

    def function(q, k, v):
        return attention(q, k, v, enable_gqa=True, **options)

    fused = compiled(function)
    assert_as_in_double(fused, function, tensors(dtype, heads=(6, 2), columns=(8, 8)))
    assert calls(fused) == ONE_CALL


def test_grouped_heads_of_which_the_kernels_have_none_are_repeated():
    q, k, v = tensors(heads=(6, 2))
    k = k[:, :1].detach().requires_grad_()

    def function(q, k, v):
        return attention(q, k, v, enable_gqa=True)

    fused = compiled(function)
    expected = values(function, [q, k.repeat(1, 2, 1, 1).detach().requires_grad_(), v])
    expected[2] = expected[2].sum(1, keepdim=True)
    for part, wanted in zip(values(fused, [q, k, v]), expected, strict=True):
        torch.testing.assert_close(part, wanted, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("queries", [5, 700])
def test_more_keys_and_queries_than_a_tile_has(queries):
    def function(q, k, v):
        return attention(q, k, v, is_causal=True, enable_gqa=True)

    fused = compiled(function)
    inputs = tensors(heads=(2, 1), lengths=(queries, 1100), batch=1)
    for part, expected in zip(values(fused, inputs), values(function, inputs), strict=True):
        torch.testing.assert_close(part, expected, atol=1e-4, rtol=1e-4)


def test_views_of_one_tensor():
    def function(x):
        q, k, v = (each.unflatten(-1, (2, 8)).transpose(1, 2) for each in x.chunk(3, -1))
        return attention(q, k, v, is_causal=True)

    fused = compiled(function)
    torch.manual_seed(0)
    x = torch.randn(2, 150, 48, requires_grad=True)
    for part, expected in zip(values(fused, [x]), values(function, [x]), strict=True):
        torch.testing.assert_close(part, expected, atol=1e-5, rtol=1e-5)


def test_dropout_stays_of_thunder():
    fused = compiled(lambda q, k, v: attention(q, k, v, dropout_p=0.5))
    inputs = tensors()
    values(fused, inputs)
    assert calls(fused) == [["cuda_softmax"], ["cuda_softmax_backward"]]


def test_heads_that_do_not_divide_are_refused():
    fused = compiled(lambda q, k, v: attention(q, k, v, enable_gqa=True))
    with pytest.raises(ValueError, match="query, key and value have 3, 2 and 2 heads; those of the query must be"):
        fused(*tensors(heads=(3, 2)))


def test_a_mask_of_causal_attention_is_refused():
    fused = compiled(lambda q, k, v: attention(q, k, v, attn_mask=torch.ones(9, 13), is_causal=True))
    with pytest.raises(ValueError, match="attn_mask should not be set when is_causal"):
        fused(*tensors())
