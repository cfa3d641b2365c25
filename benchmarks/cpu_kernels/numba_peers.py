# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The same loops for Numba's CPU compiler, in a separate process that executes one command at a time.

Commands are lines: `load NAME RESULT.npz` creates the data, runs once and writes the results; `run COUNT CPU`
prints the mean time of COUNT runs in seconds, of CPU time if CPU is 1.
"""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Callable

import numpy as np
from numba import njit

from benchmarks.cpu_kernels.cases import all_cases
from benchmarks.cpu_kernels.data import arrays_of, reset


@njit
def saxpy(a, x, y, count):
    for i in range(count):
        y[i] = a * x[i] + y[i]


@njit
def stencil3(x, y, n):
    for i in range(1, n - 1):
        y[i] = np.float32(0.25) * x[i - 1] + np.float32(0.5) * x[i] + np.float32(0.25) * x[i + 1]


@njit
def stencil7(x, y, n):
    scale, plane = np.float32(1 / 7), n * n
    for k in range(1, n - 1):
        for j in range(1, n - 1):
            for i in range(1, n - 1):
                c = k * plane + j * n + i
                y[c] = (x[c] + x[c - 1] + x[c + 1] + x[c - n] + x[c + n] + x[c - plane] + x[c + plane]) * scale


@njit
def reduction(x, total, count):
    sums = np.zeros(64, np.float32)
    for i in range(0, count, 64):
        for lane in range(64):
            sums[lane] += x[i + lane]
    total[0] += sums.sum()


@njit
def dot(x, y, total, count):
    sums = np.zeros(64, np.float32)
    for i in range(0, count, 64):
        for lane in range(64):
            sums[lane] += x[i + lane] * y[i + lane]
    total[0] += sums.sum()


@njit
def transpose(x, y, n):
    for j0 in range(0, n, 32):
        for i0 in range(0, n, 32):
            for j in range(j0, j0 + 32):
                for i in range(i0, i0 + 32):
                    y[j * n + i] = x[i * n + j]


@njit
def softmax(x, y, columns, rows):
    for r in range(rows):
        first = r * columns
        largest, total = np.float32(-np.inf), np.float32(0)
        for i in range(first, first + columns):
            largest = max(largest, x[i])
        for i in range(first, first + columns):
            y[i] = math.exp(x[i] - largest)
            total += y[i]
        for i in range(first, first + columns):
            y[i] /= total


@njit
def matmul(a, b, c, n):
    c[:] = 0
    for k0 in range(0, n, 64):
        for i in range(n):
            for k in range(k0, min(k0 + 64, n)):
                for j in range(n):
                    c[i * n + j] += a[i * n + k] * b[k * n + j]


@njit
def mandelbrot(rounds, n, most):
    step = np.float32(3.0) / np.float32(n)
    for y in range(n):
        for x in range(n):
            real, imaginary = np.float32(-2) + step * np.float32(x), np.float32(-1.5) + step * np.float32(y)
            a = b = np.float32(0)
            count = 0
            while count < most and a * a + b * b <= np.float32(4):
                a, b = a * a - b * b + real, np.float32(2) * a * b + imaginary
                count += 1
            rounds[y * n + x] = count


@njit
def nbody(bodies, ax, ay, az, n):
    ax[:] = 0
    ay[:] = 0
    az[:] = 0
    px, py, pz = bodies[::4].copy(), bodies[1::4].copy(), bodies[2::4].copy()
    for j in range(n):
        x, y, z, mass = px[j], py[j], pz[j], bodies[4 * j + 3]
        for i in range(n):
            dx, dy, dz = x - px[i], y - py[i], z - pz[i]
            inverse = np.float32(1) / np.sqrt(dx * dx + dy * dy + dz * dz + np.float32(1e-3))
            pull = mass * inverse * inverse * inverse
            ax[i] += dx * pull
            ay[i] += dy * pull
            az[i] += dz * pull


@njit
def blackscholes(price, strike, years, call, put, n):
    rate, volatility, half, one = np.float32(0.02), np.float32(0.3), np.float32(0.5), np.float32(1)
    scale = np.float32(0.70710678)
    for i in range(n):
        root = np.sqrt(years[i])
        growth = (rate + volatility * volatility * half) * years[i]
        d1 = (np.log(price[i] / strike[i]) + growth) / (volatility * root)
        d2 = d1 - volatility * root
        discounted = strike[i] * np.exp(-rate * years[i])
        n1, n2 = half * (one + math.erf(d1 * scale)), half * (one + math.erf(d2 * scale))
        call[i] = price[i] * n1 - discounted * n2
        put[i] = discounted * (one - n2) - price[i] * (one - n1)


@njit
def turn(x, n):
    return np.uint32((x >> np.uint32(n)) | (x << np.uint32(32 - n)))


def _sha_constants() -> np.ndarray:
    with open(os.path.join(os.path.dirname(__file__), "sha256.h")) as file:
        words = file.read().partition("*/")[2].replace(",", " ").split()
    return np.array([int(word, 16) for word in words], np.uint32)


ROUND = _sha_constants()
START = np.array([0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19],
                 np.uint32)  # fmt: skip


@njit
def sha256(messages, digests, n):
    w, v = np.zeros(64, np.uint32), np.zeros(8, np.uint32)
    for i in range(n):
        w[:16] = messages[16 * i : 16 * i + 16]
        v[:] = START
        for k in range(16, 64):
            p, q = w[k - 15], w[k - 2]
            first = turn(p, 7) ^ turn(p, 18) ^ (p >> np.uint32(3))
            w[k] = w[k - 16] + first + w[k - 7] + (turn(q, 17) ^ turn(q, 19) ^ (q >> np.uint32(10)))
        for k in range(64):
            choice = (v[4] & v[5]) ^ (~v[4] & v[6])
            t = np.uint32(v[7] + (turn(v[4], 6) ^ turn(v[4], 11) ^ turn(v[4], 25)) + choice + ROUND[k] + w[k])
            most = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2])
            u = np.uint32((turn(v[0], 2) ^ turn(v[0], 13) ^ turn(v[0], 22)) + most)
            v[7], v[6], v[5], v[4] = v[6], v[5], v[4], v[3] + t
            v[3], v[2], v[1], v[0] = v[2], v[1], v[0], t + u
        for k in range(8):
            digests[8 * i + k] = START[k] + v[k]


@njit
def histogram_global(data, bins, n):
    for i in range(n):
        bins[data[i]] += 1


histogram_shared = histogram_global


@njit
def scan(x, y, n):
    total = np.int32(0)
    for i in range(n):
        total += x[i]
        y[i] = total


@njit
def spmv(starts, columns, values, x, y, rows):
    for row in range(rows):
        total = np.float32(0)
        for i in range(starts[row], starts[row + 1]):
            total += values[i] * x[columns[i]]
        y[row] = total


def main() -> None:
    cases = {case.name: case for case in all_cases()}
    function: Callable[..., object]
    arguments: list
    for line in sys.stdin:
        command, *words = line.rstrip("\n").split("\t")
        if command == "load":
            case = cases[words[0]]
            arrays = arrays_of(case)
            arguments = [arrays[a] if isinstance(a, str) else int(a) if a.dtype.kind in "iu" else a
                         for a in case.arguments]  # fmt: skip
            function = globals()[case.peer]
            function(*arguments)  # compiles
            reset(case, arrays)
            function(*arguments)
            np.savez(words[1], allow_pickle=False, **{name: arrays[name] for name in case.results})
            print("ready", flush=True)
        else:
            clock = time.process_time if words[1] == "1" else time.perf_counter
            start = clock()
            for _ in range(int(words[0])):
                function(*arguments)
            print((clock() - start) / int(words[0]), flush=True)


if __name__ == "__main__":
    main()
