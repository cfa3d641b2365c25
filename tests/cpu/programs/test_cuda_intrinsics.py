# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Scalar and packed (SIMD-within-a-word) integer intrinsics, compared with the text of the CUDA Math API."""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
import pytest

pytest.importorskip("cuda.cpu.runtime._runtime", reason="the CPU device's runtime is not built")
pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from support.addresses import Table
from support.compilers import compile_cuda
from support.loaded import Loaded

pytestmark = pytest.mark.needs_nvrtc
COUNT = 256
SIZES = {"int": "i4", "unsigned": "u4", "long long": "i8", "unsigned long long": "u8", "float": "f4", "double": "f8",
         "unsigned short": "u2"}  # fmt: skip
Reference = Callable[..., object]


def wrapped(values: object, dtype: str) -> np.ndarray:
    """Return Python integers as numbers of a type that wraps."""
    bits = 8 * np.dtype(dtype).itemsize
    words = [int(value) & ((1 << bits) - 1) for value in values]
    return np.array(words, f"u{bits // 8}").view(dtype)


def given(dtype: str, seed: int) -> np.ndarray:
    """Return numbers of all magnitudes, with the extreme ones in front."""
    random = np.random.default_rng(seed)
    info = np.iinfo(dtype)
    x = random.integers(info.min, info.max, COUNT, dtype, endpoint=True)
    x[COUNT // 2 :] >>= random.integers(0, 8 * x.itemsize - 1, COUNT // 2).astype(dtype)
    special = [0, 1, info.max, info.min, 3, 31, 32, 33, info.max - 1, 0x7F80 * 0x10001 & info.max]
    x[: len(special)] = random.permutation(np.array(special, dtype))
    x[len(special) : 2 * len(special)] = np.array(special, dtype)
    return x


def run(
    table: dict[str, tuple], arguments: dict[str, list[np.ndarray]], arch: str, head: str = "", *options: str
) -> dict[str, np.ndarray]:
    """Return the results of each expression of a table for all arguments, named `a`, `b` ... in order."""
    lines, outputs = [], {}
    for i, (name, (result, *_)) in enumerate(table.items()):
        lines.append(f"(({result} *)o[{i}])[t] = {name};")
        outputs[name] = np.zeros(COUNT, SIZES[result])
    inputs = [(type_, array) for type_, arrays in arguments.items() for array in arrays]
    names = iter("abcdefghijklm")
    loads = "".join(f"{type_} {next(names)} = ((const {type_} *)in[{i}])[t];\n" for i, (type_, _) in enumerate(inputs))
    source = f'extern "C" __global__ void k(void *const *in, void *const *o) {{ int t = threadIdx.x;\n{loads}'
    loaded = Loaded(compile_cuda(head + source + "\n".join(lines) + "}", f"--gpu-architecture={arch}", *options))
    arrays = [a for _, a in inputs], outputs.values()
    pointers = [Table(each) for each in arrays]
    loaded.launch("k", 1, COUNT, *pointers)
    return outputs


def popcount(x: int) -> int:
    return x.bit_count()


def reversed_bits(x: int, bits: int) -> int:
    return int(f"{x:0{bits}b}"[::-1], 2)


def nth_set(word: int, base: int, offset: int) -> int:
    """Return the position of the offset-th set bit, counted from a start position (CUDA's __fns)."""
    if offset == 0:
        return base if word >> base & 1 else 0xFFFFFFFF
    positions = [p for p in range(32) if word >> p & 1 and (p >= base if offset > 0 else p <= base)]
    positions = positions if offset > 0 else positions[::-1]
    return positions[abs(offset) - 1] if len(positions) >= abs(offset) else 0xFFFFFFFF


def chosen(a: int, b: int, s: int) -> int:
    """Return the bytes of two words that a selector chooses (__byte_perm)."""
    both = (b << 32 | a).to_bytes(8, "little")
    return int.from_bytes(bytes(both[s >> 4 * i & 7] for i in range(4)), "little")


def octets(word: int, signed: bool) -> list[int]:
    return [int.from_bytes([each], "little", signed=signed) for each in (word & 0xFFFFFFFF).to_bytes(4, "little")]


def halves(word: int, signed: bool) -> list[int]:
    data = (word & 0xFFFFFFFF).to_bytes(4, "little")
    return [int.from_bytes(data[i : i + 2], "little", signed=signed) for i in (0, 2)]


def dot(parts: Callable, first: int, x: int, y: int, z: int, signed: bool) -> int:
    return z + sum(p * q for p, q in zip(parts(x, signed), octets(y, signed)[first:], strict=False))


def low(x: int) -> int:
    """Return the lower 24 bits, sign-extended (__mul24)."""
    return (x & 0xFFFFFF) - (x << 1 & 0x1000000)


# a, b: int; c, d: unsigned; e: selector or shift; f, g: long long; h, i: unsigned long long
WHOLE = {
    "__brev(c)": ("unsigned", lambda v: reversed_bits(v.c, 32)),
    "__brevll(h)": ("unsigned long long", lambda v: reversed_bits(v.h, 64)),
    "__clz(a)": ("int", lambda v: 32 - (v.a & 0xFFFFFFFF).bit_length()),
    "__clzll(f)": ("int", lambda v: 64 - (v.f & (1 << 64) - 1).bit_length()),
    "__ffs(a)": ("int", lambda v: (v.a & -v.a).bit_length()),
    "__ffsll(f)": ("int", lambda v: (v.f & -v.f).bit_length()),
    "__popc(c)": ("int", lambda v: popcount(v.c)),
    "__popcll(h)": ("int", lambda v: popcount(v.h)),
    "__fns(c, e & 31, a % 9)": ("unsigned", lambda v: nth_set(v.c, v.e & 31, int(np.fmod(v.a, 9)))),
    "__byte_perm(c, d, e & 0x7777)": ("unsigned", lambda v: chosen(v.c, v.d, v.e)),
    "__funnelshift_l(c, d, e)": ("unsigned", lambda v: (v.d << 32 | v.c) << (v.e & 31) >> 32),
    "__funnelshift_lc(c, d, e)": ("unsigned", lambda v: (v.d << 32 | v.c) << min(v.e, 32) >> 32),
    "__funnelshift_r(c, d, e)": ("unsigned", lambda v: (v.d << 32 | v.c) >> (v.e & 31)),
    "__funnelshift_rc(c, d, e)": ("unsigned", lambda v: (v.d << 32 | v.c) >> min(v.e, 32)),
    "__mul24(a, b)": ("int", lambda v: low(v.a) * low(v.b)),
    "__umul24(c, d)": ("unsigned", lambda v: (v.c & 0xFFFFFF) * (v.d & 0xFFFFFF)),
    "__mulhi(a, b)": ("int", lambda v: v.a * v.b >> 32),
    "__umulhi(c, d)": ("unsigned", lambda v: v.c * v.d >> 32),
    "__mul64hi(f, g)": ("long long", lambda v: v.f * v.g >> 64),
    "__umul64hi(h, i)": ("unsigned long long", lambda v: v.h * v.i >> 64),
    "__sad(a, b, c)": ("unsigned", lambda v: abs(v.a - v.b) + v.c),
    "__usad(c, d, e)": ("unsigned", lambda v: abs(v.c - v.d) + v.e),
    "__hadd(a, b)": ("int", lambda v: v.a + v.b >> 1),
    "__rhadd(a, b)": ("int", lambda v: v.a + v.b + 1 >> 1),
    "__uhadd(c, d)": ("unsigned", lambda v: v.c + v.d >> 1),
    "__urhadd(c, d)": ("unsigned", lambda v: v.c + v.d + 1 >> 1),
    "__dp4a(a, b, (int)f)": ("int", lambda v: dot(octets, 0, v.a, v.b, v.f, True)),
    "__dp4a(c, d, e)": ("unsigned", lambda v: dot(octets, 0, v.c, v.d, v.e, False)),
    "__dp2a_lo(a, b, (int)f)": ("int", lambda v: dot(halves, 0, v.a, v.b, v.f, True)),
    "__dp2a_hi(a, b, (int)f)": ("int", lambda v: dot(halves, 2, v.a, v.b, v.f, True)),
    "__dp2a_lo(c, d, e)": ("unsigned", lambda v: dot(halves, 0, v.c, v.d, v.e, False)),
    "__dp2a_hi(c, d, e)": ("unsigned", lambda v: dot(halves, 2, v.c, v.d, v.e, False)),
    "abs(a)": ("int", lambda v: abs(v.a)),
    "llabs(f)": ("long long", lambda v: abs(v.f)),
    "min(f, g) ^ max(h, i)": ("long long", lambda v: min(v.f, v.g) ^ max(v.h, v.i)),
    "umin(c, d) + umax(c, e)": ("unsigned", lambda v: min(v.c, v.d) + max(v.c, v.e)),
    "__double_as_longlong(__hiloint2double(a, b))": ("long long", lambda v: v.a << 32 | v.b & 0xFFFFFFFF),
    "__double2hiint(__longlong_as_double(f))": ("int", lambda v: v.f >> 32),
    "__double2loint(__longlong_as_double(f))": ("int", lambda v: v.f),
    "__float_as_int(__int_as_float(a))": ("int", lambda v: v.a),
    "__vimax3_s32(a, b, (int)f)": ("int", lambda v: max(v.a, v.b, v.s)),
    "__vimin3_s32_relu(a, b, (int)f)": ("int", lambda v: max(min(v.a, v.b, v.s), 0)),
    "__vimax3_u32(c, d, e)": ("unsigned", lambda v: max(v.c, v.d, v.e)),
    "__vimin3_u32(c, d, e)": ("unsigned", lambda v: min(v.c, v.d, v.e)),
    "__vimax_s32_relu(a, b)": ("int", lambda v: max(v.a, v.b, 0)),
    "__vimin_s32_relu(a, b)": ("int", lambda v: max(min(v.a, v.b), 0)),
    "__viaddmax_s32(a, b, (int)f)": ("int", lambda v: max(sum32(v.a + v.b), v.s)),
    "__viaddmin_s32_relu(a, b, (int)f)": ("int", lambda v: max(min(sum32(v.a + v.b), v.s), 0)),
    "__viaddmax_u32(c, d, e)": ("unsigned", lambda v: max(v.c + v.d & 0xFFFFFFFF, v.e)),
    "__viaddmin_u32(c, d, e)": ("unsigned", lambda v: min(v.c + v.d & 0xFFFFFFFF, v.e)),
}


def sum32(x: int) -> int:
    return (x + (1 << 31)) % (1 << 32) - (1 << 31)


class Values:
    """The arguments of one thread as Python integers."""

    def __init__(self, names: str, numbers: list[int]) -> None:
        self.__dict__.update(zip(names, numbers, strict=True))
        self.s = sum32(self.f)


@functools.cache
def integers() -> dict[str, list[np.ndarray]]:
    positions = given("u4", 5)
    positions[::2] %= 40
    return {
        "int": [given("i4", 1), given("i4", 2)],
        "unsigned": [given("u4", 3), given("u4", 4), positions],
        "long long": [given("i8", 6), given("i8", 7)],
        "unsigned long long": [given("u8", 8), given("u8", 9)],
    }


@pytest.mark.parametrize("arch", ["sm_75", "sm_120"])
def test_scalar_integer_intrinsics(arch):
    found = run(WHOLE, integers(), arch)
    columns = [array.tolist() for arrays in integers().values() for array in arrays]
    threads = [Values("abcdefghi", row) for row in zip(*columns, strict=True)]
    for name, (result, exact) in WHOLE.items():
        wanted = wrapped([exact(each) for each in threads], SIZES[result])
        np.testing.assert_array_equal(found[name], wanted, err_msg=name)


COMPARED = {"eq": np.equal, "ne": np.not_equal, "ge": np.greater_equal, "gt": np.greater, "le": np.less_equal,
            "lt": np.less}  # fmt: skip


def clipped(x: np.ndarray, signed: bool, bits: int) -> np.ndarray:
    return np.clip(x, -(1 << bits - 1), (1 << bits - 1) - 1) if signed else np.clip(x, 0, (1 << bits) - 1)


def average(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the mean, halves away from zero (PTX manual, section 9.7.17.1, vavrg)."""
    return a + b + (a + b >= 0) >> 1


SIGNED, UNSIGNED = True, False
PACKED: dict[str, tuple[bool, Reference]] = {
    "vadd": (UNSIGNED, lambda n, a, b: a + b),
    "vsub": (UNSIGNED, lambda n, a, b: a - b),
    "vaddss": (SIGNED, lambda n, a, b: clipped(a + b, True, n)),
    "vaddus": (UNSIGNED, lambda n, a, b: clipped(a + b, False, n)),
    "vsubss": (SIGNED, lambda n, a, b: clipped(a - b, True, n)),
    "vsubus": (UNSIGNED, lambda n, a, b: clipped(a - b, False, n)),
    "vabsdiffs": (SIGNED, lambda n, a, b: np.abs(a - b)),
    "vabsdiffu": (UNSIGNED, lambda n, a, b: np.abs(a - b)),
    "vavgs": (SIGNED, lambda n, a, b: average(a, b)),
    "vavgu": (UNSIGNED, lambda n, a, b: a + b + 1 >> 1),
    "vhaddu": (UNSIGNED, lambda n, a, b: a + b >> 1),
    "vmaxs": (SIGNED, lambda n, a, b: np.maximum(a, b)),
    "vmaxu": (UNSIGNED, lambda n, a, b: np.maximum(a, b)),
    "vmins": (SIGNED, lambda n, a, b: np.minimum(a, b)),
    "vminu": (UNSIGNED, lambda n, a, b: np.minimum(a, b)),
}
for relation, compare in COMPARED.items():
    for sign in ("",) if relation in ("eq", "ne") else ("s", "u"):
        PACKED[f"vcmp{relation}{sign}"] = (sign == "s", lambda n, a, b, compare=compare: -compare(a, b).astype(int))
        PACKED[f"vset{relation}{sign}"] = (sign == "s", lambda n, a, b, compare=compare: compare(a, b).astype(int))
ALONE: dict[str, tuple[bool, Reference]] = {
    "vabs": (SIGNED, lambda n, a: np.abs(a)),
    "vabsss": (SIGNED, lambda n, a: clipped(np.abs(a), True, n)),
    "vneg": (SIGNED, lambda n, a: -a),
    "vnegss": (SIGNED, lambda n, a: clipped(-a, True, n)),
}
# With a last letter of the name or without, of pairs of halves only.
THREE: dict[str, tuple[bool, Reference]] = {
    "__vimax3_s16x2": (SIGNED, lambda a, b, c: np.maximum(np.maximum(a, b), c)),
    "__vimin3_s16x2": (SIGNED, lambda a, b, c: np.minimum(np.minimum(a, b), c)),
    "__vimax3_s16x2_relu": (SIGNED, lambda a, b, c: np.maximum(np.maximum(np.maximum(a, b), c), 0)),
    "__vimin3_s16x2_relu": (SIGNED, lambda a, b, c: np.maximum(np.minimum(np.minimum(a, b), c), 0)),
    "__vimax3_u16x2": (UNSIGNED, lambda a, b, c: np.maximum(np.maximum(a, b), c)),
    "__vimin3_u16x2": (UNSIGNED, lambda a, b, c: np.minimum(np.minimum(a, b), c)),
    "__viaddmax_s16x2": (SIGNED, lambda a, b, c: np.maximum((a + b).astype("i2"), c)),
    "__viaddmin_s16x2": (SIGNED, lambda a, b, c: np.minimum((a + b).astype("i2"), c)),
    "__viaddmax_s16x2_relu": (SIGNED, lambda a, b, c: np.maximum(np.maximum((a + b).astype("i2"), c), 0)),
    "__viaddmin_s16x2_relu": (SIGNED, lambda a, b, c: np.maximum(np.minimum((a + b).astype("i2"), c), 0)),
    "__viaddmax_u16x2": (UNSIGNED, lambda a, b, c: np.maximum((a + b).astype("u2"), c)),
    "__viaddmin_u16x2": (UNSIGNED, lambda a, b, c: np.minimum((a + b).astype("u2"), c)),
}


@pytest.mark.parametrize("arch", ["sm_75", "sm_90", "sm_120"])
def test_packed_integer_intrinsics(arch):
    calls = {f"__{name}{n}(a, b)": (name, n) for name in PACKED for n in (2, 4)}
    calls |= {f"__{name}{n}(a)": (name, n) for name in ALONE for n in (2, 4)}
    sums = {f"__vsad{sign}{n}(a, b)": (sign == "s", n) for sign in "su" for n in (2, 4)}
    three = {f"{name}(a, b, c)": name for name in THREE}
    words = [given("u4", seed) for seed in (11, 12, 13)]
    words[1][20:40], words[2][60:80] = words[0][20:40], words[0][60:80]  # equal parts
    table = dict.fromkeys((*calls, *sums, *three), ("unsigned",))
    found = run(table, {"unsigned": words}, arch)

    def parts(n: int, signed: bool) -> list[np.ndarray]:
        return [word.view(f"{'i' if signed else 'u'}{4 // n}").reshape(-1, n).astype(int) for word in words]

    for call, (name, n) in calls.items():
        signed, exact = (PACKED | ALONE)[name]
        arguments = parts(n, signed)[: 1 if name in ALONE else 2]
        wanted = exact(32 // n, *arguments).astype(f"u{4 // n}").view("u4").ravel()
        np.testing.assert_array_equal(found[call], wanted, err_msg=call)
    for call, (signed, n) in sums.items():
        a, b, _ = parts(n, signed)
        np.testing.assert_array_equal(found[call], np.abs(a - b).sum(1), err_msg=call)
    for call, name in three.items():
        signed, exact = THREE[name]
        wanted = exact(*parts(2, signed)).astype("u2").view("u4").ravel()
        np.testing.assert_array_equal(found[call], wanted, err_msg=call)


def test_predicates_of_vibmin_and_vibmax():
    """__vibmax_* and __vibmin_* report whether their first argument (or half of it) was chosen."""
    kinds = {"s32": "int", "u32": "unsigned", "s16x2": "unsigned", "u16x2": "unsigned"}
    body = ""
    for i, (kind, type_) in enumerate(kinds.items()):
        for j, which in enumerate(("max", "min")):
            flags = "&p, &q" if "x2" in kind else "&p"
            body += f"p = q = 0; o[{2 * i + j} * n + t] = __vib{which}_{kind}(({type_})a[t], ({type_})b[t], {flags});"
            body += f"w[{2 * i + j} * n + t] = {'p * 2 + q' if 'x2' in kind else 'p'};\n"
    head = 'extern "C" __global__ void k(const unsigned *a, const unsigned *b, unsigned *o, int *w, int n) {'
    a, b = given("u4", 21), given("u4", 22)
    b[30:60] = a[30:60]
    b[60:90] = a[60:90] ^ 0x10000
    out, which = np.zeros((8, COUNT), np.uint32), np.zeros((8, COUNT), np.int32)
    loaded = Loaded(compile_cuda(f"{head} int t = threadIdx.x; bool p, q; {body} }}", "--gpu-architecture=sm_90"))
    loaded.launch("k", 1, COUNT, a, b, out, which, np.int32(COUNT))
    for i, view in enumerate(("i4", "u4", "i2", "u2")):
        x, y = (word.view(view).reshape(COUNT, -1) for word in (a, b))
        for j, (choose, first) in enumerate(((np.maximum, x >= y), (np.minimum, x <= y))):
            wanted = choose(x, y)
            np.testing.assert_array_equal(out[2 * i + j].view(view).reshape(COUNT, -1), wanted)
            flags = first[:, 0] if i < 2 else first[:, 1] * 2 + first[:, 0]  # the upper half's comes first
            np.testing.assert_array_equal(which[2 * i + j], flags)
