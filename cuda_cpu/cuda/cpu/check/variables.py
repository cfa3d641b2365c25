# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Find the shared or local variable that an address is computed from, so that memcheck can tell neighbours apart.

A register has an origin if every instruction that writes it computes an address in one and the same variable. Compilers
put all arrays of a function into one local variable, `__local_depot`, and compute the address of each by `add.u64` of
its offset to `%SP` or `%SPL`; LLVM's NVPTX back end writes other additions as `add.s64`.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from cuda.cpu.passes.graph import Graph, Step
from cuda.cpu.ptx.syntax import Address, Immediate, Operand, Register, Symbol, Variable

DEPOT = "__local_depot"
SUMS = {"add", "sub", "or", "and", "mad", "mad24", "cvt", "cvta"}  # a result in the variable that one operand is in
SAME = {"mov", "selp"}  # the result is one of the operands


class Origin(NamedTuple):
    name: str
    start: int = 0  # byte of the variable
    is_array: bool = False  # one of the arrays of a __local_depot


ANY = Origin("")  # several variables, or unknown
NUMBER = None  # no address of a variable, as far as this function tells


class Origins:
    """The origins of a function's registers; the variables are those that `variables` contains."""

    def __init__(self, graph: Graph, variables: dict[str, Variable]):
        self._variables = variables
        self._of: dict[str, Origin | None] = {}
        self._written = {name for block in graph.blocks for step in block.steps for name in step.writes}
        steps = [step for block in graph.blocks for step in block.steps if step.writes]
        while sum(self._follow(step) for step in steps):
            pass
        self._starts: dict[str, list[int]] = {}
        for origin in {each for each in self._of.values() if each and each.is_array}:
            self._starts.setdefault(origin.name, []).append(origin.start)

    def of(self, address: Address) -> tuple[Variable, int, int] | None:
        """Return the variable that an address is in, and the first and last + 1 byte of it that belong to its array.

        The size of a variable of unknown length is 0, and so is then the last + 1 byte.
        """
        origin = self._value(address.base) if address.base is not None else NUMBER
        if not origin or origin is ANY:
            return None
        variable = self._variables[origin.name]
        if not origin.is_array:
            return variable, 0, variable.size
        return variable, origin.start, min([s for s in self._starts[origin.name] if s > origin.start] + [variable.size])

    def _value(self, operand: Operand | None) -> Origin | None:
        match operand:
            case Symbol(name) if name in self._variables:
                return Origin(name)
            case Register(name):
                return self._of.get(name, NUMBER)
        return NUMBER

    def _follow(self, step: Step) -> bool:
        """Add what a step tells about the registers that it writes; return whether it tells anything new."""
        origin, changed = self._result(step), False
        if isinstance(origin, str):
            return False
        for name in step.writes:
            known = self._of.get(name, "")
            joined = origin if known in ("", origin) else ANY
            changed |= known != joined
            self._of[name] = joined
        return changed

    def _result(self, step: Step) -> Origin | str | None:
        """Return the origin of a step's results; "": an operand is not known yet."""
        if step.form is None or step.form.opcode not in SUMS | SAME:
            addresses = step.form is not None and step.form.opcode in ("shfl", "mul", "shl", "lea", "prmt", "xor")
            return ANY if addresses and any(self._of.get(name) for name in step.reads) else NUMBER
        instruction, form = step.operation()
        if any(name in self._written and name not in self._of for name in step.reads):
            return ""
        sources = instruction.operands[1:3] if form.opcode == "selp" else instruction.operands[1:]
        origins = [self._value(each) for each in sources]
        if form.opcode in SAME:
            return origins[0] if len(set(origins)) == 1 else ANY
        found = [each for each in origins if each is not NUMBER]
        if form.opcode == "sub" and len(found) == 2 and found[0] == found[1] != ANY:
            return NUMBER
        if len(found) != 1:
            return ANY if found else NUMBER
        last = sources[-1]
        whole = found[0].name.startswith(DEPOT) and not found[0].is_array
        if whole and (form.opcode, form.type) == ("add", "u64") and isinstance(last, Immediate):
            return Origin(found[0].name, last.value, True)
        return found[0]


def source_name(name: str) -> str:
    """Return the name of a variable in the source: `tile` for `_ZZ3sumPfE4tile`, "" for local arrays."""
    if name.startswith(DEPOT):
        return ""
    for found in re.finditer(r"E(\d+)", name):
        size, rest = int(found[1]), name[found.end() :]
        if name.startswith("_ZZ") and re.fullmatch(r"(_\d+)?", rest[size:]):
            return rest[:size]
    return name
