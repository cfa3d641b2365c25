// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
//
// Workloads with regular accesses: small matrices, transforms, arrays of structures, images, stencils, small floats.
#include <cuda_fp16.h>
#include <mma.h>
#define KERNEL extern "C" __global__ void

template <int N> __device__ void multiply_tiles(const float *a, const float *b, float *c)
{
    __shared__ float x[N][N], y[N][N];
    const int i = threadIdx.y, j = threadIdx.x, at = (blockIdx.x * N + i) * N + j;
    x[i][j] = a[at], y[i][j] = b[at];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < N; k++)
        sum += x[i][k] * y[k][j];
    c[at] = sum;
}

KERNEL matmul12(const float *a, const float *b, float *c) { multiply_tiles<12>(a, b, c); }
KERNEL matmul8(const float *a, const float *b, float *c) { multiply_tiles<8>(a, b, c); }

KERNEL lu16(float *matrices)   // four matrices per block, a thread per row
{
    __shared__ float tiles[4][16][17];
    float (*t)[17] = tiles[threadIdx.y];
    float *mine = matrices + (blockIdx.x * 4 + threadIdx.y) * 256;
    const int row = threadIdx.x;
    for (int k = 0; k < 16; k++)
        t[k][row] = mine[k * 16 + row];
    __syncthreads();
    for (int k = 0; k < 15; k++) {
        if (row > k) {
            const float factor = t[row][k] / t[k][k];
            t[row][k] = factor;
            for (int j = k + 1; j < 16; j++)
                t[row][j] -= factor * t[k][j];
        }
        __syncthreads();
    }
    for (int k = 0; k < 16; k++)
        mine[k * 16 + row] = t[k][row];
}

KERNEL cholesky8(const float *from, float *to, int count)   // a thread per matrix, in its registers
{
    const int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m >= count)
        return;
    float a[8][8];
    #pragma unroll
    for (int i = 0; i < 64; i++)
        a[i / 8][i % 8] = from[m * 64 + i];
    #pragma unroll
    for (int j = 0; j < 8; j++) {
        #pragma unroll
        for (int i = j; i < 8; i++) {
            float sum = a[i][j];
            for (int k = 0; k < j; k++)
                sum -= a[i][k] * a[j][k];
            a[i][j] = i == j ? sqrtf(sum) : sum / a[j][j];
        }
    }
    #pragma unroll
    for (int i = 0; i < 64; i++)
        to[m * 64 + i] = i % 8 <= i / 8 ? a[i / 8][i % 8] : 0;
}

KERNEL fft512(const float2 *from, float2 *to, const float2 *roots)   // Stockham, radix 2, a transform per block of 256
{
    __shared__ float2 buffers[2][512];
    const int t = threadIdx.x;
    from += blockIdx.x * 512, to += blockIdx.x * 512;
    buffers[0][t] = from[t], buffers[0][t + 256] = from[t + 256];
    for (int stage = 0; stage < 9; stage++) {
        __syncthreads();
        const float2 *source = buffers[stage & 1];
        float2 *target = stage == 8 ? to : buffers[~stage & 1];
        const int m = 1 << stage, k = t & (m - 1), at = (t - k) * 2 + k;
        const float2 u = source[t], v = source[t + 256], w = roots[k << (8 - stage)];
        const float re = v.x * w.x - v.y * w.y, im = v.x * w.y + v.y * w.x;
        target[at] = make_float2(u.x + re, u.y + im);
        target[at + m] = make_float2(u.x - re, u.y - im);
    }
}

__constant__ float matrix4[16] = {.9f, .1f, 0, 2, -.1f, .9f, .2f, 1, .05f, -.2f, .95f, .5f, 0, 0, .1f, 1};

KERNEL transform4(const float4 *from, float4 *to, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const float4 p = from[i];
    const float *m = matrix4;
    to[i] = make_float4(m[0] * p.x + m[1] * p.y + m[2] * p.z + m[3] * p.w,
                        m[4] * p.x + m[5] * p.y + m[6] * p.z + m[7] * p.w,
                        m[8] * p.x + m[9] * p.y + m[10] * p.z + m[11] * p.w,
                        m[12] * p.x + m[13] * p.y + m[14] * p.z + m[15] * p.w);
}

struct Particle { float x, y, z, u, v, w; };

KERNEL particles(Particle *all, float step, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    Particle p = all[i];
    const float pull = step / (1 + p.x * p.x + p.y * p.y + p.z * p.z);
    p.u -= pull * p.x, p.v -= pull * p.y, p.w -= pull * p.z;
    p.x += step * p.u, p.y += step * p.v, p.z += step * p.w;
    all[i] = p;
}

KERNEL complex_multiply(const float2 *a, const float2 *b, float2 *c, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = make_float2(a[i].x * b[i].x - a[i].y * b[i].y, a[i].x * b[i].y + a[i].y * b[i].x);
}

