// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
//
// Textbook kernels of simulations: heat, diffusion, fluids, spins, the prices of options.
#define KERNEL extern "C" __global__ void
#define SIDE 16
#define STEPS 2

// Heat in a plate: blocks of 16 by 16 overlap, so that each does two steps of time in shared memory.
KERNEL hotspot(const float *power, const float *from, float *to, int columns, int rows, float step, float x_factor,
               float y_factor, float z_factor)
{
    __shared__ float plates[2][SIDE][SIDE];
    const int i = threadIdx.x, j = threadIdx.y;
    const int x = (SIDE - 2 * STEPS) * blockIdx.x + i - STEPS, y = (SIDE - 2 * STEPS) * blockIdx.y + j - STEPS;
    const bool exists = x >= 0 && x < columns && y >= 0 && y < rows;
    const float ambient = 80.0f, heat = exists ? power[y * columns + x] : 0.0f;
    plates[0][j][i] = exists ? from[y * columns + x] : 0.0f;
    for (int s = 0; s < STEPS; s++) {
        __syncthreads();
        const float (*now)[SIDE] = plates[s % 2];
        const float here = now[j][i];   // beyond an edge it is as warm as at the edge
        const float north = now[y > 0 && j > 0 ? j - 1 : j][i], west = now[j][x > 0 && i > 0 ? i - 1 : i];
        const float south = now[y < rows - 1 && j < SIDE - 1 ? j + 1 : j][i];
        const float east = now[j][x < columns - 1 && i < SIDE - 1 ? i + 1 : i];
        plates[(s + 1) % 2][j][i] = here + step * (heat + (south + north - 2.0f * here) * y_factor +
                                    (east + west - 2.0f * here) * x_factor + (ambient - here) * z_factor);
    }
    if (exists && i >= STEPS && i < SIDE - STEPS && j >= STEPS && j < SIDE - STEPS)
        to[y * columns + x] = plates[STEPS % 2][j][i];
}

// Speckle reducing anisotropic diffusion: differences and coefficients, then the update.
KERNEL srad_coefficients(float *north, float *south, float *west, float *east, float *coefficients, const float *image,
                         int columns, int rows, float variance)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const int i = y * columns + x;
    if (x >= columns || y >= rows)
        return;
    const float here = image[i];
    const float n = image[(y == 0 ? 0 : y - 1) * columns + x] - here;
    const float s = image[(y == rows - 1 ? y : y + 1) * columns + x] - here;
    const float w = image[y * columns + (x == 0 ? 0 : x - 1)] - here;
    const float e = image[y * columns + (x == columns - 1 ? x : x + 1)] - here;
    const float gradient = (n * n + s * s + w * w + e * e) / (here * here), laplacian = (n + s + w + e) / here;
    const float above = 0.5f * gradient - (1.0f / 16.0f) * (laplacian * laplacian);
    const float below = 1 + 0.25f * laplacian, ratio = above / (below * below);
    const float v = 1.0f / (1.0f + (ratio - variance) / (variance * (1 + variance)));
    coefficients[i] = v < 0 ? 0 : v > 1 ? 1 : v;
    north[i] = n;
    south[i] = s;
    west[i] = w;
    east[i] = e;
}

KERNEL srad_update(const float *north, const float *south, const float *west, const float *east,
                   const float *coefficients, const float *image, float *to, int columns, int rows, float lambda)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const int i = y * columns + x;
    if (x >= columns || y >= rows)
        return;
    const float here = coefficients[i], below = coefficients[(y == rows - 1 ? y : y + 1) * columns + x];
    const float right = coefficients[y * columns + (x == columns - 1 ? x : x + 1)];
    const float divergence = here * north[i] + below * south[i] + here * west[i] + right * east[i];
    to[i] = image[i] + 0.25f * lambda * divergence;
}

__constant__ int x_velocities[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant__ int y_velocities[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant__ float lattice_weights[9] = {4 / 9.f,  1 / 9.f,  1 / 9.f,  1 / 9.f, 1 / 9.f,
                                         1 / 36.f, 1 / 36.f, 1 / 36.f, 1 / 36.f};

// The lattice Boltzmann method in two dimensions with nine velocities; the borders are periodic.
KERNEL lbm(const float *__restrict__ from, float *__restrict__ to, int width, int height, float omega)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float v[9], density = 0, u = 0, w = 0;
    #pragma unroll
    for (int k = 0; k < 9; k++) {
        const int from_x = (x - x_velocities[k] + width) % width, from_y = (y - y_velocities[k] + height) % height;
        v[k] = from[(size_t)k * width * height + from_y * width + from_x];
        density += v[k];
        u += v[k] * x_velocities[k];
        w += v[k] * y_velocities[k];
    }
    u /= density;
    w /= density;
    const float square = 1.5f * (u * u + w * w);
    #pragma unroll
    for (int k = 0; k < 9; k++) {
        const float along = 3.f * (x_velocities[k] * u + y_velocities[k] * w);
        const float rest = lattice_weights[k] * density * (1.f + along + 0.5f * along * along - square);
        to[(size_t)k * width * height + y * width + x] = v[k] + omega * (rest - v[k]);
    }
}

// Metropolis steps of one colour of a checkerboard; both colours are stored apart, each site has a generator.
KERNEL ising(signed char *__restrict__ mine, const signed char *__restrict__ other, unsigned *__restrict__ seeds,
             int rows, int columns, int black, float chance4, float chance8)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x, i = t / columns, j = t % columns;
    if (i >= rows)
        return;
    const int up = i ? i - 1 : rows - 1, down = i + 1 < rows ? i + 1 : 0;
    const int left = j ? j - 1 : columns - 1, right = j + 1 < columns ? j + 1 : 0;
    const int side = black ? (i % 2 ? right : left) : (i % 2 ? left : right);
    const int spin = mine[t];
    const int sum = other[up * columns + j] + other[t] + other[down * columns + j] + other[i * columns + side];
    const unsigned random = seeds[t] * 1664525u + 1013904223u;
    seeds[t] = random;
    const float uniform = (random >> 8) * (1.0f / 16777216);
    const int energy = spin * sum;
    const float chance = energy <= 0 ? 1.0f : energy == 2 ? chance4 : chance8;
    if (uniform < chance)
        mine[t] = -spin;
}

__device__ double cumulative(double d)
{
    return 0.5 * erfc(-d * 0.70710678118654752440);
}

KERNEL black_scholes(const double *__restrict__ prices, const double *__restrict__ strikes,
                     const double *__restrict__ years, double *__restrict__ calls, double *__restrict__ puts,
                     double rate, double volatility, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const double root = sqrt(years[i]);
    const double d1 = (log(prices[i] / strikes[i]) + (rate + 0.5 * volatility * volatility) * years[i]) /
                      (volatility * root);
    const double d2 = d1 - volatility * root;
    const double discounted = strikes[i] * exp(-rate * years[i]), n1 = cumulative(d1), n2 = cumulative(d2);
    calls[i] = prices[i] * n1 - discounted * n2;
    puts[i] = discounted * (1.0 - n2) - prices[i] * (1.0 - n1);
}
