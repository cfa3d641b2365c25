/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Everything in C that depends on the target CPU, one header for each: spin-wait hint, floating-point state, signal contexts,
 * tail calls, and, for the one file that defines the macro before it includes this header, the context switch of fibers
 * (CPU_ARCH_FIBERS) and ELF relocations (CPU_ARCH_RELOCATIONS).
 */
#if defined(__x86_64__)
#include "x86_64.h"
#elif defined(__aarch64__)
#include "aarch64.h"
#else
#error "unknown target CPU: see CONTRIBUTING.md, Add a target CPU"
#endif
