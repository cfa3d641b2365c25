/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * cudaMemcpyAsync and cudaMemsetAsync in device code: commands that execute when the grid is done, in order with its
 * child launches.
 */
#include "device_call.h"

#define DEVICE_TO_DEVICE 3     /* cudaMemcpyKind */
#define MEMCPY_DEFAULT 4

static bool is_in(const struct cpu_region *region, uint64_t address)
{
    return region->begin && address - (uint64_t)(uintptr_t)region->begin < region->usable;
}

/* Return whether an address is in shared or local memory, which does not outlive the block. */
static bool is_own(const struct call *call, uint64_t address)
{
    const struct cpu_block *block = call->warp->block;
    return is_in(&block->shared, address) || is_in(&block->local, address);
}

static uint32_t add_rows(const struct call *call, enum cpu_command_kind kind, const struct cpu_rows *rows,
                         uint64_t stream)
{
    uint32_t status = CPU_SUCCESS;
    if (!rows->width || !rows->height)
        return CPU_SUCCESS;
    if (rows->height > 1 && (rows->destination_pitch < rows->width || (kind == CPU_COPY && rows->source_pitch < rows->width)))
        return CPU_INVALID_PITCH_VALUE;
    if (!rows->destination || is_own(call, rows->destination))
        return CPU_INVALID_VALUE;
    if (kind == CPU_COPY && (!rows->source || is_own(call, rows->source)))
        return CPU_INVALID_VALUE;
    struct cpu_command *command = cpu_children_command(call->children, kind, 0, &status);
    if (!command)
        return status;
    command->rows = *rows;
    return cpu_children_add(call->children, command, stream);
}

static uint32_t copy(const struct call *call, const struct cpu_rows *rows, uint64_t kind, uint64_t stream)
{
    if (kind != DEVICE_TO_DEVICE && kind != MEMCPY_DEFAULT)
        return CPU_INVALID_MEMCPY_DIRECTION;
    return add_rows(call, CPU_COPY, rows, stream);
}

uint32_t cpu_memcpy_async(const struct call *call)
{
    struct cpu_rows rows = {.destination = operand(call, 0), .source = operand(call, 1), .width = operand(call, 2)};
    rows.height = 1;
    return copy(call, &rows, operand(call, 3), operand(call, 4));
}

uint32_t cpu_memcpy_2d_async(const struct call *call)
{
    struct cpu_rows rows = {
        .destination = operand(call, 0), .destination_pitch = operand(call, 1), .source = operand(call, 2),
        .source_pitch = operand(call, 3), .width = operand(call, 4), .height = operand(call, 5),
    };
    return copy(call, &rows, operand(call, 6), operand(call, 7));
}

/* cudaPitchedPtr, cudaPos, cudaExtent and cudaMemcpy3DParms. */
struct pitched {
    uint64_t pointer, pitch, width, height;
};

struct box {
    uint64_t x, y, z;
};

struct copy_3d {
    uint64_t source_array;
    struct box source_position;
    struct pitched source;
    uint64_t array;
    struct box position;
    struct pitched destination;
    struct box extent;
    uint32_t kind;
};

static uint64_t start_of(const struct pitched *memory, const struct box *position)
{
    return memory->pointer ? memory->pointer + (position->z * memory->height + position->y) * memory->pitch + position->x
                           : 0;
}

/* Add one command, or one for each slice if the slices are not contiguous. */
static uint32_t add_slices(const struct call *call, enum cpu_command_kind kind, struct cpu_rows *rows, uint64_t depth,
                           uint64_t destination_rows, uint64_t source_rows, uint64_t stream)
{
    uint32_t status = CPU_SUCCESS;
    if (rows->height == destination_rows && (kind == CPU_FILL || rows->height == source_rows)) {
        rows->height *= depth;
        return add_rows(call, kind, rows, stream);
    }
    for (uint64_t z = 0; z < depth && status == CPU_SUCCESS; z++) {
        status = add_rows(call, kind, rows, stream);
        rows->destination += destination_rows * rows->destination_pitch;
        rows->source += source_rows * rows->source_pitch;
    }
    return status;
}

uint32_t cpu_memcpy_3d_async(const struct call *call)
{
    const struct copy_3d *given = (const struct copy_3d *)(uintptr_t)operand(call, 0);
    if (!given)
        return CPU_INVALID_VALUE;
    if (given->source_array || given->array)
        return CPU_NOT_SUPPORTED; /* CUDA arrays are not available to kernels */
    if (given->kind != DEVICE_TO_DEVICE && given->kind != MEMCPY_DEFAULT)
        return CPU_INVALID_MEMCPY_DIRECTION;
    struct cpu_rows rows = {
        .destination = start_of(&given->destination, &given->position), .destination_pitch = given->destination.pitch,
        .source = start_of(&given->source, &given->source_position), .source_pitch = given->source.pitch,
        .width = given->extent.x, .height = given->extent.y,
    };
    return add_slices(call, CPU_COPY, &rows, given->extent.z, given->destination.height, given->source.height,
                      operand(call, 1));
}

static struct cpu_rows bytes(uint64_t start, uint64_t value)
{
    return (struct cpu_rows){.destination = start, .value = value & 0xff, .value_width = 1};
}

uint32_t cpu_memset_async(const struct call *call)
{
    struct cpu_rows rows = bytes(operand(call, 0), operand(call, 1));
    rows.width = operand(call, 2);
    rows.height = 1;
    return add_rows(call, CPU_FILL, &rows, operand(call, 3));
}

uint32_t cpu_memset_2d_async(const struct call *call)
{
    struct cpu_rows rows = bytes(operand(call, 0), operand(call, 2));
    rows.destination_pitch = operand(call, 1);
    rows.width = operand(call, 3);
    rows.height = operand(call, 4);
    return add_rows(call, CPU_FILL, &rows, operand(call, 5));
}

uint32_t cpu_memset_3d_async(const struct call *call)
{
    struct cpu_rows rows = bytes(operand(call, 0), operand(call, 4));
    rows.destination_pitch = operand(call, 1);
    rows.width = operand(call, 5);
    rows.height = operand(call, 6);
    return add_slices(call, CPU_FILL, &rows, operand(call, 7), operand(call, 3), 0, operand(call, 8));
}
