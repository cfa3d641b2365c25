/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * A queue: commands that a native thread of its own runs in order.
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
    CPU_LAST_AGAIN = CPU_BRANCHES, /* those up to here can run more than once, and so be part of a sequence */
    CPU_GRAPH_PART,
    CPU_RECORD,
    CPU_WAIT_EVENT,
    CPU_FREE,
    CPU_UNMAP,
    CPU_DECOMPRESS,
};

struct cpu_launch {
    struct cpu_grid *grid;
    uint32_t grid_dim[3], block_dim[3], cluster_dim[3];
    uint32_t shared_dynamic;
    uint64_t grid_id;
    bool cooperative;
    bool disabled; /* by a kernel */
    uint8_t *params;
    struct cpu_node *node; /* through which kernels update this launch, or NULL */
};

/* Rows of a copy or fill; all of it in one row if it has no pitch. */
struct cpu_rows {
    uint64_t destination, destination_pitch, source, source_pitch;
    uint64_t width, height; /* bytes, rows */
    uint64_t share;         /* bytes of one worker's part, where one row is shared out */
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
    bool always; /* after a fault too */
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

/* Nodes of a graph that follow each other, and which parts wait for them. */
struct cpu_branch {
    struct cpu_sequence *sequence;
    uint32_t before; /* parts that this one waits for */
    uint32_t count, *after;
};

struct cpu_branches {
    struct cpu_branch *parts;
    uint32_t count;
};

/* Nodes of a graph that need the host no more. */
struct cpu_graph_part {
    struct cpu_sequence *sequence;
    struct cpu_graph_run *run;
    bool last; /* of the graph */
};

#define CPU_INLINE_PARAMS 512

struct cpu_command {
    struct cpu_command *next;
    enum cpu_command_kind kind;
    uint64_t number; /* of the queue's commands, from 1 */
    union {
        struct cpu_launch launch;
        struct cpu_rows rows;
        struct cpu_value value;
        struct cpu_marker *marker;
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

struct cpu_queue *cpu_queue_make(uint32_t workers); /* so many work on a launch at most, 0: all */
uint32_t cpu_queue_workers(const struct cpu_queue *queue);
void cpu_queue_close(struct cpu_queue *queue);   /* what is queued still runs */
void cpu_queue_release(struct cpu_queue *queue); /* closes it too */

/* A command to be filled and submitted, or NULL. Whatever it refers to must hold a reference for it. */
struct cpu_command *cpu_command_make(struct cpu_queue *queue, enum cpu_command_kind kind);
void cpu_command_discard(struct cpu_command *command); /* one that will not be submitted, with its references */
/* On failure the command is discarded with its references. */
enum cpu_submit_result cpu_queue_submit(struct cpu_queue *queue, struct cpu_command *command);
bool cpu_launch_params(struct cpu_command *command, const void *params, uint32_t size);
/* The same from an array of pointers, one to each parameter. */
bool cpu_launch_gather(struct cpu_command *command, void *const *pointers);

void cpu_queue_hold(struct cpu_queue *queue); /* its memory, that is: it may be closed meanwhile */
void cpu_queue_drop(struct cpu_queue *queue);
bool cpu_queue_idle(struct cpu_queue *queue);
bool cpu_queue_faulted(struct cpu_queue *queue);
bool cpu_queue_interrupted(struct cpu_queue *queue);      /* whether commands were cancelled */
bool cpu_queue_take_interrupted(struct cpu_queue *queue); /* the same, once */
bool cpu_queue_wait(struct cpu_queue *queue, int64_t deadline);
void cpu_queue_cancel(struct cpu_queue *queue);
bool cpu_queue_take_fault(struct cpu_queue *queue, struct cpu_fault_record *fault);
void cpu_queues_stop(void);

/* Remember, when Python ends, whether all queues are idle; 1 if they were. */
void cpu_queues_note_end(void);
int cpu_queues_ended_idle(void);

struct cpu_branch_run;

/* Where a command runs. `number` is of the queue's own command, which the command may be a part of. */
struct cpu_place {
    uint64_t number;
    struct cpu_queue *queue;
    struct cpu_worker *worker;
    struct cpu_fault_record *fault;
    struct cpu_branch_run *branches; /* that the command is part of, or NULL */
};

/* command.c: true unless it ended in a fault, which then is in *place.fault. With worker->left set it has not ended. */
bool cpu_command_run(struct cpu_command *command, struct cpu_place place);
#define CPU_BRIEF_NS 10000    /* of a launch, by the last one's time; then it may take twice as long */
#define CPU_BRIEF_BYTES 32768 /* of a copy or fill */
bool cpu_command_brief(const struct cpu_command *command);
bool cpu_command_always(const struct cpu_command *command); /* runs after a fault too */
void cpu_command_drop(struct cpu_command *command);         /* gives back what it refers to */

/* For command.c and branches.c: whether command `number` was cancelled; launches that cpu_queue_cancel is to stop. */
bool cpu_queue_cancelled(struct cpu_queue *queue, uint64_t number);
void cpu_queue_running(struct cpu_queue *queue, uint64_t number, struct cpu_job *job);
void cpu_queue_ran(struct cpu_queue *queue, struct cpu_job *job);
void cpu_queue_stop_jobs(struct cpu_queue *queue);

#endif
