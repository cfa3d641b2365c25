# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# Counts of profiled launches. Part of _runtime.pyx.

cdef class LaunchCounts:
    """A completed launch of a profiled kernel: its configuration, the fault that ended it (0: none), its counters.

    `counters` are unsigned 64-bit integers, as bytes in the byte order of the machine.
    """

    cdef readonly object token, order
    cdef readonly tuple grid, block, cluster
    cdef readonly int fault
    cdef readonly object shared_bytes
    cdef readonly bytes counters


def take_profiles():
    """Remove and return the completed launches of profiled kernels, in any order."""
    cdef cpu_profile *each = cpu_profiles_take()
    cdef cpu_profile *next
    cdef LaunchCounts launch
    found = []
    while each is not NULL:
        launch = LaunchCounts.__new__(LaunchCounts)
        launch.token, launch.order, launch.fault = each.token, each.order, each.fault
        launch.grid = (each.grid_dim[0], each.grid_dim[1], each.grid_dim[2])
        launch.block = (each.block_dim[0], each.block_dim[1], each.block_dim[2])
        launch.cluster = (each.cluster_dim[0], each.cluster_dim[1], each.cluster_dim[2])
        launch.shared_bytes = each.shared_size
        launch.counters = (<char *>each.counters)[: each.count * sizeof(uint64_t)]
        found.append(launch)
        next = each.next
        free(each)
        each = next
    return found
