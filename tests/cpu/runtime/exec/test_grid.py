# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Launches: the threads that run, the fields of struct cpu_warp that they see, and invalid arguments."""

import ctypes
import gc
import platform
import weakref

import numpy as np
import pytest
from support.warp_kernels import WAIT, Launcher

from cuda.cpu.runtime import _runtime as runtime

SEEN = np.dtype(
    [("lanes", "u4"), ("warp_id", "u4"), ("shared_size", "u4"), ("shared_static", "u4")]
    + [(name, "u4", 3) for name in ("grid_dim", "block_idx", "block_dim", "cluster_dim")]
    + [(name, "u8") for name in ("grid_id", "shared_aligned", "local_aligned", "symbol")]
)


@pytest.mark.parametrize("fibers", [False, True])
@pytest.mark.parametrize(
    ("grid_dim", "block_dim"),
    [((1, 1, 1), (1, 1, 1)), ((7, 1, 1), (1024, 1, 1)), ((50, 3, 2), (33, 2, 3)), ((5000, 1, 1), (40, 1, 1))],
)
def test_every_thread_runs_once(device, fibers, grid_dim, block_dim):
    count = int(np.prod(grid_dim) * np.prod(block_dim))
    out = np.zeros(count + 64, np.uint32)
    assert device.run("number_threads", grid_dim, block_dim, out.ctypes.data, 0, fibers=fibers) is None
    assert np.array_equal(out[:count], np.arange(1, count + 1))
    assert not out[count:].any()


@pytest.mark.parametrize("fibers", [False, True])
def test_warps_are_told_where_they_are(device, fibers):
    out = np.zeros(6 * 3, SEEN)
    symbols = np.array([0x1234567890], np.uint64)
    options = {"fibers": fibers, "local": 100, "symbols": symbols.ctypes.data, "shared": 0}
    kernel = device.grid("describe", **{**options, "shared": 48})
    fault = device.run(kernel, (3, 2, 1), (10, 7, 1), out.ctypes.data, 0, shared=1000, cluster=(3, 1, 1), grid_id=99)
    assert fault is None
    out = out.reshape(2, 3, 3)
    assert (out["shared_size"] == 1048).all()
    assert (out["shared_static"] == 48).all()
    assert (out["grid_dim"] == (3, 2, 1)).all()
    assert (out["block_dim"] == (10, 7, 1)).all()
    assert (out["cluster_dim"] == (3, 1, 1)).all()
    assert (out["grid_id"] == 99).all()
    assert (out["shared_aligned"] == 1).all()
    assert (out["local_aligned"] == 1).all()
    assert (out["symbol"] == symbols[0]).all()
    assert (out["lanes"] == (0xFFFFFFFF, 0xFFFFFFFF, 0x3F)).all()  # 70 threads: the last warp has six
    assert (out["warp_id"] == (0, 1, 2)).all()
    for y in range(2):
        for x in range(3):
            assert (out[y, x]["block_idx"] == (x, y, 0)).all()


