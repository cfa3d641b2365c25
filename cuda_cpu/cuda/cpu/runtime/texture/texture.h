/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * The structure that the handle of a texture or surface object points to. driver/array/texture.py writes this layout;
 * tests/cpu/runtime/test_kernel_abi.py compares the two.
 */
#ifndef CUDA_CPU_TEXTURE_H
#define CUDA_CPU_TEXTURE_H

#include "exec/kernel_abi.h"

#define CPU_MAX_LEVELS 18
#define CPU_TEXTURE_KIND 0x54584554u /* magic number: the first word of the structure */
#define CPU_SURFACE_KIND 0x46525553u

enum {
    CPU_TEXTURE_INTEGERS = 1,    /* integers are returned unchanged, else normalized to [0, 1] or [-1, 1] */
    CPU_TEXTURE_NORMALIZED = 2,  /* coordinates */
    CPU_TEXTURE_SRGB = 4,
    CPU_TEXTURE_SEAMLESS = 8,    /* cubemaps are filtered across edges */
    CPU_TEXTURE_LINEAR = 16,     /* linear memory, one dimension: elements outside read as 0 */
};
enum { CPU_ADDRESS_WRAP, CPU_ADDRESS_CLAMP, CPU_ADDRESS_MIRROR, CPU_ADDRESS_BORDER }; /* CUaddress_mode */

struct cpu_level {
    uint64_t base, pitch, slice;     /*  0  8  16  bytes from row to row, from layer to layer */
    uint32_t width, height, depth;   /* 24 28 32  elements; layers for layered ones, 6 each for cubemaps */
    uint32_t unused;
};

struct cpu_texture {
    uint32_t kind, format, channels, flags; /*  0  4  8  12  format: CUarray_format of 8, 16 or 32 bits */
    uint32_t address[3], filter;            /* 16 28  filter, mip_filter: 0 nearest, 1 linear */
    uint32_t mip_filter, levels;            /* 32 36 */
    float bias, least, most;                /* 40 44 48  of the level of detail */
    uint32_t element;                       /* 52  bytes */
    float border[4];                        /* 56 */
    struct cpu_level level[CPU_MAX_LEVELS]; /* 72 */
};

/* Bits of the argument `flags` of the texture service: */
enum cpu_texture_work {
    CPU_TEX_BASE, CPU_TEX_LEVEL, CPU_TEX_GRAD, CPU_TEX_GATHER, CPU_TEX_QUERY, CPU_SURF_LOAD, CPU_SURF_STORE,
    CPU_SURF_STORE_FORMATTED, CPU_SURF_REDUCE, CPU_SURF_REDUCE_ELEMENT, /* bits 0 to 3 */
    CPU_TEX_LAYERED = 16, CPU_TEX_CUBE = 32, CPU_TEX_INDEX = 64 /* coordinates are integers */,
};
#define CPU_TEX_DIMENSIONS(flags) ((flags) >> 8 & 3)
#define CPU_TEX_DETAIL(flags) ((flags) >> 12 & 15)  /* gathered channel, query, vector size, reduction */
#define CPU_TEX_RESULT(flags) ((flags) >> 16 & 15)  /* 0 32 bits, 1 f16, 2 f16x2; surfaces: bytes of an element */
#define CPU_TEX_CLAMP(flags) ((flags) >> 20 & 3)    /* surfaces: 0 trap, 1 clamp, 2 zero */
#define CPU_TEX_SIGNED(flags) ((flags) >> 22 & 1)   /* reductions */
/* Rows of arguments, a word for each lane: */
enum { CPU_ARG_LAYER, CPU_ARG_X, CPU_ARG_Y, CPU_ARG_Z, CPU_ARG_DX, CPU_ARG_DY = 7, CPU_ARG_OFFSET = 10, CPU_ARGS = 13 };

void cpu_texture(struct cpu_warp *warp, cpu_lanes lanes, uint32_t flags, uint32_t line, const uint64_t *object,
                 const uint32_t *arguments, uint64_t *data);
void cpu_surface(const struct cpu_texture *surface, struct cpu_warp *warp, uint32_t lane, uint32_t flags, uint32_t line,
                 const uint32_t *arguments, uint64_t *data);
#define CPU_FORMAT_101010_2 0x50 /* CUarray_format */
/* texture_block.c: decodes element `index` (row by row) of a block, in the channels of the format */
enum { CPU_FORMAT_BC1 = 0x91, CPU_FORMAT_BC2 = 0x93, CPU_FORMAT_BC3 = 0x95, CPU_FORMAT_BC4 = 0x97, CPU_FORMAT_BC4_SIGNED,
       CPU_FORMAT_BC5, CPU_FORMAT_BC5_SIGNED, CPU_FORMAT_BC6H, CPU_FORMAT_BC6H_SIGNED, CPU_FORMAT_BC7 }; /* CUarray_format */
void cpu_block_element(uint32_t format, const uint8_t *block, uint32_t index, float *channels);
float cpu_float_of_half(uint16_t bits);
uint16_t cpu_half_of_float(float value);

#endif
