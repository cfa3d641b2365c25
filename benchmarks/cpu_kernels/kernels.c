/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * The peers: the best known simple C loop for each kernel, compiled by gcc -O3 -march=native -fno-fast-math, and two
 * loops that measure the peak of the machine.
 */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

void saxpy(float a, const float *restrict x, float *restrict y, size_t count)
{
    for (size_t i = 0; i < count; i++)
        y[i] = a * x[i] + y[i];
}

void stencil3(const float *restrict from, float *restrict to, int n)
{
    for (int i = 1; i < n - 1; i++)
        to[i] = 0.25f * from[i - 1] + 0.5f * from[i] + 0.25f * from[i + 1];
}

/* Seven-point mean inside a cube with side n; the faces are not changed. */
void stencil7(const float *restrict from, float *restrict to, int n)
{
    const ptrdiff_t row = n, plane = (ptrdiff_t)n * n;
    for (ptrdiff_t z = 1; z < n - 1; z++)
        for (ptrdiff_t y = 1; y < n - 1; y++)
            for (ptrdiff_t x = 1; x < n - 1; x++) {
                const float *c = from + z * plane + y * row + x;
                to[z * plane + y * row + x] =
                    (c[0] + c[-1] + c[1] + c[-row] + c[row] + c[-plane] + c[plane]) * (1.0f / 7);
            }
}

/* Sixty-four independent sums: C may not reorder a single sum, whose additions depend on each other. */
#define SUMS 64

static float total_of(const float *sums)
{
    float total = 0;
    for (int lane = 0; lane < SUMS; lane++)
        total += sums[lane];
    return total;
}

void reduction(const float *restrict x, float *restrict result, size_t count)
{
    float sums[SUMS] = {0};
    for (size_t i = 0; i + SUMS <= count; i += SUMS)
        for (int lane = 0; lane < SUMS; lane++)
            sums[lane] += x[i + lane];
    *result += total_of(sums);
}

void dot(const float *restrict x, const float *restrict y, float *restrict result, size_t count)
{
    float sums[SUMS] = {0};
    for (size_t i = 0; i + SUMS <= count; i += SUMS)
        for (int lane = 0; lane < SUMS; lane++)
            sums[lane] += x[i + lane] * y[i + lane];
    *result += total_of(sums);
}

void transpose(const float *restrict from, float *restrict to, int n)
{
    enum { TILE = 32 };
    for (int y0 = 0; y0 < n; y0 += TILE)
        for (int x0 = 0; x0 < n; x0 += TILE)
            for (int y = y0; y < y0 + TILE; y++)
                for (int x = x0; x < x0 + TILE; x++)
                    to[(size_t)y * n + x] = from[(size_t)x * n + y];
}

