/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Fibers: stacks, and context switches between them.
 */
#ifndef CUDA_CPU_FIBER_H
#define CUDA_CPU_FIBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A stack: a mapped region whose lowest part is a guard. Pages are committed on first access. */
struct cpu_stack {
    struct cpu_stack *next;
    uint8_t *base; /* lowest address, that of the guard */
    size_t frames; /* bytes of the guard; the stack has twice as many below cpu_stack_limit */
    size_t size;   /* with the guard */
    uint8_t *top;
};

/* A thread's pool of unused stacks. */
struct cpu_stacks {
    struct cpu_stack *unused;
    uint32_t made;
};

#define CPU_STACK_RESERVE (64u << 10) /* above the guard: for services, not for calls in machine code */

void cpu_set_stack_size(size_t per_thread);
size_t cpu_stack_size(void); /* bytes per GPU thread, as set by cpu_set_stack_size */

/* Return a stack for code with `frames` bytes in the frames of all its functions; NULL: out of memory. */
struct cpu_stack *cpu_stack_take(struct cpu_stacks *pool, size_t frames);
void cpu_stack_give(struct cpu_stacks *pool, struct cpu_stack *stack);
void cpu_stacks_trim(struct cpu_stacks *pool, uint32_t keep);
/* Non-leaf functions of machine code check that the stack pointer is above this limit. Below it there is room for
 * one frame of each function, so that machine code never reaches the guard, whose signal could not be handled in a
 * thread without an alternate signal stack. */
static inline uint64_t cpu_stack_limit(const struct cpu_stack *stack)
{
    return (uint64_t)(uintptr_t)stack->base + 2 * stack->frames + CPU_STACK_RESERVE;
}
static inline bool cpu_stack_guards(const struct cpu_stack *stack, uint64_t address)
{
    return address - (uint64_t)(uintptr_t)stack->base < stack->frames;
}

/* A context is the stack pointer of a suspended fiber; its registers are saved on the stack. */
void *cpu_fiber_prepare(struct cpu_stack *stack, void (*function)(void *), void *argument);
void cpu_fiber_switch(void **save, void *to);
void cpu_fiber_jump(void *to) __attribute__((noreturn));

#endif
