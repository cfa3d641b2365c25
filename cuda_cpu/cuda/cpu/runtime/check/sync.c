/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * synccheck of barriers and of operations of the warp.
 */
#include "sync.h"

static void note_meeting(struct cpu_running *warp, cpu_lanes lanes, uint64_t site, uint32_t kind, uint64_t address,
                         uint64_t size)
{
    struct cpu_finding finding = {.kind = kind, .site = site, .address = address, .size = size};
    cpu_check_report(warp, (unsigned)__builtin_ctz(lanes), &finding);
}

void cpu_check_barrier(struct cpu_warp *abi, cpu_lanes lanes, uint64_t site, uint32_t flags, uint32_t id,
                       uint32_t threads)
{
    struct cpu_running *warp = (struct cpu_running *)abi;
    uint32_t most = warp->block->worker->job->warps * CPU_WARP_SIZE;
    cpu_need_stack(abi);
    if (flags & CPU_MEETING_ALONE) {
        note_meeting(warp, lanes, site, CPU_FOUND_DIVERGENT, lanes, threads);
        return;
    }
    warp->barrier_site = site;
    if (!lanes)
        return;
    if (flags & CPU_MEETING_ALIGNED && lanes != warp->live)
        note_meeting(warp, lanes, site, CPU_FOUND_DIVERGENT, lanes, warp->live & ~lanes);
    if (threads % CPU_WARP_SIZE || threads > most)
        note_meeting(warp, lanes, site, CPU_FOUND_COUNT, threads, most);
    const struct cpu_barrier *barrier = &warp->block->barriers[id % CPU_BARRIERS];
    uint32_t mine = threads ? threads : most, others = barrier->expected ? barrier->expected : most;
    if (barrier->warps && mine != others)
        note_meeting(warp, lanes, site, CPU_FOUND_COUNTS, mine, others);
}

/* Report shuffles that read lanes which do not take part. A lane may ignore what it reads, as most lanes do at the end of
 * a reduction by shfl.down, so usually all lanes with one mask must have read such a lane. */
static void check_sources(struct cpu_running *warp, cpu_lanes lanes, uint64_t site, bool each, const uint64_t *masks)
{
    for (cpu_lanes left = lanes; left;) {
        cpu_lanes mask = (cpu_lanes)masks[__builtin_ctz(left)], alike = 0, wrong = 0, read = 0;
        for (cpu_lanes others = left; others; others &= others - 1) {
            unsigned lane = (unsigned)__builtin_ctz(others);
            cpu_lanes source = 1u << (masks[CPU_WARP_SIZE + lane] & 31);
            if ((cpu_lanes)masks[lane] != mask)
                continue;
            alike |= 1u << lane;
            if (!(source & mask & warp->live)) {
                wrong |= 1u << lane;
                read |= source;
            }
        }
        left &= ~alike;
        if (wrong && (each || wrong == alike))
            note_meeting(warp, wrong, site, CPU_FOUND_SOURCE, wrong, read);
    }
}

void cpu_sync_meet(struct cpu_running *warp, cpu_lanes lanes, uint64_t site, uint32_t flags, const uint64_t *masks)
{
    if (flags & CPU_MEETING_ALONE) {
        note_meeting(warp, lanes, site, CPU_FOUND_ALONE, lanes, warp->live & ~lanes);
        return;
    }
    for (cpu_lanes left = lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        cpu_lanes mask = (cpu_lanes)masks[lane];
        if (!(mask >> lane & 1))
            note_meeting(warp, left, site, CPU_FOUND_UNNAMED, mask, 0);
        for (cpu_lanes others = lanes & mask; others; others &= others - 1) {
            uint64_t theirs = masks[__builtin_ctz(others)];
            if ((cpu_lanes)theirs != mask)
                note_meeting(warp, left, site, CPU_FOUND_MASKS, mask, theirs);
        }
    }
    if (flags & CPU_MEETING_SOURCES)
        check_sources(warp, lanes, site, flags & CPU_MEETING_EACH, masks);
}

void cpu_check_stuck(struct cpu_block *block)
{
    for (uint32_t left = block->touched; left; left &= left - 1) {
        uint32_t waiting = block->barriers[__builtin_ctz(left)].waiting;
        for (uint32_t warps = waiting; warps; warps &= warps - 1) {
            struct cpu_running *warp = &block->warps[__builtin_ctz(warps)];
            struct cpu_finding finding = {.kind = CPU_FOUND_STUCK, .site = warp->barrier_site, .address = waiting,
                                          .size = block->worker->job->warps};
            cpu_check_name(&finding, warp, warp->live ? (unsigned)__builtin_ctz(warp->live) : 0);
            cpu_check_add(block->worker->job, &finding);
        }
    }
}
