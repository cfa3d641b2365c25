# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# Declarations of the C functions and structures that _runtime.pyx uses.

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

cdef extern from "exec/kernel_abi.h":
    enum: CPU_KERNEL_ABI, CPU_PATH_WARPS, CPU_PATH_FIBERS, CPU_PATH_BLOCKS, CPU_PATH_PADDED
    uint32_t cpu_lane_run(const uint32_t *block)

cdef extern from "exec/abi_table.h":
    struct cpu_abi_entry:
        const char *name
        uint64_t value
        char type
        uint32_t count
    const cpu_abi_entry cpu_abi_table[]

cdef extern from "queue/wait.h":
    int64_t cpu_now() nogil

cdef extern from "queue/process.h":
    enum: CPU_RUNNING, CPU_STOPPED, CPU_FORKED
    int cpu_process_state() nogil
    void cpu_process_begin()
    void cpu_process_stop() nogil
    bint cpu_threads_await(int64_t deadline) nogil

cdef extern from "queue/arena.h":
    struct cpu_arena
    enum: CPU_ARENA_DONE, CPU_ARENA_FULL
    cpu_arena *cpu_arena_make(uint64_t size, int file)
    void cpu_arena_retain(cpu_arena *arena)
    void cpu_arena_release(cpu_arena *arena) nogil
    uint64_t cpu_arena_base(const cpu_arena *arena)
    uint64_t cpu_arena_used(cpu_arena *arena)
    int cpu_arena_allocate(cpu_arena *arena, uint64_t size, uint64_t *address) nogil
    bint cpu_arena_free(cpu_arena *arena, uint64_t address) nogil
    bint cpu_arena_share(cpu_arena *arena, uint64_t address, int file, uint64_t *offset) nogil
    bint cpu_arena_find(cpu_arena *arena, uint64_t address, uint64_t *start, uint64_t *size)

cdef extern from "elf/elf_image.h":
    struct cpu_image
    cpu_image *cpu_image_load(const uint8_t *data, size_t size, bint debug, char *error, size_t error_size) nogil
    void *cpu_image_address(const cpu_image *image, const char *symbol)
    void cpu_image_free(cpu_image *image)
    void cpu_image_range(const cpu_image *image, uint64_t *base, uint64_t *size)

cdef extern from "elf/elf_debug.h":
    uint64_t cpu_elf_announced(uint64_t number, uint8_t *copy, uint64_t room)

cdef extern from "exec/snapshot.h":
    void cpu_snapshots_enable(bint enabled)
    bint cpu_snapshot_part(uint32_t number, uint64_t *address, uint64_t *size, const uint8_t **data)
    void cpu_snapshot_drop()

cdef extern from "exec/worker.h":
    ctypedef void (*entry_function)(void *) noexcept nogil
    struct cpu_parameter:
        uint32_t offset, size
    uint32_t CPU_ALIGNMENT, CPU_MAX_ALIGNMENT, CPU_MAX_BLOCK_THREADS, CPU_MAX_WORKERS
    struct cpu_compiled_kernel:
        void *entry
        const uint64_t *symbols
        uint64_t local_bytes, frames
        uint32_t shared_static
        uint32_t parameter_bytes
        uint32_t parameters
        cpu_parameter *layout
        cpu_device_runtime *device_runtime
        uint32_t path
        uint32_t checks, counters
        uint64_t token
        uint32_t alignment
        uint32_t in_flight
        char *name
    struct cpu_fault_record:
        uint32_t kind, line, warp
        uint64_t address
        uint64_t pc
        uint64_t callers[8]
        uint64_t grid_id
        const uint64_t *symbols
        uint32_t block[3]
        bint found
        char *kernel
        char *message

cdef extern from "check/check.h":
    struct cpu_allocation:
        uint64_t start, size, id
        char *origin
    struct cpu_finding:
        cpu_finding *next
        uint64_t site, count, address, size, offset
        uint32_t kind, flags, relation
        uint32_t block[3], thread[3]
        cpu_allocation allocation
        uint64_t other_site
        uint32_t other_block[3], other_thread[3]
        bint ends
        uint64_t grid_id
        const uint64_t *symbols
        char *kernel
    bint cpu_table_add(uint64_t start, uint64_t size, uint64_t id, bint joins, const char *origin)
    void cpu_table_remove(uint64_t id)
    void cpu_table_remove_called(void *id) noexcept nogil
    void cpu_table_clear()
    cpu_finding *cpu_findings_take(uint64_t grid_id)
    void cpu_check_record(bint on)
    bint cpu_check_pending()

