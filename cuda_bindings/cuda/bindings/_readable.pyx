# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Checks that an address that a program or a struct gives is memory of this process before it is read.

A struct may hold any number where a pointer is expected: an inactive member of a union, memory that was never
filled, a typing error. The kernel is asked: rt_sigprocmask reads 8 bytes and then refuses an operation that it does
not know, with EFAULT where they cannot be read and EINVAL else. The call changes nothing and needs no descriptor.
"""

from libc.string cimport strlen

cdef extern from *:
    """
    #include <errno.h>
    #include <signal.h>
    #include <stdint.h>
    #include <string.h>
    #include <sys/syscall.h>
    #include <unistd.h>
    static int open_cuda_page_is_readable(uintptr_t page) {
        int before = errno;
        int readable = syscall(SYS_rt_sigprocmask, ~0, (void *)page, NULL, 8) == 0 || errno != EFAULT;
        errno = before;
        return readable;
    }
    """
    size_t strnlen(const char* text, size_t room) noexcept nogil
    bint page_is_readable "open_cuda_page_is_readable"(size_t page) noexcept nogil

cdef enum:
    PAGE = 4096  # the smallest of the systems that CUDA runs on


cdef bint is_readable(const void* start, size_t size) noexcept nogil:
    """Tell whether `size` bytes from `start` can be read."""
    cdef size_t first = <size_t>start
    cdef size_t last = first + size - 1
    cdef size_t page
    if size == 0:
        return True
    if last < first or first < PAGE:  # the call would take address 0 for an absent argument
        return False
    page = first & ~<size_t>(PAGE - 1)
    while page <= last:
        if not page_is_readable(page):
            return False
        if page > <size_t>-1 - PAGE:
            break
        page += PAGE
    return True


cdef int need_readable(const void* start, size_t count, size_t size, const char* where) except -1:
    """Raise the ValueError that names an address at which `count` times `size` bytes cannot be read."""
    cdef bint fits = size == 0 or count <= (<size_t>-1) // size
    if fits and is_readable(start, count * size):
        return 0
    name = f"{where[:strlen(where)].decode()}: " if where[0] else ""
    raise ValueError(f"{name}{<object>count * size} bytes at {<size_t>start:#x} are not readable memory")


cdef Py_ssize_t string_length(const char* text) noexcept nogil:
    """Return the bytes before the NUL of a string, -1 if it runs into memory that cannot be read."""
    cdef size_t length = 0
    cdef size_t room, found
    while True:
        room = PAGE - (<size_t>text + length) % PAGE
        if not is_readable(text + length, 1):
            return -1
        found = strnlen(text + length, room)
        length += found
        if found < room:
            return length
