/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Count the sectors, wavefronts and collisions of a request. The definitions are those of Nsight Compute's metrics for
 * requests of a warp (Kernel Profiling Guide, "Memory Tables"), and of the CUDA Programming Guide for bank conflicts
 * ("Shared Memory", compute capability 5.x: 32 banks of 4 bytes; accesses of 8 bytes take half a warp at a time, those
 * of 16 bytes a quarter).
 */
#include <string.h>

#include "check/check.h"
#include "counters.h"

#define MOST_WORDS (CPU_WARP_SIZE * 8) /* words of 4 bytes in one request: at most 32 bytes per lane */

/* Addresses of the lanes of a request, and a table of CPU_MARKS zeros. */
struct request {
    const uint64_t *addresses; /* of all lanes */
    const uint64_t *chosen;    /* of those that take part */
    uint32_t threads, size, words; /* words: different ones of shared memory, of accesses to one word; else 0 */
    cpu_lanes lanes;
    uint8_t *marks;
};

/* Count the different values in each bank, value % CPU_BANKS, by comparing those of a bank; return how many differ. */
static uint32_t compare_by_bank(const uint64_t *values, uint32_t count, uint16_t in_bank[CPU_BANKS])
{
    uint16_t last[CPU_BANKS] = {0}, before[MOST_WORDS]; /* the different values of a bank, as indices from 1 on */
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t bank = values[i] % CPU_BANKS, known = last[bank];
        while (known && values[known - 1] != values[i])
            known = before[known - 1];
        if (known)
            continue;
        before[i] = last[bank];
        last[bank] = (uint16_t)(i + 1);
        in_bank[bank]++;
        found++;
    }
    return found;
}

/* The same by marking each value: without branches, which random addresses would mispredict. */
static uint32_t sort_by_bank(uint8_t *marks, const uint64_t *values, uint32_t count, uint16_t in_bank[CPU_BANKS])
{
    uint64_t base = values[0] < CPU_MARKS / 2 ? 0 : values[0] - CPU_MARKS / 2, far = 0;
    uint32_t found = 0;
    memset(in_bank, 0, CPU_BANKS * sizeof *in_bank);
    for (uint32_t i = 0; i < count; i++)
        far |= values[i] - base;
    if (far >= CPU_MARKS)
        return compare_by_bank(values, count, in_bank);
    for (uint32_t i = 0; i < count; i++) {
        uint16_t is_new = marks[values[i] - base] ^ 1;
        marks[values[i] - base] = 1;
        in_bank[values[i] % CPU_BANKS] += is_new;
        found += is_new;
    }
    for (uint32_t i = 0; i < count; i++)
        marks[values[i] - base] = 0;
    return found;
}

/* Return how many of the values differ. */
static uint32_t distinct(uint8_t *marks, const uint64_t *values, uint32_t count)
{
    uint16_t in_bank[CPU_BANKS];
    uint32_t steps = 1, falls = 0;
    for (uint32_t i = 1; i < count; i++) {
        steps += values[i] != values[i - 1];
        falls += values[i] < values[i - 1];
    }
    return falls ? sort_by_bank(marks, values, count, in_bank) : steps;
}

static void count(uint64_t *counters, uint32_t threads, uint32_t size)
{
    counters[CPU_COUNT_REQUESTS]++;
    counters[CPU_COUNT_THREADS] += threads;
    counters[CPU_COUNT_BYTES] += (uint64_t)threads * size;
}

static void count_collisions(uint64_t *counters, const struct request *request)
{
    uint32_t found = request->words ? request->words : distinct(request->marks, request->chosen, request->threads);
    counters[CPU_COUNT_COLLISIONS] += request->threads - found;
}

static void count_stride(uint64_t *counters, const uint64_t *addresses, uint32_t threads)
{
    int64_t stride = threads > 1 ? (int64_t)(addresses[1] - addresses[0]) : 0;
    for (uint32_t i = 2; i < threads; i++)
        if ((int64_t)(addresses[i] - addresses[i - 1]) != stride)
            return;
    counters[CPU_COUNT_STRIDED] += stride != 0;
    counters[CPU_COUNT_STRIDES] += (uint64_t)(stride < 0 ? -stride : stride);
}