cdef extern from "check/operation.h":
    struct cpu_touched:
        uint64_t site
        uint32_t allocation, block
        uint16_t thread, flags
    struct cpu_operation:
        cpu_operation *next
        uint64_t operation, node, round, grid_id
        const uint64_t *symbols
        char *kernel
        uint32_t grid_dim[3], block_dim[3]
        size_t count
        cpu_touched *of
    struct cpu_conflict:
        uint64_t start, end, allocation, count
        cpu_touched a, b
    void cpu_operations_switch(bint on)
    cpu_operation *cpu_operations_take()
    void cpu_operation_free(cpu_operation *operation)
    cpu_operation *cpu_operation_make(uint64_t operation, uint64_t start, uint64_t size, uint64_t allocation)
    size_t cpu_operation_conflicts(const cpu_operation *a, const cpu_operation *b, cpu_conflict *found, size_t room)

cdef extern from "queue/timeline.h":
    struct cpu_span:
        cpu_span *next
        const void *queue
        int kind
        int64_t begin, end
        uint64_t bytes
        uint32_t grid_dim[3], block_dim[3]
        char *name
    const char *cpu_timeline_name(int kind)
    void cpu_timeline_switch(bint on)
    cpu_span *cpu_timeline_take() nogil

cdef extern from "check/init.h":
    struct cpu_init_range:
        uint64_t start, size
    void cpu_init_mark(uint64_t address, uint64_t size, bint written)
    void cpu_init_begin_called(void *range) noexcept nogil

cdef extern from "counters/counters.h":
    struct cpu_profile:
        cpu_profile *next
        uint64_t token, order
        uint32_t grid_dim[3], block_dim[3], cluster_dim[3]
        uint32_t shared_size, fault, count
        uint64_t *counters
    cpu_profile *cpu_profiles_take() nogil

cdef extern from "exec/worker.h":
    void cpu_pool_set_workers(uint32_t count)
    uint32_t cpu_pool_workers()
    void cpu_pool_stop() nogil
    void cpu_sole_share() nogil
    void cpu_set_stack_size(size_t per_thread)
    uint64_t cpu_grid_number()

cdef extern from *:
    """
    static inline struct cpu_compiled_kernel *cpu_compiled_kernel_make(size_t name_length, uint32_t parameters) {
        size_t layout = (sizeof(struct cpu_compiled_kernel) + name_length + 8) & ~(size_t)7; /* behind the name */
        struct cpu_compiled_kernel *compiled = calloc(1, layout + parameters * sizeof(struct cpu_parameter));
        if (compiled) {
            compiled->layout = (struct cpu_parameter *)((char *)compiled + layout);
            compiled->parameters = parameters;
        }
        return compiled;
    }
    static inline void cpu_compiled_kernel_set_entry(struct cpu_compiled_kernel *compiled, uint64_t entry) {
        atomic_store(&compiled->entry, (void (*)(struct cpu_warp *))(uintptr_t)entry);
    }
    static inline void cpu_compiled_kernel_watch(struct cpu_compiled_kernel *compiled, int64_t time) {
        atomic_store(&compiled->until_hot, time);
    }
    static inline int cpu_compiled_kernel_is_hot(struct cpu_compiled_kernel *compiled) {
        return atomic_load(&compiled->until_hot) == CPU_HOT;
    }
    static inline uint32_t cpu_hot_wait(uint32_t seen) {
        while (atomic_load(&cpu_hot.count) == seen)
            cpu_eventcount_wait(&cpu_hot, seen, CPU_FOREVER);
        return atomic_load(&cpu_hot.count);
    }
    static inline void cpu_compiled_kernel_retain(struct cpu_compiled_kernel *compiled) {
        atomic_fetch_add(&compiled->in_flight, 1);
    }
    static inline uint32_t cpu_compiled_kernel_in_use(struct cpu_compiled_kernel *compiled) {
        return atomic_load(&compiled->in_flight);
    }
    """
    cpu_compiled_kernel *cpu_compiled_kernel_make(size_t name_length, uint32_t parameters)
    void cpu_compiled_kernel_set_entry(cpu_compiled_kernel *compiled, uint64_t entry)
    void cpu_compiled_kernel_watch(cpu_compiled_kernel *compiled, int64_t time)
    bint cpu_compiled_kernel_is_hot(cpu_compiled_kernel *compiled)
    uint32_t cpu_hot_wait(uint32_t seen) nogil
    void cpu_compiled_kernel_retain(cpu_compiled_kernel *compiled)
    uint32_t cpu_compiled_kernel_in_use(cpu_compiled_kernel *compiled)

