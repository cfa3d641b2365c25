/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * The kernels that are timed, written as for a GPU.
 */
#define KERNEL extern "C" __global__ void

KERNEL empty() {}

KERNEL increment(int *x) { *x += 1; }

KERNEL saxpy(float a, const float *x, float *y, size_t count)
{
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < count)
        y[i] = a * x[i] + y[i];
}

KERNEL stencil3(const float *from, float *to, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1)
        to[i] = 0.25f * from[i - 1] + 0.5f * from[i] + 0.25f * from[i + 1];
}

KERNEL stencil7(const float *from, float *to, int n)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
    if (x < 1 || y < 1 || z < 1 || x >= n - 1 || y >= n - 1 || z >= n - 1)
        return;
    const int row = n, plane = n * n;
    const float *c = from + z * plane + y * row + x;
    to[z * plane + y * row + x] = (c[0] + c[-1] + c[1] + c[-row] + c[row] + c[-plane] + c[plane]) * (1.0f / 7);
}

__device__ void add_up(float mine, float *total)
{
    __shared__ float sums[256];
    sums[threadIdx.x] = mine;
    __syncthreads();
    for (int half = 128; half; half /= 2) {
        if (threadIdx.x < half)
            sums[threadIdx.x] += sums[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        atomicAdd(total, sums[0]);
}

KERNEL reduction(const float *x, float *total, size_t count)
{
    float mine = 0;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += size_t(gridDim.x) * blockDim.x)
        mine += x[i];
    add_up(mine, total);
}

KERNEL dot(const float *x, const float *y, float *total, size_t count)
{
    float mine = 0;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += size_t(gridDim.x) * blockDim.x)
        mine += x[i] * y[i];
    add_up(mine, total);
}

KERNEL transpose(const float *from, float *to, int n)   // n: a multiple of 32; blocks of 32 x 8
{
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        tile[threadIdx.y + k][threadIdx.x] = from[(y + k) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        to[(y + k) * n + x] = tile[threadIdx.x][threadIdx.y + k];
}

template <class F> __device__ float block_reduce(float value, F combine)   // blocks of 256
{
    __shared__ float parts[8];
    for (int step = 16; step; step /= 2)
        value = combine(value, __shfl_xor_sync(~0u, value, step));
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = value;
    __syncthreads();
    value = parts[threadIdx.x % 8];
    for (int step = 4; step; step /= 2)
        value = combine(value, __shfl_xor_sync(~0u, value, step));
    return value;
}

KERNEL softmax(const float *from, float *to, int columns)   // one block per row
{
    const float *row = from + size_t(blockIdx.x) * columns;
    float *out = to + size_t(blockIdx.x) * columns, largest = -3.4e38f, sum = 0;
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        largest = fmaxf(largest, row[i]);
    largest = block_reduce(largest, [](float a, float b) { return fmaxf(a, b); });
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        sum += out[i] = expf(row[i] - largest);
    sum = block_reduce(sum, [](float a, float b) { return a + b; });
    const float scale = 1 / sum;
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        out[i] *= scale;
}

KERNEL matmul(const float *a, const float *b, float *c, int n)   // n: a multiple of 16
{
    __shared__ float tile_a[16][16], tile_b[16][16];
    const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    for (int first = 0; first < n; first += 16) {
        tile_a[threadIdx.y][threadIdx.x] = a[row * n + first + threadIdx.x];
        tile_b[threadIdx.y][threadIdx.x] = b[(first + threadIdx.y) * n + column];
        __syncthreads();
        for (int k = 0; k < 16; ++k)
            sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

KERNEL mandelbrot(int *rounds, int n, int most)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n)
        return;
    const float real = -2 + 3.0f / n * x, imaginary = -1.5f + 3.0f / n * y;
    float a = 0, b = 0;
    int round = 0;
    for (; round < most && a * a + b * b <= 4; round++) {
        const float next = a * a - b * b + real;
        b = 2 * a * b + imaginary;
        a = next;
    }
    rounds[y * n + x] = round;
}

KERNEL nbody(const float4 *bodies, float *ax, float *ay, float *az, int n)   // n: a multiple of 256
{
    __shared__ float4 tile[256];
    const int i = blockIdx.x * 256 + threadIdx.x;
    const float4 me = bodies[i];
    float x = 0, y = 0, z = 0;
    for (int first = 0; first < n; first += 256) {
        tile[threadIdx.x] = bodies[first + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < 256; j++) {
            const float dx = tile[j].x - me.x, dy = tile[j].y - me.y, dz = tile[j].z - me.z;
            const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-3f);
            const float pull = tile[j].w * inverse * inverse * inverse;
            x += dx * pull, y += dy * pull, z += dz * pull;
        }
        __syncthreads();
    }
    ax[i] = x, ay[i] = y, az[i] = z;
}

