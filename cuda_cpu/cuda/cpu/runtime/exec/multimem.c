/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * multimem instructions (PTX manual 9.7.9.15), which access the memory of several devices at once. Each granule of a
 * mapped multicast object starts with a table of the memory that is bound to it, written by driver/memory/multicast.py.
 */
#include <string.h>

#include "texture/tensor.h"
#include "texture/texture.h"
#include "worker.h"

static const struct cpu_multimem *table_of(struct cpu_warp *warp, uint32_t line, uint64_t address)
{
    const struct cpu_multimem *table = (const void *)(uintptr_t)(address & ~(uint64_t)(CPU_MULTIMEM_GRANULE - 1));
    if (table->kind != CPU_MULTIMEM || !table->count)
        cpu_fault_now((struct cpu_running *)warp, CPU_FAULT_ILLEGAL_ADDRESS, line, address,
                      "this is no address of a multicast object to which memory is bound");
    return table;
}

static uint8_t *copy_address(const struct cpu_multimem *table, uint32_t copy, uint64_t address)
{
    return (uint8_t *)(uintptr_t)(table->bases[copy] + (address & (CPU_MULTIMEM_GRANULE - 1)));
}

static uint64_t read_number(const uint8_t *pointer, uint32_t bytes)
{
    switch (bytes) { /* in one access, since other threads may write it */
    case 1: return __atomic_load_n(pointer, __ATOMIC_RELAXED);
    case 2: return __atomic_load_n((const uint16_t *)(const void *)pointer, __ATOMIC_RELAXED);
    case 4: return __atomic_load_n((const uint32_t *)(const void *)pointer, __ATOMIC_RELAXED);
    }
    return __atomic_load_n((const uint64_t *)(const void *)pointer, __ATOMIC_RELAXED);
}

static void write_number(uint8_t *pointer, uint64_t value, uint32_t bytes)
{
    switch (bytes) {
    case 1: __atomic_store_n(pointer, (uint8_t)value, __ATOMIC_RELAXED); return;
    case 2: __atomic_store_n((uint16_t *)(void *)pointer, (uint16_t)value, __ATOMIC_RELAXED); return;
    case 4: __atomic_store_n((uint32_t *)(void *)pointer, (uint32_t)value, __ATOMIC_RELAXED); return;
    }
    __atomic_store_n((uint64_t *)(void *)pointer, value, __ATOMIC_RELAXED);
}

/* Reduce all copies of a number, in order of devices; `wide`: accumulate f16 and bf16 in f32 (.acc::f32). */
static uint64_t combined(const struct cpu_multimem *table, uint64_t address, uint32_t flags)
{
    uint32_t type = CPU_BULK_TYPE(flags), op = CPU_BULK_OP(flags), bytes = cpu_type_sizes[type];
    uint32_t wide = CPU_BULK_WIDE(flags), sum = wide ? CPU_TYPE_F32 : type;
    uint64_t result = 0;
    for (uint32_t copy = 0; copy < table->count; copy++) {
        uint64_t next = read_number(copy_address(table, copy, address), bytes);
        if (wide)
            next = cpu_float_bits(next, type);
        if (copy)
            cpu_combine(&result, &next, sum, op);
        else
            result = next;
    }
    return wide ? cpu_bits_of_float(result, type) : result;
}

static void access_registers(struct cpu_warp *warp, uint32_t flags, uint32_t line, uint64_t *operands, uint32_t lane)
{
    uint64_t address = operands[lane];
    const struct cpu_multimem *table = table_of(warp, line, address);
    uint32_t count = CPU_BULK_REGISTERS(flags), parts = CPU_BULK_PARTS(flags), type = CPU_BULK_TYPE(flags);
    uint32_t bytes = cpu_type_sizes[type], work = flags & 15;
    for (uint32_t number = 0; number < count * parts; number++, address += bytes) {
        uint64_t *word = &operands[(CPU_BULK_COORDINATE + number / parts) * CPU_WARP_SIZE + lane];
        uint32_t shift = 8 * bytes * (number % parts);
        if (work == CPU_MULTIMEM_LOAD) {
            uint64_t value = combined(table, address, flags);
            *word = (shift ? *word : 0) | value << shift;
            continue;
        }
        uint64_t value = *word >> shift;
        for (uint32_t copy = 0; copy < table->count; copy++) {
            uint8_t *pointer = copy_address(table, copy, address);
            if (work == CPU_MULTIMEM_STORE)
                write_number(pointer, value, bytes);
            else
                cpu_combine(pointer, &value, type, CPU_BULK_OP(flags));
        }
    }
}

/* multimem.cp.async.bulk and multimem.cp.reduce.async.bulk: bit i of `mask` is for byte i of every 16 bytes. */
static void copy_bytes(struct cpu_warp *warp, uint32_t flags, uint32_t line, const uint64_t *operands, uint32_t lane)
{
    const uint8_t *from = (const uint8_t *)(uintptr_t)operands[CPU_BULK_SOURCE * CPU_WARP_SIZE + lane];
    uint32_t size = (uint32_t)operands[CPU_BULK_COORDINATE * CPU_WARP_SIZE + lane], type = CPU_BULK_TYPE(flags);
    uint32_t mask = (uint32_t)operands[CPU_BULK_OFFSET * CPU_WARP_SIZE + lane], reduces = (flags & 15) == CPU_MULTIMEM_REDUCE_BULK;
    uint32_t step = reduces ? cpu_type_sizes[type] : 1;
    for (uint32_t at = 0; at < size; at += step) {
        uint64_t address = operands[lane] + at;
        const struct cpu_multimem *table = table_of(warp, line, address);
        for (uint32_t copy = 0; copy < table->count; copy++)
            if (reduces)
                cpu_combine(copy_address(table, copy, address), from + at, type, CPU_BULK_OP(flags));
            else if (mask >> (at & 15) & 1)
                *copy_address(table, copy, address) = from[at];
    }
}

void cpu_multimem_access(struct cpu_warp *warp, uint32_t flags, uint32_t line, const uint64_t *operands, uint32_t lane)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST); /* for .release and .acquire; rare, so all accesses do it */
    if ((flags & 15) <= CPU_MULTIMEM_REDUCE)
        access_registers(warp, flags, line, (uint64_t *)(uintptr_t)operands, lane); /* also results */
    else
        copy_bytes(warp, flags, line, operands, lane);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
