/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Prompt waits of each thread.
 */
#define _GNU_SOURCE
#include "prompt.h"

#include "wait.h"

#define PROMPT_NS 10000 /* from a launch to the next call */
#define PROMPT_WAITS 4  /* until the next one is expected to be prompt */

static _Thread_local struct {
    const struct cpu_queue *queue; /* to which it has submitted last; may be freed by now */
    int64_t returned;              /* when its last submission returned; 0: it has not launched since its last wait */
    uint32_t waits;                /* that were prompt, one after the other */
} last __attribute__((tls_model("initial-exec")));

/* Return whether the thread has done nothing else since its last launch, and forget its waits otherwise. */
static bool check_prompt(const struct cpu_queue *queue)
{
    if (last.queue == queue && cpu_now() - last.returned < PROMPT_NS)
        return true;
    last.waits = 0;
    last.returned = 0;
    return false;
}

void cpu_prompt_submits(const struct cpu_queue *queue)
{
    if (last.returned)
        check_prompt(queue);
}

void cpu_prompt_submitted(const struct cpu_queue *queue, bool launch)
{
    last.queue = queue;
    if (launch || last.returned)
        last.returned = cpu_now();
}

void cpu_prompt_waits(const struct cpu_queue *queue, bool idle)
{
    bool of_another = idle && last.queue != queue; /* does not take time: it is one of all queues of a context */
    if (!last.returned || of_another || !check_prompt(queue))
        return;
    last.waits += last.waits < PROMPT_WAITS;
    last.returned = 0;
}

bool cpu_prompt_is_expected(void)
{
    return last.waits == PROMPT_WAITS;
}
