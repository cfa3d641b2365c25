/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Device attributes for cuDeviceGetAttribute without the GIL: Taichi's compiler threads query them while the main thread
 * holds the GIL and waits for these threads.
 */
#include <stdatomic.h>
#include <stdbool.h>

#include "process.h"
#include "fast_path_cache.h"

#define MAX_DEVICES 64
#define MAX_ATTRIBUTES 256

static struct {
    _Atomic bool known;
    int32_t value;
} table[MAX_DEVICES][MAX_ATTRIBUTES];

void cpu_attribute_set(uint32_t device, uint32_t attribute, int32_t value)
{
    if (device >= MAX_DEVICES || attribute >= MAX_ATTRIBUTES)
        return;
    table[device][attribute].value = value;
    atomic_store(&table[device][attribute].known, true);
}

int cpu_attribute_get(int32_t *value, uint64_t attribute, int64_t device)
{
    if (!value || attribute >= MAX_ATTRIBUTES || device < 0 || device >= MAX_DEVICES)
        return CPU_FALLBACK;
    if (cpu_process_state() != CPU_RUNNING || !atomic_load(&table[device][attribute].known))
        return CPU_FALLBACK;
    *value = table[device][attribute].value;
    return 0;
}
