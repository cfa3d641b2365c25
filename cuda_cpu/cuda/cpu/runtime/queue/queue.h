/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Command queues: each executes its commands in order, on a native thread of its own or inline in the submitting thread.
 */
#ifndef CUDA_CPU_QUEUE_H
#define CUDA_CPU_QUEUE_H

#include "arena.h"
#include "event.h"
#include "exec/worker.h"

enum cpu_command_kind {
    CPU_LAUNCH,
    CPU_COPY,
    CPU_FILL,
    CPU_WRITE_VALUE,
    CPU_WAIT_VALUE,
    CPU_CALL,
    CPU_CHOICE,
    CPU_BRANCHES,
    CPU_LAST_AGAIN = CPU_BRANCHES, /* kinds up to here can be executed repeatedly, and so be part of a sequence */
    CPU_GRAPH_PART,
    CPU_RECORD,
    CPU_WAIT_EVENT,
    CPU_FREE,
    CPU_UNMAP,
    CPU_DECOMPRESS,
};

struct cpu_launch {
    struct cpu_compiled_kernel *compiled;
    uint32_t grid_dim[3], block_dim[3], cluster_dim[3];
    uint32_t shared_dynamic;
    uint64_t grid_id;
    bool cooperative;
    bool disabled; /* by a kernel */
    uint8_t *params;
    struct cpu_node *node; /* node through which kernels update this launch, or NULL */
};

/* A copy or fill of `height` rows; one row if it is contiguous. */
struct cpu_rows {
    uint64_t destination, destination_pitch, source, source_pitch;
    uint64_t width, height; /* bytes, rows */
    uint64_t share;         /* bytes of each worker's chunk, where a long row is divided */
    uint32_t value, value_width;
};

enum cpu_condition { CPU_GREATER_EQUAL, CPU_EQUAL, CPU_AND, CPU_NOR };

struct cpu_value {
    uint64_t address, value;
    uint32_t width;
    uint32_t condition; /* enum cpu_condition */
};

struct cpu_call {
    void (*function)(void *);
    void *data;
    bool always; /* run even after a fault */
};

struct cpu_deferred_free {
    struct cpu_arena *arena;
    uint64_t address;
};

struct cpu_unmap {
    uint64_t address, size;
};

struct cpu_decompress {
    struct cpu_compressed *all;
    uint64_t count;
};

struct cpu_sequence;
struct cpu_condition_cell;
struct cpu_graph_run;

enum cpu_choice_kind { CPU_IF, CPU_WHILE, CPU_SWITCH }; /* as CUgraphConditionalNodeType */

/* A conditional node of a graph. */
struct cpu_choice {
    struct cpu_condition_cell *cell;
    uint32_t kind, count;
    struct cpu_sequence **bodies;
};

/* A chain of graph nodes, and the chains that depend on it. */
struct cpu_branch {
    struct cpu_sequence *sequence;
    uint32_t before; /* number of chains that it depends on */
    uint32_t count, *after;
};

struct cpu_branches {
    struct cpu_branch *parts;
    uint32_t count;
};

/* Part of a graph that executes without the host. */
struct cpu_graph_part {
    struct cpu_sequence *sequence;
    struct cpu_graph_run *run;
    bool last; /* of the graph */
};

#define CPU_INLINE_PARAMS 512

struct cpu_command {
    struct cpu_command *next;
    enum cpu_command_kind kind;
    uint64_t number; /* position among the queue's commands, from 1 */
    uint64_t operation; /* number that racecheck has given to it or to its graph node, or 0 */
    union {
        struct cpu_launch launch;
        struct cpu_rows rows;
        struct cpu_value value;
        struct cpu_event_record *record;
        struct cpu_call call;
        struct cpu_deferred_free deferred;
        struct cpu_unmap unmap;
        struct cpu_decompress decompress;
        struct cpu_choice choice;
        struct cpu_branches branches;
        struct cpu_graph_part part;
    };
    _Alignas(64) uint8_t params[CPU_INLINE_PARAMS];
};

enum cpu_submit_result { CPU_SUBMITTED, CPU_QUEUE_CLOSED, CPU_QUEUE_STOPPED, CPU_QUEUE_NO_THREAD };

struct cpu_queue;

