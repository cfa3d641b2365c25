# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The engines that run the tasks of `distributing`: pytest-xdist on one machine, Dask on several."""

from __future__ import annotations

import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from typing import Any

from cuda.perf import distributing
from cuda.perf.distributing import PROBLEM, Finished, Job
from cuda.perf.errors import CommandError

INSTALL = "pip install 'open-cuda-python[perf-distributed]'"
WORKERS = 30  # seconds until a worker of Dask must have registered
POLL = 0.1  # seconds until finished tasks are looked for again


def xdist(processes: int) -> distributing.Engine:
    """Return the engine that runs tasks as items of pytest, in `processes` workers of pytest-xdist.

    Raises
    ------
    CommandError
        pytest-xdist is not installed.
    """
    if importlib.util.find_spec("pytest") is None or importlib.util.find_spec("xdist") is None:
        raise CommandError(f"-n needs pytest-xdist: {INSTALL}")

    def run(job: Job, keys: list[str]) -> Finished:
        with tempfile.TemporaryDirectory() as folder:
            plan = pathlib.Path(folder) / "benchmarks.cuda-perf"
            plan.write_text(json.dumps({"job": job.data(), "keys": keys}))
            plugins = ("-p", "xdist", "-p", "cuda.perf.pytest_plugin", "-p", "no:cacheprovider")
            command = [sys.executable, "-m", "pytest", "-q", "-c", os.devnull, "--rootdir", folder, *plugins,
                       "-n", str(processes), str(plan)]  # fmt: skip
            log = pathlib.Path(folder) / "log"
            with open(log, "w") as output:
                pytest = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
                try:
                    yield from _parts(pytest, pathlib.Path(folder), keys)
                finally:
                    pytest.terminate()
                    pytest.wait()

    return run


def _parts(pytest: subprocess.Popen, folder: pathlib.Path, keys: list[str]) -> Finished:
    """Yield the files of tasks that have ended, until pytest has."""
    waiting = {key: folder / distributing.part_name(key) for key in keys}
    ended = False
    while waiting and not ended:
        ended = pytest.poll() is not None
        for key, path in list(waiting.items()):
            if path.with_suffix(".done").exists():
                del waiting[key]
                yield key, path.read_text(encoding="utf-8")
        if waiting and not ended:
            time.sleep(POLL)
    tail = " ".join((folder / "log").read_text(errors="replace").splitlines()[-3:])[-300:] if waiting else ""
    for key in waiting:
        yield key, f"{PROBLEM}its pytest worker ended: {tail}"


def dask(address: str, processes: int = 0) -> tuple[distributing.Engine, int, Any]:
    """Return the engine that runs tasks on a Dask cluster, the number of its threads, and its client, to be closed.

    Parameters
    ----------
    address : str
        Of the scheduler; "local" starts a cluster of this machine.
    processes : int, optional
        Of the local cluster; by default one per core.

    Raises
    ------
    CommandError
        Dask is not installed, or there is no such cluster.
    """
    if importlib.util.find_spec("distributed") is None:
        raise CommandError(f"--dask needs dask[distributed]: {INSTALL}")
    from distributed import Client, LocalCluster, as_completed

    if address == "local":
        count = processes or len(os.sched_getaffinity(0))
        # Daemons may not start processes, and a benchmark's worker is one.
        cluster = LocalCluster(n_workers=count, threads_per_worker=1, dashboard_address=None, silence_logs=50)
        client = Client(cluster)
    else:
        try:
            client = Client(address, timeout="10s")
        except (OSError, ValueError) as error:
            raise CommandError(f"--dask {address}: no scheduler answers: {error}") from None
        try:
            client.wait_for_workers(1, timeout=WORKERS)
        except TimeoutError:
            client.close()
            raise CommandError(f"--dask {address}: the scheduler has had no workers for {WORKERS} s") from None

    def run(job: Job, keys: list[str]) -> Iterator[tuple[str, str]]:
        data = job.data()
        futures = {client.submit(distributing.measured_text, data, key, pure=False): key for key in keys}
        for future in as_completed(futures):
            error = future.exception()
            yield futures[future], f"{PROBLEM}{type(error).__name__}: {error}" if error else future.result()

    return run, sum(client.nthreads().values()), client
