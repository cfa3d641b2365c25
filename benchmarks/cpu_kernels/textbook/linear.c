/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * The peers of linear.cu.
 */
#include <stddef.h>

void sgemm_tile(const float *restrict A, const float *restrict B, float *restrict C, int n)
{
    for (int i = 0; i < n; i++) {
        const float *a = A + (ptrdiff_t)i * n;
        float *c = C + (ptrdiff_t)i * n;
        for (int j = 0; j < n; j++)
            c[j] = 0;
        for (int k = 0; k < n; k += 4) {
            const float a0 = a[k], a1 = a[k + 1], a2 = a[k + 2], a3 = a[k + 3];
            const float *b = B + (ptrdiff_t)k * n;
            for (int j = 0; j < n; j++)
                c[j] += a0 * b[j] + a1 * b[n + j] + a2 * b[2 * n + j] + a3 * b[3 * n + j];
        }
    }
}

void spmm(const int *restrict starts, const int *restrict columns, const float *restrict values,
          const float *restrict B, float *restrict C, int n)
{
    for (int row = 0; row < n; row++) {
        float sums[32] = {0};
        for (int e = starts[row]; e < starts[row + 1]; e++) {
            const float value = values[e], *b = B + (ptrdiff_t)columns[e] * 32;
            for (int k = 0; k < 32; k++)
                sums[k] += value * b[k];
        }
        for (int k = 0; k < 32; k++)
            C[(ptrdiff_t)row * 32 + k] = sums[k];
    }
}

void sddmm(const int *restrict rows, const int *restrict columns, const float *restrict A, const float *restrict B,
           float *restrict values, int count)
{
    for (int e = 0; e < count; e++) {
        const float *a = A + (ptrdiff_t)rows[e] * 64, *b = B + (ptrdiff_t)columns[e] * 64;
        float sums[16] = {0}, sum = 0;
        for (int k = 0; k < 64; k += 16)
            for (int j = 0; j < 16; j++)
                sums[j] += a[k + j] * b[k + j];
        for (int j = 0; j < 16; j++)
            sum += sums[j];
        values[e] = sum;
    }
}

void dp4a(const signed char *restrict a, const signed char *restrict x, int *restrict y, int rows, int n)
{
    for (int row = 0; row < rows; row++) {
        int sum = 0;
        for (int i = 0; i < n; i++)
            sum += a[(ptrdiff_t)row * n + i] * x[i];
        y[row] = sum;
    }
}

void thomas(const float *restrict a, const float *restrict b, const float *restrict c, const float *restrict d,
            float *restrict scaled, float *restrict x, int n, int count)
{
    for (int t = 0; t < count; t++) {
        scaled[t] = c[t] / b[t];
        x[t] = d[t] / b[t];
    }
    for (int i = 1; i < n; i++) {
        const ptrdiff_t row = (ptrdiff_t)i * count;
        const float *lower = a + row, *middle = b + row, *upper = c + row, *right = d + row;
        float *to_scaled = scaled + row, *to_x = x + row;
        for (int t = 0; t < count; t++) {
            const float factor = 1.0f / (middle[t] - lower[t] * to_scaled[t - count]);
            to_scaled[t] = upper[t] * factor;
            to_x[t] = (right[t] - lower[t] * to_x[t - count]) * factor;
        }
    }
    for (int i = n - 2; i >= 0; i--) {
        float *from_scaled = scaled + (ptrdiff_t)i * count, *to_x = x + (ptrdiff_t)i * count;
        for (int t = 0; t < count; t++)
            to_x[t] -= from_scaled[t] * to_x[t + count];
    }
}
