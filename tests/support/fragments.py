# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Matrices in the registers of a warp, for tests of `mma`: `quads` is the element layout of the manual's figures."""

from __future__ import annotations

import ml_dtypes
import numpy as np
from support.warps import compiled

random = np.random.default_rng(11)


def integers(low: int, high: int, *shape: int) -> np.ndarray:
    return random.integers(low, high, shape, endpoint=True).astype(np.float64)


# --- how values are written into registers: bits of one element, and their number ---------------------------


def bfloat(x: np.ndarray) -> np.ndarray:
    return (x.astype(np.float32).view(np.uint32) >> 16).astype(np.uint64)


def plain(dtype, word):
    return lambda x: x.astype(dtype).view(word).astype(np.uint64)


TYPES = {
    "f16": (16, plain(np.float16, np.uint16)),
    "bf16": (16, bfloat),
    "tf32": (32, plain(np.float32, np.uint32)),
    "f32": (32, plain(np.float32, np.uint32)),
    "f64": (64, plain(np.float64, np.uint64)),
    "s32": (32, plain(np.int32, np.uint32)),
    "s8": (8, plain(np.int8, np.uint8)),
    "u8": (8, plain(np.uint8, np.uint8)),
    "s4": (4, lambda x: x.astype(np.int64).astype(np.uint64) & np.uint64(15)),
    "u4": (4, lambda x: x.astype(np.uint64)),
    "b1": (1, lambda x: x.astype(np.uint64)),
    "e4m3": (8, plain(ml_dtypes.float8_e4m3fn, np.uint8)),
    "e5m2": (8, plain(ml_dtypes.float8_e5m2, np.uint8)),
    "e2m3": (8, plain(ml_dtypes.float6_e2m3fn, np.uint8)),
    "e3m2": (8, plain(ml_dtypes.float6_e3m2fn, np.uint8)),
    "e2m1": (8, lambda x: x.astype(ml_dtypes.float4_e2m1fn).view(np.uint8).astype(np.uint64) << np.uint64(2)),
    "e2m1x8": (4, plain(ml_dtypes.float4_e2m1fn, np.uint8)),
}


def quads(rows: int, each: int, line: int, k: int, halves: int) -> tuple[int, int]:
    """Return (lane, element) of (line, k): a quad of lanes holds a line, a lane `each` neighbours of every 4*each."""
    block, rest = divmod(k, 4 * each)
    register = block * halves + (line // 8 if halves == 2 else 0)
    return 4 * (line % 8) + rest // each, register * each + rest % each


def fragments(matrix: np.ndarray, type_: str, position, word: int) -> np.ndarray:
    """Return the registers [number, lane] that hold a matrix."""
    bits, encode = TYPES[type_]
    codes = encode(matrix)
    per = word // bits
    cells = {
        position(row, column): int(codes[row, column])
        for row in range(matrix.shape[0])
        for column in range(matrix.shape[1])
    }
    count = (max(element for _, element in cells) + 1) // per
    found = np.zeros((count, 32), f"u{word // 8}")
    for (lane, element), code in cells.items():
        found[element // per, lane] |= np.array(code << bits * (element % per)).astype(found.dtype)
    return found


def run(
    instruction: str, a: np.ndarray, b: np.ndarray, c: np.ndarray, results: int, word: str, *words: object
) -> np.ndarray:
    """Load registers, run one instruction and return the registers of its result.

    `words` are further operands: arrays are also loaded into registers, text is inserted as it is.
    """
    lines, offset = [], 0
    names = {}
    data = b""
    for letter, group in zip("abc", (a, b, c), strict=True):
        kind = "b64" if group.itemsize == 8 else "b32"
        names[letter] = []
        for number in range(len(group)):
            lines.append(
                f".reg .{kind} %{letter}{number}; ld.global.{kind} %{letter}{number}, [%rd{kind[1:]}+{offset}];"
            )
            names[letter].append(f"%{letter}{number}")
            offset += 32 * group.itemsize
        data += group.tobytes()
    further = [each if isinstance(each, str) else f"%w{index}" for index, each in enumerate(words)]
    for name, each in zip(further, words, strict=True):
        if not isinstance(each, str):
            lines.append(f".reg .b32 {name}; ld.global.b32 {name}, [%rd32+{offset}];")
            offset += 128
            data += each.astype(np.uint32).tobytes()
    targets = [f"%d{number}" for number in range(results)]
    size = 8 if word == "b64" else 4
    lines += [f".reg .{word} {target};" for target in targets]
    vectors = ["{" + ", ".join(group) + "}" for group in (targets, *names.values())]
    lines.append(f"{instruction} {', '.join(vectors + further)};")
    lines += [f"st.global.{word} [%out+{number * 32 * size}], {target};" for number, target in enumerate(targets)]
    text = f"""
    .visible .entry k(.param .u64 in, .param .u64 out)
    {{
        .reg .b64 %rd<70>; .reg .b64 %out; .reg .b32 %t;
        ld.param.u64 %rd1, [in]; ld.param.u64 %out, [out]; mov.u32 %t, %tid.x;
        mad.wide.u32 %rd32, %t, 4, %rd1; mad.wide.u32 %rd64, %t, 8, %rd1; mad.wide.u32 %out, %t, {size}, %out;
        {chr(10).join(lines)}
        ret;
    }}
    """
    out = np.zeros((results, 32), "u8" if size == 8 else "u4")
    compiled(text)(np.frombuffer(data, np.uint8).copy(), out)
    return out


# --- sparse matrices ---------------------------------------------------------------------------------------


def pruned(rows: int, depth: int, type_: str, low: int, high: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a sparse matrix, its kept elements, and the metadata [row, chunk] of four bits."""
    together = 2 if TYPES[type_][0] == 4 else 1
    choices, keep = (2, 1) if type_ == "tf32" else (4, 2)
    chunks = depth // (choices * together)
    positions = np.array([[sorted(random.permutation(choices)[:keep]) for _ in range(chunks)] for _ in range(rows)])
    kept = integers(low, high, rows, chunks, keep, together)
    dense = np.zeros((rows, chunks, choices, together))
    np.put_along_axis(dense, positions[..., None], kept, 2)
    nibbles = np.array([0b0100, 0b1110])[positions[..., 0]] if keep == 1 else positions[..., 0] | positions[..., 1] << 2
    return dense.reshape(rows, depth), kept.reshape(rows, depth // 2), nibbles


def metadata_words(nibbles: np.ndarray, bits: int, selector: int) -> np.ndarray:
    """Return the metadata word of each lane; lanes that the selector does not choose have noise."""
    words = random.integers(0, 1 << 32, 32, dtype=np.uint64)
    rows = [sum(int(nibble) << 4 * chunk for chunk, nibble in enumerate(row)) for row in nibbles]
    length = 4 * nibbles.shape[1]
    for group in range(8):
        upper, lower = rows[group], rows[group + 8]
        if bits > 8:  # 16 columns' bits of two rows make a word
            pieces = [(upper >> at & 0xFFFF) | (lower >> at & 0xFFFF) << 16 for at in range(0, length, 16)]
        else:  # a word is of one row
            pieces = [row >> at & 0xFFFFFFFF for at in range(0, length, 32) for row in (upper, lower)]
        for number, piece in enumerate(pieces):
            words[4 * group + selector * len(pieces) + number] = piece
    return words
