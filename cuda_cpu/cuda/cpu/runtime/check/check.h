/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Services that checked kernels call (memcheck, racecheck, synccheck, initcheck), and their findings. exec/abi_table.c exports the
 * numbers to Python.
 */
#ifndef CUDA_CPU_CHECK_H
#define CUDA_CPU_CHECK_H

#include "exec/worker.h"

/* Bits of cpu_compiled_kernel.checks, and of `flags`: the checks to make. */
enum cpu_check {
    CPU_MEMCHECK = 1,
    CPU_RACECHECK = 2,
    CPU_SYNCCHECK = 4,
    CPU_INITCHECK = 8,
};

/* State space of an access, as the instruction names it. */
enum cpu_space {
    CPU_SPACE_GENERIC,
    CPU_SPACE_GLOBAL,
    CPU_SPACE_SHARED,
    CPU_SPACE_LOCAL,
    CPU_SPACE_CLUSTER,
    CPU_SPACE_PARAM,
    CPU_SPACE_CONST,
};

/* Bits of `flags` in check_access, above the space (4 bits) and enum cpu_check (4 bits). */
#define CPU_ACCESS_READ 0x100u
#define CPU_ACCESS_WRITE 0x200u
#define CPU_ACCESS_UNIFORM 0x400u /* all lanes access one address */
#define CPU_ACCESS_SIZED 0x800u   /* each lane has its own size, in `values`, without alignment */
#define CPU_ACCESS_VALUES 0x1000u /* `values` has the data written: a row of 64-bit words for each element */
#define CPU_ACCESS_STRONG 0x2000u /* atomic, volatile, relaxed or stronger */
#define CPU_ACCESS_RELEASE 0x4000u
#define CPU_ACCESS_COPIED 0x8000u /* by an asynchronous copy: first of the destination, then of the source */
#define CPU_ACCESS_STEP 16        /* from this bit on (2 bits): log2 of the size of an element */
#define CPU_ACCESS_FRESH 0x40000u /* no access: the last `size` bytes of all lanes' local memory were allocated */
#define CPU_ACCESS_VARIABLE 0x80000u /* `values` begins with a row that has struct cpu_variable */
#define CPU_ACCESS_ATOMIC 0x800000u
#define CPU_ACCESS_VOLATILE 0x1000000u
#define CPU_ACCESS_BLOCK_SCOPE 0x2000000u
#define CPU_ACCESS_ASYNC 0x4000000u /* by an asynchronous copy, or (of an mbarrier) by its completion */
#define CPU_ACCESS_SINGLY 0x8000000u /* racecheck looks at each lane by itself, even in the usual cases: for tests */
#define CPU_ACCESS_ROW 0x10000000u /* lanes that run access neighbouring memory, unless addresses were replaced */
#define CPU_ACCESS_BASES 0x20000000u /* lanes are in one row or (without ROW) two: `addresses` has those of 0 and 16 */
#define CPU_ACCESS_MBARRIER 20    /* from this bit on (3 bits): enum cpu_mbarrier, whose operands are in `values` */
#define CPU_ACCESS_FREE 0x40000000u /* no access: the addresses are to be freed by free() */

/* The variable that an address is computed from, or (CPU_SPACE_GLOBAL) the kernel's parameters, of which one is a pointer. */
struct cpu_variable {
    uint64_t offset, size; /* in shared memory, or in the thread's local memory; size 0: up to the end */
    uint64_t space;        /* CPU_SPACE_SHARED, CPU_SPACE_LOCAL or CPU_SPACE_GLOBAL */
    union {
        const char *name;
        const uint32_t *parameters; /* offsets of `size` parameters */
    };
};

enum cpu_mbarrier {
    CPU_MBARRIER_OTHER,
    CPU_MBARRIER_INIT,   /* count */
    CPU_MBARRIER_INVAL,
    CPU_MBARRIER_UPDATE, /* arrivals, threads that drop out, bytes: expected, or (negative) completed */
    CPU_MBARRIER_WAIT,   /* state, lanes at other barriers */
    CPU_MBARRIER_PARITY, /* parity, lanes at other barriers */
    CPU_MBARRIER_USE,    /* must be initialised */
};

/* Arguments of check_order: fences, and groups of asynchronous copies. */
enum cpu_order {
    CPU_ORDER_FENCE,
    CPU_ORDER_FENCE_BLOCK, /* of scope .cta */
    CPU_ORDER_COMMIT,
    CPU_ORDER_COMMIT_BULK,
    CPU_ORDER_WAIT,
    CPU_ORDER_WAIT_BULK,
    CPU_ORDER_WAIT_BULK_READ, /* until the sources have been read */
    CPU_ORDER_WAIT_ALL,
};

