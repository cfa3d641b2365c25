/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Loaded images of relocatable ELF objects, ready to execute.
 */
#ifndef CUDA_CPU_ELF_IMAGE_H
#define CUDA_CPU_ELF_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cpu_image;

/* Returns NULL, with a message in `error`, if the object is malformed or refers to an unknown symbol. `debug`: it has
 * debug information, which debuggers read. */
struct cpu_image *cpu_image_load(const uint8_t *data, size_t size, bool debug, char *error, size_t error_size);
void *cpu_image_address(const struct cpu_image *image, const char *symbol); /* NULL: no such global symbol */
void cpu_image_range(const struct cpu_image *image, uint64_t *base, uint64_t *size);
void cpu_image_free(struct cpu_image *image);

#endif