KERNEL wmma(const half *a, const half *b, float *c, int n)   // a warp per tile of 16 by 16
{
    using namespace nvcuda::wmma;
    const int row = blockIdx.y * 16, column = (blockIdx.x * 4 + threadIdx.x / 32) * 16;
    fragment<accumulator, 16, 16, 16, float> sum;
    fill_fragment(sum, 0.0f);
    for (int k = 0; k < n; k += 16) {
        fragment<matrix_a, 16, 16, 16, half, row_major> x;
        fragment<matrix_b, 16, 16, 16, half, row_major> y;
        load_matrix_sync(x, a + row * n + k, n);
        load_matrix_sync(y, b + k * n + column, n);
        mma_sync(sum, x, y, sum);
    }
    store_matrix_sync(c + row * n + column, sum, n, mem_row_major);
}

KERNEL half_axpy(float a, const __half2 *x, __half2 *y, int n)   // n is even
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (2 * i < n)
        y[i] = __hfma2(__float2half2_rn(a), x[i], y[i]);
}

KERNEL kmeans(const float *points, const float *centres, int *nearest, int n)   // 4 dimensions, 16 centres
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float least = 1e30f;
    int best = 0;
    for (int c = 0; c < 16; c++) {
        float sum = 0;
        for (int d = 0; d < 4; d++) {
            const float far = points[i * 4 + d] - centres[c * 4 + d];
            sum += far * far;
        }
        if (sum < least)
            least = sum, best = c;
    }
    nearest[i] = best;
}

__constant__ float weights5[25] = {1, 2, 3, 2, 1, 2, 4, 6, 4, 2, 3, 6, 9, 6, 3, 2, 4, 6, 4, 2, 1, 2, 3, 2, 1};

KERNEL conv5x5(const float *from, float *to, int n)   // blocks of 16 by 16, with a border of 2
{
    __shared__ float tile[20][20];
    const int x0 = blockIdx.x * 16 - 2, y0 = blockIdx.y * 16 - 2;
    for (int i = threadIdx.y * 16 + threadIdx.x; i < 400; i += 256) {
        const int x = x0 + i % 20, y = y0 + i / 20;
        tile[i / 20][i % 20] = x >= 0 && x < n && y >= 0 && y < n ? from[y * n + x] : 0;
    }
    __syncthreads();
    float sum = 0;
    for (int dy = 0; dy < 5; dy++)
        for (int dx = 0; dx < 5; dx++)
            sum += weights5[dy * 5 + dx] * tile[threadIdx.y + dy][threadIdx.x + dx];
    to[(blockIdx.y * 16 + threadIdx.y) * n + blockIdx.x * 16 + threadIdx.x] = sum;
}

KERNEL stencil27(const float *from, float *to, int n)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
    if (x < 1 || y < 1 || z < 1 || x >= n - 1 || y >= n - 1 || z >= n - 1)
        return;
    float sums[4] = {0, 0, 0, 0};
    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++)
                sums[abs(dx) + abs(dy) + abs(dz)] += from[((z + dz) * n + y + dy) * n + x + dx];
    to[(z * n + y) * n + x] = .4f * sums[0] + .05f * sums[1] + .02f * sums[2] + .0075f * sums[3];
}

KERNEL jacobi(const float *from, float *to, int n)   // blocks of 32 by 8 with a border in shared memory
{
    __shared__ float tile[10][34];
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    tile[ty][tx] = from[y * n + x];
    if (threadIdx.x == 0)
        tile[ty][0] = x ? from[y * n + x - 1] : 0;
    if (threadIdx.x == 31)
        tile[ty][33] = x < n - 1 ? from[y * n + x + 1] : 0;
    if (threadIdx.y == 0)
        tile[0][tx] = y ? from[(y - 1) * n + x] : 0;
    if (threadIdx.y == 7)
        tile[9][tx] = y < n - 1 ? from[(y + 1) * n + x] : 0;
    __syncthreads();
    to[y * n + x] = .25f * (tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx]);
}

KERNEL sobel(const unsigned char *from, unsigned char *to, int n)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1)
        return;
    const unsigned char *p = from + y * n + x;
    const int gx = p[1 - n] + 2 * p[1] + p[n + 1] - p[-n - 1] - 2 * p[-1] - p[n - 1];
    const int gy = p[n - 1] + 2 * p[n] + p[n + 1] - p[-n - 1] - 2 * p[-n] - p[1 - n];
    to[y * n + x] = min((abs(gx) + abs(gy)) / 4, 255);
}

KERNEL rgba_gray(const uchar4 *from, unsigned char *to, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = (77 * from[i].x + 150 * from[i].y + 29 * from[i].z) >> 8;
}

KERNEL bilinear(const float *image, const float2 *points, float *to, int side, int n)   // as a texture is sampled
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const float x = points[i].x * (side - 1), y = points[i].y * (side - 1);
    const int ix = x, iy = y;
    const float fx = x - ix, fy = y - iy;
    const float *p = image + iy * side + ix;
    const float above = p[0] + fx * (p[1] - p[0]), below = p[side] + fx * (p[side + 1] - p[side]);
    to[i] = above + fy * (below - above);
}
