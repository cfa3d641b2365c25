# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Rows of the instruction table: the forms of instructions, in the notation of the PTX manual, and their traits.

A row reads like the manual: `add{.rnd}{.ftz}{.sat}.type d, a, b`. `.name` is one of the values that the row (or
`VALUES`) lists under `name`; without such a list it is a literal word. `{}` encloses optional parts. Of the operands,
`[a]` is an address, `d|p` a pair, `{!}p` a predicate that may be negated, `d...` a register or vector, `a.part` may
select parts of a register, `{, c}` is optional.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import takewhile
from typing import TYPE_CHECKING

from cuda.cpu.ptx.ranges import Range

if TYPE_CHECKING:
    from cuda.cpu.ptx.form import Form

# Values of names that are the same in every chapter. A row's own list takes precedence.
VALUES = {
    "rnd": "rn rz rm rp",
    "cop": "ca cg cs lu cv",
    "stcop": "wb cg cs wt",
    "scope": "cta cluster gpu sys",
    "vec": "v2 v4 v8",
    "evict1": "L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last L1::no_allocate",
    "evict2": "L2::evict_normal L2::evict_first L2::evict_last",
    "hint": "L2::cache_hint",
    "prefetch": "L2::64B L2::128B L2::256B",
}

# Instructions whose first literal words belong to the name.
_NAMED = frozenset({
    "mbarrier", "multimem", "wmma", "wgmma", "cp", "createpolicy", "tensormap", "clusterlaunchcontrol", "brx",
    "barrier.cluster", "bar.warp", "membar.proxy", "fence.proxy", "suld",
})  # fmt: skip
_NAME_WORDS = frozenset({
    "async", "bulk", "tensor", "reduce", "prefetch", "proxy", "query_cancel", "try_cancel", "cp_fenceproxy",
    "replace", "mma_async", "mma", "load", "store", "fractional", "range", "cvt", "init", "inval", "arrive",
    "arrive_drop", "test_wait", "try_wait", "expect_tx", "complete_tx", "pending_count", "mbarrier", "commit_group",
    "wait_group", "wait_all", "st", "red", "ld_reduce", "cp", "b",
})  # fmt: skip
# Instructions whose first modifier, one of several values, belongs to the name.
_MODES = frozenset(("mul", "mad", "madc", "mul24", "mad24", "dp2a"))
# Words that ptxas accepts twice.
_REPEATED = frozenset(("sat", "cc", "approx", "relu", "NaN", "shiftamt", "satfinite", "sync", "uni"))


@dataclass(frozen=True, slots=True)
class Traits:
    """Properties of all forms of an opcode, apart from their syntax (compare the traits of MLIR operations).

    Keys of `types`, `ranges` and values of `needs` are words that an instruction must have among its modifiers, joined
    by dots. In `types` and `ranges`, "" stands for all forms, and the last entry that fits counts.
    """

    pure: bool = False  # computes each lane's result from that lane's operands, without side effects
    per_lane: bool = False  # has side effects, but lanes exchange nothing; pure opcodes are per lane, too
    collective: bool = False  # with .sync, lanes of a warp wait for each other
    waits: bool = False  # its result depends on other threads, so a loop may poll it
    immediates: bool = False  # accepts immediates in place of registers, as pure opcodes do
    accumulates: bool = False  # also reads its destination
    types: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # operand -> type: see operand_types.py
    vectors: bool = False  # has {.vec} for d or b
    sinks: bool = False  # its results may all be discarded: `_`
    symbols: bool = False  # accepts a variable's name as its address, as moves do
    fragments: Callable[[Form, str], tuple[int, str] | None] | None = None  # registers of a matrix operand
    ranges: Mapping[str, Mapping[str, Range]] = field(default_factory=dict)  # operand -> accepted numbers
    # Least .version ("7.8") or .target ("sm_90", see needs.py) -> the forms that need it, separated by blanks; "*" is
    # all of them, "a/b" either word.
    needs: Mapping[str, str] = field(default_factory=dict)
    reason: str = ""  # why forms without a family are rejected


NO_TRAITS = Traits()


