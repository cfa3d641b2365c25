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
    free(operation ? operation->of : NULL);
    free(operation ? operation->polled : NULL);
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

static bool alike(const struct cpu_touched *a, const struct cpu_touched *b)
{
    return a->flags == b->flags && a->site == b->site && a->allocation == b->allocation;
}

/* Let the last range, which is complete, be one more piece of the range before. */
static void fold(struct cpu_operation *operation)
{
    if (operation->count < 2)
        return;
    struct cpu_touched *last = &operation->of[operation->count - 1], *before = last - 1;
    uint64_t step = last->start - (before->end - before->size);
    if (alike(before, last) && last->size == before->size && (!before->step || before->step == step)) {
        before->step = step;
        before->end = last->end;
        operation->count--;
    }
}

/* Return false if there are too many ranges, or no memory. */
static bool add(struct cpu_operation *operation, struct cpu_touched range)
{
    struct cpu_touched *last = operation->count ? &operation->of[operation->count - 1] : NULL;
    range.size = range.end - range.start;
    if (last && !last->step && last->end == range.start && alike(last, &range)) {
        last->end = range.end;
        last->size += range.size;
        return true;
    }
    if (operation->folds)
        fold(operation);
    if (operation->count == operation->room) {
        size_t room = operation->room ? 2 * operation->room : 16;
        struct cpu_touched *more = room > MAX_RANGES ? NULL : realloc(operation->of, room * sizeof *more);
        if (!more)
            return false;
        operation->of = more;
        operation->room = room;
    }
    operation->of[operation->count++] = range;
    return true;
}

static int by_start(const void *a, const void *b)
{
    const struct cpu_touched *left = a, *right = b;
    return left->start < right->start ? -1 : left->start > right->start;
}

/* Sort ranges of one piece, and join those that overlap, as a copy within one array may have. */
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
            last->size = last->end - last->start;
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
        range.allocation = (uint32_t)cached->id;
        if (cached->id && !add(operation, range))
            return false;
        range.start = range.end;
    }
    return true;
}

static struct cpu_touched touched_by(const struct cpu_races *races, const struct event *event)
{
    return (struct cpu_touched){.site = races->sites[event->site], .block = event->block & ~(COPY_READS | COPY_WRITES),
                                .thread = (uint16_t)(event->warp * CPU_WARP_SIZE + (unsigned)__builtin_ctz(event->lanes))};
}

/* Add what was done to a cell; `site` is the index of the last range's, which this one often continues. */
static bool add_cell(struct cpu_operation *operation, const struct cpu_races *races, const struct cell *cell,
                     uint64_t address, uint32_t size, struct cpu_allocation *cached, uint32_t *site)
{
    const struct event *main = cell->write.lanes ? &cell->write : cell->strong.lanes ? &cell->strong : &cell->read;
    uint32_t flags = (cell->write.lanes ? CPU_TOUCHED_WRITE : 0) | (cell->strong.lanes ? CPU_TOUCHED_STRONG : 0) |
                     (cell->read.lanes ? CPU_TOUCHED_READ : 0) |
                     (cell->strong.lanes && cell->strong.in_block ? CPU_TOUCHED_NARROW : 0);
    struct cpu_touched *last = operation->count ? &operation->of[operation->count - 1] : NULL;
    bool continues = last && !last->step && last->end == address && last->flags == flags && *site == main->site;
    if (continues && address - cached->start < cached->size && address + size - cached->start <= cached->size) {
        last->end += size;
        last->size += size;
        return true;
    }
    struct cpu_touched range = touched_by(races, main);
    range.start = address;
    range.end = address + size;
    range.flags = (uint16_t)flags;
    *site = main->site;
    return add_within(operation, range, cached);
}

/* Return what the lanes of a run did to words from `first` on, or to none if the run is NULL. */
static struct event event_at(const struct run *run, unsigned first)
{
    struct event event = run ? run->event : (struct event){0};
    if (run && !run->is_uniform)
        event.lanes &= UINT32_MAX << ((int)first - run->first);
    return event;
}

/* Add what a write and a read of the same words did to a line (NULL: none): each piece of neighbouring words is a range. */
static bool add_runs(struct cpu_operation *operation, const struct cpu_races *races, const struct run *write,
                     const struct run *read, uint64_t start, struct cpu_allocation *cached, uint32_t *site)
{
    for (uint64_t left = write ? write->words : read->words; left;) {
        unsigned first = (unsigned)__builtin_ctzll(left), count = (unsigned)__builtin_ctzll(~(left >> first));
        const struct cell all = {.write = event_at(write, first), .read = event_at(read, first)};
        if (!add_cell(operation, races, &all, start + 4 * first, 4 * count, cached, site))
            return false;
        left &= left + (1ull << first);
    }
    return true;
}

/* Find the write and the first read since, if all runs of a line are of the same words; else return false. */
static bool find_runs(const struct line *line, const struct run **write, const struct run **read)
{
    const struct run *runs = line->room ? line->runs : &line->only;
    *write = *read = NULL;
    for (uint32_t i = 0; i < line->count; i++) {
        const struct run **first = runs[i].is_write ? write : read;
        if (runs[i].words != runs[0].words)
            return false;
        *first = *first ? *first : &runs[i];
    }
    return true;
}