cdef extern from "queue/event.h":
    struct cpu_event
    struct cpu_event_record:
        int64_t time
    enum: CPU_SHARED_BYTES
    cpu_event *cpu_event_make(int file)
    void cpu_event_free(cpu_event *event)
    cpu_event_record *cpu_event_new_record(cpu_event *event)
    cpu_event_record *cpu_event_latest(cpu_event *event)
    bint cpu_event_record_done(cpu_event_record *record) nogil
    bint cpu_event_record_wait(cpu_event_record *record, int64_t deadline) nogil
    void cpu_event_record_release(cpu_event_record *record)

cdef extern from "device_runtime/device.h":
    enum: CPU_ATTRIBUTES, CPU_LIMITS, CPU_FUNCTION_FACTS
    uint64_t CPU_KERNEL_KIND
    struct cpu_status_text:
        int32_t status
        const char *name
        const char *text
    struct cpu_device_runtime:
        uint32_t device, devices, version
        int32_t *attributes
        bint *has_attribute
        bint *has_limit
        uint32_t shared_per_sm, threads_per_sm, blocks_per_sm, reserved_shared
        const cpu_status_text *statuses
        uint32_t status_count
    struct cpu_kernel:
        uint64_t kind
        uint32_t max_threads
        uint32_t required_block[3]
        uint32_t cluster[3]
        uint32_t shared, facts_size
        uint8_t *facts

cdef extern from *:
    """
    static inline void cpu_device_runtime_set_attribute(struct cpu_device_runtime *runtime, uint32_t which,
                                                        int32_t value) {
        runtime->attributes[which] = value;
        runtime->has_attribute[which] = true;
    }
    static inline void cpu_device_runtime_set_limit(struct cpu_device_runtime *runtime, uint32_t which,
                                                    uint64_t value) {
        atomic_store(&runtime->limits[which], value);
        runtime->has_limit[which] = true;
    }
    static inline void cpu_kernel_set(struct cpu_kernel *kernel, struct cpu_compiled_kernel *full_run,
                                      struct cpu_compiled_kernel *half_run, uint32_t dynamic) {
        atomic_store(&kernel->full_run, full_run);
        atomic_store(&kernel->half_run, half_run);
        atomic_store(&kernel->dynamic, dynamic);
    }
    """
    void cpu_device_runtime_set_attribute(cpu_device_runtime *runtime, uint32_t which, int32_t value)
    void cpu_device_runtime_set_limit(cpu_device_runtime *runtime, uint32_t which, uint64_t value)
    void cpu_kernel_set(
        cpu_kernel *kernel, cpu_compiled_kernel *full_run, cpu_compiled_kernel *half_run, uint32_t dynamic
    )

cdef extern from "queue/decompress.h":
    struct cpu_compressed:
        uint64_t source, source_size, target, room, written
        uint32_t algorithm

