/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Kernel nodes of a graph that kernels update. A node is never given back: its address is the handle that kernels have.
 */
#ifndef CUDA_CPU_NODE_H
#define CUDA_CPU_NODE_H

#include "queue.h"

struct cpu_node;

enum cpu_node_update { CPU_NODE_PARAM, CPU_NODE_ENABLED, CPU_NODE_GRID, CPU_NODE_SEVERAL };

struct cpu_node *cpu_node_make(void);
/* Let a command be what the node launches. What kernels changed of the last one stays, if both have the same token. */
void cpu_node_attach(struct cpu_node *node, struct cpu_command *command, uint64_t token);
void cpu_node_detach(struct cpu_launch *launch); /* one that goes */

/* Service, see kernel_abi.h. */
void cpu_graph_update(struct cpu_warp *warp, cpu_lanes lanes, uint32_t what, uint64_t *operands);

#endif
