# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Functions that the random programs call: CUDA Math API. Name -> (type of the result, types of the arguments)."""

from __future__ import annotations

F, D = "float", "double"
LETTERS = {"U": "unsigned", "I": "int", "L": "long long", "M": "unsigned long long", "F": F, "D": D, "H": "__half",
           "B": "__nv_bfloat16"}  # fmt: skip
Signature = tuple[str, tuple[str, ...]]


MODES = ("rn", "rz", "rd", "ru")


def _rows(result: str, arguments: str, names: str) -> dict[str, Signature]:
    return {name: (LETTERS[result], tuple(LETTERS[each] for each in arguments)) for name in names.split()}


def _rounded(result: str, arguments: str, names: str, modes: tuple[str, ...] = MODES) -> dict[str, Signature]:
    return _rows(result, arguments, " ".join(f"{name}_{mode}" for name in names.split() for mode in modes))


SIMD_UNARY = "__vabs2 __vabs4 __vabsss2 __vabsss4 __vneg2 __vneg4 __vnegss2 __vnegss4"
SIMD_NAMES = (
    "absdiffs absdiffu add addss addus avgs avgu cmpeq cmpges cmpgeu cmpgts cmpgtu cmples cmpleu cmplts cmpltu cmpne "
    "haddu maxs maxu mins minu sads sadu seteq setges setgeu setgts setgtu setles setleu setlts setltu setne sub subss "
    "subus"
)
SIMD_BINARY = " ".join(f"__v{name}{size}" for size in (2, 4) for name in SIMD_NAMES.split())
SHORT_UNARY = "__hneg __habs hfloor hceil htrunc hrint"
SHORT_BINARY = (
    "__hadd __hsub __hmul __hdiv __hadd_rn __hsub_rn __hmul_rn __hadd_sat __hsub_sat __hmul_sat __hmin __hmax "
)
SHORT_BINARY += "__hmin_nan __hmax_nan"
SHORT_TERNARY = "__hfma __hfma_sat __hfma_relu"
SHORT_COMPARISONS = " ".join(f"__h{name}{tail}" for name in ["eq", "ne", "lt", "le", "gt", "ge"] for tail in ("", "u"))
WHOLE = ["short", "ushort", "int", "uint", "ll", "ull"]
LETTER = {"short": "I", "ushort": "U", "int": "I", "uint": "U", "ll": "L", "ull": "M"}

# Their results are the same with every compiler. The names without a meaning in CUDA are those of types.PREAMBLE.
EXACT: dict[str, Signature] = {
    **_rows("I", "U", "__popc"), **_rows("I", "M", "__popcll"), **_rows("I", "I", "__clz __ffs abs"),
    **_rows("I", "L", "__clzll __ffsll"), **_rows("U", "U", "__brev " + SIMD_UNARY), **_rows("M", "M", "__brevll"),
    **_rows("I", "II", "__mulhi __hadd __rhadd __mul24 min max"),
    **_rows("U", "UU", "__umulhi __uhadd __urhadd __umul24 umin umax " + SIMD_BINARY),
    **_rows("L", "LL", "__mul64hi llmin llmax"), **_rows("M", "MM", "__umul64hi ullmin ullmax"),
    **_rows("U", "IIU", "__sad"), **_rows("U", "UUU", "__usad __byte_perm __dp4a __dp2a_lo __dp2a_hi "
        "__funnelshift_l __funnelshift_r __funnelshift_lc __funnelshift_rc __vimax3_u32 __vimin3_u32 "
        "__viaddmax_u32 __viaddmin_u32 __vimax3_u16x2 __vimin3_u16x2 __viaddmax_u16x2 __viaddmin_u16x2"),
    **_rows("I", "III", "__dp4a __dp2a_lo __dp2a_hi __vimax3_s32 __vimin3_s32 __vimax3_s32_relu __vimin3_s32_relu "
        "__viaddmax_s32 __viaddmin_s32 __viaddmax_s32_relu __viaddmin_s32_relu"),
    **_rows("U", "UUU", "__vimax3_s16x2 __vimin3_s16x2 __vimax3_s16x2_relu __vimin3_s16x2_relu __viaddmax_s16x2 "
        "__viaddmin_s16x2 __viaddmax_s16x2_relu __viaddmin_s16x2_relu"),
    **_rows("I", "II", "__vimax_s32_relu __vimin_s32_relu"),
    **_rounded("I", "F", "__float2int"), **_rounded("U", "F", "__float2uint"), **_rounded("L", "F", "__float2ll"),
    **_rounded("M", "F", "__float2ull"), **_rounded("I", "D", "__double2int"), **_rounded("U", "D", "__double2uint"),
    **_rounded("L", "D", "__double2ll"), **_rounded("M", "D", "__double2ull"), **_rounded("F", "I", "__int2float"),
    **_rounded("F", "U", "__uint2float"), **_rounded("F", "L", "__ll2float"), **_rounded("F", "M", "__ull2float"),
    **_rounded("D", "L", "__ll2double"), **_rounded("D", "M", "__ull2double"), **_rounded("F", "D", "__double2float"),
    **_rounded("F", "FF", "__fadd __fsub __fmul __fdiv"), **_rounded("F", "FFF", "__fmaf"),
    **_rounded("F", "F", "__fsqrt __frcp"), **_rounded("D", "DD", "__dadd __dsub __dmul __ddiv"),
    **_rounded("D", "DDD", "__fma"), **_rounded("D", "D", "__dsqrt __drcp"),
    **_rows("F", "F", "floorf ceilf truncf rintf nearbyintf roundf fabsf sqrtf __saturatef"),
    **_rows("D", "D", "floor ceil trunc rint nearbyint round fabs sqrt"),
    **_rows("F", "FF", "fmodf remainderf with_sign nextafterf fdimf"),
    **_rows("D", "DD", "fmod remainder with_sign_of nextafter fdim"), **_rows("F", "FFF", "fmaf"),
    **_rows("D", "DDD", "fma"), **_rows("F", "FI", "ldexpf scalbnf"), **_rows("D", "DI", "ldexp scalbn"),
    **_rows("I", "F", "ilogbf"), **_rows("I", "D", "ilogb high_word"),
    **_rows("I", "F", "float_word"), **_rows("F", "F", "logbf"), **_rows("D", "D", "logb"),
    **_rows("H", "H", SHORT_UNARY), **_rows("B", "B", SHORT_UNARY),
    **_rows("H", "HH", SHORT_BINARY), **_rows("H", "HHH", SHORT_TERNARY), **_rows("I", "HH", SHORT_COMPARISONS),
    **{f"__half2{to}_{mode}": (LETTERS[LETTER[to]], (LETTERS["H"],)) for to in WHOLE for mode in MODES},
    **{f"__{to}2half_{mode}": (LETTERS["H"], (LETTERS[LETTER[to]],)) for to in WHOLE for mode in MODES},
    **{f"__bfloat162{to}_{mode}": (LETTERS[LETTER[to]], (LETTERS["B"],)) for to in WHOLE for mode in MODES},
    **{f"__{to}2bfloat16_{mode}": (LETTERS["B"], (LETTERS[LETTER[to]],)) for to in WHOLE for mode in MODES},
    **_rounded("H", "F", "__float2half"), **_rounded("B", "F", "__float2bfloat16"),
    **_rows("H", "D", "__double2half"), **_rows("B", "D", "__double2bfloat16"),
}  # fmt: skip
FROM_SM_80 = {"__hfma", "__hfma_relu", "__hfma_sat", "__hmin_nan", "__hmax_nan"}
# Overloaded for bfloat16, too.
for _name in (SHORT_BINARY + " " + SHORT_TERNARY).split():
    EXACT[f"{_name} "] = (LETTERS["B"], (LETTERS["B"],) * len(EXACT[_name][1]))
