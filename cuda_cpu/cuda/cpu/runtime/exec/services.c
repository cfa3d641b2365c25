/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Service tables (struct cpu_runtime): the functions that machine code calls through warp->runtime.
 */
#include <errno.h>
#include <time.h>

#include "check/check.h"
#include "device_runtime/device.h"
#include "queue/graph.h"
#include "queue/node.h"
#include "heap.h"
#include "printf.h"
#include "snapshot.h"
#include "counters/counters.h"
#include "texture/tensor.h"
#include "texture/texture.h"
#include "worker.h"

#define POLLS_TO_DOUBT 1000

void cpu_fault_now(struct cpu_running *warp, uint32_t kind, uint32_t line, uint64_t address, const char *message)
{
    struct cpu_worker *worker = warp->block->worker;
    if (cpu_job_fault(worker->job, warp, kind, line, address, message) && kind != CPU_FAULT_CANCELLED)
        cpu_snapshot_take(warp, NULL);
    cpu_worker_abort(worker);
}

void cpu_need_stack(struct cpu_warp *abi)
{
    struct cpu_running *warp = (struct cpu_running *)abi;
    uint8_t *here = __builtin_frame_address(0);
    const struct cpu_stack *stack = warp->block->worker->stack;
    if (here < stack->base + stack->frames + CPU_STACK_RESERVE / 2)
        cpu_fault_now(warp, CPU_FAULT_STACK, 0, (uint64_t)(uintptr_t)here, NULL);
}

void cpu_suspend_inline(struct cpu_running *warp)
{
    if (warp->block->worker->deadline)
        cpu_worker_suspend(warp->block->worker);
}

static void fault(struct cpu_warp *abi, uint32_t kind, uint32_t line, uint64_t address)
{
    cpu_fault_now((struct cpu_running *)abi, kind, line, address, NULL);
}

/* Leave a launch that was stopped by the host (recorded as a fault of this warp) or by another warp's fault. */
static void leave_if_stopped(struct cpu_running *warp)
{
    struct cpu_worker *worker = warp->block->worker;
    uint32_t stop = atomic_load_explicit(&worker->job->stop, memory_order_relaxed);
    if (stop)
        cpu_fault_now(warp, stop, 0, 0, NULL);
}

static void poll(struct cpu_warp *abi)
{
    struct cpu_running *warp = (struct cpu_running *)abi;
    struct cpu_worker *worker = warp->block->worker;
    leave_if_stopped(warp);
    cpu_pool_watch(worker->job);
    if (worker->job->path != CPU_PATH_FIBERS) {
        if (worker->deadline && cpu_now() > worker->deadline)
            cpu_worker_suspend(worker);
        abi->budget = worker->budget;
        return;
    }
    /* An iteration of a spin loop costs 256, so its budget ends below 0. The budget of other loops ends at 0; these are
     * taken to make progress, up to POLLS_TO_DOUBT polls. */
    if (abi->budget >= 0 && warp->polls++ < POLLS_TO_DOUBT)
        warp->block->moved = true;
    abi->budget = CPU_FIBER_BUDGET;
    cpu_warp_yield(warp);
    leave_if_stopped(warp);
}

static void sleep_at_most(int64_t nanoseconds)
{
    struct timespec span = {0, nanoseconds < 1000000 ? nanoseconds : 1000000};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &span, NULL);
}

static void sleep_warp(struct cpu_warp *abi, uint32_t nanoseconds)
{
    struct cpu_running *warp = (struct cpu_running *)abi;
    struct cpu_worker *worker = warp->block->worker;
    int64_t end = cpu_now() + nanoseconds, left;
    cpu_suspend_inline(warp);
    while ((left = end - cpu_now()) > 0) {
        leave_if_stopped(warp);
        bool alone = worker->job->path != CPU_PATH_FIBERS ||
                     (worker->in_flight == 1 && warp->block->ready == 1u << abi->warp_id);
        if (alone && left > 100000)
            sleep_at_most(left);
        if (worker->job->path == CPU_PATH_FIBERS)
            cpu_warp_yield(warp);
        else
            cpu_relax();
    }
}

static uint64_t clock_ticks(struct cpu_warp *abi)
{
    (void)abi;
    return (uint64_t)cpu_now();
}

static uint64_t global_timer(struct cpu_warp *abi)
{
    struct timespec now;
    (void)abi;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Services that all kernels share, and those of kernels without checks. */
#define COMMON                                                                                                       \
    .poll = poll, .fault = fault, .vprintf = cpu_vprintf, .assert_fail = cpu_assert_fail, .nanosleep = sleep_warp,   \
    .clock = clock_ticks, .globaltimer = global_timer, .exit_lanes = cpu_exit_lanes,                                 \
    .graph_set_conditional = cpu_graph_set_conditional, .graph_launch = cpu_graph_launch,                            \
    .graph_update = cpu_graph_update, .texture = cpu_texture, .bulk = cpu_bulk,                                      \
    .device_call = cpu_device_call

#define UNCHECKED                                                                                                    \
    COMMON, .barrier_sync = cpu_barrier_sync, .barrier_arrive = cpu_barrier_arrive,                                  \
    .barrier_reduce = cpu_barrier_reduce, .cluster_arrive = cpu_cluster_arrive, .cluster_wait = cpu_cluster_wait,    \
    .malloc = cpu_heap_malloc, .free = cpu_heap_free

const struct cpu_runtime cpu_services = {UNCHECKED};
const struct cpu_runtime cpu_profile_services = {
    UNCHECKED, .profile_access = cpu_profile_access, .profile_bulk = cpu_profile_bulk};
const struct cpu_runtime cpu_check_services = {
    COMMON,
    .barrier_sync = cpu_check_barrier_sync,
    .barrier_arrive = cpu_check_barrier_arrive,
    .barrier_reduce = cpu_check_barrier_reduce,
    .cluster_arrive = cpu_check_cluster_arrive,
    .cluster_wait = cpu_check_cluster_wait,
    .malloc = cpu_check_malloc,
    .free = cpu_check_free,
    .check_access = cpu_check_access,
    .check_warp = cpu_check_warp,
    .check_order = cpu_check_order,
    .check_barrier = cpu_check_barrier,
    .check_written = cpu_check_written,
    .check_rows = cpu_check_rows,
    .check_bulk = cpu_check_bulk,
};
