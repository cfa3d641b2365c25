# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
import contextlib
import multiprocessing
import os
import pathlib
import socket
import subprocess
import sys

import pytest

pytest.importorskip("scipy", reason="cuda.perf's statistics need SciPy, of the extra perf")

from cuda.perf import __main__ as command
from cuda.perf import distributing, engines, files, slots
from cuda.perf.model import Environment, Result, Run, Samples, Status

pytestmark = pytest.mark.needs_nvrtc

BENCHMARKS = r"""
import os
import numpy as np
from cuda.core import LaunchConfig, Module, launch
from cuda.perf import axis, benchmark

@benchmark
@axis.size("n", 256, 512)
def twice(state, n):
    source = 'extern "C" __global__ void twice(float *x) { x[blockIdx.x * 256 + threadIdx.x] *= 2; }'
    kernel = Module.from_source(source).twice
    x = state.device.to_device(np.zeros(n, np.float32), stream=state.stream)
    state.exec(lambda launched: launch(launched.stream, LaunchConfig(grid=n // 256, block=256), kernel, x))

@benchmark
def cores(state):  # the slot of the task
    count = len(os.sched_getaffinity(0))
    state.add_element_count(count)
    state.exec(lambda launched: None)

@benchmark
def crashes(state):
    os.abort()
"""


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "benchmarks.py").write_text(BENCHMARKS)
    return "benchmarks.py"


def run(*arguments):
    code = command.main(["run", *arguments, "--json", "run.jsonl", "--quiet", "--block", "0.01s"])
    return code, files.read("run.jsonl").by_key()


def check(code, found):
    assert code == 1
    assert found["crashes"].status == Status.FAILED
    assert "signal 6" in found["crashes"].message
    for key in ("twice[n=256]", "twice[n=512]", "cores"):
        assert found[key].status == Status.OK
        assert {each.process for each in found[key].samples} == {0, 1}
    if os.environ["CUDA_PYTHON_DRIVER"] == "cpu":  # a GPU has no counters
        assert found["twice[n=512]"].counters.metrics["ptx__inst_executed.sum"] > 0
    assert found["cores"].work.elements == 1  # although two tasks run at a time


def test_pytest_xdist(file):
    pytest.importorskip("xdist", reason="pytest-xdist is not installed")
    check(*run(file, "-n", "2", "--processes", "2", "2"))


def test_a_local_cluster_of_dask(file):
    pytest.importorskip("distributed", reason="Dask is not installed")
    check(*run(file, "--dask", "local", "-n", "2", "--processes", "2", "2"))


SERVER = """
import asyncio, sys, time
from distributed import Scheduler, Worker
async def main():
    address = sys.argv[2]
    if sys.argv[1] == "scheduler":
        async with Scheduler(port=int(address.rpartition(":")[2]), host="127.0.0.1", dashboard=False) as server:
            await server.finished()
    else:
        async with Worker(address, nthreads=1) as server:
            await server.finished()
time.sleep(float(sys.argv[3]))
asyncio.run(main())
"""


@contextlib.contextmanager
def dask_cluster(workers, delay=0.0):
    """Start a scheduler, and workers after `delay` seconds; return the scheduler's address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    kinds = [("scheduler", 0.0), *[("worker", delay)] * workers]
    words = [sys.executable, "-c", SERVER]
    processes = [subprocess.Popen([*words, kind, address, str(wait)]) for kind, wait in kinds]
    try:
        yield address
    finally:
        for process in processes:
            process.kill()
            process.wait()


def test_workers_of_dask_that_come_later(file):
    pytest.importorskip("distributed", reason="Dask is not installed")
    with dask_cluster(2, delay=2) as address:
        check(*run(file, "--dask", address, "--processes", "2", "2"))


def test_a_dask_scheduler_without_workers(file, monkeypatch, capsys):
    pytest.importorskip("distributed", reason="Dask is not installed")
    monkeypatch.setattr(engines, "WORKERS", 1)
    with dask_cluster(0) as address:
        assert command.main(["run", file, "--dask", address]) == 2
    assert f"--dask {address}: the scheduler has had no workers for 1 s" in capsys.readouterr().err


def test_a_dask_scheduler_that_does_not_exist(file, capsys):
    pytest.importorskip("distributed", reason="Dask is not installed")
    assert command.main(["run", file, "--dask", "no address"]) == 2
    assert "--dask no address: no scheduler answers" in capsys.readouterr().err


def test_only_what_is_missing_is_measured_again(file):
    pytest.importorskip("xdist", reason="pytest-xdist is not installed")
    run(file, "-n", "2", "--counters-only", "--filter", "256")
    _, found = run(file, "-n", "2", "--counters-only", "--filter", "twice", "--resume")
    assert set(found) == {"twice[n=256]", "twice[n=512]"}
    text = pathlib.Path("run.jsonl").read_text()
    assert text.count('"record":"result","benchmark":"twice"') == 2


def test_a_missing_engine_is_named(file, monkeypatch, capsys):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert command.main(["run", file, "-n", "2", "--json", "new.jsonl"]) == 2
    assert "-n needs pytest-xdist: pip install" in capsys.readouterr().err
    assert command.main(["run", file, "--dask", "local", "--json", "new.jsonl"]) == 2
    assert "--dask needs dask[distributed]: pip install" in capsys.readouterr().err


def test_too_many_cores_are_refused(file, capsys):
    pytest.importorskip("xdist", reason="pytest-xdist is not installed")
    assert command.main(["run", file, "-n", "1", "--cores", "4096", "--json", "new.jsonl", "--quiet"]) == 2
    assert "--cores: 4096 cores per measurement; this process has" in capsys.readouterr().err


def part(tmp_path, device, key):
    path = tmp_path / "part.jsonl"
    result = Result(key, samples=[Samples(0, 0, 0, 1, [1.0])])
    files.write(path, Run(1.0, "", Environment(device=device), [result], complete=True))
    return path.read_text()


def test_each_kind_of_machine_gets_a_file(tmp_path):
    joined = distributing.Joined(str(tmp_path / "run.jsonl"), "nightly")
    for device, key in (("A", "a"), ("B", "b"), ("A", "c")):
        joined.add(part(tmp_path, device, key), Result(key))
    joined.add("problem: its worker ended", Result("d", status=Status.FAILED))
    first, second = (files.read(path) for path in joined.finish())
    assert (list(first.by_key()), list(second.by_key())) == (["a", "c", "d"], ["b"])
    assert first.by_key()["d"].message == "its worker ended"
    assert (first.label, first.complete, second.complete) == ("nightly", True, True)


def hold(slot, messages):
    with slots.occupied([slot]):
        messages.send(os.sched_getaffinity(0))
        messages.recv()


def test_a_slot_has_one_owner_and_is_free_when_it_crashes():
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    slot, other = slots.of_cores(1)[0], slots.Slot("gpu-test")
    process = context.Process(target=hold, args=(slot, there))
    process.start()
    assert here.recv() == slot.cores
    with slots.occupied([slot, other]) as chosen:
        assert chosen == other
    process.kill()
    process.join()
    before = os.sched_getaffinity(0)
    with slots.occupied([slot]):
        assert os.sched_getaffinity(0) == slot.cores
    assert os.sched_getaffinity(0) == before


def test_slots_of_gpus(monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3,5")
    assert [each.gpu for each in slots.of_gpus(2)] == ["3", "5"]
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES")
    assert [each.gpu for each in slots.of_gpus(2)] == ["0", "1"]
