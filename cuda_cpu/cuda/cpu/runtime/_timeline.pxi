# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# When the commands of queues began and ended. Part of _runtime.pyx.

def timeline_switch(bint on):
    """Begin or end to record when commands run."""
    cpu_timeline_switch(on)


def take_timeline():
    """Remove and return the spans recorded so far, in any order.

    Each is (kind, kernel or "", number of the queue, begin, end, bytes, grid, block); times are those of
    time.monotonic_ns.
    """
    cdef cpu_span *each = cpu_timeline_take()
    cdef cpu_span *next
    found = []
    while each is not NULL:
        found.append((
            cpu_timeline_name(each.kind).decode(), (<char *>each.name).decode("utf-8", "replace"),
            <uint64_t>each.queue, each.begin, each.end, each.bytes,
            (each.grid_dim[0], each.grid_dim[1], each.grid_dim[2]),
            (each.block_dim[0], each.block_dim[1], each.block_dim[2]),
        ))
        next = each.next
        free(each)
        each = next
    return found