static void count_global(uint64_t *counters, const struct request *request)
{
    uint64_t sectors[CPU_WARP_SIZE];
    uint32_t threads = request->threads;
    for (uint32_t i = 0; i < threads; i++)
        sectors[i] = request->chosen[i] / CPU_SECTOR;
    uint32_t found = distinct(request->marks, sectors, threads);
    count(counters, threads, request->size);
    counters[CPU_COUNT_SECTORS] += found;
    counters[CPU_COUNT_EXCESS] += found > (threads * request->size + CPU_SECTOR - 1) / CPU_SECTOR;
}

/* Return the passes for the words of some threads: the most different words in a bank. */
static uint32_t passes(uint8_t *marks, const uint64_t *words, uint32_t count, uint32_t *differ)
{
    uint16_t in_bank[CPU_BANKS];
    uint32_t found = 1, far = 0;
    *differ = 0; /* not known */
    for (uint32_t i = 1; i < count; i++)
        far |= words[i] - words[0] >= CPU_BANKS;
    if (!far) /* no two of them in a bank */
        return 1;
    *differ = sort_by_bank(marks, words, count, in_bank);
    for (uint32_t bank = 0; bank < CPU_BANKS; bank++)
        found = in_bank[bank] > found ? in_bank[bank] : found;
    return found;
}

static void count_shared(uint64_t *counters, struct request *request)
{
    uint32_t words = request->size < 4 ? 1 : request->size / 4;
    uint32_t at_once = words >= CPU_WARP_SIZE ? 1 : CPU_WARP_SIZE / words;
    count(counters, request->threads, request->size);
    for (uint32_t first = 0; first < CPU_WARP_SIZE; first += at_once) {
        uint64_t used[MOST_WORDS];
        uint32_t found = 0;
        if (words == 1)
            for (; found < request->threads; found++)
                used[found] = request->chosen[found] / 4;
        for (uint32_t lane = first; words > 1 && lane < first + at_once; lane++)
            for (uint32_t i = 0; i < words && request->lanes >> lane & 1; i++)
                used[found++] = request->addresses[lane] / 4 + i;
        if (!found)
            continue;
        uint32_t differ, needed = passes(request->marks, used, found, &differ);
        request->words = request->size == 4 ? differ : 0;
        counters[CPU_COUNT_WAVEFRONTS] += needed;
        counters[CPU_COUNT_CONFLICTS] += needed - 1;
    }
}

/* Local memory is interleaved: the same word of the 32 threads of a warp is in 128 consecutive bytes. */
static void count_local(uint64_t *counters, const struct request *request)
{
    uint32_t words = request->size < 4 ? 1 : request->size / 4, found = 0;
    uint64_t sectors[MOST_WORDS];
    for (uint32_t lane = 0; lane < CPU_WARP_SIZE; lane++)
        for (uint32_t i = 0; i < words && request->lanes >> lane & 1; i++)
            sectors[found++] = (request->addresses[lane] / 4 + i) * (CPU_WARP_SIZE * 4 / CPU_SECTOR) +
                               lane * 4 / CPU_SECTOR;
    count(counters, request->threads, request->size);
    counters[CPU_COUNT_SECTORS] += distinct(request->marks, sectors, found);
}

/* Bulk copies: each lane accesses a range in a request of its own. A wavefront moves one word of each bank. */
static void count_ranges(uint64_t *counters, const uint64_t *addresses, const uint64_t *sizes, cpu_lanes lanes,
                         uint32_t group, uint32_t each)
{
    for (; lanes; lanes &= lanes - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        uint64_t address = addresses[lane], size = sizes ? sizes[lane] : each;
        counters[CPU_COUNT_REQUESTS]++;
        counters[CPU_COUNT_THREADS]++;
        counters[CPU_COUNT_BYTES] += size;
        if (!size)
            continue;
        uint64_t unit = group == CPU_GROUP_SHARED ? CPU_BANKS * 4 : CPU_SECTOR;
        uint64_t units = (address + size - 1) / unit - address / unit + 1;
        counters[group == CPU_GROUP_SHARED ? CPU_COUNT_WAVEFRONTS : CPU_COUNT_SECTORS] += units;
    }
}

