# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Barriers of a block, spin loops between warps and between blocks, and the barrier of a cooperative grid."""

import numpy as np
import pytest
from support.warp_kernels import KIND


@pytest.mark.parametrize("threads", [1, 32, 33, 256, 1000, 1024])
def test_barrier_orders_the_threads_of_a_block(device, threads):
    rounds, blocks = 7, 9
    out = np.zeros((blocks, threads), np.uint32)
    assert device.run("rotate", blocks, threads, out.ctypes.data, rounds, fibers=True, shared=4 * threads) is None
    assert (out == (np.arange(threads) + rounds) % threads).all()


@pytest.mark.parametrize("staying", [1, 31, 32, 50, 128])
def test_lanes_that_left_are_not_waited_for(device, staying):
    out = np.zeros(4, np.uint32)
    assert device.run("leave_early", 1, 128, out.ctypes.data, staying, fibers=True, shared=16) is None
    assert (out[: (staying + 31) // 32] == staying).all()
    assert not out[(staying + 31) // 32 :].any()


def test_barrier_in_a_branch_waits_for_no_lane_of_its_own_warp(device):
    out = np.zeros(3, np.uint32)
    assert device.run("half_waits", 1, 96, out.ctypes.data, 0, fibers=True) is None
    assert out.all()


@pytest.mark.parametrize("threads", [64, 40])  # 40: the second warp is partial, but counts as a full one
def test_named_barriers_hand_over_items(device, threads):
    out = np.zeros(1, np.uint64)
    assert device.run("pipe", 1, threads, out.ctypes.data, 100, fibers=True, shared=16) is None
    assert out[0] == sum(range(100))


@pytest.mark.parametrize("below", [0, 1, 69, 70])
def test_barrier_reduces_a_predicate(device, below):
    out = np.zeros((3, 3), np.uint32)
    assert device.run("reduce", 1, 70, out.ctypes.data, below, fibers=True) is None
    assert (out == (below, below == 70, below > 0)).all()


@pytest.mark.parametrize("kernel", ["wait_for_nobody", "barrier_number"])
def test_impossible_barriers_are_faults(device, kernel):
    fault = device.run(kernel, 4, 64, fibers=True)
    assert (fault.kind, fault.kernel, fault.warp) == (KIND.BARRIER, kernel, 0)
    assert "barrier" in fault.message


def test_a_warp_that_spins_on_another_one_goes_on(device):
    assert device.run("pass_backwards", 3, 1024, fibers=True, shared=4 * 32) is None


@pytest.mark.parametrize(("blocks", "unmarked"), [(40, 0), (4, 1)])
def test_a_block_that_spins_on_a_later_one_goes_on(device, blocks, unmarked):
    """Also without a cooperative launch, and (`unmarked`) in a loop that is not recognised as a spin loop."""
    passed = np.zeros(blocks, np.uint32)
    assert device.run("blocks_pass_backwards", blocks, 32, passed.ctypes.data, unmarked, fibers=True) is None
    assert passed.all()


@pytest.mark.parametrize(("blocks", "threads"), [(1, 32), (13, 96), (200, 32)])
def test_cooperative_grid_is_in_flight_at_once(device, blocks, threads):
    rounds = 5
    cells = np.ones(blocks, np.uint64)
    assert device.run("grid_rounds", blocks, threads, cells.ctypes.data, rounds, cooperative=True) is None
    assert (cells == blocks**rounds).all()


def test_only_cooperative_grids_have_a_workspace(device):
    out = np.full(1, 7, np.uint64)
    assert device.run("workspace", 1, 1, out.ctypes.data, 0) is None
    assert out[0] == 0
    assert device.run("workspace", 1, 1, out.ctypes.data, 0, cooperative=True) is None
    assert out[0] == 1


@pytest.mark.parametrize("fibers", [False, True])
def test_nanosleep_takes_its_time(device, fibers):
    out = np.zeros((3, 2), np.uint64)
    assert device.run("doze", 1, 96, out.ctypes.data, 2_000_000, fibers=fibers) is None
    assert (out >= 1_000_000).all()  # the manual allows [0, 2t]; both clocks count nanoseconds
