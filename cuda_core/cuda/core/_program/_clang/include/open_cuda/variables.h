// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Built-in variables: CUDA C++ Programming Guide, "Built-in Variables". Each member reads a special register.
#pragma once
#include "vector_types.h"

#define __OPEN_CUDA_MEMBER(member, read)             \
    __declspec(property(get = get_##member)) unsigned member; \
    static __device__ __inline__ __attribute__((always_inline)) unsigned get_##member() { return read; }
#define __OPEN_CUDA_VARIABLE(type, conversion, x_, y_, z_)                                     \
    struct type {                                                                              \
        __OPEN_CUDA_MEMBER(x, x_)                                                              \
        __OPEN_CUDA_MEMBER(y, y_)                                                              \
        __OPEN_CUDA_MEMBER(z, z_)                                                              \
        __device__ __inline__ __attribute__((always_inline)) operator uint3() const {          \
            return uint3{get_x(), get_y(), get_z()};                                           \
        }                                                                                      \
        conversion                                                                             \
        type() = delete;                                                                       \
        type(const type &) = delete;                                                           \
        void operator=(const type &) = delete;                                                 \
        type *operator&() const = delete;                                                      \
    }
#define __OPEN_CUDA_TO_DIM3                                                                    \
    __device__ __inline__ __attribute__((always_inline)) operator dim3() const {               \
        return dim3(get_x(), get_y(), get_z());                                                \
    }

__OPEN_CUDA_VARIABLE(__open_cuda_thread_index, , __nvvm_read_ptx_sreg_tid_x(), __nvvm_read_ptx_sreg_tid_y(),
                     __nvvm_read_ptx_sreg_tid_z());
__OPEN_CUDA_VARIABLE(__open_cuda_block_index, , __nvvm_read_ptx_sreg_ctaid_x(), __nvvm_read_ptx_sreg_ctaid_y(),
                     __nvvm_read_ptx_sreg_ctaid_z());
__OPEN_CUDA_VARIABLE(__open_cuda_block_size, __OPEN_CUDA_TO_DIM3, __nvvm_read_ptx_sreg_ntid_x(),
                     __nvvm_read_ptx_sreg_ntid_y(), __nvvm_read_ptx_sreg_ntid_z());
__OPEN_CUDA_VARIABLE(__open_cuda_grid_size, __OPEN_CUDA_TO_DIM3, __nvvm_read_ptx_sreg_nctaid_x(),
                     __nvvm_read_ptx_sreg_nctaid_y(), __nvvm_read_ptx_sreg_nctaid_z());

extern const __device__ __attribute__((weak)) __open_cuda_thread_index threadIdx;
extern const __device__ __attribute__((weak)) __open_cuda_block_index blockIdx;
extern const __device__ __attribute__((weak)) __open_cuda_block_size blockDim;
extern const __device__ __attribute__((weak)) __open_cuda_grid_size gridDim;
__attribute__((device)) constexpr int warpSize = 32;
