/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * racecheck across launches: records the ranges that an operation has accessed, from the shadow memory of a launch or
 * the operands of a copy, and intersects those of two operations. Only memory in the table of allocations counts: the
 * host may reuse other memory without the driver's knowledge.
 */
#include "operation.h"

#include <string.h>

#include "race_parts.h"

#define MAX_RANGES ((size_t)1 << 20) /* of one operation: it is not compared if it has more */
#define MAX_TOTAL ((size_t)1 << 22)  /* of operations that nobody has taken yet */

_Atomic bool cpu_operations_on;

static struct {
    pthread_mutex_t lock;
    struct cpu_operation *first;
    size_t ranges;
} recorded = {.lock = PTHREAD_MUTEX_INITIALIZER};

void cpu_operation_free(struct cpu_operation *operation)
{
    if (operation)
        free(operation->of);
    free(operation);
}

struct cpu_operation *cpu_operations_take(void)
{
    pthread_mutex_lock(&recorded.lock);
    struct cpu_operation *first = recorded.first;
    recorded.first = NULL;
    recorded.ranges = 0;
    pthread_mutex_unlock(&recorded.lock);
    return first;
}

void cpu_operations_switch(bool on)
{
    atomic_store(&cpu_operations_on, on);
    if (on)
        return;
    for (struct cpu_operation *each = cpu_operations_take(), *next; each; each = next) {
        next = each->next;
        cpu_operation_free(each);
    }
}

/* --- recording ----------------------------------------------------------------------------------------------------- */

/* Return false if there are too many ranges, or no memory. */
static bool add(struct cpu_operation *operation, const struct cpu_touched *range)
{
    struct cpu_touched *last = operation->count ? &operation->of[operation->count - 1] : NULL;
    if (last && last->end == range->start && last->flags == range->flags && last->site == range->site &&
        last->allocation == range->allocation) {
        last->end = range->end;
        return true;
    }
    if (operation->count == operation->room) {
        size_t room = operation->room ? 2 * operation->room : 16;
        struct cpu_touched *more = room > MAX_RANGES ? NULL : realloc(operation->of, room * sizeof *more);
        if (!more)
            return false;
        operation->of = more;
        operation->room = room;
    }
    operation->of[operation->count++] = *range;
    return true;
}

static int by_start(const void *a, const void *b)
{
    const struct cpu_touched *left = a, *right = b;
    return left->start < right->start ? -1 : left->start > right->start;
}

/* Sort the ranges, and join those that overlap, as a copy within one array may have. */
static void put_in_order(struct cpu_operation *operation)
{
    size_t kept = 0;
    if (operation->count)
        qsort(operation->of, operation->count, sizeof *operation->of, by_start);
    for (size_t i = 0; i < operation->count; i++) {
        struct cpu_touched *each = &operation->of[i], *last = kept ? &operation->of[kept - 1] : NULL;
        if (last && each->start < last->end) {
            last->flags |= each->flags;
            last->end = each->end > last->end ? each->end : last->end;
        } else {
            operation->of[kept++] = *each;
        }
    }
    operation->count = kept;
}

static void publish(struct cpu_operation *operation, bool complete)
{
    pthread_mutex_lock(&recorded.lock);
    complete = complete && operation->count && recorded.ranges + operation->count <= MAX_TOTAL;
    if (complete) {
        recorded.ranges += operation->count;
        operation->next = recorded.first;
        recorded.first = operation;
    }
    pthread_mutex_unlock(&recorded.lock);
    if (!complete)
        cpu_operation_free(operation);
}

/* Add a range as far as it is in allocations; `cached` is the last one found, with the id 0 between allocations. */
static bool add_within(struct cpu_operation *operation, struct cpu_touched range, struct cpu_allocation *cached)
{
    uint64_t end = range.end;
    while (range.start < end) {
        if (range.start - cached->start >= cached->size)
            cpu_table_owner(range.start, cached);
        uint64_t stop = cached->start + cached->size;
        range.end = stop < end ? stop : end;
        range.allocation = cached->id;
        if (cached->id && !add(operation, &range))
            return false;
        range.start = range.end;
    }
    return true;
}

