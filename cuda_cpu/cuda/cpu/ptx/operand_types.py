# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Type check of instructions' operands (PTX ISA manual, sections 9.2 to 9.4).

The type follows from the operand's name in the row's syntax: `a` has the type that the modifier `.atype` gives, or else
`.type`. Exceptions by the operand's name are in the table below, those of an opcode in the `types` of its traits.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from cuda.cpu.ptx.declarations import TYPE_BYTES
from cuda.cpu.ptx.fragment_types import fragment_of
from cuda.cpu.ptx.special import types_of_special
from cuda.cpu.ptx.syntax import Address, Immediate, Negated, Operand, Pair, Register, Selected, Symbol, Vector

if TYPE_CHECKING:
    from cuda.cpu.ptx.form import Form

# The modifiers that give an operand's type, the first that is present; "d" is the destination.
_MODIFIERS = {
    "d": ("dtype", "type"),
    "a": ("atype", "abtype", "type"),
    "b": ("btype", "abtype", "type"),
    "c": ("ctype", "type"),
}
_WRITTEN = frozenset(("d", "p", "q"))  # destinations; source predicates are written {!}p, as they may be negated
# Operands with the same type in all instructions. "constant" is an immediate, "label" a name in the function, "" any
# operand, which the emitter checks. One of several types is sufficient; "%b32" does not accept immediates.
_NAMED = {
    **dict.fromkeys(("p", "q", "{!}a", "{!}b", "{!}c", "{!}q", "{!}scale"), "pred"),
    **{"policy": "b64", "membermask": "u32", "mbar": "b64", "state": "b64", "count": "u32", "hint": "u32"},
    **{"immLut": "constant", "n": "constant", "size": "u32", "{!}source": "u32 pred", "mask": "b16", "random": "u32"},
    **{"asign": "constant", "bsign": "constant", "t": "constant", "u": "constant", "selector": "constant"},
    **{"metadata": "u32", "stride": "u32", "lod": "u32", "fraction": "f32", "total": "u32", "init": "constant"},
    **{"target": "label", "list": "label", "index": "u32", "align": "constant", "left": "u32", "right": "u32"},
    **{"base": "u32", "offset": "u32", "value": "", "which": "constant", "e": "", "f": ""},
}
_WIDE = {"u16": "u32", "s16": "s32", "u32": "u64", "s32": "s64"}


def type_of(form: Form, name: str) -> str:
    """Return the type of an operand by its name in the syntax: a PTX type, "constant", "label" or "".

    A plus at the end means that registers may be wider.
    """
    written = _NAMED.get(name)
    for words, types in form.row.traits.types.items():
        if name in types and form.has(words):
            written = types[name]
    if written is None:
        written = next((each for each in _MODIFIERS.get(name, ("type",)) if getattr(form, each, None)), "")
    bare, plus = written.strip("%+"), written[len(written.rstrip("+")) :]
    if bare == "wide":
        return _WIDE[form.type]
    found = getattr(form, bare, bare) if bare.endswith("type") else bare
    return ("%" if written[:1] == "%" else "") + (found or "") + plus


# Width and kind of registers: b bits, i integers, f floats, x f16x2, p predicates.
_REGISTERS = {name: (8 * size, {"b": "b", "f": "f"}.get(name[0], "i")) for name, size in TYPE_BYTES.items()}
_REGISTERS |= {"pred": (1, "p"), "f16x2": (32, "x")}
_ADDRESSES = {(bits, letter) for bits in (8, 16, 32, 64) for letter in "bi"}
_NO_SPECIAL = "no special register: move it into another one first"
_BITS_OF = {**{name: 8 * size for name, size in TYPE_BYTES.items()}, "pred": 1}
_BITS_OF |= dict.fromkeys(("e4m3x2", "e5m2x2", "e2m3x2", "e3m2x2", "ue8m0x2", "s2f6x2", "e2m1x4"), 16)
_BITS_OF |= dict.fromkeys(("e4m3x4", "e5m2x4", "e2m3x4", "e3m2x4", "u16x2", "s16x2", "u8x4", "s8x4"), 32)
_BITS_OF |= {"e2m1x2": 8, "f32x2": 64}


