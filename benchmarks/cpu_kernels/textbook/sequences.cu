// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
//
// Textbook kernels of sequences: dynamic programming, scans, text, codes, hashes and ciphers.
#define KERNEL extern "C" __global__ void
#define SIZE 256

// The cheapest way down through rows of costs: blocks overlap, so that each does some rows in shared memory.
KERNEL pathfinder(int steps, const int *wall, const int *from, int *to, int columns)
{
    __shared__ int sums[2][SIZE];
    const int t = threadIdx.x, x = (SIZE - 2 * steps) * blockIdx.x + t - steps, never = 1 << 30;
    const bool exists = x >= 0 && x < columns;
    sums[0][t] = exists ? from[x] : never;
    for (int i = 0; i < steps; i++) {
        __syncthreads();
        const int *above = sums[i % 2];
        const int least = min(above[t], min(above[max(t - 1, 0)], above[min(t + 1, SIZE - 1)]));
        sums[(i + 1) % 2][t] = exists ? least + wall[columns * i + x] : never;
    }
    if (exists && t >= steps && t < SIZE - steps)
        to[x] = sums[steps % 2][t];
}

#define TILE 16

// Needleman-Wunsch: a launch does one diagonal of tiles of 16 by 16, a block does the diagonals of its tile.
KERNEL needle(const int *__restrict__ similar, int *scores, int columns, int penalty, int diagonal, int width,
              int lower)
{
    __shared__ int tile[TILE + 1][TILE + 1];   // with the row above and the column to the left
    const int t = threadIdx.x, number = blockIdx.x;
    const int tile_x = lower ? number + width - diagonal : number;
    const int tile_y = lower ? width - number - 1 : diagonal - 1 - number;
    const int corner = columns * TILE * tile_y + TILE * tile_x;
    tile[0][t + 1] = scores[corner + t + 1];
    tile[t + 1][0] = scores[corner + columns * (t + 1)];
    if (t == 0)
        tile[0][0] = scores[corner];
    for (int d = 0; d < 2 * TILE - 1; d++) {
        __syncthreads();
        const int y = d - t;
        if (y >= 0 && y < TILE) {
            const int pair = tile[y][t] + similar[corner + columns * (y + 1) + t + 1];
            tile[y + 1][t + 1] = max(pair, max(tile[y + 1][t], tile[y][t + 1]) - penalty);
        }
    }
    __syncthreads();
    for (int y = 1; y <= TILE; y++)
        scores[corner + columns * y + t + 1] = tile[y][t + 1];
}

#define QUERY 48

// A thread per text; the texts are interleaved.
KERNEL smith_waterman(const signed char *__restrict__ query, const signed char *__restrict__ texts,
                      int *__restrict__ scores, int n, int length)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n)
        return;
    short row[QUERY + 1];
    for (int i = 0; i <= QUERY; i++)
        row[i] = 0;
    int best = 0;
    for (int j = 0; j < length; j++) {
        const signed char c = texts[(size_t)j * n + t];
        int diagonal = 0, left = 0;
        for (int i = 1; i <= QUERY; i++) {
            const int up = row[i];
            int value = diagonal + (c == query[i - 1] ? 3 : -2);
            value = max(max(value, 0), max(up, left) - 4);
            diagonal = up;
            row[i] = value;
            left = value;
            best = max(best, value);
        }
    }
    scores[t] = best;
}

#define PADDED(n) ((n) + ((n) >> 5))

// An exclusive scan of 512 values per block by a tree, padded against bank conflicts.
KERNEL blelloch(const int *__restrict__ from, int *__restrict__ to, int *__restrict__ sums)
{
    __shared__ int temp[512 + 16];
    const int t = threadIdx.x, base = blockIdx.x * 512, one = t, other = t + 256;
    int offset = 1;
    temp[PADDED(one)] = from[base + one];
    temp[PADDED(other)] = from[base + other];
    for (int active = 256; active > 0; active >>= 1) {
        __syncthreads();
        if (t < active) {
            const int i = offset * (2 * t + 1) - 1, j = offset * (2 * t + 2) - 1;
            temp[PADDED(j)] += temp[PADDED(i)];
        }
        offset *= 2;
    }
    if (t == 0) {
        sums[blockIdx.x] = temp[PADDED(511)];
        temp[PADDED(511)] = 0;
    }
    for (int active = 1; active < 512; active *= 2) {
        offset >>= 1;
        __syncthreads();
        if (t < active) {
            const int i = offset * (2 * t + 1) - 1, j = offset * (2 * t + 2) - 1, value = temp[PADDED(i)];
            temp[PADDED(i)] = temp[PADDED(j)];
            temp[PADDED(j)] += value;
        }
    }
    __syncthreads();
    to[base + one] = temp[PADDED(one)];
    to[base + other] = temp[PADDED(other)];
}

