/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Routes: see direct.h.
 */
#ifndef CUDA_CPU_ROUTE_H
#define CUDA_CPU_ROUTE_H

#include "fast_path.h"
#include "queue.h"

#define CPU_MOST_AWAITED 8

/* A launch (`function` 0: a wait) in a stream, while `owner` is the thread's context. */
struct cpu_route {
    uint64_t function, stream, owner;
    struct cpu_queue *queue;
    struct cpu_queue *awaited[CPU_MOST_AWAITED]; /* with work in one of them a call goes round; NULL ends them */
    struct cpu_grid *grid;
    bool narrow; /* the grid is for blocks in which a warp's threads lie in more than one row */
    uint32_t max_threads, most_shared;
    uint32_t required_block[3]; /* 0: any */
};

extern const struct cpu_direct cpu_direct;

/* attribute.c: what cuDeviceGetAttribute answers without Python. */
void cpu_attribute_set(uint32_t device, uint32_t attribute, int32_t value);
int cpu_attribute_get(int32_t *value, uint64_t attribute, int64_t device);

uint64_t cpu_routes_age(void);
void cpu_routes_forget(void); /* all routes, of all threads */
/* Make a route of this thread, if all is still as it was at `age`. It takes references to the queues and the grid. */
void cpu_route_add(const struct cpu_route *route, uint64_t age);
void cpu_route_owner(uint64_t context); /* current in this thread from now on */
void cpu_route_chores(bool some);       /* whether waits have something to do besides */

#endif
