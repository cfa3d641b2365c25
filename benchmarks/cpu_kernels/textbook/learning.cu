// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
//
// Textbook kernels of neural networks: softmax, normalisation, attention, layouts, pooling, nearest neighbours.
#include <math_constants.h>
#define KERNEL extern "C" __global__ void

__device__ float block_reduce(float value, float *shared, bool greatest)
{
    const int t = threadIdx.x;
    shared[t] = value;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half >>= 1) {
        if (t < half)
            shared[t] = greatest ? fmaxf(shared[t], shared[t + half]) : shared[t] + shared[t + half];
        __syncthreads();
    }
    const float result = shared[0];
    __syncthreads();
    return result;
}

KERNEL softmax(const float *__restrict__ x, float *__restrict__ y, int columns)   // a block per row
{
    __shared__ float shared[128];
    const float *row = x + (size_t)blockIdx.x * columns;
    float most = -CUDART_INF_F;
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        most = fmaxf(most, row[i]);
    most = block_reduce(most, shared, true);
    float sum = 0;
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        sum += expf(row[i] - most);
    sum = block_reduce(sum, shared, false);
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        y[(size_t)blockIdx.x * columns + i] = expf(row[i] - most) / sum;
}

__device__ __forceinline__ float warp_sum(float value)
{
    #pragma unroll
    for (int distance = 16; distance; distance >>= 1)
        value += __shfl_xor_sync(0xffffffffu, value, distance);
    return value;
}

KERNEL layernorm(const float4 *__restrict__ x, const float4 *__restrict__ gamma, const float4 *__restrict__ beta,
                 float4 *__restrict__ y, int rows, int columns4)   // a warp per row
{
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
    if (warp >= rows)
        return;
    const float4 *row = x + (size_t)warp * columns4;
    float sum = 0, squares = 0;
    for (int i = lane; i < columns4; i += 32) {
        const float4 v = row[i];
        sum += v.x + v.y + v.z + v.w;
        squares += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    sum = warp_sum(sum);
    squares = warp_sum(squares);
    const float mean = sum / (columns4 * 4), scale = rsqrtf(squares / (columns4 * 4) - mean * mean + 1e-5f);
    for (int i = lane; i < columns4; i += 32) {
        float4 v = row[i], g = gamma[i], b = beta[i];
        v.x = (v.x - mean) * scale * g.x + b.x;
        v.y = (v.y - mean) * scale * g.y + b.y;
        v.z = (v.z - mean) * scale * g.z + b.z;
        v.w = (v.w - mean) * scale * g.w + b.w;
        y[(size_t)warp * columns4 + i] = v;
    }
}

#define HEAD 32
#define KEYS 32

// A thread per query, tiles of keys and values in shared memory, softmax in one pass.
KERNEL attention(const float *__restrict__ queries, const float *__restrict__ keys, const float *__restrict__ values,
                 float *__restrict__ to, int n, float scale)
{
    __shared__ float tile_keys[KEYS][HEAD], tile_values[KEYS][HEAD];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const size_t head = (size_t)blockIdx.y * n * HEAD;
    queries += head, keys += head, values += head, to += head;
    float query[HEAD], sums[HEAD], most = -1e30f, weights = 0;
    #pragma unroll
    for (int d = 0; d < HEAD; d++) {
        query[d] = queries[(size_t)i * HEAD + d] * scale;
        sums[d] = 0;
    }
    for (int first = 0; first < n; first += KEYS) {
        for (int e = threadIdx.x; e < KEYS * HEAD; e += blockDim.x) {
            (&tile_keys[0][0])[e] = keys[first * HEAD + e];
            (&tile_values[0][0])[e] = values[first * HEAD + e];
        }
        __syncthreads();
        for (int j = 0; j < KEYS; j++) {
            float score = 0;
            #pragma unroll
            for (int d = 0; d < HEAD; d++)
                score += query[d] * tile_keys[j][d];
            const float next = fmaxf(most, score), correction = __expf(most - next), weight = __expf(score - next);
            weights = weights * correction + weight;
            most = next;
            #pragma unroll
            for (int d = 0; d < HEAD; d++)
                sums[d] = sums[d] * correction + weight * tile_values[j][d];
        }
        __syncthreads();
    }
    #pragma unroll
    for (int d = 0; d < HEAD; d++)
        to[(size_t)i * HEAD + d] = sums[d] / weights;
}

// A thread per channel and pixel copies the pixel's neighbours.
KERNEL im2col(int n, const float *__restrict__ image, int height, int width, int kernel, int padding,
              float *__restrict__ to)
{
    const int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= n)
        return;
    const int column = index % width, row = (index / width) % height, channel = index / (width * height);
    const int top = row - padding, left = column - padding;
    float *out = to + ((size_t)(channel * kernel * kernel) * height + row) * width + column;
    const float *in = image + ((size_t)channel * height + top) * width + left;
    for (int i = 0; i < kernel; i++)
        for (int j = 0; j < kernel; j++) {
            const int y = top + i, x = left + j;
            *out = (y >= 0 && x >= 0 && y < height && x < width) ? in[i * width + j] : 0.f;
            out += height * width;
        }
}

