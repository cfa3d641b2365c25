/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Services of checked kernels that synchronise or allocate: those of other kernels, and what checks must know of them;
 * and those of racecheck alone.
 */
#define _GNU_SOURCE
#include "exec/heap.h"
#include "init.h"
#include "race.h"
#include "sync.h"
#include "texture/tensor.h"
#include "texture/texture.h"

#include <sys/uio.h>
#include <unistd.h>

static bool has_races(const struct cpu_running *warp)
{
    return warp->block->worker->job->races != NULL;
}

void cpu_check_order(struct cpu_warp *abi, cpu_lanes lanes, uint32_t what, uint32_t count)
{
    cpu_need_stack(abi);
    if (!has_races((struct cpu_running *)abi))
        return;
    if (what <= CPU_ORDER_FENCE_BLOCK)
        cpu_race_fence((struct cpu_running *)abi, lanes, what == CPU_ORDER_FENCE_BLOCK);
    else
        cpu_race_copies((struct cpu_running *)abi, lanes, what, count);
}

void cpu_check_written(struct cpu_warp *abi, const uint32_t *offsets, uint32_t count)
{
    if (has_races((struct cpu_running *)abi))
        cpu_reads_begin((struct cpu_running *)abi, offsets, count);
}

void cpu_check_barrier_sync(struct cpu_warp *abi, uint32_t id, uint32_t threads, cpu_lanes lanes)
{
    struct cpu_running *warp = (struct cpu_running *)abi;
    bool races = has_races(warp) && lanes;
    if (races)
        cpu_race_arrive(warp, id, threads, lanes, true);
    cpu_sync_arrive(warp, id);
    cpu_barrier_sync(abi, id, threads, lanes);
    cpu_sync_pass(warp, id);
    if (races)
        cpu_race_pass(warp, lanes);
}

void cpu_check_barrier_arrive(struct cpu_warp *abi, uint32_t id, uint32_t threads, cpu_lanes lanes)
{
    struct cpu_running *warp = (struct cpu_running *)abi;
    if (has_races(warp) && lanes)
        cpu_race_arrive(warp, id, threads, lanes, false);
    cpu_sync_arrive(warp, id);
    cpu_barrier_arrive(abi, id, threads, lanes);
}

uint32_t cpu_check_barrier_reduce(struct cpu_warp *abi, uint32_t id, uint32_t threads, cpu_lanes lanes, uint32_t op,
                                  cpu_lanes predicate)
{
    struct cpu_running *warp = (struct cpu_running *)abi;
    bool races = has_races(warp) && lanes;
    if (races)
        cpu_race_arrive(warp, id, threads, lanes, true);
    cpu_sync_arrive(warp, id);
    uint32_t result = cpu_barrier_reduce(abi, id, threads, lanes, op, predicate);
    cpu_sync_pass(warp, id);
    if (races)
        cpu_race_pass(warp, lanes);
    return result;
}

void cpu_check_cluster_arrive(struct cpu_warp *abi, cpu_lanes lanes)
{
    if (has_races((struct cpu_running *)abi) && lanes)
        cpu_race_cluster_arrive((struct cpu_running *)abi, lanes);
    cpu_sync_arrive((struct cpu_running *)abi, CPU_BARRIERS);
    cpu_cluster_arrive(abi, lanes);
}

void cpu_check_cluster_wait(struct cpu_warp *abi, cpu_lanes lanes)
{
    cpu_cluster_wait(abi, lanes);
    cpu_sync_pass((struct cpu_running *)abi, CPU_BARRIERS);
    if (has_races((struct cpu_running *)abi) && lanes)
        cpu_race_cluster_pass((struct cpu_running *)abi, lanes);
}

/* Allocations of the device heap are in the table, too, with the requested size. */
void cpu_check_malloc(struct cpu_warp *warp, cpu_lanes lanes, const uint64_t *size, uint64_t *result)
{
    cpu_heap_malloc(warp, lanes, size, result);
    for (; lanes; lanes &= lanes - 1) {
        unsigned lane = (unsigned)__builtin_ctz(lanes);
        if (!result[lane])
            continue;
        cpu_table_add(result[lane], size[lane], result[lane], false, "malloc() in a kernel");
        if (has_races((struct cpu_running *)warp))
            cpu_race_forget((struct cpu_running *)warp, result[lane], size[lane]);
        if (((struct cpu_running *)warp)->block->worker->job->compiled->checks & CPU_INITCHECK)
            cpu_init_mark(result[lane], size[lane], false);
    }
}

void cpu_check_freeing(struct cpu_running *warp, cpu_lanes lanes, uint64_t site, uint64_t *addresses)
{
    for (cpu_lanes left = lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint64_t address = addresses[lane];
        bool is_wrong = address && !cpu_heap_is_live(address);
        for (cpu_lanes before = lanes & ~left; address && before; before &= before - 1)
            is_wrong |= addresses[__builtin_ctz(before)] == address;
        if (!is_wrong)
            continue;
        struct cpu_finding finding = {.kind = CPU_FOUND_FREE, .site = site, .address = address};
        cpu_check_report(warp, lane, &finding);
        addresses[lane] = 0;
    }
}

