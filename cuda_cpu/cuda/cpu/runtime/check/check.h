/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Services of checked kernels (memcheck, racecheck, synccheck), and their findings. Python gets the numbers from exec/abi_table.c.
 */
#ifndef CUDA_CPU_CHECK_H
#define CUDA_CPU_CHECK_H

#include "exec/worker.h"

/* cpu_grid.checks, and what an access is to be checked for. */
enum cpu_check {
    CPU_MEMCHECK = 1,
    CPU_RACECHECK = 2,
    CPU_SYNCCHECK = 4,
};

/* The state space that an access names. */
enum cpu_space {
    CPU_SPACE_GENERIC,
    CPU_SPACE_GLOBAL,
    CPU_SPACE_SHARED,
    CPU_SPACE_LOCAL,
    CPU_SPACE_CLUSTER,
    CPU_SPACE_PARAM,
    CPU_SPACE_CONST,
};

/* Bits of `what` in check_access, above the space (4 bits) and enum cpu_check (4 bits). */
#define CPU_ACCESS_READ 0x100u
#define CPU_ACCESS_WRITE 0x200u
#define CPU_ACCESS_UNIFORM 0x400u /* all lanes access one address */
#define CPU_ACCESS_SIZED 0x800u   /* each lane has a size of its own, of any alignment: `values` */
#define CPU_ACCESS_VALUES 0x1000u /* `values` is what is written: a row of double words for each element */
#define CPU_ACCESS_STRONG 0x2000u /* an atomic operation, volatile, relaxed or stronger */
#define CPU_ACCESS_RELEASE 0x4000u
#define CPU_ACCESS_STEP 16        /* from this bit: bytes of an element are 1 << it */

/* Bits of `what` in check_barrier and check_warp. */
#define CPU_MEETING_ALIGNED 0x100u /* all lanes of the warp must arrive */
#define CPU_MEETING_ALONE 0x200u   /* the lanes wait for others that cannot arrive any more: at a barrier for `threads` */

enum cpu_finding_kind {
    CPU_FOUND_OUTSIDE,    /* of every allocation */
    CPU_FOUND_FREED,      /* in one that has been freed */
    CPU_FOUND_HOST,       /* in memory that belongs to the host alone */
    CPU_FOUND_MISALIGNED,
    CPU_FOUND_SHARED,     /* beyond the block's shared memory */
    CPU_FOUND_LOCAL,      /* beyond the thread's local memory */
    CPU_FOUND_PARAM,      /* beyond the kernel's parameters */
    CPU_FOUND_WRITE_AFTER_WRITE, /* of threads that nothing puts in order */
    CPU_FOUND_READ_AFTER_WRITE,
    CPU_FOUND_WRITE_AFTER_READ,
    CPU_FOUND_DIVERGENT, /* lanes, `address`, at an aligned barrier; others, `size`, are not there */
    CPU_FOUND_COUNT,     /* of threads, `address`, at a barrier of a block of `size` */
    CPU_FOUND_COUNTS,    /* the same, where others have given `size` */
    CPU_FOUND_UNNAMED,   /* a lane whose mask, `address`, has not itself */
    CPU_FOUND_MASKS,     /* lanes that name each other with masks that differ, `address` and `size` */
    CPU_FOUND_ALONE,     /* lanes, `address`, that wait for others of `size` */
    CPU_FOUND_STUCK,     /* warps, `address`, of `size`, that wait at a barrier for ever */
};

/* A range that kernels may access, or that was freed. */
struct cpu_allocation {
    uint64_t start, size, id;
    bool joins;      /* with what begins where it ends */
    char origin[64]; /* what made it */
    uint64_t reach;  /* end of the last byte of this one and those before it */
};

/* Relation of the reported address to the allocation. */
enum cpu_relation { CPU_NOWHERE, CPU_BEFORE, CPU_BEHIND, CPU_WITHIN, CPU_PAST_END };

/* One instruction's errors of one kind, in one launch: the first in the order of threads, and how many there are. */
struct cpu_finding {
    struct cpu_finding *next;
    uint64_t grid_id, site, count;
    uint64_t address, size, offset; /* offset: in its state space */
    uint64_t order;                 /* of the thread in the grid */
    uint32_t kind, what;
    uint32_t block[3], thread[3];
    uint32_t relation; /* enum cpu_relation: the address lies ... the allocation */
    struct cpu_allocation allocation;
    uint64_t other_site; /* of the access before */
    uint32_t other_block[3], other_thread[3];
};

/* check_table.c: table of allocations, which the driver maintains once the first checked kernel is loaded. */
bool cpu_table_add(uint64_t start, uint64_t size, uint64_t id, bool joins, const char *origin);
void cpu_table_remove(uint64_t id);
void cpu_table_remove_within(uint64_t start, uint64_t size); /* all that begin there */
void cpu_table_remove_called(void *id); /* the same, for a queue to call */
void cpu_table_clear(void);
/* Whether all bytes may be accessed. */
bool cpu_table_holds(uint64_t address, uint64_t size);
/* The one that holds an address; false: none. */
bool cpu_table_find(uint64_t address, struct cpu_allocation *allocation);
/* What is nearest to an address that may not. True: it was freed. */
bool cpu_table_near(uint64_t address, struct cpu_finding *finding);

/* check.c */
void cpu_check_access(struct cpu_warp *warp, cpu_lanes lanes, uint64_t site, uint32_t what, uint32_t size,
                      uint64_t *addresses, const uint64_t *values);
void cpu_check_warp(struct cpu_warp *warp, cpu_lanes lanes, uint64_t site, uint32_t what, const uint64_t *masks);
void cpu_check_barrier(struct cpu_warp *warp, cpu_lanes lanes, uint64_t site, uint32_t what, uint32_t id,
                       uint32_t threads);
void cpu_check_stuck(struct cpu_block *block); /* no warp of it can go on */
void cpu_check_fence(struct cpu_warp *warp, cpu_lanes lanes);
void cpu_check_barrier_sync(struct cpu_warp *warp, uint32_t id, uint32_t threads, cpu_lanes lanes);
void cpu_check_barrier_arrive(struct cpu_warp *warp, uint32_t id, uint32_t threads, cpu_lanes lanes);
uint32_t cpu_check_barrier_reduce(struct cpu_warp *warp, uint32_t id, uint32_t threads, cpu_lanes lanes, uint32_t op,
                                  cpu_lanes predicate);
void cpu_check_cluster_arrive(struct cpu_warp *warp, cpu_lanes lanes);
void cpu_check_cluster_wait(struct cpu_warp *warp, cpu_lanes lanes);
/* The start of the shared memory that the address belongs to: the block's, or that of a block of its cluster; else 0. */
uint64_t cpu_check_shared(const struct cpu_running *warp, uint64_t address);
/* Note a race; `shared`: in shared memory. */
void cpu_check_note(struct cpu_running *warp, unsigned lane, bool shared, struct cpu_finding *finding);
void cpu_check_malloc(struct cpu_warp *warp, cpu_lanes lanes, const uint64_t *size, uint64_t *result);
void cpu_check_free(struct cpu_warp *warp, cpu_lanes lanes, const uint64_t *pointer);
/* At the end of a launch that found something: make that its fault. */
void cpu_check_end(struct cpu_job *job);
/* The findings of a launch, in the order of threads; the caller frees them. */
struct cpu_finding *cpu_findings_take(uint64_t grid_id);

#endif
