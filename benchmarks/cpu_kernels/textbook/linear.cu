// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
//
// Textbook kernels of linear algebra: products of dense, sparse and small integer matrices, tridiagonal systems.
#define KERNEL extern "C" __global__ void

// Tiles of 64 by 64, 16 by 16 threads, 4 by 4 values per thread in registers.
KERNEL sgemm_tile(const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C, int n)
{
    __shared__ float a[16][64], b[16][64];
    const int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
    const int row = blockIdx.y * 64, column = blockIdx.x * 64;
    float sums[4][4] = {};
    for (int k0 = 0; k0 < n; k0 += 16) {
        #pragma unroll
        for (int i = 0; i < 4; i++) {
            const int e = t + i * 256;
            a[e % 16][e / 16] = A[(row + e / 16) * n + k0 + e % 16];
            b[e / 64][e % 64] = B[(k0 + e / 64) * n + column + e % 64];
        }
        __syncthreads();
        #pragma unroll
        for (int k = 0; k < 16; k++) {
            float x[4], y[4];
            #pragma unroll
            for (int i = 0; i < 4; i++) {
                x[i] = a[k][ty * 4 + i];
                y[i] = b[k][tx * 4 + i];
            }
            #pragma unroll
            for (int i = 0; i < 4; i++)
                #pragma unroll
                for (int j = 0; j < 4; j++)
                    sums[i][j] += x[i] * y[j];
        }
        __syncthreads();
    }
    #pragma unroll
    for (int i = 0; i < 4; i++)
        #pragma unroll
        for (int j = 0; j < 4; j++)
            C[(row + ty * 4 + i) * n + column + tx * 4 + j] = sums[i][j];
}

// A sparse matrix times a dense one of 32 columns: a warp per row, a lane per column.
KERNEL spmm(const int *__restrict__ starts, const int *__restrict__ columns, const float *__restrict__ values,
            const float *__restrict__ B, float *__restrict__ C, int n)
{
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= n)
        return;
    float sum = 0;
    for (int e = starts[row]; e < starts[row + 1]; e++)
        sum += values[e] * B[(size_t)columns[e] * 32 + threadIdx.x];
    C[(size_t)row * 32 + threadIdx.x] = sum;
}

// Some values of a dense product: 8 threads for each, which add by shuffles.
KERNEL sddmm(const int *__restrict__ rows, const int *__restrict__ columns, const float4 *__restrict__ A,
             const float4 *__restrict__ B, float *__restrict__ values, int count)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x, e = t / 8, lane = t % 8;
    if (e >= count)
        return;
    const float4 *a = A + (size_t)rows[e] * 16, *b = B + (size_t)columns[e] * 16;
    float sum = 0;
    for (int k = lane; k < 16; k += 8) {
        const float4 p = a[k], q = b[k];
        sum += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
    }
    for (int distance = 4; distance; distance >>= 1)
        sum += __shfl_xor_sync(~0u, sum, distance, 8);
    if (lane == 0)
        values[e] = sum;
}

// A matrix of bytes times a vector: a warp per row.
KERNEL dp4a(const int4 *__restrict__ a, const int4 *__restrict__ x, int *__restrict__ y, int rows, int n16)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    int sum = 0;
    for (int i = lane; i < n16; i += 32) {
        const int4 p = a[(size_t)row * n16 + i], q = x[i];
        sum = __dp4a(p.x, q.x, sum);
        sum = __dp4a(p.y, q.y, sum);
        sum = __dp4a(p.z, q.z, sum);
        sum = __dp4a(p.w, q.w, sum);
    }
    sum = __reduce_add_sync(0xffffffffu, sum);
    if (lane == 0)
        y[row] = sum;
}

// Tridiagonal systems, which are interleaved: a thread per system.
KERNEL thomas(const float *__restrict__ a, const float *__restrict__ b, const float *__restrict__ c,
              const float *__restrict__ d, float *__restrict__ scaled, float *__restrict__ x, int n, int count)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= count)
        return;
    float upper = c[t] / b[t], right = d[t] / b[t];
    scaled[t] = upper;
    x[t] = right;
    for (int i = 1; i < n; i++) {
        const int k = i * count + t;
        const float factor = 1.0f / (b[k] - a[k] * upper);
        upper = c[k] * factor;
        right = (d[k] - a[k] * right) * factor;
        scaled[k] = upper;
        x[k] = right;
    }
    for (int i = n - 2; i >= 0; i--) {
        const int k = i * count + t;
        right = x[k] - scaled[k] * right;
        x[k] = right;
    }
}
