// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// What the programs share: a call that must succeed, and a value that must be so. Each ends the program with a line.
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
