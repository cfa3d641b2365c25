/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Announces loaded objects with debug information to gdb and lldb (GDB manual, "JIT Compilation Interface"): the
 * debugger has a breakpoint in __jit_debug_register_code, and reads the list of objects there.
 */
#include "elf_debug.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum action { ACTION_NONE, ACTION_REGISTER, ACTION_UNREGISTER };

struct jit_code_entry {
    struct jit_code_entry *next_entry, *prev_entry;
    const char *symfile_addr;
    uint64_t symfile_size;
};

struct jit_descriptor {
    uint32_t version, action_flag;
    struct jit_code_entry *relevant_entry, *first_entry;
};

#define VISIBLE __attribute__((visibility("default")))

VISIBLE void __jit_debug_register_code(void);
VISIBLE extern struct jit_descriptor __jit_debug_descriptor;

struct jit_descriptor __jit_debug_descriptor = {.version = 1};

void __attribute__((noinline)) __jit_debug_register_code(void)
{
    __asm__ volatile("" ::: "memory");
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void announce(enum action action, struct jit_code_entry *entry)
{
    __jit_debug_descriptor.action_flag = action;
    __jit_debug_descriptor.relevant_entry = entry;
    __jit_debug_register_code();
    __jit_debug_descriptor.action_flag = ACTION_NONE;
    __jit_debug_descriptor.relevant_entry = NULL;
}

struct jit_code_entry *cpu_elf_announce(const struct object *object)
{
    struct jit_code_entry *entry = calloc(1, sizeof *entry);
    char *copy = malloc(object->size);
    if (!entry || !copy) {
        free(entry);
        free(copy);
        return NULL;
    }
    memcpy(copy, object->data, object->size);
    for (uint32_t i = 0; i < object->count; i++) {
        Elf64_Shdr *header = (Elf64_Shdr *)(void *)(copy + object->header.e_shoff + i * sizeof *header);
        uint64_t address = (uint64_t)(uintptr_t)object->memory + object->sections[i].offset;
        if (object->sections[i].placed) /* the debugger relocates the debug sections itself, by these addresses */
            memcpy(&header->sh_addr, &address, sizeof address);
    }
    entry->symfile_addr = copy;
    entry->symfile_size = object->size;
    pthread_mutex_lock(&lock);
    entry->next_entry = __jit_debug_descriptor.first_entry;
    if (entry->next_entry)
        entry->next_entry->prev_entry = entry;
    __jit_debug_descriptor.first_entry = entry;
    announce(ACTION_REGISTER, entry);
    pthread_mutex_unlock(&lock);
    return entry;
}

uint64_t cpu_elf_announced(uint64_t number, uint8_t *copy, uint64_t room)
{
    pthread_mutex_lock(&lock);
    const struct jit_code_entry *entry = __jit_debug_descriptor.first_entry;
    while (entry && number--)
        entry = entry->next_entry;
    uint64_t size = entry ? entry->symfile_size : 0;
    if (size && size <= room)
        memcpy(copy, entry->symfile_addr, size);
    pthread_mutex_unlock(&lock);
    return size;
}

void cpu_elf_withdraw(struct jit_code_entry *entry)
{
    if (!entry)
        return;
    pthread_mutex_lock(&lock);
    if (entry->prev_entry)
        entry->prev_entry->next_entry = entry->next_entry;
    else
        __jit_debug_descriptor.first_entry = entry->next_entry;
    if (entry->next_entry)
        entry->next_entry->prev_entry = entry->prev_entry;
    announce(ACTION_UNREGISTER, entry);
    pthread_mutex_unlock(&lock);
    free((char *)entry->symfile_addr);
    free(entry);
}