// The positions of the newlines of a text: a count per block by ballots, a scan of the counts, then the positions.
KERNEL csv_count(const char *__restrict__ text, int n, int *counts)
{
    __shared__ int count;
    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned lines = __ballot_sync(~0u, i < n && text[i] == '\n');
    if ((threadIdx.x & 31) == 0)
        atomicAdd(&count, __popc(lines));
    __syncthreads();
    if (threadIdx.x == 0)
        counts[blockIdx.x] = count;
}

__device__ int warp_scan(int value, int lane)
{
    for (int distance = 1; distance < 32; distance <<= 1) {
        const int other = __shfl_up_sync(~0u, value, distance);
        if (lane >= distance)
            value += other;
    }
    return value;
}

KERNEL csv_scan(int *counts, int n)   // one block of 1024
{
    __shared__ int sums[32];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    int carry = 0;
    for (int base = 0; base < n; base += 1024) {
        const int i = base + threadIdx.x, value = i < n ? counts[i] : 0, sum = warp_scan(value, lane);
        if (lane == 31)
            sums[warp] = sum;
        __syncthreads();
        if (warp == 0)
            sums[lane] = warp_scan(sums[lane], lane);
        __syncthreads();
        const int before = carry + (warp ? sums[warp - 1] : 0);
        if (i < n)
            counts[i] = before + sum - value;
        carry += sums[31];
        __syncthreads();
    }
}

KERNEL csv_positions(const char *__restrict__ text, int n, const int *__restrict__ offsets, int *__restrict__ to)
{
    __shared__ int counts[32];
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const bool line = i < n && text[i] == '\n';
    const unsigned lines = __ballot_sync(~0u, line);
    if (lane == 0)
        counts[warp] = __popc(lines);
    __syncthreads();
    int before = offsets[blockIdx.x];
    for (int k = 0; k < warp; k++)
        before += counts[k];
    if (line)
        to[before + __popc(lines & ((1u << lane) - 1))] = i;
}

KERNEL utf8_clear(unsigned *result)
{
    result[threadIdx.x] = 0;
}

// The number of characters, and of those that have several bytes.
KERNEL utf8(const unsigned *__restrict__ words, int n, unsigned *result)
{
    unsigned all = 0, longer = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const unsigned word = words[i];
        all += __popc(__vcmpgts4(word, 0xbfbfbfbfu) & 0x01010101u);
        longer += __popc(__vcmpgeu4(word, 0xc0c0c0c0u) & 0x01010101u);
    }
    all = __reduce_add_sync(~0u, all);
    longer = __reduce_add_sync(~0u, longer);
    __shared__ unsigned sums[2];
    if (threadIdx.x < 2)
        sums[threadIdx.x] = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        atomicAdd(&sums[0], all);
        atomicAdd(&sums[1], longer);
    }
    __syncthreads();
    if (threadIdx.x < 2)
        atomicAdd(&result[threadIdx.x], sums[threadIdx.x]);
}

// The codes of 256 symbols, whose lengths differ: a scan of the lengths, then atomics on words in shared memory.
KERNEL bitpack(const unsigned char *__restrict__ from, const unsigned *__restrict__ codes,
               const unsigned char *__restrict__ lengths, unsigned *__restrict__ to, int *__restrict__ bits)
{
    __shared__ unsigned words[256], my_codes[256];
    __shared__ unsigned char my_lengths[256];
    __shared__ int ends[256];
    const int t = threadIdx.x;
    words[t] = 0;
    my_codes[t] = codes[t];
    my_lengths[t] = lengths[t];
    __syncthreads();
    const int symbol = from[blockIdx.x * 256 + t], length = my_lengths[symbol];
    ends[t] = length;
    __syncthreads();
    for (int distance = 1; distance < 256; distance <<= 1) {
        const int before = t >= distance ? ends[t - distance] : 0;
        __syncthreads();
        ends[t] += before;
        __syncthreads();
    }
    const int start = ends[t] - length, word = start >> 5, bit = start & 31;
    const unsigned long long code = (unsigned long long)my_codes[symbol] << bit;
    atomicOr(&words[word], (unsigned)code);
    if (bit + length > 32)
        atomicOr(&words[word + 1], (unsigned)(code >> 32));
    __syncthreads();
    to[blockIdx.x * 256 + t] = words[t];
    if (t == 255)
        bits[blockIdx.x] = ends[t];
}

