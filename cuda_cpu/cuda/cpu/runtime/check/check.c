/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * memcheck: services that checked kernels call before accesses.
 */
#define _GNU_SOURCE
#include "check.h"

#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "init.h"
#include "race.h"
#include "sync.h"

#define MAX_ILLEGAL 100000 /* accesses of a warp; then it ends the launch: a loop may wait for what they never bring */

/* Targets of redirected invalid accesses: loads read zeros, stores are never read. */
static _Alignas(4096) uint8_t zeros[4096], sink[4096];

/* --- memcheck ------------------------------------------------------------------------------------------------------ */

static bool within(uint64_t address, uint64_t size, uint64_t start, uint64_t extent)
{
    return address >= start && size <= extent && address - start <= extent - size;
}

#define AROUND_SHARED 65536u /* bytes on both sides of shared memory that contain nothing else */

uint64_t cpu_check_shared(const struct cpu_running *warp, uint64_t address)
{
    uint64_t first = (uint64_t)(uintptr_t)warp->abi.cluster_shared;
    uint64_t distance = address + AROUND_SHARED - first;
    bool inside = distance / CPU_CLUSTER_STRIDE < warp->block->cluster->size &&
                  distance % CPU_CLUSTER_STRIDE < warp->abi.shared_size + 2 * AROUND_SHARED;
    return inside ? first + distance / CPU_CLUSTER_STRIDE * CPU_CLUSTER_STRIDE : 0;
}

/* Return whether the process can read memory. It is asked once for successive accesses of a launch to a page. */
static bool readable(uint64_t address, uint64_t grid_id)
{
    static _Thread_local struct {
        uint64_t page, grid_id;
        bool readable;
    } last;
    uint8_t byte;
    struct iovec here = {&byte, 1}, there = {(void *)(uintptr_t)address, 1};
    if (last.grid_id != grid_id || last.page != address / 4096) {
        last.readable = process_vm_readv(getpid(), &here, 1, &there, 1, 0) == 1;
        last.page = address / 4096;
        last.grid_id = grid_id;
    }
    return last.readable;
}

/* Return whether an access is out of bounds; fill in the finding if so. */
static bool judge(const struct cpu_running *warp, unsigned lane, uint32_t space, uint64_t address, uint64_t size,
                  struct cpu_finding *finding)
{
    const struct cpu_warp *abi = &warp->abi;
    const struct cpu_block *block = warp->block;
    const struct cpu_job *job = block->worker->job;
    bool generic = space == CPU_SPACE_GENERIC;
    if (generic || space == CPU_SPACE_LOCAL) {
        uint64_t all = (uint64_t)(uintptr_t)block->local.begin;
        if (!generic || address - all < block->local.usable) {
            uint64_t own = (uint64_t)(uintptr_t)abi->local + lane * abi->local_stride;
            finding->kind = CPU_FOUND_LOCAL;
            finding->offset = address - own;
            finding->allocation.size = abi->local_top;
            return !within(address, size, own, abi->local_top);
        }
    }
    uint64_t shared = generic || space == CPU_SPACE_CLUSTER ? cpu_check_shared(warp, address) : 0;
    if (space == CPU_SPACE_SHARED || space == CPU_SPACE_CLUSTER || shared) {
        shared = shared ? shared : (uint64_t)(uintptr_t)abi->shared;
        uint64_t rank = (shared - (uint64_t)(uintptr_t)abi->cluster_shared) / CPU_CLUSTER_STRIDE;
        const struct cpu_block *home = block->cluster->blocks[rank];
        bool exited = home != block && !home->alive;
        finding->kind = exited ? CPU_FOUND_EXITED : CPU_FOUND_SHARED;
        finding->offset = address - shared;
        finding->allocation.size = job->shared_size;
        return exited || !within(address, size, shared, job->shared_size);
    }
    if (generic || space == CPU_SPACE_PARAM) {
        uint64_t start = (uint64_t)(uintptr_t)abi->params;
        finding->kind = CPU_FOUND_PARAM;
        finding->offset = address - start;
        finding->allocation.size = job->compiled->parameter_bytes;
        if (within(address, size, start, job->compiled->parameter_bytes))
            return false;
        if (!generic)
            return true;
    }
    finding->offset = address;
    if (cpu_table_holds(address, size) || (job->grid_workspace && within(address, size, job->grid_workspace, 4096)))
        return false;
    bool freed = cpu_table_near(address, finding);
    bool host = finding->relation == CPU_NOWHERE && readable(address, job->grid_id);
    finding->kind = freed ? CPU_FOUND_FREED : host ? CPU_FOUND_HOST : CPU_FOUND_OUTSIDE;
    return true;
}

