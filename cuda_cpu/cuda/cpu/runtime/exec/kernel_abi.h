/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * ABI between the machine code that cuda.cpu.emit generates and the native runtime that executes it. exec/abi_table.c
 * exports the offsets and constants to Python.
 *
 * A kernel's machine code has one entry:  void NAME(struct cpu_warp *warp)
 * Depending on enum cpu_path, the runtime calls it in one of these ways:
 *   CPU_PATH_BLOCKS: once for `blocks` consecutive blocks, with the first warp of a block, on the worker's stack; the
 *                    machine code iterates over the warps, and advances `block_idx` from block to block.
 *   CPU_PATH_PADDED: as CPU_PATH_BLOCKS, and the rows of threads along x may begin at multiples of CPU_HALF_RUN lanes,
 *                    with lanes that do not exist behind each row: the kernel cannot tell which warp a thread is in.
 *   CPU_PATH_WARPS:  once for each warp, on the worker's stack.
 *   CPU_PATH_FIBERS: once for each warp, on a fiber of its own, since the warps wait for each other.
 */
#ifndef CUDA_CPU_KERNEL_ABI_H
#define CUDA_CPU_KERNEL_ABI_H

#include <stdatomic.h>
#include <stdint.h>

#define CPU_WARP_SIZE 32
#define CPU_MAX_BLOCK_THREADS 1024u
#define CPU_WHOLE_RUN 64 /* WHOLE_RUN in kernel_abi.py */
#define CPU_HALF_RUN 16 /* HALF_RUN in kernel_abi.py */
#define CPU_HALF_ROW 15 /* HALF_ROW in kernel_abi.py */
#define CPU_PADDED_RUN 10 /* PADDED_RUN in kernel_abi.py */
#define CPU_PADDED_ROW 9 /* PADDED_ROW in kernel_abi.py */
#define CPU_QUARTER_RUN 8 /* QUARTER_RUN in kernel_abi.py */
#define CPU_QUARTER_ROW 7 /* QUARTER_ROW in kernel_abi.py */
/* Bytes from the shared memory of one block to that of the next one in the cluster. A 32-bit .shared::cluster address
 * is (rank + 1) * stride + offset. Below the stride it is a .shared::cta address, in the block's own shared memory. */
#define CPU_CLUSTER_STRIDE ((size_t)1 << 24)
#define CPU_KERNEL_ABI 15 /* part of the disk cache's key */

typedef uint32_t cpu_lanes; /* bit i: lane i */

/* Return how many lanes a row of a block gets if the runtime pads rows: more than it has threads if that makes the
 * addresses of a SIMD group's lanes consecutive, but not twice as many, since these lanes take time, too. */
static inline uint32_t cpu_padded_pitch(const uint32_t block[3])
{
    uint32_t x = block[0], rows = block[1] * block[2], padded = (x + CPU_HALF_RUN - 1) & -CPU_HALF_RUN;
    return rows > 1 && 2 * x >= padded && padded * rows <= CPU_MAX_BLOCK_THREADS ? padded : x;
}

/* Return for which runs of lanes the code for blocks of this shape is compiled, as kernel_abi.py says. */
static inline uint32_t cpu_lane_run(const uint32_t block[3])
{
    if (block[0] % CPU_WARP_SIZE == 0)
        return CPU_WHOLE_RUN;
    if (block[1] * block[2] <= 1)
        return CPU_WARP_SIZE;
    if (block[0] % CPU_HALF_RUN == 0)
        return block[0] == CPU_HALF_RUN ? CPU_HALF_ROW : CPU_HALF_RUN;
    if (block[0] < CPU_QUARTER_RUN)
        return CPU_HALF_RUN;
    if (block[0] % CPU_QUARTER_RUN == 0 && block[0] < CPU_WARP_SIZE) /* rows of 40 take less time if they are padded */
        return block[0] == CPU_QUARTER_RUN ? CPU_QUARTER_ROW : CPU_QUARTER_RUN;
    return cpu_padded_pitch(block) == CPU_HALF_RUN ? CPU_PADDED_ROW : CPU_PADDED_RUN;
}

