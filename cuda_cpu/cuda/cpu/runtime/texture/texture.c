/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Texture fetches (CUDA Programming Guide, "Texture Fetching"): addressing modes, filtering with weights of 8
 * fractional bits, layers, cubemaps, mipmap levels.
 */
#include "texture.h"

#include <math.h>
#include <string.h>

#include "exec/worker.h"

enum { FORMAT_U8 = 1, FORMAT_U16 = 2, FORMAT_U32 = 3, FORMAT_S8 = 8, FORMAT_S16 = 9, FORMAT_S32 = 10, FORMAT_HALF = 16 };

typedef union {
    float f[4];
    uint32_t u[4];
} texel;

float cpu_float_of_half(uint16_t bits)
{
    uint32_t exponent = bits >> 10 & 31, mantissa = bits & 1023;
    float size = exponent == 31 ? (mantissa ? NAN : INFINITY)
                 : exponent     ? ldexpf((float)(mantissa | 1024), (int)exponent - 25)
                                : ldexpf((float)mantissa, -24);
    return bits >> 15 ? -size : size;
}

uint16_t cpu_half_of_float(float value)
{
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    float size = fabsf(value);
    if (size != size)
        return 0x7fff;
    if (size >= 65520)
        return sign | 0x7c00;
    int exponent;
    frexpf(size, &exponent); /* size < 2**exponent */
    int unit = size == 0 || exponent < -13 ? -24 : exponent - 11;
    uint32_t units = (uint32_t)rintf(ldexpf(size, -unit)); /* to nearest even; a carry goes into the exponent */
    return sign | (uint16_t)(units + ((uint32_t)(unit + 24) << 10));
}

static bool gives_floats(const struct cpu_texture *t)
{
    return t->format >= FORMAT_HALF ||
           (!(t->flags & CPU_TEXTURE_INTEGERS) && t->format != FORMAT_U32 && t->format != FORMAT_S32);
}

static float from_srgb(float value)
{
    return value <= 0.04045f ? value / 12.92f : powf((value + 0.055f) / 1.055f, 2.4f);
}

static int32_t integer(const struct cpu_texture *t, const uint8_t *data)
{
    int32_t value = 0;
    switch (t->format) {
    case FORMAT_U8: return *data;
    case FORMAT_S8: return (int8_t)*data;
    case FORMAT_U16: { uint16_t word; memcpy(&word, data, 2); return word; }
    case FORMAT_S16: { int16_t word; memcpy(&word, data, 2); return word; }
    }
    memcpy(&value, data, 4);
    return value;
}

static float number(const struct cpu_texture *t, const uint8_t *data, uint32_t channel)
{
    static const float scale[] = {[FORMAT_U8] = 255, [FORMAT_U16] = 65535, [FORMAT_S8] = 127, [FORMAT_S16] = 32767};
    if (t->format == FORMAT_HALF) {
        uint16_t bits;
        memcpy(&bits, data, 2);
        return cpu_float_of_half(bits);
    }
    if (t->format > FORMAT_HALF) {
        float value;
        memcpy(&value, data, 4);
        return value;
    }
    float value = (float)integer(t, data) / scale[t->format];
    if (value < -1)
        value = -1;
    return (t->flags & CPU_TEXTURE_SRGB) && channel < 3 ? from_srgb(value) : value;
}

/* Unpack three channels of 10 bits and one of 2, starting at the lowest bits. */
static texel unpack(const uint8_t *data)
{
    uint32_t word;
    memcpy(&word, data, 4);
    return (texel){.f = {(float)(word & 1023) / 1023, (float)(word >> 10 & 1023) / 1023,
                         (float)(word >> 20 & 1023) / 1023, (float)(word >> 30) / 3}};
}

static texel decode(const struct cpu_texture *t, const uint8_t *data)
{
    bool floats = gives_floats(t);
    texel found = {.u = {0, 0, 0, 1}}; /* defaults of missing channels */
    if (t->format == CPU_FORMAT_101010_2)
        return unpack(data);
    if (floats)
        found.f[3] = 1;
    uint32_t size = t->element / t->channels;
    for (uint32_t c = 0; c < t->channels; c++) {
        if (floats)
            found.f[c] = number(t, data + c * size, c);
        else
            found.u[c] = (uint32_t)integer(t, data + c * size);
    }
    return found;
}

