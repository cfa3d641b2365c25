/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CUDA_CPU_ABI_OFFSETS_H
#define CUDA_CPU_ABI_OFFSETS_H

#include <stdint.h>

struct cpu_offset {
    const char *member; /* "warp.NAME" or "runtime.NAME"; NULL ends the table */
    uint32_t offset;
};

extern const struct cpu_offset cpu_offsets[];

#endif
