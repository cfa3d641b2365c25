# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# Device memory and machine code in the process: arenas, loaded ELF images. Part of _runtime.pyx.

cdef class Arena:
    """A reserved address range in which allocations are made, each followed by a guard page.

    With the descriptor of a `file` of the same size the memory is that file's: `base` is mapped to offset 0.
    """

    cdef cpu_arena *arena
    cdef readonly object base, size

    def __init__(self, size, int file=-1):
        check_process()
        if self.arena is not NULL:
            raise RuntimeError("the arena exists already")
        if size <= 0 or size >= 1 << 46:
            raise ValueError(f"size must be between 1 and 2**46 - 1 bytes, not {size}")
        self.arena = cpu_arena_make(size, file)
        if self.arena is NULL:
            reason = strerror(errno).decode()
            raise MemoryError(f"cannot reserve {size} bytes of address space for device memory: {reason}")
        self.base = cpu_arena_base(self.arena)
        self.size = size

    def __dealloc__(self):
        if self.arena is not NULL and cpu_process_state() != CPU_FORKED:
            cpu_arena_release(self.arena)

    cdef cpu_arena *get(self) except NULL:
        check_process()
        if self.arena is NULL:
            raise ValueError("the arena is closed")
        return self.arena

    @property
    @cython.critical_section
    def used(self):
        """Bytes in live allocations, each rounded up to 256."""
        return cpu_arena_used(self.get())

    @cython.critical_section
    def allocate(self, size):
        """Return a 256-byte aligned address whose end (rounded up to 256) touches the guard page.

        Raise MemoryError when full.
        """
        cdef uint64_t address
        cdef cpu_arena *arena = self.get()
        if size <= 0:
            raise ValueError(f"size must be positive, not {size}")
        if size > self.size:
            raise MemoryError(f"{size} bytes are more than the {self.size} of the device")
        result = cpu_arena_allocate(arena, size, &address)
        if result == CPU_ARENA_FULL:
            raise MemoryError(f"no free range of {size} bytes: {self.used} of {self.size} are in use")
        if result != CPU_ARENA_DONE:
            raise MemoryError(f"the system has no memory for {size} bytes, or no mapping left (vm.max_map_count)")
        return address

    @cython.critical_section
    def free(self, address):
        cdef cpu_arena *arena = self.get()
        if not cpu_arena_free(arena, address):
            raise ValueError(f"{address:#x} is not the address of a live allocation")

    @cython.critical_section
    def share(self, uint64_t address, int file):
        """Move the pages of an allocation into an empty file; return where in the file the allocation begins.

        Return None, and move nothing, while a queue has work. Meanwhile none gets new work: launches need no GIL.
        """
        cdef uint64_t offset
        cdef cpu_arena *arena = self.get()
        cdef bint idle, done = False
        cdef int error = 0
        with nogil:
            idle = cpu_queues_hold()
            if idle:
                done = cpu_arena_share(arena, address, file, &offset)
                error = errno
            cpu_queues_let_go()
        if not idle:
            return None
        if not done:
            raise OSError(error, f"cannot move the allocation at {address:#x} to a file: {strerror(error).decode()}")
        return offset

    @cython.critical_section
    def find(self, address):
        """Return (start, size) of the live allocation that holds `address`."""
        cdef uint64_t start, size
        if address < 0 or address >= 1 << 64:
            return None
        if cpu_arena_find(self.get(), address, &start, &size):
            return start, size
        return None

    @cython.critical_section
    def close(self):
        """Unmap the range, at once or when the last queued `free` has run."""
        if self.arena is not NULL:
            check_process()
            cpu_arena_release(self.arena)
            self.arena = NULL


cdef class Image:
    """An ELF object (ET_REL), loaded and relocated; undefined symbols are resolved in libc and libm only.

    All its sections are in the `size` bytes from `base`. `debug`: debuggers learn of it.
    """

    cdef cpu_image *image
    cdef readonly object base, size

    def __init__(self, bytes data not None, bint debug=False):
        cdef char error[256]
        cdef const uint8_t *start = data
        cdef size_t size = len(data)
        if self.image is not NULL:
            raise RuntimeError("the image is loaded already")
        with nogil:
            self.image = cpu_image_load(start, size, debug, error, sizeof(error))
        if self.image is NULL:
            raise ValueError((<char *>error).decode("utf-8", "replace"))
        cdef uint64_t base = 0, extent = 0
        cpu_image_range(self.image, &base, &extent)
        self.base, self.size = base, extent

    def __dealloc__(self):
        cpu_image_free(self.image)

    def address(self, str symbol not None):
        cdef void *address = cpu_image_address(self.image, symbol.encode()) if self.image is not NULL else NULL
        if address is NULL:
            raise KeyError(f"the image has no symbol {symbol!r}")
        return <uint64_t>address
