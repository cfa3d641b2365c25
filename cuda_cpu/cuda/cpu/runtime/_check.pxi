# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# Findings of checked kernels, and the table of allocations that they may access. Part of _runtime.pyx.

cdef class Finding:
    """Errors of one kind of one instruction in one launch: the details of the first error, and their number."""

    cdef readonly int kind, flags, relation
    cdef readonly bint ends
    cdef readonly object grid_id, symbols, allocation
    cdef readonly str kernel
    cdef readonly object site, count, address, size, offset, start, bytes, other_site
    cdef readonly tuple block, thread, other_block, other_thread
    cdef readonly str origin


def take_findings(uint64_t grid_id):
    """Remove and return the findings of a launch, in the order of threads; 0: of all that have ended."""
    cdef cpu_finding *each = cpu_findings_take(grid_id)
    cdef cpu_finding *next
    cdef Finding finding
    found = []
    while each is not NULL:
        finding = Finding.__new__(Finding)
        finding.kind, finding.flags, finding.relation = each.kind, each.flags, each.relation
        finding.ends = each.ends
        finding.grid_id, finding.symbols = each.grid_id, <uint64_t>each.symbols
        finding.kernel = (<char *>each.kernel).decode("utf-8", "replace")
        finding.allocation = each.allocation.id
        finding.site, finding.count, finding.address = each.site, each.count, each.address
        finding.size, finding.offset = each.size, each.offset
        finding.start, finding.bytes = each.allocation.start, each.allocation.size
        finding.origin = (<char *>each.allocation.origin).decode("utf-8", "replace")
        finding.block = (each.block[0], each.block[1], each.block[2])
        finding.thread = (each.thread[0], each.thread[1], each.thread[2])
        finding.other_site = each.other_site
        finding.other_block = (each.other_block[0], each.other_block[1], each.other_block[2])
        finding.other_thread = (each.other_thread[0], each.other_thread[1], each.other_thread[2])
        found.append(finding)
        next = each.next
        free(each)
        each = next
    return found


def record_findings(bint on):
    """Let launches with findings complete without a fault, unless the kernel cannot continue."""
    cpu_check_record(on)


def findings_pending():
    """Return whether there are findings of launches that completed without a fault."""
    return cpu_check_pending()


def track_heap(bint on):
    """Note allocations of malloc in kernels from now on."""
    cpu_heap_track(on)


def take_heap_leaks():
    """Remove the notes of live allocations of malloc in kernels; return (grid_id, kernel, size) of each."""
    cdef cpu_heap_block *each = cpu_heap_leaks()
    cdef cpu_heap_block *next
    found = []
    while each is not NULL:
        found.append((each.grid_id, (<char *>each.kernel).decode("utf-8", "replace"), each.size))
        next = each.next
        free(each)
        each = next
    return found


def table_add(uint64_t start, uint64_t size, uint64_t id, bint joins, str origin not None):
    """Add a range to the table of allocations that checked kernels may access."""
    if not cpu_table_add(start, size, id, joins, origin.encode()):
        raise MemoryError


def table_remove(uint64_t id):
    """Remove a range from the table, by its id."""
    cpu_table_remove(id)


def table_clear():
    cpu_table_clear()


TABLE_REMOVE = <uint64_t>&cpu_table_remove_called  # for Queue.call


def init_mark(uint64_t start, uint64_t size, bint written):
    """Let initcheck regard memory as written, or as not written."""
    cpu_init_mark(start, size, written)


def init_range(uint64_t start, uint64_t size):
    """Return an argument for INIT_BEGIN, which frees it."""
    cdef cpu_init_range *made = <cpu_init_range *>calloc(1, sizeof(cpu_init_range))
    if made is NULL:
        raise MemoryError
    made.start, made.size = start, size
    return <uint64_t>made


INIT_BEGIN = <uint64_t>&cpu_init_begin_called  # for Queue.call
