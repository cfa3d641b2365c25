# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Kernels for `check_corpus`: races. See there for how the faulty and the correct one of a pair are written."""

from __future__ import annotations

_ONE = {"grid": 1}
_WARP = {"grid": 1, "block": 32}
_TWO = {"grid": 2}
_S = "__shared__ int s[128]; s[T] = T; "
_SYNC = "@[@|__syncthreads();@] "
_TREE = (
    _S + "__syncthreads(); for (int k = 64; k; k >>= 1) {{ if (T < k) s[T] += s[T + k]; {0} }} if (T == 0) q[I] = s[0];"
)
_FOLD = _S + "volatile int *v = s; {0} int x = v[T]; " + "".join(
    f"x += v[T + {k}]; {{1}} v[T] = x; {{1}} " for k in (16, 8, 4, 2, 1)
) + "if (T == 0) q[0] = s[0];"  # fmt: skip
_LAST = (
    "__shared__ bool last; if (T == 0) {{ r[1 + blockIdx.x] = 5; {0} last = atomicAdd(p, 1) == gridDim.x - 1; }} "
    "__syncthreads(); if (last && T < gridDim.x) q[T] = r[1 + T];"
)
_GIVE = (
    "if (T) return; if (blockIdx.x == 0) {{ p[8] = 5; {0} }} else {{ while (*(volatile int *)p == 0); "
    "__threadfence(); q[0] = p[8]; }}"
)
_COPY = "__shared__ int s[128]; copy4(s + T, p + T); "
_BULK = "__shared__ __align__(16) int s[64]; __shared__ u64 b; if (T == 0) init(&b, 1); __syncthreads(); " \
        "if (T == 0) { expect(&b, 256); bulk(s, p, 256, &b); } "  # fmt: skip
_BARRIER = "__shared__ u64 b; __shared__ int s[64]; if (T == 0) init(&b, 64); __syncthreads(); "

SHARED = {
    "no barrier": (_S + _SYNC + "q[I] = s[63 - T];", _ONE),
    "no barrier in a reduction": (_TREE.format(_SYNC), {"grid": 1, "block": 128}),
    "a warp's barrier in a reduction": (_TREE.format("@[__syncwarp();@|__syncthreads();@]"), {"grid": 1, "block": 128}),
    "no barrier before the next round": (
        "__shared__ int s[64]; for (int k = 0; k < 3; k++) { s[T] = k + T; __syncthreads(); q[I] = s[63 - T]; "
        + _SYNC + "}", _ONE),
    "scan in place": (_S + "__syncthreads(); int v = s[T]; if (T >= 1) v += s[T - 1]; " + _SYNC + "s[T] = v;", _ONE),
    "transposition": ("__shared__ int s[8][8]; s[T / 8][T % 8] = p[T]; " + _SYNC + "q[I] = s[T % 8][T / 8];", _ONE),
    "broadcast": ("__shared__ int s; if (T == 0) s = p[0]; " + _SYNC + "q[I] = s;", _ONE),
    "barrier in the wrong place": (
        "__shared__ int s[64]; @[__syncthreads(); s[T] = T;@|s[T] = T; __syncthreads();@] q[I] = s[63 - T];", _ONE),
    "sums of warps": (
        "__shared__ int s[2]; int v = __reduce_add_sync(~0u, T); if (T % 32 == 0) s[T / 32] = v; " + _SYNC
        + "if (T == 0) q[0] = s[0] + s[1];", _ONE),
    "a named barrier of half the block": (_S + "bar(1, @[T / 32 ? 32 : 32@|64@]); q[I] = s[63 - T];".replace(
        "bar(1, @[T / 32 ? 32 : 32@|64@])", "@[if (T < 32) bar(1, 32); else bar(2, 32);@|bar(1, 64);@]"), _ONE),
    "histogram": (
        "__shared__ int s[8]; if (T < 8) s[T] = 0; __syncthreads(); @[s[T % 8]++;@|atomicAdd(s + T % 8, 1);@] "
        "__syncthreads(); q[I] = s[T % 8];", _ONE),
    "counter not cleared first": (
        "__shared__ int s; if (T == 0) s = 0; " + _SYNC + "atomicAdd(&s, 1); __syncthreads(); q[I] = s;", _ONE),
    "counter read too early": (
        "__shared__ int s; if (T == 0) s = 0; __syncthreads(); atomicAdd(&s, 1); " + _SYNC + "q[I] = s;", _ONE),
    "wrong half of a double buffer": (
        "__shared__ int s[2][64]; s[0][T] = T; __syncthreads(); "
        "for (int k = 0; k < 3; k++) { int v = s[k & 1][63 - T]; "
        "s[@[k & 1@|(k + 1) & 1@]][T] = v; __syncthreads(); } q[I] = s[1][T];", _ONE),
    "halo": ("__shared__ int s[66]; s[T + 1] = p[T]; if (T == 0) s[0] = s[65] = 0; " + _SYNC
             + "q[I] = s[T] + s[T + 2];", _ONE),
    "bytes of a word": ("__shared__ char s[64]; s[T] = T; " + _SYNC + "q[I] = ((int *)s)[T / 4];", _ONE),
    "bits of a word": ("__shared__ int s[2]; if (T < 2) s[T] = 0; __syncthreads(); "
                       "@[s[T / 32] |= 1 << T % 32;@|atomicOr(s + T / 32, 1 << T % 32);@] __syncthreads(); "
                       "q[I] = s[0];", _ONE),
    "tiles of a product": (
        "__shared__ int s[64]; int v = 0; for (int k = 0; k < 4; k++) { s[T] = p[k * 64 + T]; __syncthreads(); "
        "for (int j = 0; j < 8; j++) v += s[T / 8 * 8 + j]; " + _SYNC + "} q[I] = v;", _ONE),
    "queue": ("__shared__ int s[64], c; if (T == 0) c = 0; __syncthreads(); s[atomicAdd(&c, 1)] = T; " + _SYNC
              + "q[I] = s[63 - T];", _ONE),
    "sort": (_S + "for (int k = 0; k < 4; k++) { __syncthreads(); int j = T * 2 + (k & 1); "
             "if (T < 31) { int a = s[j], b = s[j + 1]; if (a < b) { s[j] = b; s[j + 1] = a; } } } " + _SYNC
             + "q[I] = s[63 - T];", _ONE),
}  # fmt: skip

