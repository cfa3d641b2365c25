# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Kernels for `check_corpus`, which says how they are written: memory accesses."""

from __future__ import annotations

_ARRAYS = "__shared__ int a[64]; __shared__ int b[64]; a[T] = 1; b[T] = 2; __syncthreads(); "
_LOCAL = "int a[8], b[8]; for (int k = 0; k < 8; k++) { a[k] = p[k]; b[k] = p[k + 8]; } int j = n >> 5; "

GLOBAL = {
    "read past the end": "q[I] = p[I + @[1@|0@]];",
    "write past the end": "p[I + @[1@|0@]] = 1;",
    "read before the start": "q[I] = p[I - @[1@|0@]];",
    "one iteration too many": "int s = 0; for (int k = I; k @[<=@|<@] n; k += 256) s += p[k]; q[I] = s;",
    "no bounds check": ("@[@|if (I < n)@] q[I] = 1;", {"grid": 5}),
    "wrong bound": ("if (I < n + @[1@|0@]) q[I] = p[I];", {"grid": 5}),
    "vector past the end": "int4 v = ((int4 *)p)[I / 4 + @[1@|0@]]; q[I] = v.x + v.w;",
    "misaligned double": "if (I == 0) *(double *)((char *)p + @[4@|8@]) = 1;",
    "misaligned vector": "int4 v = ((int4 *)(p + @[1@|4@]))[0]; q[I] = v.x + v.y + v.z + v.w;",
    "atomicAdd past the end": "atomicAdd(p + n - @[0@|1@], 1);",
    "atomicCAS past the end": "atomicCAS(p + n - @[0@|1@], 1, 2);",
    "atomicMax before the start": "atomicMax(p - @[1@|0@], 2);",
    "null pointer": "int *r2 = @[(int *)(u64)(n - 256)@|p@]; q[I] = r2[I];",
    "wild pointer": "int *r2 = @[(int *)0x1000@|p@]; q[I] = r2[I];",
    "byte past the end": "((char *)p)[1024 - @[0@|1@]] = 1;",
    "short past the end": "q[I] = ((short *)p)[2 * I + @[2@|1@]];",
    "wrong pitch": "q[I] = p[I / 16 * @[17@|16@] + I % 16];",
    "wrong transposition": "q[I] = p[I % 16 * 16 + I / 16 + @[1@|0@]];",
    "unsigned wrap": "unsigned j = T - @[1@|0@]; q[I] = p[(unsigned long long)j];",
    "read-only load": "q[I] = __ldg(p + I + @[1@|0@]);",
    "volatile load": "q[I] = *(volatile int *)(p + I + @[1@|0@]);",
    "array of structures": "struct S { int a[5]; }; if (I < @[52@|51@]) q[I] = ((S *)p)[I].a[4];",
    "strided loop": "int s = 0; for (int k = T; k < n; k += 64) s += p[k + @[64@|0@]]; q[I] = s;",
    "device heap overflow": "char *m = (char *)malloc(10); if (m) m[@[10@|9@]] = 1; free(m);",
    "device heap after free": "int *m = (int *)malloc(16); if (!m) return; *m = 1; "
                              "@[free(m); q[I] = *m;@|q[I] = *m; free(m);@]",
    "cp.async source": "__shared__ int s[64]; copy4(s + T, p + I + @[1@|0@]); copy_wait(); q[I] = s[T];",
    "bulk copy too long": "bulk_load(p, @[1040@|1024@], q);",
    "block offset twice": "q[I] = p[I + @[blockIdx.x * 64@|0@]];",
}  # fmt: skip

