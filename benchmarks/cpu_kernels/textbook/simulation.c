/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * The peers of simulation.cu.
 */
#include <math.h>
#include <stddef.h>

static void heat_step(const float *restrict power, const float *restrict from, float *restrict to, int columns,
                      int rows, float step, float x_factor, float y_factor, float z_factor)
{
    for (int y = 0; y < rows; y++) {
        const float *here = from + (ptrdiff_t)y * columns, *heat = power + (ptrdiff_t)y * columns;
        const float *above = y ? here - columns : here, *below = y < rows - 1 ? here + columns : here;
        float *out = to + (ptrdiff_t)y * columns;
        #define CELL(x, west, east)                                                                  \
            out[x] = here[x] + step * (heat[x] + (below[x] + above[x] - 2.0f * here[x]) * y_factor + \
                                       (here[east] + here[west] - 2.0f * here[x]) * x_factor +       \
                                       (80.0f - here[x]) * z_factor)
        CELL(0, 0, 1);
        for (int x = 1; x < columns - 1; x++)
            CELL(x, x - 1, x + 1);
        CELL(columns - 1, columns - 2, columns - 1);
    }
}

void hotspot(const float *power, const float *from, float *between, float *to, int columns, int rows, float step,
             float x_factor, float y_factor, float z_factor)
{
    heat_step(power, from, between, columns, rows, step, x_factor, y_factor, z_factor);
    heat_step(power, between, to, columns, rows, step, x_factor, y_factor, z_factor);
}

void srad(float *restrict north, float *restrict south, float *restrict west, float *restrict east,
          float *restrict coefficients, const float *restrict image, float *restrict to, int columns, int rows,
          float variance, float lambda)
{
    for (int y = 0; y < rows; y++) {
        const ptrdiff_t above = (ptrdiff_t)(y ? y - 1 : 0) * columns, row = (ptrdiff_t)y * columns;
        const ptrdiff_t below = (ptrdiff_t)(y < rows - 1 ? y + 1 : y) * columns;
        for (int x = 0; x < columns; x++) {
            const int left = x ? x - 1 : 0, right = x < columns - 1 ? x + 1 : x;
            const ptrdiff_t i = row + x;
            const float here = image[i], n = image[above + x] - here, s = image[below + x] - here;
            const float w = image[row + left] - here, e = image[row + right] - here;
            const float gradient = (n * n + s * s + w * w + e * e) / (here * here);
            const float laplacian = (n + s + w + e) / here;
            const float top = 0.5f * gradient - (1.0f / 16.0f) * (laplacian * laplacian);
            const float bottom = 1 + 0.25f * laplacian, ratio = top / (bottom * bottom);
            const float v = 1.0f / (1.0f + (ratio - variance) / (variance * (1 + variance)));
            coefficients[i] = v < 0 ? 0 : v > 1 ? 1 : v;
            north[i] = n;
            south[i] = s;
            west[i] = w;
            east[i] = e;
        }
    }
    for (int y = 0; y < rows; y++) {
        const ptrdiff_t row = (ptrdiff_t)y * columns, below = (ptrdiff_t)(y < rows - 1 ? y + 1 : y) * columns;
        for (int x = 0; x < columns; x++) {
            const int right = x < columns - 1 ? x + 1 : x;
            const ptrdiff_t i = row + x;
            const float divergence = coefficients[i] * north[i] + coefficients[below + x] * south[i] +
                                     coefficients[i] * west[i] + coefficients[row + right] * east[i];
            to[i] = image[i] + 0.25f * lambda * divergence;
        }
    }
}