/* Rows of a matrix (wmma), and copies of variable size: all lanes together are one request, of at most MOST_WORDS. */
static void count_rows(uint64_t *counters, const struct request *request, const uint64_t *sizes, uint32_t group)
{
    uint64_t used[MOST_WORDS];
    uint32_t found = 0;
    count(counters, request->threads, 0);
    for (cpu_lanes left = request->lanes; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint64_t address = request->addresses[lane], end = (address + sizes[lane] + 3) / 4;
        counters[CPU_COUNT_BYTES] += sizes[lane];
        for (uint64_t word = address / 4; word < end && found < MOST_WORDS; word++)
            used[found++] = word;
    }
    if (!found)
        return;
    if (group == CPU_GROUP_SHARED) {
        uint32_t differ;
        counters[CPU_COUNT_WAVEFRONTS] += passes(request->marks, used, found, &differ);
        return;
    }
    for (uint32_t i = 0; i < found; i++)
        used[i] /= CPU_SECTOR / 4;
    counters[CPU_COUNT_SECTORS] += distinct(request->marks, used, found);
}

/* Replace addresses by offsets in their state space, and return the lanes in each space. */
static void sort_lanes(const struct cpu_running *warp, cpu_lanes lanes, uint32_t space, uint64_t *addresses,
                       cpu_lanes groups[CPU_GROUPS])
{
    const struct cpu_warp *abi = &warp->abi;
    uint64_t local = (uint64_t)(uintptr_t)warp->block->local.begin, own = (uint64_t)(uintptr_t)abi->local;
    for (; lanes; lanes &= lanes - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(lanes), group = CPU_GROUP_GLOBAL;
        uint64_t address = addresses[lane], shared = 0;
        if (space == CPU_SPACE_SHARED)
            shared = (uint64_t)(uintptr_t)abi->shared;
        else if (space == CPU_SPACE_GENERIC || space == CPU_SPACE_CLUSTER)
            shared = cpu_check_shared(warp, address);
        if (shared) {
            group = CPU_GROUP_SHARED;
            addresses[lane] = address - shared;
        } else if (space == CPU_SPACE_LOCAL ||
                   (space == CPU_SPACE_GENERIC && address - local < warp->block->local.usable)) {
            group = CPU_GROUP_LOCAL;
            addresses[lane] = address - (own + lane * abi->local_stride);
        }
        groups[group] |= 1u << lane;
    }
}

static void count_group(uint64_t *counters, uint32_t group, uint32_t access, struct request *request,
                        const uint64_t *sizes)
{
    if (access & CPU_ACCESS_COPIED || request->size > CPU_SECTOR) {
        const uint64_t *each = access & CPU_ACCESS_SIZED ? sizes : NULL;
        count_ranges(counters, request->addresses, each, request->lanes, group, request->size);
        return;
    }
    uint64_t chosen[CPU_WARP_SIZE];
    request->threads = cpu_count(request->lanes);
    request->chosen = request->threads == CPU_WARP_SIZE ? request->addresses : chosen;
    cpu_lanes left = request->lanes;
    for (uint32_t i = 0; request->chosen == chosen && i < request->threads; i++, left &= left - 1)
        chosen[i] = request->addresses[__builtin_ctz(left)];
    if (access & CPU_ACCESS_SIZED) {
        count_rows(counters, request, sizes, group);
        return;
    }
    count_stride(counters, request->chosen, request->threads);
    if (group == CPU_GROUP_GLOBAL)
        count_global(counters, request);
    else if (group == CPU_GROUP_SHARED)
        count_shared(counters, request);
    else
        count_local(counters, request);
    if ((access & CPU_ACCESS_READ) && (access & CPU_ACCESS_WRITE))
        count_collisions(counters, request);
}

/* Count accesses of all lanes to words of shared memory, which starts at `shared`, as count_shared does, in fewer passes
 * over them; false: a word is far away. */
static bool count_words(uint64_t *counters, uint8_t *marks, uint64_t shared, uint32_t access, const uint64_t *addresses)
{
    uint32_t words[CPU_WARP_SIZE], found = 0;
    uint8_t in_bank[CPU_BANKS] = {0}, most = 0;
    uint64_t far = 0;
    for (uint32_t lane = 0; lane < CPU_WARP_SIZE; lane++) {
        uint64_t offset = addresses[lane] - shared;
        far |= offset;
        words[lane] = (uint32_t)offset / 4;
    }
    if (far >= 4 * CPU_MARKS)
        return false;
    for (uint32_t lane = 0; lane < CPU_WARP_SIZE; lane++) {
        uint8_t *mark = &marks[words[lane]], is_new = *mark ^ 1;
        *mark = 1;
        in_bank[words[lane] % CPU_BANKS] += is_new;
        found += is_new;
    }
    for (uint32_t lane = 0; lane < CPU_WARP_SIZE; lane++)
        marks[words[lane]] = 0;
    for (uint32_t bank = 0; bank < CPU_BANKS; bank++)
        most = in_bank[bank] > most ? in_bank[bank] : most;
    count(counters, CPU_WARP_SIZE, 4);
    count_stride(counters, addresses, CPU_WARP_SIZE);
    counters[CPU_COUNT_WAVEFRONTS] += most;
    counters[CPU_COUNT_CONFLICTS] += most - 1u;
    if (access & CPU_ACCESS_READ && access & CPU_ACCESS_WRITE)
        counters[CPU_COUNT_COLLISIONS] += CPU_WARP_SIZE - found;
    return true;
}

