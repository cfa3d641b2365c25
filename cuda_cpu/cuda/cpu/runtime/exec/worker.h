/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Structures of kernel execution: a compiled kernel has what does not change from launch to launch, a job is one launch of it, a worker a thread
 * that executes blocks of the job, a block the state of its warps.
 */
#ifndef CUDA_CPU_WORKER_H
#define CUDA_CPU_WORKER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "fiber.h"
#include "kernel_abi.h"
#include "queue/wait.h"

/* Limits of a launch (CUDA Programming Guide, "Compute Capabilities"). */
#define CPU_MAX_GRID_X 0x7fffffffu
#define CPU_MAX_GRID_YZ 65535u
#define CPU_MAX_BLOCK_XY 1024u
#define CPU_MAX_BLOCK_Z 64u
#define CPU_MAX_WARPS (CPU_MAX_BLOCK_THREADS / CPU_WARP_SIZE)
#define CPU_MAX_WORKERS 1024u /* threads that work on one launch */
#define CPU_BARRIERS 16
#define CPU_MAX_CLUSTER 16 /* blocks */
#define CPU_LINE 64 /* bytes of a cache line */

struct cpu_parameter {
    uint32_t offset, size;
};

struct cpu_device_runtime;
struct cpu_children;

#define CPU_ALIGNMENT 64u       /* minimum alignment of local memory and of parameters */
#define CPU_MAX_ALIGNMENT 4096u /* mappings are aligned to at least this */

/* Properties of a kernel, shared by all its launches. */
struct cpu_compiled_kernel {
    void (*_Atomic entry)(struct cpu_warp *warp); /* tier-up may replace the code at any time */
    const uint64_t *symbols;
    uint64_t local_bytes; /* local memory of each thread, without recursion */
    uint64_t frames;      /* bytes of host stack if each function of the machine code has one frame */
    uint32_t shared_static;
    uint32_t parameter_bytes;
    uint32_t parameters;
    struct cpu_parameter *layout; /* of them */
    struct cpu_device_runtime *device_runtime; /* of kernels that use the device runtime (device.h), else NULL */
    uint32_t path; /* enum cpu_path */
    uint32_t checks; /* enum cpu_check: checks that the machine code calls */
    uint32_t counters; /* number of them, if the machine code counts (counters.h), else 0 */
    uint64_t token;    /* identifies the machine code of a profiled kernel */
    uint32_t alignment; /* greatest of local, shared and parameter variables; at least CPU_ALIGNMENT is used */
    _Atomic bool scattered;      /* it has atomic operations that are faster if one worker executes blocks */
    _Atomic int32_t alone;       /* next launches that are to have one worker, or negative, several; 0: compare */
    _Atomic int32_t compared;    /* the last such number */
    _Atomic uint32_t in_flight;  /* launches that have not completed, for which the machine code must stay */
    _Atomic uint32_t block_time; /* nanoseconds of one block at the last launch, 0 unknown */
    _Atomic int64_t until_hot;   /* nanoseconds until tier-up is requested; 0: never, CPU_HOT: now */
    char name[];
};

#define CPU_HOT (-1)
extern struct cpu_eventcount cpu_hot; /* notified when a kernel becomes hot */

/* The first fault of a launch. */
#define CPU_MAX_CALLERS 8

struct cpu_fault_record {
    uint32_t kind; /* enum cpu_fault */
    uint32_t line;
    uint64_t address;
    uint64_t pc; /* of the instruction, where machine code faulted */
    uint64_t callers[CPU_MAX_CALLERS]; /* possible return addresses, from the stack or a register */
    uint64_t grid_id;
    const uint64_t *symbols; /* of the kernel's module; identifies it */
    uint32_t block[3];
    uint32_t warp;
    bool found; /* checks have findings in the launch */
    char kernel[256];
    char message[512];
};

