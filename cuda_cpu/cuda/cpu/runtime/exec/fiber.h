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

/* A stack: a mapped region whose lowest part is a guard. Committed as it is touched. */
struct cpu_stack {
    struct cpu_stack *next;
    uint8_t *base; /* lowest address, that of the guard */
    size_t frames; /* bytes of the guard; the stack has twice as many below cpu_stack_limit */
    size_t size;   /* with the guard */
    uint8_t *top;
};

/* Stacks not in use, of one thread. */
struct cpu_stacks {
    struct cpu_stack *unused;
    uint32_t made;
};

#define CPU_STACK_RESERVE (64u << 10) /* above the guard; kept free of machine code's calls for what services need */

void cpu_set_stack_size(size_t per_thread);
size_t cpu_stack_size(void); /* bytes per GPU thread, as set by cpu_set_stack_size */

/* One for code whose functions' frames have so many bytes together; NULL: out of memory. */
struct cpu_stack *cpu_stack_take(struct cpu_stacks *pool, size_t frames);
void cpu_stack_give(struct cpu_stacks *pool, struct cpu_stack *stack);
void cpu_stacks_trim(struct cpu_stacks *pool, uint32_t keep);
/* Functions of machine code that call others begin above this. From here each may run once more, so that the machine code
 * never comes to the guard: its signal could not be handled in a thread without a stack for signals. */
static inline uint64_t cpu_stack_limit(const struct cpu_stack *stack)
{
    return (uint64_t)(uintptr_t)stack->base + 2 * stack->frames + CPU_STACK_RESERVE;
}
static inline bool cpu_stack_guards(const struct cpu_stack *stack, uint64_t address)
{
    return address - (uint64_t)(uintptr_t)stack->base < stack->frames;
}

/* A context is the stack pointer of a suspended fiber; its registers lie on its stack. */
void *cpu_fiber_prepare(struct cpu_stack *stack, void (*function)(void *), void *argument);
void cpu_fiber_switch(void **save, void *to);
void cpu_fiber_jump(void *to) __attribute__((noreturn));

#endif
