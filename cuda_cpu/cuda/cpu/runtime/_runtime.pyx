# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The native half of the CPU device: memory, queues, events, grids. No driver semantics live here."""

cimport cython
from libc.errno cimport errno
from libc.stdint cimport INT64_MAX
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset, strerror

import os
import sys

from cuda.cpu import ending

ABI = CPU_KERNEL_ABI


cdef int check_process() except -1:
    if cpu_process_state() == CPU_FORKED:
        raise RuntimeError("the CPU device cannot be used in a forked child: its threads stayed in the parent")
    return 0


cdef int64_t deadline_of(double timeout) noexcept:
    if timeout < 0 or timeout > 1e9:
        return INT64_MAX
    return cpu_now() + <int64_t>(timeout * 1e9)


cdef class Fault:
    """Why a launch ended early (enum cpu_fault), read once from the queue."""

    cdef readonly int kind, warp, line
    cdef readonly object address, pc, grid_id, symbols
    cdef readonly str kernel, message
    cdef readonly tuple block, callers

    def __repr__(self):
        return (
            f"Fault(kind={self.kind}, address={self.address:#x}, kernel={self.kernel!r}, block={self.block}, "
            f"warp={self.warp}, line={self.line}, message={self.message!r})"
        )


cdef Fault fault_of(const cpu_fault_record *record):
    cdef Fault fault = Fault.__new__(Fault)
    fault.kind = record.kind
    fault.address = record.address
    fault.pc = record.pc
    fault.callers = tuple([caller for caller in record.callers if caller])
    fault.kernel = record.kernel.decode("utf-8", "replace")
    fault.block = (record.block[0], record.block[1], record.block[2])
    fault.warp = record.warp
    fault.grid_id = record.grid_id
    fault.symbols = <uint64_t>record.symbols
    fault.line = record.line
    fault.message = record.message.decode("utf-8", "replace")
    return fault


cdef class Arena:
    """Reserve an address range; pages come and go inside it, each allocation followed by a guard page.

    With the descriptor of a `file` as large as that, an address is an offset in the file: its distance from `base`.
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
    def used(self):
        """Bytes in live allocations, each rounded up to 256."""
        return cpu_arena_used(self.get())

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

    def free(self, address):
        cdef cpu_arena *arena = self.get()
        if not cpu_arena_free(arena, address):
            raise ValueError(f"{address:#x} is not the address of a live allocation")

    def share(self, address, int file, list queues not None):
        """Move the pages of an allocation into an empty file; return where in the file the allocation begins.

        Return None, and move nothing, while one of `queues` has work. The interpreter lock is held meanwhile, so that
        none can get any.
        """
        cdef uint64_t offset
        cdef Queue queue
        cdef cpu_arena *arena = self.get()
        for queue in queues:
            if not cpu_queue_idle(queue.queue):
                return None
        if not cpu_arena_share(arena, address, file, &offset):
            raise OSError(errno, f"cannot move the allocation at {address:#x} to a file: {strerror(errno).decode()}")
        return offset

    def find(self, address):
        """Return (start, size) of the live allocation that holds `address`."""
        cdef uint64_t start, size
        if address < 0 or address >= 1 << 64:
            return None
        if cpu_arena_find(self.get(), address, &start, &size):
            return start, size
        return None

    def close(self):
        """Give the range back, at once or when the last queued `free` is done."""
        if self.arena is not NULL:
            check_process()
            cpu_arena_release(self.arena)
            self.arena = NULL


cdef class Image:
    """Load and relocate an ELF object (ET_REL); undefined symbols come from libc and libm only.

    It lies in memory from `base` on, `size` bytes with all its sections.
    """

    cdef cpu_image *image
    cdef readonly object base, size

    def __init__(self, bytes data not None):
        cdef char error[256]
        cdef const uint8_t *start = data
        cdef size_t size = len(data)
        if self.image is not NULL:
            raise RuntimeError("the image is loaded already")
        with nogil:
            self.image = cpu_image_load(start, size, error, sizeof(error))
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


@cython.no_gc_clear
cdef class DeviceRuntime:
    """What kernels can ask of their context, and how much they may launch: see device.h."""

    cdef cpu_device_runtime *device_runtime
    cdef bytes text
    cdef cpu_status_text *statuses

    def __init__(
        self, uint32_t device, uint32_t devices, uint32_t version, dict attributes not None, dict limits not None,
        tuple occupancy not None, list statuses not None,
    ):
        """Take the device's number, how many there are, CUDA's version, attributes and limits by their numbers.

        `occupancy` has bytes of shared memory, threads and blocks of a multiprocessor, and reserved bytes of each
        block; `statuses` the number, name and text of each cudaError_t.
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
        """Address and size of what the texts of statuses lie in, for checks."""
        return <uint64_t><const char *>self.text, len(self.text) + 1

    def __dealloc__(self):
        free(self.device_runtime)
        free(self.statuses)


