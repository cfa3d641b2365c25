# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Checks of calls and branches against the functions and labels they name: PTX ISA manual, 7.1 and 9.7.13."""

from __future__ import annotations

from collections.abc import Mapping

from cuda.cpu.ptx.declarations import TYPE_BYTES
from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.syntax import (
    BranchTargets,
    Call,
    CallTargets,
    Function,
    Instruction,
    Label,
    Operand,
    Prototype,
    Register,
    Symbol,
    Variable,
)


class Targets:
    """The functions, labels and lists that calls and branches of a function may name.

    Parameters
    ----------
    function : Function
    functions : mapping
        Functions of its unit.
    """

    def __init__(self, function: Function, functions: Mapping[str, Function]) -> None:
        self.function = function
        self.functions = functions
        body = function.body or ()
        self.labels = {statement.name for statement in body if isinstance(statement, Label)}
        self.lists = {each.name: each for each in body if isinstance(each, BranchTargets | CallTargets | Prototype)}

    def check_branch(self, branch: Instruction) -> None:
        """Raise an error if a target of `bra` or `brx.idx` is not a label of the function."""
        target = branch.operands[-1]
        if not isinstance(target, Symbol):
            return  # its type is wrong, which another check reports
        labels: tuple[str, ...] = (target.name,)
        if branch.opcode == "brx":
            targets = self.lists.get(target.name)
            if not isinstance(targets, BranchTargets):
                raise PtxError(f"brx.idx: {target.name} is no label of .branchtargets", branch.line)
            labels = targets.labels
        for label in labels:
            if label not in self.labels:
                raise PtxError(f"{branch.opcode}: {label} is no label of {self.function.name}", branch.line)

    def check_call(self, call: Call) -> None:
        """Raise an error unless number and sizes of a call's operands match the function's declaration."""
        for name, results, parameters in self._declarations(call):
            for kind, formal, given in (("results", results, call.results), ("parameters", parameters, call.arguments)):
                if len(formal) != len(given):
                    raise PtxError(f"call of {name} with {len(given)} {kind}; it has {len(formal)}", call.line)
                for number, (declared, operand) in enumerate(zip(formal, given, strict=True), 1):
                    size = self._size(operand)
                    if size and declared.size and size != declared.size and (size, declared.size) != (2, 1):
                        said = f"{kind[:-1]} {number} of {size} bytes; it has one of {declared.size}"
                        raise PtxError(f"call of {name} with {said}", call.line)

    def _declarations(self, call: Call) -> list[tuple[str, tuple[Variable, ...], tuple[Variable, ...]]]:
        if isinstance(call.target, Symbol):
            names: tuple[str, ...] = (call.target.name,)
        else:
            found = self.lists.get(call.prototype or "")
            if isinstance(found, Prototype):
                return [(found.name, found.results, found.parameters)]
            if not isinstance(found, CallTargets):
                wanted = "the label of a .callprototype or of .calltargets"
                raise PtxError(f"a call through a register needs {wanted}, not {call.prototype or 'none'}", call.line)
            names = found.functions
        callees = [self.functions[name] for name in names if name in self.functions]
        for callee in callees:
            if callee.entry:
                raise PtxError(f"call of {callee.name}, which is a kernel", call.line)
        return [(callee.name, callee.results, callee.parameters) for callee in callees]

    def _size(self, operand: Operand) -> int:
        """Return the bytes of an operand; 0 if it fits any size."""
        if isinstance(operand, Register):
            return TYPE_BYTES.get(self.function.registers.get(operand.name, ""), 0)
        variable = self.function.variables.get(operand.name) if isinstance(operand, Symbol) else None
        return variable.size if variable and variable.space == "param" else 0