struct cpu_finding;
struct cpu_graph_run;
struct cpu_races;
struct cpu_race_block;
struct cpu_sync_block;
struct cpu_profile;

struct cpu_job {
    struct cpu_compiled_kernel *compiled;
    const uint8_t *params;
    uint32_t grid_dim[3], block_dim[3], cluster_dim[3];
    uint32_t shared_size;
    uint64_t grid_id;
    uint64_t grid_workspace;
    uint64_t operation, node, round; /* see check/operation.h */
    struct cpu_graph_run *graph; /* the graph launch that this is part of, or NULL */
    struct cpu_children *children; /* child launches, if the kernel uses the device runtime */
    bool cooperative; /* all blocks in flight at once */
    uint32_t path;    /* enum cpu_path */
    bool published;   /* helpers may join */
    bool alone;       /* one worker begins, although there are blocks for several */
    bool compares;    /* ... and others join later, to see which is faster */
    uint64_t alone_blocks; /* that were taken until then */
    int64_t alone_time;    /* nanoseconds */
    uint32_t warps;   /* of each block */
    uint32_t pitch;   /* row_pitch in struct cpu_warp */
    uint32_t cluster; /* blocks of each cluster */
    uint32_t chunk;   /* blocks taken at a time */
    int64_t start;    /* cpu_now() */
    uint64_t blocks;
    uint8_t before[CPU_LINE - sizeof(uint64_t)]; /* keeps what workers write out of lines that all of them read often */
    _Atomic uint64_t next;       /* index of the first block not yet taken by a worker */
    uint8_t behind[CPU_LINE - sizeof(uint64_t)];
    _Atomic uint32_t stop;       /* enum cpu_fault: workers leave at the next poll or block */
    struct cpu_races *races;     /* of a launch that is checked for races */
    struct cpu_profile *profile; /* of a launch of a profiled kernel */
    struct cpu_finding *findings; /* of checks, see check.c */
    _Atomic uint32_t recorded;   /* the thread that sets it first writes the fault record */
    /* For helpers, see pool.c. */
    struct cpu_job *link;
    struct cpu_job *beside;   /* list of the queue's jobs: branches of a graph */
    uint32_t limit;            /* workers that may take part, 0: all */
    uint32_t wanted;           /* helpers that can take part */
    _Atomic uint32_t invited;  /* helpers that may join so far; written with the pool's lock held */
    uint32_t block_time;       /* nanoseconds of one block, as expected; 0: unknown; guarded by the pool's lock */
    _Atomic int64_t review;    /* when to look again whether more helpers are worth waking */
    uint8_t between[CPU_LINE - sizeof(uint64_t)];
    uint32_t joined;           /* helpers that have joined; guarded by the pool's lock */
    _Atomic uint32_t present;  /* ... and not left */
    _Atomic int64_t helped;    /* nanoseconds that helpers have worked, less those that its workers took to wake others */
    struct cpu_fault_record fault; /* must be the last member: valid only with `recorded` */
};

struct cpu_barrier {
    uint32_t expected; /* threads to arrive, 0: all live ones */
    uint32_t lanes;    /* arrived */
    uint32_t threads;  /* arrived, counting all lanes of an arriving warp */
    uint32_t warps;    /* bit w: warp w has arrived */
    uint32_t waiting;  /* bit w: warp w waits */
    uint32_t holds;    /* bar.red: lanes whose predicate holds */
    bool fails;        /* bar.red: some arriving lane's predicate fails */
};

struct cpu_block;

struct cpu_running {
    struct cpu_warp abi; /* first: machine code sees this */
    struct cpu_block *block;
    void *context; /* suspended fiber, NULL before the first instruction */
    struct cpu_stack *stack;
    cpu_lanes live; /* lanes that have not exited */
    uint32_t cluster_phase; /* phase at which the warp arrived last */
    uint32_t polls; /* of loops that do not spin, since the last barrier */
    uint64_t barrier_site;  /* of the warp's last barrier, in checked kernels */
    uint32_t illegal;       /* accesses that memcheck has reported */
    uint32_t reduced_count; /* results of the last bar.red */
    bool reduced_all;
};

