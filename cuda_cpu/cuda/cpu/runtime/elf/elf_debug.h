/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Objects that debuggers know.
 */
#ifndef CUDA_CPU_ELF_DEBUG_H
#define CUDA_CPU_ELF_DEBUG_H

#include "elf_parts.h"

struct jit_code_entry;

struct jit_code_entry *cpu_elf_announce(const struct object *object); /* NULL: out of memory */
void cpu_elf_withdraw(struct jit_code_entry *entry);                  /* NULL: nothing */
/* Copies an announced object, with the addresses of its sections, if there is room. Returns its size; 0: none has this
 * number. */
uint64_t cpu_elf_announced(uint64_t number, uint8_t *copy, uint64_t room);

#endif
