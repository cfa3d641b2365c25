/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Table of the constants and struct offsets that Python and machine code share with the runtime.
 */
#ifndef CUDA_CPU_ABI_TABLE_H
#define CUDA_CPU_ABI_TABLE_H

#include <stdint.h>

struct cpu_abi_entry {
    const char *name; /* of a constant, or "struct.member"; NULL ends the table */
    uint64_t value;   /* of a member: its offset */
    char type;        /* type code of a member that Python accesses, else 0 */
    uint32_t count;   /* number of elements of such a member */
};

extern const struct cpu_abi_entry cpu_abi_table[];

#endif