/* How the warps of a block are scheduled. */
enum cpu_path {
    CPU_PATH_WARPS = 0,  /* the runtime, one after the other */
    CPU_PATH_FIBERS = 1, /* the runtime, each on a fiber of its own, since they wait for each other */
    CPU_PATH_BLOCKS = 2, /* the machine code, block by block */
    CPU_PATH_PADDED = 3, /* the same, with padded rows; a launch has CPU_PATH_BLOCKS */
};

/* Why a kernel ended early; the driver maps each to a CUresult. */
enum cpu_fault {
    CPU_FAULT_NONE = 0,
    CPU_FAULT_ILLEGAL_ADDRESS = 1,   /* memory access outside of every allocation */
    CPU_FAULT_MISALIGNED = 2,
    CPU_FAULT_TRAP = 3,              /* trap, brkpt */
    CPU_FAULT_ASSERT = 4,            /* device-side assert */
    CPU_FAULT_STACK = 5,             /* fiber or local stack overflow */
    CPU_FAULT_BARRIER = 6,           /* every warp of the block waits and none can be released */
    CPU_FAULT_CANCELLED = 7,         /* interrupted by the host */
    CPU_FAULT_INVALID_PC = 8,        /* indirect call to an address that is no function */
    CPU_FAULT_UNSUPPORTED = 9,       /* executed an instruction or service that is not supported */
    CPU_FAULT_CHECK = 10,            /* completed, but checks have findings */
};

struct cpu_warp;