static const int x_velocities[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, y_velocities[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
static const float lattice_weights[9] = {4 / 9.f,  1 / 9.f,  1 / 9.f,  1 / 9.f, 1 / 9.f,
                                         1 / 36.f, 1 / 36.f, 1 / 36.f, 1 / 36.f};

static inline __attribute__((always_inline)) void cell(const float *restrict from, float *restrict to, int width,
                                                       int height, float omega, int x, int y, int left, int right,
                                                       int below, int above)
{
    float v[9], density = 0, u = 0, w = 0;
    #pragma GCC unroll 9
    for (int k = 0; k < 9; k++) {
        const int from_x = x_velocities[k] > 0 ? left : x_velocities[k] < 0 ? right : x;
        const int from_y = y_velocities[k] > 0 ? below : y_velocities[k] < 0 ? above : y;
        v[k] = from[(ptrdiff_t)k * width * height + (ptrdiff_t)from_y * width + from_x];
        density += v[k];
        u += v[k] * x_velocities[k];
        w += v[k] * y_velocities[k];
    }
    u /= density;
    w /= density;
    const float square = 1.5f * (u * u + w * w);
    #pragma GCC unroll 9
    for (int k = 0; k < 9; k++) {
        const float along = 3.f * (x_velocities[k] * u + y_velocities[k] * w);
        const float rest = lattice_weights[k] * density * (1.f + along + 0.5f * along * along - square);
        to[(ptrdiff_t)k * width * height + (ptrdiff_t)y * width + x] = v[k] + omega * (rest - v[k]);
    }
}

void lbm(const float *restrict from, float *restrict to, int width, int height, float omega)
{
    for (int y = 0; y < height; y++) {
        const int below = y ? y - 1 : height - 1, above = y < height - 1 ? y + 1 : 0;
        cell(from, to, width, height, omega, 0, y, width - 1, 1, below, above);
        for (int x = 1; x < width - 1; x++)
            cell(from, to, width, height, omega, x, y, x - 1, x + 1, below, above);
        cell(from, to, width, height, omega, width - 1, y, width - 2, 0, below, above);
    }
}

static void spins(signed char *restrict mine, const signed char *restrict other, unsigned *restrict seeds, int rows,
                  int columns, int black, float chance4, float chance8)
{
    for (int i = 0; i < rows; i++) {
        const int up = i ? i - 1 : rows - 1, down = i + 1 < rows ? i + 1 : 0, shift = black == i % 2 ? 1 : -1;
        for (int j = 0; j < columns; j++) {
            const int side = j + shift < 0 ? columns - 1 : j + shift == columns ? 0 : j + shift;
            const int t = i * columns + j, spin = mine[t];
            const int energy = spin * (other[up * columns + j] + other[t] + other[down * columns + j] +
                                       other[i * columns + side]);
            const unsigned random = seeds[t] * 1664525u + 1013904223u;
            seeds[t] = random;
            const float uniform = (random >> 8) * (1.0f / 16777216);
            const float chance = energy <= 0 ? 1.0f : energy == 2 ? chance4 : chance8;
            mine[t] = uniform < chance ? -spin : spin;
        }
    }
}

void ising(signed char *restrict black, signed char *restrict white, unsigned *restrict seeds, int rows, int columns,
           float chance4, float chance8)
{
    spins(black, white, seeds, rows, columns, 1, chance4, chance8);
    spins(white, black, seeds, rows, columns, 0, chance4, chance8);
}

static double cumulative(double d)
{
    return 0.5 * erfc(-d * 0.70710678118654752440);
}

void black_scholes(const double *restrict prices, const double *restrict strikes, const double *restrict years,
                   double *restrict calls, double *restrict puts, double rate, double volatility, int n)
{
    for (int i = 0; i < n; i++) {
        const double root = sqrt(years[i]);
        const double d1 = (log(prices[i] / strikes[i]) + (rate + 0.5 * volatility * volatility) * years[i]) /
                          (volatility * root);
        const double d2 = d1 - volatility * root;
        const double discounted = strikes[i] * exp(-rate * years[i]), n1 = cumulative(d1), n2 = cumulative(d2);
        calls[i] = prices[i] * n1 - discounted * n2;
        puts[i] = discounted * (1.0 - n2) - prices[i] * (1.0 - n1);
    }
}
