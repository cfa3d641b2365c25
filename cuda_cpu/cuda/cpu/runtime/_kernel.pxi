# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# Kernels: data shared by all launches of one, tier-up, and their descriptors for the device runtime.
# Part of _runtime.pyx.

@cython.no_gc_clear
cdef class DeviceRuntime:
    """State of a context that kernels query through the device runtime, and its launch limits: see device.h."""

    cdef cpu_device_runtime *device_runtime
    cdef bytes text
    cdef cpu_status_text *statuses

    def __init__(
        self, uint32_t device, uint32_t devices, uint32_t version, dict attributes not None, dict limits not None,
        tuple occupancy not None, list statuses not None,
    ):
        """Take the device ordinal, the number of devices, the CUDA version, attributes and limits by their numbers.

        `occupancy` has the shared memory, threads and blocks of a multiprocessor, and the shared memory reserved for
        each block; `statuses` has the number, name and text of each cudaError_t.
        """
        if self.device_runtime is not NULL:
            raise RuntimeError("the device runtime exists already")
        self.device_runtime = <cpu_device_runtime *>calloc(1, sizeof(cpu_device_runtime))
        self.statuses = <cpu_status_text *>calloc(len(statuses) + 1, sizeof(cpu_status_text))
        if self.device_runtime is NULL or self.statuses is NULL:
            raise MemoryError
        self.device_runtime.device, self.device_runtime.devices, self.device_runtime.version = device, devices, version
        for which, value in attributes.items():
            if not 0 <= which < CPU_ATTRIBUTES:
                raise ValueError(f"attribute {which} must be 0 to {CPU_ATTRIBUTES - 1}")
            cpu_device_runtime_set_attribute(self.device_runtime, which, value)
        for which, value in limits.items():
            self.set_limit(which, value)
        self.device_runtime.shared_per_sm, self.device_runtime.threads_per_sm = occupancy[0], occupancy[1]
        self.device_runtime.blocks_per_sm, self.device_runtime.reserved_shared = occupancy[2], occupancy[3]
        cdef list offsets = []
        cdef list texts = []
        cdef size_t end = 0
        for _, *words in statuses:
            for word in words:
                data = word.encode() + b"\0"
                offsets.append(end)
                texts.append(data)
                end += len(data)
        self.text = b"".join(texts)
        cdef const char *start = self.text
        for i, (status, *_) in enumerate(statuses):
            self.statuses[i].status = status
            self.statuses[i].name = start + <size_t>offsets[2 * i]
            self.statuses[i].text = start + <size_t>offsets[2 * i + 1]
        self.device_runtime.statuses, self.device_runtime.status_count = self.statuses, len(statuses)

    def set_limit(self, uint32_t which, uint64_t value):
        if which >= CPU_LIMITS:
            raise ValueError(f"limit {which} must be 0 to {CPU_LIMITS - 1}")
        cpu_device_runtime_set_limit(self.device_runtime, which, value)

    @property
    def texts(self):
        """Address and size of the buffer with the names and texts of statuses, for the table of allocations."""
        return <uint64_t><const char *>self.text, len(self.text) + 1

    def __dealloc__(self):
        free(self.device_runtime)
        free(self.statuses)


@cython.no_gc_clear
cdef class DeviceKernel:
    """Descriptor of a kernel for launches by other kernels: `address` is the kernel's address in device code."""

    cdef cpu_kernel *kernel
    cdef object grids

    def __init__(self, uint32_t max_threads, required_block, cluster, uint32_t shared):
        """Take the limits that launches are checked against; cluster (0, 0, 0): to be given at each launch."""
        if self.kernel is not NULL:
            raise RuntimeError("the kernel exists already")
        self.kernel = <cpu_kernel *>calloc(1, sizeof(cpu_kernel))
        if self.kernel is NULL:
            raise MemoryError
        self.kernel.kind = CPU_KERNEL_KIND
        self.kernel.max_threads, self.kernel.shared = max_threads, shared
        for i in range(3):
            self.kernel.required_block[i] = required_block[i] if required_block is not None else 0
            self.kernel.cluster[i] = cluster[i]

    def fill(
        self, CompiledKernel full_run not None, CompiledKernel half_run not None, uint32_t dynamic, bytes facts not None
    ):
        """Set the machine code, which makes the kernel launchable; `facts` is its cudaFuncAttributes."""
        if len(facts) > CPU_FUNCTION_FACTS:
            raise ValueError(f"facts has {len(facts)} bytes, at most {CPU_FUNCTION_FACTS} fit")
        self.grids = full_run, half_run
        memcpy(self.kernel.facts, <const char *>facts, len(facts))
        self.kernel.facts_size = len(facts)
        cpu_kernel_set(self.kernel, full_run.compiled, half_run.compiled, dynamic)

    @property
    def address(self):
        return <uint64_t>self.kernel

    def __dealloc__(self):
        if self.kernel is not NULL:
            self.kernel.kind = 0
        free(self.kernel)


