# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Write the polynomials by which XORWOW skips numbers: python ci/random_jumps.py

Marsaglia's generator ("Xorshift RNGs", 2003) is linear over bits: n steps are the polynomial x^n of one step, modulo
the generator's characteristic polynomial, which follows from 320 bits of output (Berlekamp and Massey).
"""

from __future__ import annotations

import pathlib

FOLDER = pathlib.Path(__file__).parents[1] / "cuda_core/cuda/core/_program/_clang/include/open_cuda/random"
DEGREE, SEQUENCE = 160, 67  # subsequences are 2^67 numbers apart
HEADER = """\
// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Polynomials over bits, lowest degrees first: x^(2^k) modulo the characteristic polynomial of XORWOW, for k from 0 to
// 63 and from 67 to 130. ci/random_jumps.py computes them.
#pragma once

static const __device__ unsigned __open_cuda_xorwow_jumps[128][5] = {
"""


def outputs(count: int) -> list[int]:
    """Return the lowest bit of successive states."""
    v, bits = [1, 0, 0, 0, 0], []
    for _ in range(count):
        t = v[0] ^ v[0] >> 2
        new = (v[4] ^ v[4] << 4 ^ t ^ t << 1) & 0xFFFFFFFF
        v = [*v[1:], new]
        bits.append(new & 1)
    return bits


def characteristic(bits: list[int]) -> int:
    """Return the polynomial of the shortest linear recurrence, with degree n in bit n."""
    current, previous, length, last = 1, 1, 0, -1
    for n in range(len(bits)):
        if sum(bits[n - i] for i in range(length + 1) if current >> i & 1) & 1:
            saved = current
            current ^= previous << (n - last)
            if 2 * length <= n:
                length, last, previous = n + 1 - length, n, saved
    assert length == DEGREE, length
    return int(f"{current:0{DEGREE + 1}b}"[::-1], 2)


def squared(value: int, modulus: int) -> int:
    """Return the square of a polynomial."""
    square = sum(1 << 2 * i for i in range(DEGREE) if value >> i & 1)
    for i in range(2 * DEGREE - 2, DEGREE - 1, -1):
        if square >> i & 1:
            square ^= modulus << i - DEGREE
    return square


def main() -> None:
    modulus, powers = characteristic(outputs(2 * DEGREE)), [2]
    while len(powers) < SEQUENCE + 64:
        powers.append(squared(powers[-1], modulus))
    rows = [
        "    {" + ", ".join(f"{value >> 32 * i & 0xFFFFFFFF:#x}" for i in range(5)) + "},\n"
        for value in powers[:64] + powers[SEQUENCE:]
    ]
    (FOLDER / "xorwow_jumps.h").write_text(HEADER + "".join(rows) + "};\n")


if __name__ == "__main__":
    main()
