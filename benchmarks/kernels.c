/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * The peers of cpu_kernels.py: the best plain C loop that we know for each, compiled by gcc -O3 -march=native.
 */
#include <stddef.h>

void saxpy(float a, const float *restrict x, float *restrict y, size_t count)
{
    for (size_t i = 0; i < count; i++)
        y[i] = a * x[i] + y[i];
}

/* Seven-point mean inside of a cube with side n; the faces stay as they are. */
void stencil(const float *restrict from, float *restrict to, int n)
{
    const ptrdiff_t row = n, plane = (ptrdiff_t)n * n;
    for (ptrdiff_t z = 1; z < n - 1; z++)
        for (ptrdiff_t y = 1; y < n - 1; y++)
            for (ptrdiff_t x = 1; x < n - 1; x++) {
                const float *c = from + z * plane + y * row + x;
                to[z * plane + y * row + x] = (c[0] + c[-1] + c[1] + c[-row] + c[row] + c[-plane] + c[plane]) / 7;
            }
}

/* Sixteen sums side by side, since C may not change the order of one. */
void reduction(const float *x, float *result, size_t count)
{
    float sums[16] = {0}, total = 0;
    for (size_t i = 0; i + 16 <= count; i += 16)
        for (int lane = 0; lane < 16; lane++)
            sums[lane] += x[i + lane];
    for (int lane = 0; lane < 16; lane++)
        total += sums[lane];
    *result += total;
}

/* c = a @ b for square matrices with side n, blocked so that a panel of b stays in the cache. */
void matmul(const float *restrict a, const float *restrict b, float *restrict c, int n)
{
    enum { BLOCK = 64 };
    for (size_t i = 0; i < (size_t)n * n; i++)
        c[i] = 0;
    for (int k0 = 0; k0 < n; k0 += BLOCK)
        for (int i = 0; i < n; i++)
            for (int k = k0; k < k0 + BLOCK && k < n; k++)
                for (int j = 0; j < n; j++)
                    c[(size_t)i * n + j] += a[(size_t)i * n + k] * b[(size_t)k * n + j];
}
