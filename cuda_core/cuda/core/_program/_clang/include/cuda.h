// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Whole programs only: the driver API.
#pragma once
#include "cuda_runtime.h"

#ifndef __OPEN_CUDA_PROGRAM__
#error "cuda.h is for host code: programs with host code are compiled by python -m cuda.cpu cc"
#endif
#define __cuda_cuda_h__
#define CUDAAPI
#define CUDA_CB
#undef CUDA_VERSION
#include "open_cuda/driver_api.h"
