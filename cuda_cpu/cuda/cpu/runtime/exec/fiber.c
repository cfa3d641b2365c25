/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Stacks of fibers, and the pool of unused ones. A context switch saves the callee-saved registers of the psABI and the
 * floating-point control words, so that flush-to-zero or a rounding mode stays with the fiber that set it.
 */
#include "fiber.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static _Atomic size_t stack_per_thread = 1024;

void cpu_set_stack_size(size_t per_thread)
{
    atomic_store(&stack_per_thread, per_thread);
}

size_t cpu_stack_size(void)
{
    return atomic_load(&stack_per_thread);
}

#define FRAMES ((size_t)1 << 20) /* minimum for the frames of a stack; sufficient for nearly all code */

/* Unoptimised code has a stack slot for each value: 3 MiB for a kernel of 1,000 instructions. */
static size_t room_for(size_t frames)
{
    return frames <= FRAMES ? FRAMES : (frames + FRAMES - 1) & ~(FRAMES - 1);
}

/* A frame has the registers of 32 lanes, so a fiber needs at least 32 times the stack of one GPU thread. */
static size_t room_for_calls(void)
{
    return ((size_t)8 << 20) + (((cpu_stack_size() * 128) + 0xffff) & ~(size_t)0xffff);
}

static struct cpu_stack *stack_make(size_t frames, size_t size, uint32_t index)
{
    struct cpu_stack *stack = malloc(sizeof *stack);
    if (!stack)
        return NULL;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK;
    stack->base = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (stack->base == MAP_FAILED) {
        free(stack);
        return NULL;
    }
    madvise(stack->base, size, MADV_NOHUGEPAGE); /* a huge page per fiber would commit all of it */
    if (mprotect(stack->base, frames, PROT_NONE)) {
        munmap(stack->base, size);
        free(stack);
        return NULL;
    }
    stack->frames = frames;
    stack->size = size;
    /* Staggered tops, so that the frames of all warps do not map to the same cache sets. */
    stack->top = stack->base + size - (index % 20) * 192;
    return stack;
}

struct cpu_stack *cpu_stack_take(struct cpu_stacks *pool, size_t frames)
{
    frames = room_for(frames);
    size_t size = 3 * frames + room_for_calls();
    while (pool->unused) {
        struct cpu_stack *stack = pool->unused;
        pool->unused = stack->next;
        if (stack->frames == frames && stack->size == size)
            return stack;
        munmap(stack->base, stack->size);
        free(stack);
    }
    return stack_make(frames, size, pool->made++);
}

void cpu_stack_give(struct cpu_stacks *pool, struct cpu_stack *stack)
{
    stack->next = pool->unused;
    pool->unused = stack;
}

void cpu_stacks_trim(struct cpu_stacks *pool, uint32_t keep)
{
    struct cpu_stack **link = &pool->unused;
    while (*link && keep--)
        link = &(*link)->next;
    while (*link) {
        struct cpu_stack *stack = *link;
        *link = stack->next;
        munmap(stack->base, stack->size);
        free(stack);
    }
}

void cpu_fiber_begin(void); /* first return address of a fiber */

#define CPU_ARCH_FIBERS
#include "arch/arch.h"
