/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Prompt waits for a queue.
 */
#define _GNU_SOURCE
#include "prompt.h"

#define PROMPT_NS 5000 /* from a launch to the next call */
#define PROMPT_WAITS 4 /* until the next one is expected to be prompt */

/* Of the queue to which this thread has submitted last, which may be freed by now. */
static _Thread_local const struct cpu_prompt *latest __attribute__((tls_model("initial-exec")));

void cpu_prompt_next(struct cpu_prompt *prompt, bool waits)
{
    int64_t returned = atomic_load_explicit(&prompt->returned, memory_order_relaxed);
    if (!returned)
        return;
    uint32_t before = atomic_load_explicit(&prompt->waits, memory_order_relaxed);
    uint32_t after = before + (waits && before < PROMPT_WAITS);
    bool is_prompt = latest == prompt && cpu_now() - returned < PROMPT_NS;
    atomic_store_explicit(&prompt->waits, is_prompt ? after : 0, memory_order_relaxed);
    atomic_store_explicit(&prompt->returned, 0, memory_order_relaxed);
}

void cpu_prompt_submitted(struct cpu_prompt *prompt, bool launch, bool is_long)
{
    latest = prompt;
    if (!launch)
        return;
    atomic_store_explicit(&prompt->is_long, is_long, memory_order_relaxed);
    atomic_store_explicit(&prompt->returned, cpu_now(), memory_order_relaxed);
}

bool cpu_prompt_is_expected(const struct cpu_prompt *prompt)
{
    return atomic_load_explicit(&prompt->waits, memory_order_relaxed) == PROMPT_WAITS;
}
