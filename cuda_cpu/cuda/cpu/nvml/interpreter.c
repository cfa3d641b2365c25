/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
   SPDX-License-Identifier: Apache-2.0

   ../entry/interpreter.c, compiled for the functions of the module cuda.cpu.nvml. */
#define DRIVER_MODULE "cuda.cpu.nvml"
#include "../entry/interpreter.c"