/* Services of the runtime: a function table, so that machine code refers to no symbols of the runtime. */
struct cpu_runtime {
    /* bar.sync id, threads: `lanes` arrive; `threads` 0 stands for all live threads of the block. */
    void (*barrier_sync)(struct cpu_warp *warp, uint32_t id, uint32_t threads, cpu_lanes lanes);      /*  0 */
    void (*barrier_arrive)(struct cpu_warp *warp, uint32_t id, uint32_t threads, cpu_lanes lanes);    /*  8 */
    /* bar.red: op 0 popc, 1 and, 2 or; `predicate` is the mask of lanes whose predicate is true. */
    uint32_t (*barrier_reduce)(struct cpu_warp *warp, uint32_t id, uint32_t threads, cpu_lanes lanes,
                               uint32_t op, cpu_lanes predicate);                                     /* 16 */
    /* Called when warp->budget runs out in a loop: checks for cancellation, lets other warps run, resets the budget. */
    void (*poll)(struct cpu_warp *warp);                                                              /* 24 */
    /* Never returns: ends the launch with `fault`, at PTX line `line` (0: unknown) and at the faulting `address`. */
    void (*fault)(struct cpu_warp *warp, uint32_t fault, uint32_t line, uint64_t address);            /* 32 */
    /* Device-side C library: arrays with an element per lane, accessed only for `lanes`. */
    void (*vprintf)(struct cpu_warp *warp, cpu_lanes lanes, const uint64_t *format, const uint64_t *arguments,
                    int32_t *result);                                                                 /* 40 */
    void (*malloc)(struct cpu_warp *warp, cpu_lanes lanes, const uint64_t *size, uint64_t *result);   /* 48 */
    void (*free)(struct cpu_warp *warp, cpu_lanes lanes, const uint64_t *pointer);                    /* 56 */
    void (*assert_fail)(struct cpu_warp *warp, cpu_lanes lanes, const uint64_t *message, const uint64_t *file,
                        const uint32_t *line, const uint64_t *function);                              /* 64 */
    void (*nanosleep)(struct cpu_warp *warp, uint32_t nanoseconds);                                   /* 72 */
    uint64_t (*clock)(struct cpu_warp *warp);       /* ticks of about one nanosecond: %clock, %clock64    80 */
    uint64_t (*globaltimer)(struct cpu_warp *warp); /* nanoseconds of real time: %globaltimer             88 */
    /* The lanes have executed exit, or returned from the entry: barriers no longer wait for them. */
    void (*exit_lanes)(struct cpu_warp *warp, cpu_lanes lanes);                                       /* 96 */
    /* barrier.cluster: `lanes` arrive; a warp waits until the phase at which it arrived is over. */
    void (*cluster_arrive)(struct cpu_warp *warp, cpu_lanes lanes);                                  /* 104 */
    void (*cluster_wait)(struct cpu_warp *warp, cpu_lanes lanes);                                    /* 112 */
    /* Device-side graph functions, in arrays as above. */
    void (*graph_set_conditional)(struct cpu_warp *warp, cpu_lanes lanes, const uint64_t *handle,
                                  const uint32_t *value);                                            /* 120 */
    void (*graph_launch)(struct cpu_warp *warp, cpu_lanes lanes, const uint64_t *handle, const uint64_t *stream,
                         uint32_t *result);                                                          /* 128 */
    /* Textures and surfaces, see texture.h: objects, rows of arguments, rows of results or of data to store. */
    void (*texture)(struct cpu_warp *warp, cpu_lanes lanes, uint32_t flags, uint32_t line, const uint64_t *object,
                    const uint32_t *arguments, uint64_t *data);                                      /* 136 */
    /* Bulk copies, tensor copies and multimem, see tensor.h: rows of operands. */
    void (*bulk)(struct cpu_warp *warp, cpu_lanes lanes, uint32_t flags, uint32_t line, const uint64_t *operands); /* 144 */
    /* Updates of kernel nodes, see node.h: rows of operands; the first one becomes the result. */
    void (*graph_update)(struct cpu_warp *warp, cpu_lanes lanes, uint32_t operation, uint64_t *operands);  /* 152 */
    /* Before an access of a checked kernel, see check.h: replaces invalid addresses by valid ones. `site` is the
     * function's number (high 32 bits) and the PTX line. */
    void (*check_access)(struct cpu_warp *warp, cpu_lanes lanes, uint64_t site, uint32_t flags, uint32_t size,
                         uint64_t *addresses, const uint64_t *values);                               /* 160 */
    /* Before a warp-level operation (shfl.sync, vote.sync): `masks` has each lane's member mask. */
    void (*check_warp)(struct cpu_warp *warp, cpu_lanes lanes, uint64_t site, uint32_t flags,
                       const uint64_t *masks);                                                       /* 168 */
    /* At a fence, or a wait for asynchronous copies: enum cpu_order. */
    void (*check_order)(struct cpu_warp *warp, cpu_lanes lanes, uint32_t what, uint32_t count);       /* 176 */
    /* Before a barrier instruction; `threads` as in barrier_sync. */
    void (*check_barrier)(struct cpu_warp *warp, cpu_lanes lanes, uint64_t site, uint32_t flags, uint32_t id,
                          uint32_t threads);                                                         /* 184 */
    /* Functions of the device runtime, see device.h: rows of operands; the first one becomes the result. */
    void (*device_call)(struct cpu_warp *warp, cpu_lanes lanes, uint32_t function, uint64_t *operands);  /* 192 */
    /* Before an access of a profiled kernel, see counters.h. */
    void (*profile_access)(struct cpu_warp *warp, cpu_lanes lanes, uint32_t index, uint32_t access, uint32_t size,
                           const uint64_t *addresses, const uint64_t *sizes);                        /* 200 */
    /* After a call of bulk in a profiled kernel, with its arguments. */
    void (*profile_bulk)(struct cpu_warp *warp, cpu_lanes lanes, uint32_t index, uint32_t flags,
                         const uint64_t *operands);                                                  /* 208 */
    /* At the start of a kernel checked for races: it writes global memory only through pointers that it gets, or computes
     * from, the parameters at these offsets. */
    void (*check_written)(struct cpu_warp *warp, const uint32_t *offsets, uint32_t count);           /* 216 */
    /* Before a call of bulk in a kernel checked for its accesses, with its arguments. */
    void (*check_bulk)(struct cpu_warp *warp, cpu_lanes lanes, uint64_t site, uint32_t flags,
                       const uint64_t *operands);                                                    /* 224 */
    /* Before check_access, of a plain access to neighbouring memory by one row of lanes, or (without CPU_ACCESS_ROW) two:
     * the addresses of lanes 0 and 16. Returns whether the access is recorded, so that check_access is not needed. */
    uint32_t (*check_rows)(struct cpu_warp *warp, cpu_lanes lanes, uint64_t site, uint32_t flags, uint64_t first,
                           uint64_t second);                                                         /* 232 */
};