// 3 by 3, stride 2, padding 1, with the index of the maximum.
KERNEL maxpool(const float *__restrict__ from, float *__restrict__ to, int *__restrict__ indices, int total, int height,
               int width, int rows, int columns)
{
    for (int t = blockIdx.x * blockDim.x + threadIdx.x; t < total; t += gridDim.x * blockDim.x) {
        const int x = t % columns, y = (t / columns) % rows, channel = t / (columns * rows);
        const int y0 = max(y * 2 - 1, 0), y1 = min(y * 2 + 2, height);
        const int x0 = max(x * 2 - 1, 0), x1 = min(x * 2 + 2, width);
        const float *p = from + (size_t)channel * height * width;
        float most = -3.4e38f;
        int best = -1;
        for (int i = y0; i < y1; i++)
            for (int j = x0; j < x1; j++) {
                const float v = p[i * width + j];
                if (v > most) {
                    most = v;
                    best = i * width + j;
                }
            }
        to[t] = most;
        indices[t] = best;
    }
}

// A transposition by tiles of 32 by 32.
KERNEL nchw_nhwc(const float *__restrict__ from, float *__restrict__ to, int channels, int pixels)
{
    __shared__ float tile[32][33];
    const size_t image = (size_t)blockIdx.z * channels * pixels;
    const int p = blockIdx.x * 32 + threadIdx.x, c = blockIdx.y * 32;
    for (int j = threadIdx.y; j < 32; j += 8)
        if (p < pixels && c + j < channels)
            tile[j][threadIdx.x] = from[image + (size_t)(c + j) * pixels + p];
    __syncthreads();
    const int q = blockIdx.x * 32, d = c + threadIdx.x;
    for (int j = threadIdx.y; j < 32; j += 8)
        if (d < channels && q + j < pixels)
            to[image + (size_t)(q + j) * channels + d] = tile[threadIdx.x][j];
}

#define DIMENSIONS 16
#define POINTS 64

// The 4 nearest points of each query: a thread per query, tiles of points in shared memory.
KERNEL knn(const float *__restrict__ queries, const float *__restrict__ points, int *__restrict__ nearest, int count,
           int n)
{
    __shared__ float tile[POINTS][DIMENSIONS];
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    float query[DIMENSIONS], best[4];
    int found[4];
    #pragma unroll
    for (int d = 0; d < DIMENSIONS; d++)
        query[d] = queries[d * count + t];
    #pragma unroll
    for (int k = 0; k < 4; k++) {
        best[k] = 3.4e38f;
        found[k] = -1;
    }
    for (int first = 0; first < n; first += POINTS) {
        for (int e = threadIdx.x; e < POINTS * DIMENSIONS; e += blockDim.x)
            (&tile[0][0])[e] = points[first * DIMENSIONS + e];
        __syncthreads();
        for (int p = 0; p < POINTS; p++) {
            float distance = 0;
            #pragma unroll
            for (int d = 0; d < DIMENSIONS; d++) {
                const float x = query[d] - tile[p][d];
                distance += x * x;
            }
            if (distance < best[3]) {
                int point = first + p;
                #pragma unroll
                for (int k = 0; k < 4; k++)
                    if (distance < best[k]) {
                        const float farther = best[k];
                        best[k] = distance;
                        distance = farther;
                        const int other = found[k];
                        found[k] = point;
                        point = other;
                    }
            }
        }
        __syncthreads();
    }
    #pragma unroll
    for (int k = 0; k < 4; k++)
        nearest[t * 4 + k] = found[k];
}