@cython.no_gc_clear
cdef class DeviceKernel:
    """A kernel as other kernels see it: `address` is what the address of the kernel is in device code."""

    cdef cpu_kernel *kernel
    cdef object grids

    def __init__(self, uint32_t max_threads, required_block, cluster, uint32_t shared):
        """Take what launches are checked by; a cluster of (0, 0, 0) is one that each launch would have to give."""
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

    def fill(self, Grid full_run not None, Grid half_run not None, uint32_t dynamic, bytes facts not None):
        """Let it be launched; `facts` is its cudaFuncAttributes."""
        if len(facts) > CPU_FUNCTION_FACTS:
            raise ValueError(f"facts has {len(facts)} bytes, at most {CPU_FUNCTION_FACTS} fit")
        self.grids = full_run, half_run
        memcpy(self.kernel.facts, <const char *>facts, len(facts))
        self.kernel.facts_size = len(facts)
        cpu_kernel_set(self.kernel, full_run.grid, half_run.grid, dynamic)

    @property
    def address(self):
        return <uint64_t>self.kernel

    def __dealloc__(self):
        if self.kernel is not NULL:
            self.kernel.kind = 0
        free(self.kernel)


# Grids that were dropped with launches still queued: (grid, owner), kept until those are done.
cdef list abandoned = []


cdef class Abandoned:
    cdef cpu_grid *grid
    cdef object owner

    def __dealloc__(self):
        free(self.grid)


cdef void free_abandoned():
    cdef Abandoned each
    if abandoned:
        abandoned[:] = [each for each in abandoned if cpu_grid_in_use(each.grid)]


@cython.no_gc_clear
cdef class Grid:
    """Everything about a launch that does not change from one launch of the kernel to the next."""

    cdef object __weakref__
    cdef cpu_grid *grid
    cdef object owner

    def __init__(
        self, uint64_t entry, str name not None, uint64_t symbols, uint32_t shared_static, uint64_t local_bytes,
        uint32_t parameter_bytes, int path, object owner, tuple layout=(), uint64_t frames=0, uint32_t checks=0,
        DeviceRuntime device_runtime=None, uint32_t alignment=CPU_ALIGNMENT,
    ):
        cdef bytes text = name.encode()
        if self.grid is not NULL:
            raise RuntimeError("the grid exists already")
        if entry == 0:
            raise ValueError("entry must be the address of machine code, not 0")
        for offset, size in layout:
            if not 0 <= offset <= offset + size <= parameter_bytes:
                raise ValueError(f"a parameter of {size} bytes at {offset} is not within {parameter_bytes} bytes")
        if path not in (CPU_PATH_WARPS, CPU_PATH_FIBERS, CPU_PATH_BLOCKS):
            raise ValueError(f"path must be 0, 1 or 2, not {path}")
        if local_bytes > 1 << 24:
            raise ValueError(f"local_bytes must be at most 2**24, not {local_bytes}")
        if not 0 < alignment <= CPU_MAX_ALIGNMENT or alignment & (alignment - 1):
            raise ValueError(f"alignment must be a power of two up to {CPU_MAX_ALIGNMENT}, not {alignment}")
        if frames > 1 << 40:
            raise ValueError(f"frames must be at most 2**40, not {frames}")
        free_abandoned()
        self.grid = cpu_grid_make(len(text), len(layout))
        if self.grid is NULL:
            raise MemoryError
        cpu_grid_set_entry(self.grid, entry)
        for i, (offset, size) in enumerate(layout):
            self.grid.layout[i].offset, self.grid.layout[i].size = offset, size
        self.grid.symbols = <const uint64_t *>symbols
        self.grid.shared_static = shared_static
        self.grid.local_bytes = local_bytes
        self.grid.frames = frames
        self.grid.parameter_bytes = parameter_bytes
        self.grid.path = path
        self.grid.checks = checks
        self.grid.alignment = alignment
        if device_runtime is not None:
            self.grid.device_runtime = device_runtime.device_runtime
        memcpy(self.grid.name, <char *>text, len(text))
        self.owner = owner, device_runtime

    def watch(self, int64_t nanoseconds):
        """Ask for `is_hot` once the kernel has run so long; `wait_hot` returns then."""
        cpu_grid_watch(self.grid, nanoseconds)

    def is_hot(self):
        return cpu_grid_is_hot(self.grid)

    def replace(self, uint64_t entry):
        """Go on with other machine code of the same kernel; the owner has to keep the old code, which may still run."""
        if entry == 0:
            raise ValueError("entry must be the address of machine code, not 0")
        cpu_grid_set_entry(self.grid, entry)
        cpu_grid_watch(self.grid, 0)

    def __dealloc__(self):
        cdef Abandoned kept
        if self.grid is not NULL and cpu_grid_in_use(self.grid):
            kept = Abandoned.__new__(Abandoned)
            kept.grid = self.grid
            kept.owner = self.owner
            abandoned.append(kept)
        else:
            free(self.grid)


