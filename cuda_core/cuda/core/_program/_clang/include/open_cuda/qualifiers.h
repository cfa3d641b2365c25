// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Execution spaces, memory spaces and attributes: CUDA C++ Programming Guide, "C++ Language Extensions".
#pragma once

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#ifdef __CUDA_ARCH__
#define __OPEN_CUDA_ARCH __CUDA_ARCH__ // the compilation for the host has an option that defines it
#endif
#define __grid_constant__ __attribute__((grid_constant))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __inline_hint__ __inline__
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __builtin_align__(n) __align__(n)
#define __nv_pure__ __attribute__((const))
#define __thread__ __thread
#define CUDARTAPI
#define CUDART_CB
#define __CUDACC__ 1
#ifndef __OPEN_CUDA_PROGRAM__
#define __CUDACC_RTC__ 1
#endif
#ifdef __OPEN_CUDA_FAST_MATH__
#define __USE_FAST_MATH__ 1
#endif

// How functions of these headers are declared.
#define __OPEN_CUDA_FN static __device__ __inline__ __attribute__((always_inline, unused))
#define __OPEN_CUDA_HOST_DEVICE static __host__ __device__ __inline__ __attribute__((always_inline, unused))
#define __OPEN_CUDA_HOST_DEVICE_CONST __OPEN_CUDA_HOST_DEVICE __attribute__((const))
#define __OPEN_CUDA_CONST static __device__ __inline__ __attribute__((always_inline, unused, const))

#ifdef __OPEN_CUDA_PROGRAM__ // with host code: what host headers declare, too, comes from them; cuda_runtime.h has these for nvcc
#include "math_declared.h"
#include <limits.h>
#include <math.h>
#include <new>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#endif
typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
#include "attributes.h"
