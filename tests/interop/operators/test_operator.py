# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""`operator` of cuda.interop.torch: calls, kernels, arguments, gradients, and what PyTorch makes of them."""

import pickle
import threading

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")
from torch import Tensor  # noqa: E402

from cuda.interop.torch import Kernels, launch_kernel, operator  # noqa: E402

pytestmark = pytest.mark.needs_nvrtc

SOURCE = r"""
template <class T> __global__ void scale(const T *x, T *y, double factor, long long n)
{
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = factor * x[i];
}
extern "C" __global__ void add_float32(const float *x, const float *y, float *z, long long n)
{
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < n)
        z[i] = x[i] + (y ? y[i] : 1);
}
extern "C" __global__ void fill(float *x, float value, int n)
{
    if (threadIdx.x < n)
        x[threadIdx.x] = value;
}
extern "C" __global__ void total(const float *const *parts, int count, float *sum)
{
    sum[threadIdx.x] = 0;
    for (int i = 0; i < count; i++)
        sum[threadIdx.x] += parts[i][threadIdx.x];
}
template <int width> __global__ void count(int *n) { *n = width; }
"""


def blocks(count):
    return (count + 127) // 128


@operator("open_cuda_test::scale", SOURCE, kernel="scale<{x}>", leading=("x",))
def scale(x: Tensor, factor: float = 2.0) -> Tensor:
    y = torch.empty_like(x)
    launch_kernel(blocks(x.numel()), 128, x, y, factor, x.numel())
    return y


@scale.gradient(wrt=("x",))
def scale_gradient(grad, factor):
    return scale(grad, factor)


@operator("open_cuda_test::add", SOURCE, kernel="add_{x}")
def add(x: Tensor, y: Tensor | None = None) -> Tensor:
    z = torch.empty_like(x)
    launch_kernel(blocks(x.numel()), 128, x, y, z, x.numel())
    return z


@operator("open_cuda_test::fill", SOURCE, kernel="fill", mutates=("x",))
def fill(x: Tensor, value: float) -> None:
    launch_kernel(1, 128, x, value, x.numel())


@operator("open_cuda_test::total", SOURCE, kernel="total")
def total(parts: list[Tensor]) -> Tensor:
    result = torch.empty_like(parts[0])
    launch_kernel(1, result.numel(), parts, len(parts), result)
    return result


@operator("open_cuda_test::both", SOURCE)
def both(x: Tensor) -> tuple[Tensor, Tensor]:
    work, y, z = torch.empty_like(x), torch.empty_like(x), torch.empty_like(x)
    launch_kernel(blocks(x.numel()), 128, x, work, 3.0, x.numel(), kernel="scale<{x}>")
    launch_kernel(blocks(x.numel()), 128, work, y, 5.0, x.numel(), kernel="scale<{dtype}>")
    launch_kernel(blocks(x.numel()), 128, x, y, z, x.numel(), kernel="add_{dtype}")
    return y, z


@operator("open_cuda_test::width", SOURCE, kernel="count<{width}>")
def width(x: Tensor, width: int) -> Tensor:
    n = x.new_empty((), dtype=torch.int32)
    launch_kernel(1, 1, n)
    return n


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int32, torch.int64, torch.uint8, torch.int16])
def test_a_kernel_is_instantiated_by_type(dtype):
    x = torch.arange(1, 100, dtype=dtype)
    assert torch.equal(scale(x), 2 * x)
    assert torch.equal(torch.ops.open_cuda_test.scale(x, 1.0), x)


def test_the_schema_is_that_of_the_annotations():
    assert scale.schema == "(Tensor x, float factor=2.0) -> Tensor"
    assert fill.schema == "(Tensor(a0!) x, float value) -> ()"
    assert total.schema == "(Tensor[] parts) -> Tensor"
    assert add.schema == "(Tensor x, Tensor? y=None) -> Tensor"


def test_optional_tensors_are_null():
    x = torch.ones(200)
    assert torch.equal(add(x), x + 1)
    assert torch.equal(add(x, 3 * x), 4 * x)


def test_lists_are_arrays_of_pointers():
    parts = [torch.full((8,), float(index)) for index in range(5)]
    assert total(parts).tolist() == [10.0] * 8


def test_arguments_are_changed_in_place():
    x = torch.zeros(10)
    assert fill(x, 2.5) is None
    assert x.tolist() == [2.5] * 10


def test_several_kernels_share_workspace():
    y, z = both(torch.ones(300))
    assert torch.equal(y, torch.full((300,), 15.0))
    assert torch.equal(z, y + 1)


def test_the_function_may_compute_with_what_its_kernels_write(on_gpu):
    def function(x: Tensor) -> Tensor:
        y = torch.empty_like(x)
        launch_kernel(blocks(x.numel()), 128, x, y, 3.0, x.numel())
        sums = y.sum(0, keepdim=True).expand_as(x).contiguous() + 1
        launch_kernel(blocks(x.numel()), 128, sums, y, 2.0, x.numel())
        return y.square_()

    made = operator("open_cuda_test::computes", SOURCE, kernel="scale<{x}>")(function)
    x = torch.arange(6.0).reshape(2, 3)
    expected = (2 * (3 * x.sum(0, keepdim=True) + 1)).expand_as(x) ** 2
    for _ in range(3):
        assert torch.equal(made(x), expected)
    if not on_gpu:  # checked calls take tensors on the CPU
        assert torch.equal(made.checked(x), expected)
    torch.library.opcheck(made.overload, (x,))