KERNEL blackscholes(const float *price, const float *strike, const float *years, float *call, float *put, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const float rate = 0.02f, volatility = 0.3f, root = sqrtf(years[i]);
    const float d1 = (logf(price[i] / strike[i]) + (rate + volatility * volatility / 2) * years[i]) / (volatility * root);
    const float d2 = d1 - volatility * root, discounted = strike[i] * expf(-rate * years[i]);
    const float n1 = 0.5f * (1 + erff(d1 * 0.70710678f)), n2 = 0.5f * (1 + erff(d2 * 0.70710678f));
    call[i] = price[i] * n1 - discounted * n2;
    put[i] = discounted * (1 - n2) - price[i] * (1 - n1);
}

__device__ const unsigned sha_round[64] = {
#include "sha256.h"
};

__device__ unsigned turn(unsigned x, int n) { return x >> n | x << (32 - n); }

KERNEL sha256(const unsigned *messages, unsigned *digests, int n)   // messages of 55 bytes: one padded block each
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned w[16], s[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab,
                            0x5be0cd19}, v[8];
    for (int k = 0; k < 16; k++)
        w[k] = messages[16 * i + k];
    for (int k = 0; k < 8; k++)
        v[k] = s[k];
    #pragma unroll
    for (int k = 0; k < 64; k++) {
        if (k >= 16) {
            const unsigned a = w[(k + 1) & 15], b = w[(k + 14) & 15];
            w[k & 15] += (turn(a, 7) ^ turn(a, 18) ^ a >> 3) + w[(k + 9) & 15] + (turn(b, 17) ^ turn(b, 19) ^ b >> 10);
        }
        const unsigned t = v[7] + (turn(v[4], 6) ^ turn(v[4], 11) ^ turn(v[4], 25)) + ((v[4] & v[5]) ^ (~v[4] & v[6])) +
                           sha_round[k] + w[k & 15];
        const unsigned u = (turn(v[0], 2) ^ turn(v[0], 13) ^ turn(v[0], 22)) +
                           ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        v[7] = v[6], v[6] = v[5], v[5] = v[4], v[4] = v[3] + t, v[3] = v[2], v[2] = v[1], v[1] = v[0], v[0] = t + u;
    }
    for (int k = 0; k < 8; k++)
        digests[8 * i + k] = s[k] + v[k];
}

KERNEL histogram_global(const unsigned char *data, unsigned *bins, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[data[i]], 1u);
}

KERNEL histogram_shared(const unsigned char *data, unsigned *bins, int n)   // blocks of 256
{
    __shared__ unsigned mine[256];
    mine[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[data[i]], 1u);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

__device__ int scan_warp(int value)
{
    for (int step = 1; step < 32; step *= 2) {
        const int other = __shfl_up_sync(~0u, value, step);
        if (threadIdx.x % 32 >= step)
            value += other;
    }
    return value;
}

__device__ int scan_block(int value)   // blocks of 1024
{
    __shared__ int sums[32];
    value = scan_warp(value);
    if (threadIdx.x % 32 == 31)
        sums[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x < 32)
        sums[threadIdx.x] = scan_warp(sums[threadIdx.x]);
    __syncthreads();
    return threadIdx.x < 32 ? value : value + sums[threadIdx.x / 32 - 1];
}

KERNEL scan_parts(const int *from, int *to, int *totals)
{
    const int i = blockIdx.x * 1024 + threadIdx.x, value = scan_block(from[i]);
    to[i] = value;
    if (threadIdx.x == 1023)
        totals[blockIdx.x] = value;
}

KERNEL scan_totals(int *totals, int n)   // one block
{
    __shared__ int carried;
    if (threadIdx.x == 0)
        carried = 0;
    for (int first = 0; first < n; first += 1024) {
        __syncthreads();
        const int value = scan_block(totals[first + threadIdx.x]) + carried;
        totals[first + threadIdx.x] = value;
        __syncthreads();
        if (threadIdx.x == 1023)
            carried = value;
    }
}

KERNEL scan_add(int *to, const int *totals)
{
    if (blockIdx.x)
        to[blockIdx.x * 1024 + threadIdx.x] += totals[blockIdx.x - 1];
}

KERNEL spmv(const int *starts, const int *columns, const float *values, const float *x, float *y, int rows)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0;
    for (int i = starts[row]; i < starts[row + 1]; i++)
        sum += values[i] * x[columns[i]];
    y[row] = sum;
}
