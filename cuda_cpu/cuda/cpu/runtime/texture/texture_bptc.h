/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Functions that the decoders of BC6H and BC7 share (Khronos Data Format Specification, chapter on BPTC).
 */
#ifndef CUDA_CPU_TEXTURE_BPTC_H
#define CUDA_CPU_TEXTURE_BPTC_H

#include <stdint.h>

/* A block of 128 bits, the lowest one first. */
struct cpu_bits {
    uint64_t low, high;
};

struct cpu_bits cpu_bits_of(const uint8_t *block);
uint32_t cpu_bits_at(struct cpu_bits block, uint32_t at, uint32_t count); /* at most 32 of them */

/* Return the subset of element `index`, in a block with 1, 2 or 3 subsets. */
uint32_t cpu_bptc_subset(uint32_t subsets, uint32_t partition, uint32_t index);
/* Read the interpolation index of an element, of `bits` bits; the indices of all elements begin at bit `start`. */
uint32_t cpu_bptc_index(struct cpu_bits block, uint32_t start, uint32_t bits, uint32_t subsets, uint32_t partition,
                        uint32_t index);
int32_t cpu_bptc_between(int32_t first, int32_t second, uint32_t bits, uint32_t index);

/* Decode an element into its channels. */
void cpu_bc6h_element(const uint8_t *block, uint32_t index, int is_signed, float *channels);
void cpu_bc7_element(const uint8_t *block, uint32_t index, float *channels);

#endif