/* Bits of `flags` in check_barrier and check_warp. */
#define CPU_MEETING_ALIGNED 0x100u /* all lanes of the warp must arrive */
#define CPU_MEETING_ALONE 0x200u   /* lanes that wait for others, which cannot arrive (at a barrier: mask `threads`) */
#define CPU_MEETING_SOURCES 0x400u /* a shuffle: `masks` has a second row, the lane that each lane reads */
#define CPU_MEETING_EACH 0x800u    /* and each lane needs what it reads */
#define CPU_MEETING_FULL 0x1000u   /* all masks have all lanes */

/* For each access of a kernel (by its site, modulo CPU_RANGES), the allocation that its last one was in. Machine code
 * calls check_access only if an access is not in it, or the table of allocations has changed. */
#define CPU_RANGES 256u

struct cpu_range {
    uint64_t version, start, size; /* valid as long as the table has this version */
};

struct cpu_ranges {
    const _Atomic uint64_t *version; /* of the table */
    struct cpu_range of[CPU_RANGES];
};

enum cpu_finding_kind {
    CPU_FOUND_OUTSIDE,    /* outside of every allocation */
    CPU_FOUND_FREED,      /* in a freed allocation */
    CPU_FOUND_HOST,       /* in memory that belongs to the host alone */
    CPU_FOUND_MISALIGNED,
    CPU_FOUND_SHARED,     /* beyond the block's shared memory */
    CPU_FOUND_LOCAL,      /* beyond the thread's local memory */
    CPU_FOUND_VARIABLE,   /* beyond the variable that the address is computed from */
    CPU_FOUND_EXITED,     /* in the shared memory of another block, which has exited */
    CPU_FOUND_PARAM,      /* beyond the kernel's parameters */
    CPU_FOUND_FREE,       /* free() of what is no allocation of the device heap */
    CPU_FOUND_WRITE_AFTER_WRITE, /* a race: of threads that are not ordered by synchronisation */
    CPU_FOUND_READ_AFTER_WRITE,
    CPU_FOUND_WRITE_AFTER_READ,
    CPU_FOUND_DIVERGENT, /* lanes `address` are at an aligned barrier, lanes `size` are not */
    CPU_FOUND_COUNT,     /* `address` threads: no multiple of 32, or more than the block's `size` */
    CPU_FOUND_COUNTS,    /* `address` threads, where other warps have given `size` */
    CPU_FOUND_UNNAMED,   /* a lane that is not in its own mask, `address` */
    CPU_FOUND_MASKS,     /* lanes with different masks, `address` and `size`, that contain each other */
    CPU_FOUND_ALONE,     /* lanes `address` wait for others, among the lanes `size` */
    CPU_FOUND_STUCK,     /* warps `address` (a mask), of `size` warps, wait at a barrier forever */
    CPU_FOUND_SOURCE,    /* lanes `address` read lanes `size`, which do not take part */
    CPU_FOUND_MBARRIER_NONE,    /* was never initialised */
    CPU_FOUND_MBARRIER_INVALID, /* was invalidated */
    CPU_FOUND_MBARRIER_TWICE,   /* initialised while it is in use */
    CPU_FOUND_MBARRIER_COUNT,   /* expected `address` arrivals: not in 1 to `size` */
    CPU_FOUND_MBARRIER_OVER,    /* `address` arrivals where `size` are pending */
    CPU_FOUND_MBARRIER_EARLY,   /* an arrival that nothing orders after the end of the phase before */
    CPU_FOUND_MBARRIER_STALE,   /* a wait for a phase before the preceding one */
    CPU_FOUND_MBARRIER_STUCK,   /* lanes `address` wait forever; `size`: the object's state */
    CPU_FOUND_UNWRITTEN, /* a read of `size` bytes; that at `address` was never written */
    CPU_FOUND_MORE, /* errors unlike the `offset` findings that a launch can have; the first one's kind is `flags` */
};

/* A range that kernels may access, or that was freed. */
struct cpu_allocation {
    uint64_t start, size, id;
    bool joins;      /* an access may extend into the range that begins at its end */
    char origin[64]; /* the API call that allocated it */
    uint64_t reach;  /* greatest end of this range and those before it */
};

/* Relation of the reported address to the allocation. */
enum cpu_relation { CPU_NOWHERE, CPU_BEFORE, CPU_BEHIND, CPU_WITHIN, CPU_PAST_END };

/* Errors of one kind of one instruction in one launch: the first in the order of threads, and their number. */
struct cpu_finding {
    struct cpu_finding *next;
    uint64_t grid_id, site, count;
    uint64_t address, size, offset; /* offset: in its state space */
    uint64_t order;                 /* of the thread in the grid */
    uint32_t kind, flags;
    uint32_t block[3], thread[3];
    uint32_t relation; /* enum cpu_relation: of the address to the allocation */
    struct cpu_allocation allocation;
    uint64_t other_site; /* of the earlier access, in a race */
    uint32_t other_block[3], other_thread[3];
    bool ends; /* a warp had made so many illegal accesses that it ended the launch */
    /* Of the launch: */
    const uint64_t *symbols; /* of the kernel's module; identifies it */
    char kernel[256];
};

