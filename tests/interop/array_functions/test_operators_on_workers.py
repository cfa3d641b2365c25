# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Operators are sent to the workers of Dask and Ray with their compiled code: 2 processes with 2 CPU devices each."""

import os
import pathlib
import tempfile

import numpy as np
import pytest

from cuda.interop.numpy import empty_like, launch_kernel, operator, ufunc

cloudpickle = pytest.importorskip("cloudpickle", reason="cloudpickle is not installed")
pytestmark = [pytest.mark.needs_nvrtc, pytest.mark.cpu_only]
SOURCE = r"""
template <class T> __global__ void scale(const T *x, T *y, double factor, long long n)
{
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = factor * x[i];
}
"""
DEVICES = 2  # of a process


def make_operators():
    """Return operators as a notebook has them: of no module that a worker could import."""

    @operator(SOURCE, kernel="scale<{x}>")
    def scale(x: np.ndarray, factor: float) -> np.ndarray:
        y = empty_like(x)
        launch_kernel((x.size + 127) // 128, 128, x, y, factor, x.size)
        return y

    @ufunc("x * x + y", ["ff->f", "dd->d"])
    def square_plus(x, y):
        """A square and a number."""

    return scale, square_plus


def on_worker(scale, square_plus, ordinal, numbers):
    """Return, computed on a worker, where this ran, what was compiled at arrival and after, the results, libraries."""
    from cuda.core import Device

    before = [scale.kernels.compiled, square_plus.kernels.compiled]
    Device(ordinal).set_current()
    results = scale(numbers, 3.0).tolist(), square_plus(numbers, 1.0).tolist()
    place = os.getpid(), Device().device_id, len(Device.get_all_devices())
    compilers = [name for name in ("nvrtc", "clang") if name in pathlib.Path("/proc/self/maps").read_text()]
    return place, before, [scale.kernels.compiled, square_plus.kernels.compiled], results, compilers


@pytest.fixture
def sent():
    """Operators that were used once here, so that they are compiled."""
    cloudpickle.register_pickle_by_value(__import__(__name__, fromlist=["on_worker"]))
    scale, square_plus = make_operators()
    scale(np.ones(2), 2.0), square_plus(np.ones(2), 2.0)
    yield scale, square_plus
    cloudpickle.unregister_pickle_by_value(__import__(__name__, fromlist=["on_worker"]))


def check(sent, tasks, results):
    """Check the results of tasks, which are pairs of a device and an array."""
    compiled = [each.kernels.compiled for each in sent]
    assert [len(each) for each in compiled] == [1, 1]
    places = {place for place, *_ in results}
    assert len({process for process, *_ in places} | {os.getpid()}) == 3
    assert {count for *_, count in places} == {DEVICES}
    assert len(places) == 4  # 2 devices in 2 processes
    for (ordinal, numbers), (place, before, after, values, compilers) in zip(tasks, results, strict=True):
        assert place[1] == ordinal
        assert before == after == compiled
        assert values == ((3 * numbers).tolist(), (numbers * numbers + 1).tolist())
        assert compilers == []


def tasks_of_a_worker(k):
    return [(ordinal, np.arange(100.0) + 10 * k + ordinal) for ordinal in range(DEVICES)]


def test_dask(sent, monkeypatch):
    distributed = pytest.importorskip("distributed", reason="Dask's distributed scheduler is not installed")
    monkeypatch.setenv("CUDA_CPU_DEVICES", str(DEVICES))  # of the workers; this process has its devices already
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        tasks, futures = [], []
        for k, worker in enumerate(client.scheduler_info()["workers"]):
            for task in tasks_of_a_worker(k):
                tasks.append(task)
                futures.append(client.submit(on_worker, *sent, *task, workers=[worker], pure=False))
        check(sent, tasks, client.gather(futures))


def test_ray(sent):
    ray = pytest.importorskip("ray", reason="ray is not installed")
    path = os.pathsep.join(each for each in __import__("sys").path if each)
    variables = {"CUDA_CPU_DEVICES": str(DEVICES), "CUDA_PYTHON_DRIVER": "cpu", "PYTHONPATH": path}
    with tempfile.TemporaryDirectory(prefix="ray", ignore_cleanup_errors=True) as folder:
        ray.init(
            num_cpus=2, include_dashboard=False, runtime_env={"env_vars": variables}, _temp_dir=folder,
            object_store_memory=2**27, configure_logging=False,
        )  # fmt: skip
        try:
            shipped = [ray.put(each) for each in sent]  # once, not with each task
            worker = ray.remote(num_cpus=1)(Worker)
            workers = [worker.remote() for _ in range(2)]
            tasks = [(k, task) for k in range(2) for task in tasks_of_a_worker(k)]
            results = ray.get([workers[k].run.remote(*shipped, *task) for k, task in tasks])
            check(sent, [task for _, task in tasks], results)
        finally:
            ray.shutdown()


class Worker:
    """An actor of Ray: a process."""

    def run(self, *arguments):
        return on_worker(*arguments)


def test_kernels_are_loaded_once_by_a_process(sent):
    """Each task brings an operator of its own, but they share what is loaded."""
    first, second = (cloudpickle.loads(cloudpickle.dumps(sent[0])) for _ in range(2))
    assert first is not second
    assert first.kernels is second.kernels
    first(np.ones(3), 2.0)
    assert second.kernels.get("scale<double>") is first.kernels.get("scale<double>")


def test_an_operator_compiles_where_it_was_not_used_before(sent):
    """What is not in the pickle is compiled on arrival."""
    copy = cloudpickle.loads(cloudpickle.dumps(sent[0]))
    assert copy(np.ones(2, "f4"), 2.0).tolist() == [2, 2]
    assert [name for name, _ in copy.kernels.compiled] == ["scale<double>", "scale<float>"]


def test_a_pickle_keeps_options_apart(sent):
    """The same source with other options is other code."""
    from cuda.core import ProgramOptions

    made = []
    for options in (None, ProgramOptions(fma=False), ProgramOptions(fma=False)):

        @operator(SOURCE, kernel="scale<{x}>", options=options)
        def scale(x: np.ndarray, factor: float) -> np.ndarray:
            y = empty_like(x)
            launch_kernel(1, 128, x, y, factor, x.size)
            return y

        made.append(cloudpickle.loads(cloudpickle.dumps(scale)))
    assert made[0].kernels is not made[1].kernels
    assert made[1].kernels is made[2].kernels
