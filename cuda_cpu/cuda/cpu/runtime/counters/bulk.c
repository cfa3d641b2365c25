/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Count what tensor copies, multicasts and accesses to multicast memory access.
 */
#include "check/check.h"
#include "counters.h"

static void count_copy(uint64_t *counters, uint64_t bytes, uint64_t sectors, uint64_t wavefronts)
{
    counters[CPU_COUNT_REQUESTS]++;
    counters[CPU_COUNT_THREADS]++;
    counters[CPU_COUNT_BYTES] += bytes;
    counters[CPU_COUNT_SECTORS] += sectors;
    counters[CPU_COUNT_WAVEFRONTS] += wavefronts;
}

/* Each lane has a copy of its own. In shared memory, a copy takes a wavefront for 128 bytes in each block. */
static void count_copies(uint64_t *global, cpu_lanes lanes, uint32_t flags, const uint64_t *operands)
{
    uint64_t *shared = global + CPU_COUNTS;
    for (; lanes; lanes &= lanes - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        uint64_t mask = operands[CPU_BULK_MASK * CPU_WARP_SIZE + lane] & 0xffff;
        uint32_t blocks = CPU_BULK_MULTICAST(flags) ? (uint32_t)__builtin_popcountll(mask) : 1;
        struct cpu_tensor_traffic traffic = {0};
        if ((flags & 15) == CPU_BULK_COPY) /* cpu_profile_access counts the source */
            traffic.box = (uint32_t)operands[CPU_BULK_COORDINATE * CPU_WARP_SIZE + lane];
        else if (!cpu_tensor_traffic(flags, operands, lane, &traffic))
            continue;
        uint32_t wavefronts = (traffic.box + CPU_BANKS * 4 - 1) / (CPU_BANKS * 4);
        count_copy(global, traffic.bytes, traffic.sectors, 0);
        count_copy(shared, (uint64_t)traffic.box * blocks, 0, (uint64_t)wavefronts * blocks);
    }
}

void cpu_profile_bulk(struct cpu_warp *warp, cpu_lanes lanes, uint32_t index, uint32_t flags, const uint64_t *operands)
{
    static const uint32_t accesses[] = {
        [CPU_MULTIMEM_LOAD] = CPU_ACCESS_READ, [CPU_MULTIMEM_STORE] = CPU_ACCESS_WRITE,
        [CPU_MULTIMEM_REDUCE] = CPU_ACCESS_READ | CPU_ACCESS_WRITE, [CPU_MULTIMEM_COPY] = CPU_ACCESS_WRITE,
        [CPU_MULTIMEM_REDUCE_BULK] = CPU_ACCESS_WRITE,
    };
    const uint64_t *sizes = operands + CPU_BULK_COORDINATE * CPU_WARP_SIZE;
    uint32_t copied = CPU_ACCESS_SIZED | CPU_ACCESS_COPIED, work = flags & 15, size = cpu_type_sizes[CPU_BULK_TYPE(flags)] * CPU_BULK_PARTS(flags);
    switch (work) {
    case CPU_MULTIMEM_LOAD:
    case CPU_MULTIMEM_STORE:
    case CPU_MULTIMEM_REDUCE:
        size *= CPU_BULK_REGISTERS(flags);
        cpu_profile_access(warp, lanes, index, CPU_SPACE_GLOBAL | accesses[work], size, operands, NULL);
        return;
    case CPU_MULTIMEM_COPY:
    case CPU_MULTIMEM_REDUCE_BULK:
        cpu_profile_access(warp, lanes, index, CPU_SPACE_GLOBAL | copied, 0, operands, sizes);
        cpu_profile_access(warp, lanes, index + CPU_COUNTS, CPU_SPACE_SHARED | copied, 0,
                           operands + CPU_BULK_SOURCE * CPU_WARP_SIZE, sizes);
        return;
    }
    count_copies(warp->counters + index, lanes, flags, operands);
}
