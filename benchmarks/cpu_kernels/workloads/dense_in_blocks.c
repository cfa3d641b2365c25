/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Kernels of dense.cu in C that keeps their order: for each block its shared memory as a local array, and for each part
 * between barriers a loop over the threads; a value that lives across a barrier is an array. What they cost more than
 * the peers is the cost of the order. Within a part they are written as gcc compiles them best: loops of a thread may
 * be outside of the loop over the threads, and tests of the thread's index its bounds.
 */
enum { TILE = 12 };

void matmul12_in_blocks(const float *restrict a, const float *restrict b, float *restrict c, int blocks)
{
    for (int block = 0; block < blocks; block++, a += TILE * TILE, b += TILE * TILE, c += TILE * TILE) {
        float x[TILE][TILE], y[TILE][TILE];
        for (int i = 0; i < TILE; i++)
            for (int j = 0; j < TILE; j++)
                x[i][j] = a[i * TILE + j], y[i][j] = b[i * TILE + j];
        for (int i = 0; i < TILE; i++) {
            float sum[TILE] = {0};
            for (int k = 0; k < TILE; k++)
                for (int j = 0; j < TILE; j++)
                    sum[j] += x[i][k] * y[k][j];
            for (int j = 0; j < TILE; j++)
                c[i * TILE + j] = sum[j];
        }
    }
}

void lu16_in_blocks(float *restrict matrices, int count)
{
    for (int block = 0; block < count / 4; block++, matrices += 1024) {
        float tiles[4][16][17];
        for (int y = 0; y < 4; y++)
            for (int k = 0; k < 16; k++)
                for (int row = 0; row < 16; row++)
                    tiles[y][k][row] = matrices[y * 256 + k * 16 + row];
        for (int k = 0; k < 15; k++)
            for (int y = 0; y < 4; y++)
                for (int row = k + 1; row < 16; row++) {
                    const float *restrict pivot = tiles[y][k];
                    float *restrict mine = tiles[y][row];
                    const float factor = mine[k] / pivot[k];
                    mine[k] = factor;
                    for (int j = k + 1; j < 16; j++)
                        mine[j] -= factor * pivot[j];
                }
        for (int y = 0; y < 4; y++)
            for (int k = 0; k < 16; k++)
                for (int row = 0; row < 16; row++)
                    matrices[y * 256 + k * 16 + row] = tiles[y][k][row];
    }
}

static const float w5[25] = {1, 2, 3, 2, 1, 2, 4, 6, 4, 2, 3, 6, 9, 6, 3, 2, 4, 6, 4, 2, 1, 2, 3, 2, 1};

void conv5x5_in_blocks(const float *restrict from, float *restrict to, int n)
{
    for (int by = 0; by < n; by += 16)
        for (int bx = 0; bx < n; bx += 16) {
            float tile[20][20];
            for (int i = 0; i < 20; i++) {
                const unsigned x = bx - 2, y = by - 2 + i, side = n;   /* at negative places, x and y are large */
                const float *row = from + (by - 2 + i) * n + bx - 2;
                for (int j = 0; j < 20; j++)
                    tile[i][j] = x + j < side && y < side ? row[j] : 0;
            }
            for (int y = 0; y < 16; y++) {
                float sum[16] = {0};
#pragma GCC unroll 5
                for (int dy = 0; dy < 5; dy++)
#pragma GCC unroll 5
                    for (int dx = 0; dx < 5; dx++)
                        for (int x = 0; x < 16; x++)
                            sum[x] += w5[dy * 5 + dx] * tile[y + dy][x + dx];
                for (int x = 0; x < 16; x++)
                    to[(by + y) * n + bx + x] = sum[x];
            }
        }
}

void jacobi_in_blocks(const float *restrict from, float *restrict to, int n)
{
    for (int by = 0; by < n; by += 8)
        for (int bx = 0; bx < n; bx += 32) {
            float tile[10][34];
            const float *first = from + by * n + bx;
            for (int y = 0; y < 8; y++) {
                for (int x = 0; x < 32; x++)
                    tile[y + 1][x + 1] = first[y * n + x];
                tile[y + 1][0] = bx ? first[y * n - 1] : 0;
                tile[y + 1][33] = bx < n - 32 ? first[y * n + 32] : 0;
            }
            for (int x = 0; x < 32; x++) {
                tile[0][x + 1] = by ? first[x - n] : 0;
                tile[9][x + 1] = by < n - 8 ? first[8 * n + x] : 0;
            }
            for (int y = 0; y < 8; y++)
                for (int x = 0; x < 32; x++)
                    to[(by + y) * n + bx + x] =
                        .25f * (tile[y + 1][x] + tile[y + 1][x + 2] + tile[y][x + 1] + tile[y + 2][x + 1]);
        }
}