cdef extern from "queue/queue.h":
    enum: CPU_LAUNCH, CPU_COPY, CPU_FILL, CPU_WRITE_VALUE, CPU_WAIT_VALUE, CPU_RECORD, CPU_WAIT_EVENT
    enum: CPU_CALL, CPU_FREE, CPU_UNMAP, CPU_DECOMPRESS, CPU_CHOICE, CPU_BRANCHES, CPU_GRAPH_PART
    enum: CPU_IF, CPU_WHILE, CPU_SWITCH
    enum: CPU_SUBMITTED, CPU_QUEUE_CLOSED, CPU_QUEUE_STOPPED, CPU_QUEUE_NO_THREAD
    struct cpu_node
    struct cpu_launch:
        cpu_compiled_kernel *compiled
        uint32_t grid_dim[3]
        uint32_t block_dim[3]
        uint32_t cluster_dim[3]
        uint32_t shared_dynamic
        uint64_t grid_id
        bint cooperative, disabled
        cpu_node *node
    struct cpu_rows:
        uint64_t destination, destination_pitch, source, source_pitch, width, height
        uint32_t value, value_width
    struct cpu_value:
        uint64_t address, value
        uint32_t width, condition
    struct cpu_call:
        void (*function)(void *) noexcept nogil
        void *data
        bint always
    struct cpu_deferred_free:
        cpu_arena *arena
        uint64_t address
    struct cpu_unmap:
        uint64_t address, size
    struct cpu_decompress:
        cpu_compressed *all
        uint64_t count
    struct cpu_sequence
    struct cpu_condition_cell
    struct cpu_graph_run
    struct cpu_choice:
        cpu_condition_cell *cell
        uint32_t kind, count
        cpu_sequence **bodies
    struct cpu_branch:
        cpu_sequence *sequence
        uint32_t before, count
        uint32_t *after
    struct cpu_branches:
        cpu_branch *parts
        uint32_t count
    struct cpu_graph_part:
        cpu_sequence *sequence
        cpu_graph_run *run
        bint last
    struct cpu_command:
        int kind
        uint64_t operation
        cpu_launch launch
        cpu_rows rows
        cpu_value value
        cpu_event_record *record
        cpu_call call
        cpu_deferred_free deferred
        cpu_unmap unmap
        cpu_decompress decompress
        cpu_choice choice
        cpu_branches branches
        cpu_graph_part part
    struct cpu_queue
    cpu_queue *cpu_queue_make(uint32_t workers)
    void cpu_queue_close(cpu_queue *queue)
    void cpu_queue_destroy(cpu_queue *queue)
    cpu_command *cpu_command_make(cpu_queue *queue, int kind)
    void cpu_command_discard(cpu_command *command)
    int cpu_queue_submit(cpu_queue *queue, cpu_command *command) nogil
    bint cpu_launch_params(cpu_command *command, const void *params, uint32_t size)
    bint cpu_launch_gather(cpu_command *command, void *const *pointers)
    bint cpu_queue_idle(cpu_queue *queue)
    bint cpu_queue_closed(cpu_queue *queue)
    bint cpu_queue_wait(cpu_queue *queue, int64_t deadline) nogil
    void cpu_queue_cancel(cpu_queue *queue)
    bint cpu_queue_take_fault(cpu_queue *queue, cpu_fault_record *fault)
    bint cpu_queue_take_interrupted(cpu_queue *queue)
    void cpu_queues_stop() nogil
    bint cpu_queues_hold() nogil
    void cpu_queues_let_go() nogil
    void cpu_queues_note_end()

cdef extern from "queue/node.h":
    cpu_node *cpu_node_make()
    void cpu_node_attach(cpu_node *node, cpu_command *command, uint64_t token)

cdef extern from "queue/branches.h":
    void cpu_branches_stop() nogil

cdef extern from "queue/fast_path_cache.h":
    enum: CPU_MAX_AWAITED
    struct cpu_fast_path_table "cpu_fast_path":
        pass
    struct cpu_fast_path_entry:
        uint64_t function, stream
        cpu_queue *queue
        cpu_queue *awaited[8]
        cpu_compiled_kernel *compiled
        uint32_t lane_run
        uint32_t max_threads, max_shared
        uint64_t most_threads
        uint32_t required_block[3]
        uint32_t tile_block[3]
    const cpu_fast_path_table cpu_fast_path
    void cpu_attribute_set(uint32_t device, uint32_t attribute, int value)
    uint64_t cpu_fast_path_epoch()
    void cpu_fast_path_invalidate()
    void cpu_fast_path_add(const cpu_fast_path_entry *entry, uint64_t epoch)
    void cpu_fast_path_set_context(uint64_t context)
    void cpu_fast_path_set_deferred_work(bint some)

cdef extern from "queue/graph.h":
    cpu_sequence *cpu_sequence_make()
    cpu_command *cpu_sequence_last(cpu_sequence *sequence)
    void cpu_sequence_retain(cpu_sequence *sequence)
    void cpu_sequence_release(cpu_sequence *sequence)
    bint cpu_sequence_append(cpu_sequence *sequence, cpu_command *command)
    cpu_graph_run *cpu_graph_run_make(uint64_t handle)
    void cpu_graph_run_retain(cpu_graph_run *run)
    void cpu_graph_run_release(cpu_graph_run *run)
    bint cpu_graph_publish(uint64_t handle, cpu_sequence *sequence)
    void cpu_graph_withdraw(uint64_t handle)

cdef extern from "exec/printf.h":
    void cpu_printf_set_size(size_t size)
    uint64_t cpu_printf_count()
    size_t cpu_printf_pending()
    void cpu_printf_flush() nogil

cdef extern from "exec/heap_blocks.h":
    struct cpu_heap_block:
        cpu_heap_block *next
        uint64_t address, size, grid_id
        char *kernel
    void cpu_heap_track(bint on)
    cpu_heap_block *cpu_heap_leaks()

cdef extern from "exec/heap.h":
    void cpu_heap_reset() nogil
    bint cpu_heap_set_size(size_t size)