/* Apply an addressing mode: map an index into `count` elements; -1: the border. */
static int64_t resolve(uint32_t mode, int64_t index, int64_t count)
{
    if (index >= 0 && index < count)
        return index;
    switch (mode) {
    case CPU_ADDRESS_WRAP: index %= count; return index < 0 ? index + count : index;
    case CPU_ADDRESS_MIRROR:
        index %= 2 * count;
        index = index < 0 ? index + 2 * count : index;
        return index < count ? index : 2 * count - 1 - index;
    case CPU_ADDRESS_CLAMP: return index < 0 ? 0 : count - 1;
    }
    return -1;
}

/* A mipmap level as one fetch accesses it. */
struct view {
    const struct cpu_texture *t;
    const struct cpu_level *level;
    int dimensions;
    uint32_t mode[3];
    uint32_t layer; /* index of the layer or face, in one and two dimensions */
    bool across;    /* the layers are faces of a seamless cubemap */
};

static const uint8_t *element_at(const struct view *v, int64_t x, int64_t y, int64_t z)
{
    const struct cpu_level *level = v->level;
    uint64_t slice = v->dimensions == 3 ? (uint64_t)z : v->layer;
    return (const uint8_t *)(uintptr_t)(level->base + slice * level->slice + (uint64_t)y * level->pitch +
                                        (uint64_t)x * v->t->element);
}

/* Directions of a cube's faces (programming guide): the axes along which s and t grow, and the main axis m. */
static const int8_t faces[6][3][3] = {
    {{0, 0, -1}, {0, -1, 0}, {1, 0, 0}}, {{0, 0, 1}, {0, -1, 0}, {-1, 0, 0}}, {{1, 0, 0}, {0, 0, 1}, {0, 1, 0}},
    {{1, 0, 0}, {0, 0, -1}, {0, -1, 0}}, {{1, 0, 0}, {0, -1, 0}, {0, 0, 1}},  {{-1, 0, 0}, {0, -1, 0}, {0, 0, -1}},
};

static uint32_t face_of(const float d[3], float *s, float *t)
{
    float x = fabsf(d[0]), y = fabsf(d[1]), z = fabsf(d[2]);
    int axis = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
    uint32_t face = 2u * (uint32_t)axis + (d[axis] < 0);
    float m = fabsf(d[axis]), dots[2] = {0, 0};
    for (int row = 0; row < 2; row++)
        for (int i = 0; i < 3; i++)
            dots[row] += (float)faces[face][row][i] * d[i];
    *s = m == 0 ? 0.5f : (dots[0] / m + 1) / 2;
    *t = m == 0 ? 0.5f : (dots[1] / m + 1) / 2;
    return face;
}

/* Replace a coordinate beyond an edge of a face by the one on the adjacent face. */
static void step_across(struct view *v, int64_t *x, int64_t *y)
{
    int64_t size = v->level->width;
    if (*x >= 0 && *x < size && *y >= 0 && *y < size)
        return;
    uint32_t face = v->layer % 6, cube = v->layer / 6;
    float s = (2 * (float)*x + 1) / (float)size - 1, t = (2 * (float)*y + 1) / (float)size - 1, d[3];
    for (int i = 0; i < 3; i++)
        d[i] = s * faces[face][0][i] + t * faces[face][1][i] + faces[face][2][i];
    v->layer = cube * 6 + face_of(d, &s, &t);
    *x = resolve(CPU_ADDRESS_CLAMP, (int64_t)floorf(s * (float)size), size);
    *y = resolve(CPU_ADDRESS_CLAMP, (int64_t)floorf(t * (float)size), size);
}

