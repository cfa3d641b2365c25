// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Complex numbers of C, for host and device code, with the names of CUDA's cuComplex.h.
#pragma once
#include "cuda_runtime.h"

// s: the suffix of float's functions, empty for double.
#define __OPEN_CUDA_COMPLEX_FUNCTIONS(name, type, vector, s)                                                         \
    typedef vector name;                                                                                             \
    __OPEN_CUDA_HOST_DEVICE type cuCreal##s(name x) { return x.x; }                                                    \
    __OPEN_CUDA_HOST_DEVICE type cuCimag##s(name x) { return x.y; }                                                    \
    __OPEN_CUDA_HOST_DEVICE name make_##name(type real, type imaginary) { return make_##vector(real, imaginary); }     \
    __OPEN_CUDA_HOST_DEVICE name cuConj##s(name x) { return make_##vector(x.x, -x.y); }                                \
    __OPEN_CUDA_HOST_DEVICE name cuCadd##s(name x, name y) { return make_##vector(x.x + y.x, x.y + y.y); }             \
    __OPEN_CUDA_HOST_DEVICE name cuCsub##s(name x, name y) { return make_##vector(x.x - y.x, x.y - y.y); }             \
    __OPEN_CUDA_HOST_DEVICE name cuCmul##s(name x, name y) {                                                           \
        return make_##vector(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);                                          \
    }                                                                                                                \
    /* Scaled by the larger part of the divisor: its square may be too large or too small for the type. */           \
    __OPEN_CUDA_HOST_DEVICE name cuCdiv##s(name x, name y) {                                                           \
        if (fabs##s(y.x) >= fabs##s(y.y)) {                                                                          \
            type ratio = y.y / y.x, divisor = y.x + y.y * ratio;                                                     \
            return make_##vector((x.x + x.y * ratio) / divisor, (x.y - x.x * ratio) / divisor);                      \
        }                                                                                                            \
        type ratio = y.x / y.y, divisor = y.x * ratio + y.y;                                                         \
        return make_##vector((x.x * ratio + x.y) / divisor, (x.y * ratio - x.x) / divisor);                          \
    }                                                                                                                \
    __OPEN_CUDA_HOST_DEVICE type cuCabs##s(name x) { return hypot##s(x.x, x.y); }                                      \
    __OPEN_CUDA_HOST_DEVICE name cuCfma##s(name x, name y, name z) { return cuCadd##s(cuCmul##s(x, y), z); }

__OPEN_CUDA_COMPLEX_FUNCTIONS(cuFloatComplex, float, float2, f)
__OPEN_CUDA_COMPLEX_FUNCTIONS(cuDoubleComplex, double, double2, )
typedef cuFloatComplex cuComplex;
__OPEN_CUDA_HOST_DEVICE cuComplex make_cuComplex(float real, float imaginary) { return make_float2(real, imaginary); }
__OPEN_CUDA_HOST_DEVICE cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex x) { return make_double2(x.x, x.y); }
__OPEN_CUDA_HOST_DEVICE cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex x) {
    return make_float2((float)x.x, (float)x.y);
}
