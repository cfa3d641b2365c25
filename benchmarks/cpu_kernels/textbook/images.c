/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * The peers of images.cu.
 */
#include <math.h>
#include <stddef.h>

#include "dct.h"

typedef unsigned char byte;

#define ORDER(a, b)                       \
    {                                     \
        const byte least = a < b ? a : b; \
        b = a < b ? b : a;                \
        a = least;                        \
    }

void median3(const byte *restrict from, byte *restrict to, int width, int height)
{
    for (int y = 1; y < height - 1; y++) {
        const byte *a = from + (ptrdiff_t)(y - 1) * width, *b = a + width, *c = b + width;
        byte *out = to + (ptrdiff_t)y * width;
        for (int x = 1; x < width - 1; x++) {
            byte p0 = a[x - 1], p1 = a[x], p2 = a[x + 1];
            byte p3 = b[x - 1], p4 = b[x], p5 = b[x + 1];
            byte p6 = c[x - 1], p7 = c[x], p8 = c[x + 1];
            ORDER(p1, p2) ORDER(p4, p5) ORDER(p7, p8) ORDER(p0, p1) ORDER(p3, p4) ORDER(p6, p7)
            ORDER(p1, p2) ORDER(p4, p5) ORDER(p7, p8) ORDER(p0, p3) ORDER(p5, p8) ORDER(p4, p7)
            ORDER(p3, p6) ORDER(p1, p4) ORDER(p2, p5) ORDER(p4, p7)
            ORDER(p4, p2) ORDER(p6, p4) ORDER(p4, p2)
            out[x] = p4;
        }
    }
}

static int clamp(int value, int most)
{
    return value < 0 ? 0 : value > most ? most : value;
}

void bilateral(const float *restrict from, float *restrict to, int width, int height, float space, float range)
{
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            const float centre = from[y * width + x];
            float sum = 0, weights = 0;
            for (int dy = -2; dy <= 2; dy++)
                for (int dx = -2; dx <= 2; dx++) {
                    const float v = from[clamp(y + dy, height - 1) * width + clamp(x + dx, width - 1)];
                    const float weight = expf(-(dx * dx + dy * dy) * space - (v - centre) * (v - centre) * range);
                    sum += weight * v;
                    weights += weight;
                }
            to[y * width + x] = sum / weights;
        }
}

void equalise(const byte *restrict from, byte *restrict to, int n)   /* n is a multiple of 4 */
{
    unsigned bins[4][256] = {{0}}, sum = 0;
    byte table[256];
    for (int i = 0; i < n; i += 4)
        for (int k = 0; k < 4; k++)
            bins[k][from[i + k]]++;
    for (int k = 0; k < 256; k++) {
        sum += bins[0][k] + bins[1][k] + bins[2][k] + bins[3][k];
        table[k] = (byte)(sum * 255.0f / n);
    }
    for (int i = 0; i < n; i++)
        to[i] = table[from[i]];
}

void dct8(const float *restrict from, float *restrict to, int width, int height)
{
    for (int top = 0; top < height; top += 8)
        for (int left = 0; left < width; left += 8) {
            float s[64];
            for (int i = 0; i < 8; i++)
                for (int j = 0; j < 8; j++)
                    s[i * 8 + j] = from[(ptrdiff_t)(top + i) * width + left + j];
            for (int i = 0; i < 8; i++)
                dct(s + i * 8, 1);
            for (int i = 0; i < 8; i++)
                dct(s + i, 8);
            for (int i = 0; i < 8; i++)
                for (int j = 0; j < 8; j++)
                    to[(ptrdiff_t)(top + i) * width + left + j] = s[i * 8 + j];
        }
}

void haar(const float *restrict from, float *restrict to, int count)
{
    const float root = 0.70710678f;
    for (int b = 0; b < count; b++, from += 512, to += 512) {
        float s[256];
        for (int t = 0; t < 256; t++) {
            s[t] = (from[2 * t] + from[2 * t + 1]) * root;
            to[256 + t] = (from[2 * t] - from[2 * t + 1]) * root;
        }
        for (int half = 128; half; half >>= 1) {
            float sums[128];
            for (int t = 0; t < half; t++) {
                sums[t] = (s[2 * t] + s[2 * t + 1]) * root;
                to[half + t] = (s[2 * t] - s[2 * t + 1]) * root;
            }
            for (int t = 0; t < half; t++)
                s[t] = sums[t];
        }
        to[0] = s[0];
    }
}

void mandelbrot(unsigned short *restrict to, int width, int height, float x0, float y0, float step, int most)
{
    for (int row = 0; row < height; row++)
        for (int column = 0; column < width; column++) {
            const float cx = x0 + column * step, cy = y0 + row * step;
            float x = 0, y = 0;
            int n = 0;
            while (x * x + y * y < 4.0f && n < most) {
                const float next = x * x - y * y + cx;
                y = 2 * x * y + cy;
                x = next;
                n++;
            }
            to[row * width + column] = n;
        }
}
