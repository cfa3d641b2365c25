/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * The peers of dense.cu.
 */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "parallel.h"

#define MULTIPLY(N)                                                                                        \
    static void multiply##N(const float *restrict a, const float *restrict b, float *restrict c, int count) \
    {                                                                                                      \
        for (int m = 0; m < count; m++, a += N * N, b += N * N, c += N * N)                                \
            for (int i = 0; i < N; i++) {                                                                  \
                float row[N] = {0};                                                                        \
                for (int k = 0; k < N; k++)                                                                \
                    for (int j = 0; j < N; j++)                                                            \
                        row[j] += a[i * N + k] * b[k * N + j];                                             \
                memcpy(c + i * N, row, sizeof row);                                                        \
            }                                                                                              \
    }                                                                                                      \
    void matmul##N(const float *restrict a, const float *restrict b, float *restrict c, int count)         \
    {                                                                                                      \
        const int each = count / PARTS;                                                                    \
        PARALLEL                                                                                           \
        for (int first = 0; first < count; first += each)                                                  \
            multiply##N(a + first * N * N, b + first * N * N, c + first * N * N, each);                    \
    }
MULTIPLY(12)
MULTIPLY(8)

void lu16(float *restrict matrices, int count)
{
    PARALLEL
    for (int m = 0; m < count; m++) {
        float (*t)[16] = (float (*)[16])(matrices + m * 256);
        for (int k = 0; k < 15; k++)
            for (int row = k + 1; row < 16; row++) {
                const float factor = t[row][k] / t[k][k];
                t[row][k] = factor;
                for (int j = k + 1; j < 16; j++)
                    t[row][j] -= factor * t[k][j];
            }
    }
}

void cholesky8(const float *restrict from, float *restrict to, int count)
{
    PARALLEL
    for (int m = 0; m < count; m++) {
        float a[8][8];
        memcpy(a, from + 64 * m, sizeof a);
        for (int j = 0; j < 8; j++)
            for (int i = j; i < 8; i++) {
                float sum = a[i][j];
                for (int k = 0; k < j; k++)
                    sum -= a[i][k] * a[j][k];
                a[i][j] = i == j ? sqrtf(sum) : sum / a[j][j];
            }
        for (int i = 0; i < 64; i++)
            to[64 * m + i] = i % 8 <= i / 8 ? a[i / 8][i % 8] : 0;
    }
}

void fft512(const float *restrict from, float *restrict to, const float *restrict roots, int count)
{
    static _Thread_local float buffers[2][1024];
    PARALLEL
    for (int f = 0; f < count; f++)
        for (int stage = 0; stage < 9; stage++) {
            const float *restrict source = stage ? buffers[stage & 1] : from + 1024 * f;
            float *restrict target = stage == 8 ? to + 1024 * f : buffers[~stage & 1];
            const int m = 1 << stage;
            for (int base = 0; base < 256; base += m)
                for (int k = 0; k < m; k++) {
                    const float *u = source + 2 * (base + k), *v = u + 512, *w = roots + 2 * (k << (8 - stage));
                    float *x = target + 2 * (2 * base + k), *y = x + 2 * m;
                    const float re = v[0] * w[0] - v[1] * w[1], im = v[0] * w[1] + v[1] * w[0];
                    x[0] = u[0] + re, x[1] = u[1] + im, y[0] = u[0] - re, y[1] = u[1] - im;
                }
        }
}

static const float m4[16] = {.9f, .1f, 0, 2, -.1f, .9f, .2f, 1, .05f, -.2f, .95f, .5f, 0, 0, .1f, 1};

void transform4(const float *restrict from, float *restrict to, int n)
{
    PARALLEL
    for (int i = 0; i < n; i++)
        for (int r = 0; r < 4; r++)
            to[4 * i + r] = m4[4 * r] * from[4 * i] + m4[4 * r + 1] * from[4 * i + 1] +
                            m4[4 * r + 2] * from[4 * i + 2] + m4[4 * r + 3] * from[4 * i + 3];
}