def wait_hot(uint32_t seen):
    """Wait until a watched kernel gets hot after `seen` was returned; return what to wait with next."""
    cdef uint32_t count
    with nogil:
        count = cpu_hot_wait(seen)
    return count


cdef extern from *:
    """
    #include <fcntl.h>
    #include <sys/stat.h>
    /* What changes with a file: its size and time (nanoseconds); -1 where it cannot be told. */
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
    """Return what changes with the Python files of a folder: names, sizes, times. os.stat takes twice as long."""
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


SHARED_EVENT_BYTES = CPU_SHARED_BYTES


cdef class Event:
    """An event; with the descriptor of a `file` of SHARED_EVENT_BYTES the same one for all who have the file."""

    cdef cpu_event *event

    def __cinit__(self, int file=-1):
        self.event = cpu_event_make(file)
        if self.event is NULL:
            raise MemoryError

    def __init__(self, int file=-1):
        check_process()

    def __dealloc__(self):
        if self.event is not NULL and cpu_process_state() != CPU_FORKED:
            cpu_event_free(self.event)

    def is_done(self):
        """Return whether the latest record is done; true if there is none."""
        check_process()
        cdef cpu_event_record *record = cpu_event_latest(self.event)
        cdef bint done = cpu_event_record_done(record)
        cpu_event_record_release(record)
        return done

    def wait(self, double timeout):
        """Wait for the latest record; false when `timeout` seconds (< 0: none) pass first."""
        check_process()
        cdef cpu_event_record *record = cpu_event_latest(self.event)
        cdef int64_t deadline = deadline_of(timeout)
        cdef bint done = cpu_event_record_done(record)
        if not done:
            with nogil:
                done = cpu_event_record_wait(record, deadline)
        cpu_event_record_release(record)
        return done

    def time_ns(self):
        """Return when the latest record was done, in nanoseconds of CLOCK_MONOTONIC."""
        check_process()
        cdef cpu_event_record *record = cpu_event_latest(self.event)
        if record is NULL:
            raise RuntimeError("the event was never recorded")
        cdef bint done = cpu_event_record_done(record)
        cdef int64_t time = record.time if done else 0
        cpu_event_record_release(record)
        if not done:
            raise RuntimeError("the event's record is not done yet")
        return time


cdef int dimensions(str name, tuple value, uint32_t *out, uint64_t limit) except -1:
    cdef uint64_t product = 1
    if value is None or len(value) != 3:
        raise ValueError(f"{name} must be three numbers, not {value!r}")
    for i in range(3):
        if not 1 <= value[i] <= 0x7fffffff:
            raise ValueError(f"{name} must be positive 31-bit numbers, not {value!r}")
        out[i] = value[i]
        product *= out[i]
        if product > limit:
            raise ValueError(f"{name} {value!r} has more than {limit} elements")
    return 0


class QueueClosed(ValueError):
    """A queue that was closed is given a command."""


cdef class Queue:
    """A stream: commands run in order on a native thread of its own that starts with the first command.

    After a fault the commands that follow are dropped until `take_fault` is called; events still complete. `workers` is
    how many threads may work on one launch, 0 all.
    """

    cdef cpu_queue *queue
    cdef readonly int priority

    def __cinit__(self, int priority=0, uint32_t workers=0):
        check_process()
        self.queue = cpu_queue_make(workers)
        if self.queue is NULL:
            raise MemoryError
        self.priority = priority

    def __dealloc__(self):
        if self.queue is not NULL:
            cpu_queue_destroy(self.queue)

    cdef cpu_command *command(self, int kind) except NULL:
        check_process()
        cdef cpu_command *command = cpu_command_make(self.queue, kind)
        if command is NULL:
            raise MemoryError
        return command

    cdef int submit(self, cpu_command *command) except -1:
        cdef int result = cpu_queue_submit(self.queue, command)
        if result == CPU_SUBMITTED:
            return 0
        if result == CPU_QUEUE_CLOSED:
            raise QueueClosed("the queue is closed")
        if result == CPU_QUEUE_STOPPED:
            raise RuntimeError("the CPU device is shut down")
        raise MemoryError("the system has no thread for the queue")

    def launch(
        self, Grid grid not None, tuple grid_dim, tuple block_dim, tuple cluster_dim, uint32_t shared_dynamic,
        uint64_t params, bint cooperative, uint64_t grid_id, bint gather=False,
    ):
        cdef cpu_launch launch
        if grid.grid is NULL:
            raise ValueError("the grid was not initialised")
        cdef void **pointers = <void **>params
        cdef uint32_t count = grid.grid.parameters if gather else 0
        cdef uint32_t i
        cdef bint done
        for i in range(count):
            if pointers[i] is NULL:
                raise ValueError(f"the pointer to parameter {i} is NULL")
        dimensions("grid_dim", grid_dim, launch.grid_dim, <uint64_t>1 << 62)
        dimensions("block_dim", block_dim, launch.block_dim, 1024)
        dimensions("cluster_dim", cluster_dim, launch.cluster_dim, 1024)
        if shared_dynamic > 1 << 30 or grid.grid.shared_static > 1 << 30:
            raise ValueError(f"shared memory of {grid.grid.shared_static} + {shared_dynamic} bytes is too large")
        launch.grid = grid.grid
        launch.shared_dynamic = shared_dynamic
        launch.cooperative = cooperative
        launch.disabled, launch.node = False, NULL
        launch.grid_id = grid_id or cpu_grid_number()
        cdef cpu_command *command = self.command(CPU_LAUNCH)
        command.launch = launch
        cpu_grid_retain(grid.grid)
        if gather:
            done = cpu_launch_gather(command, pointers)
        else:
            done = cpu_launch_params(command, <const void *>params, grid.grid.parameter_bytes)
        if not done:
            cpu_command_discard(command)
            raise MemoryError
        self.submit(command)

    cdef int rows(
        self, int kind, destination, destination_pitch, source, source_pitch, width, height,
        uint32_t value, uint32_t value_width,
    ) except -1:
        cdef cpu_rows rows
        rows.destination, rows.destination_pitch = destination, destination_pitch
        rows.source, rows.source_pitch = source, source_pitch
        rows.width, rows.height = width, height
        rows.value, rows.value_width = value, value_width
        cdef cpu_command *command = self.command(kind)
        command.rows = rows
        return self.submit(command)

    def copy(self, destination, source, size):
        self.rows(CPU_COPY, destination, 0, source, 0, size, 1, 0, 0)

    def copy_2d(self, destination, destination_pitch, source, source_pitch, width, height):
        self.rows(CPU_COPY, destination, destination_pitch, source, source_pitch, width, height, 0, 0)

    def fill(self, destination, value, width, count):
        self.fill_2d(destination, 0, value, width, count, 1)

    def fill_2d(self, destination, pitch, value, width, columns, rows):
        if width not in (1, 2, 4):
            raise ValueError(f"width must be 1, 2 or 4 bytes, not {width}")
        self.rows(CPU_FILL, destination, pitch, 0, 0, columns * width, rows, value & 0xffffffff, width)

    def record(self, Event event not None):
        cdef cpu_command *command = self.command(CPU_RECORD)
        command.record = cpu_event_new_record(event.event)
        if command.record is NULL:
            cpu_command_discard(command)
            raise MemoryError
        self.submit(command)

    def wait_event(self, Event event not None):
        check_process()
        cdef cpu_event_record *record = cpu_event_latest(event.event)
        cdef cpu_command *command
        if cpu_event_record_done(record):
            cpu_event_record_release(record)
            return
        command = self.command(CPU_WAIT_EVENT)
        command.record = record
        self.submit(command)

    def call(self, uint64_t function, uint64_t user_data, bint always=False):
        """Run the C function void(void*) on the queue's thread; after a fault too if `always`."""
        if function == 0:
            raise ValueError("function must be the address of a C function, not 0")
        cdef cpu_command *command = self.command(CPU_CALL)
        command.call.function = <void (*)(void *) noexcept nogil>function
        command.call.data = <void *>user_data
        command.call.always = always
        self.submit(command)

    def decompress(self, list batch not None):
        """Decompress each (source, bytes of it, target, bytes at most, where to count those written, algorithm)."""
        cdef cpu_compressed *all = <cpu_compressed *>calloc(len(batch) + 1, sizeof(cpu_compressed))
        if all is NULL:
            raise MemoryError
        cdef cpu_command *command
        try:
            for i, (source, size, target, room, written, algorithm) in enumerate(batch):
                all[i].source, all[i].source_size, all[i].target, all[i].room = source, size, target, room
                all[i].written, all[i].algorithm = written, algorithm
            command = self.command(CPU_DECOMPRESS)
        except BaseException:
            free(all)
            raise
        command.decompress.all, command.decompress.count = all, len(batch)
        self.submit(command)

    def free(self, Arena arena not None, uint64_t address):
        cdef cpu_arena *held = arena.get()
        cdef cpu_command *command = self.command(CPU_FREE)
        cpu_arena_retain(held)
        command.deferred.arena = held
        command.deferred.address = address
        self.submit(command)

    def unmap(self, uint64_t address, uint64_t size):
        """Unmap a range of addresses of the process; after a fault too."""
        cdef cpu_command *command = self.command(CPU_UNMAP)
        command.unmap.address = address
        command.unmap.size = size
        self.submit(command)

    def choose(self, uint64_t cell, int kind, list bodies not None):
        """Run one of the sequences, or none, by the 32-bit value at `cell`: 0 if, 1 while, 2 switch."""
        cdef Sequence body
        cdef cpu_command *command
        if kind not in (CPU_IF, CPU_WHILE, CPU_SWITCH) or not bodies or cell % 4 or cell == 0:
            raise ValueError(f"kind {kind} must be 0 to 2, cell {cell:#x} an address, and there must be a body")
        for body in bodies:
            if body is None:
                raise ValueError("a body is None")
        command = self.command(CPU_CHOICE)
        command.choice.cell = <cpu_condition_cell *>cell
        command.choice.kind = kind
        command.choice.count = 0
        command.choice.bodies = <cpu_sequence **>calloc(len(bodies), sizeof(cpu_sequence *))
        if command.choice.bodies is NULL:
            cpu_command_discard(command)
            raise MemoryError
        for body in bodies:
            cpu_sequence_retain(body.sequence)
            command.choice.bodies[command.choice.count] = body.sequence
            command.choice.count += 1
        self.submit(command)

    def branch(self, list parts not None):
        """Run parts of a graph, which may run at once: each is a sequence and the numbers of those that wait for it."""
        cdef cpu_command *command = self.command(CPU_BRANCHES)
        cdef cpu_branches *made = &command.branches
        cdef Sequence sequence
        cdef uint32_t number, i
        made.count = 0
        made.parts = <cpu_branch *>calloc(max(len(parts), 1), sizeof(cpu_branch))
        try:
            if made.parts is NULL:
                raise MemoryError
            for sequence, after in parts:
                made.parts[made.count].after = <uint32_t *>calloc(max(len(after), 1), sizeof(uint32_t))
                if made.parts[made.count].after is NULL:
                    raise MemoryError
                cpu_sequence_retain(sequence.sequence)
                made.parts[made.count].sequence = sequence.sequence
                made.parts[made.count].count = len(after)
                made.count += 1
            for number, (sequence, after) in enumerate(parts):
                for i, other in enumerate(after):
                    if not number < other < made.count:
                        raise ValueError(f"part {number} cannot be in front of part {other} of {made.count}")
                    made.parts[number].after[i] = other
                    made.parts[<uint32_t>other].before += 1
        except BaseException:
            cpu_command_discard(command)
            raise
        self.submit(command)

    def run(self, Sequence sequence not None, GraphRun run not None, bint last):
        """Run a part of a graph; with the last one what kernels have launched to run behind it."""
        cdef cpu_command *command = self.command(CPU_GRAPH_PART)
        cpu_sequence_retain(sequence.sequence)
        cpu_graph_run_retain(run.run)
        command.part.sequence = sequence.sequence
        command.part.run = run.run
        command.part.last = last
        self.submit(command)

    cdef int value(self, int kind, address, value, width, condition) except -1:
        cdef cpu_value wanted
        if width not in (4, 8):
            raise ValueError(f"width must be 4 or 8 bytes, not {width}")
        if address % width:
            raise ValueError(f"address {address:#x} must be a multiple of {width}")
        if condition not in (0, 1, 2, 3):
            raise ValueError(f"condition must be 0 (>=), 1 (==), 2 (and) or 3 (nor), not {condition}")
        wanted.address, wanted.value = address, value & 0xffffffffffffffff
        wanted.width, wanted.condition = width, condition
        cdef cpu_command *command = self.command(kind)
        command.value = wanted
        return self.submit(command)

    def write_value(self, address, value, width):
        self.value(CPU_WRITE_VALUE, address, value, width, 0)

    def wait_value(self, address, value, width, condition):
        self.value(CPU_WAIT_VALUE, address, value, width, condition)

    def is_idle(self):
        check_process()
        return cpu_queue_idle(self.queue)

    def wait(self, double timeout):
        """Wait until all commands submitted so far are done. False when `timeout` seconds (< 0: none) pass first."""
        check_process()
        if cpu_queue_idle(self.queue):
            return True
        cdef int64_t deadline = deadline_of(timeout)
        cdef bint done
        with nogil:
            done = cpu_queue_wait(self.queue, deadline)
        return done

    def cancel(self):
        """End the running kernel at its next poll (CPU_FAULT_CANCELLED) and drop what is queued behind it."""
        check_process()
        cpu_queue_cancel(self.queue)

    def take_fault(self):
        """Return the fault that stopped the queue, once, and let it go on; None if there is none."""
        cdef cpu_fault_record record
        check_process()
        if cpu_queue_take_fault(self.queue, &record):
            return fault_of(&record)
        return None

    def take_interrupted(self):
        """Return whether commands were cancelled since this was asked last."""
        check_process()
        return cpu_queue_take_interrupted(self.queue)

    def close(self):
        """Take no more commands; those queued still run."""
        if cpu_process_state() != CPU_FORKED:
            cpu_queue_close(self.queue)


