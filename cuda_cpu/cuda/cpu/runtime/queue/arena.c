/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Arena: first-fit allocator. Free and live extents cover the range, in a treap ordered by address. Each node has the
 * length of the longest free extent of its subtree, so first fit takes one descent.
 */
#define _GNU_SOURCE
#include "arena.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define ALIGNMENT 256u
#define HUGE_PAGE ((uint64_t)2 << 20)
/* Each guard splits a mapping, and Linux allows a process 65530 by default: allocations beyond this have no guard. */
#define MAX_GUARDED 16384

struct extent {
    struct extent *left, *right;
    uint32_t priority;
    uint64_t start, length; /* in pages, including the guard */
    uint64_t address, size; /* of the allocation; size 0: free */
    uint64_t longest;       /* longest free extent of this subtree */
    bool shared;            /* its pages were moved to a file for sharing */
};

struct cpu_arena {
    _Atomic uint32_t references;
    pthread_mutex_t lock;
    uint8_t *mapping;
    uint64_t mapped, base, page, used, live;
    uint32_t random;
    bool in_file;
    struct extent *root;
};

static uint64_t longest_of(const struct extent *node)
{
    return node ? node->longest : 0;
}

static void update(struct extent *node)
{
    uint64_t longest = node->size ? 0 : node->length;
    if (longest_of(node->left) > longest)
        longest = node->left->longest;
    if (longest_of(node->right) > longest)
        longest = node->right->longest;
    node->longest = longest;
}

/* Split by start address: nodes below `key` into *left, the others into *right. */
static void split(struct extent *node, uint64_t key, struct extent **left, struct extent **right)
{
    if (!node) {
        *left = *right = NULL;
    } else if (node->start < key) {
        split(node->right, key, &node->right, right);
        *left = node;
        update(node);
    } else {
        split(node->left, key, left, &node->left);
        *right = node;
        update(node);
    }
}

static struct extent *join(struct extent *left, struct extent *right)
{
    if (!left || !right)
        return left ? left : right;
    if (left->priority > right->priority) {
        left->right = join(left->right, right);
        update(left);
        return left;
    }
    right->left = join(left, right->left);
    update(right);
    return right;
}

static void insert(struct cpu_arena *arena, struct extent *node)
{
    struct extent *left, *right;
    split(arena->root, node->start, &left, &right);
    update(node);
    arena->root = join(join(left, node), right);
}

static struct extent *take_out(struct cpu_arena *arena, uint64_t start)
{
    struct extent *left, *node, *right;
    split(arena->root, start, &left, &right);
    split(right, start + 1, &node, &right);
    arena->root = join(left, right);
    return node;
}

/* Return the extent that contains `address`, or NULL. */
static struct extent *extent_at(const struct cpu_arena *arena, uint64_t address)
{
    struct extent *node = arena->root, *found = NULL;
    while (node) {
        if (node->start <= address) {
            found = node;
            node = node->right;
        } else {
            node = node->left;
        }
    }
    return found && address - found->start < found->length ? found : NULL;
}

static struct extent *first_fit(const struct cpu_arena *arena, uint64_t length)
{
    struct extent *node = arena->root;
    while (longest_of(node) >= length) {
        if (longest_of(node->left) >= length)
            node = node->left;
        else if (!node->size && node->length >= length)
            return node;
        else
            node = node->right;
    }
    return NULL;
}

static struct extent *new_extent(struct cpu_arena *arena, uint64_t start, uint64_t length)
{
    struct extent *node = calloc(1, sizeof *node);
    if (!node)
        return NULL;
    arena->random ^= arena->random << 13; /* xorshift */
    arena->random ^= arena->random >> 17;
    arena->random ^= arena->random << 5;
    node->priority = arena->random;
    node->start = start;
    node->length = length;
    return node;
}

#define PRIVATE (MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE)

