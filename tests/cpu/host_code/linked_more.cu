// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
#include "linked.h"

__device__ int shared_cell;
__constant__ int table[3] = {7, 8, 9};
__device__ int twice(int value) { return 2 * value; }
__global__ void other_unit(int *to) { *to = table[2] + shared_cell; }
