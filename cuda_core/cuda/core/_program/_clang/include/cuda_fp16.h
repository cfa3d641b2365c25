// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Half precision: CUDA Math API, "Half Precision Intrinsics".
#pragma once
#pragma clang system_header
#include "open_cuda/short_float_formats.h"

struct __nv_bfloat16;
#define __OPEN_CUDA_T __half
#define __OPEN_CUDA_T2 __half2
#define __OPEN_CUDA_RAW __half_raw
#define __OPEN_CUDA_RAW2 __half2_raw
#define __OPEN_CUDA_OTHER __nv_bfloat16
#define __OPEN_CUDA_FORMAT __open_cuda_half_format
#define __OPEN_CUDA_WORD "f16"
#define __OPEN_CUDA_KIND half
#define __OPEN_CUDA_TWICE __half2half2
#define __OPEN_CUDA_INFINITE 0x7c00
#define __OPEN_CUDA_ADDS 1
#define __OPEN_CUDA_ADD_ATOMS 1
#include "open_cuda/short_float.h"
#include "open_cuda/short_float_arithmetic.h"
#ifdef __OPEN_CUDA_PROGRAM__
#include "open_cuda/short_float_host.h"
#endif
#include "open_cuda/short_float_end.h"

typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half_raw __nv_half_raw;
typedef __half2_raw __nv_half2_raw;

#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7c00)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7fff)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7bff)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half((unsigned short)0x8000)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3c00)
