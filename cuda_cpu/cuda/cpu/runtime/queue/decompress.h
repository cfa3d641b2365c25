/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Decompression in a stream (cuMemBatchDecompressAsync).
 */
#ifndef CUDA_CPU_DECOMPRESS_H
#define CUDA_CPU_DECOMPRESS_H

#include <stddef.h>
#include <stdint.h>

enum cpu_compression { CPU_DEFLATE = 1, CPU_SNAPPY = 2, CPU_LZ4 = 4 }; /* CUmemDecompressAlgorithm */

struct cpu_compressed {
    uint64_t source, source_size, target, room;
    uint64_t written; /* address for the number of bytes written, 32 bits; 0: none */
    uint32_t algorithm;
};

/* Decompress all that is valid and fits; return the number of bytes written. */
uint32_t cpu_decompress(const struct cpu_compressed *compressed);

#endif