static struct cpu_touched touched_by(const struct cpu_races *races, const struct event *event)
{
    return (struct cpu_touched){.site = races->sites[event->site], .block = event->block & ~(COPY_READS | COPY_WRITES),
                                .thread = event->warp * CPU_WARP_SIZE + (unsigned)__builtin_ctz(event->lanes)};
}

static bool add_cell(struct cpu_operation *operation, const struct cpu_races *races, const struct cell *cell,
                     uint64_t address, uint32_t size, struct cpu_allocation *cached)
{
    uint32_t flags = (cell->write.lanes ? CPU_TOUCHED_WRITE : 0) | (cell->strong.lanes ? CPU_TOUCHED_STRONG : 0) |
                     (cell->read.lanes ? CPU_TOUCHED_READ : 0);
    if (!flags)
        return true;
    if (cell->strong.lanes && cell->strong.in_block)
        flags |= CPU_TOUCHED_NARROW;
    struct cpu_touched range =
        touched_by(races, cell->write.lanes ? &cell->write : cell->strong.lanes ? &cell->strong : &cell->read);
    range.start = address;
    range.end = address + size;
    range.flags = flags;
    return add_within(operation, range, cached);
}

static int by_number(const void *a, const void *b)
{
    const struct page *left = *(struct page *const *)a, *right = *(struct page *const *)b;
    return left->number < right->number ? -1 : left->number > right->number;
}

/* Return the pages of shadow memory, sorted; the caller frees the array. */
static struct page **pages_of(const struct cpu_races *races, size_t *count)
{
    struct page **found = NULL;
    for (int fill = 0; fill < 2; fill++) {
        *count = 0;
        for (uint32_t bucket = 0; bucket < BUCKETS; bucket++)
            for (struct page *page = races->pages[bucket]; page; page = page->next, ++*count)
                if (found)
                    found[*count] = page;
        if (!fill && !(found = malloc((*count + 1) * sizeof *found)))
            return NULL;
    }
    qsort(found, *count, sizeof *found, by_number);
    return found;
}

static bool add_polled(struct cpu_operation *operation, const struct cpu_races *races, struct cpu_allocation *cached)
{
    for (uint32_t i = 0; i < races->polled_count; i++) {
        struct cpu_touched range = {.start = races->polled[i], .end = races->polled[i] + 4, .flags = CPU_TOUCHED_POLLED};
        if (!add_within(operation, range, cached))
            return false;
    }
    put_in_order(operation);
    return true;
}

void cpu_operation_launched(const struct cpu_job *job)
{
    const struct cpu_races *races = job->races;
    struct cpu_operation *operation = job->operation ? calloc(1, sizeof *operation) : NULL;
    size_t count;
    struct page **pages = operation ? pages_of(races, &count) : NULL;
    struct cpu_allocation cached = {0};
    bool complete = pages != NULL;
    if (!operation)
        return;
    operation->operation = job->operation;
    operation->node = job->node;
    operation->round = job->round;
    operation->grid_id = job->grid_id;
    operation->symbols = job->compiled->symbols;
    strncpy(operation->kernel, job->compiled->name, sizeof operation->kernel - 1);
    memcpy(operation->grid_dim, job->grid_dim, sizeof operation->grid_dim);
    memcpy(operation->block_dim, job->block_dim, sizeof operation->block_dim);
    for (size_t p = 0; complete && p < count; p++) {
        const struct page *page = pages[p];
        uint64_t start = page->number * PAGE_BYTES;
        for (uint32_t i = 0; complete && i < PAGE_BYTES >> page->shift; i++)
            complete = add_cell(operation, races, &page->cells[i], start + ((uint64_t)i << page->shift),
                                1u << page->shift, &cached);
    }
    complete = complete && add_polled(operation, races, &cached);
    free(pages);
    publish(operation, complete);
}

struct cpu_operation *cpu_operation_make(uint64_t operation, uint64_t start, uint64_t size, uint64_t allocation)
{
    struct cpu_operation *made = calloc(1, sizeof *made);
    struct cpu_touched range = {.start = start, .end = start + size, .allocation = allocation, .flags = CPU_TOUCHED_WRITE};
    if (made && !add(made, &range)) {
        cpu_operation_free(made);
        return NULL;
    }
    if (made)
        made->operation = operation;
    return made;
}

