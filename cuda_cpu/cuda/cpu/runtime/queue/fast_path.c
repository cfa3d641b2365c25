/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each thread has a table of its own, so that nothing is locked on the way.
 */
#define _GNU_SOURCE
#include "fast_path_cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "exec/printf.h"
#include "process.h"

#define PLACES 256 /* a power of two */
#define PROBES 8   /* places in a row that a route may lie in */
#define SPIN_NS 100000 /* of a wait here; a longer one looks for signals, which is Python's */

/* CUresult (cuda.h). */
enum { SUCCESS = 0, NOT_READY = 600 };

struct table {
    uint64_t age; /* of the routes in it */
    uint64_t owner;
    struct cpu_route *places[PLACES];
};

static _Atomic uint64_t age = 1;
static _Atomic bool chores;
static _Thread_local struct table *table __attribute__((tls_model("initial-exec")));
static pthread_key_t key;

static void release(struct cpu_route *route)
{
    if (!route)
        return;
    cpu_queue_drop(route->queue);
    for (int i = 0; i < CPU_MOST_AWAITED && route->awaited[i]; i++)
        cpu_queue_drop(route->awaited[i]);
    if (route->grid)
        atomic_fetch_sub(&route->grid->in_flight, 1);
    free(route);
}

static void clear(struct table *of)
{
    for (int i = 0; i < PLACES; i++) {
        release(of->places[i]);
        of->places[i] = NULL;
    }
}

static void end_thread(void *of)
{
    table = NULL;
    if (cpu_process_state() != CPU_FORKED)
        clear(of);
    free(of);
}

static void make_key(void)
{
    pthread_key_create(&key, end_thread);
}

static struct table *table_here(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (table)
        return table;
    pthread_once(&once, make_key);
    struct table *made = calloc(1, sizeof *made);
    if (made && pthread_setspecific(key, made)) {
        free(made);
        made = NULL;
    }
    return table = made;
}

/* Where the route of these lies, or is to: over another only where all places that it may lie in are taken. */
static struct cpu_route **place_of(struct table *of, uint64_t function, uint64_t stream)
{
    unsigned home = (unsigned)(((function ^ stream << 3) * 0x9e3779b97f4a7c15u) >> 56);
    for (unsigned i = 0; i < PROBES; i++) {
        struct cpu_route **place = &of->places[(home + i) % PLACES];
        if (!*place || ((*place)->function == function && (*place)->stream == stream))
            return place;
    }
    return &of->places[home];
}

static const struct cpu_route *find(uint64_t function, uint64_t stream)
{
    if (!table || table->age != atomic_load(&age) || cpu_process_state() != CPU_RUNNING)
        return NULL;
    const struct cpu_route *route = *place_of(table, function, stream);
    bool meant = route && route->function == function && route->stream == stream && route->owner == table->owner;
    return meant ? route : NULL;
}

uint64_t cpu_routes_age(void)
{
    return atomic_load(&age);
}

void cpu_routes_forget(void)
{
    atomic_fetch_add(&age, 1);
}

void cpu_route_chores(bool some)
{
    atomic_store(&chores, some);
}

void cpu_route_owner(uint64_t context)
{
    struct table *here = table_here();
    if (here)
        here->owner = context;
    else
        cpu_routes_forget();
}

void cpu_route_add(const struct cpu_route *wanted, uint64_t made_at)
{
    struct table *here = table_here();
    struct cpu_route *route = here ? malloc(sizeof *route) : NULL;
    if (!route)
        return;
    if (here->age != made_at) {
        clear(here);
        here->age = made_at; /* routes of an age that is over are never found */
    }
    *route = *wanted;
    route->owner = here->owner;
    cpu_queue_hold(route->queue);
    for (int i = 0; i < CPU_MOST_AWAITED && route->awaited[i]; i++)
        cpu_queue_hold(route->awaited[i]);
    if (route->grid)
        atomic_fetch_add(&route->grid->in_flight, 1);
    struct cpu_route **place = place_of(here, route->function, route->stream);
    release(*place);
    *place = route;
}

