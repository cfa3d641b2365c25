// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
//
// Workloads that compute with integers, strings and bits; dynamic programming; Monte Carlo methods.
#define KERNEL extern "C" __global__ void

KERNEL sieve(const int *primes, int count, unsigned char *flags)   // a segment of 16384 numbers per block of 256
{
    __shared__ unsigned char mine[16384];
    const int low = blockIdx.x * 16384;
    for (int i = threadIdx.x; i < 16384; i += blockDim.x)
        mine[i] = 1;
    __syncthreads();
    for (int k = 0; k < count; k++) {
        const int p = primes[k], first = max((low + p - 1) / p, 2) * p - low;
        for (int i = first + threadIdx.x * p; i < 16384; i += blockDim.x * p)
            mine[i] = 0;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 16384; i += blockDim.x)
        flags[low + i] = mine[i];
}

__device__ void quarter(unsigned &a, unsigned &b, unsigned &c, unsigned &d)
{
    a += b, d ^= a, d = d << 16 | d >> 16;
    c += d, b ^= c, b = b << 12 | b >> 20;
    a += b, d ^= a, d = d << 8 | d >> 24;
    c += d, b ^= c, b = b << 7 | b >> 25;
}

KERNEL chacha20(const unsigned *key, const unsigned *from, unsigned *to, int n)   // a block of 64 bytes per thread
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned start[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}, s[16];
    for (int k = 0; k < 8; k++)
        start[4 + k] = key[k];
    start[12] = i, start[13] = 1, start[14] = 2, start[15] = 3;
    for (int k = 0; k < 16; k++)
        s[k] = start[k];
    for (int round = 0; round < 10; round++) {
        quarter(s[0], s[4], s[8], s[12]), quarter(s[1], s[5], s[9], s[13]);
        quarter(s[2], s[6], s[10], s[14]), quarter(s[3], s[7], s[11], s[15]);
        quarter(s[0], s[5], s[10], s[15]), quarter(s[1], s[6], s[11], s[12]);
        quarter(s[2], s[7], s[8], s[13]), quarter(s[3], s[4], s[9], s[14]);
    }
    for (int k = 0; k < 16; k++)
        to[16 * i + k] = from[16 * i + k] ^ (s[k] + start[k]);
}

KERNEL crc32(const unsigned char *messages, const unsigned *table, unsigned *sums, int n)   // messages of 64 bytes
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned crc = ~0u;
    for (int k = 0; k < 64; k++)
        crc = table[(crc ^ messages[64 * i + k]) & 255] ^ crc >> 8;
    sums[i] = ~crc;
}

KERNEL hamming(const unsigned long long *words, const unsigned long long *pattern, int *distances, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;   // patterns of 256 bits
    if (i >= n)
        return;
    int sum = 0;
    for (int k = 0; k < 4; k++)
        sum += __popcll(words[4 * i + k] ^ pattern[k]);
    distances[i] = sum;
}

KERNEL find_text(const char *text, const char *wanted, int length, unsigned char *found, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int k = 0;
    while (k < length && text[i + k] == wanted[k])
        k++;
    found[i] = k == length;
}

__device__ unsigned char letter(unsigned v)
{
    return v < 26 ? 'A' + v : v < 52 ? 'a' + v - 26 : v < 62 ? '0' + v - 52 : v == 62 ? '+' : '/';
}

KERNEL base64(const unsigned char *from, uchar4 *to, int n)   // n groups of three bytes
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const unsigned v = from[3 * i] << 16 | from[3 * i + 1] << 8 | from[3 * i + 2];
    to[i] = make_uchar4(letter(v >> 18), letter(v >> 12 & 63), letter(v >> 6 & 63), letter(v & 63));
}

KERNEL levenshtein(const unsigned char *words, int *distances)   // pairs of 128 letters, by diagonals, blocks of 128
{
    __shared__ unsigned char a[128], b[128];
    __shared__ int rows[3][129];
    const int t = threadIdx.x;
    a[t] = words[blockIdx.x * 256 + t], b[t] = words[blockIdx.x * 256 + 128 + t];
    for (int d = 0; d <= 256; d++) {   // cell (i, d - i) is rows[d % 3][i]
        __syncthreads();
        int *now = rows[d % 3];
        const int *last = rows[(d + 2) % 3], *older = rows[(d + 1) % 3], i = t + 1, j = d - i;
        if (t == 0 && d <= 128)
            now[0] = d;
        if (j == 0)
            now[i] = i;
        else if (j > 0 && j <= 128)
            now[i] = min(min(last[i], last[i - 1]) + 1, older[i - 1] + (a[i - 1] != b[j - 1]));
    }
    __syncthreads();
    if (t == 0)
        distances[blockIdx.x] = rows[256 % 3][128];
}