struct cpu_queue *cpu_queue_make(uint32_t workers); /* maximum number of threads for a launch, 0: all */
uint32_t cpu_queue_workers(const struct cpu_queue *queue);
void cpu_queue_close(struct cpu_queue *queue);   /* queued commands still execute */
bool cpu_queue_closed(struct cpu_queue *queue);
void cpu_queue_destroy(struct cpu_queue *queue); /* closes the queue, and drops the reference of its creator */

/* A command to fill and submit; NULL: out of memory. The command owns references to the objects that it names. */
struct cpu_command *cpu_command_make(struct cpu_queue *queue, enum cpu_command_kind kind);
void cpu_command_discard(struct cpu_command *command); /* frees a command that was not submitted, with its references */
/* On failure the command is discarded with its references. */
enum cpu_submit_result cpu_queue_submit(struct cpu_queue *queue, struct cpu_command *command);
bool cpu_launch_params(struct cpu_command *command, const void *params, uint32_t size);
/* The same from kernel_params, an array of pointers to the parameters. */
bool cpu_launch_gather(struct cpu_command *command, void *const *pointers);

void cpu_queue_retain(struct cpu_queue *queue); /* keeps the memory; the queue may be closed meanwhile */
void cpu_queue_release(struct cpu_queue *queue);
bool cpu_queue_idle(struct cpu_queue *queue);
bool cpu_queue_faulted(struct cpu_queue *queue);
bool cpu_queue_interrupted(struct cpu_queue *queue);      /* whether commands were cancelled */
bool cpu_queue_take_interrupted(struct cpu_queue *queue); /* the same, and clears it */
bool cpu_queue_wait(struct cpu_queue *queue, int64_t deadline);
bool cpu_queue_is_long(struct cpu_queue *queue); /* whether its last launch is expected to take long */
void cpu_queue_cancel(struct cpu_queue *queue);
bool cpu_queue_take_fault(struct cpu_queue *queue, struct cpu_fault_record *fault);
void cpu_queues_stop(void);

/* Let no queue take a command until cpu_queues_let_go(); return whether all queues are idle. */
bool cpu_queues_hold(void);
void cpu_queues_let_go(void);

/* Record at Python's exit whether all queues are idle; cpu_queues_ended_idle() returns 1 if they were. */
void cpu_queues_note_end(void);
int cpu_queues_ended_idle(void);

struct cpu_branch_run;

/* Execution context of a command. `number` is that of the submitted command which it is, or is part of. */
struct cpu_exec {
    uint64_t number;
    struct cpu_queue *queue;
    struct cpu_worker *worker;
    struct cpu_fault_record *fault;
    struct cpu_branch_run *branches; /* of the graph that the command is part of, or NULL */
    uint64_t operation, round; /* for racecheck: of the submitted command, and of the loop in it */
};

/* command.c: false on a fault, which is then in *exec.fault. If worker->suspended is set, the command has not ended. */
bool cpu_command_run(struct cpu_command *command, struct cpu_exec exec);
#define CPU_SHORT_NS 10000     /* expected time of a launch that executes inline; it is suspended after twice that */
#define CPU_AWAITED_NS 1000000 /* the same, if the submitting thread is expected to wait for it at once */
#define CPU_SHORT_BYTES 32768  /* of a copy or fill */
/* Return the limit within which a command is expected to end: CPU_SHORT_NS, CPU_AWAITED_NS, or 0, if it is expected to
 * take longer, or may block. */
uint32_t cpu_command_limit(const struct cpu_command *command);
bool cpu_command_is_long(const struct cpu_command *command); /* a launch that is expected to take CPU_AWAITED_NS */
bool cpu_command_always(const struct cpu_command *command); /* executes even after a fault */
void cpu_command_release(struct cpu_command *command);         /* drops the command's references */

/* For command.c and branches.c: return whether command `number` was cancelled; register a job, to be stopped then. */
bool cpu_queue_cancelled(struct cpu_queue *queue, uint64_t number);
void cpu_queue_running(struct cpu_queue *queue, uint64_t number, struct cpu_job *job);
void cpu_queue_ran(struct cpu_queue *queue, struct cpu_job *job);
void cpu_queue_stop_jobs(struct cpu_queue *queue);

#endif
