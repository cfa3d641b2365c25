# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# The fast path of launches, waits and queries (queue/fast_path.h), which Python fills. Part of _runtime.pyx.

FAST_PATH = <uint64_t>&cpu_fast_path  # for libcuda.so.1, see fast_path.h


def set_attribute(uint32_t device, uint32_t attribute, int value):
    """Make cuDeviceGetAttribute return this value without Python."""
    cpu_attribute_set(device, attribute, value)


def fast_path_epoch():
    """Return the epoch of the fast path, which `invalidate_fast_path` changes."""
    return cpu_fast_path_epoch()


def invalidate_fast_path():
    """Start a new epoch: cached entries of all threads are invalid; the next call of each kind is served by Python."""
    cpu_fast_path_invalidate()


def set_current_context(uint64_t context):
    """Set the current context of this thread."""
    cpu_fast_path_set_context(context)


def set_deferred_work(bint some):
    """Set whether synchronize must also run deferred host work."""
    cpu_fast_path_set_deferred_work(some)


cdef int add_fast_path(cpu_fast_path_entry *entry, Queue queue, list awaited, uint64_t epoch) except -1:
    cdef Queue each
    if len(awaited) > CPU_MAX_AWAITED:
        return 0
    entry.queue = queue.queue
    for i, each in enumerate(awaited):
        entry.awaited[i] = each.queue
    cpu_fast_path_add(entry, epoch)
    return 0


def cache_wait(uint64_t epoch, uint64_t stream, Queue queue not None, list awaited not None):
    """Cache a fast path for this thread's waits for a stream, if `epoch` is current: wait for `queue` and `awaited`."""
    cdef cpu_fast_path_entry entry
    if command_hook is not None:
        return
    memset(&entry, 0, sizeof(entry))
    entry.stream = stream
    add_fast_path(&entry, queue, awaited, epoch)


def lane_run(tuple block not None):
    """Return which runs of lanes blocks of this shape have, as kernel_abi.py says."""
    cdef uint32_t[3] sizes
    sizes[0], sizes[1], sizes[2] = block
    return cpu_lane_run(sizes)


def cache_launch(
    uint64_t epoch, uint64_t function, uint64_t stream, Queue queue not None, list awaited not None,
    CompiledKernel kernel not None, uint32_t lane_run, uint32_t max_threads, uint32_t max_shared, tuple required_block,
    tuple tile_block=None, uint64_t most_threads=0,
):
    """Cache a fast path for this thread's launches of a function in a stream; it is taken while `awaited` are idle."""
    cdef cpu_fast_path_entry entry
    if launch_hook is not None:
        return
    memset(&entry, 0, sizeof(entry))
    entry.function, entry.stream, entry.compiled = function, stream, kernel.compiled
    entry.lane_run, entry.max_threads, entry.max_shared = lane_run, max_threads, max_shared
    entry.most_threads = most_threads
    if required_block is not None:
        for i in range(3):
            entry.required_block[i] = required_block[i]
    if tile_block is not None:
        for i in range(3):
            entry.tile_block[i] = tile_block[i]
    add_fast_path(&entry, queue, awaited, epoch)
