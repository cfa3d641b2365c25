// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Macros of the test programs: they check a call (OK: succeeds, FAILS: with a status) or a condition (IS). On failure
// the program prints a line and exits.
#pragma once
#include <cstdio>
#include <cstdlib>

#define OK(call)                                                                                          \
    do {                                                                                                  \
        cudaError_t status = (call);                                                                      \
        if (status != cudaSuccess) {                                                                      \
            std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(status));         \
            std::exit(1);                                                                                 \
        }                                                                                                 \
    } while (0)

#define IS(condition)                                                                                     \
    do {                                                                                                  \
        if (!(condition)) {                                                                               \
            std::printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                           \
            std::exit(1);                                                                                 \
        }                                                                                                 \
    } while (0)

#define FAILS(expected, call)                                                                             \
    do {                                                                                                  \
        cudaError_t status = (call);                                                                      \
        if (status != (expected)) {                                                                       \
            std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(status));         \
            std::exit(1);                                                                                 \
        }                                                                                                 \
    } while (0)
