# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# Snapshots of warps at faults, and objects that debuggers know: for core dumps. Part of _runtime.pyx.

def enable_snapshots(bint enabled):
    """Take a snapshot of the warp at the next fault, or none."""
    cpu_snapshots_enable(enabled)


def take_snapshot():
    """Remove and return the snapshot: registers, and addresses with their bytes; None if there is none."""
    cdef uint32_t number = 0
    cdef uint64_t address = 0
    cdef uint64_t size = 0
    cdef const uint8_t *data = NULL
    cdef list parts = []
    while cpu_snapshot_part(number, &address, &size, &data):
        parts.append((address, <bytes>data[:size]))
        number += 1
    cpu_snapshot_drop()
    return (parts[0][1], parts[1:]) if parts else None


def announced_objects():
    """Return the ELF objects that debuggers know, with the addresses of their sections."""
    cdef uint64_t number = 0
    cdef uint64_t size = cpu_elf_announced(0, NULL, 0)
    cdef list found = []
    cdef bytearray copy
    while size:
        copy = bytearray(size)
        if cpu_elf_announced(number, <uint8_t *>copy, size) == size:
            found.append(bytes(copy))
        number += 1
        size = cpu_elf_announced(number, NULL, 0)
    return found
