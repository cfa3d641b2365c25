/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Surface instructions: loads, stores and reductions of array elements (PTX manual 9.7.12).
 */
#include <math.h>
#include <string.h>

#include "texture.h"
#include "exec/worker.h"

static int32_t clamped(int64_t value, int64_t most)
{
    return (int32_t)(value < 0 ? 0 : value > most ? most : value);
}

/* Return a pointer to `bytes` bytes; NULL: skip the access. x is in bytes, or in elements if `by_element`. */
static uint8_t *element_pointer(const struct cpu_texture *s, struct cpu_warp *warp, uint32_t lane, uint32_t flags, uint32_t line,
                         const uint32_t *arguments, uint32_t bytes, bool by_element)
{
    const struct cpu_level *level = &s->level[0];
    uint32_t dimensions = CPU_TEX_DIMENSIONS(flags);
    int64_t most[3] = {(int64_t)level->width * s->element - bytes, 0, 0}, at[3] = {0, 0, 0};
    for (uint32_t axis = 0; axis < dimensions; axis++)
        at[axis] = (int32_t)arguments[(CPU_ARG_X + axis) * CPU_WARP_SIZE + lane];
    if (by_element)
        at[0] *= s->element;
    most[1] = dimensions > 1 ? (int64_t)level->height - 1 : 0;
    most[2] = (int64_t)level->depth - 1;
    if (flags & CPU_TEX_LAYERED)
        at[2] = (int32_t)arguments[CPU_ARG_LAYER * CPU_WARP_SIZE + lane];
    else if (dimensions < 3)
        most[2] = 0;
    for (int axis = 0; axis < 3; axis++) {
        if (at[axis] >= 0 && at[axis] <= most[axis])
            continue;
        if (CPU_TEX_CLAMP(flags) == 0)
            cpu_fault_now((struct cpu_running *)warp, CPU_FAULT_TRAP, line, (uint64_t)at[axis],
                          "access outside of a surface");
        if (CPU_TEX_CLAMP(flags) == 2 || most[axis] < 0)
            return NULL;
        at[axis] = clamped(at[axis], most[axis]);
    }
    return (uint8_t *)(uintptr_t)(level->base + (uint64_t)at[2] * level->slice + (uint64_t)at[1] * level->pitch +
                                  (uint64_t)at[0]);
}

/* Store a word in the surface's format; integers are clamped to its range. */
static void store_formatted(const struct cpu_texture *s, uint8_t *pointer, uint32_t word)
{
    static const int64_t least[] = {[8] = -128, [9] = -32768}, most[] = {[1] = 255, [2] = 65535, [8] = 127, [9] = 32767};
    uint32_t size = s->element / s->channels;
    if (s->format == 16) {
        float value;
        memcpy(&value, &word, 4);
        uint16_t half = cpu_half_of_float(value);
        memcpy(pointer, &half, 2);
        return;
    }
    if (size < 4) {
        int64_t value = s->format >= 8 ? (int64_t)(int32_t)word : (int64_t)word;
        int64_t low = s->format >= 8 ? least[s->format] : 0;
        value = value < low ? low : value > most[s->format] ? most[s->format] : value;
        word = (uint32_t)value;
    }
    memcpy(pointer, &word, size);
}

#define REDUCE(type, pointer, operand, op)                                                        \
    do {                                                                                        \
        type *word = (type *)(pointer), old = __atomic_load_n(word, __ATOMIC_RELAXED), next;      \
        type with = (type)(operand);                                                            \
        do {                                                                                    \
            next = (op) == 0 ? old + with : (op) == 1 ? (old < with ? old : with)               \
                   : (op) == 2 ? (old > with ? old : with) : (op) == 3 ? (type)(old & with) : (type)(old | with); \
        } while (!__atomic_compare_exchange_n(word, &old, next, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)); \
    } while (0)

static void reduce(uint8_t *pointer, uint64_t operand, uint32_t bytes, uint32_t op, bool is_signed)
{
    if (bytes == 8 && is_signed && op)
        REDUCE(int64_t, pointer, operand, op);
    else if (bytes == 8)
        REDUCE(uint64_t, pointer, operand, op);
    else if (is_signed && op)
        REDUCE(int32_t, pointer, operand, op);
    else
        REDUCE(uint32_t, pointer, operand, op);
}

void cpu_surface(const struct cpu_texture *s, struct cpu_warp *warp, uint32_t lane, uint32_t flags, uint32_t line,
                 const uint32_t *arguments, uint64_t *data)
{
    uint32_t work = flags & 15, size = CPU_TEX_RESULT(flags), count = CPU_TEX_DETAIL(flags);
    bool reduces = work == CPU_SURF_REDUCE || work == CPU_SURF_REDUCE_ELEMENT;
    bool by_element = work == CPU_SURF_STORE_FORMATTED || work == CPU_SURF_REDUCE_ELEMENT;
    uint32_t bytes = reduces ? size : by_element ? s->element : size * count;
    uint8_t *pointer = element_pointer(s, warp, lane, flags, line, arguments, bytes, by_element);
    if (!pointer) {
        for (uint32_t i = 0; work == CPU_SURF_LOAD && i < count; i++)
            data[i * CPU_WARP_SIZE + lane] = 0;
        return;
    }
    if (reduces) {
        reduce(pointer, data[lane], size, count, CPU_TEX_SIGNED(flags));
        return;
    }
    if (by_element) {
        for (uint32_t i = 0; i < s->channels && i < count; i++)
            store_formatted(s, pointer + i * (s->element / s->channels), (uint32_t)data[i * CPU_WARP_SIZE + lane]);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint64_t *element = &data[i * CPU_WARP_SIZE + lane];
        if (work == CPU_SURF_LOAD) {
            *element = 0;
            memcpy(element, pointer + i * size, size);
        } else {
            memcpy(pointer + i * size, element, size);
        }
    }
}
