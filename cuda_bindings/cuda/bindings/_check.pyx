# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Checks that an address is readable memory of this process, and texts for error messages.

A pointer field may contain any value: an inactive member of a union, uninitialised memory, a typing error.
Readability is checked by a system call: rt_sigprocmask with an invalid operation reads 8 bytes and then fails,
with EFAULT if they cannot be read, else with EINVAL. It has no side effect and needs no file descriptor.
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
    PAGE = 4096  # the smallest page size of the systems that CUDA supports


cdef str name_of(const char* label):
    """Return the name of a parameter or field as str."""
    return label[:strlen(label)].decode()


cdef str short_repr(object o):
    """Return the repr of a value for an error message; for some objects, such as very large ints, repr() raises."""
    try:
        return repr(o)[:80]
    except Exception as error:
        from cuda.bindings._signals import of_handler

        if of_handler(error.__traceback__):
            raise
        return f"an int of {o.bit_length()} bits" if isinstance(o, int) else f"a {type(o).__name__}"


cdef str described(object o):
    """Return the type and the repr of a value, for an error message."""
    return f"{type(o).__name__} ({short_repr(o)})"


cdef bint is_readable(const void* start, size_t size) noexcept nogil:
    """Return whether `size` bytes from `start` can be read."""
    cdef size_t first = <size_t>start
    cdef size_t last = first + size - 1
    cdef size_t page
    if size == 0:
        return True
    if last < first or first < PAGE:  # the system call treats address 0 as an absent argument
        return False
    page = first & ~<size_t>(PAGE - 1)
    while page <= last:
        if not page_is_readable(page):
            return False
        if page > <size_t>-1 - PAGE:
            break
        page += PAGE
    return True


cdef int need_readable(const void* start, size_t count, size_t size, const char* label) except -1:
    """Raise ValueError unless `count` times `size` bytes from `start` can be read."""
    cdef bint fits = size == 0 or count <= (<size_t>-1) // size
    if fits and is_readable(start, count * size):
        return 0
    name = f"{name_of(label)}: " if label[0] else ""
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