/* check_table.c: table of allocations, which the driver maintains once the first checked kernel is loaded. */
bool cpu_table_add(uint64_t start, uint64_t size, uint64_t id, bool joins, const char *origin);
void cpu_table_remove(uint64_t id);
void cpu_table_remove_within(uint64_t start, uint64_t size); /* all ranges that begin in this one */
void cpu_table_remove_called(void *id); /* cpu_table_remove as a host function of a queue */
void cpu_table_clear(void);
/* Return whether all bytes may be accessed. */
bool cpu_table_holds(uint64_t address, uint64_t size);
/* Allocate the ranges of a worker; NULL: out of memory. */
struct cpu_ranges *cpu_ranges_new(void);
/* Return the range that was found last by cpu_table_holds. */
struct cpu_range cpu_table_last(void);
/* Find the allocation that contains an address; false: none. */
bool cpu_table_find(uint64_t address, struct cpu_allocation *allocation);
/* Find the allocation that contains an address or, freed, contained it last; otherwise (id 0) the bytes up to the next. */
void cpu_table_owner(uint64_t address, struct cpu_allocation *allocation);
/* Fill in the allocation nearest to an invalid address. Return whether the address is in a freed one. */
bool cpu_table_near(uint64_t address, struct cpu_finding *finding);

/* check.c */
void cpu_check_access(struct cpu_warp *warp, cpu_lanes lanes, uint64_t site, uint32_t flags, uint32_t size,
                      uint64_t *addresses, const uint64_t *values);
void cpu_check_warp(struct cpu_warp *warp, cpu_lanes lanes, uint64_t site, uint32_t flags, const uint64_t *masks);
void cpu_check_barrier(struct cpu_warp *warp, cpu_lanes lanes, uint64_t site, uint32_t flags, uint32_t id,
                       uint32_t threads);
void cpu_check_stuck(struct cpu_block *block); /* deadlock: no warp of it can run */
void cpu_check_order(struct cpu_warp *warp, cpu_lanes lanes, uint32_t what, uint32_t count);
void cpu_check_written(struct cpu_warp *warp, const uint32_t *offsets, uint32_t count);
uint32_t cpu_check_rows(struct cpu_warp *warp, cpu_lanes lanes, uint64_t site, uint32_t flags, uint64_t first,
                        uint64_t second);
void cpu_check_bulk(struct cpu_warp *warp, cpu_lanes lanes, uint64_t site, uint32_t flags, const uint64_t *operands);
void cpu_check_barrier_sync(struct cpu_warp *warp, uint32_t id, uint32_t threads, cpu_lanes lanes);
void cpu_check_barrier_arrive(struct cpu_warp *warp, uint32_t id, uint32_t threads, cpu_lanes lanes);
uint32_t cpu_check_barrier_reduce(struct cpu_warp *warp, uint32_t id, uint32_t threads, cpu_lanes lanes, uint32_t op,
                                  cpu_lanes predicate);
void cpu_check_cluster_arrive(struct cpu_warp *warp, cpu_lanes lanes);
void cpu_check_cluster_wait(struct cpu_warp *warp, cpu_lanes lanes);
/* Return the start of the shared memory (of a block of the cluster) that contains the address, or 0. */
uint64_t cpu_check_shared(const struct cpu_running *warp, uint64_t address);
/* Report a finding at an address in a state space: global, shared or local. */
void cpu_check_note(struct cpu_running *warp, unsigned lane, enum cpu_space space, struct cpu_finding *finding);
void cpu_check_malloc(struct cpu_warp *warp, cpu_lanes lanes, const uint64_t *size, uint64_t *result);
/* Report addresses that free() must not get, and replace them by 0. */
void cpu_check_freeing(struct cpu_running *warp, cpu_lanes lanes, uint64_t site, uint64_t *addresses);
void cpu_check_free(struct cpu_warp *warp, cpu_lanes lanes, const uint64_t *pointer);

/* findings.c */
/* Add a finding, or count it in an earlier one of the same instructions and kind. */
void cpu_check_add(struct cpu_job *job, struct cpu_finding *found);
void cpu_check_name(struct cpu_finding *finding, const struct cpu_running *warp, unsigned lane); /* fills in the thread */
/* Report a finding of a lane's thread. */
void cpu_check_report(struct cpu_running *warp, unsigned lane, struct cpu_finding *finding);
/* End a launch that has findings with the fault CPU_FAULT_CHECK. */
void cpu_check_end(struct cpu_job *job);
/* From now on launches with findings complete without a fault, unless the kernel cannot continue. */
void cpu_check_record(bool on);
/* Note that a launch with findings has ended: with a fault, or recorded. */
void cpu_check_finish(struct cpu_job *job);
/* Return whether there are findings of launches that ended without a fault. */
bool cpu_check_pending(void);
/* Remove the findings of a launch, in the order of threads; 0: of all that have ended. The caller frees them. */
struct cpu_finding *cpu_findings_take(uint64_t grid_id);

#endif
