/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Count how often the threads of this process execute each instruction, by single steps: with the trap flag set, each
 * instruction ends with SIGTRAP. The handler runs without the flag, and what it returns to has the flag or not.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define SLOT_BITS 18
#define SLOTS (1u << SLOT_BITS)
#define TRAP_FLAG 0x100

struct {
    _Atomic uint64_t address, count;
} table[SLOTS]; /* a hash table */
static _Atomic uint64_t left; /* steps until the limit */
static atomic_bool steps;

static void count(uint64_t address)
{
    uint64_t slot = address * 0x9E3779B97F4A7C15u >> (64 - SLOT_BITS);
    for (uint64_t tries = 0; tries < SLOTS; tries++, slot = (slot + 1) % SLOTS) {
        uint64_t found = 0;
        if (atomic_compare_exchange_strong(&table[slot].address, &found, address) || found == address) {
            atomic_fetch_add(&table[slot].count, 1);
            return;
        }
    }
    abort(); /* the table is full */
}

/* Count the instruction that comes next. */
static void trapped(int number, siginfo_t *information, void *interrupted)
{
    greg_t *registers = ((ucontext_t *)interrupted)->uc_mcontext.gregs;
    (void)number, (void)information;
    registers[REG_EFL] &= ~TRAP_FLAG;
    if (!steps)
        return;
    if (atomic_fetch_sub(&left, 1) == 1)
        steps = false;
    else
        registers[REG_EFL] |= TRAP_FLAG;
    count((uint64_t)registers[REG_RIP]);
}

/* Step all threads, until `end_steps`, or one by one until the limit. */
void begin_steps(uint64_t limit)
{
    struct sigaction action = {.sa_sigaction = trapped, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
    DIR *folder = opendir("/proc/self/task");
    if (!folder)
        abort();
    memset(table, 0, sizeof table);
    sigaction(SIGTRAP, &action, NULL);
    left = limit;
    steps = true;
    for (struct dirent *entry; (entry = readdir(folder));) {
        pid_t thread = atoi(entry->d_name);
        if (thread && thread != gettid())
            syscall(SYS_tgkill, getpid(), thread, SIGTRAP);
    }
    closedir(folder);
    raise(SIGTRAP);
}

/* A thread that waits in the kernel gets rid of its flag when it goes on: the handler stays. */
void end_steps(void)
{
    steps = false;
}