cdef class Finding:
    """What a check has found: an instruction's errors of one kind in one launch, the first one of them."""

    cdef readonly int kind, what, relation
    cdef readonly object site, count, address, size, offset, start, bytes, other_site
    cdef readonly tuple block, thread, other_block, other_thread
    cdef readonly str origin


def take_findings(uint64_t grid_id):
    """Return what checks have found in a launch, once, in the order of threads."""
    cdef cpu_finding *each = cpu_findings_take(grid_id)
    cdef cpu_finding *next
    cdef Finding finding
    found = []
    while each is not NULL:
        finding = Finding.__new__(Finding)
        finding.kind, finding.what, finding.relation = each.kind, each.what, each.relation
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


def table_add(uint64_t start, uint64_t size, uint64_t id, bint joins, str origin not None):
    """Let checked kernels access a range."""
    if not cpu_table_add(start, size, id, joins, origin.encode()):
        raise MemoryError


def table_remove(uint64_t id):
    """Let them access it no more."""
    cpu_table_remove(id)


def table_clear():
    cpu_table_clear()


TABLE_REMOVE = <uint64_t>&cpu_table_remove_called  # for Queue.call


FAST_PATH = <uint64_t>&cpu_fast_path  # for libcuda.so.1, see fast_path.h


def set_attribute(uint32_t device, uint32_t attribute, int value):
    """Make cuDeviceGetAttribute return this value without Python."""
    cpu_attribute_set(device, attribute, value)


