/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Graph execution: sequences of commands, conditional nodes, and graph launches from the device.
 */
#ifndef CUDA_CPU_GRAPH_H
#define CUDA_CPU_GRAPH_H

#include "queue.h"

/* A reusable list of commands. */
struct cpu_sequence;

struct cpu_sequence *cpu_sequence_make(void);
void cpu_sequence_retain(struct cpu_sequence *sequence);
void cpu_sequence_release(struct cpu_sequence *sequence);
struct cpu_command *cpu_sequence_last(struct cpu_sequence *sequence);
bool cpu_sequence_append(struct cpu_sequence *sequence, struct cpu_command *command); /* false: not repeatable */

/* The value of a conditional handle; its address is the handle. */
struct cpu_condition_cell {
    _Atomic uint32_t value;
};

/* One launch of a graph, with the graph launches that its kernels made. The handle is 0 for graphs that were not
 * instantiated for device launch. */
struct cpu_graph_run;

struct cpu_graph_run *cpu_graph_run_make(uint64_t handle);
void cpu_graph_run_retain(struct cpu_graph_run *run);
void cpu_graph_run_release(struct cpu_graph_run *run);
uint64_t cpu_graph_run_handle(const struct cpu_graph_run *run);

/* Graphs that kernels can launch, by handle. */
bool cpu_graph_publish(uint64_t handle, struct cpu_sequence *sequence); /* false: out of memory */
void cpu_graph_withdraw(uint64_t handle);

/* For command.c and branches.c. */
bool cpu_sequence_run(struct cpu_sequence *sequence, struct cpu_exec exec);
bool cpu_choice_run(const struct cpu_choice *choice, struct cpu_exec exec);
bool cpu_part_run(const struct cpu_graph_part *part, struct cpu_exec exec);
void cpu_choice_release(struct cpu_choice *choice);

/* Services, see kernel_abi.h. */
void cpu_graph_set_conditional(struct cpu_warp *warp, cpu_lanes lanes, const uint64_t *handle, const uint32_t *value);
void cpu_graph_launch(struct cpu_warp *warp, cpu_lanes lanes, const uint64_t *handle, const uint64_t *stream,
                      uint32_t *result);

#endif
