/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Heap for malloc and free in device code: a separate arena, with its metadata out of band. Small requests share slabs
 * by size class; each larger one is an allocation of the arena, with a guard page.
 */
#include "heap.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "heap_blocks.h"
#include "queue/arena.h"
#include "check/check.h"
#include "worker.h"

#define SLAB ((size_t)64 << 10)
#define CLASSES 8 /* 16, 32 ... 2048 bytes */
#define SMALLEST 16u
#define DEFAULT_SIZE ((size_t)8 << 20)

/* 64 KiB of the arena, divided into equal cells; a set bit marks a live cell. */
struct slab {
    struct slab *next;
    uint64_t start;
    uint32_t cell, cells, live;
    uint64_t bits[SLAB / SMALLEST / 64];
};

static struct {
    pthread_mutex_t lock;
    struct cpu_arena *arena;
    struct slab *slabs[CLASSES];
    size_t size;
} heap = {.lock = PTHREAD_MUTEX_INITIALIZER, .size = DEFAULT_SIZE};

bool cpu_heap_set_size(size_t size)
{
    pthread_mutex_lock(&heap.lock);
    bool unused = heap.arena == NULL;
    if (unused)
        heap.size = size;
    pthread_mutex_unlock(&heap.lock);
    return unused;
}

void cpu_heap_reset(void)
{
    pthread_mutex_lock(&heap.lock);
    for (uint32_t class = 0; class < CLASSES; class++)
        while (heap.slabs[class]) {
            struct slab *slab = heap.slabs[class];
            heap.slabs[class] = slab->next;
            free(slab);
        }
    if (heap.arena) {
        cpu_table_remove_within(cpu_arena_base(heap.arena), heap.size);
        cpu_arena_release(heap.arena);
    }
    heap.arena = NULL;
    heap.size = DEFAULT_SIZE;
    pthread_mutex_unlock(&heap.lock);
}

static struct slab *new_slab(uint32_t class)
{
    struct slab *slab = calloc(1, sizeof *slab);
    if (!slab)
        return NULL;
    if (cpu_arena_allocate(heap.arena, SLAB, &slab->start) != CPU_ARENA_DONE) {
        free(slab);
        return NULL;
    }
    slab->cell = SMALLEST << class;
    slab->cells = (uint32_t)(SLAB / slab->cell);
    slab->next = heap.slabs[class];
    heap.slabs[class] = slab;
    return slab;
}

static uint64_t take_cell(struct slab *slab)
{
    for (uint32_t word = 0; word * 64 < slab->cells; word++) {
        if (slab->bits[word] == UINT64_MAX)
            continue;
        uint32_t cell = word * 64 + (uint32_t)__builtin_ctzll(~slab->bits[word]);
        if (cell >= slab->cells)
            break;
        slab->bits[word] |= (uint64_t)1 << (cell % 64);
        slab->live++;
        return slab->start + (uint64_t)cell * slab->cell;
    }
    return 0;
}

static uint64_t allocate(uint64_t size)
{
    uint64_t address;
    uint32_t class = 0;
    while (class < CLASSES && size > SMALLEST << class)
        class++;
    if (class == CLASSES)
        return cpu_arena_allocate(heap.arena, size, &address) == CPU_ARENA_DONE ? address : 0;
    for (struct slab *slab = heap.slabs[class]; slab; slab = slab->next)
        if (slab->live < slab->cells)
            return take_cell(slab);
    struct slab *slab = new_slab(class);
    return slab ? take_cell(slab) : 0;
}

/* Return the link to the slab that contains an address; NULL: none does. */
static struct slab **slab_at(uint64_t address)
{
    for (uint32_t class = 0; class < CLASSES; class++)
        for (struct slab **link = &heap.slabs[class]; *link; link = &(*link)->next)
            if (address - (*link)->start < SLAB)
                return link;
    return NULL;
}

/* Return whether a live cell of a slab begins at an address in it. */
static bool is_cell(const struct slab *slab, uint64_t address)
{
    uint64_t offset = address - slab->start, cell = offset / slab->cell;
    return cell < slab->cells && offset % slab->cell == 0 && slab->bits[cell / 64] >> (cell % 64) & 1;
}

/* Free a cell; false if it was not live. */
static bool free_cell(uint64_t address)
{
    struct slab **link = slab_at(address), *slab = link ? *link : NULL;
    cpu_heap_forget(address);
    if (!slab)
        return cpu_arena_free(heap.arena, address);
    if (!is_cell(slab, address))
        return false;
    uint64_t cell = (address - slab->start) / slab->cell;
    slab->bits[cell / 64] &= ~((uint64_t)1 << (cell % 64));
    if (--slab->live == 0) {
        *link = slab->next;
        cpu_arena_free(heap.arena, slab->start);
        free(slab);
    }
    return true;
}

bool cpu_heap_is_live(uint64_t address)
{
    uint64_t start = 0, size;
    pthread_mutex_lock(&heap.lock);
    struct slab **link = slab_at(address);
    bool live = link ? is_cell(*link, address)
                     : heap.arena && cpu_arena_find(heap.arena, address, &start, &size) && start == address;
    pthread_mutex_unlock(&heap.lock);
    return live;
}

void cpu_heap_malloc(struct cpu_warp *warp, cpu_lanes lanes, const uint64_t *size, uint64_t *result)
{
    cpu_need_stack(warp);
    pthread_mutex_lock(&heap.lock);
    if (!heap.arena)
        heap.arena = cpu_arena_make(heap.size, -1);
    for (; lanes; lanes &= lanes - 1) {
        unsigned lane = (unsigned)__builtin_ctz(lanes);
        result[lane] = heap.arena && size[lane] ? allocate(size[lane]) : 0;
        cpu_heap_note(result[lane], size[lane], ((struct cpu_running *)warp)->block->worker->job);
    }
    pthread_mutex_unlock(&heap.lock);
}

void cpu_heap_free(struct cpu_warp *warp, cpu_lanes lanes, const uint64_t *pointer)
{
    uint64_t bad = 0;
    cpu_need_stack(warp);
    pthread_mutex_lock(&heap.lock);
    for (; lanes; lanes &= lanes - 1) {
        uint64_t address = pointer[__builtin_ctz(lanes)];
        if (address && !(heap.arena && free_cell(address)))
            bad = address;
    }
    pthread_mutex_unlock(&heap.lock);
    if (bad)
        cpu_fault_now((struct cpu_running *)warp, CPU_FAULT_ILLEGAL_ADDRESS, 0, bad,
                      "free() of an address that malloc() has not returned, or that is free already");
}

struct cpu_heap_block *cpu_heap_leaks(void)
{
    pthread_mutex_lock(&heap.lock);
    struct cpu_heap_block *blocks = cpu_heap_blocks_take();
    pthread_mutex_unlock(&heap.lock);
    return blocks;
}

bool cpu_heap_give(uint64_t address)
{
    pthread_mutex_lock(&heap.lock);
    bool given = heap.arena && free_cell(address);
    pthread_mutex_unlock(&heap.lock);
    return given;
}
