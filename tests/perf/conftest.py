# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Results to test with."""

import random

import pytest

from cuda.perf.model import Counters, Environment, LineCounts, Noise, Result, Run, Samples, Status, Work


def samples(block=0, count=20, seconds=1e-3, seed=0, **fields):
    generator = random.Random(f"{seed} {block}")
    times = [seconds * (1 + abs(generator.gauss(0, 0.01))) for _ in range(count)]
    return Samples(process=block, block=block, started=1000.0 + block, batch=4, seconds=times, **fields)


@pytest.fixture
def run():
    lines = [LineCounts("gemm", "gemm.cu", 3, "sum += a * b;", {"ptx__inst_executed.sum": 40})]
    first = Result(
        "gemm",
        {"m": 128, "type": "f32"},
        owner="math",
        work=Work(bytes_read=1024, flops=2.0**21),
        counters=Counters({"ptx__inst_executed.sum": 100}, lines),
        samples=[samples(block, noise=Noise(load=0.5, throttled=False)) for block in range(3)],
    )
    second = Result("scan", {"n": 2.5}, Status.WRONG, "element 3 is 1.0, not 2.0")
    return Run(1000.0, "main", Environment(device="CPU device", cores=2), [first, second], complete=True)