struct cpu_region {
    uint8_t *base; /* of the mapping, with its guards */
    size_t size;
    uint8_t *begin;
    size_t usable;
    uint32_t slots; /* copies, CPU_CLUSTER_STRIDE apart */
};

/* State of barrier.cluster, which has numbered phases; stored in the cluster's first block. */
struct cpu_cluster {
    uint32_t size;    /* blocks */
    uint32_t left;    /* blocks still in flight */
    uint32_t phase;
    uint32_t arrived; /* lanes */
    uint32_t warps[CPU_MAX_CLUSTER];   /* of each block: bit w: warp w has arrived */
    uint32_t waiting[CPU_MAX_CLUSTER]; /* of each block: bit w: warp w waits */
    struct cpu_block *blocks[CPU_MAX_CLUSTER];
    uint64_t events; /* ends of phases of mbarriers, in checked kernels; never reset */
};

/* Initial values of a block's warps, except the launch's number. Without padding, since memcmp compares it. */
struct cpu_filling {
    const struct cpu_runtime *runtime;
    const uint8_t *params;
    uint8_t *local;
    const uint64_t *symbols;
    uint64_t *counters;
    struct cpu_ranges *ranges;
    struct cpu_sole *sole;
    uint64_t local_stride, grid_workspace, graph_exec;
    uint32_t grid_dim[3], block_dim[3], cluster_dim[3];
    uint32_t shared_size, shared_static, warps, pitch, unused;
};

struct cpu_block {
    struct cpu_block *next; /* ring of blocks in flight, or list of unused ones */
    struct cpu_worker *worker;
    uint32_t ready;   /* bit w: warp w can run */
    uint32_t alive;   /* bit w: warp w has not ended */
    uint32_t live;    /* lanes that have not exited */
    uint32_t touched; /* bit b: some lane has arrived at barrier b since the last reset */
    uint64_t following; /* successor of the last block index executed here; UINT64_MAX: none */
    uint64_t launch;  /* the worker's launch that the warps are filled for */
    bool moved;       /* some warp did more than poll since the scheduler's last round */
    uint32_t shape[4]; /* block_dim and pitch that thread_idx is filled for */
    struct cpu_filling filling;
    struct cpu_region shared, local;
    uint8_t *shared_base; /* start of the block's slot in the region */
    uint32_t rank;        /* in the cluster */
    struct cpu_cluster *cluster, own;
    struct cpu_barrier barriers[CPU_BARRIERS];
    struct cpu_race_block *race; /* of a launch that is checked for races */
    struct cpu_sync_block *sync; /* of a launch that is checked by synccheck */
    struct cpu_running warps[CPU_MAX_WARPS];
};

/* A call on a worker's stack, not on a fiber of a warp; it may be suspended, and continued by another thread. */
struct cpu_worker_call {
    struct cpu_worker *worker;
    void (*function)(void *);
    void *argument;
};

/* Executes blocks. Each helper thread has one; a queue's is used by the thread that executes its current command. */
struct cpu_worker {
    uint32_t index;
    struct cpu_job *job;
    void *thread_context; /* the thread's own context while a fiber runs */
    int64_t deadline; /* when an inline launch is suspended, so that the submitting thread returns; 0: never */
    int64_t since;    /* start of the inline command */
    int32_t budget;   /* loop iterations between polls without fibers */
    void *suspended;       /* stack pointer of the suspended call, which the queue's thread continues */
    struct cpu_worker_call call;
    struct cpu_block *block; /* the block of a launch that executes without fibers */
    struct cpu_job own;      /* the job of a queue's launch */
    volatile bool guarded; /* machine code or a copy executes, whose faults are handled */
    bool aborted;          /* the fiber was left by a fault or a stop */
    struct cpu_running *current;
    struct cpu_graph_run *graph; /* graph launch whose commands this queue's thread executes, or NULL */
    uint64_t *counters; /* of the launch, if the kernel is profiled */
    struct cpu_ranges *ranges; /* check.h; NULL until a checked kernel runs */
    struct cpu_sole *sole; /* while it is the only worker that executes blocks, else NULL */
    uint32_t in_flight; /* blocks on fibers */
    uint64_t launch;    /* number of launches so far */
    struct cpu_fault_record *record; /* receives faults outside of jobs (a copy) */
    struct cpu_stacks stacks;
    struct cpu_stack *stack; /* the current one */
    struct cpu_block *unused;
};

