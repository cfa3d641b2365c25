// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Streams, events that measure, functions of the host in a stream, textures, surfaces, memory of every kind, printf.
#include "check.h"
#include <cuda_runtime.h>

__global__ void fill(float *to, int n, float value) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) to[i] = value + i;
}
__global__ void sample(cudaTextureObject_t texture, float *to) {
    to[threadIdx.x] = tex2D<float>(texture, threadIdx.x + 0.5f, 1.5f);
}
__global__ void write(cudaSurfaceObject_t surface) {
    surf2Dwrite(float(threadIdx.x + 100), surface, threadIdx.x * sizeof(float), 1);
}
__global__ void greet() { printf("thread %d of block %d\n", threadIdx.x, blockIdx.x); }

void check_events() {
    const int n = 1 << 16;
    cudaStream_t streams[2];
    cudaEvent_t begin, end;
    float *device[2], *pinned, milliseconds = -1;
    OK(cudaEventCreate(&begin));
    OK(cudaEventCreate(&end));
    OK(cudaMallocHost(&pinned, 2 * n * sizeof(float)));
    for (int i = 0; i < 2; i++) {
        OK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
        OK(cudaMallocAsync(&device[i], n * sizeof(float), streams[i]));
    }
    OK(cudaEventRecord(begin, streams[0]));
    for (int i = 0; i < 2; i++) {
        fill<<<16, 128, 0, streams[i]>>>(device[i], n, 10.0f * i);
        OK(cudaMemcpyAsync(pinned + i * n, device[i], n * sizeof(float), cudaMemcpyDeviceToHost, streams[i]));
    }
    OK(cudaEventRecord(end, streams[0]));
    OK(cudaEventSynchronize(end));
    OK(cudaEventElapsedTime(&milliseconds, begin, end));
    IS(milliseconds > 0);
    int told = 0;
    OK(cudaLaunchHostFunc(streams[1], [](void *to) { *(int *)to = 5; }, &told));
    OK(cudaStreamSynchronize(streams[1]));
    OK(cudaStreamQuery(streams[0]));
    IS(told == 5 && pinned[n - 1] == n - 1 && pinned[n] == 10);
    for (int i = 0; i < 2; i++) {
        OK(cudaFreeAsync(device[i], streams[i]));
        OK(cudaStreamDestroy(streams[i]));
    }
    OK(cudaFreeHost(pinned));
    OK(cudaEventDestroy(begin));
    OK(cudaEventDestroy(end));
}

void check_textures() {
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    float cells[2][4] = {{0, 1, 2, 3}, {4, 5, 6, 7}}, got[4], *out;
    OK(cudaMallocArray(&array, &channel, 4, 2, cudaArraySurfaceLoadStore));
    OK(cudaMemcpy2DToArray(array, 0, 0, cells, sizeof cells[0], sizeof cells[0], 2, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc how = {};
    how.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture;
    cudaSurfaceObject_t surface;
    OK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    OK(cudaCreateSurfaceObject(&surface, &resource));
    OK(cudaMalloc(&out, sizeof got));
    sample<<<1, 4>>>(texture, out);
    OK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    IS(got[0] == 4 && got[3] == 7);
    write<<<1, 4>>>(surface);
    sample<<<1, 4>>>(texture, out);
    OK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    IS(got[0] == 100 && got[3] == 103);
    OK(cudaDestroyTextureObject(texture));
    OK(cudaDestroySurfaceObject(surface));
    OK(cudaFreeArray(array));
}

int main() {
    cudaDeviceProp about;
    int devices, version;
    OK(cudaGetDeviceCount(&devices));
    OK(cudaGetDeviceProperties(&about, 0));
    OK(cudaRuntimeGetVersion(&version));
    IS(devices == 1 && about.warpSize == 32 && version / 1000 == 13);
    check_events();
    check_textures();
    float *managed;
    OK(cudaMallocManaged(&managed, 100 * sizeof(float)));
    fill<<<1, 32>>>(managed, 100, 1);
    OK(cudaDeviceSynchronize());
    IS(managed[99] == 100);
    std::puts("before");
    std::fflush(stdout);
    greet<<<2, 1>>>();
    OK(cudaDeviceSynchronize());
    std::puts("fine");
}
