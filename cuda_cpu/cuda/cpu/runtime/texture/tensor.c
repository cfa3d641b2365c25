/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Tensor copies (TMA) between global and shared memory (PTX manual 9.7.9.26 and "Tensors"): a box of a tensor, or the
 * pixels of an im2col column, row by row of contiguous elements. Copies are executed synchronously.
 *
 * Interleaved layouts (such as NC/8HWC8), as measured on an H100, since the manual does not specify them: dimension 0
 * counts units of 16 or 32 bytes (the channels of one slice at one position), and the second to last dimension counts
 * slices, of which a copy takes one, regardless of the box size there.
 */
#include "tensor.h"

#include <string.h>

#include "check/init.h"
#include "exec/worker.h"

#define AHEAD 8u /* rows that are prefetched before they are copied */
#define CHUNK 16u /* bytes that stay together in swizzled shared memory */
#define LINE 128u /* bytes whose chunks are swizzled alike */

/* Location of a box in shared memory: at `offset` in the shared memory of a block, which starts at `base`. */
struct box {
    uint8_t *base;
    uint32_t offset;
    uint32_t swizzle; /* mask of the swizzled bits of the chunk index: 1, 3, 7 for 32, 64, 128 bytes */
};

/* Swizzle: bits 4 to 6 of an address are XORed with bits 7 to 9, as for wgmma (emit/instructions/matrix/wgmma.py). */
static uint8_t *chunk_at(const struct box *box, uint32_t at)
{
    uint32_t address = box->offset + at;
    address ^= (address >> 3) & (box->swizzle << 4);
    return box->base + address;
}

struct job {
    const struct cpu_tensor_map *map;
    uint32_t work, op;
    uint32_t size; /* of an element */
    uint32_t unit; /* bytes of a unit of dimension 0: an element, except in interleaved layouts */
    struct box boxes[CPU_MAX_CLUSTER];
    uint32_t count; /* of boxes: more than one for a multicast */
    struct cpu_tensor_traffic *traffic; /* count instead of copying, if not NULL */
};

static bool is_tracked(void)
{
    return atomic_load_explicit(&cpu_init_on, memory_order_relaxed);
}

static void move(uint8_t *to, const uint8_t *from, uint32_t size)
{
    memcpy(to, from, size);
    if (is_tracked())
        cpu_init_copy((uint64_t)(uintptr_t)to, (uint64_t)(uintptr_t)from, size);
}

static void fill(const struct job *job, uint8_t *to, uint32_t bytes)
{
    static const uint16_t nan = 0x7ff7; /* as for fma.oob, emit/instructions/arithmetic.py; wider types repeat it */
    memset(to, 0, bytes);
    for (uint32_t i = 0; job->map->fill && i < bytes; i += sizeof nan)
        memcpy(to + i, &nan, sizeof nan);
    if (is_tracked())
        cpu_init_mark((uint64_t)(uintptr_t)to, bytes, true);
}

/* Copy the bytes of a row that are in one chunk; bytes [first, end), counted from this chunk, are inside the tensor. */
static void part(const struct job *job, uint8_t *here, uint8_t *tensor, int64_t first, int64_t end, uint32_t size)
{
    bool whole = first <= 0 && size <= end && job->work != CPU_TENSOR_REDUCE;
    uint32_t step = whole ? size : job->size;
    for (uint32_t i = 0; i < size; i += step) {
        bool exists = first <= i && i < end;
        if (job->work == CPU_TENSOR_LOAD && exists)
            move(here + i, tensor + i, step);
        else if (job->work == CPU_TENSOR_LOAD)
            fill(job, here + i, job->size);
        else if (exists && job->work == CPU_TENSOR_STORE)
            move(tensor + i, here + i, step);
        else if (exists)
            cpu_combine(tensor + i, here + i, job->map->type, job->op);
    }
}

/* Copy the 16-byte chunks of a row between a box and the tensor; return their number of bytes. */
static uint32_t chunks(const struct box *box, uint32_t at, uint8_t *tensor, uint32_t bytes, bool load)
{
    uint32_t whole = bytes & ~(CHUNK - 1), done = 0;
    while (done < whole) {
        uint32_t begin = box->offset + at + done, line = LINE - begin % LINE;
        uint32_t end = line < whole - done ? done + line : whole;
        uint32_t swizzled = (begin >> 3) & (box->swizzle << 4); /* the same for the chunks of a line */
        for (uint32_t address = begin; done < end; done += CHUNK, address += CHUNK) {
            uint8_t *here = box->base + (address ^ swizzled), *there = tensor + done;
            memcpy(load ? here : there, load ? there : here, CHUNK);
        }
    }
    return whole;
}