static bool fits(const struct cpu_route *route, const uint32_t shape[7])
{
    const uint32_t *block = shape + 3;
    for (int i = 0; i < 6; i++)
        if (!shape[i] || shape[i] > (i == 0 ? INT32_MAX : i < 3 ? 65535 : 1024))
            return false;
    if (block[2] > 64 || block[0] * block[1] > 1024 || block[0] * block[1] * block[2] > route->max_threads)
        return false;
    if (route->narrow != (block[0] % CPU_WARP_SIZE != 0 && block[1] * block[2] > 1))
        return false;
    if (route->required_block[0] && memcmp(block, route->required_block, sizeof route->required_block))
        return false;
    return shape[6] <= route->most_shared;
}

static bool awaited_idle(const struct cpu_route *route)
{
    for (int i = 0; i < CPU_MOST_AWAITED && route->awaited[i]; i++)
        if (!cpu_queue_idle(route->awaited[i]))
            return false;
    return true;
}

static int launch(uint64_t function, const uint32_t shape[7], uint64_t stream, void *const *params)
{
    const struct cpu_route *route = find(function, stream);
    if (!route || !fits(route, shape) || !awaited_idle(route))
        return CPU_GO_ROUND;
    struct cpu_grid *grid = route->grid;
    for (uint32_t i = 0; i < grid->parameters; i++)
        if (!params || !params[i])
            return CPU_GO_ROUND;
    struct cpu_command *command = cpu_command_make(route->queue, CPU_LAUNCH);
    if (!command)
        return CPU_GO_ROUND;
    struct cpu_launch *launch = &command->launch;
    *launch = (struct cpu_launch){.grid = grid, .shared_dynamic = shape[6], .grid_id = cpu_grid_number()};
    memcpy(launch->grid_dim, shape, sizeof launch->grid_dim);
    memcpy(launch->block_dim, shape + 3, sizeof launch->block_dim);
    for (int i = 0; i < 3; i++)
        launch->cluster_dim[i] = 1;
    atomic_fetch_add(&grid->in_flight, 1);
    if (!cpu_launch_gather(command, params)) {
        cpu_command_discard(command);
        return CPU_GO_ROUND;
    }
    return cpu_queue_submit(route->queue, command) == CPU_SUBMITTED ? SUCCESS : CPU_GO_ROUND;
}

/* Whether a queue's work, if any, is over by the deadline, and went well. */
static bool is_well(struct cpu_queue *queue, int64_t deadline)
{
    return (cpu_queue_idle(queue) || cpu_queue_wait(queue, deadline)) && !cpu_queue_faulted(queue) &&
           !cpu_queue_interrupted(queue);
}

static int synchronize(uint64_t stream)
{
    const struct cpu_route *route = find(0, stream);
    if (!route)
        return CPU_GO_ROUND;
    int64_t deadline = cpu_queue_idle(route->queue) && awaited_idle(route) ? 0 : cpu_now() + SPIN_NS;
    if (!is_well(route->queue, deadline))
        return CPU_GO_ROUND;
    for (int i = 0; i < CPU_MOST_AWAITED && route->awaited[i]; i++)
        if (!is_well(route->awaited[i], deadline))
            return CPU_GO_ROUND;
    /* Once more: a context may have failed meanwhile. */
    return find(0, stream) == route && !atomic_load(&chores) && !cpu_printf_pending() ? SUCCESS : CPU_GO_ROUND;
}

static int query(uint64_t stream)
{
    const struct cpu_route *route = find(0, stream);
    if (!route)
        return CPU_GO_ROUND;
    if (!cpu_queue_idle(route->queue) || !awaited_idle(route))
        return NOT_READY;
    return synchronize(stream);
}

const struct cpu_direct cpu_direct = {launch, synchronize, query, cpu_attribute_get, cpu_queues_ended_idle};