def fast_path_epoch():
    """Return the epoch of the fast path, which `invalidate_fast_path` changes."""
    return cpu_fast_path_epoch()


def invalidate_fast_path():
    """Start a new epoch: cached entries of all threads are invalid, and the next call of each kind is served by Python."""
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
    """Cache a fast path for this thread's waits for a stream, which wait for `queue` and `awaited`, if the epoch is current."""
    cdef cpu_fast_path_entry entry
    memset(&entry, 0, sizeof(entry))
    entry.stream = stream
    add_fast_path(&entry, queue, awaited, epoch)


def cache_launch(
    uint64_t epoch, uint64_t function, uint64_t stream, Queue queue not None, list awaited not None, Grid grid not None,
    bint half_run, uint32_t max_threads, uint32_t max_shared, tuple required_block,
):
    """Cache a fast path for this thread's launches of a function in a stream, taken while `awaited` are idle."""
    cdef cpu_fast_path_entry entry
    memset(&entry, 0, sizeof(entry))
    entry.function, entry.stream, entry.grid = function, stream, grid.grid
    entry.half_run, entry.max_threads, entry.max_shared = half_run, max_threads, max_shared
    if required_block is not None:
        for i in range(3):
            entry.required_block[i] = required_block[i]
    add_fast_path(&entry, queue, awaited, epoch)


