/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * The switch saves what the psABIs call callee-saved, with the floating-point control words, so that
 * flush-to-zero or a rounding mode set on one fiber stays there.
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

#define FRAMES ((size_t)1 << 20) /* minimum for each stack; enough for nearly all code */

/* Unoptimised code has a stack slot for each value: 3 MiB for a kernel of 1,000 instructions. */
static size_t room_for(size_t frames)
{
    return frames <= FRAMES ? FRAMES : (frames + FRAMES - 1) & ~(FRAMES - 1);
}

/* A frame has the registers of 32 lanes, so a fiber needs some 32 times the stack of one GPU thread. */
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
    /* Tops at different cache lines, lest the frames of all warps fall into the same sets of the cache. */
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

void cpu_fiber_begin(void); /* first return address of a fiber, below */

#if defined(__x86_64__)

void *cpu_fiber_prepare(struct cpu_stack *stack, void (*function)(void *), void *argument)
{
    uint64_t *sp = (uint64_t *)((uintptr_t)stack->top & ~(uintptr_t)63);
    *--sp = 0;
    *--sp = 0; /* the end of the call chain, for debuggers */
    *--sp = (uint64_t)(uintptr_t)cpu_fiber_begin;
    *--sp = 0;                                /* rbp */
    *--sp = 0;                                /* rbx */
    *--sp = (uint64_t)(uintptr_t)argument;    /* r12 */
    *--sp = (uint64_t)(uintptr_t)function;    /* r13 */
    *--sp = 0;                                /* r14 */
    *--sp = 0;                                /* r15 */
    *--sp = (uint64_t)0x037f << 32 | 0x1f80;  /* x87 control word, mxcsr: the psABI's initial values */
    return sp;
}

__asm__(".pushsection .text\n"
        ".p2align 4\n"
        ".globl cpu_fiber_switch\n"
        ".hidden cpu_fiber_switch\n"
        ".type cpu_fiber_switch, @function\n"
        "cpu_fiber_switch:\n"
        "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
        "  subq $8, %rsp\n"
        "  stmxcsr (%rsp)\n"
        "  fnstcw 4(%rsp)\n"
        "  movq %rsp, (%rdi)\n"
        "  movq %rsi, %rdi\n"
        ".globl cpu_fiber_jump\n"
        ".hidden cpu_fiber_jump\n"
        ".type cpu_fiber_jump, @function\n"
        "cpu_fiber_jump:\n"
        "  movq %rdi, %rsp\n"
        "  ldmxcsr (%rsp)\n"
        "  fldcw 4(%rsp)\n"
        "  addq $8, %rsp\n"
        "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n"
        "  popq %rcx\n"
        "  jmpq *%rcx\n" /* not ret: the processor would predict the return of the fiber that is left */
        ".size cpu_fiber_jump, .-cpu_fiber_jump\n"
        ".globl cpu_fiber_begin\n"
        ".hidden cpu_fiber_begin\n"
        ".type cpu_fiber_begin, @function\n"
        "cpu_fiber_begin:\n"
        "  .cfi_startproc\n"
        "  .cfi_undefined rip\n"
        "  movq %r12, %rdi\n"
        "  callq *%r13\n"
        "  ud2\n"
        "  .cfi_endproc\n"
        ".size cpu_fiber_begin, .-cpu_fiber_begin\n"
        ".popsection\n");

#elif defined(__aarch64__)

/* Frame: x19-x30 (96 bytes), d8-d15 (64), fpcr (8), padding (8). */
void *cpu_fiber_prepare(struct cpu_stack *stack, void (*function)(void *), void *argument)
{
    uint64_t *sp = (uint64_t *)((uintptr_t)stack->top & ~(uintptr_t)63) - 22;
    memset(sp, 0, 22 * sizeof *sp);
    sp[0] = (uint64_t)(uintptr_t)argument;         /* x19 */
    sp[1] = (uint64_t)(uintptr_t)function;         /* x20 */
    sp[11] = (uint64_t)(uintptr_t)cpu_fiber_begin; /* x30 */
    return sp;
}

__asm__(".pushsection .text\n"
        ".p2align 4\n"
        ".globl cpu_fiber_switch\n"
        ".hidden cpu_fiber_switch\n"
        ".type cpu_fiber_switch, %function\n"
        "cpu_fiber_switch:\n"
        "  sub sp, sp, #176\n"
        "  stp x19, x20, [sp]\n  stp x21, x22, [sp, #16]\n  stp x23, x24, [sp, #32]\n"
        "  stp x25, x26, [sp, #48]\n  stp x27, x28, [sp, #64]\n  stp x29, x30, [sp, #80]\n"
        "  stp d8, d9, [sp, #96]\n  stp d10, d11, [sp, #112]\n"
        "  stp d12, d13, [sp, #128]\n  stp d14, d15, [sp, #144]\n"
        "  mrs x9, fpcr\n  str x9, [sp, #160]\n"
        "  mov x9, sp\n  str x9, [x0]\n"
        "  mov x0, x1\n"
        ".globl cpu_fiber_jump\n"
        ".hidden cpu_fiber_jump\n"
        ".type cpu_fiber_jump, %function\n"
        "cpu_fiber_jump:\n"
        "  mov sp, x0\n"
        "  ldr x9, [sp, #160]\n  msr fpcr, x9\n"
        "  ldp x19, x20, [sp]\n  ldp x21, x22, [sp, #16]\n  ldp x23, x24, [sp, #32]\n"
        "  ldp x25, x26, [sp, #48]\n  ldp x27, x28, [sp, #64]\n  ldp x29, x30, [sp, #80]\n"
        "  ldp d8, d9, [sp, #96]\n  ldp d10, d11, [sp, #112]\n"
        "  ldp d12, d13, [sp, #128]\n  ldp d14, d15, [sp, #144]\n"
        "  add sp, sp, #176\n"
        "  ret\n"
        ".size cpu_fiber_jump, .-cpu_fiber_jump\n"
        ".globl cpu_fiber_begin\n"
        ".hidden cpu_fiber_begin\n"
        ".type cpu_fiber_begin, %function\n"
        "cpu_fiber_begin:\n"
        "  mov x0, x19\n"
        "  blr x20\n"
        "  brk #0\n"
        ".size cpu_fiber_begin, .-cpu_fiber_begin\n"
        ".popsection\n");

#else
#error "unknown target CPU: see CONTRIBUTING.md, Add a target CPU"
#endif
