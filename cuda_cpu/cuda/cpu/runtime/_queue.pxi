# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# Command queues (streams), and the faults of their launches. Part of _runtime.pyx.

cdef class Fault:
    """Why a launch ended early (enum cpu_fault), read once from the queue."""

    cdef readonly int kind, warp, line
    cdef readonly object address, pc, grid_id, symbols
    cdef readonly str kernel, message
    cdef readonly tuple block, callers
    cdef readonly bint found

    def __repr__(self):
        return (
            f"Fault(kind={self.kind}, address={self.address:#x}, kernel={self.kernel!r}, block={self.block}, "
            f"warp={self.warp}, line={self.line}, message={self.message!r})"
        )


cdef Fault fault_of(const cpu_fault_record *record):
    cdef Fault fault = Fault.__new__(Fault)
    fault.kind = record.kind
    fault.address = record.address
    fault.found = record.found
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
    """A command was submitted to a closed queue."""


class DeviceStopped(RuntimeError):
    """A command was submitted after `shutdown`, by a thread that still runs while Python exits."""


launch_hook = None
command_hook = None  # see on_command


def on_launch(hook):
    """Call `hook(grid_id, kernel)` before each launch, or no longer for None; no launch takes the fast path then."""
    global launch_hook
    launch_hook = hook
    invalidate_fast_path()


cdef class Queue:
    """A stream: commands run in order, on a native thread of its own or inline in the submitting thread.

    After a fault the commands that follow are dropped until `take_fault` is called; events still complete. At most
    `workers` threads work on one launch (0: no limit).
    """

    cdef cpu_queue *queue
    cdef readonly int priority
    cdef public object order  # its position in happens-before order, see cuda/cpu/check/order.py

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
        if command_hook is not None:
            self.number_operation(command)
        cdef int result
        with nogil:  # it may execute the command
            result = cpu_queue_submit(self.queue, command)
        if result == CPU_SUBMITTED:
            return 0
        if result == CPU_QUEUE_CLOSED:
            raise QueueClosed("the queue is closed")
        if result == CPU_QUEUE_STOPPED:
            raise DeviceStopped("the CPU device is shut down")
        raise MemoryError("the system has no thread for the queue")

    cdef int number_operation(self, cpu_command *command) except -1:
        kernel = ""
        if command.kind not in (CPU_LAUNCH, CPU_COPY, CPU_FILL, CPU_WRITE_VALUE, CPU_GRAPH_PART):
            return 0
        if command.kind == CPU_LAUNCH:
            kernel = (<char *>command.launch.compiled.name).decode("utf-8", "replace")
        command.operation = command_hook.submitted(self, kernel)
        return 0

    def launch(
        self, CompiledKernel kernel not None, tuple grid_dim, tuple block_dim, tuple cluster_dim,
        uint32_t shared_dynamic, uint64_t params, bint cooperative, uint64_t grid_id, bint gather=False,
    ):
        cdef cpu_launch launch
        if kernel.compiled is NULL:
            raise ValueError("the kernel was not initialised")
        cdef void **pointers = <void **>params
        cdef uint32_t count = kernel.compiled.parameters if gather else 0
        cdef uint32_t i
        cdef bint done
        for i in range(count):
            if pointers[i] is NULL:
                raise ValueError(f"the pointer to parameter {i} is NULL")
        dimensions("grid_dim", grid_dim, launch.grid_dim, <uint64_t>1 << 62)
        dimensions("block_dim", block_dim, launch.block_dim, CPU_MAX_BLOCK_THREADS)
        dimensions("cluster_dim", cluster_dim, launch.cluster_dim, CPU_MAX_BLOCK_THREADS)
        if shared_dynamic > 1 << 30 or kernel.compiled.shared_static > 1 << 30:
            raise ValueError(f"shared memory of {kernel.compiled.shared_static} + {shared_dynamic} bytes is too large")
        launch.compiled = kernel.compiled
        launch.shared_dynamic = shared_dynamic
        launch.cooperative = cooperative
        launch.disabled, launch.node = False, NULL
        launch.grid_id = grid_id or cpu_grid_number()
        if launch_hook is not None:
            launch_hook(launch.grid_id, (<char *>kernel.compiled.name).decode())
        cdef cpu_command *command = self.command(CPU_LAUNCH)
        command.launch = launch
        cpu_compiled_kernel_retain(kernel.compiled)
        if gather:
            done = cpu_launch_gather(command, pointers)
        else:
            done = cpu_launch_params(command, <const void *>params, kernel.compiled.parameter_bytes)
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
        if command_hook is not None:
            command_hook.recorded(self, event)
        self.submit(command)

    def wait_event(self, Event event not None):
        check_process()
        if command_hook is not None:
            command_hook.waits(self, event)
        cdef cpu_event_record *record = cpu_event_latest(event.event)
        cdef cpu_command *command
        if cpu_event_record_done(record):
            cpu_event_record_release(record)
            return
        command = self.command(CPU_WAIT_EVENT)
        command.record = record
        self.submit(command)

    def call(self, uint64_t function, uint64_t user_data, bint always=False):
        """Call a C function void(void *) on the queue's thread; with `always` even after a fault."""
        if function == 0:
            raise ValueError("function must be the address of a C function, not 0")
        cdef cpu_command *command = self.command(CPU_CALL)
        command.call.function = <void (*)(void *) noexcept nogil>function
        command.call.data = <void *>user_data
        command.call.always = always
        self.submit(command)

    def decompress(self, list batch not None):
        """Decompress each (source, its size, target, its capacity, address for the size written, algorithm)."""
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
        """Unmap a range of addresses of the process, even after a fault."""
        cdef cpu_command *command = self.command(CPU_UNMAP)
        command.unmap.address = address
        command.unmap.size = size
        self.submit(command)

    def choose(self, uint64_t cell, int kind, list bodies not None):
        """Run one of the sequences, or none, by the 32-bit value at `cell`; `kind` is enum cpu_choice_kind."""
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
        """Run parts of a graph, possibly concurrently: each is (sequence, indices of the parts that depend on it)."""
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
        """Run a part of a graph; after the `last` part, also the tail launches that its kernels made."""
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
        if command_hook is not None:
            command_hook.waits_for_value(self)
        self.value(CPU_WAIT_VALUE, address, value, width, condition)

    def is_idle(self):
        check_process()
        return cpu_queue_idle(self.queue)

    def is_closed(self):
        check_process()
        return cpu_queue_closed(self.queue)

    def wait(self, double timeout):
        """Wait until all commands submitted so far are done; return False after `timeout` seconds (< 0: no limit)."""
        check_process()
        cdef int64_t deadline = deadline_of(timeout)
        cdef bint done
        with nogil:
            done = cpu_queue_wait(self.queue, deadline)
        return done

    def cancel(self):
        """End the running kernel at its next poll (CPU_FAULT_CANCELLED), and drop the commands queued behind it."""
        check_process()
        cpu_queue_cancel(self.queue)

    def take_fault(self):
        """Clear and return the fault that stopped the queue, which resumes; None if there is none."""
        cdef cpu_fault_record record
        check_process()
        if cpu_queue_take_fault(self.queue, &record):
            return fault_of(&record)
        return None

    def take_interrupted(self):
        """Return whether commands were cancelled since the last call."""
        check_process()
        return cpu_queue_take_interrupted(self.queue)

    def close(self):
        """Refuse further commands; those queued still run."""
        if cpu_process_state() != CPU_FORKED:
            cpu_queue_close(self.queue)
