// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Texture functions: CUDA C++ Programming Guide, "Texture Functions"; instructions tex and tld4 of the PTX manual.
#pragma once
#include "../vector_types.h"

typedef unsigned long long cudaTextureObject_t;

// How a texel of type T is fetched: as four floats, signed or unsigned integers, of which T takes the first ones.
template <class E> struct __open_cuda_wide { typedef int4 type; };
template <> struct __open_cuda_wide<unsigned char> { typedef uint4 type; };
template <> struct __open_cuda_wide<unsigned short> { typedef uint4 type; };
template <> struct __open_cuda_wide<unsigned int> { typedef uint4 type; };
template <> struct __open_cuda_wide<unsigned long> { typedef uint4 type; };
template <> struct __open_cuda_wide<float> { typedef float4 type; };
template <class T> struct __open_cuda_texel; // not of this type: textures have no texels of type T
#define __OPEN_CUDA_TEXEL(T, E, ...)                                                              \
    template <> struct __open_cuda_texel<T> {                                                     \
        typedef E element;                                                                        \
        typedef __open_cuda_wide<E>::type wide;                                                   \
        static __device__ __inline__ __attribute__((always_inline)) T of(wide v) { return __VA_ARGS__; } \
    };
#define __OPEN_CUDA_TEXELS(name, E)                                                               \
    __OPEN_CUDA_TEXEL(E, E, (E)v.x)                                                               \
    __OPEN_CUDA_TEXEL(name##1, E, name##1{(E)v.x})                                                \
    __OPEN_CUDA_TEXEL(name##2, E, name##2{(E)v.x, (E)v.y})                                        \
    __OPEN_CUDA_TEXEL(name##4, E, name##4{(E)v.x, (E)v.y, (E)v.z, (E)v.w})
__OPEN_CUDA_TEXELS(char, signed char)
__OPEN_CUDA_TEXELS(uchar, unsigned char)
__OPEN_CUDA_TEXELS(short, short)
__OPEN_CUDA_TEXELS(ushort, unsigned short)
__OPEN_CUDA_TEXELS(int, int)
__OPEN_CUDA_TEXELS(uint, unsigned int)
__OPEN_CUDA_TEXELS(float, float)
__OPEN_CUDA_TEXEL(char, char, (char)v.x)

// `parameters` and `arguments` are in parentheses; the last ones are the inputs of the instruction from operand 5 on.
#define __OPEN_CUDA_LIST(...) __VA_ARGS__
#define __OPEN_CUDA_FETCH_AS(name, wide, opcode, word, reg, at, operands, parameters, ...)                     \
    __OPEN_CUDA_FN wide __open_cuda_##name(wide, cudaTextureObject_t texture, __OPEN_CUDA_LIST parameters) {   \
        wide v;                                                                                                \
        asm(opcode ".v4." word "." at " {%0, %1, %2, %3}, [%4, " operands ";"                                  \
            : "=" reg(v.x), "=" reg(v.y), "=" reg(v.z), "=" reg(v.w) : "l"(texture), __VA_ARGS__);             \
        return v;                                                                                              \
    }
#define __OPEN_CUDA_FETCH(name, opcode, at, operands, parameters, ...)                                         \
    __OPEN_CUDA_FETCH_AS(name, float4, opcode, "f32", "f", at, operands, parameters, __VA_ARGS__)              \
    __OPEN_CUDA_FETCH_AS(name, int4, opcode, "s32", "r", at, operands, parameters, __VA_ARGS__)                \
    __OPEN_CUDA_FETCH_AS(name, uint4, opcode, "u32", "r", at, operands, parameters, __VA_ARGS__)
#define __OPEN_CUDA_TEXTURE(name, opcode, at, operands, parameters, arguments, ...)                            \
    __OPEN_CUDA_FETCH(name, opcode, at, operands, parameters, __VA_ARGS__)                                     \
    template <class T> __OPEN_CUDA_FN T name(cudaTextureObject_t texture, __OPEN_CUDA_LIST parameters) {       \
        typedef __open_cuda_texel<T> texel;                                                                    \
        return texel::of(__open_cuda_##name(typename texel::wide(), texture, __OPEN_CUDA_LIST arguments));     \
    }                                                                                                          \
    template <class T>                                                                                         \
    __OPEN_CUDA_FN void name(T *to, cudaTextureObject_t texture, __OPEN_CUDA_LIST parameters) {                \
        *to = name<T>(texture, __OPEN_CUDA_LIST arguments);                                                    \
    }
// A geometry with the three ways to choose the level of detail.
#define __OPEN_CUDA_GEOMETRY(name, kind, at, level, gradients, parameters, arguments, steps, inputs, step_inputs)    \
    __OPEN_CUDA_TEXTURE(name, "tex." kind, "f32", at "]", (__OPEN_CUDA_LIST parameters),                       \
                        (__OPEN_CUDA_LIST arguments), __OPEN_CUDA_LIST inputs)                                 \
    __OPEN_CUDA_TEXTURE(name##Lod, "tex.level." kind, "f32", at "], " level,                                   \
                        (__OPEN_CUDA_LIST parameters, float level_), (__OPEN_CUDA_LIST arguments, level_),     \
                        __OPEN_CUDA_LIST inputs, "f"(level_))                                                  \
    __OPEN_CUDA_TEXTURE(name##Grad, "tex.grad." kind, "f32", at "], " gradients,                               \
                        (__OPEN_CUDA_LIST parameters, steps dx, steps dy), (__OPEN_CUDA_LIST arguments, dx, dy), \
                        __OPEN_CUDA_LIST inputs, __OPEN_CUDA_LIST step_inputs)

#define __OPEN_CUDA_STEPS1 ("f"(dx), "f"(dy))
#define __OPEN_CUDA_STEPS2 ("f"(dx.x), "f"(dx.y), "f"(dy.x), "f"(dy.y))
#define __OPEN_CUDA_STEPS3 ("f"(dx.x), "f"(dx.y), "f"(dx.z), "f"(dy.x), "f"(dy.y), "f"(dy.z))
__OPEN_CUDA_GEOMETRY(tex1D, "1d", "{%5}", "%6", "{%6}, {%7}", (float x), (x), float, ("f"(x)), __OPEN_CUDA_STEPS1)
__OPEN_CUDA_GEOMETRY(tex1DLayered, "a1d", "{%6, %5}", "%7", "{%7}, {%8}", (float x, int layer), (x, layer), float,
                     ("f"(x), "r"(layer)), __OPEN_CUDA_STEPS1)
__OPEN_CUDA_GEOMETRY(tex2D, "2d", "{%5, %6}", "%7", "{%7, %8}, {%9, %10}", (float x, float y), (x, y), float2, ("f"(x), "f"(y)), __OPEN_CUDA_STEPS2)
__OPEN_CUDA_GEOMETRY(tex2DLayered, "a2d", "{%7, %5, %6, %6}", "%8", "{%8, %9}, {%10, %11}",
                     (float x, float y, int layer), (x, y, layer), float2, ("f"(x), "f"(y), "r"(layer)),
                     __OPEN_CUDA_STEPS2)
__OPEN_CUDA_GEOMETRY(tex3D, "3d", "{%5, %6, %7, %7}", "%8", "{%8, %9, %10, %10}, {%11, %12, %13, %13}",
                     (float x, float y, float z), (x, y, z), float4, ("f"(x), "f"(y), "f"(z)), __OPEN_CUDA_STEPS3)
__OPEN_CUDA_GEOMETRY(texCubemap, "cube", "{%5, %6, %7, %7}", "%8", "{%8, %9, %10, %10}, {%11, %12, %13, %13}",
                     (float x, float y, float z), (x, y, z), float4, ("f"(x), "f"(y), "f"(z)), __OPEN_CUDA_STEPS3)
__OPEN_CUDA_GEOMETRY(texCubemapLayered, "acube", "{%8, %5, %6, %7}", "%9", "{%9, %10, %11, %11}, {%12, %13, %14, %14}",
                     (float x, float y, float z, int layer), (x, y, z, layer), float4,
                     ("f"(x), "f"(y), "f"(z), "r"(layer)), __OPEN_CUDA_STEPS3)
__OPEN_CUDA_TEXTURE(tex1Dfetch, "tex.1d", "s32", "{%5}]", (int x), (x), "r"(x))

// One channel of the four texels that a linear filter would use.
__OPEN_CUDA_FETCH(gather_x, "tld4.r.2d", "f32", "{%5, %6}]", (float x, float y), "f"(x), "f"(y))
__OPEN_CUDA_FETCH(gather_y, "tld4.g.2d", "f32", "{%5, %6}]", (float x, float y), "f"(x), "f"(y))
__OPEN_CUDA_FETCH(gather_z, "tld4.b.2d", "f32", "{%5, %6}]", (float x, float y), "f"(x), "f"(y))
__OPEN_CUDA_FETCH(gather_w, "tld4.a.2d", "f32", "{%5, %6}]", (float x, float y), "f"(x), "f"(y))
template <class T> __OPEN_CUDA_FN T tex2Dgather(cudaTextureObject_t texture, float x, float y, int channel = 0) {
    typedef __open_cuda_texel<T> texel;
    typename texel::wide v = {};
    if (channel == 0) v = __open_cuda_gather_x(v, texture, x, y);
    else if (channel == 1) v = __open_cuda_gather_y(v, texture, x, y);
    else if (channel == 2) v = __open_cuda_gather_z(v, texture, x, y);
    else if (channel == 3) v = __open_cuda_gather_w(v, texture, x, y);
    return texel::of(v);
}
template <class T>
__OPEN_CUDA_FN void tex2Dgather(T *to, cudaTextureObject_t texture, float x, float y, int channel = 0) {
    *to = tex2Dgather<T>(texture, x, y, channel);
}