static texel read_block(const struct view *v, const int64_t coordinate[3])
{
    texel found = {.f = {0, 0, 0, 1}};
    int64_t z = v->dimensions > 2 ? coordinate[2] : 0;
    cpu_block_element(v->t->format, element_at(v, coordinate[0] / 4, coordinate[1] / 4, z),
                      (uint32_t)(coordinate[1] % 4 * 4 + coordinate[0] % 4), found.f);
    for (int c = 0; (v->t->flags & CPU_TEXTURE_SRGB) && c < 3; c++)
        found.f[c] = from_srgb(found.f[c]);
    return found;
}

static texel read_texel(const struct view *given, int64_t x, int64_t y, int64_t z)
{
    struct view v = *given;
    int64_t coordinate[3] = {x, y, z};
    uint32_t counts[3] = {v.level->width, v.level->height, v.level->depth};
    if (v.across)
        step_across(&v, &coordinate[0], &coordinate[1]);
    for (int axis = 0; axis < v.dimensions; axis++) {
        coordinate[axis] = resolve(v.mode[axis], coordinate[axis], counts[axis]);
        if (coordinate[axis] < 0) {
            texel border = {.f = {0, 0, 0, 0}};
            if (!(v.t->flags & CPU_TEXTURE_LINEAR))
                memcpy(&border, v.t->border, sizeof border);
            return border;
        }
    }
    if (v.t->format >= CPU_FORMAT_BC1 && v.t->format <= CPU_FORMAT_BC7)
        return read_block(&v, coordinate);
    return decode(v.t, element_at(&v, coordinate[0], v.dimensions > 1 ? coordinate[1] : 0, v.dimensions > 2 ? coordinate[2] : 0));
}

/* Return a coordinate in elements. */
static float scaled(const struct view *v, int axis, float coordinate)
{
    const uint32_t counts[3] = {v->level->width, v->level->height, v->level->depth};
    if (!(v->t->flags & CPU_TEXTURE_NORMALIZED))
        return coordinate;
    if (v->mode[axis] == CPU_ADDRESS_WRAP)
        coordinate -= floorf(coordinate);
    else if (v->mode[axis] == CPU_ADDRESS_MIRROR)
        coordinate -= 2 * floorf(coordinate / 2);
    return coordinate * (float)counts[axis];
}

static int64_t whole(float value)
{
    return value >= 0x1p40f ? (int64_t)1 << 40 : value > -0x1p40f ? (int64_t)floorf(value) : -((int64_t)1 << 40);
}

static texel sample(const struct view *v, const float at[3], const int32_t offset[3], bool linear)
{
    int64_t first[3] = {0, 0, 0};
    float weight[3] = {0, 0, 0};
    for (int axis = 0; axis < v->dimensions; axis++) {
        float coordinate = scaled(v, axis, at[axis]);
        if (coordinate != coordinate)
            coordinate = 0;
        if (linear)
            coordinate -= 0.5f;
        first[axis] = whole(coordinate) + offset[axis];
        weight[axis] = linear ? rintf((coordinate - floorf(coordinate)) * 256) / 256 : 0;
    }
    if (!linear)
        return read_texel(v, first[0], first[1], first[2]);
    texel sum = {.f = {0, 0, 0, 0}};
    for (int corner = 0; corner < 1 << v->dimensions; corner++) {
        float share = 1;
        for (int axis = 0; axis < v->dimensions; axis++)
            share *= corner >> axis & 1 ? weight[axis] : 1 - weight[axis];
        if (share == 0)
            continue;
        texel one = read_texel(v, first[0] + (corner & 1), first[1] + (corner >> 1 & 1), first[2] + (corner >> 2 & 1));
        for (int c = 0; c < 4; c++)
            sum.f[c] += share * one.f[c];
    }
    return sum;
}

static texel gather(const struct view *v, const float at[3], const int32_t offset[3], uint32_t channel)
{
    static const uint8_t order[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}}; /* counter-clockwise from the lower left */
    texel found;
    int64_t first[2];
    for (int axis = 0; axis < 2; axis++)
        first[axis] = whole(scaled(v, axis, at[axis]) - 0.5f) + offset[axis];
    for (int i = 0; i < 4; i++)
        found.u[i] = read_texel(v, first[0] + order[i][0], first[1] + order[i][1], 0).u[channel];
    return found;
}

