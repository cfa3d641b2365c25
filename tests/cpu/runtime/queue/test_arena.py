# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Device memory: alignment, guard pages, reuse and sharing of allocations, in any order of allocating and freeing."""

import ctypes
import itertools
import os
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.warp_kernels import WAIT

from cuda.cpu.runtime import _runtime as runtime

SIZE = 1 << 20
sizes = st.integers(1, 300) | st.integers(1, 3 * 4096) | st.integers(1, SIZE // 2)


def rounded(size):
    return -(-size // 256) * 256


@settings(max_examples=60)
@given(st.lists(sizes | st.tuples(st.just("free"), st.integers(0, 99)), max_size=60))
def test_allocations_are_apart_and_found(steps):
    arena = runtime.Arena(SIZE)
    live = {}
    for step in steps:
        if isinstance(step, tuple):
            if live:
                address = sorted(live)[step[1] % len(live)]
                arena.free(address)
                assert arena.find(address) is None
                del live[address]
        else:
            try:
                address = arena.allocate(step)
            except MemoryError:
                continue
            assert address % 256 == 0
            assert (address + rounded(step)) % 4096 == 0
            assert arena.base <= address
            assert address + rounded(step) + 4096 <= arena.base + arena.size
            live[address] = step
            ctypes.memset(address, 1, step)
        assert arena.used == sum(map(rounded, live.values()))
    ordered = sorted(live)
    for address, following in itertools.pairwise(ordered):
        assert address + rounded(live[address]) + 4096 <= following  # the guard page is between
    for address, size in live.items():
        assert arena.find(address) == arena.find(address + size - 1) == (address, size)
        assert arena.find(address + size) is None
        assert arena.find(address - 1) is None
        arena.free(address)
    assert arena.used == 0
    arena.free(arena.allocate(SIZE - 4096))  # all free extents have become one again
    arena.close()


def test_many_allocations_fit_beside_the_rest_of_the_process():
    """More allocations than the limit of mappings allows, if each had a guard page."""
    arena = runtime.Arena(1 << 32)
    addresses = [arena.allocate(300) for _ in range(40000)]
    for address in addresses[::7]:
        ctypes.memset(address, 1, 300)
    for address in addresses[::2] + addresses[1::2]:
        arena.free(address)
    assert arena.used == 0
    again = arena.allocate(300)
    assert again == addresses[0]
    arena.close()


def test_wrong_addresses_are_refused(arena):
    address = arena.allocate(1000)
    for wrong in (0, address + 256, arena.base - 1, arena.base + arena.size, 2**64 - 1):
        with pytest.raises(ValueError, match="live allocation"):
            arena.free(wrong)
        if wrong != address + 256:
            assert arena.find(wrong) is None
    arena.free(address)
    with pytest.raises(ValueError, match="live allocation"):
        arena.free(address)
    for absurd in (-1, 2**64, 2**100):
        assert arena.find(absurd) is None


def test_out_of_memory_changes_nothing(arena):
    address = arena.allocate(arena.size // 2)
    for size in (arena.size // 2, arena.size, 2**63, 2**70):
        with pytest.raises(MemoryError, match=str(size)):
            arena.allocate(size)
    assert arena.used == arena.size // 2
    assert arena.find(address) == (address, arena.size // 2)
    for size in (0, -5):
        with pytest.raises(ValueError, match="size"):
            arena.allocate(size)


def contents(file, offset, size):
    return os.pread(file, size, offset)


def test_arena_of_a_file():
    file = os.memfd_create("arena")
    os.ftruncate(file, SIZE)
    arena = runtime.Arena(SIZE, file)
    first, second = arena.allocate(100), arena.allocate(5000)
    ctypes.memset(second, 3, 5000)
    assert contents(file, second - arena.base, 5000) == b"\3" * 5000
    arena.free(second)
    assert contents(file, second - arena.base, 5000) == bytes(5000), "what is freed takes no memory"
    arena.free(first)
    arena.close()
    os.close(file)


def test_an_allocation_moves_to_a_file():
    arena, file = runtime.Arena(SIZE), os.memfd_create("allocation")
    address = arena.allocate(5000)
    ctypes.memset(address, 4, 5000)
    offset = arena.share(address, file)
    assert contents(file, offset, 5000) == b"\4" * 5000
    ctypes.memset(address, 5, 5000)
    assert contents(file, offset, 5000) == b"\5" * 5000
    for wrong in (address, address + 1):  # shared already; no allocation
        with pytest.raises(OSError, match="cannot move"):
            arena.share(wrong, file)
    arena.free(address)
    assert arena.allocate(5000) == address
    ctypes.memset(address, 6, 5000)
    assert contents(file, offset, 5000) == b"\5" * 5000, "the next allocation is nobody else's"
    os.close(file)


def test_closed_arena_says_so():
    arena = runtime.Arena(SIZE)
    arena.allocate(10)
    arena.close()
    arena.close()
    for use in (lambda: arena.allocate(1), lambda: arena.free(1), lambda: arena.find(1), lambda: arena.used):
        with pytest.raises(ValueError, match="closed"):
            use()


@pytest.mark.parametrize("size", [0, -1, 1 << 46, 1 << 80])
def test_impossible_sizes_are_refused(size):
    with pytest.raises(ValueError, match="size"):
        runtime.Arena(size)


def test_free_in_the_order_of_the_queue():
    arena, queue = runtime.Arena(SIZE), runtime.Queue()
    address = arena.allocate(512)
    gate = ctypes.c_uint32(0)
    queue.wait_value(ctypes.addressof(gate), 1, 4, 1)
    queue.fill(address, 3, 1, 512)
    queue.free(arena, address)
    arena.close()  # the range stays until the queue has come to the free
    gate.value = 1
    assert queue.wait(WAIT)
    assert queue.take_fault() is None
    queue.close()


def test_many_threads(arena):
    def work(seed):
        held = []
        for i in range(300):
            held.append(address := arena.allocate(100 + seed * i))
            ctypes.memset(address, seed, 100)
            if len(held) > 20:
                arena.free(held.pop(seed * i % 20))
        for address in held:
            if ctypes.string_at(address, 100) != bytes([seed]) * 100:
                wrong.append(address)
            arena.free(address)

    wrong = []
    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert arena.used == 0
