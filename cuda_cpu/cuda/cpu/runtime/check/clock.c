/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Vector clocks of racecheck, with copy on write.
 */
#include "clock.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static void *taken(void *memory)
{
    if (!memory)
        cpu_clock_no_memory();
    return memory;
}

static struct cpu_times *new_times(uint32_t count)
{
    struct cpu_times *times = taken(calloc(1, sizeof *times + count * sizeof *times->of));
    times->references = 1;
    times->count = count;
    return times;
}

static void drop_times(struct cpu_times *times)
{
    if (!--times->references)
        free(times);
}

static struct cpu_clock *new_clock(uint32_t room)
{
    struct cpu_clock *clock = taken(malloc(sizeof *clock + room * sizeof *clock->of));
    clock->references = 1;
    clock->count = 0;
    return clock;
}

struct cpu_clock *cpu_clock_retain(struct cpu_clock *clock)
{
    if (clock)
        clock->references++;
    return clock;
}

void cpu_clock_release(struct cpu_clock *clock)
{
    if (!clock || --clock->references)
        return;
    for (uint32_t i = 0; i < clock->count; i++)
        drop_times(clock->of[i].times);
    free(clock);
}

const struct cpu_times *cpu_clock_of(const struct cpu_clock *clock, uint64_t block)
{
    uint32_t low = 0, high = clock ? clock->count : 0;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (clock->of[middle].block < block)
            low = middle + 1;
        else
            high = middle;
    }
    return clock && low < clock->count && clock->of[low].block == block ? clock->of[low].times : NULL;
}

static bool covers(const struct cpu_times *a, const struct cpu_times *b)
{
    if (a == b)
        return true;
    for (uint32_t i = 0; i < a->count; i++)
        if (a->of[i] < b->of[i])
            return false;
    return true;
}

/* Return a reference to the pointwise maximum of both. */
static struct cpu_times *join_times(struct cpu_times *a, struct cpu_times *b)
{
    struct cpu_times *all = covers(a, b) ? a : covers(b, a) ? b : NULL;
    if (all) {
        all->references++;
        return all;
    }
    all = new_times(a->count);
    for (uint32_t i = 0; i < a->count; i++)
        all->of[i] = a->of[i] > b->of[i] ? a->of[i] : b->of[i];
    return all;
}

/* Return whether a >= b in every component. */
static bool includes(const struct cpu_clock *a, const struct cpu_clock *b)
{
    for (uint32_t i = 0; i < b->count; i++) {
        const struct cpu_times *times = cpu_clock_of(a, b->of[i].block);
        if (!times || !covers(times, b->of[i].times))
            return false;
    }
    return true;
}

struct cpu_clock *cpu_clock_join(struct cpu_clock *a, struct cpu_clock *b)
{
    if (!b || a == b)
        return a;
    if (!a)
        return cpu_clock_retain(b);
    if (includes(a, b))
        return a;
    if (includes(b, a)) {
        cpu_clock_release(a);
        return cpu_clock_retain(b);
    }
    struct cpu_clock *both = new_clock(a->count + b->count);
    for (uint32_t i = 0, j = 0; i < a->count || j < b->count;) {
        struct cpu_known *one = i < a->count ? &a->of[i] : NULL, *other = j < b->count ? &b->of[j] : NULL;
        struct cpu_known *next = &both->of[both->count++];
        if (one && other && one->block == other->block) {
            *next = (struct cpu_known){one->block, join_times(one->times, other->times)};
            i++, j++;
        } else {
            bool first = one && (!other || one->block < other->block);
            *next = first ? *one : *other;
            next->times->references++;
            i += first;
            j += !first;
        }
    }
    cpu_clock_release(a);
    return both;
}

struct cpu_clock *cpu_clock_own(struct cpu_clock *clock, uint64_t block, uint32_t threads, struct cpu_times **times)
{
    uint32_t count = clock ? clock->count : 0;
    uint32_t at = 0;
    while (at < count && clock->of[at].block < block)
        at++;
    bool known = at < count && clock->of[at].block == block;
    if (known && clock->references == 1 && clock->of[at].times->references == 1) { /* nobody else has it */
        *times = clock->of[at].times;
        return clock;
    }
    struct cpu_clock *own = new_clock(count + 1);
    *times = new_times(threads);
    if (known)
        memcpy((*times)->of, clock->of[at].times->of, threads * sizeof *(*times)->of);
    for (uint32_t i = 0; i < count + !known; i++) {
        if (i == at) {
            own->of[own->count++] = (struct cpu_known){block, *times};
            continue;
        }
        own->of[own->count] = clock->of[i < at || known ? i : i - 1];
        own->of[own->count++].times->references++;
    }
    cpu_clock_release(clock);
    return own;
}

struct cpu_times *cpu_clock_alone(struct cpu_clock *clock, uint64_t block, uint32_t references)
{
    for (uint32_t i = 0; clock && clock->references == references && i < clock->count; i++)
        if (clock->of[i].block == block)
            return clock->of[i].times->references == 1 ? clock->of[i].times : NULL;
    return NULL;
}
