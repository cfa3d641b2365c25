/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Workers: resume a fiber, abort it after a fault, suspend and continue a call.
 */
#define _GNU_SOURCE
#include "worker.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

bool cpu_worker_thread(const char *name)
{
    pthread_setname_np(pthread_self(), name);
    cpu_reset_floating_point(); /* a thread inherits the state of its parent, which may flush denormals to zero */
    return cpu_fault_stack();
}

void cpu_worker_begin(struct cpu_worker *worker, uint32_t index)
{
    memset(worker, 0, sizeof *worker);
    worker->index = index;
    worker->budget = CPU_PLAIN_BUDGET;
}

void cpu_worker_begin_inline(struct cpu_worker *worker, uint32_t time, int32_t budget)
{
    worker->since = cpu_now();
    worker->deadline = worker->since + time;
    worker->budget = budget;
}

void cpu_worker_end_inline(struct cpu_worker *worker)
{
    worker->deadline = 0;
    worker->budget = CPU_PLAIN_BUDGET;
}

void cpu_worker_end(struct cpu_worker *worker)
{
    cpu_blocks_trim(worker, 0);
    cpu_stacks_trim(&worker->stacks, 0);
    free(worker->ranges);
    worker->ranges = NULL;
}

bool cpu_worker_resume(struct cpu_worker *worker, void **context, struct cpu_stack *stack)
{
    worker->aborted = false;
    worker->stack = stack;
    void *to = *context;
    *context = NULL;
    worker->guarded = true;
    cpu_fiber_switch(&worker->thread_context, to);
    worker->guarded = false;
    return !worker->aborted;
}

void cpu_worker_abort(struct cpu_worker *worker)
{
    worker->aborted = true;
    cpu_fiber_jump(worker->thread_context);
}

void cpu_worker_suspend(struct cpu_worker *worker)
{
    cpu_worker_end_inline(worker);
    cpu_fiber_switch(&worker->suspended, worker->thread_context);
}

static void call_and_return(void *argument)
{
    struct cpu_worker_call *call = argument;
    call->function(call->argument);
    cpu_fiber_jump(call->worker->thread_context);
}

static bool run_call(struct cpu_worker *worker, void *context, struct cpu_stack *stack)
{
    bool done = cpu_worker_resume(worker, &context, stack);
    if (worker->suspended)
        return false;
    cpu_stack_give(&worker->stacks, stack);
    return done;
}

bool cpu_worker_call(struct cpu_worker *worker, void (*function)(void *), void *argument)
{
    struct cpu_stack *stack = cpu_stack_take(&worker->stacks, worker->job ? worker->job->compiled->frames : 0);
    if (!stack) {
        worker->aborted = true;
        return false;
    }
    worker->call = (struct cpu_worker_call){worker, function, argument};
    return run_call(worker, cpu_fiber_prepare(stack, call_and_return, &worker->call), stack);
}

bool cpu_worker_continue(struct cpu_worker *worker)
{
    void *context = worker->suspended;
    worker->suspended = NULL;
    return run_call(worker, context, worker->stack);
}
