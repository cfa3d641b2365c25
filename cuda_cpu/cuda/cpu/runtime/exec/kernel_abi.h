/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * The contract between the machine code that cuda.cpu.emit makes and the native runtime that runs it.
 * exec/abi_table.c hands the offsets and numbers to Python.
 *
 * A kernel's machine code has one entry:  void NAME(struct cpu_warp *warp)
 * By enum cpu_path the runtime calls it once for some blocks that follow each other in the grid (`blocks`; it advances
 * `block_idx` from one to the next), with the first of a block's warps, straight on the worker's stack; or once for every
 * warp, straight or, where warps wait for each other, on a fiber of its own.
 */
#ifndef CUDA_CPU_KERNEL_ABI_H
#define CUDA_CPU_KERNEL_ABI_H

#include <stdint.h>

#define CPU_WARP_SIZE 32
/* Bytes from one block's shared memory to the next one's of its cluster. A 32-bit address of .shared::cluster is
 * (rank + 1) * stride + offset; below the stride it means the block's own, as an address of .shared::cta does. */
#define CPU_CLUSTER_STRIDE ((size_t)1 << 24)
#define CPU_KERNEL_ABI 8 /* part of the disk cache's key */

typedef uint32_t cpu_lanes; /* bit i: lane i */

/* Who schedules the warps of a block. */
enum cpu_path {
    CPU_PATH_WARPS = 0,  /* the runtime, one after the other */
    CPU_PATH_FIBERS = 1, /* the runtime, each on a fiber of its own, since they wait for each other */
    CPU_PATH_BLOCKS = 2, /* the machine code, block by block */
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
    CPU_FAULT_CHECK = 10,            /* ran to its end with findings of a check */
};

struct cpu_warp;

