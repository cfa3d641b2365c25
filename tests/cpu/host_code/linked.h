// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
#pragma once
extern __device__ int shared_cell;
extern __constant__ int table[3];
__device__ int twice(int value);
__global__ void other_unit(int *to);