static float level_of_detail(const struct cpu_texture *t, uint32_t flags, const uint32_t *arguments, uint32_t lane)
{
    float least = t->least < 0 ? 0 : t->least, most = fminf(t->most, (float)(t->levels - 1)), lod = 0;
    const float *numbers = (const float *)arguments;
    if ((flags & 15) == CPU_TEX_LEVEL)
        lod = numbers[CPU_ARG_DX * CPU_WARP_SIZE + lane];
    if ((flags & 15) == CPU_TEX_GRAD) {
        const uint32_t counts[3] = {t->level[0].width, t->level[0].height, t->level[0].depth};
        float lengths[2] = {0, 0};
        for (int which = 0; which < 2; which++) {
            for (uint32_t axis = 0; axis < CPU_TEX_DIMENSIONS(flags); axis++) {
                float step = numbers[((which ? CPU_ARG_DY : CPU_ARG_DX) + axis) * CPU_WARP_SIZE + lane];
                step *= t->flags & CPU_TEXTURE_NORMALIZED ? (float)counts[axis] : 1;
                lengths[which] += step * step;
            }
        }
        lod = log2f(fmaxf(lengths[0], lengths[1])) / 2;
    }
    lod += t->bias;
    if (!(lod > least))
        lod = least;
    return lod > most ? most : lod;
}

static texel fetch(const struct cpu_texture *t, uint32_t flags, const uint32_t *arguments, uint32_t lane)
{
    const float *numbers = (const float *)arguments;
    struct view v = {.t = t, .dimensions = (int)CPU_TEX_DIMENSIONS(flags)};
    float at[3] = {0, 0, 0};
    int32_t offset[3];
    bool index = flags & CPU_TEX_INDEX, plain = index || !(t->flags & CPU_TEXTURE_NORMALIZED);
    for (int axis = 0; axis < 3; axis++) {
        at[axis] = axis < v.dimensions || (flags & CPU_TEX_CUBE) ? numbers[(CPU_ARG_X + axis) * CPU_WARP_SIZE + lane] : 0;
        offset[axis] = (int32_t)arguments[(CPU_ARG_OFFSET + axis) * CPU_WARP_SIZE + lane];
        v.mode[axis] = t->address[axis];
        if (t->flags & CPU_TEXTURE_LINEAR)
            v.mode[axis] = CPU_ADDRESS_BORDER;
        else if (plain && (v.mode[axis] == CPU_ADDRESS_WRAP || v.mode[axis] == CPU_ADDRESS_MIRROR))
            v.mode[axis] = CPU_ADDRESS_CLAMP; /* the other modes need normalized coordinates */
    }
    uint32_t face = 0, layers = t->level[0].depth;
    if (flags & CPU_TEX_CUBE) {
        face = face_of(at, &at[0], &at[1]);
        layers /= 6;
        v.across = t->flags & CPU_TEXTURE_SEAMLESS;
        v.mode[0] = v.mode[1] = CPU_ADDRESS_CLAMP;
    }
    if (flags & CPU_TEX_LAYERED) {
        uint32_t layer = arguments[CPU_ARG_LAYER * CPU_WARP_SIZE + lane];
        v.layer = layer < layers ? layer : layers ? layers - 1 : 0;
    }
    if (flags & CPU_TEX_CUBE)
        v.layer = v.layer * 6 + face;
    v.level = &t->level[0];
    if (index) {
        float lod = (flags & 15) == CPU_TEX_LEVEL ? (float)(int32_t)arguments[CPU_ARG_DX * CPU_WARP_SIZE + lane] : 0;
        v.level = &t->level[lod < 0 ? 0 : lod >= (float)t->levels ? t->levels - 1 : (uint32_t)lod];
        int64_t coordinate[3] = {0, 0, 0};
        for (int axis = 0; axis < v.dimensions; axis++)
            coordinate[axis] = (int64_t)(int32_t)arguments[(CPU_ARG_X + axis) * CPU_WARP_SIZE + lane] + offset[axis];
        return read_texel(&v, coordinate[0], coordinate[1], coordinate[2]);
    }
    bool linear = t->filter && gives_floats(t);
    if ((flags & 15) == CPU_TEX_GATHER)
        return gather(&v, at, offset, CPU_TEX_DETAIL(flags));
    float lod = level_of_detail(t, flags, arguments, lane);
    if (!t->mip_filter || !gives_floats(t)) {
        v.level = &t->level[(uint32_t)floorf(lod + 0.5f)];
        return sample(&v, at, offset, linear);
    }
    uint32_t low = (uint32_t)floorf(lod);
    float share = rintf((lod - (float)low) * 256) / 256;
    v.level = &t->level[low];
    texel found = sample(&v, at, offset, linear);
    if (share > 0) {
        v.level = &t->level[low + 1];
        texel next = sample(&v, at, offset, linear);
        for (int c = 0; c < 4; c++)
            found.f[c] = (1 - share) * found.f[c] + share * next.f[c];
    }
    return found;
}

