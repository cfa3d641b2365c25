/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * A thread of ours: its name, its signals, its floating-point state, and the step into a fiber and back.
 */
#define _GNU_SOURCE
#include "worker.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

/* A thread inherits the control words of the one that started it, which may flush denormals to zero. */
static void reset_floating_point(void)
{
#if defined(__x86_64__)
    __builtin_ia32_ldmxcsr(0x1f80);
    uint16_t control = 0x037f;
    __asm__ volatile("fldcw %0" : : "m"(control));
#elif defined(__aarch64__)
    __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)0));
#endif
}

static bool set_signal_stack(struct cpu_worker *worker)
{
    worker->signal_stack_size = 65536 + getauxval(AT_MINSIGSTKSZ);
    worker->signal_stack = malloc(worker->signal_stack_size);
    if (!worker->signal_stack)
        return false;
    stack_t stack = {.ss_sp = worker->signal_stack, .ss_size = worker->signal_stack_size};
    return sigaltstack(&stack, NULL) == 0;
}

bool cpu_worker_begin(struct cpu_worker *worker, uint32_t index, const char *name)
{
    memset(worker, 0, sizeof *worker);
    worker->index = index;
    pthread_setname_np(pthread_self(), name);
    reset_floating_point();
    if (!set_signal_stack(worker))
        return false;
    cpu_fault_thread(worker);
    return true;
}

void cpu_worker_end(struct cpu_worker *worker)
{
    cpu_fault_thread(NULL);
    cpu_blocks_trim(worker, 0);
    cpu_stacks_trim(&worker->stacks, 0);
    stack_t none = {.ss_flags = SS_DISABLE};
    sigaltstack(&none, NULL);
    free(worker->signal_stack);
}

bool cpu_worker_resume(struct cpu_worker *worker, void **context, struct cpu_stack *stack)
{
    worker->aborted = false;
    worker->stack = stack;
    void *to = *context;
    *context = NULL;
    worker->guarded = true;
    cpu_fiber_switch(&worker->home, to);
    worker->guarded = false;
    return !worker->aborted;
}

void cpu_worker_abort(struct cpu_worker *worker)
{
    worker->aborted = true;
    cpu_fiber_jump(worker->home);
}

struct call {
    struct cpu_worker *worker;
    void (*function)(void *);
    void *argument;
};

static void call_and_return(void *argument)
{
    struct call *call = argument;
    call->function(call->argument);
    cpu_fiber_jump(call->worker->home);
}

bool cpu_worker_call(struct cpu_worker *worker, void (*function)(void *), void *argument)
{
    struct cpu_stack *stack = cpu_stack_take(&worker->stacks);
    if (!stack) {
        worker->aborted = true;
        return false;
    }
    struct call call = {worker, function, argument};
    void *context = cpu_fiber_prepare(stack, call_and_return, &call);
    bool done = cpu_worker_resume(worker, &context, stack);
    cpu_stack_give(&worker->stacks, stack);
    return done;
}