/* The same for atomic operations on words of global memory, as count_global. Addresses of other accesses usually rise
 * from lane to lane, which count_global makes use of. */
static bool count_global_atomics(uint64_t *counters, uint8_t *marks, const uint64_t *addresses)
{
    const uint32_t words_of_sector = CPU_SECTOR / 4;
    uint64_t base = (addresses[0] / 4 - CPU_MARKS / 2) & -(uint64_t)words_of_sector, far = 0;
    uint32_t words[CPU_WARP_SIZE], sectors = 0, found = 0;
    for (uint32_t lane = 0; lane < CPU_WARP_SIZE; lane++) {
        uint64_t word = addresses[lane] / 4 - base;
        far |= word;
        words[lane] = (uint32_t)word;
    }
    if (far >= CPU_MARKS)
        return false;
    for (uint32_t lane = 0; lane < CPU_WARP_SIZE; lane++) { /* bit 0 marks a word, bit 1 a sector */
        uint8_t *word = &marks[words[lane]], *sector = &marks[words[lane] / words_of_sector];
        found += !(*word & 1);
        *word |= 1;
        sectors += !(*sector & 2);
        *sector |= 2;
    }
    for (uint32_t lane = 0; lane < CPU_WARP_SIZE; lane++)
        marks[words[lane]] = marks[words[lane] / words_of_sector] = 0;
    count(counters, CPU_WARP_SIZE, 4);
    count_stride(counters, addresses, CPU_WARP_SIZE);
    counters[CPU_COUNT_SECTORS] += sectors;
    counters[CPU_COUNT_EXCESS] += sectors > CPU_WARP_SIZE * 4 / CPU_SECTOR;
    counters[CPU_COUNT_COLLISIONS] += CPU_WARP_SIZE - found;
    return true;
}

void cpu_profile_access(struct cpu_warp *abi, cpu_lanes lanes, uint32_t index, uint32_t access, uint32_t size,
                        const uint64_t *addresses, const uint64_t *sizes)
{
    const struct cpu_running *warp = (struct cpu_running *)abi;
    struct request request = {.size = size, .marks = cpu_profile_marks(warp->block->worker)};
    uint64_t *counters = abi->counters + index, offsets[CPU_WARP_SIZE];
    uint32_t space = access & 15;
    cpu_lanes groups[CPU_GROUPS] = {0};
    bool is_usual = !(access & (CPU_ACCESS_UNIFORM | CPU_ACCESS_SIZED | CPU_ACCESS_COPIED));
    is_usual = is_usual && lanes == UINT32_MAX && size == 4;
    if (is_usual && space == CPU_SPACE_SHARED &&
        count_words(counters, request.marks, (uint64_t)(uintptr_t)abi->shared, access, addresses))
        return;
    bool is_atomic = access & CPU_ACCESS_READ && access & CPU_ACCESS_WRITE;
    if (is_usual && is_atomic && space == CPU_SPACE_GLOBAL && count_global_atomics(counters, request.marks, addresses))
        return;
    for (uint32_t lane = 0; lane < CPU_WARP_SIZE; lane++)
        offsets[lane] = addresses[access & CPU_ACCESS_UNIFORM ? 0 : lane];
    if (space == CPU_SPACE_GLOBAL || space == CPU_SPACE_CONST)
        groups[CPU_GROUP_GLOBAL] = lanes;
    else
        sort_lanes(warp, lanes, space, offsets, groups);
    request.addresses = offsets;
    for (uint32_t group = 0; group < CPU_GROUPS; group++)
        if (groups[group]) {
            uint32_t first = space == CPU_SPACE_GENERIC ? group * CPU_COUNTS : 0;
            request.lanes = groups[group];
            count_group(counters + first, group, access, &request, sizes);
        }
}