cdef class Sequence(Queue):
    """Takes commands like a queue, and keeps them, so that they can be run as one and again."""

    cdef cpu_sequence *sequence

    def __cinit__(self, int priority=0, uint32_t workers=0):
        self.sequence = cpu_sequence_make()
        if self.sequence is NULL:
            raise MemoryError

    def __dealloc__(self):
        if cpu_process_state() != CPU_FORKED:
            cpu_sequence_release(self.sequence)

    cdef int submit(self, cpu_command *command) except -1:
        if not cpu_sequence_append(self.sequence, command):
            cpu_command_discard(command)
            raise ValueError("a sequence takes what can run again: launches, copies, fills, values, calls")
        return 0

    def updatable(self, uint64_t node, uint64_t token):
        """Let kernels update the launch that was put in last through a node of `new_node`.

        What they have changed of another launch of the same token stays.
        """
        cpu_node_attach(<cpu_node *>node, cpu_sequence_last(self.sequence), token)

    def publish(self, uint64_t handle):
        """Let kernels launch the sequence by this handle, instead of what had it before."""
        if not cpu_graph_publish(handle, self.sequence):
            raise MemoryError


def new_node():
    """Return the address of a new node through which kernels update a launch; it is never given back."""
    cdef cpu_node *node = cpu_node_make()
    if node is NULL:
        raise MemoryError
    return <uint64_t>node


