// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Surface functions: CUDA C++ Programming Guide, "Surface Functions"; instructions suld and sust of the PTX manual. The
// first coordinate counts bytes; elements are transferred as bytes, whatever their type is.
#pragma once
#include "textures.h"

typedef unsigned long long cudaSurfaceObject_t;
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero = 0, cudaBoundaryModeClamp = 1, cudaBoundaryModeTrap = 2 };

// An element of 1, 2, 4, 8 or 16 bytes as words.
template <unsigned Size> struct __open_cuda_surfel; // surfaces have no elements of other sizes
template <> struct __open_cuda_surfel<1> { unsigned short x; };
template <> struct __open_cuda_surfel<2> { unsigned short x; };
template <> struct __open_cuda_surfel<4> { unsigned x; };
template <> struct __open_cuda_surfel<8> { unsigned x, y; };
template <> struct __open_cuda_surfel<16> { unsigned x, y, z, w; };

#define __OPEN_CUDA_SURFACE_OUT1(reg) [a] "=" reg(v.x)
#define __OPEN_CUDA_SURFACE_OUT2(reg) __OPEN_CUDA_SURFACE_OUT1(reg), [b] "=" reg(v.y)
#define __OPEN_CUDA_SURFACE_OUT4(reg) __OPEN_CUDA_SURFACE_OUT2(reg), [c] "=" reg(v.z), [d] "=" reg(v.w)
#define __OPEN_CUDA_SURFACE_IN1(reg) [a] reg(v.x)
#define __OPEN_CUDA_SURFACE_IN2(reg) __OPEN_CUDA_SURFACE_IN1(reg), [b] reg(v.y)
#define __OPEN_CUDA_SURFACE_IN4(reg) __OPEN_CUDA_SURFACE_IN2(reg), [c] reg(v.z), [d] reg(v.w)
#define __OPEN_CUDA_SURFACE_WORDS1 "%[a]"
#define __OPEN_CUDA_SURFACE_WORDS2 "{%[a], %[b]}"
#define __OPEN_CUDA_SURFACE_WORDS4 "{%[a], %[b], %[c], %[d]}"