/* txq, suq: channel types and orders are OpenCL's constants, as the PTX manual says. */
static uint32_t query(const struct cpu_texture *t, uint32_t which, uint32_t lod)
{
    static const uint32_t types[] = {[FORMAT_U8] = 0x10DA, [FORMAT_U16] = 0x10DB, [FORMAT_U32] = 0x10DC,
                                     [FORMAT_S8] = 0x10D7, [FORMAT_S16] = 0x10D8, [FORMAT_S32] = 0x10D9,
                                     [FORMAT_HALF] = 0x10DD};
    const struct cpu_level *level = &t->level[lod < t->levels ? lod : t->levels - 1];
    switch (which) {
    case 0: return level->width;
    case 1: return level->height;
    case 2:
    case 6: return level->depth;
    case 3: return t->format > FORMAT_HALF ? 0x10DE : types[t->format];
    case 4: return t->channels == 1 ? 0x10B0 : t->channels == 2 ? 0x10B2 : 0x10B5;
    case 5: return !!(t->flags & CPU_TEXTURE_NORMALIZED);
    case 7: return t->levels;
    case 9: return t->filter;
    case 10:
    case 11:
    case 12: return t->address[which - 10];
    }
    return 1; /* number of samples */
}

static void put(uint64_t *data, uint32_t lane, texel found, uint32_t result)
{
    for (int c = 0; c < 4; c++) {
        uint32_t word = found.u[c];
        if (result == 1)
            word = cpu_half_of_float(found.f[c]);
        if (result == 2)
            word = c < 2 ? cpu_half_of_float(found.f[2 * c]) | (uint32_t)cpu_half_of_float(found.f[2 * c + 1]) << 16 : 0;
        data[c * CPU_WARP_SIZE + lane] = word;
    }
}

void cpu_texture(struct cpu_warp *abi, cpu_lanes lanes, uint32_t flags, uint32_t line, const uint64_t *object,
                 const uint32_t *arguments, uint64_t *data)
{
    struct cpu_running *warp = (struct cpu_running *)abi;
    uint32_t work = flags & 15;
    for (; lanes; lanes &= lanes - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        const struct cpu_texture *t = (const struct cpu_texture *)(uintptr_t)object[lane];
        bool surface = work >= CPU_SURF_LOAD;
        if ((object[lane] & 15) || (t->kind != CPU_TEXTURE_KIND && t->kind != CPU_SURFACE_KIND) ||
            (work != CPU_TEX_QUERY && (t->kind == CPU_SURFACE_KIND) != surface))
            cpu_fault_now(warp, CPU_FAULT_ILLEGAL_ADDRESS, line, object[lane],
                          surface ? "this is no surface object" : "this is no texture object");
        if (surface)
            cpu_surface(t, abi, lane, flags, line, arguments, data);
        else if (work == CPU_TEX_QUERY)
            data[lane] = query(t, CPU_TEX_DETAIL(flags), arguments[CPU_ARG_DX * CPU_WARP_SIZE + lane]);
        else
            put(data, lane, fetch(t, flags, arguments, lane), CPU_TEX_RESULT(flags));
    }
}
