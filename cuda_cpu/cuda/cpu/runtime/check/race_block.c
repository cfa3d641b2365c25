/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * The racecheck data of a block: the vector clocks and times of its threads.
 */
#include <string.h>

#include "race_parts.h"

static struct cpu_race_block *new_block(uint32_t threads)
{
    struct cpu_race_block *race = calloc(1, sizeof *race + threads * sizeof *race->lanes);
    if (!race)
        return NULL;
    race->threads = threads;
    for (uint32_t i = 0; i < threads; i++)
        race->lanes[i].time = 1;
    return race;
}

bool cpu_race_block_begin(struct cpu_block *block)
{
    const struct cpu_warp *first = &block->warps[0].abi;
    uint32_t threads = block->worker->job->warps * CPU_WARP_SIZE;
    struct cpu_races *races = block->worker->job->races;
    struct cpu_race_block *race = races->unused;
    races->unused = NULL;
    if (!race && !(race = new_block(threads)))
        return false;
    race->number = first->block_idx[0] +
                   first->grid_dim[0] * (first->block_idx[1] + first->grid_dim[1] * first->block_idx[2]);
    block->race = race;
    cpu_shadow_forget(races, (uint64_t)(uintptr_t)first->shared, first->shared_size);
    return true;
}

void cpu_race_drop_meeting(struct cpu_meeting *meeting)
{
    if (meeting && !--meeting->references) {
        cpu_clock_release(meeting->clock);
        free(meeting);
    }
}

void cpu_race_block_end(struct cpu_block *block)
{
    struct cpu_race_block *race = block->race;
    if (!race)
        return;
    memset(&race->plain, 0, sizeof race->plain);
    race->has_clocks = false;
    for (uint32_t i = 0; race->changed && i < race->threads; i++) {
        if (!(race->changed >> i / CPU_WARP_SIZE & 1))
            continue;
        cpu_clock_release(race->lanes[i].knows);
        cpu_clock_release(race->lanes[i].fenced);
        cpu_clock_release(race->lanes[i].fenced_block);
        free(race->lanes[i].copies);
        race->lanes[i] = (struct lane){.time = 1};
    }
    for (uint32_t i = 0; race->has_met && i < CPU_BARRIERS; i++) {
        cpu_race_drop_meeting(race->barriers[i]);
        race->barriers[i] = NULL;
    }
    for (uint32_t i = 0; (race->has_met || race->changed) && i < CPU_MAX_WARPS; i++) {
        cpu_race_drop_meeting(race->passing[i]); /* left over if the launch was stopped */
        race->passing[i] = NULL;
        race->alike[i] = 0;
    }
    cpu_clock_release(race->cluster[0]);
    cpu_clock_release(race->cluster[1]);
    race->cluster[0] = race->cluster[1] = NULL;
    race->changed = 0;
    race->has_met = false;
    block->race = NULL;
    struct cpu_races *races = block->worker->job->races;
    free(races->unused);
    races->unused = race;
}