extern const struct cpu_runtime cpu_services, cpu_check_services, cpu_profile_services;

static inline uint32_t cpu_count(cpu_lanes lanes)
{
    if (lanes == UINT32_MAX)
        return CPU_WARP_SIZE; /* the usual case: without a popcount instruction __builtin_popcount is a call */
    lanes -= (lanes >> 1) & 0x55555555u;
    lanes = (lanes & 0x33333333u) + ((lanes >> 2) & 0x33333333u);
    return (((lanes + (lanes >> 4)) & 0x0f0f0f0fu) * 0x01010101u) >> 24;
}

/* worker.c */
void cpu_worker_begin(struct cpu_worker *worker, uint32_t index);
void cpu_worker_end(struct cpu_worker *worker);
bool cpu_worker_thread(const char *name); /* prepares the calling thread: name, floating-point state, signal stack */
/* Run `*context` until it switches back; true unless it was aborted. */
bool cpu_worker_resume(struct cpu_worker *worker, void **context, struct cpu_stack *stack);
/* Call function(argument) with faults caught; false after a fault or a suspension. */
bool cpu_worker_call(struct cpu_worker *worker, void (*function)(void *), void *argument);
bool cpu_worker_continue(struct cpu_worker *worker); /* resumes the suspended call; returns as cpu_worker_call */
/* Suspend the current call; returns on the thread that continues it. */
void cpu_worker_suspend(struct cpu_worker *worker);
/* An inline command begins, and is suspended after `time` nanoseconds; it ends, or another thread continues it. */
void cpu_worker_begin_inline(struct cpu_worker *worker, uint32_t time, int32_t budget);
void cpu_worker_end_inline(struct cpu_worker *worker);
void cpu_worker_abort(struct cpu_worker *worker) __attribute__((noreturn));

/* block.c */
struct cpu_block *cpu_block_take(struct cpu_worker *worker, struct cpu_job *job);
/* Initialise it as the block at `index`; returns how many blocks, up to `end`, the machine code executes in this call. */
uint64_t cpu_block_start(struct cpu_block *block, struct cpu_job *job, uint64_t index, uint64_t end);
void cpu_block_give(struct cpu_worker *worker, struct cpu_block *block);
bool cpu_block_share(struct cpu_block *block, struct cpu_job *job); /* reserves the cluster's shared memory */
void cpu_blocks_trim(struct cpu_worker *worker, uint32_t keep);

/* grid.c */
bool cpu_job_run(struct cpu_job *job, struct cpu_worker *worker); /* executes the launch, with helpers; false: suspended */
bool cpu_job_work(struct cpu_job *job, struct cpu_worker *worker); /* executes this worker's blocks */
uint64_t cpu_grid_number(void); /* of the next launch: %gridid */
bool cpu_job_fault(struct cpu_job *job, struct cpu_running *warp, uint32_t kind, uint32_t line, uint64_t address,
                   const char *message); /* true for the first */

/* sole_worker.c */
void cpu_sole_enter(struct cpu_worker *worker, bool wanted); /* to be called before a worker executes blocks */
void cpu_sole_leave(struct cpu_worker *worker); /* ... and after it */
void cpu_sole_end(struct cpu_worker *worker); /* before others join */
void cpu_sole_share(void); /* another process may access memory of the device from now on */

