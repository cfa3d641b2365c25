// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// What every CUDA C++ program sees without an include, as with NVRTC.
#pragma once
#pragma clang system_header
#include "vector_functions.h"
#include "open_cuda/variables.h"
#include "open_cuda/runtime.h"
#include "open_cuda/memory.h"
#include "open_cuda/clusters.h"
#include "open_cuda/surfaces.h"
#include "open_cuda/device_runtime.h"
#include "open_cuda/integers.h"
#include "open_cuda/simd.h"
#include "open_cuda/conversions.h"
#include "open_cuda/rounding.h"
#include "open_cuda/warp.h"
#include "open_cuda/atomics.h"
#include "open_cuda/math.h"
#include "open_cuda/standard.h"
