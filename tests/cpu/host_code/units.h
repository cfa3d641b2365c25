// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Declarations that the units of a program with relocatable device code share.
#pragma once
#include "check.h"

struct Shape {
    __device__ virtual int corners() const = 0;
};
template <class T> __device__ T twice(T x) { return x + x; }
template <class T> __global__ void fill(T *to, T value) { to[threadIdx.x] = twice(value); }
extern __device__ int total;
extern __constant__ float weights[2];
__device__ int next();
extern "C" __device__ int named(int x);
__device__ int corners_of(const Shape &shape);
int count_in_other_file();
