# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Operators of JAX: jit, gradients, vmap, loops, devices; bad arguments, kernels that fail, pickles."""

import os
import subprocess
import sys

import numpy as np
import pytest

jax = pytest.importorskip("jax", reason="jax is not installed")
cloudpickle = pytest.importorskip("cloudpickle", reason="cloudpickle is not installed")
import jax.numpy as jnp  # noqa: E402

from cuda.interop.arrays import _execute  # noqa: E402
from cuda.interop.jax import empty, empty_like, launch_kernel, operator, zeros  # noqa: E402

pytestmark = [pytest.mark.needs_nvrtc, pytest.mark.cpu_only]
SOURCE = r"""
template <class T> __global__ void scale(const T *x, T *y, double factor, long long n)
{
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = T(factor) * x[i];
}
template <class T> __global__ void scale_rows(const T *x, const T *factor, T *y, int columns)
{
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        y[blockIdx.x * columns + i] = (factor ? factor[blockIdx.x] : T(1)) * x[blockIdx.x * columns + i];
}
__global__ void extremes(const float *x, float *least, float *most, int n)
{
    float low = x[blockIdx.x * n], high = low;
    for (int i = 1; i < n; i++)
        low = fminf(low, x[blockIdx.x * n + i]), high = fmaxf(high, x[blockIdx.x * n + i]);
    least[blockIdx.x] = low, most[blockIdx.x] = high;
}
__global__ void histogram(const int *x, int *bins, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&bins[x[i]], 1);
}
__global__ void failing(const float *x, float *y) { *(volatile float *)nullptr = *x; }
"""