def test_a_new_declaration_replaces_that_of_the_same_name():
    """As when a cell of a notebook runs again."""
    x = torch.ones(3)
    for factor in (2.0, 3.0):

        @operator("open_cuda_test::again", SOURCE, kernel="scale<{x}>")
        def again(x: Tensor) -> Tensor:
            y = torch.empty_like(x)
            launch_kernel(1, 32, x, y, factor, x.numel())  # noqa: B023
            return y

        for call in (again, again.overload, torch.ops.open_cuda_test.again, torch.compile(again, backend="aot_eager")):
            assert call(x).tolist() == [factor] * 3


def test_source_may_include_headers_of_narrow_types():
    source = "#include <cuda_fp16.h>\ntemplate <class T> __global__ void one(T *x) { x[threadIdx.x] = T(1.0f); }"

    @operator("open_cuda_test::one", source, kernel="one<{x}>")
    def one(x: Tensor) -> Tensor:
        y = torch.empty_like(x)
        launch_kernel(1, x.numel(), y)
        return y

    assert one(torch.zeros(3, dtype=torch.float16)).tolist() == [1, 1, 1]


def test_numbers_are_template_arguments():
    assert [int(width(torch.ones(1), count)) for count in (3, 128)] == [3, 128]
    assert {"count<3>", "count<128>"} <= set(dict(width.kernels.compiled))


@pytest.mark.parametrize("shape", [(0,), (3, 0, 2), (), (1,)])
def test_empty_tensors_and_scalars(shape):
    x = torch.ones(shape)
    assert torch.equal(scale(x), 2 * x)


def test_the_memory_of_the_tensor_is_used():
    x = torch.zeros(20)
    before = x.data_ptr()
    fill(x[5:10], 7.0)
    assert x.data_ptr() == before
    assert x.tolist() == [0.0] * 5 + [7.0] * 5 + [0.0] * 10


def test_other_layouts_are_copied():
    x = torch.arange(24.0).reshape(4, 6)
    for view in (x.T, x[:, ::2], x[:1].expand(5, 6)):
        assert torch.equal(scale(view), 2 * view)
        assert scale(view).is_contiguous()


def test_compile_needs_no_memory():
    kernels = Kernels(SOURCE)
    made = operator("open_cuda_test::ahead", kernels, kernel="scale<{x}>")(scale._function)
    assert made.compile(torch.empty(10, dtype=torch.float64, device="meta")) == ["scale<double>"]
    assert [name for name, arch in kernels.compiled] == ["scale<double>"]
    assert made.compile(torch.empty(3, device="meta"), arch="80") == ["scale<float>"]
    assert ("scale<float>", "80") in kernels.compiled


def test_kernels_are_shipped_with_their_code():
    kernels = Kernels(SOURCE)
    kernels.compile(["scale<float>"])
    other = pickle.loads(pickle.dumps(kernels))
    assert other.compiled == kernels.compiled
    assert other.get("scale<float>").num_arguments == 4
    assert other.get("fill").num_arguments == 3


def test_autocast():
    made = operator("open_cuda_test::cast", SOURCE, kernel="scale<{x}>", autocast=torch.float32)(scale._function)
    x = torch.ones(5, dtype=torch.float64)
    for _ in range(2):
        assert made(x).dtype == torch.float64
        with torch.autocast(x.device.type):
            assert made(x.to(torch.bfloat16)).dtype == torch.float32


def test_gradients():
    x = torch.randn(3, 4, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(scale, (x, 3.0))
    assert torch.autograd.gradgradcheck(scale, (x, 3.0))


def test_an_operator_without_gradient_says_so():
    x = torch.ones(4, requires_grad=True)
    with torch.no_grad():
        assert add(x).tolist() == [2.0] * 4
    with pytest.raises(RuntimeError, match=r"open_cuda_test::add has no gradient: declare it by @add\.gradient"):
        add(x).sum().backward()


def test_opcheck():
    for dtype in (torch.float32, torch.float64):
        torch.library.opcheck(scale.overload, (torch.ones(3, 5, dtype=dtype, requires_grad=True), 2.5))
    torch.library.opcheck(fill.overload, (torch.ones(3), 2.5))
    torch.library.opcheck(total.overload, ([torch.ones(3), torch.zeros(3)],))


def test_vmap():
    x = torch.randn(4, 5)
    assert torch.equal(torch.vmap(scale)(x), 2 * x)
    assert torch.equal(torch.vmap(scale, in_dims=1, out_dims=1)(x), 2 * x)
    assert torch.equal(torch.vmap(add)(x, x), 2 * x)  # a call for each element
    assert torch.equal(torch.vmap(total, in_dims=([0, None],))([x, torch.ones(5)]), x + 1)


@pytest.mark.parametrize("dynamic", [False, True])
def test_compiled_by_aot_eager(dynamic):
    compiled = torch.compile(lambda x: scale(x).sin().sum(), backend="aot_eager", fullgraph=True, dynamic=dynamic)
    for size in (7, 300):
        x = torch.randn(size, requires_grad=True)
        compiled(x).backward()
        torch.testing.assert_close(x.grad, 2 * torch.cos(2 * x.detach()))


def test_export():
    class Twice(torch.nn.Module):
        def forward(self, x):
            return scale(x) + 1

    program = torch.export.export(Twice(), (torch.ones(4, 3),), dynamic_shapes=({0: torch.export.Dim("n")},))
    assert "open_cuda_test.scale" in program.graph_module.code
    assert torch.equal(program.module()(torch.ones(9, 3)), torch.full((9, 3), 3.0))


def test_threads_share_an_operator():
    results, device = {}, torch.empty(0).device  # of this thread

    def work(index):
        x = torch.full((1000,), float(index), device=device)
        results[index] = all(torch.equal(scale(x), 2 * x) for _ in range(50))

    threads = [threading.Thread(target=work, args=(index,)) for index in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert results == dict.fromkeys(range(4), True)
