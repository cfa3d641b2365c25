// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Declarations that the files of one program share: a .cpp and two .cu files.
#pragma once
#include "check.h"

#include <cuda_runtime.h> // of which .cu files need no include

extern const int WEIGHT_COUNT;
void triple(int *values, int count, cudaStream_t stream);
int devices_by_host_code();
