/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Shadow memory of racecheck: a cell for each word of memory (for each byte once parts of a word were accessed), with
 * the last write and the reads since. Pages of cells are in a hash table.
 */
#include "race_parts.h"

#include <string.h>

#define MAX_BYTES ((size_t)1 << 30) /* of shadow memory: further pages are not checked */
#define MAX_SITES (1u << 22)

static struct page **bucket_of(struct cpu_races *races, uint64_t number)
{
    return &races->pages[number * 0x9e3779b97f4a7c15u >> 48];
}

static size_t page_bytes(uint32_t shift)
{
    return sizeof(struct page) + (PAGE_BYTES >> shift) * sizeof(struct cell);
}

static struct readers *copy_readers(struct cpu_races *races, const struct readers *readers)
{
    if (!readers)
        return NULL;
    struct readers *copy = taken(malloc(sizeof *copy + readers->count * sizeof *copy->of));
    memcpy(copy, readers, sizeof *copy + readers->count * sizeof *copy->of);
    copy->room = readers->count;
    races->bytes += copy->room * sizeof *copy->of;
    return copy;
}

/* Replace a page by one with a cell for each byte. */
static struct page *split(struct cpu_races *races, struct page **slot)
{
    struct page *words = *slot, *bytes = taken(calloc(1, page_bytes(0)));
    bytes->next = words->next;
    bytes->number = words->number;
    for (uint32_t i = 0; i < PAGE_BYTES; i++) {
        bytes->cells[i] = words->cells[i / 4];
        if (i % 4)
            bytes->cells[i].more = copy_readers(races, bytes->cells[i].more);
    }
    races->bytes += page_bytes(0) - page_bytes(2);
    *slot = bytes;
    free(words);
    return bytes;
}

/* NULL: MAX_BYTES is reached. */
struct page *cpu_shadow_page(struct cpu_races *races, uint64_t address, bool by_bytes)
{
    uint64_t number = address / PAGE_BYTES;
    struct page **slot = bucket_of(races, number);
    while (*slot && (*slot)->number != number)
        slot = &(*slot)->next;
    if (!*slot) {
        uint32_t shift = by_bytes ? 0 : 2;
        if (races->bytes + page_bytes(shift) > MAX_BYTES || !(*slot = calloc(1, page_bytes(shift))))
            return NULL;
        races->bytes += page_bytes(shift);
        (*slot)->number = number;
        (*slot)->shift = shift;
    }
    return by_bytes && (*slot)->shift ? split(races, slot) : *slot;
}

void cpu_shadow_drop_readers(struct cpu_races *races, struct cell *cell)
{
    if (cell->more)
        races->bytes -= cell->more->room * sizeof *cell->more->of;
    free(cell->more);
    cell->more = NULL;
}

void cpu_shadow_forget(struct cpu_races *races, uint64_t address, uint64_t size)
{
    uint64_t end = address + size;
    for (uint64_t number = address / PAGE_BYTES; size && number <= (end - 1) / PAGE_BYTES; number++) {
        struct page *page = *bucket_of(races, number);
        while (page && page->number != number)
            page = page->next;
        for (uint32_t i = 0; page && i < PAGE_BYTES >> page->shift; i++) {
            uint64_t at = number * PAGE_BYTES + ((uint64_t)i << page->shift);
            if (at + (1u << page->shift) <= address || at >= end)
                continue;
            cpu_shadow_drop_readers(races, &page->cells[i]);
            page->cells[i] = (struct cell){0};
        }
    }
}

uint32_t cpu_shadow_site(struct cpu_races *races, uint64_t site)
{
    uint32_t *cached = &races->cached[site * 0x9e3779b97f4a7c15u >> 54], number = 0;
    if (*cached < races->site_count && races->sites[*cached] == site)
        return *cached;
    while (number < races->site_count && races->sites[number] != site)
        number++;
    if (number == races->site_count && number < MAX_SITES - 1) {
        if (!(number & (number - 1)))
            races->sites = taken(realloc(races->sites, (number ? 2 * number : 1) * sizeof *races->sites));
        races->sites[races->site_count++] = site;
    }
    return *cached = number;
}

bool cpu_shadow_has_room(const struct cpu_races *races)
{
    return races->bytes < MAX_BYTES;
}

void cpu_shadow_free(struct cpu_races *races)
{
    for (uint32_t bucket = 0; bucket < BUCKETS; bucket++) {
        for (struct page *page = races->pages[bucket], *next; page; page = next) {
            next = page->next;
            for (uint32_t i = 0; !page->is_empty && i < PAGE_BYTES >> page->shift; i++)
                free(page->cells[i].more);
            free(page);
        }
    }
    free(races->sites);
}
