/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * A relocatable ELF object in memory, ready to run.
 */
#ifndef CUDA_CPU_ELF_IMAGE_H
#define CUDA_CPU_ELF_IMAGE_H

#include <stddef.h>
#include <stdint.h>

struct cpu_image;

/* NULL and a sentence in `error` where the object is damaged, or refers to what nobody has. */
struct cpu_image *cpu_image_load(const uint8_t *data, size_t size, char *error, size_t error_size);
void *cpu_image_address(const struct cpu_image *image, const char *symbol); /* NULL: no such global symbol */
void cpu_image_range(const struct cpu_image *image, uint64_t *base, uint64_t *size);
void cpu_image_free(struct cpu_image *image);

#endif
