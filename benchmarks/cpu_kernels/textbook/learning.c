/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * The peers of learning.cu.
 */
#include <math.h>
#include <stddef.h>

#define HEAD 32
#define DIMENSIONS 16

void softmax(const float *restrict x, float *restrict y, int rows, int columns)
{
    for (int r = 0; r < rows; r++) {
        const float *from = x + (ptrdiff_t)r * columns;
        float *to = y + (ptrdiff_t)r * columns, most = -INFINITY, sum = 0;
        for (int i = 0; i < columns; i++)
            most = from[i] > most ? from[i] : most;
        for (int i = 0; i < columns; i++)
            to[i] = expf(from[i] - most);
        for (int i = 0; i < columns; i++)
            sum += to[i];
        const float scale = 1 / sum;
        for (int i = 0; i < columns; i++)
            to[i] *= scale;
    }
}

void layernorm(const float *restrict x, const float *restrict gamma, const float *restrict beta, float *restrict y,
               int rows, int columns)
{
    for (int r = 0; r < rows; r++, x += columns, y += columns) {
        float sums[16] = {0}, parts[16] = {0}, sum = 0, squares = 0;
        for (int i = 0; i < columns; i += 16)
            for (int j = 0; j < 16; j++) {
                const float v = x[i + j];
                sums[j] += v;
                parts[j] += v * v;
            }
        for (int j = 0; j < 16; j++) {
            sum += sums[j];
            squares += parts[j];
        }
        const float mean = sum / columns, scale = 1 / sqrtf(squares / columns - mean * mean + 1e-5f);
        for (int i = 0; i < columns; i++)
            y[i] = (x[i] - mean) * scale * gamma[i] + beta[i];
    }
}

void attention(const float *restrict queries, const float *restrict keys, const float *restrict values,
               float *restrict to, int heads, int n, float scale)   /* n is at most 1024 */
{
    static float transposed[HEAD * 1024], scores[1024];
    for (int h = 0; h < heads; h++, queries += n * HEAD, keys += n * HEAD, values += n * HEAD, to += n * HEAD) {
        for (int j = 0; j < n; j++)
            for (int d = 0; d < HEAD; d++)
                transposed[d * n + j] = keys[j * HEAD + d];
        for (int i = 0; i < n; i++) {
            float sums[HEAD] = {0}, most = -1e30f, weights = 0;
            for (int j = 0; j < n; j++)
                scores[j] = 0;
            for (int d = 0; d < HEAD; d++) {
                const float query = queries[i * HEAD + d] * scale;
                for (int j = 0; j < n; j++)
                    scores[j] += query * transposed[d * n + j];
            }
            for (int j = 0; j < n; j++)
                most = scores[j] > most ? scores[j] : most;
            for (int j = 0; j < n; j++) {
                scores[j] = expf(scores[j] - most);
                weights += scores[j];
            }
            for (int j = 0; j < n; j++)
                for (int d = 0; d < HEAD; d++)
                    sums[d] += scores[j] * values[j * HEAD + d];
            for (int d = 0; d < HEAD; d++)
                to[i * HEAD + d] = sums[d] / weights;
        }
    }
}

void im2col(int channels, const float *restrict image, int height, int width, int kernel, int padding,
            float *restrict to)
{
    for (int c = 0; c < channels; c++)
        for (int i = 0; i < kernel; i++)
            for (int j = 0; j < kernel; j++)
                for (int y = 0; y < height; y++, to += width) {
                    const int from_y = y - padding + i;
                    if (from_y < 0 || from_y >= height) {
                        for (int x = 0; x < width; x++)
                            to[x] = 0;
                        continue;
                    }
                    const float *row = image + ((ptrdiff_t)c * height + from_y) * width - padding + j;
                    for (int x = 0; x < width; x++) {
                        const int from_x = x - padding + j;
                        to[x] = from_x >= 0 && from_x < width ? row[x] : 0;
                    }
                }
}

void maxpool(const float *restrict from, float *restrict to, int *restrict indices, int channels, int height, int width,
             int rows, int columns)
{
    for (int c = 0; c < channels; c++, from += (ptrdiff_t)height * width)
        for (int y = 0; y < rows; y++)
            for (int x = 0; x < columns; x++) {
                const int y0 = y * 2 - 1 < 0 ? 0 : y * 2 - 1, y1 = y * 2 + 2 > height ? height : y * 2 + 2;
                const int x0 = x * 2 - 1 < 0 ? 0 : x * 2 - 1, x1 = x * 2 + 2 > width ? width : x * 2 + 2;
                float most = -3.4e38f;
                int best = -1;
                for (int i = y0; i < y1; i++)
                    for (int j = x0; j < x1; j++) {
                        const float v = from[i * width + j];
                        if (v > most) {
                            most = v;
                            best = i * width + j;
                        }
                    }
                *to++ = most;
                *indices++ = best;
            }
}

void nchw_nhwc(const float *restrict from, float *restrict to, int images, int channels, int pixels)
{
    const ptrdiff_t image = (ptrdiff_t)channels * pixels;
    for (int n = 0; n < images; n++, from += image, to += image)
        for (int first = 0; first < pixels; first += 16)
            for (int c = 0; c < channels; c++)
                for (int p = first; p < (first + 16 < pixels ? first + 16 : pixels); p++)
                    to[(ptrdiff_t)p * channels + c] = from[(ptrdiff_t)c * pixels + p];
}

void knn(const float *restrict queries, const float *restrict transposed, int *restrict nearest, int count,
         int n)   /* n is at most 4096 */
{
    static float distances[4096];
    for (int t = 0; t < count; t++) {
        for (int p = 0; p < n; p++)
            distances[p] = 0;
        for (int d = 0; d < DIMENSIONS; d++) {
            const float query = queries[d * count + t];
            for (int p = 0; p < n; p++) {
                const float x = query - transposed[d * n + p];
                distances[p] += x * x;
            }
        }
        float best[4] = {3.4e38f, 3.4e38f, 3.4e38f, 3.4e38f};
        int found[4];
        for (int p = 0; p < n; p++)
            if (distances[p] < best[3]) {
                int k = 3;
                while (k > 0 && best[k - 1] > distances[p]) {
                    best[k] = best[k - 1];
                    found[k] = found[k - 1];
                    k--;
                }
                best[k] = distances[p];
                found[k] = p;
            }
        for (int k = 0; k < 4; k++)
            nearest[t * 4 + k] = found[k];
    }
}
