/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * All C code that depends on the target CPU, in one header for each: spin-wait hint, floating-point state, signal
 * contexts, tail jumps. Three parts are compiled only into the file that defines their macro before it includes this
 * header: the context switch of fibers (CPU_ARCH_FIBERS), ELF relocations (CPU_ARCH_RELOCATIONS) and the registers of
 * core dumps (CPU_ARCH_SNAPSHOTS).
 */
#if defined(__x86_64__)
#include "x86_64.h"
#elif defined(__aarch64__)
#include "aarch64.h"
#else
#error "unknown target CPU: see CONTRIBUTING.md, Add a target CPU"
#endif