def test_nothing_is_left_of_the_launch_before(device):
    """Workers reuse blocks, and do not rewrite the fields that are the same in the next launch."""
    random = np.random.default_rng(seed=7)
    symbols = np.array([5, 6], np.uint64)
    launches = []
    for number in range(1, 201):
        cluster = int(random.choice([1, 1, 2]))
        grid_dim = (cluster * int(random.integers(1, 3)), int(random.integers(1, 3)), 1)
        block_dim = [(1, 1, 1), (64, 1, 1), (10, 7, 1), (7, 10, 1), (1024, 1, 1)][random.integers(5)]
        options = {"local": int(random.choice([0, 100, 5000])), "shared": int(random.choice([0, 48]))}
        options |= {
            "fibers": bool(random.integers(4) == 0),
            "symbols": symbols.ctypes.data + 8 * int(random.integers(2)),
        }
        launches += [(grid_dim, block_dim, cluster, int(random.choice([0, 1000])), number, options)] * int(
            random.integers(1, 3)
        )
    out = [np.zeros(np.prod(grid) * -(-np.prod(block) // 32), SEEN) for grid, block, *_ in launches]
    grids = {str(launch[-1]): device.grid("describe", **launch[-1]) for launch in launches}
    for row, (grid_dim, block_dim, cluster, shared, number, options) in zip(out, launches, strict=True):
        start = {"cluster": (cluster, 1, 1), "shared": shared, "grid_id": number}
        assert device.run(grids[str(options)], grid_dim, block_dim, row.ctypes.data, 0, **start) is None
    for row, (grid_dim, block_dim, cluster, shared, number, options) in zip(out, launches, strict=True):
        threads, blocks = int(np.prod(block_dim)), int(np.prod(grid_dim))
        warps = -(-threads // 32)
        expected = np.zeros((blocks, warps), SEEN)
        expected["lanes"] = [2 ** min(32, threads - 32 * w) - 1 for w in range(warps)]
        expected["warp_id"] = range(warps)
        expected["shared_size"], expected["shared_static"] = options["shared"] + shared, options["shared"]
        expected["grid_dim"], expected["block_dim"], expected["cluster_dim"] = grid_dim, block_dim, (cluster, 1, 1)
        expected["block_idx"][..., 0] = (np.arange(blocks) % grid_dim[0])[:, None]
        expected["block_idx"][..., 1] = (np.arange(blocks) // grid_dim[0])[:, None]
        expected["grid_id"], expected["shared_aligned"], expected["local_aligned"] = number, 1, 1
        expected["symbol"] = 5 if options["symbols"] == symbols.ctypes.data else 6
        assert np.array_equal(row, expected.ravel()), (grid_dim, block_dim, options)


def test_parameters_are_copied_at_launch(device):
    out = np.zeros(64, np.uint32)
    params = np.array([out.ctypes.data, 0], np.uint64)
    gate = np.zeros(1, np.uint32)
    device.queue.wait_value(gate.ctypes.data, 1, 4, 1)
    kernel = device.grid("number_threads")
    device.queue.launch(kernel, (2, 1, 1), (32, 1, 1), (1, 1, 1), 0, params.ctypes.data, False, 1)
    params[:] = 0
    gate[0] = 1
    assert device.finish() is None
    assert out.all()


def test_many_parameters(device):
    out = np.zeros(32, np.uint32)
    assert device.run("number_threads", 1, 32, out.ctypes.data, *range(500)) is None
    assert out.all()


def test_a_grid_lives_until_its_launches_are_done(image):
    class Owner:
        pass

    queue, owner = runtime.Queue(), Owner()
    gone = weakref.ref(owner)
    gate, out = np.zeros(1, np.uint32), np.zeros(32, np.uint32)
    params = np.array([out.ctypes.data, 0], np.uint64)
    grid = runtime.CompiledKernel(image.address("number_threads"), "number_threads", 0, 0, 0, 16, False, owner)
    queue.wait_value(gate.ctypes.data, 1, 4, 1)
    queue.launch(grid, (1, 1, 1), (32, 1, 1), (1, 1, 1), 0, params.ctypes.data, False, 1)
    del grid, owner
    gc.collect()
    assert gone() is not None
    gate[0] = 1
    assert queue.wait(WAIT)
    assert out.all()
    runtime.CompiledKernel(
        image.address("empty"), "empty", 0, 0, 0, 0, False, None
    )  # making a grid releases the dropped ones
    gc.collect()
    assert gone() is None
    queue.close()


@pytest.mark.parametrize(
    ("grid_dim", "block_dim", "says"),
    [((0, 1, 1), (1, 1, 1), "grid_dim"), ((1, 1), (1, 1, 1), "grid_dim"), ((1, 1, 1), (33, 32, 1), "block_dim"),
     ((1, 1, 2**31), (1, 1, 1), "grid_dim"), ((1, 1, 1), (-1, 1, 1), "block_dim")],
)  # fmt: skip
def test_impossible_shapes_are_refused(device, grid_dim, block_dim, says):
    with pytest.raises(ValueError, match=says):
        device.queue.launch(device.grid("empty", words=0), grid_dim, block_dim, (1, 1, 1), 0, 0, False, 1)
    assert device.queue.is_idle()


def test_floating_point_control_is_each_warps_own(image):
    """Flush-to-zero stays with its warp: other warps and the thread that starts the queue are unaffected."""
    control = {
        name: ctypes.CFUNCTYPE(ctypes.c_uint64)(image.address(name))
        for name in ("get_control_word", "set_flush_to_zero", "clear_flush_to_zero")
    }
    out = np.full((2, 4), 0xDEAD, np.uint64)
    control["set_flush_to_zero"]()
    try:
        launcher = Launcher(image)
        assert launcher.run("control_word", 1, 128, out[0].ctypes.data, 1, fibers=True) is None
        assert launcher.run("control_word", 1, 128, out[1].ctypes.data, 0) is None
        launcher.queue.close()
    finally:
        mine = control["get_control_word"]()
        control["clear_flush_to_zero"]()
    default = 0x1F80 if platform.machine() == "x86_64" else 0
    assert (out == default).all()
    assert mine != default
    assert control["get_control_word"]() == default


def test_objects_that_were_not_initialised_are_refused(device):
    blank = {kind: kind.__new__(kind) for kind in (runtime.CompiledKernel, runtime.Image, runtime.Arena)}
    with pytest.raises(ValueError, match="kernel"):
        device.queue.launch(blank[runtime.CompiledKernel], (1, 1, 1), (1, 1, 1), (1, 1, 1), 0, 0, False, 1)
    with pytest.raises(KeyError):
        blank[runtime.Image].address("empty")
    with pytest.raises(ValueError, match="arena"):
        device.queue.free(blank[runtime.Arena], 1)
    assert device.run("empty", 1, 1) is None


def test_workers_are_bounded():
    before = runtime.workers()
    for count in (0, -1, 1025):
        with pytest.raises(ValueError, match="count"):
            runtime.set_workers(count)
    assert runtime.workers() == before >= 1


@pytest.mark.parametrize("count", [1, 2, 5])
def test_any_number_of_workers_gives_the_same(device, count):
    before = runtime.workers()
    runtime.set_workers(count)
    try:
        out = np.zeros(32 * 3000, np.uint32)
        assert device.run("number_threads", 3000, 32, out.ctypes.data, 0) is None
        assert np.array_equal(out, np.arange(1, len(out) + 1))
    finally:
        runtime.set_workers(before)


def test_parameters_are_gathered_from_pointers(image):
    out, first = np.zeros(32, np.uint32), np.array([0], np.uint64)
    address = np.array([out.ctypes.data], np.uint64)
    pointers = np.array([address.ctypes.data, first.ctypes.data], np.uint64)
    entry, name = image.address("number_threads"), "number_threads"
    grid = runtime.CompiledKernel(entry, name, 0, 0, 0, 16, False, image, ((0, 8), (8, 8)))
    queue = runtime.Queue()
    shape = ((1, 1, 1), (32, 1, 1), (1, 1, 1), 0)
    queue.launch(grid, *shape, pointers.ctypes.data, False, 1, True)
    assert queue.wait(WAIT)
    assert out.all()
    pointers[1] = 0
    with pytest.raises(ValueError, match="parameter 1 is NULL"):
        queue.launch(grid, *shape, pointers.ctypes.data, False, 1, True)
    with pytest.raises(ValueError, match="not within 16 bytes"):
        runtime.CompiledKernel(entry, name, 0, 0, 0, 16, False, image, ((0, 8), (12, 8)))
    queue.close()
