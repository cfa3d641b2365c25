# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Kernels for `check_corpus`: barriers. See there for how the faulty and the correct one of a pair are written."""

from __future__ import annotations

_ONE = {"grid": 1}
_WARP = {"grid": 1, "block": 32}
_B = "__shared__ u64 b; "
_INIT = _B + "if (T == 0) init(&b, 64); __syncthreads(); "

BLOCK = {
    "in a branch": "if (@[T < 16@|n > 0@]) __syncthreads(); q[I] = 1;",
    "in both branches": "if (T < @[16@|32@]) { __syncthreads(); q[I] = 1; } else { p[I] = 2; __syncthreads(); }",
    "in the last branch": "if (@[T < 16@|n > 0@]) { __syncthreads(); q[I] = p[I]; } q[I] += 1;",
    "in a loop": "for (int k = 0; k < @[1 + T % 4@|4@]; k++) __syncthreads(); q[I] = 1;",
    "in a loop at the end": "for (int k = 0; k < @[1 + T % 4@|4@]; k++) __syncthreads();",
    "behind a break": "for (int k = 0; k < 4; k++) { if (@[T == 3 && @|@]k == 2) break; __syncthreads(); } q[I] = 1;",
    "in a function": "if (@[T & 1@|n@]) meet(); q[I] = 1;",
    "behind a condition on data": "if (@[p[T] > T % 3 - 1@|p[0] == 0@]) __syncthreads(); q[I] = 2;",
    "too many threads": ("bar(1, @[96@|64@]);", _ONE),
    "no multiple of a warp": ("bar(1, n - @[209@|192@]);", {"grid": 1, "block": 47}),
    "counts that differ": ("bar(1, T < 32 ? @[96@|64@] : 64);", _ONE),
    "numbers that differ": ("bar(T < 32 ? @[1@|2@] : 2, 64);", _ONE),
    "nobody arrives": ("if (T < 32) bar(1, 64); @[@|else arrive_bar(1, 64);@]", _ONE),
    "a warp has left": ("if (T >= 32) return; bar(1, @[64@|32@]);", _ONE),
}  # fmt: skip

WARP = {
    "__syncwarp without the caller": ("__syncwarp(@[0xffff@|~0u@]);", _WARP),
    "__syncwarp of lanes elsewhere": (
        "if (T < 16) { __syncwarp(@[~0u@|0xffff@]); q[I] = 1; } "
        "else { __match_any_sync(@[~0u@|~0xffffu@], T); }", _WARP),
    "shuffle without the caller": ("q[I] = __shfl_sync(@[0x7fffffff@|~0u@], T, 0);", _WARP),
    "shuffle of a lane outside of the mask": ("if (T < 16) q[I] = __shfl_sync(0xffff, T, @[20@|12@]);", _WARP),
    "exchange outside of the mask": ("if (T < 16) q[I] = __shfl_xor_sync(0xffff, T, @[16@|8@]);", _WARP),
    "reduction outside of the mask": ("if (T < 16) q[I] = __shfl_down_sync(0xffff, T, @[16@|8@]);", _WARP),
    "reduction of 24 lanes": (
        "int v = T; if (T < 24) { for (int k = 16; k; k >>= 1) { int x = __shfl_down_sync(0xffffff, v, k); "
        "@[@|if (T + k < 24)@] v += x; } q[I] = v; }", _WARP),
    "shuffle of a lane that has exited": ("if (T > 15) return; q[I] = __shfl_sync(~0u, T, @[31@|3@]);", _WARP),
    "masks that differ": ("q[I] = __shfl_sync(T < 16 ? ~0u : @[0xffffff00@|~0u@], T, 9);", _WARP),
    "shuffle in a branch before a barrier": (
        "int v = T; if (T < 16) v = __shfl_down_sync(@[~0u@|0xffff@], v, 1); q[I] = v; __syncthreads(); "
        "p[I] = q[I ^ 1];", _WARP),
    "vote in a branch": (
        "if (T < 8) q[I] = __ballot_sync(@[~0u@|0xff@], T); else q[I] = __any_sync(0xffffff00, T); "
        "q[I] += __match_any_sync(~0u, T & 1);", _WARP),
    "vote without the caller": ("q[I] = __all_sync(@[1@|~0u@], T);", _WARP),
    "match without the caller": ("q[I] = __match_any_sync(@[0xff@|~0u@], T & 3);", _WARP),
    "reduce without the caller": ("q[I] = __reduce_add_sync(@[0xff00@|~0u@], T);", _WARP),
    "shuffles of different lengths": (
        "int v = T; for (int k = 0; k < (T < 16 ? @[5@|3@] : 3); k++) v += __shfl_down_sync(~0u, v, 1); "
        "q[I] = __reduce_max_sync(~0u, v);", _WARP),
}  # fmt: skip

MBARRIER = {
    "not initialised": _B + "@[@|if (T == 0) init(&b, 64);@] __syncthreads(); arrive(&b);",
    "waited for, not initialised": _B + "@[@|if (T == 0) init(&b, 64);@] __syncthreads(); test(&b, 0);",
    "initialised by all": _B + "@[@|if (T == 0)@] init(&b, 64); __syncthreads(); arrive(&b); wait(&b, 0);",
    "initialised again": _INIT + "arrive(&b); wait(&b, 0); __syncthreads(); "
                         "if (T == 0) { @[@|inval(&b);@] init(&b, 64); } __syncthreads(); arrive(&b); wait(&b, 0);",
    "used after inval": _INIT + "@[@|arrive(&b);@] __syncthreads(); if (T == 0) inval(&b); __syncthreads(); "
                        "@[arrive(&b);@|@]",
    "a count too high": _INIT + "if (T == 0) arrive_count(&b, @[65@|64@]); wait(&b, 0);",
    "initialised for one": _B + "if (T == 0) init(&b, @[1@|64@]); __syncthreads(); arrive(&b); __syncthreads();",
    "initialised for too many": _B + "if (T == 0) init(&b, @[65@|64@]); __syncthreads(); arrive(&b); wait(&b, 0);",
    "some do not arrive": _INIT + "if (T @[>= 32@|>= 0@]) arrive(&b); wait(&b, 0);",
    "some have exited": _INIT + "if (T < 32) { @[@|arrive(&b);@] return; } arrive(&b); wait(&b, 0);",
    "wrong parity": _INIT + "arrive(&b); wait(&b, 0); wait(&b, @[1@|0@]);",
    "missing bytes": _B + "if (T == 0) init(&b, 1); __syncthreads(); if (T == 0) { expect(&b, 16); "
                     "complete(&b, @[8@|16@]); } wait(&b, 0);",
    "a late lane": _INIT
                   + "if (T != 5) { arrive(&b); wait(&b, 0); } else { @[wait(&b, 0); arrive(&b);@|arrive(&b);@] }",
    "arrives twice": _INIT + "arrive(&b); @[arrive(&b);@|wait(&b, 0);@] __syncthreads();",
}  # fmt: skip
