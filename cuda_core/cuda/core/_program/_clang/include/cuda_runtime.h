// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// What every CUDA C++ program sees without an include, as with NVRTC.
#pragma once
#pragma clang system_header
#include "open_cuda/common.h"
#include "open_cuda/memory.h"
#include "open_cuda/clusters.h"
#include "open_cuda/surfaces.h"
#include "open_cuda/device_runtime.h"
#include "open_cuda/simd.h"
#include "open_cuda/math.h"