WARP = {
    "no __syncwarp": (_S + "@[@|__syncwarp();@] q[I] = s[31 - T];", _WARP),
    "__syncwarp of half the warp": (
        _S + "__syncwarp(@[T < 16 ? 0xffffu : 0xffff0000u@|~0u@]); q[I] = s[31 - T];", _WARP),
    "volatile reduction": (_FOLD.format("s[T + 32] = 0; __syncwarp();", "@[@|__syncwarp();@]"), _WARP),
    "volatile reduction, last warp": (
        _S + "s[T + 64] = 0; __syncthreads(); if (T < 32) { volatile int *v = s; int x; "
        + "".join(f"x = v[T] + v[T + {k}]; @[@|__syncwarp();@] v[T] = x; @[@|__syncwarp();@] " for k in (32, 16, 8))
        + "} __syncthreads(); q[I] = s[0];", _ONE),
    "volatile exchange": ("__shared__ volatile int s[32]; s[T] = T; @[@|__syncwarp();@] q[I] = s[T ^ 1];", _WARP),
}  # fmt: skip

GLOBAL = {
    "sum of blocks": ("if (T == 0) @[p[0]++;@|atomicAdd(p, 1);@]", _TWO),
    "shift in place": ("int v = T < 63 ? p[T + 1] : 0; " + _SYNC + "p[T] = v;", _ONE),
    "blocks write one word": ("if (T == 0) p[@[0@|blockIdx.x@]] = blockIdx.x;", _TWO),
    "overlapping parts": ("p[blockIdx.x * @[32@|64@] + T] = I;", _TWO),
    "last block without a fence": (_LAST.format("@[@|__threadfence();@]"), _TWO),
    "last block with a fence of the block": (_LAST.format("__threadfence@[_block@|@]();"), _TWO),
    "flag without a fence": (_GIVE.format("@[@|__threadfence();@] *(volatile int *)p = 1;"), _TWO),
    "flag with a fence of the block": (_GIVE.format("__threadfence@[_block@|@](); *(volatile int *)p = 1;"), _TWO),
    "atomics of the block": ("atomicAdd@[_block@|@](p, 1);", _TWO),
    "maximum of the block": ("atomicMax@[_block@|@](p, T);", _TWO),
    "atomic and plain read": ("int v = atomicAdd(p, 1); if (v == 5) q[0] = @[*p@|*(volatile int *)p@];", _TWO),
    "atomic and plain write": ("if (I == 100) @[*p = 3;@|atomicExch(p, 3);@] else atomicAdd(p, 1);", _TWO),
    "between blocks": ("p[I] = 1; __syncthreads(); q[I] = p[@[127 - I@|I ^ 1@]];", _TWO),
}  # fmt: skip

COPIES = {
    "no wait": (_COPY + "@[@|copy_wait();@] __syncthreads(); q[I] = s[63 - T];", _ONE),
    "no barrier": (_COPY + "copy_wait(); " + _SYNC + "q[I] = s[63 - T];", _ONE),
    "own data, no wait": (_COPY + "@[@|copy_wait();@] q[I] = s[T];", _ONE),
    "the wrong group": (_COPY + "commit(); copy4(s + 64 + T, p + 64 + T); commit(); wait_groups<@[1@|0@]>(); "
                        "q[I] = s[T + 64];", _ONE),
    "no commit": (_COPY + "@[@|commit();@] wait_groups<0>(); __syncthreads(); q[I] = s[63 - T];", _ONE),
    "source overwritten": (_COPY + "@[p[T] = 1; copy_wait();@|copy_wait(); p[T] = 1;@]", _ONE),
    "bulk, no wait": (_BULK + "@[@|wait(&b, 0);@] __syncthreads(); q[I] = s[63 - T];", _ONE),
    "bulk, waits for the other one": (
        "__shared__ __align__(16) int s[64]; __shared__ u64 b[2]; if (T == 0) { init(b, 1); init(b + 1, 1); } "
        "__syncthreads(); if (T == 0) for (int k = 0; k < 2; k++) { expect(b + k, 128); "
        "bulk(s + 32 * k, p, 128, b + k); "
        "} wait(b + @[1@|0@], 0); if (T < 32) q[I] = s[T];", _ONE),
    "tests once": (_BARRIER + "s[T] = T; arrive(&b); @[test@|wait@](&b, 0); q[I] = s[63 - T];", _ONE),
    "arrives before it writes": (_BARRIER + "@[arrive(&b); s[T] = T;@|s[T] = T; arrive(&b);@] wait(&b, 0); "
                                 "q[I] = s[63 - T];", _ONE),
    "arrives, does not wait": (_BARRIER + "s[T] = T; arrive(&b); @[@|wait(&b, 0);@] q[I] = s[63 - T];", _ONE),
}  # fmt: skip