static bool add_line(struct cpu_operation *operation, const struct cpu_races *races, const struct line *line,
                     uint64_t start, struct cpu_allocation *cached, uint32_t *site)
{
    const struct cell *cells = line->room == EXPANDED ? line->cells->of : NULL;
    uint32_t shift = cells ? line->cells->shift : 2;
    struct cell words[LINE_WORDS];
    const struct run *write, *read;
    if (!cells && !line->count)
        return true;
    if (!cells && find_runs(line, &write, &read))
        return add_runs(operation, races, write, read, start, cached, site);
    if (!cells)
        cpu_shadow_words(line, words);
    for (uint32_t i = 0; i < LINE_BYTES >> shift; i++) {
        const struct cell *cell = cells ? &cells[i] : &words[i];
        if ((cell->write.lanes | cell->strong.lanes | cell->read.lanes) &&
            !add_cell(operation, races, cell, start + ((uint64_t)i << shift), 1u << shift, cached, site))
            return false;
    }
    return true;
}

/* Return whether one instruction did the same to all words of a page, each line in one run. */
static bool is_even(const struct page *page)
{
    const struct run *first = &page->lines[0].only;
    uint32_t differ = 0;
    for (uint32_t i = 0; i < PAGE_BYTES / LINE_BYTES; i++) {
        const struct line *line = &page->lines[i];
        differ |= line->room | (line->count ^ 1u) | ~line->words; /* with room, `only` means nothing */
        differ |= (line->only.event.site ^ first->event.site) | (line->only.is_write ^ first->is_write);
    }
    return !differ;
}

/* Add what was done to the lines of a page. */
static bool add_page(struct cpu_operation *operation, const struct cpu_races *races, const struct page *page,
                     struct cpu_allocation *cached, uint32_t *site)
{
    uint64_t start = page->number * PAGE_BYTES;
    if (is_even(page)) {
        const struct run *first = &page->lines[0].only;
        const struct cell all = {.write = event_at(first->is_write ? first : NULL, 0),
                                 .read = event_at(first->is_write ? NULL : first, 0)};
        return add_cell(operation, races, &all, start, PAGE_BYTES, cached, site);
    }
    for (uint32_t i = 0; i < PAGE_BYTES / LINE_BYTES; i++)
        if (!add_line(operation, races, &page->lines[i], start + i * LINE_BYTES, cached, site))
            return false;
    return true;
}

static int by_number(const void *a, const void *b)
{
    const struct page *left = *(struct page *const *)a, *right = *(struct page *const *)b;
    return left->number < right->number ? -1 : left->number > right->number;
}

/* Return the pages of shadow memory, sorted; the caller frees the array. */
static struct page **pages_of(const struct cpu_races *races, size_t *count)
{
    struct page **found = malloc((races->page_count + 1) * sizeof *found);
    *count = 0;
    for (struct page *page = races->all_pages; page && found; page = page->all)
        found[(*count)++] = page;
    if (found)
        qsort(found, *count, sizeof *found, by_number);
    return found;
}

/* Add the strong reads, and set them apart. */
static bool add_polled(struct cpu_operation *operation, const struct cpu_races *races, struct cpu_allocation *cached)
{
    struct cpu_operation polled = {0};
    bool fits = true;
    fold(operation);
    for (uint32_t i = 0; fits && i < races->polled_count; i++) {
        uint64_t start = races->polled[i];
        fits = add_within(&polled, (struct cpu_touched){.start = start, .end = start + 4, .flags = CPU_TOUCHED_POLLED}, cached);
    }
    put_in_order(&polled);
    operation->polled = polled.of;
    operation->polled_count = polled.count;
    return fits;
}

struct reading {
    struct cpu_operation *operation;
    const struct cpu_races *races;
};

/* Add bytes of a line that were read, of an allocation that the launch did not write. */
static bool add_read(void *data, const struct read_line *line, uint64_t start, uint64_t end, uint32_t allocation)
{
    const struct reading *reading = data;
    struct cpu_touched range = {.start = start, .end = end, .site = reading->races->sites[line->site],
                                .allocation = allocation, .block = line->block, .flags = CPU_TOUCHED_READ,
                                .thread = (uint16_t)(line->warp * CPU_WARP_SIZE + line->lane)};
    return add(reading->operation, range);
}

