# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Program: parsed, linked and checked PTX, the input of the passes and the emitter."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from cuda.cpu.ptx import device_runtime
from cuda.cpu.ptx.addressed_parameters import copy_to_local
from cuda.cpu.ptx.calls import Targets
from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.instructions import check
from cuda.cpu.ptx.layout import SharedLayout, shared_layout
from cuda.cpu.ptx.link import RUNTIME, Linked, link, unresolved
from cuda.cpu.ptx.parser import parse
from cuda.cpu.ptx.references import References, references
from cuda.cpu.ptx.sizes import check_sizes
from cuda.cpu.ptx.spaces import Spaces, name_space
from cuda.cpu.ptx.special import RESERVED, RESERVED_BYTES, RESERVED_OFFSETS
from cuda.cpu.ptx.syntax import Call, Function, Instruction, Module, Register, Variable


@dataclass(slots=True)
class Program:
    """Linked units, the input of the emitter.

    Names in the functions are the linked ones. The local names of a function (parameters, labels and local variables)
    shadow those of the program.
    """

    capability: int
    functions: dict[str, Function]  # with a body; aliases are further keys of the same function
    declared: dict[str, Function]  # of the runtime: vprintf, malloc, free, __assertfail
    variables: dict[str, Variable]  # module scope: global, const, shared (extern: dynamic)
    unit_of: dict[str, Module]  # name of a function or variable -> the unit that defines it
    units: list[str]  # their text
    shared: dict[str, int] = field(default_factory=dict)  # offsets of .shared variables: see `laid_out`
    shared_static: int = 0  # bytes of static shared memory; where dynamic shared memory begins
    symbols: list[str] = field(default_factory=list)
    symbol_index: dict[str, int] = field(default_factory=dict)
    references: dict[str, References] = field(default_factory=dict)
    address_taken: list[str] = field(default_factory=list)  # functions that an indirect call may reach
    recursive: frozenset[str] = frozenset()  # functions that may be live twice on one call stack
    key: bytes = b""  # digest of all units' text and the capability: for caches

    def callees(self, name: str) -> list[str]:
        """Return the functions with a body that a function may call, directly or through a register."""
        found = self.references[name]
        names = [self.functions[called].name for called in found.calls if called in self.functions]
        return list(dict.fromkeys(names + self.address_taken if found.indirect else names))

    def reachable(self, name: str) -> list[str]:
        """Return a function and its transitive callees; callers come before functions that only they call."""
        order: dict[str, None] = {}
        waiting = [name]
        while waiting:
            current = waiting.pop()
            if current not in order:
                order[current] = None
                waiting.extend(reversed(self.callees(current)))
        return list(order)

    def laid_out(self, kernel: str) -> Program:
        """Return the program with the shared memory of one kernel laid out.

        Variables of functions that indirect calls may reach come first, so that they have the same offsets
        in every kernel that makes such calls: these functions are compiled once.
        """
        names = self.reachable(kernel)
        indirect = any(self.references[name].indirect for name in names)
        layout = shared_layout(self._shared_variables(names), self._indirect_layout() if indirect else None)
        return replace(self, shared=layout.offsets, shared_static=layout.size)

    def _indirect_layout(self) -> SharedLayout:
        names = dict.fromkeys(name for taken in self.address_taken for name in self.reachable(taken))
        return shared_layout(self._shared_variables(names))

    def _shared_variables(self, names: Iterable[str]) -> list[Variable]:
        used = dict.fromkeys(symbol for name in names for symbol in self.references[name].symbols)
        found = (self.variables[symbol] for symbol in used if symbol in self.variables)
        return [variable for variable in found if variable.space == "shared"]


def build(units: list[str], *, capability: int = 90, names: Sequence[str] = ()) -> Program:
    """Parse, link and check units.

    Parameters
    ----------
    units : list of str
        PTX text of each unit.
    capability : int, optional
        Compute capability of the device times ten. PTX of any target is accepted: the CPU runs them alike.
    names : sequence of str, optional
        Names of the first units in error messages.

    Raises
    ------
    PtxError
        Wrong PTX, a name defined twice or not at all, or an instruction that the CPU device does not support.
    """
    if not units:
        raise PtxError("there is no PTX to load")
    others = ["<ptx>" if index == 0 else f"<ptx>[{index}]" for index in range(len(units))]
    modules = [parse(text, name) for text, name in zip(units, (*names, *others[len(names) :]), strict=True)]
    linked = link(modules + device_runtime.needed_by(modules))
    for function in linked.functions.values():
        copy_to_local(function)
    program = Program(
        capability=capability,
        functions={key: function for key, function in linked.functions.items() if function.body is not None},
        declared={key: linked.functions[key] for key in RUNTIME & linked.functions.keys()},
        variables=linked.variables,
        unit_of=linked.unit,
        units=units,
        key=hashlib.sha256(repr((capability, units)).encode()).digest(),
    )
    program.references = {function.name: references(function) for function in program.functions.values()}
    _reserve_shared(program)
    _check_names(program, linked)
    _find_symbols(program)
    program.recursive = _recursive(program)
    _check_instructions(program)
    check_sizes(program)
    return program