def _kinds(type_: str) -> str:
    """Return the kinds of registers that are compatible with an instruction's type."""
    if type_ == "pred":
        return "p"
    if type_ == "bf16" or "x" in type_:
        return "bx"
    return {"b": "bifx", "u": "bix", "s": "bix", "f": "bf"}.get(type_[0], "bix")


def _agrees(type_: str, written: tuple, result: bool) -> bool:
    """Return whether an operand, given its `signature_of`, is compatible with a type."""
    if " " in type_:
        return any(_agrees(each, written, result) for each in type_.split())
    kind, *rest = written
    wider = type_.endswith("+")
    type_ = type_.rstrip("+")
    if kind == "vector":
        return all(_agrees(type_ + "+" * wider, each, result) for each in rest)
    if type_ == "" or kind == "_":
        return type_ == "" or result
    if kind == "symbol" and type_ != "label":
        return False
    if type_ in ("constant", "label"):
        return kind == {"constant": "int", "label": "symbol"}[type_]
    if type_[0] == "%":
        type_, rest = type_[1:], rest if kind == "register" else ["pred"]
        kind = "register"
    if kind == "register" or (kind == "special" and not result):
        bits, letter = _REGISTERS[rest[0].split()[0]]
        wanted = _BITS_OF[type_]
        if bits == wanted:
            return letter in _kinds(type_)
        return wider and bits > wanted and letter in _kinds(type_) and (letter, type_[0]) != ("f", "f")
    if result:
        return False
    if kind in ("f32", "f64"):
        return type_ in ("f32", "f64") or type_ == "b" + kind[1:]
    return (type_[0] in "bus" and "x" not in type_ and type_ != "bf16") or (type_ == "pred" and kind == "int")


def signature_of(operand: Operand | None, registers: Mapping[str, str]) -> tuple:
    """Return the signature of an operand: its kind, and the types of its registers."""
    if isinstance(operand, Register):
        declared = registers.get(operand.name)
        return ("register", declared) if declared else ("special", types_of_special(operand.name))
    if isinstance(operand, Immediate):
        return (operand.kind,)
    if isinstance(operand, Symbol):
        return ("address of a symbol",) if operand.offset else ("symbol",)
    if isinstance(operand, Vector):
        return ("vector", *[signature_of(each, registers) for each in operand.elements])
    if isinstance(operand, Pair):
        return ("pair", signature_of(operand.first, registers), signature_of(operand.second, registers))
    if isinstance(operand, Negated):
        return signature_of(operand.operand, registers)
    if isinstance(operand, Selected):
        return signature_of(operand.register, registers)
    if isinstance(operand, Address):
        base = operand.base
        if isinstance(base, Register):
            return ("address", registers.get(base.name) or types_of_special(base.name).split()[0])
        return ("address", "b64") if base else ("absolute",)
    return ("_",)


def _names_without_policy(form: Form, count: int) -> tuple[list[tuple[str, ...]], str]:
    """Return the names of `count` operands, with a policy if the form has `.L2::cache_hint`; and an error or ""."""
    names = form.row.names
    if ("policy",) not in names:
        return names, ""
    at = names.index(("policy",))
    before, after = names[:at], names[at + 1 :]
    if form.hint is None:
        return before + after, "a policy needs .L2::cache_hint" if count > len(before + after) else ""
    needed = sum(not optional for _, optional in form.row.shape[:at]) + 1 + len(after)
    if count < needed:
        return names, ".L2::cache_hint needs an operand for the policy"
    return before[: count - 1 - len(after)] + [("policy",), *after], ""