static bool is_misaligned(uint64_t address, uint32_t size)
{
    uint64_t natural = size > 16 ? 32 : size < 2 ? 1 : (uint64_t)2 << (31 - __builtin_clz(size - 1));
    return address & (natural - 1);
}

/* Return whether memory is in an allocation that one of the parameters points into which its address is computed from, or
 * none of them points into one. Otherwise `*pointed` is the first of these allocations. */
static bool is_pointed_to(const struct cpu_running *warp, const struct cpu_variable *variable, uint64_t address,
                          uint64_t size, struct cpu_allocation *pointed)
{
    struct cpu_allocation found;
    bool any = false;
    for (uint64_t i = 0; i < variable->size; i++) {
        uint64_t pointer;
        memcpy(&pointer, warp->abi.params + variable->parameters[i], sizeof pointer);
        if (!cpu_table_find(pointer, &found))
            continue;
        if (found.joins || within(address, size, found.start, found.size))
            return true;
        *pointed = any ? *pointed : found;
        any = true;
    }
    return !any;
}

/* Fill in the finding if an access is in another allocation than that of the pointer which its address is computed from. */
static bool strays(const struct cpu_running *warp, const struct cpu_variable *variable, uint64_t address, uint64_t size,
                   struct cpu_finding *finding)
{
    if (!size || !cpu_table_holds(address, size) || is_pointed_to(warp, variable, address, size, &finding->allocation))
        return false;
    finding->kind = CPU_FOUND_OUTSIDE;
    finding->relation = address < finding->allocation.start ? CPU_BEFORE : CPU_BEHIND;
    return true;
}

/* Fill in the finding if an access is outside of the variable that its address is computed from. */
static bool leaves(const struct cpu_running *warp, unsigned lane, const struct cpu_variable *variable, uint64_t address,
                   uint64_t size, struct cpu_finding *finding)
{
    const struct cpu_warp *abi = &warp->abi;
    bool local = variable->space == CPU_SPACE_LOCAL;
    if (variable->space == CPU_SPACE_GLOBAL)
        return strays(warp, variable, address, size, finding);
    uint64_t space = (uint64_t)(uintptr_t)(local ? abi->local + lane * abi->local_stride : abi->shared);
    uint64_t all = local ? abi->local_top : abi->shared_size;
    uint64_t extent = variable->size ? variable->size : all - variable->offset;
    if (within(address, size, space + variable->offset, extent))
        return false;
    finding->kind = CPU_FOUND_VARIABLE;
    finding->offset = address - space - variable->offset;
    finding->allocation.size = extent;
    strncpy(finding->allocation.origin, variable->name, sizeof finding->allocation.origin - 1);
    return true;
}

/* Return whether memory is the block's shared memory, or that of the variable there, or in one allocation. */
static bool is_one_range(const struct cpu_running *warp, uint32_t space, uint64_t address, uint64_t size,
                         const struct cpu_variable *variable)
{
    uint64_t shared = (uint64_t)(uintptr_t)warp->abi.shared;
    if (variable && variable->space == CPU_SPACE_SHARED && variable->size)
        return within(address, size, shared + variable->offset, variable->size);
    if (space == CPU_SPACE_SHARED && !variable)
        return within(address, size, shared, warp->abi.shared_size);
    bool global = space == CPU_SPACE_GENERIC || space == CPU_SPACE_GLOBAL || space == CPU_SPACE_CONST;
    struct cpu_allocation pointed;
    bool is_pointer = variable && variable->space == CPU_SPACE_GLOBAL;
    return global && cpu_table_holds(address, size) &&
           (!is_pointer || is_pointed_to(warp, variable, address, size, &pointed));
}

/* The same for a full warp by the bits in which addresses differ: a loop that takes a few vector instructions. */
static bool are_right_by_bits(const struct cpu_running *warp, uint32_t space, uint32_t size, const uint64_t *addresses,
                              const struct cpu_variable *variable)
{
    uint64_t first = addresses[0], differ = 0;
    for (unsigned lane = 0; lane < CPU_WARP_SIZE; lane++)
        differ |= addresses[lane] ^ first;
    if (is_misaligned(differ | first, size) || differ >> 62)
        return false;
    uint64_t span = (uint64_t)2 << (63 - __builtin_clzll(differ | (size - 1) | 1));
    return is_one_range(warp, space, first & -span, span, variable);
}