KERNEL knapsack(const int *from, int *to, int weight, int value, int n)   // one item
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = i < weight ? from[i] : max(from[i], from[i - weight] + value);
}

KERNEL floyd(int *distances, int n)   // blocks of 32 by 32: the first phase of the blocked method, n / 32 graphs
{
    __shared__ int tile[32][32];
    const int x = threadIdx.x, y = threadIdx.y;
    int *mine = distances + blockIdx.x * 1024;
    tile[y][x] = mine[y * 32 + x];
    __syncthreads();
    for (int k = 0; k < 32; k++) {
        const int through = tile[y][k] + tile[k][x];
        __syncthreads();
        tile[y][x] = min(tile[y][x], through);
        __syncthreads();
    }
    mine[y * 32 + x] = tile[y][x];
}

__device__ unsigned draw(unsigned &state)   // xorshift
{
    state ^= state << 13, state ^= state >> 17, state ^= state << 5;
    return state;
}

KERNEL pi(const unsigned *seeds, int *inside, int rounds, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned state = seeds[i];
    int count = 0;
    for (int r = 0; r < rounds; r++) {
        const float x = (draw(state) >> 8) * (1.0f / (1 << 24)), y = (draw(state) >> 8) * (1.0f / (1 << 24));
        count += x * x + y * y < 1;
    }
    inside[i] = count;
}

KERNEL asian_option(const unsigned *seeds, float *payoffs, int steps, int n)   // a path per thread
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned state = seeds[i];
    float price = 100, sum = 0;
    for (int s = 0; s < steps; s++) {
        const float u = ((draw(state) >> 8) + .5f) * (1.0f / (1 << 24));
        price *= 1.0002f + .01f * (2 * u - 1);
        sum += price;
    }
    payoffs[i] = fmaxf(sum / steps - 100, 0);
}

KERNEL binomial(const float *prices, float *values, float up, float down, float p, float strike)   // 128 steps
{
    __shared__ float v[2][129];
    const int t = threadIdx.x;   // blocks of 128, an option each
    float s = prices[blockIdx.x];
    for (int k = 0; k < 128; k++)
        s *= k < t ? up : down;
    v[0][t] = fmaxf(s - strike, 0);
    if (t == 127)
        v[0][128] = fmaxf(s / down * up - strike, 0);
    for (int step = 0; step < 128; step++) {
        __syncthreads();
        if (t < 128 - step)
            v[~step & 1][t] = p * v[step & 1][t + 1] + (1 - p) * v[step & 1][t];
    }
    if (t == 0)
        values[blockIdx.x] = v[0][0];
}

KERNEL life(const unsigned char *from, unsigned char *to, int n)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1)
        return;
    int count = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            count += from[(y + dy) * n + x + dx];
    const int mine = from[y * n + x];
    to[y * n + x] = count == 3 || (mine && count == 4);
}

KERNEL power_mod(const unsigned *bases, unsigned *powers, unsigned exponent, unsigned modulus, int n)   // Montgomery
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned inverse = 1;
    for (int k = 0; k < 5; k++)
        inverse *= 2 - modulus * inverse;
    auto times = [&](unsigned a, unsigned b) {
        const unsigned long long product = (unsigned long long)a * b;
        const unsigned m = (unsigned)product * -inverse;
        const unsigned sum = (product + (unsigned long long)m * modulus) >> 32;
        return sum >= modulus ? sum - modulus : sum;
    };
    unsigned base = bases[i], result = -modulus % modulus;   // factors are below 2^31, in Montgomery's form
    for (unsigned e = exponent; e; e >>= 1) {
        if (e & 1)
            result = times(result, base);
        base = times(base, base);
    }
    powers[i] = times(result, 1);
}