__device__ __forceinline__ unsigned rotate(unsigned x, int n)
{
    return (x << n) | (x >> (32 - n));
}

// A thread per message of one block, whose words are interleaved.
KERNEL sha1(const unsigned *__restrict__ messages, unsigned *__restrict__ to, int n)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n)
        return;
    unsigned w[16];
    #pragma unroll
    for (int i = 0; i < 16; i++)
        w[i] = messages[i * n + t];
    unsigned a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476, e = 0xc3d2e1f0;
    #pragma unroll
    for (int i = 0; i < 80; i++) {
        unsigned word, mixed, constant;
        if (i < 16) {
            word = w[i];
        } else {
            word = rotate(w[(i + 13) & 15] ^ w[(i + 8) & 15] ^ w[(i + 2) & 15] ^ w[i & 15], 1);
            w[i & 15] = word;
        }
        if (i < 20) {
            mixed = (b & c) | (~b & d);
            constant = 0x5a827999;
        } else if (i < 40) {
            mixed = b ^ c ^ d;
            constant = 0x6ed9eba1;
        } else if (i < 60) {
            mixed = (b & c) | (b & d) | (c & d);
            constant = 0x8f1bbcdc;
        } else {
            mixed = b ^ c ^ d;
            constant = 0xca62c1d6;
        }
        const unsigned next = rotate(a, 5) + mixed + e + constant + word;
        e = d;
        d = c;
        c = rotate(b, 30);
        b = a;
        a = next;
    }
    to[t] = a + 0x67452301;
    to[n + t] = b + 0xefcdab89;
    to[2 * n + t] = c + 0x98badcfe;
    to[3 * n + t] = d + 0x10325476;
    to[4 * n + t] = e + 0xc3d2e1f0;
}

#define ROUND(a, b, c, d) \
    (T[0][a & 255] ^ T[1][(b >> 8) & 255] ^ T[2][(c >> 16) & 255] ^ T[3][d >> 24])
#define LAST(a, b, c, d) \
    (S[a & 255] | S[(b >> 8) & 255] << 8 | S[(c >> 16) & 255] << 16 | (unsigned)S[d >> 24] << 24)

// AES-128 by tables in shared memory: a thread per block of 16 bytes.
KERNEL aes(const uint4 *__restrict__ from, uint4 *__restrict__ to, const unsigned *__restrict__ tables,
           const unsigned *__restrict__ keys, const unsigned char *__restrict__ box, int n)
{
    __shared__ unsigned T[4][256];
    __shared__ unsigned char S[256];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        T[i >> 8][i & 255] = tables[i];
    S[threadIdx.x] = box[threadIdx.x];
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        uint4 v = from[i];
        unsigned a = v.x ^ keys[0], b = v.y ^ keys[1], c = v.z ^ keys[2], d = v.w ^ keys[3];
        #pragma unroll
        for (int r = 1; r < 10; r++) {
            const unsigned e = ROUND(a, b, c, d) ^ keys[4 * r], f = ROUND(b, c, d, a) ^ keys[4 * r + 1];
            const unsigned g = ROUND(c, d, a, b) ^ keys[4 * r + 2], h = ROUND(d, a, b, c) ^ keys[4 * r + 3];
            a = e, b = f, c = g, d = h;
        }
        v.x = LAST(a, b, c, d) ^ keys[40];
        v.y = LAST(b, c, d, a) ^ keys[41];
        v.z = LAST(c, d, a, b) ^ keys[42];
        v.w = LAST(d, a, b, c) ^ keys[43];
        to[i] = v;
    }
}