/* The usual case: return whether all lanes access one range. */
static bool are_right(const struct cpu_running *warp, cpu_lanes lanes, uint32_t space, uint32_t size,
                      const uint64_t *addresses, const struct cpu_variable *variable)
{
    uint64_t least = UINT64_MAX, most = 0, bits = 0;
    if (lanes == UINT32_MAX && size && size <= 32 && are_right_by_bits(warp, space, size, addresses, variable))
        return true;
    for (; lanes; lanes &= lanes - 1) {
        uint64_t address = addresses[__builtin_ctz(lanes)];
        least = address < least ? address : least;
        most = address > most ? address : most;
        bits |= address;
    }
    return !is_misaligned(bits, size) && is_one_range(warp, space, least, most - least + size, variable);
}

/* Report invalid accesses; return the lanes with a valid one. */
static cpu_lanes check_memory(struct cpu_running *warp, cpu_lanes lanes, uint64_t site, uint32_t flags, uint32_t size,
                              uint64_t *addresses, const uint64_t *sizes, const struct cpu_variable *variable)
{
    uint8_t *instead = flags & CPU_ACCESS_WRITE ? sink : zeros;
    const cpu_lanes all = lanes;
    cpu_lanes good = lanes;
    if (!sizes && lanes && are_right(warp, lanes, flags & 15, size, addresses, variable)) {
        if (!variable || variable->space == CPU_SPACE_GLOBAL)
            warp->abi.ranges->of[(site ^ site >> 32) % CPU_RANGES] = cpu_table_last();
        return lanes;
    }
    for (; lanes; lanes &= lanes - 1) {
        unsigned lane = (unsigned)__builtin_ctz(lanes);
        uint64_t address = addresses[lane], bytes = sizes ? sizes[lane] : size;
        struct cpu_finding finding = {.site = site, .flags = flags, .address = address, .size = bytes};
        if (!judge(warp, lane, flags & 15, address, bytes, &finding) &&
            !(variable && leaves(warp, lane, variable, address, bytes, &finding))) {
            if (sizes || !is_misaligned(address, size))
                continue;
            finding.kind = CPU_FOUND_MISALIGNED;
        }
        warp->illegal += good == all; /* at the first lane */
        finding.ends = warp->illegal == MAX_ILLEGAL;
        cpu_check_report(warp, lane, &finding);
        if (sizes || finding.ends) { /* sizes are unbounded, so that no redirection target is large enough */
            cpu_check_end(warp->block->worker->job);
            cpu_worker_abort(warp->block->worker);
        }
        addresses[lane] = (uint64_t)(uintptr_t)instead;
        good &= ~(1u << lane);
    }
    return good;
}

/* --- racecheck ----------------------------------------------------------------------------------------------------- */

void cpu_check_note(struct cpu_running *warp, unsigned lane, enum cpu_space space, struct cpu_finding *finding)
{
    finding->flags = (finding->flags & ~15u) | space;
    if (space == CPU_SPACE_SHARED)
        finding->offset = finding->address - cpu_check_shared(warp, finding->address);
    else if (space == CPU_SPACE_LOCAL)
        finding->offset = finding->address - (uint64_t)(uintptr_t)warp->abi.local - lane * warp->abi.local_stride;
    else if (cpu_table_find(finding->address, &finding->allocation))
        finding->offset = finding->address - finding->allocation.start;
    cpu_check_report(warp, lane, finding);
}

/* Return the lanes that access memory which other threads can access and write. */
static cpu_lanes common_lanes(const struct cpu_running *warp, cpu_lanes lanes, uint32_t space, const uint64_t *addresses)
{
    const struct cpu_block *block = warp->block;
    if (space == CPU_SPACE_LOCAL || space == CPU_SPACE_PARAM || space == CPU_SPACE_CONST)
        return 0;
    for (cpu_lanes left = space == CPU_SPACE_GENERIC ? lanes : 0; left; left &= left - 1) {
        uint64_t address = addresses[__builtin_ctz(left)];
        if (address - (uint64_t)(uintptr_t)block->local.begin < block->local.usable ||
            address - (uint64_t)(uintptr_t)warp->abi.params < block->worker->job->compiled->parameter_bytes)
            lanes &= ~(left & -left);
    }
    return lanes;
}

