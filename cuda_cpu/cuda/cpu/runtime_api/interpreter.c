/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
   SPDX-License-Identifier: Apache-2.0

   ../entry/interpreter.c, compiled for the functions of the module cuda.cpu.runtime_api. */
#define DRIVER_MODULE "cuda.cpu.runtime_api"
#include "../entry/interpreter.c"