def _reserve_shared(program: Program) -> None:
    """Add a shared variable for reserved memory to functions that read %reserved_smem_offset_*."""
    if not any(RESERVED in text for text in program.units):
        return
    program.variables[RESERVED] = Variable(RESERVED, "shared", "b8", RESERVED_BYTES, align=128)
    for function in program.functions.values():
        for statement in function.body or ():
            if isinstance(statement, Instruction) and any(
                isinstance(operand, Register) and operand.name in RESERVED_OFFSETS for operand in statement.operands
            ):
                program.references[function.name].symbols[RESERVED] = statement.line


def _check_names(program: Program, linked: Linked) -> None:
    for name, found in program.references.items():
        missing = unresolved([*found.calls.items(), *found.symbols.items()], linked)
        if missing:
            module = program.unit_of[name]
            names = ", ".join(missing_name for missing_name, _ in missing)
            cuda = missing[0][0].startswith(("cuda", "__cuda"))
            advice = "; the CPU device has no such function of the device runtime" if cuda else ""
            error = PtxError(f"unresolved in {name}: {names}{advice}", missing[0][1])
            raise error.located(module.name, module.text)
    for variable in linked.variables.values():
        used = variable.initializer.relocations if variable.initializer else ()
        missing = unresolved([(relocation.symbol, variable.line) for relocation in used], linked)
        if missing:
            module = linked.unit[variable.name]
            error = PtxError(f"unresolved in the initial value of {variable.name}: {missing[0][0]}", variable.line)
            raise error.located(module.name, module.text)


def _find_symbols(program: Program) -> None:
    taken: dict[str, None] = {}
    for found in program.references.values():
        taken.update((program.functions[name].name, None) for name in found.symbols if name in program.functions)
    for variable in program.variables.values():
        for relocation in variable.initializer.relocations if variable.initializer else ():
            if relocation.symbol in program.functions:
                taken[program.functions[relocation.symbol].name] = None
    program.address_taken = [name for name in taken if not program.functions[name].entry]
    stored = [name for name, variable in program.variables.items() if variable.space in ("global", "const")]
    program.symbols = stored + list(taken)
    program.symbol_index = {name: index for index, name in enumerate(program.symbols)}
    for alias, function in program.functions.items():
        if function.name in taken:
            program.symbol_index[alias] = program.symbol_index[function.name]


def _recursive(program: Program) -> frozenset[str]:
    """Return the functions on cycles of the call graph: strongly connected components, by Tarjan without recursion."""
    found: set[str] = set()
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    component: list[str] = []
    for root in program.references:
        path = [] if root in number else [(root, iter(program.callees(root)))]
        while path:
            name, callees = path[-1]
            if name not in number:
                number[name] = lowest[name] = len(number)
                component.append(name)
            callee = next(callees, None)
            if callee is None:
                path.pop()
                if path:
                    lowest[path[-1][0]] = min(lowest[path[-1][0]], lowest[name])
                if lowest[name] == number[name]:
                    members = component[component.index(name) :]
                    del component[-len(members) :]
                    if len(members) > 1 or name in program.callees(name):
                        found.update(members)
                    lowest.update(dict.fromkeys(members, len(program.references)))
            elif callee not in number:
                path.append((callee, iter(program.callees(callee))))
            else:
                lowest[name] = min(lowest[name], lowest[callee])
    return frozenset(found)


def _check_instructions(program: Program) -> None:
    """Refuse wrong instructions in all functions that a kernel or an indirect call can reach."""
    roots = [name for name, function in program.functions.items() if function.entry] + program.address_taken
    for name in dict.fromkeys(reached for root in roots for reached in program.reachable(root)):
        try:
            function, unit = program.functions[name], program.unit_of[name]
            spaces, targets = Spaces(program.variables, function), Targets(function, unit.functions)
            for statement in function.body or ():
                if isinstance(statement, Instruction):
                    name_space(statement, spaces)
                    check(statement, function.registers, unit)
                    if statement.opcode in ("bra", "brx"):
                        targets.check_branch(statement)
                elif isinstance(statement, Call):
                    targets.check_call(statement)
        except PtxError as error:
            raise error.located(unit.name, unit.text) from None
