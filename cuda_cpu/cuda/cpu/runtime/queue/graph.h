/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the native side knows of graphs: sequences of commands that run as one, choices between sequences that
 * kernels make, and launches of graphs by kernels.
 */
#ifndef CUDA_CPU_GRAPH_H
#define CUDA_CPU_GRAPH_H

#include "queue.h"

/* Commands that can run again and again. */
struct cpu_sequence;

struct cpu_sequence *cpu_sequence_make(void);
void cpu_sequence_retain(struct cpu_sequence *sequence);
void cpu_sequence_release(struct cpu_sequence *sequence);
struct cpu_command *cpu_sequence_last(struct cpu_sequence *sequence);
bool cpu_sequence_append(struct cpu_sequence *sequence, struct cpu_command *command); /* false: it cannot run again */

/* The value behind a conditional handle, whose address the handle is. */
struct cpu_condition_cell {
    _Atomic uint32_t value;
};

/* One launch of a graph, which kernels add launches to. A graph without a handle was not made for launches by kernels. */
struct cpu_graph_run;

struct cpu_graph_run *cpu_graph_run_make(uint64_t handle);
void cpu_graph_run_retain(struct cpu_graph_run *run);
void cpu_graph_run_release(struct cpu_graph_run *run);
uint64_t cpu_graph_run_handle(const struct cpu_graph_run *run);

/* Graphs that kernels can launch, by handle. */
bool cpu_graph_publish(uint64_t handle, struct cpu_sequence *sequence); /* false: no memory */
void cpu_graph_withdraw(uint64_t handle);

/* For command.c and branches.c. */
bool cpu_sequence_run(struct cpu_sequence *sequence, struct cpu_place place);
bool cpu_choice_run(const struct cpu_choice *choice, struct cpu_place place);
bool cpu_part_run(const struct cpu_graph_part *part, struct cpu_place place);
void cpu_choice_drop(struct cpu_choice *choice);

/* Services, see kernel_abi.h. */
void cpu_graph_set_conditional(struct cpu_warp *warp, cpu_lanes lanes, const uint64_t *handle, const uint32_t *value);
void cpu_graph_launch(struct cpu_warp *warp, cpu_lanes lanes, const uint64_t *handle, const uint64_t *stream,
                      uint32_t *result);

#endif