/* State of the only worker that executes blocks, see sole_worker.c. */
struct cpu_sole {
    _Atomic uint32_t valid; /*   0  0: others execute blocks, too */
    _Atomic uint32_t busy;  /*   4  an atomic operation without locked instructions is in progress */
};

/* One warp in flight. Filled by the runtime before the entry is called. */
struct cpu_warp {
    const struct cpu_runtime *runtime;      /*   0 */
    const uint8_t *params;                  /*   8  kernel parameter buffer, in the layout of PTX */
    uint8_t *shared;                        /*  16  shared memory of the block: static, then dynamic at shared_static */
    uint8_t *local;                         /*  24  local memory of lane 0; that of lane i is at local + i*local_stride */
    const uint64_t *symbols;                /*  32  addresses of the program's symbols, by Program.symbols index */
    uint64_t local_stride;                  /*  40  bytes from one lane's local memory to the next one's */
    uint64_t local_top;                     /*  48  bytes of each lane's local memory in use by stack frames */
    cpu_lanes lanes;                        /*  56  lanes that exist in this warp (the last one may be short, or rows padded) */
    int32_t budget;                         /*  60  loop iterations until poll is called; spinning costs 256 each */
    uint32_t warp_id;                       /*  64  index of the warp in its block */
    uint32_t shared_size;                   /*  68  static + dynamic */
    uint32_t shared_static;                 /*  72  where dynamic shared memory begins */
    uint32_t worker;                        /*  76  index of the worker thread: %smid */
    uint32_t grid_dim[3];                   /*  80  %nctaid */
    uint32_t block_idx[3];                  /*  92  %ctaid */
    uint32_t block_dim[3];                  /* 104  %ntid */
    uint32_t cluster_dim[3];                /* 116  blocks; 1,1,1 without clusters */
    uint64_t grid_id;                       /* 128  %gridid */
    uint64_t grid_workspace;                /* 136  %envreg1 (high half), %envreg2 (low half): cooperative groups' barrier */
    uint32_t thread_idx[3][CPU_WARP_SIZE];  /* 144  %tid.x of each lane, then .y, then .z */
    uint64_t stack_limit;                   /* 528  lowest host stack address that a device function may reach */
    uint8_t *cluster_shared;                /* 536  shared memory of the first block of the cluster */
    uint64_t graph_exec;                    /* 544  %current_graph_exec */
    uint32_t rows;                          /* 552  bit b: each aligned group of 2**b lanes is consecutive along x */
    uint32_t current;                       /* 556  in the block's first warp: index of the running warp */
    uint32_t warp_count;                    /* 560  warps of the block */
    uint32_t warp_bytes;                    /* 564  from one warp of the block to the next */
    uint32_t blocks;                        /* 568  to execute in this call, from block_idx on */
    cpu_lanes last_lanes;                   /* 572  lanes that exist in the last warp (others are full, or rows padded) */
    uint64_t *counters;                     /* 576  of a profiled kernel, those of the worker */
    struct cpu_ranges *ranges;              /* 584  of a checked kernel, those of the worker: see check.h */
    struct cpu_sole *sole;                  /* 592  of the only worker that executes blocks, else NULL */
    uint32_t scattered;                     /* 600  set if there were atomic operations that `sole` makes faster */
    uint32_t row_pitch;                     /* 604  lanes from one row of threads to the next: block_dim[0], or padded */
    /* Private data of the runtime follows (struct cpu_running), which is no part of the ABI. */
};

#endif