class Row:
    """One instruction form of the PTX manual.

    Parameters
    ----------
    section : str
        Section of the PTX ISA manual.
    family : str
        Module of `cuda.cpu.emit.instructions` that translates it; "" if it is recognised but not supported.
    syntax : str
        The form in the manual's notation.
    **values : str
        Values of the names in the syntax, separated by blanks.
    """

    __slots__ = ("_names", "_parts", "_shape", "family", "opcode", "section", "syntax", "traits", "values")

    def __init__(self, section: str, family: str, syntax: str, **values: str) -> None:
        self.section = section
        self.family = family
        self.syntax = syntax
        self.values = values
        self.traits = NO_TRAITS  # those of the opcode, set by `rows.table`
        self.opcode = re.split(r"\W", syntax, maxsplit=1)[0]
        self._parts: list[tuple[str, frozenset[str], bool, bool]] | None = None
        self._shape: list[tuple[str, bool]] | None = None
        self._names: list[tuple[str, ...]] | None = None

    def __repr__(self) -> str:
        return f"Row({self.section!r}, {self.family!r}, {self.syntax!r})"

    @property
    def parts(self) -> list[tuple[str, frozenset[str], bool, bool]]:
        """Modifiers as (name, accepted words, is optional, is a value of a list), in order."""
        if self._parts is None:
            modifiers = self.syntax[len(self.opcode) :].partition(" ")[0]
            parts = []
            for optional, name in re.findall(r"(\{?)\.([\w:]+)", modifiers):
                listed = self.values.get(name, VALUES.get(name))
                words = frozenset(listed.split() if listed is not None else (name,))
                parts.append((name.replace("::", "_"), words, bool(optional), listed is not None))
            self._parts = parts  # assigned complete: other threads read it
        return self._parts

    @property
    def shape(self) -> list[tuple[str, bool]]:
        """Operands as (letters of the accepted kinds, see `_KINDS`, is optional), in order."""
        if self._shape is None:
            self._shape = [(_accepted(operand), bool(comma)) for comma, operand in self._operands()]
        return self._shape

    @property
    def names(self) -> list[tuple[str, ...]]:
        """Names of each operand: two of a pair; `{!}p` where a predicate may be negated."""
        if self._names is None:
            self._names = [
                tuple(re.findall(r"(?:\{!\})?\w+", re.sub(r"\[.*|\.\w+|\.+", "", operand)))
                for _, operand in self._operands()
            ]
        return self._names

    def _operands(self) -> list[tuple[str, str]]:
        operands = self.syntax.partition(" ")[2].strip()
        return re.findall(r"(\{,\s*)?((?:\[[^\]]*\]|\{!\}|\{\|\w+\}|[\w|.()-])+)\}?", operands)

    def match(self, modifiers: tuple[str, ...]) -> dict[str, str | bool] | None:
        """Return the modifiers by name, None if they do not match this row."""
        found = _match(self.parts, 0, modifiers, 0)
        if found is None and self._begins(modifiers):
            found = _match_in_any_order(self.parts, modifiers)
        return found

    def _begins(self, modifiers: tuple[str, ...]) -> bool:
        """Return whether modifiers begin with the words that belong to the instruction's name."""
        if self.parts and self.parts[0][0] == "mode" and self.opcode in _MODES:
            return modifiers[:1] != () and modifiers[0] in self.parts[0][1]
        first = self.parts[0][0] if self.parts else ""
        if _NAMED.isdisjoint((self.opcode, f"{self.opcode}.{first}")):
            return True
        names = tuple(
            takewhile(
                _NAME_WORDS.__contains__, [min(words) if len(words) == 1 else "" for _, words, _, _ in self.parts]
            )
        )
        return modifiers[: len(names) or 1] == (names or (first,))

    def takes(self, kinds: str) -> bool:
        """Return whether number and kinds of operands, a letter of `_KINDS` each, match this row."""
        shape = self.shape
        if not sum(not optional for _, optional in shape) <= len(kinds) <= len(shape):
            return False
        return all(kind in accepted for kind, (accepted, _) in zip(kinds, shape, strict=False))


def _accepted(operand: str) -> str:
    if operand.startswith("["):
        return "a"
    if operand.startswith("{!}"):
        return "xn"
    if "|" in operand:
        return ("xvp" if "..." in operand else "xp") if "{|" in operand else "p"
    if operand.endswith(".part"):
        return "xs"
    return "xv" if operand.endswith("...") else "x"


def _match(parts: list, at: int, modifiers: tuple[str, ...], taken: int) -> dict[str, str | bool] | None:
    if at == len(parts):
        return {} if taken == len(modifiers) else None
    name, words, optional, listed = parts[at]
    if taken < len(modifiers) and modifiers[taken] in words:
        rest = _match(parts, at + 1, modifiers, taken + 1)
        if rest is not None:
            rest[name] = modifiers[taken] if listed else True
            return rest
    return _match(parts, at + 1, modifiers, taken) if optional else None


def _match_in_any_order(parts: list, modifiers: tuple[str, ...]) -> dict[str, str | bool] | None:
    """Match as ptxas does: modifiers in any order, some of them twice; the order of types is fixed.

    Words that belong to the instruction's name come first, as in the table.
    """
    stands = {name for name, _, _, listed in parts if not listed} & _REPEATED
    left = [
        (index, word) for index, word in enumerate(modifiers) if word not in stands or word not in modifiers[:index]
    ]
    found: dict[str, str | bool] = {}
    last_type = -1
    for name, words, optional, listed in parts:
        taken = next((item for item in left if item[1] in words), None)
        if taken is None:
            if not optional:
                return None
            continue
        left.remove(taken)
        found[name] = taken[1] if listed else True
        if name.endswith("type"):
            if taken[0] < last_type:
                return None
            last_type = taken[0]
    return None if left else found
