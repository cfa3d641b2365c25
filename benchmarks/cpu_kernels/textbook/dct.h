/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * The discrete cosine transform of 8 values in place, for images.cu and images.c.
 */
#ifdef __CUDACC__
#define INLINE __device__
#else
#define INLINE static inline
#endif
#define A 1.387039845322148f
#define B 1.306562964876377f
#define C 1.175875602419359f
#define D 0.785694958387102f
#define E 0.541196100146197f
#define F 0.275899379282943f
#define SCALE 0.3535533905932737f

INLINE void dct(float *p, int step)
{
    const float sum07 = p[0] + p[7 * step], sum16 = p[step] + p[6 * step];
    const float sum25 = p[2 * step] + p[5 * step], sum34 = p[3 * step] + p[4 * step];
    const float less07 = p[0] - p[7 * step], less61 = p[6 * step] - p[step];
    const float less25 = p[2 * step] - p[5 * step], less43 = p[4 * step] - p[3 * step];
    const float a = sum07 + sum34, b = sum07 - sum34, c = sum16 + sum25, d = sum16 - sum25;
    p[0] = SCALE * (a + c);
    p[2 * step] = SCALE * (B * b + E * d);
    p[4 * step] = SCALE * (a - c);
    p[6 * step] = SCALE * (E * b - B * d);
    p[step] = SCALE * (A * less07 - C * less61 + D * less25 - F * less43);
    p[3 * step] = SCALE * (C * less07 + F * less61 - A * less25 + D * less43);
    p[5 * step] = SCALE * (D * less07 + A * less61 + F * less25 - C * less43);
    p[7 * step] = SCALE * (F * less07 + D * less61 + C * less25 + A * less43);
}