/* Services of the runtime, reached through warp->runtime so that machine code needs no symbols. */
struct cpu_runtime {
    /* bar.sync id, threads: `threads` 0 means all live threads of the block; `lanes` are arriving. */
    void (*barrier_sync)(struct cpu_warp *warp, uint32_t id, uint32_t threads, cpu_lanes lanes);      /*  0 */
    void (*barrier_arrive)(struct cpu_warp *warp, uint32_t id, uint32_t threads, cpu_lanes lanes);    /*  8 */
    /* bar.red: op 0 popc, 1 and, 2 or; `predicate` has the bits of the lanes whose predicate holds. */
    uint32_t (*barrier_reduce)(struct cpu_warp *warp, uint32_t id, uint32_t threads, cpu_lanes lanes,
                               uint32_t op, cpu_lanes predicate);                                     /* 16 */
    /* Called when warp->budget runs out in a loop: checks for cancellation, lets other warps run, resets the budget. */
    void (*poll)(struct cpu_warp *warp);                                                              /* 24 */
    /* Never returns: ends the launch with `fault`. `line` is the PTX line (0 unknown), `address` what it concerns. */
    void (*fault)(struct cpu_warp *warp, uint32_t fault, uint32_t line, uint64_t address);            /* 32 */
    /* Device-side C library: arrays of 32, one element per lane, only `lanes` are read and written. */
    void (*vprintf)(struct cpu_warp *warp, cpu_lanes lanes, const uint64_t *format, const uint64_t *arguments,
                    int32_t *result);                                                                 /* 40 */
    void (*malloc)(struct cpu_warp *warp, cpu_lanes lanes, const uint64_t *size, uint64_t *result);   /* 48 */
    void (*free)(struct cpu_warp *warp, cpu_lanes lanes, const uint64_t *pointer);                    /* 56 */
    void (*assert_fail)(struct cpu_warp *warp, cpu_lanes lanes, const uint64_t *message, const uint64_t *file,
                        const uint32_t *line, const uint64_t *function);                              /* 64 */
    void (*nanosleep)(struct cpu_warp *warp, uint32_t nanoseconds);                                   /* 72 */
    uint64_t (*clock)(struct cpu_warp *warp);       /* ticks of about one nanosecond: %clock, %clock64    80 */
    uint64_t (*globaltimer)(struct cpu_warp *warp); /* nanoseconds of real time: %globaltimer             88 */
    /* The lanes that called exit/returned from the entry are dead: barriers no longer wait for them. */
    void (*exit_lanes)(struct cpu_warp *warp, cpu_lanes lanes);                                       /* 96 */
    /* barrier.cluster: `lanes` arrive; a warp waits until the phase at which it arrived is over. */
    void (*cluster_arrive)(struct cpu_warp *warp, cpu_lanes lanes);                                  /* 104 */
    void (*cluster_wait)(struct cpu_warp *warp, cpu_lanes lanes);                                    /* 112 */
    /* Device-side graph functions, in arrays as above. */
    void (*graph_set_conditional)(struct cpu_warp *warp, cpu_lanes lanes, const uint64_t *handle,
                                  const uint32_t *value);                                            /* 120 */
    void (*graph_launch)(struct cpu_warp *warp, cpu_lanes lanes, const uint64_t *handle, const uint64_t *stream,
                         uint32_t *result);                                                          /* 128 */
    /* Textures and surfaces, see texture.h: objects, rows of arguments, rows of results or of what is stored. */
    void (*texture)(struct cpu_warp *warp, cpu_lanes lanes, uint32_t what, uint32_t line, const uint64_t *object,
                    const uint32_t *arguments, uint64_t *data);                                      /* 136 */
    /* Tensor copies and the like, see tensor.h: rows of operands. */
    void (*bulk)(struct cpu_warp *warp, cpu_lanes lanes, uint32_t what, uint32_t line, const uint64_t *operands); /* 144 */
    /* Updates of kernel nodes, see node.h: rows of operands; the first one becomes the result. */
    void (*graph_update)(struct cpu_warp *warp, cpu_lanes lanes, uint32_t what, uint64_t *operands);  /* 152 */
    /* Before an access of a checked kernel, see check.h: invalid addresses are replaced by valid ones. `site`
     * is the function's number and the PTX line. */
    void (*check_access)(struct cpu_warp *warp, cpu_lanes lanes, uint64_t site, uint32_t what, uint32_t size,
                         uint64_t *addresses, const uint64_t *values);                               /* 160 */
    /* Before an operation of the warp; `masks` has the lanes that each lane names. */
    void (*check_warp)(struct cpu_warp *warp, cpu_lanes lanes, uint64_t site, uint32_t what,
                       const uint64_t *masks);                                                       /* 168 */
    void (*check_fence)(struct cpu_warp *warp, cpu_lanes lanes);                                     /* 176 */
    /* Before bar.sync and the like; `threads` as in barrier_sync. */
    void (*check_barrier)(struct cpu_warp *warp, cpu_lanes lanes, uint64_t site, uint32_t what, uint32_t id,
                          uint32_t threads);                                                         /* 184 */
    /* Functions of the device runtime, see device.h: rows of operands; the first one becomes the result. */
    void (*device_call)(struct cpu_warp *warp, cpu_lanes lanes, uint32_t what, uint64_t *operands);  /* 192 */
};

/* One warp in flight. Filled by the runtime before the entry is called. */
struct cpu_warp {
    const struct cpu_runtime *runtime;      /*   0 */
    const uint8_t *params;                  /*   8  kernel parameter buffer, laid out as PTX says */
    uint8_t *shared;                        /*  16  shared memory of the block: static, then dynamic at shared_static */
    uint8_t *local;                         /*  24  local memory of lane 0; that of lane i is at local + i*local_stride */
    const uint64_t *symbols;                /*  32  addresses of the program's symbols, by Program.symbols index */
    uint64_t local_stride;                  /*  40  bytes of local memory of each lane */
    uint64_t local_top;                     /*  48  bytes of it in use by the frames of the call stack */
    cpu_lanes lanes;                        /*  56  lanes that exist in this warp (the last warp of a block may be short) */
    int32_t budget;                         /*  60  loop rounds until poll is called: 1 each, 256 in a spin loop */
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
    uint32_t rows;                          /* 552  bit b: each 2**b lanes of the block are consecutive along x */
    uint32_t current;                       /* 556  of the block's first warp: index of the warp that runs now */
    uint32_t warp_count;                    /* 560  warps of the block */
    uint32_t warp_bytes;                    /* 564  from one warp of the block to the next */
    uint32_t blocks;                        /* 568  to run in this call, the one at block_idx first */
    cpu_lanes last_lanes;                   /* 572  lanes that exist in the block's last warp; all do in the others */
    /* The runtime's own data follows and is no part of the contract. */
};

#endif