/* Copy a row: `bytes` bytes at offset `at` of the box and at `tensor`; bytes [first, end) are inside the tensor. */
static void row(const struct job *job, uint32_t at, uint8_t *tensor, int64_t first, int64_t end, uint32_t bytes)
{
    bool plain = first <= 0 && bytes <= end && job->work != CPU_TENSOR_REDUCE && !is_tracked();
    for (uint32_t b = 0; b < job->count; b++) {
        const struct box *box = &job->boxes[b];
        uint32_t done = plain ? chunks(box, at, tensor, bytes, job->work == CPU_TENSOR_LOAD) : 0;
        for (; done < bytes; done += CHUNK) {
            uint32_t size = bytes - done < CHUNK ? bytes - done : CHUNK;
            part(job, chunk_at(box, at + done), tensor + done, first - done, end - done, size);
        }
    }
}

static void count_row(struct cpu_tensor_traffic *traffic, uint64_t begin, uint64_t bytes)
{
    if (!bytes)
        return;
    uint64_t first = begin / CPU_SECTOR, last = (begin + bytes - 1) / CPU_SECTOR;
    traffic->sectors += last - first + 1 - (first == traffic->last);
    traffic->start = traffic->bytes && traffic->start < begin ? traffic->start : begin;
    traffic->end = traffic->end > begin + bytes ? traffic->end : begin + bytes;
    traffic->bytes += bytes;
    traffic->last = last;
}

/* Copy `rows` rows of `count` units, `step` apart in dimension 1; position[0] is that of the first unit of each. */
static void rows_at(const struct job *job, uint32_t at, const int64_t position[5], uint32_t count, uint32_t rows,
                    uint32_t step)
{
    const struct cpu_tensor_map *map = job->map;
    int64_t first = -position[0], end = (int64_t)map->last[0] + 1 - position[0];
    uint64_t address = map->address + (uint64_t)(position[0] * (int64_t)job->unit);
    bool inside = true;
    for (uint32_t d = 2; d < map->rank; d++) {
        inside &= position[d] >= 0 && position[d] <= map->last[d];
        address += (uint64_t)position[d] * map->stride[d - 1];
    }
    first = first < 0 ? 0 : first;
    end = end > count ? count : end;
    uint32_t bytes = count * job->unit;
    for (uint32_t i = 0; i < rows; i++, at += bytes) {
        int64_t y = position[1] + (int64_t)i * step; /* 0 in a tensor of one dimension */
        uint64_t there = address + (uint64_t)y * map->stride[0];
        int64_t behind = inside && y >= 0 && y <= map->last[1] ? end : 0;
        if (job->traffic) {
            uint64_t units = behind > first ? (uint64_t)(behind - first) : 0;
            count_row(job->traffic, there + (uint64_t)first * job->unit, units * job->unit);
            continue;
        }
        for (uint32_t line = 0; i + AHEAD < rows && job->work == CPU_TENSOR_LOAD && line < bytes; line += 64)
            __builtin_prefetch((void *)(uintptr_t)(there + AHEAD * step * map->stride[0] + line));
        row(job, at, (uint8_t *)(uintptr_t)there, first * job->unit, behind * job->unit, bytes);
    }
}

/* Copy all rows of a box; return its size in bytes. */
static uint32_t tile(const struct job *job, const int64_t start[5])
{
    const struct cpu_tensor_map *map = job->map;
    uint32_t counts[5] = {1, 1, 1, 1, 1}, at = 0, index[5] = {0}, rows = 1;
    /* a row is contiguous, except in interleaved layouts with a step: those are copied unit by unit */
    bool whole = !map->unit || map->step[0] == 1;
    uint32_t together = whole ? map->box[0] : 1;
    for (uint32_t d = whole; d < map->rank; d++)
        counts[d] = (map->box[d] + map->step[d] - 1u) / map->step[d];
    if (map->unit)
        counts[map->rank - 2] = 1;
    if (whole) {
        rows = counts[1];
        counts[1] = 1;
    }
    for (;;) {
        int64_t position[5] = {0};
        for (uint32_t d = 0; d < map->rank; d++)
            position[d] = start[d] + (int64_t)index[d] * map->step[d];
        rows_at(job, at, position, together, rows, map->step[1]);
        at += rows * together * job->unit;
        uint32_t d = 0;
        while (d < map->rank && ++index[d] == counts[d])
            index[d++] = 0;
        if (d >= map->rank)
            return at;
    }
}

