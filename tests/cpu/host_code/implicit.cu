// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Nothing of the C library is included: cuda_runtime.h has these for nvcc. Further headers of CUDA's toolkit.
#include <builtin_types.h>
#include <channel_descriptor.h>
#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_profiler_api.h>
#include <cudaProfiler.h>
#include <device_functions.h>
#include <host_defines.h>
#include <math_constants.h>
#include <math_functions.h>
#include <surface_types.h>
#include <texture_types.h>
#if !defined __CUDA_RUNTIME_H__ || !defined __DRIVER_TYPES_H__ || !defined __cuda_cuda_h__
#error "programs ask for these"
#endif
#include <cstdio>

__host__ __device__ float largest(float x, int i, unsigned u) { return max(x, (float)max(min(i, 3), (int)min(u, 9u))); }

__host__ __device__ cuDoubleComplex polynomial(cuDoubleComplex z) {
    return cuCdiv(cuCfma(z, z, make_cuDoubleComplex(1, CUDART_PI)), cuConj(z));
}

__global__ void evaluate(cuDoubleComplex *z, float *x) {
    *z = polynomial(*z);
    x[0] = largest(x[0], 5, 7);
    x[1] = cuCabsf(cuCdivf(make_cuFloatComplex(3e30f, 4e30f), make_cuComplex(1e30f, 0))) + rsqrtf(4.0f);
    x[2] = isinf(CUDART_INF_F) + isnan(CUDART_NAN_F) + (CUDART_NEG_ZERO_F == CUDART_ZERO_F);
}

// A pure virtual function, called by its pointer; conversions to bfloat16 on the host.
struct Shape {
    __device__ virtual float area() const = 0;
};
struct Square : Shape {
    float side;
    __device__ Square(float side) : side(side) {}
    __device__ float area() const override { return side * side; }
};
__global__ void measure(Shape **shape, float *area) {
    if (!*shape) *shape = new Square(3);
    else *area = (*shape)->area();
}

bool has_virtual_functions() {
    Shape **shape;
    float *area;
    cudaMallocManaged(&shape, sizeof *shape);
    cudaMallocManaged(&area, sizeof *area);
    *shape = nullptr;
    for (int i = 0; i < 2; i++) measure<<<1, 1>>>(shape, area);
    return cudaDeviceSynchronize() == cudaSuccess && *area == 9;
}

unsigned short bits_of(__nv_bfloat16 x) { return __nv_bfloat16_raw(x).x; }

bool converts(volatile float x, volatile double y) {
    bool right = bits_of(__nv_bfloat16(x)) == 0x3f80 && bits_of(__nv_bfloat16(x + 0x1p-7f)) == 0x3f81;
    right = right && bits_of(__nv_bfloat16(-x - 0x1p-8f)) == 0xbf80 && bits_of(__nv_bfloat16(x / 0)) == 0x7f80;
    right = right && bits_of(__nv_bfloat16(y + 0x1p-8)) == 0x3f80;
    right = right && bits_of(__nv_bfloat16(y + 0x1p-8 + 0x1p-40)) == 0x3f81;
    return right && bits_of(__nv_bfloat16(y * 1e300)) == 0x7f80 && bits_of(__nv_bfloat16(0 * (y / 0))) == 0x7fff;
}

bool makes_graphs() {
    cudaGraph_t graph;
    cudaGraphExec_t made;
    cudaGraphConditionalHandle handle;
    if (cudaGraphCreate(&graph, 0) || cudaGraphInstantiate(&made, graph, NULL, NULL, 0)) return false;
    cudaStream_t stream;
    size_t count = 0;
    if (cudaStreamCreate(&stream)) return false;
    if (cudaStreamBeginCaptureToGraph(stream, graph, NULL, NULL, 0, cudaStreamCaptureModeGlobal)) return false;
    measure<<<1, 1, 0, stream>>>(NULL, NULL);
    if (cudaStreamEndCapture(stream, NULL) || cudaGraphGetNodes(graph, NULL, &count) || count != 1) return false;
    return !cudaGraphConditionalHandleCreate(&handle, graph) && !cudaGraphExecDestroy(made) && !cudaGraphDestroy(graph);
}

int wrapped(int i) { return i * i; }

int main() {
    cuDoubleComplex *z, expected = polynomial(make_cuDoubleComplex(0.5, -2));
    float *x;
    cudaMallocManaged(&z, sizeof *z);
    cudaMallocManaged(&x, 12);
    *z = make_cuDoubleComplex(0.5, -2), x[0] = 6.5f;
    cudaProfilerStart();
    evaluate<<<1, 1>>>(z, x);
    cudaDeviceSynchronize();
    cudaProfilerStop();
    bool right = fabs(cuCreal(*z) - cuCreal(expected)) < 1e-14 && fabs(cuCimag(*z) - cuCimag(expected)) < 1e-14;
    right = right && x[0] == largest(6.5f, 5, 7) && x[0] == 7 && fabsf(x[1] - 5.5f) < 1e-6f && x[2] == 3;
    right = right && rsqrt(16.0) == 0.25;
    int *counts = (int *)calloc(65537, sizeof(int));
    for (int i = 0; i < 65537; i++) counts[i] = wrapped(i);
    for (int i = 0; i < 65537; i++) right = right && counts[i] == i * i;
    right = right && has_virtual_functions() && converts(1, 1) && makes_graphs();
    if (!right) printf("%.17g %.17g %g %g %g\n", cuCreal(*z), cuCimag(*z), x[0], x[1], x[2]);
    puts(right && strlen("four") == 4 && INT_MAX > 0 ? "fine" : "wrong");
    exit(0);
}