static bool add_rows(struct cpu_operation *operation, uint64_t start, uint64_t pitch, const struct cpu_rows *rows,
                     uint32_t flags, struct cpu_allocation *cached)
{
    bool fits = true;
    for (uint64_t row = 0; fits && row < rows->height; row++) {
        uint64_t from = start + row * pitch;
        fits = add_within(operation, (struct cpu_touched){.start = from, .end = from + rows->width, .flags = flags}, cached);
    }
    return fits;
}

void cpu_operation_moved(const struct cpu_command *command, struct cpu_exec exec)
{
    struct cpu_operation *operation = exec.operation ? calloc(1, sizeof *operation) : NULL;
    struct cpu_allocation cached = {0};
    bool complete = true;
    if (!operation)
        return;
    operation->operation = exec.operation;
    operation->node = command->operation != exec.operation ? command->operation : 0;
    operation->round = exec.round;
    if (command->kind == CPU_WRITE_VALUE) {
        uint64_t start = command->value.address, end = start + command->value.width;
        complete = add_within(operation, (struct cpu_touched){.start = start, .end = end, .flags = CPU_TOUCHED_STRONG}, &cached);
    } else if (command->kind == CPU_COPY || command->kind == CPU_FILL) {
        const struct cpu_rows *rows = &command->rows;
        complete = add_rows(operation, rows->destination, rows->destination_pitch, rows, CPU_TOUCHED_WRITE, &cached);
        if (command->kind == CPU_COPY)
            complete = complete && add_rows(operation, rows->source, rows->source_pitch, rows, CPU_TOUCHED_READ, &cached);
    }
    put_in_order(operation);
    publish(operation, complete);
}

/* --- comparison ---------------------------------------------------------------------------------------------------- */

static bool conflict(uint32_t a, uint32_t b)
{
    const uint32_t any = CPU_TOUCHED_READ | CPU_TOUCHED_WRITE | CPU_TOUCHED_STRONG | CPU_TOUCHED_POLLED;
    if ((a & CPU_TOUCHED_WRITE && b & any) || (b & CPU_TOUCHED_WRITE && a & any))
        return true;
    if ((a & CPU_TOUCHED_STRONG && b & CPU_TOUCHED_READ) || (b & CPU_TOUCHED_STRONG && a & CPU_TOUCHED_READ))
        return true;
    return a & b & CPU_TOUCHED_STRONG && (a | b) & CPU_TOUCHED_NARROW;
}

/* Return whether two operations may synchronise by a word: one writes it, and the other one reads it, both strongly. */
static bool meet(uint32_t a, uint32_t b)
{
    const uint32_t strong = CPU_TOUCHED_STRONG | CPU_TOUCHED_POLLED;
    return a & strong && b & strong && (a | b) & CPU_TOUCHED_STRONG;
}

static size_t note(struct cpu_conflict *found, size_t count, size_t room, const struct cpu_touched *a,
                   const struct cpu_touched *b)
{
    for (size_t i = 0; i < count; i++) {
        if (found[i].a.site == a->site && found[i].b.site == b->site && found[i].allocation == a->allocation) {
            found[i].count++;
            return count;
        }
    }
    if (count == room)
        return count;
    uint64_t start = a->start > b->start ? a->start : b->start, end = a->end < b->end ? a->end : b->end;
    found[count] = (struct cpu_conflict){start, end, a->allocation, 1, *a, *b};
    return count + 1;
}

/* Operations that synchronise by strong accesses are not compared, except for accesses whose scope is too narrow. */
size_t cpu_operation_conflicts(const struct cpu_operation *a, const struct cpu_operation *b, struct cpu_conflict *found,
                               size_t room)
{
    size_t i = 0, j = 0, count = 0;
    bool synchronise = false;
    for (int narrow = 0; narrow < 2; narrow++, i = j = 0) {
        if (narrow && !synchronise)
            return count;
        count = narrow ? 0 : count;
        while (i < a->count && j < b->count) {
            const struct cpu_touched *left = &a->of[i], *right = &b->of[j];
            if (left->start < right->end && right->start < left->end && left->allocation == right->allocation) {
                synchronise = synchronise || meet(left->flags, right->flags);
                if (conflict(left->flags, right->flags) && (!narrow || left->flags & right->flags & CPU_TOUCHED_STRONG))
                    count = note(found, count, room, left, right);
            }
            if (left->end <= right->end)
                i++;
            else
                j++;
        }
    }
    return count;
}