@operator(SOURCE, kernel="scale<{x}>", leading="x")
def scale(x: jax.Array, factor: float = 2.0) -> jax.Array:
    """Scale an array."""
    y = empty_like(x)
    launch_kernel((x.size + 127) // 128, 128, x, y, factor, x.size)
    return y


@scale.gradient
def scale_gradient(grad, factor):
    return scale(grad, factor)


@operator(SOURCE, kernel="scale_rows<{x}>", dtypes={"factor": "x"})
def scale_rows(x: jax.Array, factor: jax.Array | None = None) -> jax.Array:
    rows, columns = x.shape
    y = empty_like(x)
    launch_kernel(rows, 32, x, factor, y, columns)
    return y


@scale_rows.gradient
def scale_rows_gradient(x, factor, grad):
    return scale_rows(grad, factor), None if factor is None else (grad * x).sum(1)


@operator(SOURCE, kernel="extremes", dtypes=(np.float32,), leading="x")
def extremes(x: jax.Array) -> tuple[jax.Array, jax.Array]:
    *leading, n = x.shape
    least, most = empty(leading, x.dtype), empty(leading, x.dtype)
    launch_kernel(least.size, 1, x, least, most, n)
    return least, most


@extremes.gradient
def extremes_gradient(x, out_0, out_1, grad_0, grad_1):
    return (x == out_0[..., None]) * grad_0[..., None] + (x == out_1[..., None]) * grad_1[..., None]


@operator(SOURCE, kernel="histogram")
def histogram(x: jax.Array, bins: int) -> jax.Array:
    found = zeros(bins, x.dtype)
    launch_kernel((x.size + 63) // 64, 64, x, found, x.size)
    return found


@operator(SOURCE, kernel="extremes")
def extremes_only(x: jax.Array) -> jax.Array:
    least, most = empty(x.shape[0], x.dtype), empty(x.shape[0], x.dtype)
    launch_kernel(x.shape[0], 1, x, least, most, x.shape[1])
    return least


def normal(*shape):
    return jax.random.normal(jax.random.key(sum(shape)), shape)


def same(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


@pytest.fixture(params=["in place", "copies"])
def way(request, monkeypatch):
    """The kernels use XLA's memory in place, or copies of it."""
    if request.param == "copies":
        monkeypatch.setattr(
            _execute.Queue, "in_place", property(lambda self: False, lambda self, value: None), raising=False
        )


def test_calls_and_jit(way):
    x = normal(5, 40)
    same(scale(x), 2 * x)
    same(scale(x, factor=3), 3 * x)
    same(jax.jit(lambda x: jnp.sin(scale(x, 2.5)) + 1)(x), jnp.sin(2.5 * x) + 1)
    same(jax.jit(scale, static_argnums=1)(x, 4.0), 4 * x)
    same(scale(np.ones((0, 3), "f4")), np.ones((0, 3)))
    same(scale(jnp.float32(3)), 6.0)
    assert isinstance(scale(x), jax.Array)
    assert scale.__doc__ == "Scale an array."


@pytest.mark.parametrize("dtype", ["float32", "int8", "int32", "uint16"])
def test_types(dtype):
    x = jnp.arange(10).astype(dtype)
    found = scale(x)
    assert found.dtype == x.dtype
    same(found, 2 * x)


@pytest.mark.needs_recent_nvrtc
def test_half_and_bfloat16():
    from cuda.core import ProgramOptions

    source = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n" + SOURCE

    @operator(source, kernel="scale<{x}>", options=ProgramOptions(use_bundled_headers=True))
    def narrow(x: jax.Array) -> jax.Array:
        y = empty_like(x)
        launch_kernel(1, 128, x, y, 2.0, x.size)
        return y

    for dtype in ("float16", "bfloat16"):
        x = jnp.arange(10, dtype=dtype)
        assert narrow(x).dtype == dtype
        same(narrow(x).astype("f4"), 2 * x.astype("f4"))


def test_an_argument_that_may_be_absent(way):
    x, factor = normal(3, 50), normal(3)
    same(scale_rows(x), x)
    same(scale_rows(x, factor), x * factor[:, None])
    same(jax.grad(lambda x: (scale_rows(x) ** 2).sum())(x), 2 * x)


def test_several_outputs_and_their_gradients(way):
    x = normal(4, 7)
    least, most = jax.jit(extremes)(x)
    same(least, x.min(1))
    same(most, x.max(1))
    found = jax.grad(lambda x: sum(a.sum() * k for k, a in enumerate(extremes(x), 1)))(x)
    same(found, (x == x.min(1)[:, None]) + 2.0 * (x == x.max(1)[:, None]))


def test_outputs_of_zeros(way):
    x = jnp.array([1, 3, 3, 0])
    for _ in range(3):
        assert histogram(x, 5).tolist() == [1, 1, 0, 2, 0]


def test_gradients():
    x, factor = normal(4, 30), normal(4)
    plain = lambda x, factor: jnp.tanh(x * factor[:, None]).sum()  # noqa: E731
    ours = lambda x, factor: jnp.tanh(scale_rows(x, factor)).sum()  # noqa: E731
    for found, expected in zip(
        jax.jit(jax.grad(ours, (0, 1)))(x, factor), jax.grad(plain, (0, 1))(x, factor), strict=True
    ):
        same(found, expected)
    same(jax.jacrev(jax.grad(lambda v: (scale(v) ** 3).sum()))(x[0, :4]), np.diag(48 * x[0, :4]))
    same(jax.vjp(scale, x)[1](jnp.ones_like(x))[0], np.full(x.shape, 2))


def test_vmap():
    x = normal(6, 3, 5)
    for axis in (0, 1, 2):
        same(jax.vmap(scale, in_axes=axis, out_axes=axis)(x), 2 * x)
    same(jax.vmap(jax.vmap(scale))(x), 2 * x)
    least, most = jax.jit(jax.vmap(extremes))(x)
    same(least, x.min(2))
    same(most, x.max(2))
    factor = normal(6, 3)
    same(jax.vmap(scale_rows)(x, factor), x * factor[..., None])
    same(jax.vmap(scale_rows, in_axes=(0, None))(x, factor[0]), x * factor[0][:, None])
    same(jax.vmap(scale_rows, in_axes=(None, 0))(x[0], factor), x[0] * factor[..., None])
    same(jax.vmap(jax.grad(lambda x, f: (scale_rows(x, f) ** 2).sum()))(x, factor), 2 * x * factor[..., None] ** 2)
    same(jax.grad(lambda x: jax.vmap(scale)(x).sum())(x), np.full(x.shape, 2))


def test_vmap_over_leading_axes_is_one_call(monkeypatch):
    calls = []
    execute = _execute.execute
    monkeypatch.setattr(_execute, "execute", lambda *args: [calls.append(args[0]), execute(*args)][1])
    x = normal(6, 5)
    jax.vmap(extremes)(x)[0].block_until_ready()
    assert calls == ["extremes"]
    jax.vmap(lambda x, f: scale_rows(x, f))(x[:, None], x[:, :1]).block_until_ready()
    assert calls == ["extremes", *["scale_rows"] * 6]


def test_loops_and_conditions():
    x = normal(20)
    same(jax.lax.fori_loop(0, 5, lambda _, x: scale(x, 0.5), x), x / 32)
    same(jax.lax.scan(lambda carry, v: (carry + v, scale(carry)), x[0], x)[0], x[0] + x.sum())
    same(jax.jit(lambda c: jax.lax.cond(c, scale, lambda v: v, x))(False), x)
    same(jax.checkpoint(lambda v: scale(v))(x), 2 * x)


def test_types_of_64_bits():
    with jax.experimental.enable_x64() if hasattr(jax.experimental, "enable_x64") else jax.enable_x64(True):
        same(scale(jnp.arange(3.0, dtype="float64")), [0, 2, 4])

    @operator(SOURCE, kernel="scale<{dtype}>")
    def widened(x: jax.Array) -> jax.Array:
        return empty(x.shape, "float64")

    with pytest.raises(TypeError, match=r"widened: output 0 is of float64, which JAX has only with .*jax_enable_x64"):
        widened(normal(3))


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (lambda: scale(normal(3), jnp.float32(2)), TypeError, "scale: factor is .*, must be a number of Python"),
        (lambda: jax.jit(scale)(normal(3), 2.0), TypeError, r"scale: factor is .*static_argnums of jax.jit"),
        (lambda: scale(None), TypeError, "scale: x is None, must be an array"),
        (lambda: scale("a"), TypeError, "scale: x is str, must be an array"),
        (lambda: scale(np.array(["a"])), TypeError, "scale: x is ndarray, must be an array"),
        (lambda: scale(np.ma.ones(3)), ValueError, "scale: x is MaskedArray, must be an array"),
        (lambda: scale(jax.random.key(0)), TypeError, "scale: x has elements of key<.*, must have numbers"),
        (lambda: scale.compile("a"), TypeError, "scale: x is 'a', must be an array or ShapeDtypeStruct"),
        (lambda: scale(), TypeError, "scale: missing a required argument: 'x'; its parameters are x, "),
        (lambda: extremes(jnp.arange(6).reshape(2, 3)), TypeError, "extremes: x is of int32, must be of float32"),
        (lambda: scale_rows(normal(2, 3), jnp.arange(2)), TypeError, "factor is of int32, must be of float32"),
        (lambda: jax.grad(lambda x: extremes_only(x).sum())(normal(2, 3)), TypeError, "extremes_only has no gradient"),
        (lambda: jax.jvp(scale, (normal(3),), (normal(3),)), TypeError, "forward-mode"),
    ],
)  # fmt: skip
def test_bad_calls(call, kind, text):
    with pytest.raises(kind, match=text):
        call()


def nothing(x: jax.Array) -> None: ...
def number(x: jax.Array) -> int: ...
def a_list(x: list[jax.Array]) -> jax.Array: ...


@pytest.mark.parametrize(
    ("make", "kind", "text"),
    [
        (lambda: operator(SOURCE)(nothing), TypeError, "nothing: the function returns None, must return arrays"),
        (lambda: operator(SOURCE)(number), TypeError, "number: the function returns <class 'int'>, must be Array"),
        (lambda: operator(SOURCE)(a_list), TypeError, "a_list: parameter 'x' is a list of arrays"),
        (lambda: operator(SOURCE, leading="z")(scale._function), ValueError, "leading names 'z', which is no par"),
        (lambda: operator(SOURCE, leading=5)(scale._function), TypeError, "leading is 5, must be names of parameters"),
        (lambda: operator(SOURCE, dtypes=jnp.float32)(scale._function), TypeError, "dtypes is .*, must be a list of"),
        (lambda: operator(SOURCE, kernel="scale<{z}>")(scale._function), ValueError, "has {z}, must be one of dtype"),
        (lambda: operator(SOURCE, options={})(scale._function), TypeError, "scale: options is {}, must be a ProgramO"),
        (lambda: operator(17)(scale._function), TypeError, r"scale: source must be a str of CUDA C\+\+, not int"),
        (lambda: operator(scale._function), TypeError, "scale: the decorator needs a source: write @operator"),
        (lambda: operator(SOURCE, dtypes={"z": "x"})(scale._function), ValueError, "dtypes names 'z'"),
        (lambda: scale.gradient(lambda out_1: 0), TypeError, "its gradient takes 'out_1', must be one of x, factor"),
        (lambda: scale.gradient(lambda grad: 0, wrt=["factor"]), TypeError, "wrt names 'factor', which is no Array"),
    ],
)  # fmt: skip
def test_bad_declarations(make, kind, text):
    with pytest.raises(kind, match=text):
        make()


def test_a_gradient_of_another_length():
    @operator(SOURCE, kernel="scale<{x}>")
    def one(x: jax.Array) -> jax.Array:
        y = empty_like(x)
        launch_kernel(1, 128, x, y, 2.0, x.size)
        return y

    one.gradient(lambda grad: (grad, grad))
    with pytest.raises(RuntimeError, match="one: its gradient returns 2 values, but there are 1 parameters"):
        jax.grad(lambda x: one(x).sum())(normal(3))


def test_functions_of_one_name_are_apart():
    made = []
    for factor in (3.0, 5.0):

        @operator(SOURCE, kernel="scale<{x}>")
        def again(x: jax.Array) -> jax.Array:
            y = empty_like(x)
            launch_kernel(1, 128, x, y, factor, x.size)  # noqa: B023 - called in this round, and later from a cache
            return y

        made.append(jax.jit(again))
        same(made[-1](jnp.ones(2)), [factor] * 2)
    same(made[0](jnp.ones(2)), [3, 3])


def test_an_error_while_running_names_the_operator():
    """Of a kernel, which loses the context: so in another process."""
    code = f"""
import jax
from cuda.interop.jax import empty_like, launch_kernel, operator
@operator({SOURCE!r}, kernel="failing")
def fails(x: jax.Array) -> jax.Array:
    y = empty_like(x)
    launch_kernel(1, 1, x, y)
    return y
try:
    fails(jax.numpy.ones(3)).block_until_ready()
except Exception as error:
    print(error)
"""
    done = run(code)
    assert "OperatorError: fails: kernel failing: CUDA_ERROR_ILLEGAL_ADDRESS" in done.stdout, done.stderr


def test_a_source_that_does_not_compile():
    @operator("__global__ void broken(float *y) { undeclared(y); }", kernel="broken")
    def broken(x: jax.Array) -> jax.Array:
        y = empty_like(x)
        launch_kernel(1, 1, y)
        return y

    with pytest.raises(Exception, match='identifier "undeclared" is undefined|undeclared identifier'):  # noqa: RUF043
        broken(normal(3)).block_until_ready()


def run(code, **variables):
    path = os.pathsep.join(each for each in sys.path if each)
    environment = os.environ | {"PYTHONPATH": path, "CUDA_PYTHON_DRIVER": "cpu", "JAX_PLATFORMS": "cpu"} | variables
    return subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=110)


