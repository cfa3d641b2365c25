/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Prompt waits: whether the thread that launches waits for the queue at once, so that it may execute the launch itself.
 *
 * A thread that has done so after each of its last launches is expected to do so again. Its next launch then executes
 * inline, and no other thread wakes up. All this is a guess, so that threads may lose each other's updates.
 */
#ifndef CUDA_CPU_PROMPT_H
#define CUDA_CPU_PROMPT_H

#include "wait.h"

/* Of a queue. "Launch" is one that is not short. */
struct cpu_prompt {
    _Atomic int64_t returned; /* when the last launch returned to its thread; 0: the thread has called again since */
    _Atomic uint32_t waits;   /* that were prompt, one after the other */
    _Atomic bool is_long;     /* the last launch is expected to take too long to spin for its end */
};

/* A thread submits another command, or waits. */
void cpu_prompt_next(struct cpu_prompt *prompt, bool waits);
/* A thread has submitted a command. */
void cpu_prompt_submitted(struct cpu_prompt *prompt, bool launch, bool is_long);
bool cpu_prompt_is_expected(const struct cpu_prompt *prompt);

#endif