/* Copy an im2col column. The pixels traverse the box between the corners, W fastest, then continue in the next image;
 * each is read at its position plus the filter's offset. */
static uint32_t im2col(const struct job *job, const int64_t start[5], const int64_t offset[3])
{
    const struct cpu_tensor_map *map = job->map;
    uint32_t spatial = map->rank - 2u, at = 0, axis = map->unit ? 0 : 1; /* axis: of the first spatial dimension */
    uint32_t channels = map->unit ? 1 : map->channels;
    int64_t pixel[5];
    memcpy(pixel, start, sizeof pixel);
    for (uint32_t i = 0; i < map->pixels; i++) {
        int64_t position[5];
        memcpy(position, pixel, sizeof position);
        for (uint32_t d = 0; d < spatial; d++)
            position[d + axis] += offset[d];
        rows_at(job, at, position, channels, 1, 1);
        at += channels * job->unit;
        uint32_t d = 0;
        for (; d < spatial; d++) {
            pixel[d + axis] += map->step[d + axis];
            if (pixel[d + axis] <= (int64_t)map->last[d + axis] + map->upper[d])
                break;
            pixel[d + axis] = map->lower[d];
        }
        if (d == spatial)
            pixel[map->rank - 1]++;
    }
    return at;
}

/* Complete `bytes` of an mbarrier's transaction count; emit/instructions/memory/mbarrier.py describes its bits. */
static void complete(uint64_t *barrier, uint32_t bytes)
{
    uint64_t old = __atomic_load_n(barrier, __ATOMIC_ACQUIRE), next;
    do {
        uint64_t lacks = old & 0xfffff, expects = old >> 20 & 0xfffff, phase = old >> 62;
        uint64_t left = ((old >> 40) - bytes) & 0x3fffff;
        if (!(lacks | left)) {
            phase++;
            lacks = expects;
        }
        next = phase << 62 | left << 40 | expects << 20 | lacks;
    } while (!__atomic_compare_exchange_n(barrier, &old, next, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
}

/* Return the address of the same offset in the shared memory of block `rank` of the cluster. */
static uint8_t *in_block(const struct cpu_warp *warp, uint64_t shared, uint32_t rank)
{
    uint64_t offset = (shared - (uint64_t)(uintptr_t)warp->cluster_shared) & (CPU_CLUSTER_STRIDE - 1);
    return warp->cluster_shared + rank * CPU_CLUSTER_STRIDE + offset;
}

static void check_mask(struct cpu_warp *warp, uint32_t line, uint32_t mask)
{
    uint32_t blocks = warp->cluster_dim[0] * warp->cluster_dim[1] * warp->cluster_dim[2];
    if (!mask || mask >> blocks)
        cpu_fault_now((struct cpu_running *)warp, CPU_FAULT_TRAP, line, mask, "a multicast to blocks that are not there");
}

/* tensormap.replace can make incomplete maps. */
static bool is_map(const struct cpu_tensor_map *map, uint32_t flags)
{
    bool whole = map->kind == CPU_TENSOR_MAP && (!map->unit || map->rank > 2);
    for (uint32_t d = 0; d < map->rank && d < 5; d++)
        whole &= map->step[d] && (map->im2col || map->box[d]);
    return whole && map->rank == CPU_BULK_DIMENSIONS(flags) && map->im2col == CPU_BULK_IM2COL(flags);
}

/* Copy the box or column of a lane; return its size in bytes. */
static uint32_t copy_all(const struct job *job, const uint64_t *operands, uint32_t lane)
{
    int64_t start[5], offset[3];
    for (int d = 0; d < 5; d++)
        start[d] = d < job->map->rank ? (int32_t)operands[(CPU_BULK_COORDINATE + d) * CPU_WARP_SIZE + lane] : 0;
    for (int d = 0; d < 3; d++)
        offset[d] = (uint16_t)operands[(CPU_BULK_OFFSET + d) * CPU_WARP_SIZE + lane];
    return job->map->im2col ? im2col(job, start, offset) : tile(job, start);
}

bool cpu_tensor_traffic(uint32_t flags, const uint64_t *operands, uint32_t lane, struct cpu_tensor_traffic *traffic)
{
    struct cpu_tensor_map map;
    memcpy(&map, (const void *)(uintptr_t)operands[lane], sizeof map);
    if (!is_map(&map, flags))
        return false;
    struct job job = {.map = &map, .traffic = traffic};
    job.unit = map.unit ? map.unit : cpu_type_sizes[map.type];
    *traffic = (struct cpu_tensor_traffic){.last = UINT64_MAX};
    traffic->box = copy_all(&job, operands, lane);
    return true;
}

static void copy_tensor(struct cpu_warp *warp, uint32_t flags, uint32_t line, const uint64_t *operands, uint32_t lane)
{
    struct cpu_tensor_map map;
    uint64_t shared = operands[CPU_BULK_SOURCE * CPU_WARP_SIZE + lane];
    uint32_t mask = (uint32_t)operands[CPU_BULK_MASK * CPU_WARP_SIZE + lane] & 0xffff, bytes;
    memcpy(&map, (const void *)(uintptr_t)operands[lane], sizeof map);
    if (!is_map(&map, flags))
        cpu_fault_now((struct cpu_running *)warp, CPU_FAULT_TRAP, line, operands[lane],
                      "this is no tensor map of such dimensions and mode");
    struct job job = {.map = &map, .work = flags & 15, .op = CPU_BULK_OP(flags), .size = cpu_type_sizes[map.type]};
    /* Found on an H100 with tensors of one dimension, undocumented; those of more were not tried. */
    if (map.rank == 1 && job.work == CPU_TENSOR_LOAD &&
        (uint32_t)operands[CPU_BULK_COORDINATE * CPU_WARP_SIZE + lane] * job.size % 16)
        cpu_fault_now((struct cpu_running *)warp, CPU_FAULT_TRAP, line, operands[lane],
                      "the load of a tensor of one dimension begins at no multiple of 16 bytes: change the coordinate");
    job.unit = map.unit ? map.unit : job.size;
    if (CPU_BULK_MULTICAST(flags))
        check_mask(warp, line, mask);
    else
        mask = 1u << ((shared - (uint64_t)(uintptr_t)warp->cluster_shared) / CPU_CLUSTER_STRIDE & 15);
    for (uint32_t left = mask; left; left &= left - 1) {
        uint32_t rank = (uint32_t)__builtin_ctz(left);
        struct box *box = &job.boxes[job.count++];
        uint8_t *there = in_block(warp, shared, rank);
        box->base = warp->cluster_shared + rank * CPU_CLUSTER_STRIDE;
        box->offset = (uint32_t)(there - box->base);
        box->swizzle = (1u << map.swizzle) - 1;
    }
    bytes = copy_all(&job, operands, lane);
    uint64_t barrier = operands[CPU_BULK_BARRIER * CPU_WARP_SIZE + lane];
    if (job.work == CPU_TENSOR_LOAD && !CPU_BULK_MULTICAST(flags))
        complete((uint64_t *)(uintptr_t)barrier, bytes);
    for (uint32_t left = mask; job.work == CPU_TENSOR_LOAD && CPU_BULK_MULTICAST(flags) && left; left &= left - 1)
        complete((uint64_t *)(void *)in_block(warp, barrier, (uint32_t)__builtin_ctz(left)), bytes);
}

static void copy_bytes(struct cpu_warp *warp, uint32_t flags, uint32_t line, const uint64_t *operands, uint32_t lane)
{
    uint8_t *to = (uint8_t *)(uintptr_t)operands[lane];
    const uint8_t *from = (const uint8_t *)(uintptr_t)operands[CPU_BULK_SOURCE * CPU_WARP_SIZE + lane];
    uint32_t size = (uint32_t)operands[CPU_BULK_COORDINATE * CPU_WARP_SIZE + lane], type = CPU_BULK_TYPE(flags);
    uint32_t bytes = (uint32_t)operands[CPU_BULK_OFFSET * CPU_WARP_SIZE + lane];
    uint32_t mask = (uint32_t)operands[CPU_BULK_MASK * CPU_WARP_SIZE + lane] & 0xffff;
    uint64_t barrier = operands[CPU_BULK_BARRIER * CPU_WARP_SIZE + lane];
    switch (flags & 15) {
    case CPU_BULK_REDUCE:
        for (uint32_t at = 0; at < size; at += cpu_type_sizes[type])
            cpu_combine(to + at, from + at, type, CPU_BULK_OP(flags));
        return;
    case CPU_BULK_MASKED: /* bit i: byte i of every 16 is copied */
        if ((bytes & 0xffff) == 0xffff) {
            move(to, from, size);
            return;
        }
        for (uint32_t at = 0; at < size; at++)
            if (bytes >> (at & 15) & 1)
                move(to + at, from + at, 1);
        return;
    }
    check_mask(warp, line, mask);
    for (uint32_t left = mask; left; left &= left - 1) {
        uint32_t rank = (uint32_t)__builtin_ctz(left);
        move(in_block(warp, operands[lane], rank), from, size);
        complete((uint64_t *)(void *)in_block(warp, barrier, rank), size);
    }
}

/* Fields of tensormap.replace. Kernels (such as Triton's) also build a map from 128 zero bytes, field by field. */
enum {
    FIELD_ADDRESS, FIELD_RANK, FIELD_BOX, FIELD_SIZE, FIELD_STRIDE, FIELD_STEP, FIELD_TYPE, FIELD_SWIZZLE, FIELD_FILL,
    FIELD_INTERLEAVE /* next: swizzle_atomicity, of which only 0 (16 bytes) is supported */
};

static void replace(struct cpu_warp *warp, uint32_t flags, uint32_t line, const uint64_t *operands, uint32_t lane)
{
    static const uint8_t types[] = {0, 1, 2, 3, 4, 5, 6, 7, 10, 8, 9, 11, 12}; /* indexed by the PTX manual's numbers */
    struct cpu_tensor_map map;
    void *map_pointer = (void *)(uintptr_t)operands[lane];
    uint64_t value = operands[CPU_BULK_SOURCE * CPU_WARP_SIZE + lane];
    uint32_t which = CPU_BULK_DIMENSIONS(flags), field = CPU_BULK_OP(flags);
    memcpy(&map, map_pointer, sizeof map);
    bool fits = (map.kind == CPU_TENSOR_MAP || !map.kind) && which < (field == FIELD_STRIDE ? 4 : 5);
    switch (field) {
    case FIELD_ADDRESS: map.address = value; break;
    case FIELD_RANK: fits &= value < 5; map.rank = (uint8_t)(value + 1); break;
    case FIELD_BOX: fits &= value >= 1 && value <= 256; map.box[which % 5] = (uint16_t)value; break;
    case FIELD_SIZE: map.last[which % 5] = (uint32_t)value - 1; break;
    case FIELD_STRIDE: map.stride[which % 4] = value; break;
    case FIELD_STEP: fits &= value >= 1 && value <= 8; map.step[which % 5] = (uint8_t)value; break;
    case FIELD_TYPE: fits &= value < sizeof types; map.type = types[value % sizeof types]; break;
    case FIELD_SWIZZLE: fits &= value < 4; map.swizzle = (uint8_t)value; break;
    case FIELD_FILL: fits &= value < 2; map.fill = (uint8_t)value; break;
    case FIELD_INTERLEAVE: fits &= value < 3; map.unit = (uint8_t)(16 * value); break;
    default: fits &= value == 0;
    }
    if (!fits)
        cpu_fault_now((struct cpu_running *)warp, CPU_FAULT_TRAP, line, value, "tensormap.replace: no map, or no such value");
    map.kind = CPU_TENSOR_MAP;
    memcpy(map_pointer, &map, sizeof map);
}

void cpu_bulk(struct cpu_warp *warp, cpu_lanes lanes, uint32_t flags, uint32_t line, const uint64_t *operands)
{
    for (; lanes; lanes &= lanes - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(lanes), work = flags & 15;
        if (work == CPU_TENSOR_REPLACE)
            replace(warp, flags, line, operands, lane);
        else if (work > CPU_TENSOR_REPLACE)
            cpu_multimem_access(warp, flags, line, operands, lane);
        else if (work <= CPU_TENSOR_REDUCE)
            copy_tensor(warp, flags, line, operands, lane);
        else
            copy_bytes(warp, flags, line, operands, lane);
    }
}
