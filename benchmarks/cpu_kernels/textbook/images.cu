// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
//
// Textbook kernels of images: filters, histogram equalisation, the transforms of JPEG and of wavelets, a fractal.
#include "textbook/dct.h"
#define KERNEL extern "C" __global__ void

__device__ __forceinline__ void order(unsigned char &a, unsigned char &b)
{
    const unsigned char least = min(a, b);
    b = max(a, b);
    a = least;
}

KERNEL median3(const unsigned char *__restrict__ from, unsigned char *__restrict__ to, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1)
        return;
    unsigned char p[9];
    #pragma unroll
    for (int j = 0; j < 3; j++)
        #pragma unroll
        for (int i = 0; i < 3; i++)
            p[j * 3 + i] = from[(y + j - 1) * width + x + i - 1];
    order(p[1], p[2]), order(p[4], p[5]), order(p[7], p[8]), order(p[0], p[1]), order(p[3], p[4]), order(p[6], p[7]);
    order(p[1], p[2]), order(p[4], p[5]), order(p[7], p[8]), order(p[0], p[3]), order(p[5], p[8]), order(p[4], p[7]);
    order(p[3], p[6]), order(p[1], p[4]), order(p[2], p[5]), order(p[4], p[7]);
    order(p[4], p[2]), order(p[6], p[4]), order(p[4], p[2]);
    to[y * width + x] = p[4];
}

#define RADIUS 2
#define SIDE (16 + 2 * RADIUS)

// 5 by 5, the borders repeat the last pixels; a tile with a border in shared memory.
KERNEL bilateral(const float *__restrict__ from, float *__restrict__ to, int width, int height, float space,
                 float range)
{
    __shared__ float tile[SIDE][SIDE];
    const int x0 = blockIdx.x * 16 - RADIUS, y0 = blockIdx.y * 16 - RADIUS;
    for (int i = threadIdx.y * 16 + threadIdx.x; i < SIDE * SIDE; i += 256) {
        const int ty = i / SIDE, tx = i % SIDE;
        tile[ty][tx] = from[min(max(y0 + ty, 0), height - 1) * width + min(max(x0 + tx, 0), width - 1)];
    }
    __syncthreads();
    const int x = x0 + RADIUS + threadIdx.x, y = y0 + RADIUS + threadIdx.y;
    if (x >= width || y >= height)
        return;
    const float centre = tile[threadIdx.y + RADIUS][threadIdx.x + RADIUS];
    float sum = 0, weights = 0;
    for (int dy = -RADIUS; dy <= RADIUS; dy++)
        for (int dx = -RADIUS; dx <= RADIUS; dx++) {
            const float v = tile[threadIdx.y + RADIUS + dy][threadIdx.x + RADIUS + dx];
            const float weight = expf(-(dx * dx + dy * dy) * space - (v - centre) * (v - centre) * range);
            sum += weight * v;
            weights += weight;
        }
    to[y * width + x] = sum / weights;
}

// Equalisation: a histogram by atomics in shared memory, a scan of the 256 bins in one block, a look-up table.
KERNEL equalise_clear(unsigned *bins)
{
    bins[threadIdx.x] = 0;
}

KERNEL equalise_count(const unsigned char *__restrict__ from, unsigned *bins, int n)
{
    __shared__ unsigned mine[256];
    mine[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[from[i]], 1);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

KERNEL equalise_table(const unsigned *bins, unsigned char *table, int n)
{
    __shared__ unsigned sums[256];
    const int t = threadIdx.x;
    sums[t] = bins[t];
    __syncthreads();
    for (int distance = 1; distance < 256; distance <<= 1) {
        const unsigned before = t >= distance ? sums[t - distance] : 0;
        __syncthreads();
        sums[t] += before;
        __syncthreads();
    }
    table[t] = (unsigned char)(sums[t] * 255.0f / n);
}

KERNEL equalise_apply(const unsigned char *__restrict__ from, const unsigned char *__restrict__ table,
                      unsigned char *__restrict__ to, int n)
{
    __shared__ unsigned char mine[256];
    mine[threadIdx.x] = table[threadIdx.x];
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        to[i] = mine[from[i]];
}

// The transform of tiles of 8 by 8, four by two of them per block; a thread does one row, then one column of a tile.
KERNEL dct8(const float *__restrict__ from, float *__restrict__ to, int stride)
{
    __shared__ float s[16][33];
    const int left = threadIdx.y * 8, top = threadIdx.z * 8, x = threadIdx.x;
    const size_t base = (size_t)(blockIdx.y * 16 + top) * stride + blockIdx.x * 32 + left + x;
    for (int i = 0; i < 8; i++)
        s[top + i][left + x] = from[base + (size_t)i * stride];
    __syncthreads();
    dct(&s[top + x][left], 1);
    __syncthreads();
    dct(&s[top][left + x], 33);
    __syncthreads();
    for (int i = 0; i < 8; i++)
        to[base + (size_t)i * stride] = s[top + i][left + x];
}

// All levels of a Haar transform of 512 values per block.
KERNEL haar(const float *__restrict__ from, float *__restrict__ to)
{
    __shared__ float s[512];
    const int t = threadIdx.x;
    const float root = 0.70710678f;
    s[t] = from[blockIdx.x * 512 + t];
    s[t + 256] = from[blockIdx.x * 512 + 256 + t];
    __syncthreads();
    for (int half = 256; half; half >>= 1) {
        float sum, difference;
        if (t < half) {
            sum = (s[2 * t] + s[2 * t + 1]) * root;
            difference = (s[2 * t] - s[2 * t + 1]) * root;
        }
        __syncthreads();
        if (t < half) {
            s[t] = sum;
            to[blockIdx.x * 512 + half + t] = difference;
        }
        __syncthreads();
    }
    if (t == 0)
        to[blockIdx.x * 512] = s[0];
}

KERNEL mandelbrot(unsigned short *to, int width, int height, float x0, float y0, float step, int most)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= width || row >= height)
        return;
    const float cx = x0 + column * step, cy = y0 + row * step;
    float x = 0, y = 0;
    int n = 0;
    while (x * x + y * y < 4.0f && n < most) {
        const float next = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = next;
        n++;
    }
    to[row * width + column] = n;
}
