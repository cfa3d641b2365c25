/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Execution of concurrent branches of a graph.
 */
#ifndef CUDA_CPU_BRANCHES_H
#define CUDA_CPU_BRANCHES_H

#include "queue.h"

/* For command.c and graph.c. */
bool cpu_branches_run(const struct cpu_branches *branches, struct cpu_exec exec);
void cpu_branches_release(struct cpu_branches *branches);
bool cpu_exec_stopped(struct cpu_exec exec); /* cancelled, or another branch has failed */

void cpu_branches_stop(void); /* at exit */

#endif