/* Reserve the range; a file is mapped in a second step, at the aligned base that the first one yields. */
static bool reserve(struct cpu_arena *arena, uint64_t size, int file)
{
    arena->mapped = size + HUGE_PAGE;
    arena->mapping = mmap(NULL, arena->mapped, PROT_NONE, PRIVATE, -1, 0);
    if (arena->mapping == MAP_FAILED)
        return false;
    arena->base = ((uint64_t)(uintptr_t)arena->mapping + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
    arena->in_file = file >= 0;
    void *base = (void *)(uintptr_t)arena->base;
    if (!arena->in_file) {
        madvise(arena->mapping, arena->mapped, MADV_HUGEPAGE); /* fewer page faults; failure is harmless */
    } else if (mmap(base, size, PROT_NONE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, file, 0) == MAP_FAILED) {
        int reason = errno;
        munmap(arena->mapping, arena->mapped);
        errno = reason;
        return false;
    }
    return true;
}

struct cpu_arena *cpu_arena_make(uint64_t size, int file)
{
    struct cpu_arena *arena = calloc(1, sizeof *arena);
    if (!arena)
        return NULL;
    arena->page = (uint64_t)sysconf(_SC_PAGESIZE);
    arena->random = 2463534242u;
    size = (size + arena->page - 1) & ~(arena->page - 1);
    if (!reserve(arena, size, file)) {
        free(arena);
        return NULL;
    }
    arena->root = new_extent(arena, arena->base, size);
    if (!arena->root) {
        munmap(arena->mapping, arena->mapped);
        free(arena);
        errno = ENOMEM;
        return NULL;
    }
    update(arena->root);
    pthread_mutex_init(&arena->lock, NULL);
    atomic_store(&arena->references, 1);
    return arena;
}

void cpu_arena_retain(struct cpu_arena *arena)
{
    atomic_fetch_add(&arena->references, 1);
}

void cpu_arena_release(struct cpu_arena *arena)
{
    if (atomic_fetch_sub(&arena->references, 1) > 1)
        return;
    munmap(arena->mapping, arena->mapped);
    while (arena->root)
        free(take_out(arena, arena->root->start));
    pthread_mutex_destroy(&arena->lock);
    free(arena);
}

uint64_t cpu_arena_base(const struct cpu_arena *arena)
{
    return arena->base;
}

uint64_t cpu_arena_used(struct cpu_arena *arena)
{
    pthread_mutex_lock(&arena->lock);
    uint64_t used = arena->used;
    pthread_mutex_unlock(&arena->lock);
    return used;
}

static bool commit(uint64_t start, uint64_t length)
{
    return mprotect((void *)(uintptr_t)start, length, PROT_READ | PROT_WRITE) == 0;
}

/* Release the pages of a freed extent: the system reclaims them under memory pressure, and until then the next
 * allocation reuses them without page faults. */
static void decommit(const struct cpu_arena *arena, const struct extent *node)
{
    void *start = (void *)(uintptr_t)node->start;
    if (node->shared && mmap(start, node->length, PROT_NONE, PRIVATE | MAP_FIXED, -1, 0) == start) {
        madvise(start, node->length, MADV_HUGEPAGE); /* other mappings of the file are unaffected */
        return;
    }
    madvise(start, node->length, arena->in_file ? MADV_REMOVE : MADV_FREE);
    /* Fails at the limit of mappings: the range then stays accessible, which is harmless. */
    mprotect(start, node->length, PROT_NONE);
}

/* With the lock held: allocate in the first extent that fits, whose rest stays free. */
static enum cpu_arena_result allocate(struct cpu_arena *arena, uint64_t size, uint64_t *address)
{
    uint64_t rounded = (size + ALIGNMENT - 1) & ~(uint64_t)(ALIGNMENT - 1);
    uint64_t pages = (rounded + arena->page - 1) & ~(arena->page - 1);
    uint64_t length = pages + (arena->live < MAX_GUARDED ? arena->page : 0);
    struct extent *node = first_fit(arena, length), *rest = NULL;
    if (!node)
        return CPU_ARENA_FULL;
    if (node->length > length) {
        rest = new_extent(arena, node->start + length, node->length - length);
        if (!rest)
            return CPU_ARENA_NO_MEMORY;
    }
    if (!commit(node->start, pages)) {
        free(rest);
        return CPU_ARENA_NO_MEMORY;
    }
    take_out(arena, node->start);
    node->left = node->right = NULL;
    node->length = length;
    node->size = size;
    node->address = node->start + pages - rounded;
    insert(arena, node);
    if (rest)
        insert(arena, rest);
    arena->used += rounded;
    arena->live++;
    *address = node->address;
    return CPU_ARENA_DONE;
}

enum cpu_arena_result cpu_arena_allocate(struct cpu_arena *arena, uint64_t size, uint64_t *address)
{
    if (size == 0 || size > arena->mapped)
        return CPU_ARENA_FULL;
    pthread_mutex_lock(&arena->lock);
    enum cpu_arena_result result = allocate(arena, size, address);
    pthread_mutex_unlock(&arena->lock);
    return result;
}

/* With the lock held: insert a free extent, coalesced with its free neighbours. */
static void put_back(struct cpu_arena *arena, struct extent *node)
{
    struct extent *before = extent_at(arena, node->start - 1);
    struct extent *behind = extent_at(arena, node->start + node->length);
    if (before && !before->size) {
        take_out(arena, before->start);
        node->start = before->start;
        node->length += before->length;
        free(before);
    }
    if (behind && !behind->size) {
        take_out(arena, behind->start);
        node->length += behind->length;
        free(behind);
    }
    insert(arena, node);
}

bool cpu_arena_free(struct cpu_arena *arena, uint64_t address)
{
    pthread_mutex_lock(&arena->lock);
    struct extent *node = extent_at(arena, address);
    bool known = node && node->size && node->address == address;
    if (known) {
        decommit(arena, node);
        take_out(arena, node->start);
        arena->used -= (node->size + ALIGNMENT - 1) & ~(uint64_t)(ALIGNMENT - 1);
        arena->live--;
        node->left = node->right = NULL;
        node->size = 0;
        node->shared = false;
        put_back(arena, node);
    }
    pthread_mutex_unlock(&arena->lock);
    return known;
}

bool cpu_arena_find(struct cpu_arena *arena, uint64_t address, uint64_t *start, uint64_t *size)
{
    pthread_mutex_lock(&arena->lock);
    const struct extent *node = extent_at(arena, address);
    bool found = node && node->size && address >= node->address && address - node->address < node->size;
    if (found) {
        *start = node->address;
        *size = node->size;
    }
    pthread_mutex_unlock(&arena->lock);
    return found;
}

static bool write_all(int file, const uint8_t *data, uint64_t size)
{
    while (size) {
        ssize_t done = write(file, data, size < (1u << 30) ? size : 1u << 30);
        if (done < 0 && errno != EINTR)
            return false;
        data += done > 0 ? done : 0;
        size -= done > 0 ? (uint64_t)done : 0;
    }
    return true;
}

bool cpu_arena_share(struct cpu_arena *arena, uint64_t address, int file, uint64_t *offset)
{
    pthread_mutex_lock(&arena->lock);
    struct extent *node = extent_at(arena, address);
    bool done = node && node->size && node->address == address && !node->shared && !arena->in_file;
    errno = EINVAL;
    if (done) {
        uint64_t rounded = (node->size + ALIGNMENT - 1) & ~(uint64_t)(ALIGNMENT - 1);
        uint64_t pages = (rounded + arena->page - 1) & ~(arena->page - 1);
        void *start = (void *)(uintptr_t)node->start;
        done = write_all(file, start, pages) &&
               mmap(start, pages, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == start;
        if (done) {
            node->shared = true;
            *offset = address - node->start;
        }
    }
    pthread_mutex_unlock(&arena->lock);
    return done;
}
