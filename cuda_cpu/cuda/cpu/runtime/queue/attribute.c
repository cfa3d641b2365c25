/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * The attributes of the devices, for callers that cannot have Python's lock: Taichi's compiling threads ask for them
 * while the main thread holds it and waits for them.
 */
#include <stdatomic.h>
#include <stdbool.h>

#include "process.h"
#include "fast_path_cache.h"

#define MOST_DEVICES 64
#define MOST_ATTRIBUTES 256

static struct {
    _Atomic bool known;
    int32_t value;
} table[MOST_DEVICES][MOST_ATTRIBUTES];

void cpu_attribute_set(uint32_t device, uint32_t attribute, int32_t value)
{
    if (device >= MOST_DEVICES || attribute >= MOST_ATTRIBUTES)
        return;
    table[device][attribute].value = value;
    atomic_store(&table[device][attribute].known, true);
}

int cpu_attribute_get(int32_t *value, uint64_t attribute, int64_t device)
{
    if (!value || attribute >= MOST_ATTRIBUTES || device < 0 || device >= MOST_DEVICES)
        return CPU_GO_ROUND;
    if (cpu_process_state() != CPU_RUNNING || !atomic_load(&table[device][attribute].known))
        return CPU_GO_ROUND;
    *value = table[device][attribute].value;
    return 0;
}
