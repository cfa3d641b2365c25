/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * The kernels of cpu_kernels.py, written as one writes them for a GPU.
 */
extern "C" __global__ void saxpy(float a, const float *x, float *y, size_t count)
{
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < count)
        y[i] = a * x[i] + y[i];
}

extern "C" __global__ void stencil(const float *from, float *to, int n)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
    if (x < 1 || y < 1 || z < 1 || x >= n - 1 || y >= n - 1 || z >= n - 1)
        return;
    const int row = n, plane = n * n;
    const float *c = from + z * plane + y * row + x;
    to[z * plane + y * row + x] = (c[0] + c[-1] + c[1] + c[-row] + c[row] + c[-plane] + c[plane]) / 7;
}

extern "C" __global__ void reduction(const float *x, float *total, size_t count)
{
    __shared__ float sums[256];
    float mine = 0;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += size_t(gridDim.x) * blockDim.x)
        mine += x[i];
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

extern "C" __global__ void matmul(const float *a, const float *b, float *c, int n)   // n: a multiple of 16
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
