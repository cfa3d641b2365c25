/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Copies the state of a warp into memory of its own: the handler of a signal may not allocate by malloc.
 */
#define _GNU_SOURCE
#include "snapshot.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>
#include <unwind.h>

#define CPU_ARCH_SNAPSHOTS
#include "arch/arch.h"

#define RED_ZONE 128 /* bytes below the stack pointer that a function may use */
#define MOST_LOCAL ((uint64_t)64 << 20)

#define RANGES 6

struct range {
    uint64_t address, size;
    const uint8_t *data;
};

enum state { EMPTY, TAKING, TAKEN };

static atomic_bool enabled;
static _Atomic enum state state;
static struct {
    uint64_t registers[CPU_REGISTERS]; /* in the order of core dumps (elf_gregset_t) */
    uint32_t ranges;
    struct range range[RANGES];
} snapshot;
static uint8_t *memory;
static uint64_t memory_size;

/* The unwinder is found when it is needed: it would be the only function of libgcc_s that the runtime uses. */
static __typeof__(&_Unwind_Backtrace) backtrace;
static __typeof__(&_Unwind_GetIP) get_ip;
static __typeof__(&_Unwind_GetGR) get_register;
static __typeof__(&_Unwind_GetCFA) get_frame_address;

static void find_unwinder(void)
{
    void *library = dlopen("libgcc_s.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return;
    get_ip = (__typeof__(get_ip))dlsym(library, "_Unwind_GetIP");
    get_register = (__typeof__(get_register))dlsym(library, "_Unwind_GetGR");
    get_frame_address = (__typeof__(get_frame_address))dlsym(library, "_Unwind_GetCFA");
    backtrace = (__typeof__(backtrace))dlsym(library, "_Unwind_Backtrace");
}

void cpu_snapshots_enable(bool on)
{
    if (on && !backtrace)
        find_unwinder();
    atomic_store(&enabled, on);
}

/* The unwinder knows the frames of the runtime; the last one that it reaches is that of the machine code. */
static _Unwind_Reason_Code note_frame(struct _Unwind_Context *context, void *registers)
{
    set_frame(registers, get_ip(context), get_register(context, FRAME_POINTER), get_frame_address(context));
    return _URC_NO_REASON;
}

static void add_range(uint64_t address, uint64_t size)
{
    if (size && snapshot.ranges < RANGES)
        snapshot.range[snapshot.ranges++] = (struct range){.address = address, .size = size};
}

static void find_ranges(const struct cpu_running *warp)
{
    const struct cpu_warp *abi = &warp->abi;
    const struct cpu_stack *stack = warp->block->worker->stack;
    uint64_t local = abi->local_stride * CPU_WARP_SIZE, sp = stack_pointer_of(snapshot.registers) - RED_ZONE;
    if (stack && sp - (uint64_t)(uintptr_t)stack->base < stack->size)
        add_range(sp, (uint64_t)(uintptr_t)stack->base + stack->size - sp);
    add_range((uint64_t)(uintptr_t)abi, sizeof *abi);
    add_range((uint64_t)(uintptr_t)abi->params, warp->block->worker->job->compiled->parameter_bytes);
    add_range((uint64_t)(uintptr_t)abi->shared, abi->shared_size);
    add_range((uint64_t)(uintptr_t)abi->local, local < MOST_LOCAL ? local : MOST_LOCAL);
}

/* Copy all ranges; what cannot be read stays zero. */
static bool copy_ranges(void)
{
    memory_size = 0;
    for (uint32_t i = 0; i < snapshot.ranges; i++)
        memory_size += snapshot.range[i].size;
    memory = mmap(NULL, memory_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    uint8_t *at = memory;
    for (uint32_t i = 0; i < snapshot.ranges; i++) {
        struct range *range = &snapshot.range[i];
        struct iovec here = {at, range->size}, there = {(void *)(uintptr_t)range->address, range->size};
        if (process_vm_readv(getpid(), &here, 1, &there, 1, 0) < 0)
            memset(at, 0, range->size);
        range->data = at;
        at += range->size;
    }
    return true;
}

void cpu_snapshot_take(struct cpu_running *warp, const ucontext_t *context)
{
    enum state empty = EMPTY;
    if (!atomic_load_explicit(&enabled, memory_order_relaxed) || !warp ||
        !atomic_compare_exchange_strong(&state, &empty, TAKING))
        return;
    memset(&snapshot, 0, sizeof snapshot);
    if (context)
        copy_registers(snapshot.registers, context);
    else if (backtrace)
        backtrace(note_frame, snapshot.registers);
    find_ranges(warp);
    atomic_store(&state, copy_ranges() ? TAKEN : EMPTY);
}

bool cpu_snapshot_part(uint32_t number, uint64_t *address, uint64_t *size, const uint8_t **data)
{
    if (atomic_load(&state) != TAKEN || number > snapshot.ranges)
        return false;
    const struct range registers = {.size = sizeof snapshot.registers, .data = (const uint8_t *)snapshot.registers};
    const struct range *range = number ? &snapshot.range[number - 1] : &registers;
    *address = range->address, *size = range->size, *data = range->data;
    return true;
}

void cpu_snapshot_drop(void)
{
    if (atomic_load(&state) != TAKEN)
        return;
    munmap(memory, memory_size);
    atomic_store(&state, EMPTY);
}
