/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Device-side updates of graph kernel nodes (cuda_device_runtime_api.h, cudaGraphKernelNodeUpdatesApply and the like).
 */
#include "node.h"

#include <stdlib.h>
#include <string.h>

#define NODE ((uint64_t)0x65646f6e20757063) /* magic number that marks a valid handle */

enum { SUCCESS = 0, INVALID_VALUE = 1 }; /* cudaError_t */
enum { FIELD_GRID = 1, FIELD_PARAM, FIELD_ENABLED }; /* cudaGraphKernelNodeField */

struct cpu_node {
    uint64_t kind;
    struct cpu_launch *_Atomic launch; /* NULL: in no executable graph */
    uint64_t token;
};

/* cudaGraphKernelNodeUpdate. */
struct update {
    uint64_t node;
    uint32_t field;
    union {
        uint32_t grid[3];
        struct {
            uint64_t value, offset, size;
        } param;
        uint32_t enabled;
    };
};

struct cpu_node *cpu_node_make(void)
{
    struct cpu_node *node = calloc(1, sizeof *node);
    if (node)
        node->kind = NODE;
    return node;
}

void cpu_node_attach(struct cpu_node *node, struct cpu_command *command, uint64_t token)
{
    struct cpu_launch *launch = &command->launch, *before = atomic_load(&node->launch);
    if (before && node->token == token) {
        memcpy(launch->grid_dim, before->grid_dim, sizeof launch->grid_dim);
        memcpy(launch->params, before->params, launch->compiled->parameter_bytes);
        launch->disabled = before->disabled;
    }
    launch->node = node;
    node->token = token;
    atomic_store(&node->launch, launch);
}

void cpu_node_detach(struct cpu_launch *launch)
{
    struct cpu_launch *expected = launch;
    if (launch->node)
        atomic_compare_exchange_strong(&launch->node->launch, &expected, NULL);
}

static struct cpu_launch *launch_of(uint64_t handle)
{
    struct cpu_node *node = (struct cpu_node *)(uintptr_t)handle;
    return node && handle % _Alignof(struct cpu_node) == 0 && node->kind == NODE ? atomic_load(&node->launch) : NULL;
}

static uint32_t set_param(uint64_t node, uint64_t offset, uint64_t value, uint64_t size)
{
    struct cpu_launch *launch = launch_of(node);
    uint64_t room = launch ? launch->compiled->parameter_bytes : 0;
    if (!launch || size > room || offset > room - size || (size && !value))
        return INVALID_VALUE;
    memcpy(launch->params + offset, (const void *)(uintptr_t)value, size);
    return SUCCESS;
}

static uint32_t set_grid(uint64_t node, uint64_t x, uint64_t y, uint64_t z)
{
    struct cpu_launch *launch = launch_of(node);
    if (!launch || !x || !y || !z || x > CPU_MAX_GRID_X || y > CPU_MAX_GRID_YZ || z > CPU_MAX_GRID_YZ)
        return INVALID_VALUE;
    const uint32_t grid[3] = {(uint32_t)x, (uint32_t)y, (uint32_t)z};
    for (int i = 0; i < 3; i++)
        if (grid[i] % launch->cluster_dim[i])
            return INVALID_VALUE;
    memcpy(launch->grid_dim, grid, sizeof grid);
    return SUCCESS;
}

static uint32_t set_enabled(uint64_t node, bool enabled)
{
    struct cpu_launch *launch = launch_of(node);
    if (!launch)
        return INVALID_VALUE;
    launch->disabled = !enabled;
    return SUCCESS;
}

static uint32_t set_several(const struct update *updates, uint64_t count)
{
    uint32_t status = updates || !count ? SUCCESS : INVALID_VALUE;
    for (uint64_t i = 0; i < count && status == SUCCESS; i++) {
        const struct update *each = &updates[i];
        if (each->field == FIELD_GRID)
            status = set_grid(each->node, each->grid[0], each->grid[1], each->grid[2]);
        else if (each->field == FIELD_PARAM)
            status = set_param(each->node, each->param.offset, each->param.value, each->param.size);
        else if (each->field == FIELD_ENABLED)
            status = set_enabled(each->node, each->enabled);
        else
            status = INVALID_VALUE;
    }
    return status;
}

void cpu_graph_update(struct cpu_warp *warp, cpu_lanes lanes, uint32_t operation, uint64_t *operands)
{
    (void)warp;
    for (; lanes; lanes &= lanes - 1) {
        uint64_t *row = operands + __builtin_ctz(lanes);
        uint64_t a = row[0], b = row[CPU_WARP_SIZE], c = row[2 * CPU_WARP_SIZE], d = row[3 * CPU_WARP_SIZE];
        switch (operation) {
        case CPU_NODE_PARAM: /* node, offset, value, size */
            row[0] = set_param(a, b, c, d);
            break;
        case CPU_NODE_ENABLED: /* node, enabled: a bool */
            row[0] = set_enabled(a, b & 0xff);
            break;
        case CPU_NODE_GRID: /* node, x, y, z */
            row[0] = set_grid(a, b, c, d);
            break;
        default: /* updates, count */
            row[0] = set_several((const struct update *)(uintptr_t)a, b);
        }
    }
}
