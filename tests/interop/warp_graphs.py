# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A program for test_warp.py: graphs of NVIDIA's Warp with loops, branches, other graphs and allocations."""

import gc

import numpy as np
import pytest
import warp as wp

wp.config.quiet = True
wp.set_device("cuda:0")


@wp.kernel
def add(x: wp.array(dtype=int), number: int):
    x[wp.tid()] += number


@wp.kernel
def countdown(left: wp.array(dtype=wp.int32)):
    left[0] = wp.max(left[0] - 1, 0)


@wp.kernel
def set_to(x: wp.array(dtype=wp.int32), number: int):
    x[0] = number


@wp.kernel
def scale(x: wp.array(dtype=float), factor: float, y: wp.array(dtype=float)):
    y[wp.tid()] = factor * x[wp.tid()]


wp.load_module()
x, left = wp.zeros(8, dtype=int), wp.zeros(1, dtype=wp.int32)


def value():
    assert len(set(x.numpy().tolist())) == 1
    return int(x.numpy()[0])


def body(number):
    wp.launch(add, 8, inputs=[x, number])
    wp.launch(countdown, 1, inputs=[left])


def loops():
    with wp.ScopedCapture() as capture:
        x.zero_()
        wp.capture_while(left, body, number=3)
        wp.launch(add, 8, inputs=[x, 100])
    for rounds in (4, 0, 1000):
        left.fill_(rounds)
        wp.capture_launch(capture.graph)
        assert value() == 3 * rounds + 100, rounds
    left.fill_(5)  # without a capture
    wp.capture_while(left, body, number=1)
    assert value() == 3105


def branches():
    kinds = {"both": (7, 20), "first": (7, 1), "second": (1, 20)}
    for kind, expected in kinds.items():
        choice = {"on_true": lambda: wp.launch(add, 8, inputs=[x, 6])} if kind != "second" else {}
        if kind != "first":
            choice["on_false"] = lambda: wp.launch(add, 8, inputs=[x, 19])
        with wp.ScopedCapture() as capture:
            x.fill_(1)
            wp.capture_if(left, **choice)
            wp.launch(add, 8, inputs=[x, 0])
        for given in (1, 0, -3):
            left.fill_(given)
            wp.capture_launch(capture.graph)
            assert value() == expected[given == 0], (kind, given)


def nested():
    inner = wp.zeros(1, dtype=wp.int32)

    def inner_body():
        wp.launch(add, 8, inputs=[x, 1])
        wp.launch(countdown, 1, inputs=[inner])

    def outer_body():
        wp.launch(set_to, 1, inputs=[inner, 4])
        wp.capture_while(inner, inner_body)
        wp.capture_if(left, on_true=lambda: wp.launch(add, 8, inputs=[x, 10]))
        wp.launch(countdown, 1, inputs=[left])

    with wp.ScopedCapture() as capture:
        x.zero_()
        wp.capture_while(left, outer_body)
    left.fill_(3)
    wp.capture_launch(capture.graph)
    assert value() == 3 * 14


def graphs_in_graphs():
    with wp.ScopedCapture() as once:
        wp.launch(add, 8, inputs=[x, 2])
        wp.launch(countdown, 1, inputs=[left])
    with wp.ScopedCapture() as capture:
        x.zero_()
        wp.capture_while(left, while_body=once.graph)
        wp.capture_if(left, on_true=lambda: None, on_false=once.graph)
    left.fill_(6)
    wp.capture_launch(capture.graph)
    assert value() == 2 * 7


def allocations():
    values = np.arange(1000, dtype=np.float32)
    y = wp.array(values)
    outside = wp.zeros(1000, dtype=float)
    with wp.ScopedCapture() as capture:
        for _ in range(3):
            t = wp.empty(1000, dtype=float)  # the one before is freed here
            wp.launch(scale, 1000, inputs=[y, 2.0, t])
            wp.copy(y, t)
        kept = wp.clone(y)
        wp.launch(scale, 1000, inputs=[outside, 1.0, t])
        del outside  # the graph still reads it
    del t
    for _ in range(2):
        wp.capture_launch(capture.graph)
    np.testing.assert_array_equal(y.numpy(), 64 * values)
    np.testing.assert_array_equal(kept.numpy(), 64 * values)
    del capture
    gc.collect()
    np.testing.assert_array_equal(kept.numpy(), 64 * values)  # it lives longer than its graph
    free = wp.get_device().free_memory
    for _ in range(20):
        with wp.ScopedCapture() as capture:
            large = wp.zeros(1 << 22, dtype=float)
            wp.launch(scale, 1 << 22, inputs=[large, 1.0, large])
        wp.capture_launch(capture.graph)
        wp.synchronize()
    del capture, large
    gc.collect()
    assert free - wp.get_device().free_memory < 1 << 26  # not 20 times 16 MiB


def functions_of_the_host():
    keys, numbers = wp.zeros(200, dtype=int), wp.zeros(200, dtype=int)
    sums = wp.zeros(100, dtype=int)
    grid = wp.zeros((10, 10), dtype=int)
    with wp.ScopedCapture() as capture:
        wp.utils.radix_sort_pairs(keys, numbers, 100)
        wp.utils.array_scan(keys[:100], sums, inclusive=True)
        wp.copy(grid[:, ::2], grid[:, 1::2])
    for seed in range(3):
        values = np.random.default_rng(seed).permutation(100).astype(np.int32)
        keys.assign(np.append(values, np.zeros(100, np.int32)))
        numbers.assign(np.arange(200, dtype=np.int32))
        grid.assign(values.reshape(10, 10))
        wp.capture_launch(capture.graph)
        assert keys.numpy()[:100].tolist() == list(range(100))
        assert numbers.numpy()[:100].tolist() == np.argsort(values).tolist()
        assert sums.numpy().tolist() == np.cumsum(range(100)).tolist()
        np.testing.assert_array_equal(grid.numpy()[:, ::2], values.reshape(10, 10)[:, 1::2])
    with pytest.raises(NotImplementedError, match="cannot be part of a graph"), wp.ScopedCapture():
        wp.Mesh(points=wp.zeros(3, dtype=wp.vec3), indices=wp.zeros(3, dtype=int))


def failed_captures():
    def fail():
        with wp.ScopedCapture():
            wp.empty(10, dtype=float)
            raise KeyError("a body that fails")

    for _ in range(2):
        with pytest.raises(KeyError):
            fail()
    x.fill_(3)
    assert value() == 3


PROGRAMS = [loops, branches, nested, graphs_in_graphs, allocations, functions_of_the_host, failed_captures]

if __name__ == "__main__":
    for program in PROGRAMS:
        program()
        print(program.__name__, "is right", flush=True)
