/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Parts of a graph that may run at the same time.
 */
#ifndef CUDA_CPU_BRANCHES_H
#define CUDA_CPU_BRANCHES_H

#include "queue.h"

/* For command.c and graph.c. */
bool cpu_branches_run(const struct cpu_branches *branches, struct cpu_place place);
void cpu_branches_drop(struct cpu_branches *branches);
bool cpu_place_over(struct cpu_place place); /* cancelled, or another branch has failed */

void cpu_branches_stop(void); /* at exit */

#endif
