/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * The ELF object being loaded, shared by elf_image.c and elf_relocate.c.
 */
#ifndef CUDA_CPU_ELF_PARTS_H
#define CUDA_CPU_ELF_PARTS_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"

#define CPU_ELF_STUB 16 /* bytes: a jump to any address, and at offset 8 that address (also the symbol's GOT entry) */

enum group { GROUP_NONE, GROUP_CODE, GROUP_CONSTANT, GROUP_DATA };

struct section {
    Elf64_Shdr header;
    bool placed;
    uint64_t offset; /* offset in memory */
};

struct object {
    const uint8_t *data;
    size_t size;
    char *error;
    size_t error_size;
    Elf64_Ehdr header;
    struct section *sections;
    uint32_t count, symbol_section;
    const uint8_t *symbol_data;
    uint64_t symbol_count;
    const char *strings;
    uint64_t strings_size;
    uint64_t group_start[GROUP_DATA + 2];
    uint8_t *memory;
    uint64_t memory_size;
};

bool cpu_elf_fail(struct object *object, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool cpu_elf_symbol(struct object *object, uint64_t index, Elf64_Sym *symbol, const char **name);
bool cpu_elf_resolve(struct object *object, uint64_t index, uint32_t relocation, uint64_t *address);
bool cpu_elf_relocate(struct object *object, const struct section *target, const Elf64_Rela *relocation);

#endif