@cache
def wrong_operand(form: Form, signatures: tuple) -> str:
    """Return a message about an operand of a wrong type; "" if there is none."""
    names, wrong = _names_without_policy(form, len(signatures))
    if wrong:
        return f"{form}: {wrong}"
    for position, (each, written) in enumerate(zip(names, signatures, strict=False), 1):
        if written[0] == "address" and _REGISTERS[written[-1]] not in _ADDRESSES:
            return f"{form}: operand {position}: .{written[1]} is no type of an address"
        if written[0] == "absolute" and form.space != "local" and form.opcode != "fence":
            return f"{form}: operand {position}: a number is an address in .local only; move it into a register first"
        if written == ("_",) and each[0] in _WRITTEN and not form.row.traits.sinks:
            return f"{form}: operand {position} ({each[0]}) must be a register: the instruction does nothing else"
        parts = written[1:] if written[0] == "pair" else (written,)
        for name, part in zip(each, parts, strict=False):
            wrong = _wrong(form, name, part)
            if wrong:
                return f"{form}: operand {position} ({name}) must be {wrong}"
    if form.opcode == "mov" and form.vec is None and all(written[0] == "vector" for written in signatures):
        return f"{form}: moves from vectors to vectors need .v2 or .v4"
    return ""


def _wrong_move(form: Form, wanted: str, written: tuple, *, result: bool) -> str:
    """Return a message if an operand of a move is neither a value nor all parts of one (section 9.7.9.4), else ""."""
    vector = written[0] == "vector"
    parts = written[1:] if vector else (written,)
    right = ("a register " if result else "") + f"of type .{wanted}"
    if form.vec is not None:
        right = f"a vector of {form.vec[1:]} elements of type .{wanted}"
        if not vector or len(parts) != int(form.vec[1:]):
            return right
    elif vector:
        if wanted[0] != "b" or len(parts) not in (1, 2, 4) or _BITS_OF[wanted] // len(parts) < 8:
            return right
        wanted = f"b{_BITS_OF[wanted] // len(parts)}"
        right += f", or a vector of {len(parts)} elements of type .{wanted}"
    if written[0] in ("symbol", "address of a symbol"):
        return "" if wanted[0] in "bus" and not result else right
    agree = all(_agrees(wanted, part, result) or _reads(form, wanted, part, result) for part in parts)
    return "" if agree else right


def _reads(form: Form, wanted: str, written: tuple, result: bool) -> bool:
    """Return whether an instruction may read a special register: only moves and conversions of integers may."""
    if written[0] != "special" or result or wanted[:1] in ("", "f"):
        return False
    if form.opcode == "mov":
        return any(_BITS_OF[each] == _BITS_OF[wanted] for each in written[1].split())
    return form.opcode == "cvt" and form.row.syntax == "cvt{.sat}.dtype.type d, a" and _agrees(wanted, written, result)


def _wrong(form: Form, name: str, written: tuple) -> str:
    """Return a message with the required type if an operand has another, else ""."""
    result = name in _WRITTEN
    parts = written[1:] if written[0] == "vector" else (written,)
    fragment = fragment_of(form, name)
    if fragment and (form.opcode != "wgmma" or name != "a" or written[0] == "vector"):
        count, type_ = fragment
        right = len(parts) == count and all(_agrees(type_, part, result) for part in parts)
        right = right and (written[0] == "vector" or (name in ("scale_a", "scale_b") and written[0] == "register"))
        return "" if right else f"a vector of {count} registers of type .{type_.strip('%')}"
    wanted = type_of(form, name)
    if form.opcode == "mov":
        return _wrong_move(form, wanted, written, result=result)
    if written[0] in ("address", "absolute") or (
        written[0] in ("symbol", "address of a symbol") and name == "a" and form.row.traits.symbols
    ):
        return ""
    if written[0] == "special" and not result:
        return "" if _reads(form, wanted, written, result) else _NO_SPECIAL
    count = int(form.vec[1:]) if form.vec else 1
    if name in "db" and form.row.traits.vectors and len(parts) != count:
        return f"a vector of {count} elements" if count > 1 else "no vector"
    if _agrees(wanted, written, result):
        return ""
    if wanted in ("constant", "label"):
        return f"a {wanted}"
    return ("a register " if result else "") + f"of type .{wanted.strip('%+').replace(' ', ' or .')}"
