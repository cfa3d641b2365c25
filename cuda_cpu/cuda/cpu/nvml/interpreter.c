/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
   SPDX-License-Identifier: Apache-2.0

   The way from C to Python is the driver's; the functions are those of another module. */
#define DRIVER_MODULE "cuda.cpu.nvml"
#include "../entry/interpreter.c"