def test_shards_run_on_devices_of_their_own():
    """Four CPU devices of JAX, four CPU devices of CUDA: shard_map, pmap, gradients of arrays on all devices."""
    code = """
import numpy as np, jax, jax.numpy as jnp
from jax.sharding import Mesh, PartitionSpec as P
import test_jax_operator as t
from cuda.interop.arrays import _execute
from cuda.core import Device
devices = []
execute = _execute.execute
def noted(*args):
    devices.append(Device().device_id)
    return execute(*args)
_execute.execute = noted
mesh = Mesh(np.array(jax.devices()), ("rows",))
x, factor = t.normal(8, 30), t.normal(8)
sharded = jax.jit(jax.shard_map(t.scale_rows, mesh=mesh, in_specs=(P("rows"), P("rows")), out_specs=P("rows")))
found = sharded(x, factor)
t.same(found, x * factor[:, None])
assert len(found.sharding.device_set) == 4
print(sorted(devices))
t.same(jax.grad(lambda x, f: (sharded(x, f) ** 2).sum(), 1)(x, factor), 2 * (x * x).sum(1) * factor)
shared = jax.shard_map(t.scale_rows, mesh=mesh, in_specs=(P("rows"), P()), out_specs=P("rows"))
whole = jnp.ones(2)
t.same(jax.jit(jax.grad(lambda f: shared(x, f).sum()))(whole), x.reshape(4, 2, 30).sum((0, 2)))
devices.clear()
t.same(jax.pmap(t.scale)(x.reshape(4, 60)), 2 * x.reshape(4, 60))
print(sorted(devices))
before = Device(2)
before.set_current()
t.scale(jnp.ones(3)).block_until_ready()
print(Device().device_id)
"""
    folder = os.path.dirname(__file__)
    done = run(
        f"import sys; sys.path.insert(0, {folder!r})\n{code}",
        XLA_FLAGS="--xla_force_host_platform_device_count=4",
        CUDA_CPU_DEVICES="4",
    )
    assert done.stdout.splitlines() == ["[0, 1, 2, 3]", "[0, 1, 2, 3]", "2"], done.stderr