def withdraw(uint64_t handle):
    """End what `Sequence.publish` began."""
    if cpu_process_state() != CPU_FORKED:
        cpu_graph_withdraw(handle)


cdef class GraphRun:
    """One launch of a graph; `handle` is what its kernels see as the current graph, 0 where they cannot launch it."""

    cdef cpu_graph_run *run

    def __cinit__(self, uint64_t handle):
        self.run = cpu_graph_run_make(handle)
        if self.run is NULL:
            raise MemoryError

    def __dealloc__(self):
        if cpu_process_state() != CPU_FORKED:
            cpu_graph_run_release(self.run)


def abi_offsets():
    """Return the offset of every member of cpu_warp ("warp.lanes") and cpu_runtime ("runtime.poll")."""
    cdef const cpu_offset *each = cpu_offsets
    found = {}
    while each.member is not NULL:
        found[each.member.decode()] = each.offset
        each += 1
    return found


def set_workers(count):
    """Set how many threads may work on one launch (CUDA_CPU_WORKERS, else the number of cores)."""
    if not 1 <= count <= 1024:
        raise ValueError(f"count must be from 1 to 1024, not {count}")
    cpu_pool_set_workers(count)


def workers():
    return cpu_pool_workers()


def flush_printf():
    """Write what device printf has buffered to the process's stdout (the C stream and Python's both see the order)."""
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
    """Take back all that kernels have allocated, whose contexts have ended; the size is 8 MiB then."""
    check_process()
    with nogil:
        cpu_heap_reset()


def set_stack_size(size):
    """Set the bytes of stack that each thread of a kernel is promised."""
    if not 0 <= size <= 1 << 20:
        raise ValueError(f"size must be from 0 to 2**20 bytes, not {size}")
    cpu_set_stack_size(size)


def shutdown():
    """Stop all threads; called at exit and never after."""
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


cpu_process_begin()
ending.register(shutdown)
