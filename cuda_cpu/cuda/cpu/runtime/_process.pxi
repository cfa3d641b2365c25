# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# Process-wide settings, and shutdown at exit. Part of _runtime.pyx.

cdef extern from *:
    """
    #include <fcntl.h>
    #include <sys/stat.h>
    /* Size and modification time (nanoseconds) of a file; -1 if it cannot be read. */
    static int cpu_file_stamp(int folder, const char *name, int64_t stamp[2]) {
        struct stat found;
        if (fstatat(folder, name, &found, 0)) return -1;
        stamp[0] = found.st_size;
        stamp[1] = found.st_mtim.tv_sec * 1000000000LL + found.st_mtim.tv_nsec;
        return 0;
    }
    """
    int cpu_file_stamp(int folder, const char *name, int64_t *stamp)


def stamps(str folder not None):
    """Return names, sizes and modification times of the Python files of a folder. os.stat takes twice as long."""
    cdef int64_t stamp[2]
    cdef list found = []
    cdef bytes name
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for entry in sorted(os.listdir(handle)):
            if entry.endswith(".py"):
                name = os.fsencode(entry)
                if cpu_file_stamp(handle, name, stamp):
                    raise OSError(errno, strerror(errno).decode(), f"{folder}/{entry}")
                found.append(name)
                found.append((<char *>stamp)[:sizeof(stamp)])
    finally:
        os.close(handle)
    return b"\0".join(found)


def abi_table():
    """Return the numbers of exec/abi_table.c: name -> (value, type code of `struct` or "", number of elements)."""
    cdef const cpu_abi_entry *each = cpu_abi_table
    cdef dict found = {}
    while each.name is not NULL:
        found[each.name.decode()] = each.value, chr(each.type) if each.type else "", each.count
        each += 1
    return found


def set_workers(count):
    """Set how many threads may work on one launch (CUDA_CPU_WORKERS, else the number of cores)."""
    if not 1 <= count <= CPU_MAX_WORKERS:
        raise ValueError(f"count must be from 1 to {CPU_MAX_WORKERS}, not {count}")
    cpu_pool_set_workers(count)


def workers():
    return cpu_pool_workers()


def share_memory():
    """Make atomic operations safe beside those of other processes, for the rest of this process."""
    with nogil:
        cpu_sole_share()


def flush_printf():
    """Write the buffered output of device printf to stdout, in order with the C stream's and Python's own output."""
    check_process()
    if not cpu_printf_pending():
        return
    if sys.stdout is not None:
        sys.stdout.flush()
    with nogil:
        cpu_printf_flush()


def set_printf_size(size):
    cpu_printf_set_size(size)


def printf_count():
    """Return how many texts kernels have printed so far."""
    return cpu_printf_count()


def set_heap_size(size):
    """Set the size of the device's malloc heap; RuntimeError once a kernel has allocated from it."""
    check_process()
    if not cpu_heap_set_size(size):
        raise RuntimeError("the heap is in use: its size can only be set before the first malloc() of a kernel")


def reset_heap():
    """Free all that kernels have allocated, once their contexts are destroyed; resets the size to 8 MiB."""
    check_process()
    with nogil:
        cpu_heap_reset()


def set_stack_size(size):
    """Set the guaranteed stack size of each thread of a kernel, in bytes."""
    if not 0 <= size <= 1 << 20:
        raise ValueError(f"size must be from 0 to 2**20 bytes, not {size}")
    cpu_set_stack_size(size)


def shutdown():
    """Stop all threads; called once, at exit."""
    if cpu_process_state() != CPU_RUNNING:
        return
    cpu_queues_note_end()
    cpu_process_stop()
    cdef int64_t deadline = cpu_now() + <int64_t>2000000000
    with nogil:
        cpu_queues_stop()
        cpu_branches_stop()
        cpu_pool_stop()
        cpu_threads_await(deadline)
        cpu_printf_flush()