void softmax(const float *restrict from, float *restrict to, int columns, int rows)
{
    for (int r = 0; r < rows; r++) {
        const float *row = from + (size_t)r * columns;
        float *out = to + (size_t)r * columns, largest[SUMS], sums[SUMS] = {0};
        for (int lane = 0; lane < SUMS; lane++)
            largest[lane] = -INFINITY;
        for (int i = 0; i < columns; i += SUMS)
            for (int lane = 0; lane < SUMS; lane++)
                largest[lane] = row[i + lane] > largest[lane] ? row[i + lane] : largest[lane];
        for (int lane = 1; lane < SUMS; lane++)
            largest[0] = largest[lane] > largest[0] ? largest[lane] : largest[0];
        for (int i = 0; i < columns; i++)
            out[i] = expf(row[i] - largest[0]);
        for (int i = 0; i < columns; i += SUMS)
            for (int lane = 0; lane < SUMS; lane++)
                sums[lane] += out[i + lane];
        const float scale = 1 / total_of(sums);
        for (int i = 0; i < columns; i++)
            out[i] *= scale;
    }
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

void mandelbrot(int *restrict rounds, int n, int most)
{
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
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
}

/* The inner loop is over the bodies that are pulled: without a loop-carried sum it can be vectorised. */
void nbody(const float *restrict bodies, float *restrict ax, float *restrict ay, float *restrict az, int n)
{
    enum { MOST = 1 << 14 };
    static float px[MOST], py[MOST], pz[MOST];
    for (int i = 0; i < n; i++) {
        px[i] = bodies[4 * i], py[i] = bodies[4 * i + 1], pz[i] = bodies[4 * i + 2];
        ax[i] = ay[i] = az[i] = 0;
    }
    for (int j = 0; j < n; j++) {
        const float x = px[j], y = py[j], z = pz[j], mass = bodies[4 * j + 3];
        for (int i = 0; i < n; i++) {
            const float dx = x - px[i], dy = y - py[i], dz = z - pz[i];
            const float inverse = 1 / sqrtf(dx * dx + dy * dy + dz * dz + 1e-3f);
            const float pull = mass * inverse * inverse * inverse;
            ax[i] += dx * pull, ay[i] += dy * pull, az[i] += dz * pull;
        }
    }
}

void blackscholes(const float *restrict price, const float *restrict strike, const float *restrict years,
                  float *restrict call, float *restrict put, int n)
{
    const float rate = 0.02f, volatility = 0.3f;
    for (int i = 0; i < n; i++) {
        const float root = sqrtf(years[i]);
        const float d1 =
            (logf(price[i] / strike[i]) + (rate + volatility * volatility / 2) * years[i]) / (volatility * root);
        const float d2 = d1 - volatility * root, discounted = strike[i] * expf(-rate * years[i]);
        const float n1 = 0.5f * (1 + erff(d1 * 0.70710678f)), n2 = 0.5f * (1 + erff(d2 * 0.70710678f));
        call[i] = price[i] * n1 - discounted * n2;
        put[i] = discounted * (1 - n2) - price[i] * (1 - n1);
    }
}

static const uint32_t sha_round[64] = {
#include "sha256.h"
};

static inline uint32_t turn(uint32_t x, int n) { return x >> n | x << (32 - n); }

void sha256(const uint32_t *restrict messages, uint32_t *restrict digests, int n)
{
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    for (int i = 0; i < n; i++) {
        uint32_t w[64], v[8];
        memcpy(w, messages + 16 * i, 64);
        memcpy(v, start, sizeof v);
        for (int k = 16; k < 64; k++)
            w[k] = w[k - 16] + (turn(w[k - 15], 7) ^ turn(w[k - 15], 18) ^ w[k - 15] >> 3) + w[k - 7] +
                   (turn(w[k - 2], 17) ^ turn(w[k - 2], 19) ^ w[k - 2] >> 10);
        for (int k = 0; k < 64; k++) {
            const uint32_t t = v[7] + (turn(v[4], 6) ^ turn(v[4], 11) ^ turn(v[4], 25)) +
                               ((v[4] & v[5]) ^ (~v[4] & v[6])) + sha_round[k] + w[k];
            const uint32_t u = (turn(v[0], 2) ^ turn(v[0], 13) ^ turn(v[0], 22)) +
                               ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
            v[7] = v[6], v[6] = v[5], v[5] = v[4], v[4] = v[3] + t, v[3] = v[2], v[2] = v[1], v[1] = v[0], v[0] = t + u;
        }
        for (int k = 0; k < 8; k++)
            digests[8 * i + k] = start[k] + v[k];
    }
}

void histogram_global(const uint8_t *restrict data, uint32_t *restrict bins, int n)
{
    for (int i = 0; i < n; i++)
        __atomic_fetch_add(&bins[data[i]], 1, __ATOMIC_RELAXED);
}

void histogram_shared(const uint8_t *restrict data, uint32_t *restrict bins, int n)
{
    for (int i = 0; i < n; i++)
        bins[data[i]]++;
}

void scan(const int *restrict from, int *restrict to, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        to[i] = sum += from[i];
}

void spmv(const int *restrict starts, const int *restrict columns, const float *restrict values,
          const float *restrict x, float *restrict y, int rows)
{
    for (int row = 0; row < rows; row++) {
        float sum = 0;
        for (int i = starts[row]; i < starts[row + 1]; i++)
            sum += values[i] * x[columns[i]];
        y[row] = sum;
    }
}

/* Loops of peak_operations per round in registers: enough independent vectors to keep every unit busy. */
const int peak_operations = 2 * 16 * 12;

#define PEAK(name, type, step)                                   \
    type name(long rounds)                                       \
    {                                                            \
        typedef type vector __attribute__((vector_size(64)));    \
        vector v[12];                                            \
        type total = 0;                                          \
        for (int i = 0; i < 12; i++)                             \
            v[i] = (vector){0} + (type)i;                        \
        for (long round = 0; round < rounds; round++)            \
            _Pragma("GCC unroll 12") for (int i = 0; i < 12; i++) \
                v[i] = step;                                     \
        for (int i = 0; i < 12; i++)                             \
            total += v[i][0];                                    \
        return total;                                            \
    }
PEAK(peak_flops, float, v[i] * 0.999f + 0.001f)
PEAK(peak_integers, int, (v[i] + 3) ^ 5) /* gcc would replace rounds of sums alone by a product */

/* 12 bytes per element: most CPUs read memory before they write it, so the loop also reads it. */
void peak_bandwidth(const float *restrict x, float *restrict y, size_t count)
{
    for (size_t i = 0; i < count; i++)
        y[i] += x[i];
}