for _name in SHORT_COMPARISONS.split():
    EXACT[f"{_name} "] = ("int", (LETTERS["B"],) * 2)
EXACT["__hisinf"] = ("int", (LETTERS["H"],))
EXACT["__hadd  "] = ("int", ("int", "int"))

# Function -> (type, count of arguments, largest error by the documentation in units in the last place): CUDA C++
# Programming Guide, "Mathematical Functions Appendix". Arguments that are left out have larger errors.
INEXACT: dict[str, tuple[str, int, int]] = {
    "rsqrtf": (F, 1, 2), "cbrtf": (F, 1, 1), "rcbrtf": (F, 1, 1), "hypotf": (F, 2, 3), "rhypotf": (F, 2, 2),
    "expf": (F, 1, 2), "exp2f": (F, 1, 2), "exp10f": (F, 1, 2), "expm1f": (F, 1, 1), "logf": (F, 1, 1),
    "log2f": (F, 1, 1), "log10f": (F, 1, 2), "log1pf": (F, 1, 1), "sinf": (F, 1, 2), "cosf": (F, 1, 2),
    "tanf": (F, 1, 4), "sinpif": (F, 1, 1), "cospif": (F, 1, 1), "asinf": (F, 1, 2), "acosf": (F, 1, 2),
    "atanf": (F, 1, 2), "atan2f": (F, 2, 3), "sinhf": (F, 1, 3), "coshf": (F, 1, 2), "tanhf": (F, 1, 2),
    "asinhf": (F, 1, 3), "acoshf": (F, 1, 4), "atanhf": (F, 1, 3), "powf": (F, 2, 4), "erff": (F, 1, 2),
    "erfcf": (F, 1, 4), "erfinvf": (F, 1, 2), "erfcinvf": (F, 1, 4), "erfcxf": (F, 1, 4), "normcdff": (F, 1, 5),
    "normcdfinvf": (F, 1, 5), "tgammaf": (F, 1, 5), "cyl_bessel_i0f": (F, 1, 6), "cyl_bessel_i1f": (F, 1, 6),
    "rsqrt": (D, 1, 1), "cbrt": (D, 1, 1), "rcbrt": (D, 1, 1), "hypot": (D, 2, 2), "rhypot": (D, 2, 1),
    "exp": (D, 1, 1), "exp2": (D, 1, 1), "exp10": (D, 1, 1), "expm1": (D, 1, 1), "log": (D, 1, 1),
    "log2": (D, 1, 1), "log10": (D, 1, 1), "log1p": (D, 1, 1), "sin": (D, 1, 2), "cos": (D, 1, 2),
    "tan": (D, 1, 2), "sinpi": (D, 1, 2), "cospi": (D, 1, 2), "asin": (D, 1, 2), "acos": (D, 1, 2),
    "atan": (D, 1, 2), "atan2": (D, 2, 2), "sinh": (D, 1, 2), "cosh": (D, 1, 1), "tanh": (D, 1, 1),
    "asinh": (D, 1, 3), "acosh": (D, 1, 3), "atanh": (D, 1, 2), "pow": (D, 2, 2), "erf": (D, 1, 2),
    "erfc": (D, 1, 5), "erfinv": (D, 1, 5), "erfcinv": (D, 1, 6), "erfcx": (D, 1, 4), "normcdf": (D, 1, 5),
    "normcdfinv": (D, 1, 8), "tgamma": (D, 1, 10), "cyl_bessel_i0": (D, 1, 6), "cyl_bessel_i1": (D, 1, 6),
}  # fmt: skip
