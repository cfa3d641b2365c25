/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Device printf and assert.
 */
#ifndef CUDA_CPU_PRINTF_H
#define CUDA_CPU_PRINTF_H

#include <stddef.h>
#include <stdint.h>

#include "kernel_abi.h"

void cpu_vprintf(struct cpu_warp *warp, cpu_lanes lanes, const uint64_t *format, const uint64_t *arguments,
                 int32_t *result);
void cpu_assert_fail(struct cpu_warp *warp, cpu_lanes lanes, const uint64_t *message, const uint64_t *file,
                     const uint32_t *line, const uint64_t *function);
void cpu_printf_set_size(size_t size);
uint64_t cpu_printf_count(void);
size_t cpu_printf_pending(void);
void cpu_printf_flush(void);

#endif