def test_compile_ahead():
    @operator(SOURCE, kernel="scale<{x}>")
    def fresh(x: jax.Array) -> jax.Array:
        y = empty_like(x)
        launch_kernel(1, 128, x, y, 2.0, x.size)
        return y

    assert fresh.compile(jax.ShapeDtypeStruct((3,), jnp.float32)) == ["scale<float>"]
    assert [name for name, _ in fresh.kernels.compiled] == ["scale<float>"]


def test_pickles():
    scale(normal(3)).block_until_ready()
    assert cloudpickle.loads(cloudpickle.dumps(scale)) is scale

    @operator(SOURCE, kernel="scale<{x}>", leading="x")
    def local(x: jax.Array) -> jax.Array:
        y = empty_like(x)
        launch_kernel(1, 128, x, y, 7.0, x.size)
        return y

    local.gradient(lambda grad: 7 * grad)
    local(normal(3)).block_until_ready()
    copy = cloudpickle.loads(cloudpickle.dumps(local))
    assert set(copy.kernels.compiled) >= set(local.kernels.compiled) != set()
    same(copy(jnp.ones(2)), [7, 7])
    same(jax.grad(lambda x: copy(x).sum())(jnp.ones(2)), [7, 7])


def test_an_operator_that_this_process_has_not():
    from cuda.interop.jax import _handler

    call = jax.ffi.ffi_call(_handler.TARGET, jax.ShapeDtypeStruct((3,), jnp.float32))
    with pytest.raises(
        Exception, match=r"this process has no operator nobody\.made: import the module that defines it"
    ):
        call(normal(3), call='["nobody.made", true]').block_until_ready()
