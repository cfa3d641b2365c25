/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Graph kernel nodes that can be updated from the device. A node is never freed: its address is the device handle.
 */
#ifndef CUDA_CPU_NODE_H
#define CUDA_CPU_NODE_H

#include "queue.h"

struct cpu_node;

enum cpu_node_update { CPU_NODE_PARAM, CPU_NODE_ENABLED, CPU_NODE_GRID, CPU_NODE_SEVERAL };

struct cpu_node *cpu_node_make(void);
/* Make `command` the node's launch. Device-side updates of the previous launch are carried over if the token is equal. */
void cpu_node_attach(struct cpu_node *node, struct cpu_command *command, uint64_t token);
void cpu_node_detach(struct cpu_launch *launch); /* before the launch is freed */

/* Service, see kernel_abi.h. */
void cpu_graph_update(struct cpu_warp *warp, cpu_lanes lanes, uint32_t operation, uint64_t *operands);

#endif
