/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Table of allocations for memcheck: the ranges that kernels may access. They may overlap: after a stream-ordered free
 * a pool reuses the memory at once, while kernels queued before the free still have to run.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "init.h"

#define MAX_FREED 1024
#define NEAR ((uint64_t)16 << 20) /* bytes: allocations farther away are not reported */

static struct {
    pthread_rwlock_t lock;
    struct cpu_allocation *live; /* sorted by start */
    size_t count, room;
    struct cpu_allocation freed[MAX_FREED];
    size_t freed_count; /* in total; `freed` has the last MAX_FREED of them */
    _Atomic uint64_t version; /* number of changes */
} table = {.lock = PTHREAD_RWLOCK_INITIALIZER};

/* The range that the thread's last access was in: neighbouring accesses are checked without the lock. */
static _Thread_local struct cpu_range last;

struct cpu_ranges *cpu_ranges_new(void)
{
    struct cpu_ranges *ranges = calloc(1, sizeof *ranges);
    if (ranges)
        ranges->version = &table.version;
    return ranges;
}

struct cpu_range cpu_table_last(void)
{
    return last;
}

static void changed(void)
{
    atomic_fetch_add_explicit(&table.version, 1, memory_order_release);
}

/* Return the number of ranges that begin at or before the address. */
static size_t upto(uint64_t address)
{
    size_t low = 0, high = table.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (table.live[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void set_reach(size_t from)
{
    changed();
    for (size_t i = from; i < table.count; i++) {
        uint64_t end = table.live[i].start + table.live[i].size;
        uint64_t before = i ? table.live[i - 1].reach : 0;
        table.live[i].reach = end > before ? end : before;
    }
}

/* Drop freed ranges that overlap a new allocation. */
static void forget_freed(uint64_t start, uint64_t size)
{
    for (size_t i = 0; i < MAX_FREED; i++) {
        struct cpu_allocation *each = &table.freed[i];
        if (start < each->start + each->size && each->start < start + size)
            each->size = 0;
    }
}

bool cpu_table_add(uint64_t start, uint64_t size, uint64_t id, bool joins, const char *origin)
{
    pthread_rwlock_wrlock(&table.lock);
    bool fits = table.count < table.room;
    if (!fits) {
        size_t room = table.room ? 2 * table.room : 256;
        struct cpu_allocation *more = realloc(table.live, room * sizeof *more);
        fits = more != NULL;
        table.live = more ? more : table.live;
        table.room = more ? room : table.room;
    }
    if (fits) {
        size_t at = upto(start);
        memmove(table.live + at + 1, table.live + at, (table.count - at) * sizeof *table.live);
        table.live[at] = (struct cpu_allocation){.start = start, .size = size, .id = id, .joins = joins};
        strncpy(table.live[at].origin, origin, sizeof table.live[at].origin - 1);
        table.count++;
        set_reach(at);
        forget_freed(start, size);
    }
    pthread_rwlock_unlock(&table.lock);
    return fits;
}

void cpu_table_remove(uint64_t id)
{
    pthread_rwlock_wrlock(&table.lock);
    for (size_t i = 0; i < table.count; i++) {
        if (table.live[i].id != id)
            continue;
        table.freed[table.freed_count++ % MAX_FREED] = table.live[i];
        if (atomic_load_explicit(&cpu_init_on, memory_order_relaxed))
            cpu_init_mark(table.live[i].start, table.live[i].size, true); /* it may become memory that is not tracked */
        memmove(table.live + i, table.live + i + 1, (table.count - i - 1) * sizeof *table.live);
        table.count--;
        set_reach(i);
        break;
    }
    pthread_rwlock_unlock(&table.lock);
}

void cpu_table_remove_within(uint64_t start, uint64_t size)
{
    pthread_rwlock_wrlock(&table.lock);
    size_t kept = 0;
    for (size_t i = 0; i < table.count; i++)
        if (table.live[i].start - start >= size)
            table.live[kept++] = table.live[i];
        else if (atomic_load_explicit(&cpu_init_on, memory_order_relaxed))
            cpu_init_mark(table.live[i].start, table.live[i].size, true);
    table.count = kept;
    set_reach(0);
    pthread_rwlock_unlock(&table.lock);
}

void cpu_table_remove_called(void *id)
{
    cpu_table_remove((uint64_t)(uintptr_t)id);
}

void cpu_table_clear(void)
{
    pthread_rwlock_wrlock(&table.lock);
    table.count = table.freed_count = 0;
    changed();
    pthread_rwlock_unlock(&table.lock);
}

/* Return the last range that contains the address, or NULL. */
static const struct cpu_allocation *holder(uint64_t address)
{
    for (size_t i = upto(address); i-- && table.live[i].reach > address;)
        if (address - table.live[i].start < table.live[i].size)
            return &table.live[i];
    return NULL;
}

static bool holds(uint64_t address, uint64_t size)
{
    uint64_t end = address + size;
    for (size_t i = upto(address); i-- && table.live[i].reach > address;)
        if (end - table.live[i].start <= table.live[i].size && end >= address)
            return true;
    const struct cpu_allocation *each = holder(address);
    while (each && each->joins) {
        uint64_t next = each->start + each->size;
        if (next >= end)
            return true;
        each = holder(next);
    }
    return false;
}

bool cpu_table_holds(uint64_t address, uint64_t size)
{
    bool valid = last.version == atomic_load_explicit(&table.version, memory_order_acquire);
    if (valid && size <= last.size && address - last.start <= last.size - size)
        return true;
    pthread_rwlock_rdlock(&table.lock);
    bool result = size == 0 || holds(address, size);
    const struct cpu_allocation *found = result ? holder(address) : NULL;
    if (found) {
        last.version = atomic_load_explicit(&table.version, memory_order_relaxed);
        last.start = found->start;
        last.size = found->size;
    }
    pthread_rwlock_unlock(&table.lock);
    return result;
}

bool cpu_table_find(uint64_t address, struct cpu_allocation *allocation)
{
    pthread_rwlock_rdlock(&table.lock);
    const struct cpu_allocation *found = holder(address);
    if (found)
        *allocation = *found;
    pthread_rwlock_unlock(&table.lock);
    return found != NULL;
}

static void set_relation(struct cpu_finding *finding, enum cpu_relation relation, const struct cpu_allocation *allocation)
{
    finding->relation = relation;
    finding->allocation = *allocation;
}

/* Return the last freed range that contained the address, or NULL. */
static const struct cpu_allocation *freed_at(uint64_t address)
{
    size_t kept = table.freed_count < MAX_FREED ? table.freed_count : MAX_FREED;
    for (size_t i = 0; i < kept; i++) {
        const struct cpu_allocation *each = &table.freed[(table.freed_count - 1 - i) % MAX_FREED];
        if (address - each->start < each->size)
            return each;
    }
    return NULL;
}

void cpu_table_owner(uint64_t address, struct cpu_allocation *allocation)
{
    pthread_rwlock_rdlock(&table.lock);
    const struct cpu_allocation *found = holder(address);
    found = found ? found : freed_at(address);
    size_t next = upto(address);
    if (found)
        *allocation = *found;
    else
        *allocation = (struct cpu_allocation){
            .start = address, .size = next < table.count ? table.live[next].start - address : UINT64_MAX - address};
    pthread_rwlock_unlock(&table.lock);
}

bool cpu_table_near(uint64_t address, struct cpu_finding *finding)
{
    pthread_rwlock_rdlock(&table.lock);
    const struct cpu_allocation *within = holder(address), *freed = within ? NULL : freed_at(address);
    finding->relation = CPU_NOWHERE;
    if (within) {
        set_relation(finding, CPU_PAST_END, within);
    } else if (freed) {
        set_relation(finding, CPU_WITHIN, freed);
    } else {
        size_t at = upto(address);
        const struct cpu_allocation *behind = at < table.count ? &table.live[at] : NULL, *before = NULL;
        for (size_t i = at; i--;) {
            if (!before || table.live[i].start + table.live[i].size > before->start + before->size)
                before = &table.live[i];
            if (table.live[i].reach <= before->start + before->size)
                break;
        }
        uint64_t past = before ? address - before->start - before->size : UINT64_MAX;
        uint64_t ahead = behind ? behind->start - address : UINT64_MAX;
        if (past <= ahead && past < NEAR)
            set_relation(finding, CPU_BEHIND, before);
        else if (ahead < NEAR)
            set_relation(finding, CPU_BEFORE, behind);
    }
    pthread_rwlock_unlock(&table.lock);
    return freed != NULL;
}