# Compiled kernels that were dropped with launches still queued: (kernel, owner), kept until those are done.
cdef list abandoned = []


cdef class _Abandoned:
    cdef cpu_compiled_kernel *compiled
    cdef object owner

    def __dealloc__(self):
        free(self.compiled)


cdef int free_abandoned() except -1:
    cdef list used = []
    cdef _Abandoned each
    try:
        while abandoned:
            each = abandoned.pop()  # by one thread only
            if cpu_compiled_kernel_in_use(each.compiled):
                used.append(each)
    except IndexError:
        pass  # another thread took the last one
    abandoned.extend(used)
    return 0


@cython.no_gc_clear
cdef class CompiledKernel:
    """The properties of a kernel that all its launches share: machine code, sizes, parameter layout, checks."""

    cdef object __weakref__
    cdef cpu_compiled_kernel *compiled
    cdef object owner

    def __init__(
        self, uint64_t entry, str name not None, uint64_t symbols, uint32_t shared_static, uint64_t local_bytes,
        uint32_t parameter_bytes, int path, object owner, tuple layout=(), uint64_t frames=0, uint32_t checks=0,
        DeviceRuntime device_runtime=None, uint32_t alignment=CPU_ALIGNMENT, uint32_t counters=0, uint64_t token=0,
    ):
        cdef bytes text = name.encode()
        if self.compiled is not NULL:
            raise RuntimeError("the compiled kernel exists already")
        if entry == 0:
            raise ValueError("entry must be the address of machine code, not 0")
        for offset, size in layout:
            if not 0 <= offset <= offset + size <= parameter_bytes:
                raise ValueError(f"a parameter of {size} bytes at {offset} is not within {parameter_bytes} bytes")
        if path not in (CPU_PATH_WARPS, CPU_PATH_FIBERS, CPU_PATH_BLOCKS, CPU_PATH_PADDED):
            raise ValueError(f"path must be 0 to 3, not {path}")
        if local_bytes > 1 << 24:
            raise ValueError(f"local_bytes must be at most 2**24, not {local_bytes}")
        if not 0 < alignment <= CPU_MAX_ALIGNMENT or alignment & (alignment - 1):
            raise ValueError(f"alignment must be a power of two up to {CPU_MAX_ALIGNMENT}, not {alignment}")
        if frames > 1 << 40:
            raise ValueError(f"frames must be at most 2**40, not {frames}")
        free_abandoned()
        self.compiled = cpu_compiled_kernel_make(len(text), len(layout))
        if self.compiled is NULL:
            raise MemoryError
        cpu_compiled_kernel_set_entry(self.compiled, entry)
        for i, (offset, size) in enumerate(layout):
            self.compiled.layout[i].offset, self.compiled.layout[i].size = offset, size
        self.compiled.symbols = <const uint64_t *>symbols
        self.compiled.shared_static = shared_static
        self.compiled.local_bytes = local_bytes
        self.compiled.frames = frames
        self.compiled.parameter_bytes = parameter_bytes
        self.compiled.path = path
        self.compiled.checks = checks
        self.compiled.counters, self.compiled.token = counters, token
        self.compiled.alignment = alignment
        if device_runtime is not None:
            self.compiled.device_runtime = device_runtime.device_runtime
        memcpy(self.compiled.name, <char *>text, len(text))
        self.owner = owner, device_runtime

    def watch(self, int64_t nanoseconds):
        """Make the kernel hot once it has run for so many nanoseconds in total: see `is_hot`, `wait_hot`."""
        cpu_compiled_kernel_watch(self.compiled, nanoseconds)

    def is_hot(self):
        return cpu_compiled_kernel_is_hot(self.compiled)

    def replace(self, uint64_t entry):
        """Switch to other machine code of the same kernel; the owner keeps the old code, which may still run."""
        if entry == 0:
            raise ValueError("entry must be the address of machine code, not 0")
        cpu_compiled_kernel_set_entry(self.compiled, entry)
        cpu_compiled_kernel_watch(self.compiled, 0)

    def __dealloc__(self):
        cdef _Abandoned kept
        if self.compiled is not NULL and cpu_compiled_kernel_in_use(self.compiled):
            kept = _Abandoned.__new__(_Abandoned)
            kept.compiled = self.compiled
            kept.owner = self.owner
            abandoned.append(kept)
        else:
            free(self.compiled)


def wait_hot(uint32_t seen):
    """Wait until a watched kernel has become hot since the call that returned `seen`; return the next `seen`."""
    cdef uint32_t count
    with nogil:
        count = cpu_hot_wait(seen)
    return count
