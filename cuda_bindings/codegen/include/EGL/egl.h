/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
   SPDX-License-Identifier: Apache-2.0
   The EGL types that cudaEGL.h names (EGL registry: EGLint is a 32-bit integer). */
#pragma once
#include <stdint.h>
typedef int32_t EGLint;