SHARED = {
    "past the end": "__shared__ int s[64]; s[T + @[1@|0@]] = 1; __syncthreads(); q[I] = s[0];",
    "dynamic, past the end": ("extern __shared__ int d[]; d[T + @[1@|0@]] = 1; __syncthreads(); q[I] = d[1];",
                              {"shared": 256}),
    "into the next array": _ARRAYS + "q[I] = a[T + @[1@|0@]] + b[T];",
    "write into the next array": _ARRAYS + "if (T == 63) a[n / 4 - @[0@|1@]] = 7; __syncthreads(); q[I] = b[1] + a[T];",
    "into the array before": _ARRAYS + "q[I] = b[T - @[1@|0@]] + a[T];",
    "row of a tile": "__shared__ int a[8][8]; __shared__ int b[64]; b[T] = 1; a[T / 8][T % 8] = T; __syncthreads(); "
                     "q[I] = a[T / 8 + @[1@|0@]][T % 8] + b[T];",
    "static into dynamic": ("__shared__ int a[64]; extern __shared__ int d[]; a[T] = 1; d[T] = 2; __syncthreads(); "
                            "q[I] = a[T + @[1@|0@]] + d[T];", {"shared": 256}),
    "atomic past the array": "__shared__ int a[8]; __shared__ int b[8]; if (T < 8) a[T] = b[T] = 0; __syncthreads(); "
                             "atomicAdd(a + T % @[9@|8@], 1); __syncthreads(); q[I] = b[T % 8];",
    "halo": "__shared__ int a[66]; __shared__ int b[66]; a[T] = b[T] = 1; if (T < 2) a[T + 64] = b[T + 64] = 2; "
            "__syncthreads(); q[I] = a[T + @[3@|2@]] + b[T];",
    "misaligned vector": "__shared__ __align__(16) int s[64]; s[T] = 1; __syncthreads(); "
                         "int4 v = *(int4 *)(s + @[1@|4@]); q[I] = v.x + v.y + v.z + v.w;",
    "by a function": _ARRAYS + "put(a, n / 4 - @[0@|1@]); __syncthreads(); q[I] = a[T] + b[T];",
    "members of a structure": "struct S { int a[64], b[64]; }; __shared__ S s; s.a[T] = s.b[T] = 1; __syncthreads(); "
                              "q[I] = s.a[T + @[1@|0@]] + s.b[T];",
    "parts of dynamic memory": ("extern __shared__ int d[]; int *a = d, *b = d + 64; a[T] = b[T] = 1; __syncthreads(); "
                                "q[I] = a[T + @[1@|0@]] + b[T];", {"shared": 512}),
    "in a loop": _ARRAYS + "int v = b[T]; for (int k = 0; k @[<=@|<@] 64; k++) v += a[k]; q[I] = v;",
}  # fmt: skip

LOCAL = {
    "past the end": _LOCAL + "b[j + @[8@|-1@]] = 1; q[I] = a[T & 7] + b[T & 3];",
    "into the next array": _LOCAL + "a[j - @[0@|1@]] = 3; q[I] = b[0] + a[T & 7] + b[T & 7];",
    "before the start": _LOCAL + "b[j - @[9@|8@]] = 3; q[I] = b[0] + a[T & 7] + b[T & 7];",
    "by a function": _LOCAL + "put(a, j - @[0@|1@]); q[I] = a[T & 7] + b[T & 7];",
    "another thread's": "__shared__ int *s[64]; int a[8]; a[n >> 6] = T; s[T] = a; __syncthreads(); "
                        "q[I] = s[@[T ^ 1@|T@]][n >> 6]; __syncthreads();",
}  # fmt: skip

_UNWRITTEN = "__shared__ int s[64]; "
UNWRITTEN = {
    "global": "q[I] = @[r@|p@][I];",
    "shared": _UNWRITTEN + "@[if (T)@|@] s[T] = 1; __syncthreads(); q[I] = s[63 - T];",
    "halo": "__shared__ int s[65]; s[T] = 1; @[@|if (T == 0) s[64] = 2;@] __syncthreads(); q[I] = s[T + 1];",
    "local": "int a[8]; for (int k = @[1@|0@]; k < 8; k++) a[k] = p[k]; q[I] = a[T & 7];",
    "half of a vector": "if (I == 0) { r[0] = 1; @[@|r[1] = 2;@] int2 v = *(int2 *)r; q[I] = v.x + v.y; }",
    "counter": _UNWRITTEN + "@[@|if (T == 0) s[0] = 0;@] __syncthreads(); atomicAdd(s, 1);",
    "device heap": "int *m = (int *)malloc(8); if (!m) return; m[@[1@|0@]] = 5; q[I] = m[0]; free(m);",
    "byte of a word": "((char *)r)[4 * I] = 1; "
                      "@[@|((short *)r)[2 * I + 1] = ((char *)r)[4 * I + 1] = 2;@] q[I] = r[I];",
}  # fmt: skip