void cpu_operation_launched(const struct cpu_job *job)
{
    uint32_t site = UINT32_MAX, area = 0;
    struct cpu_races *races = job->races;
    struct cpu_operation *operation = job->operation ? calloc(1, sizeof *operation) : NULL;
    size_t count = 0;
    struct page **pages = operation ? pages_of(races, &count) : NULL;
    struct cpu_allocation cached = {0};
    bool complete = pages != NULL;
    if (!operation)
        return;
    operation->operation = job->operation;
    operation->node = job->node;
    operation->folds = true;
    operation->round = job->round;
    operation->grid_id = job->grid_id;
    operation->symbols = job->compiled->symbols;
    strncpy(operation->kernel, job->compiled->name, sizeof operation->kernel - 1);
    memcpy(operation->grid_dim, job->grid_dim, sizeof operation->grid_dim);
    memcpy(operation->block_dim, job->block_dim, sizeof operation->block_dim);
    struct reading reading = {operation, races};
    cpu_reads_sort(races);
    for (size_t p = 0; pages && p < count; p++) {
        complete = complete && cpu_reads_visit(races, &area, pages[p]->number * PAGE_BYTES, &reading, add_read) &&
                   add_page(operation, races, pages[p], &cached, &site);
        cpu_shadow_drop(races, pages[p]); /* while it is in the caches */
    }
    races->all_pages = pages ? NULL : races->all_pages;
    complete = complete && cpu_reads_visit(races, &area, UINT64_MAX, &reading, add_read);
    complete = complete && add_polled(operation, races, &cached);
    free(pages);
    publish(operation, complete);
}

struct cpu_operation *cpu_operation_make(uint64_t operation, uint64_t start, uint64_t size, uint64_t allocation)
{
    struct cpu_operation *made = calloc(1, sizeof *made);
    struct cpu_touched range = {.start = start, .end = start + size, .allocation = (uint32_t)allocation, .flags = CPU_TOUCHED_WRITE};
    if (made && !add(made, range)) {
        cpu_operation_free(made);
        return NULL;
    } else if (made) {
        made->operation = operation;
    }
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
    if ((a & CPU_TOUCHED_WRITE && b & any) || (b & CPU_TOUCHED_WRITE && a & any) ||
        (a & CPU_TOUCHED_STRONG && b & CPU_TOUCHED_READ) || (b & CPU_TOUCHED_STRONG && a & CPU_TOUCHED_READ))
        return true;
    return a & b & CPU_TOUCHED_STRONG && (a | b) & CPU_TOUCHED_NARROW;
}

/* Return whether two operations may synchronise by a word: one writes it, and the other one reads it, both strongly. */
static bool meet(uint32_t a, uint32_t b)
{
    const uint32_t strong = CPU_TOUCHED_STRONG | CPU_TOUCHED_POLLED;
    return a & strong && b & strong && (a | b) & CPU_TOUCHED_STRONG;
}

/* A piece of a range. */
struct piece {
    const struct cpu_touched *range, *stop; /* range == stop: none */
    uint64_t start, end;
};

static struct piece first_piece(const struct cpu_touched *of, size_t count)
{
    struct piece piece = {.range = of, .stop = of + count};
    if (count) {
        piece.start = of->start;
        piece.end = of->start + of->size;
    }
    return piece;
}

static void next_piece(struct piece *piece)
{
    if (piece->end < piece->range->end) {
        piece->start += piece->range->step;
    } else {
        piece->range++;
        if (piece->range < piece->stop)
            piece->start = piece->range->start;
    }
    if (piece->range < piece->stop)
        piece->end = piece->start + piece->range->size;
}

struct search {
    struct cpu_conflict *found;
    size_t count, room;
    bool synchronise; /* the operations have met */
    bool narrow;      /* look only for strong accesses whose scope is too narrow */
};

static void note(struct search *search, const struct piece *a, const struct piece *b)
{
    const struct cpu_touched *left = a->range, *right = b->range;
    for (size_t i = 0; i < search->count; i++) {
        struct cpu_conflict *each = &search->found[i];
        if (each->a.site == left->site && each->b.site == right->site && each->allocation == left->allocation) {
            each->count++;
            return;
        }
    }
    if (search->count == search->room)
        return;
    uint64_t start = a->start > b->start ? a->start : b->start, end = a->end < b->end ? a->end : b->end;
    search->found[search->count++] = (struct cpu_conflict){start, end, left->allocation, 1, *left, *right};
}

static void intersect(struct search *search, struct piece a, struct piece b)
{
    while (a.range < a.stop && b.range < b.stop) {
        uint32_t left = a.range->flags, right = b.range->flags;
        if (a.start < b.end && b.start < a.end && a.range->allocation == b.range->allocation) {
            search->synchronise = search->synchronise || meet(left, right);
            if (conflict(left, right) && (!search->narrow || left & right & CPU_TOUCHED_STRONG))
                note(search, &a, &b);
        }
        next_piece(a.end <= b.end ? &a : &b);
    }
}

/* Operations that synchronise by strong accesses are not compared, except for accesses whose scope is too narrow. */
size_t cpu_operation_conflicts(const struct cpu_operation *a, const struct cpu_operation *b, struct cpu_conflict *found,
                               size_t room)
{
    struct search search = {.found = found, .room = room};
    for (int round = 0; round < 2; round++) {
        intersect(&search, first_piece(a->of, a->count), first_piece(b->of, b->count));
        intersect(&search, first_piece(a->polled, a->polled_count), first_piece(b->of, b->count));
        intersect(&search, first_piece(a->of, a->count), first_piece(b->polled, b->polled_count));
        if (!search.synchronise || search.narrow)
            break;
        search.narrow = true;
        search.count = 0;
    }
    return search.count;
}