void cpu_check_free(struct cpu_warp *warp, cpu_lanes lanes, const uint64_t *pointer)
{
    for (cpu_lanes left = lanes; left; left &= left - 1)
        cpu_table_remove(pointer[__builtin_ctz(left)]); /* before the free, which lets other threads get the address */
    cpu_heap_free(warp, lanes, pointer);
}

/* --- tensor copies and multimem ------------------------------------------------------------------------------------------------- */

/* Check the memory of which a tensor copy accesses parts: in the tensor, and in shared memory. */
static void check_tensor(struct cpu_warp *warp, cpu_lanes lanes, uint64_t site, uint32_t flags, const uint64_t *operands)
{
    const uint32_t sized = CPU_ACCESS_SIZED | CPU_MEMCHECK << 4;
    bool loads = (flags & 15) == CPU_TENSOR_LOAD;
    uint64_t tensors[CPU_WARP_SIZE], boxes[CPU_WARP_SIZE], sizes[CPU_WARP_SIZE], box_sizes[CPU_WARP_SIZE];
    cpu_lanes inside = 0, known = 0;
    for (cpu_lanes left = lanes; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        struct cpu_tensor_traffic traffic;
        if (!cpu_tensor_traffic(flags, operands, lane, &traffic))
            continue; /* the copy raises the fault */
        known |= 1u << lane;
        inside |= (cpu_lanes)(traffic.bytes > 0) << lane; /* otherwise the box is outside of the tensor */
        tensors[lane] = traffic.start;
        sizes[lane] = traffic.end - traffic.start;
        boxes[lane] = operands[CPU_BULK_SOURCE * CPU_WARP_SIZE + lane];
        box_sizes[lane] = traffic.box;
    }
    cpu_check_access(warp, inside, site, CPU_SPACE_GLOBAL | sized | (loads ? CPU_ACCESS_READ : CPU_ACCESS_WRITE), 0,
                     tensors, sizes);
    cpu_check_access(warp, known, site, CPU_SPACE_CLUSTER | sized | (loads ? CPU_ACCESS_WRITE : CPU_ACCESS_READ), 0,
                     boxes, box_sizes);
}

/* Return whether memory is bound to the multicast object that is mapped at an address. */
static bool is_multicast(uint64_t address)
{
    uint32_t head[2]; /* kind and count of struct cpu_multimem */
    struct iovec here = {head, sizeof head};
    struct iovec there = {(void *)(uintptr_t)(address & ~(uint64_t)(CPU_MULTIMEM_GRANULE - 1)), sizeof head};
    bool readable = process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)sizeof head;
    return readable && head[0] == CPU_MULTIMEM && head[1];
}

/* Check the memory of a multicast object, and the source of a copy to it. Its mapping is not among the allocations, which
 * other instructions may access. */
static void check_multimem(struct cpu_warp *abi, cpu_lanes lanes, uint64_t site, uint32_t flags, const uint64_t *operands)
{
    struct cpu_running *warp = (struct cpu_running *)abi;
    bool copies = (flags & 15) >= CPU_MULTIMEM_COPY;
    uint32_t access = CPU_SPACE_GLOBAL | ((flags & 15) == CPU_MULTIMEM_LOAD ? CPU_ACCESS_READ : CPU_ACCESS_WRITE);
    uint64_t known = 0, sources[CPU_WARP_SIZE], sizes[CPU_WARP_SIZE];
    for (cpu_lanes left = lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint64_t first = operands[lane];
        sources[lane] = operands[CPU_BULK_SOURCE * CPU_WARP_SIZE + lane];
        sizes[lane] = copies ? operands[CPU_BULK_COORDINATE * CPU_WARP_SIZE + lane]
                             : CPU_BULK_REGISTERS(flags) * CPU_BULK_PARTS(flags) * cpu_type_sizes[CPU_BULK_TYPE(flags)];
        for (uint64_t at = first; at < first + sizes[lane]; at = (at | (CPU_MULTIMEM_GRANULE - 1)) + 1) {
            if (at / CPU_MULTIMEM_GRANULE == known || is_multicast(at)) {
                known = at / CPU_MULTIMEM_GRANULE;
                continue;
            }
            struct cpu_finding finding = {.kind = CPU_FOUND_OUTSIDE, .site = site, .flags = access, .address = first,
                                          .offset = first, .size = sizes[lane]};
            cpu_table_near(first, &finding);
            cpu_check_report(warp, lane, &finding);
            cpu_check_end(warp->block->worker->job); /* there is no memory that could be accessed instead */
            cpu_worker_abort(warp->block->worker);
        }
    }
    if (copies)
        cpu_check_access(abi, lanes, site, CPU_SPACE_CLUSTER | CPU_ACCESS_SIZED | CPU_MEMCHECK << 4 | CPU_ACCESS_READ, 0,
                         sources, sizes);
}

void cpu_check_bulk(struct cpu_warp *warp, cpu_lanes lanes, uint64_t site, uint32_t flags, const uint64_t *operands)
{
    if ((flags & 15) <= CPU_TENSOR_REDUCE)
        check_tensor(warp, lanes, site, flags, operands);
    else if ((flags & 15) >= CPU_MULTIMEM_LOAD)
        check_multimem(warp, lanes, site, flags, operands);
}