/* Compute the addresses of all lanes from those of the first of each row. */
static void spread(uint64_t *addresses, bool one_row, uint32_t size)
{
    uint64_t first = addresses[0], second = one_row ? first + 16 * size : addresses[16];
    for (unsigned lane = 0; lane < 16; lane++) {
        addresses[lane] = first + lane * size;
        addresses[lane + 16] = second + lane * size;
    }
}

static void check_races(struct cpu_running *warp, cpu_lanes lanes, uint64_t site, uint32_t flags, uint32_t size,
                        uint64_t *addresses, const uint64_t *sizes, const uint64_t *values)
{
    if (!sizes && !(flags & CPU_ACCESS_BASES) && cpu_reads_add(warp, lanes, site, flags, addresses, size))
        return;
    bool is_row = flags & CPU_ACCESS_BASES && flags & CPU_ACCESS_ROW && size == 4 && (flags & 15) != CPU_SPACE_GENERIC;
    if (flags & CPU_ACCESS_BASES && !is_row)
        spread(addresses, flags & CPU_ACCESS_ROW, size);
    cpu_lanes common = common_lanes(warp, lanes, flags & 15, addresses);
    cpu_lanes left = sizes ? common : cpu_race_group(warp, common, site, flags, addresses, size);
    if (left && is_row)
        spread(addresses, true, size);
    for (; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        cpu_race_access(warp, lanes, lane, site, flags, addresses, sizes ? sizes[lane] : size, values);
    }
}

/* --- services ------------------------------------------------------------------------------------------------------ */

void cpu_check_access(struct cpu_warp *abi, cpu_lanes lanes, uint64_t site, uint32_t flags, uint32_t size,
                      uint64_t *addresses, const uint64_t *values)
{
    struct cpu_running *warp = (struct cpu_running *)abi;
    const struct cpu_variable *variable = flags & CPU_ACCESS_VARIABLE ? (const struct cpu_variable *)values : NULL;
    values += variable ? CPU_WARP_SIZE : 0;
    const uint64_t *sizes = flags & CPU_ACCESS_SIZED ? values : NULL;
    bool uniform = flags & CPU_ACCESS_UNIFORM;
    cpu_lanes good = lanes;
    cpu_need_stack(abi);
    if (flags & CPU_ACCESS_FREE) {
        cpu_check_freeing(warp, lanes, site, addresses);
        return;
    }
    if (flags >> 4 & CPU_MEMCHECK && !(flags & CPU_ACCESS_FRESH))
        good = check_memory(warp, uniform ? lanes & -lanes : lanes, site, flags, size, addresses, sizes, variable);
    if (uniform && good)
        good = lanes;
    if (flags >> 4 & CPU_RACECHECK)
        check_races(warp, good, site, flags, size, addresses, sizes, flags & CPU_ACCESS_VALUES ? values : NULL);
    if (flags >> 4 & CPU_SYNCCHECK) {
        if (flags >> CPU_ACCESS_MBARRIER & 7)
            cpu_sync_mbarrier(warp, good, site, flags, addresses, values);
        else if (flags & CPU_ACCESS_STRONG && good)
            cpu_sync_acquired(warp);
    }
    if (flags >> 4 & CPU_INITCHECK)
        cpu_init_access(warp, uniform ? good & -good : good, site, flags, size, addresses, sizes);
    if (uniform && lanes)
        addresses[0] = addresses[__builtin_ctz(lanes)];
}

void cpu_check_warp(struct cpu_warp *abi, cpu_lanes lanes, uint64_t site, uint32_t flags, const uint64_t *masks)
{
    if (flags & CPU_MEETING_FULL && cpu_race_meet_all((struct cpu_running *)abi, lanes))
        return;
    cpu_need_stack(abi);
    if (flags >> 4 & CPU_SYNCCHECK)
        cpu_sync_meet((struct cpu_running *)abi, lanes, site, flags, masks);
    if (flags >> 4 & CPU_RACECHECK && !(flags & CPU_MEETING_ALONE))
        cpu_race_meet((struct cpu_running *)abi, lanes, masks);
}