void particles(float *restrict all, float step, int n)
{
    PARALLEL
    for (int i = 0; i < n; i++) {
        float *p = all + 6 * i;
        const float pull = step / (1 + p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
        for (int d = 0; d < 3; d++) {
            p[3 + d] -= pull * p[d];
            p[d] += step * p[3 + d];
        }
    }
}

void complex_multiply(const float *restrict a, const float *restrict b, float *restrict c, int n)
{
    PARALLEL
    for (int i = 0; i < n; i++) {
        c[2 * i] = a[2 * i] * b[2 * i] - a[2 * i + 1] * b[2 * i + 1];
        c[2 * i + 1] = a[2 * i] * b[2 * i + 1] + a[2 * i + 1] * b[2 * i];
    }
}

void wmma(const _Float16 *restrict a, const _Float16 *restrict b, float *restrict c, int n)
{
    float *x = malloc(sizeof(float) * n * n), *y = malloc(sizeof(float) * n * n);
    for (int i = 0; i < n * n; i++)
        x[i] = a[i], y[i] = b[i], c[i] = 0;
    for (int k0 = 0; k0 < n; k0 += 64)
        PARALLEL
        for (int i = 0; i < n; i++)
            for (int k = k0; k < k0 + 64; k++)
                for (int j = 0; j < n; j++)
                    c[i * n + j] += x[i * n + k] * y[k * n + j];
    free(x), free(y);
}

void half_axpy(float a, const _Float16 *restrict x, _Float16 *restrict y, int n)
{
    PARALLEL
    for (int i = 0; i < n; i++)
        y[i] = (_Float16)(a * (float)x[i] + (float)y[i]);
}

void kmeans(const float *restrict points, const float *restrict centres, int *restrict nearest, int n)
{
    PARALLEL
    for (int i = 0; i < n; i++) {
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
}

static const float w5[25] = {1, 2, 3, 2, 1, 2, 4, 6, 4, 2, 3, 6, 9, 6, 3, 2, 4, 6, 4, 2, 1, 2, 3, 2, 1};

void conv5x5(const float *restrict from, float *restrict to, int n)
{
    PARALLEL
    for (int y = 0; y < n; y++) {
        float *out = to + (ptrdiff_t)y * n;
        memset(out, 0, n * sizeof *out);
        for (int dy = -2; dy <= 2; dy++)
            for (int dx = -2; dx <= 2; dx++) {
                if (y + dy < 0 || y + dy >= n)
                    continue;
                const float w = w5[(dy + 2) * 5 + dx + 2], *in = from + (ptrdiff_t)(y + dy) * n + dx;
                for (int x = dx < 0 ? -dx : 0; x < (dx > 0 ? n - dx : n); x++)
                    out[x] += w * in[x];
            }
    }
}

void stencil27(const float *restrict from, float *restrict to, int n)
{
    PARALLEL
    for (int z = 1; z < n - 1; z++)
        for (int y = 1; y < n - 1; y++)
            for (int x = 1; x < n - 1; x++) {
                float sums[4] = {0, 0, 0, 0};
                for (int dz = -1; dz <= 1; dz++)
                    for (int dy = -1; dy <= 1; dy++)
                        for (int dx = -1; dx <= 1; dx++)
                            sums[abs(dx) + abs(dy) + abs(dz)] += from[((z + dz) * n + y + dy) * n + x + dx];
                to[(z * n + y) * n + x] = .4f * sums[0] + .05f * sums[1] + .02f * sums[2] + .0075f * sums[3];
            }
}

void jacobi(const float *restrict from, float *restrict to, int n)
{
    PARALLEL
    for (int y = 0; y < n; y++) {
        const float *row = from + y * n;
        float *out = to + y * n;
        for (int x = 1; x < n - 1; x++)
            out[x] = .25f * (row[x - 1] + row[x + 1] + (y ? row[x - n] : 0) + (y < n - 1 ? row[x + n] : 0));
        for (int x = 0; x < n; x += n - 1)
            out[x] = .25f * ((x ? row[x - 1] : 0) + (x < n - 1 ? row[x + 1] : 0) + (y ? row[x - n] : 0) +
                             (y < n - 1 ? row[x + n] : 0));
    }
}

void sobel(const unsigned char *restrict from, unsigned char *restrict to, int n)
{
    PARALLEL
    for (int y = 1; y < n - 1; y++)
        for (int x = 1; x < n - 1; x++) {
            const unsigned char *p = from + y * n + x;
            const int gx = p[1 - n] + 2 * p[1] + p[n + 1] - p[-n - 1] - 2 * p[-1] - p[n - 1];
            const int gy = p[n - 1] + 2 * p[n] + p[n + 1] - p[-n - 1] - 2 * p[-n] - p[1 - n];
            const int sum = (abs(gx) + abs(gy)) / 4;
            to[y * n + x] = sum < 255 ? sum : 255;
        }
}

void rgba_gray(const unsigned char *restrict from, unsigned char *restrict to, int n)
{
    PARALLEL
    for (int i = 0; i < n; i++)
        to[i] = (77 * from[4 * i] + 150 * from[4 * i + 1] + 29 * from[4 * i + 2]) >> 8;
}

void bilinear(const float *restrict image, const float *restrict points, float *restrict to, int side, int n)
{
    PARALLEL
    for (int i = 0; i < n; i++) {
        const float x = points[2 * i] * (side - 1), y = points[2 * i + 1] * (side - 1);
        const int ix = x, iy = y;
        const float fx = x - ix, fy = y - iy, *p = image + iy * side + ix;
        const float above = p[0] + fx * (p[1] - p[0]), below = p[side] + fx * (p[side + 1] - p[side]);
        to[i] = above + fy * (below - above);
    }
}
