/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Shadow memory of initcheck: a bit for each byte, set while nothing has written the byte. Leaves of 8 KiB, for 64 KiB
 * of memory each, are in a radix tree; a leaf is allocated only where some bytes were written and others were not.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "init.h"

#define LEAF_BYTES 65536u /* of memory */
#define WORD 64u          /* bytes of memory that a word has the bits of */
#define FANOUT 65536u     /* of the two levels above the leaves: addresses of 48 bits */

struct leaf {
    union {
        _Atomic uint64_t words[LEAF_BYTES / WORD];
        struct leaf *next; /* in the list of free leaves */
    };
};

typedef _Atomic(struct leaf *) slot; /* NULL: all bytes were written; &unwritten: none */

_Atomic bool cpu_init_on;
static _Atomic(slot *) directory[FANOUT];
static struct leaf unwritten; /* all bits are set */
static struct {
    pthread_mutex_t lock;
    struct leaf *first; /* never returned to the system: an illegal access of a kernel may still use one */
} unused = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* NULL: nothing near the address is tracked, or (with `make`) there is no memory to track it. */
static slot *slot_of(uint64_t address, bool make)
{
    if (address >> 48)
        return NULL;
    _Atomic(slot *) *entry = &directory[address >> 32];
    slot *slots = atomic_load_explicit(entry, memory_order_acquire);
    if (!slots && make) {
        slot *made = calloc(FANOUT, sizeof *made);
        if (!made)
            return NULL;
        if (atomic_compare_exchange_strong(entry, &slots, made))
            slots = made;
        else
            free(made);
    }
    return slots ? &slots[address / LEAF_BYTES % FANOUT] : NULL;
}

static void recycle(struct leaf *leaf)
{
    if (!leaf || leaf == &unwritten)
        return;
    pthread_mutex_lock(&unused.lock);
    leaf->next = unused.first;
    unused.first = leaf;
    pthread_mutex_unlock(&unused.lock);
}

static struct leaf *new_leaf(bool written)
{
    pthread_mutex_lock(&unused.lock);
    struct leaf *leaf = unused.first;
    if (leaf)
        unused.first = leaf->next;
    pthread_mutex_unlock(&unused.lock);
    leaf = leaf ? leaf : malloc(sizeof *leaf);
    if (leaf)
        memset(leaf, written ? 0 : 0xff, sizeof *leaf);
    return leaf;
}

static void set_leaf(uint64_t address, struct leaf *leaf)
{
    slot *at = slot_of(address, leaf != NULL);
    if (at)
        recycle(atomic_exchange(at, leaf));
}

/* Return a leaf that can be changed; NULL: out of memory. */
static struct leaf *own_leaf(slot *at)
{
    struct leaf *leaf = atomic_load_explicit(at, memory_order_acquire);
    while (!leaf || leaf == &unwritten) {
        struct leaf *made = new_leaf(!leaf);
        if (!made)
            return NULL;
        if (atomic_compare_exchange_strong(at, &leaf, made))
            return made;
        recycle(made);
    }
    return leaf;
}

static uint64_t get_word(uint64_t number)
{
    slot *at = slot_of(number * WORD, false);
    struct leaf *leaf = at ? atomic_load_explicit(at, memory_order_acquire) : NULL;
    return leaf ? atomic_load_explicit(&leaf->words[number % (LEAF_BYTES / WORD)], memory_order_relaxed) : 0;
}

/* Replace the bits in `mask`. */
static void put_word(uint64_t number, uint64_t mask, uint64_t bits)
{
    if ((get_word(number) & mask) == bits)
        return;
    slot *at = slot_of(number * WORD, true);
    struct leaf *leaf = at ? own_leaf(at) : NULL;
    if (!leaf)
        return;
    _Atomic uint64_t *word = &leaf->words[number % (LEAF_BYTES / WORD)];
    if (mask & ~bits)
        atomic_fetch_and_explicit(word, ~(mask & ~bits), memory_order_relaxed);
    if (bits)
        atomic_fetch_or_explicit(word, bits, memory_order_relaxed);
}

/* Return the bits of a word that stand for bytes from `address` up to `end`. */
static uint64_t mask_of(uint64_t number, uint64_t address, uint64_t end)
{
    uint64_t first = number * WORD, mask = UINT64_MAX;
    if (address > first)
        mask &= UINT64_MAX << (address - first);
    if (end - first < WORD)
        mask &= UINT64_MAX >> (WORD - (end - first));
    return mask;
}

void cpu_init_mark(uint64_t address, uint64_t size, bool written)
{
    uint64_t end = address + size;
    if (!written && !atomic_load(&cpu_init_on)) {
        memset(&unwritten, 0xff, sizeof unwritten);
        atomic_store(&cpu_init_on, true);
    }
    while (address < end) {
        uint64_t stop = (address | (LEAF_BYTES - 1)) + 1;
        if (address % LEAF_BYTES == 0 && stop <= end) {
            set_leaf(address, written ? NULL : &unwritten);
        } else {
            uint64_t last = stop < end ? stop : end;
            for (uint64_t number = address / WORD; number * WORD < last; number++) {
                uint64_t mask = mask_of(number, address, last);
                put_word(number, mask, written ? 0 : mask);
            }
        }
        address = stop;
    }
}

uint64_t cpu_init_find(uint64_t address, uint64_t size)
{
    uint64_t end = address + size;
    for (uint64_t number = address / WORD; size && number * WORD < end; number++) {
        uint64_t found = get_word(number) & mask_of(number, address, end);
        if (found)
            return number * WORD + (uint64_t)__builtin_ctzll(found);
    }
    return 0;
}

static uint64_t get_bits(uint64_t address)
{
    uint64_t number = address / WORD, shift = address % WORD, bits = get_word(number) >> shift;
    return shift ? bits | get_word(number + 1) << (WORD - shift) : bits;
}

static void put_bits(uint64_t address, uint64_t mask, uint64_t bits)
{
    uint64_t number = address / WORD, shift = address % WORD;
    put_word(number, mask << shift, bits << shift);
    if (shift && mask >> (WORD - shift))
        put_word(number + 1, mask >> (WORD - shift), bits >> (WORD - shift));
}

void cpu_init_copy(uint64_t to, uint64_t from, uint64_t size)
{
    for (uint64_t done = 0; done < size; done += WORD) {
        uint64_t mask = size - done < WORD ? UINT64_MAX >> (WORD - (size - done)) : UINT64_MAX;
        put_bits(to + done, mask, get_bits(from + done) & mask);
    }
}

void cpu_init_begin_called(void *range)
{
    const struct cpu_init_range *given = range;
    cpu_init_mark(given->start, given->size, false);
    free(range);
}
