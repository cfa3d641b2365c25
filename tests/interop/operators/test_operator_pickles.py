# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Operators in pickles: a round trip, and on Dask's workers, which get the compiled code."""

import os
import pickle

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
cloudpickle = pytest.importorskip("cloudpickle", reason="cloudpickle is not installed")

from cuda.interop.torch import launch_kernel, operator  # noqa: E402

SOURCE = r"""
template <class T> __global__ void scale(const T *x, T *y, double factor, long long n)
{
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = factor * x[i];
}
"""


def make(name):
    """Return an operator with a gradient that calls it."""

    @operator(name, SOURCE, kernel="scale<{x}>")
    def scale(x: torch.Tensor, factor: float) -> torch.Tensor:
        y = torch.empty_like(x)
        launch_kernel((x.numel() + 127) // 128, 128, x, y, factor, x.numel())
        return y

    scale.gradient(lambda grad, factor: scale(grad, factor), wrt=("x",))
    return scale


def on_worker(call, numbers):
    """Return the process, what was compiled at arrival, a value and its gradient."""
    compiled = call.kernels.compiled
    x = torch.tensor(numbers, requires_grad=True)
    value = call(x, 3.0)
    value.sum().backward()
    return os.getpid(), compiled, call.kernels.compiled, value.tolist(), x.grad.tolist()


@operator("open_cuda_pickles::imported", SOURCE, kernel="scale<{x}>")
def imported(x: torch.Tensor) -> torch.Tensor:
    y = torch.empty_like(x)
    launch_kernel(1, 128, x, y, 2.0, x.numel())
    return y


def test_operators_of_modules_are_pickled_by_their_names():
    imported(torch.ones(2))
    compiled = imported.kernels.compiled
    data = pickle.dumps(imported)
    imported.kernels._code.clear()
    assert pickle.loads(data) is imported
    assert imported.kernels.compiled == compiled != []


def test_a_process_has_one_operator_of_a_name():
    scale = make("open_cuda_pickles::one")
    scale(torch.ones(2), 2.0)
    assert cloudpickle.loads(cloudpickle.dumps(scale)) is scale


def test_another_source_of_the_same_name_is_refused():
    scale = make("open_cuda_pickles::other")
    data = cloudpickle.dumps(scale)
    scale.kernels.source += "// changed"
    with pytest.raises(ValueError, match="open_cuda_pickles::other: this process has an operator of this name with"):
        cloudpickle.loads(data)


def test_workers_of_dask_get_the_compiled_code():
    distributed = pytest.importorskip("distributed", reason="Dask's distributed scheduler is not installed")
    scale = make("open_cuda_pickles::shipped")
    scale(torch.ones(2), 2.0)
    assert len(scale.kernels.compiled) == 1
    cloudpickle.register_pickle_by_value(__import__(__name__, fromlist=["make"]))
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        workers = list(client.scheduler_info()["workers"])
        tasks = [
            client.submit(on_worker, scale, [1.0, float(k)], workers=[w], pure=False) for k, w in enumerate(workers)
        ]
        results = client.gather(tasks)
    assert len({os.getpid(), *(each[0] for each in results)}) == 3
    for k, (_, before, after, value, gradient) in enumerate(results):
        assert before == after == scale.kernels.compiled
        assert value == [3.0, 3.0 * k]
        assert gradient == [3.0, 3.0]