/* fibers.c */
void cpu_job_run_fibers(struct cpu_job *job, struct cpu_worker *worker);
void cpu_warp_yield(struct cpu_running *warp); /* switch to the scheduler; returns when it resumes this warp */
bool cpu_job_take(struct cpu_job *job, struct cpu_worker *worker, uint64_t *begin, uint64_t *end);

/* barrier.c */
void cpu_barrier_sync(struct cpu_warp *warp, uint32_t id, uint32_t threads, cpu_lanes lanes);
void cpu_barrier_arrive(struct cpu_warp *warp, uint32_t id, uint32_t threads, cpu_lanes lanes);
uint32_t cpu_barrier_reduce(struct cpu_warp *warp, uint32_t id, uint32_t threads, cpu_lanes lanes, uint32_t op,
                            cpu_lanes predicate);
void cpu_exit_lanes(struct cpu_warp *warp, cpu_lanes lanes);
void cpu_barriers_reset(struct cpu_block *block);
bool cpu_barriers_unstick(struct cpu_block *block); /* false: deadlock */

/* cluster.c */
void cpu_cluster_join(struct cpu_block *block, struct cpu_block *first, uint32_t rank, uint32_t size);
void cpu_cluster_arrive(struct cpu_warp *warp, cpu_lanes lanes);
void cpu_cluster_wait(struct cpu_warp *warp, cpu_lanes lanes);
void cpu_cluster_exit(struct cpu_cluster *cluster); /* to be called when lanes of it have exited */
bool cpu_cluster_unstick(struct cpu_cluster *cluster); /* false: deadlock */
bool cpu_cluster_leave(struct cpu_block *block); /* true for the last block of the cluster */

/* services.c */
void cpu_fault_now(struct cpu_running *warp, uint32_t kind, uint32_t line, uint64_t address, const char *message)
    __attribute__((noreturn));
/* Called before a service waits for something that the launching thread may have to provide. */
void cpu_suspend_inline(struct cpu_running *warp);
/* Called before a service takes a lock: a stack overflow with the lock held could not be recovered from. */
void cpu_need_stack(struct cpu_warp *warp);
#define CPU_PLAIN_BUDGET 20000 /* loop iterations between polls without fibers: a poll only checks for a stop */
#define CPU_SHORT_BUDGET 100    /* the same in a short inline launch: a poll also checks the deadline */
#define CPU_AWAITED_BUDGET 2000 /* the same in a longer one */
#define CPU_FIBER_BUDGET 4224   /* the same with fibers: a poll lets other warps run; no multiple of 256, the cost of a spin iteration */

/* pool.c */
#define CPU_HELPER_NS 20000 /* nanoseconds of work that are worth waking a helper; shorter launches run without */
void cpu_pool_set_workers(uint32_t count);
uint32_t cpu_pool_workers(void);
void cpu_pool_publish(struct cpu_job *job);
void cpu_pool_review(struct cpu_job *job); /* wakes more helpers if the launch takes longer than expected */
void cpu_pool_retract(struct cpu_job *job); /* waits until all helpers have left */
void cpu_pool_stop(void);

/* To be called by the workers of a launch now and then. */
static inline void cpu_pool_watch(struct cpu_job *job)
{
    if (job->published && atomic_load_explicit(&job->invited, memory_order_relaxed) < job->wanted)
        cpu_pool_review(job);
}

/* fault.c */
void cpu_fault_install(void);
void cpu_fault_renew(void); /* install again if another handler was installed since */
bool cpu_fault_stack(void); /* give this thread an alternate signal stack */
void cpu_fault_thread(struct cpu_worker *worker); /* the worker that handles this thread's faults, or NULL */
bool cpu_fault_free(void); /* return whether this thread has no worker */

#endif
