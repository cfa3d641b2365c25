/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Tensor copies (TMA) and other bulk copies, and the layout of a CUtensorMap on the CPU device.
 * driver/array/tensor_map.py writes this layout; tests/cpu/runtime/test_kernel_abi.py compares the two.
 */
#ifndef CUDA_CPU_TENSOR_H
#define CUDA_CPU_TENSOR_H

#include <stdbool.h>

#include "exec/kernel_abi.h"

#define CPU_SECTOR 32u /* bytes of global memory, for counts */
#define CPU_TENSOR_MAP 0x50414d54u /* magic number: the last word of a map */

struct cpu_tensor_map {
    uint64_t address;     /*   0 */
    uint64_t stride[4];   /*   8  bytes, of dimensions 1 to 4 */
    uint32_t last[5];     /*  40  size of each dimension, less 1 */
    uint16_t box[5];      /*  60 */
    uint8_t step[5];      /*  70  element stride in each dimension */
    uint8_t type, rank;   /*  75 76  CUtensorMapDataType */
    uint8_t swizzle;      /*  77  CUtensorMapSwizzle */
    uint8_t fill;         /*  78  1: elements outside the tensor are NaN, else 0 */
    uint8_t im2col;       /*  79 */
    int16_t lower[3];     /*  80  corners of the box of pixels: W, H, D */
    int16_t upper[3];     /*  86 */
    uint16_t channels;    /*  92  of each pixel */
    uint16_t pixels;      /*  94  of each column */
    uint8_t unit;         /*  96  bytes of a unit of an interleaved tensor, 0 for others */
    uint8_t unused[27];   /*  97 */
    uint32_t kind;        /* 124 */
};

enum cpu_bulk_work {
    CPU_TENSOR_LOAD, CPU_TENSOR_STORE, CPU_TENSOR_REDUCE, CPU_BULK_COPY, CPU_BULK_REDUCE, CPU_BULK_MASKED,
    CPU_TENSOR_REPLACE, CPU_MULTIMEM_LOAD, CPU_MULTIMEM_STORE, CPU_MULTIMEM_REDUCE, CPU_MULTIMEM_COPY,
    CPU_MULTIMEM_REDUCE_BULK /* bits 0 to 3 */
};
#define CPU_BULK_OP(flags) ((flags) >> 4 & 15)         /* add min max inc dec and or xor; or a field of a map */
#define CPU_BULK_DIMENSIONS(flags) ((flags) >> 8 & 7)  /* or the field's dimension */
#define CPU_BULK_IM2COL_BIT 0x1000u
#define CPU_BULK_MULTICAST_BIT 0x2000u
#define CPU_BULK_IM2COL(flags) (((flags) & CPU_BULK_IM2COL_BIT) != 0)
#define CPU_BULK_MULTICAST(flags) (((flags) & CPU_BULK_MULTICAST_BIT) != 0)
#define CPU_BULK_TYPE(flags) ((flags) >> 16 & 31)      /* CUtensorMapDataType */
#define CPU_BULK_REGISTERS(flags) (((flags) >> 8 & 7) + 1) /* of multimem, in the rows from CPU_BULK_COORDINATE on */
#define CPU_BULK_WIDE(flags) ((flags) >> 12 & 1)           /* .acc::f32 */
#define CPU_BULK_PARTS(flags) (1u << ((flags) >> 21 & 3))  /* numbers in a register */
/* Rows of operands, a double word for each lane: */
enum {
    CPU_BULK_MAP = 0, /* or destination */
    CPU_BULK_SOURCE,   /* shared memory, or source */
    CPU_BULK_BARRIER,
    CPU_BULK_COORDINATE, /* or size */
    CPU_BULK_OFFSET = 8, /* or mask of bytes */
    CPU_BULK_MASK = 11,  /* multicast: mask of blocks */
    CPU_BULK_ROWS
};

/* What a tensor copy accesses. Of a sector that a row of the box shares with the row before, only one counts. */
struct cpu_tensor_traffic {
    uint64_t bytes, sectors; /* inside the tensor */
    uint64_t last;           /* sector of the row before */
    uint64_t start, end;     /* of the memory that contains them */
    uint32_t box;            /* bytes in the shared memory of each block */
};

/* Count a copy of a lane; false: there is no such tensor map. */
bool cpu_tensor_traffic(uint32_t flags, const uint64_t *operands, uint32_t lane, struct cpu_tensor_traffic *traffic);

void cpu_bulk(struct cpu_warp *warp, cpu_lanes lanes, uint32_t flags, uint32_t line, const uint64_t *operands);

/* multimem.c. The table at the start of each granule of a multicast object: the memory that is bound to it. */
#define CPU_MULTIMEM 0x4d554c54u
#define CPU_MULTIMEM_GRANULE (2u << 20) /* virtual_memory.GRANULARITY */

struct cpu_multimem {
    uint32_t kind, count;
    uint64_t bases[]; /* of the granule's memory on each device */
};

void cpu_multimem_access(struct cpu_warp *warp, uint32_t flags, uint32_t line, const uint64_t *operands, uint32_t lane);

/* reduce.c: atomically combine a number in memory with `with` */
void cpu_combine(void *target, const void *with, uint32_t type, uint32_t op);
enum { CPU_TYPE_F32 = 7 };
extern const uint8_t cpu_type_sizes[13]; /* by CUtensorMapDataType */
uint64_t cpu_float_bits(uint64_t bits, uint32_t type);    /* converts f16 or bf16 to f32 */
uint64_t cpu_bits_of_float(uint64_t bits, uint32_t type); /* rounds f32 to f16 or bf16 */

#endif