#define __OPEN_CUDA_SULD(kind, at, count, word, reg, mode, ...)                                                \
    asm volatile("suld.b." kind "." word "." mode " " __OPEN_CUDA_SURFACE_WORDS##count ", [%[s], " at "];"     \
                 : __OPEN_CUDA_SURFACE_OUT##count(reg) : [s] "l"(surface), __VA_ARGS__ : "memory")
#define __OPEN_CUDA_SUST(kind, at, count, word, reg, mode, ...)                                                \
    asm volatile("sust.b." kind "." word "." mode " [%[s], " at "], " __OPEN_CUDA_SURFACE_WORDS##count ";"     \
                 ::__OPEN_CUDA_SURFACE_IN##count(reg), [s] "l"(surface), __VA_ARGS__ : "memory")
#define __OPEN_CUDA_BY_MODE(instruction, ...)                                                                  \
    if (boundary == cudaBoundaryModeTrap) instruction(__VA_ARGS__, "trap", __OPEN_CUDA_COORDINATES);           \
    else if (boundary == cudaBoundaryModeClamp) instruction(__VA_ARGS__, "clamp", __OPEN_CUDA_COORDINATES);    \
    else instruction(__VA_ARGS__, "zero", __OPEN_CUDA_COORDINATES)
#define __OPEN_CUDA_BY_SIZE(instruction, kind, at)                                                             \
    if constexpr (sizeof(T) == 1) { __OPEN_CUDA_BY_MODE(instruction, kind, at, 1, "b8", "h"); }                \
    else if constexpr (sizeof(T) == 2) { __OPEN_CUDA_BY_MODE(instruction, kind, at, 1, "b16", "h"); }          \
    else if constexpr (sizeof(T) == 4) { __OPEN_CUDA_BY_MODE(instruction, kind, at, 1, "b32", "r"); }          \
    else if constexpr (sizeof(T) == 8) { __OPEN_CUDA_BY_MODE(instruction, kind, at, 2, "v2.b32", "r"); }       \
    else { __OPEN_CUDA_BY_MODE(instruction, kind, at, 4, "v4.b32", "r"); }

// Reads and writes of one geometry; its coordinates are __OPEN_CUDA_COORDINATES.
#define __OPEN_CUDA_SURFACE(name, kind, at, parameters)                                                        \
    template <class T>                                                                                         \
    __OPEN_CUDA_FN void name##read(T *to, cudaSurfaceObject_t surface, __OPEN_CUDA_LIST parameters,            \
                                   cudaSurfaceBoundaryMode boundary = cudaBoundaryModeTrap) {                  \
        __open_cuda_surfel<sizeof(T)> v;                                                                       \
        __OPEN_CUDA_BY_SIZE(__OPEN_CUDA_SULD, kind, at)                                                        \
        __builtin_memcpy(to, &v, sizeof(T));                                                                   \
    }                                                                                                          \
    template <class T>                                                                                         \
    __OPEN_CUDA_FN T name##read(cudaSurfaceObject_t surface, __OPEN_CUDA_LIST parameters,                      \
                                cudaSurfaceBoundaryMode boundary = cudaBoundaryModeTrap) {                     \
        __open_cuda_surfel<sizeof(T)> v;                                                                       \
        __OPEN_CUDA_BY_SIZE(__OPEN_CUDA_SULD, kind, at)                                                        \
        T value;                                                                                               \
        __builtin_memcpy(&value, &v, sizeof(T));                                                               \
        return value;                                                                                          \
    }                                                                                                          \
    template <class T>                                                                                         \
    __OPEN_CUDA_FN void name##write(T value, cudaSurfaceObject_t surface, __OPEN_CUDA_LIST parameters,         \
                                    cudaSurfaceBoundaryMode boundary = cudaBoundaryModeTrap) {                 \
        __open_cuda_surfel<sizeof(T)> v = {};                                                                  \
        __builtin_memcpy(&v, &value, sizeof(T));                                                               \
        __OPEN_CUDA_BY_SIZE(__OPEN_CUDA_SUST, kind, at)                                                        \
    }
#define __OPEN_CUDA_COORDINATES [x] "r"(x)
__OPEN_CUDA_SURFACE(surf1D, "1d", "{%[x]}", (int x))
#undef __OPEN_CUDA_COORDINATES
#define __OPEN_CUDA_COORDINATES [x] "r"(x), [y] "r"(y)
__OPEN_CUDA_SURFACE(surf2D, "2d", "{%[x], %[y]}", (int x, int y))
#undef __OPEN_CUDA_COORDINATES
#define __OPEN_CUDA_COORDINATES [x] "r"(x), [y] "r"(y), [z] "r"(z)
__OPEN_CUDA_SURFACE(surf3D, "3d", "{%[x], %[y], %[z], %[z]}", (int x, int y, int z))
#undef __OPEN_CUDA_COORDINATES
#define __OPEN_CUDA_COORDINATES [x] "r"(x), [layer] "r"(layer)
__OPEN_CUDA_SURFACE(surf1DLayered, "a1d", "{%[layer], %[x]}", (int x, int layer))
#undef __OPEN_CUDA_COORDINATES
#define __OPEN_CUDA_COORDINATES [x] "r"(x), [y] "r"(y), [layer] "r"(layer)
__OPEN_CUDA_SURFACE(surf2DLayered, "a2d", "{%[layer], %[x], %[y], %[y]}", (int x, int y, int layer))
// Faces are layers; those of layer n of a layered cubemap begin at 6 n.
__OPEN_CUDA_SURFACE(surfCubemap, "a2d", "{%[layer], %[x], %[y], %[y]}", (int x, int y, int layer))
__OPEN_CUDA_SURFACE(surfCubemapLayered, "a2d", "{%[layer], %[x], %[y], %[y]}", (int x, int y, int layer))
#undef __OPEN_CUDA_COORDINATES
