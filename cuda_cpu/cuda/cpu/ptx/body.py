# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Parser of a function's body: instructions, labels, declarations and nested scopes.

A name declared in a nested scope gets a suffix `@N` that no PTX name can have, so that a function's registers
and variables are flat. `names` maps each name to the operand that it denotes in the current scope.
"""

from __future__ import annotations

from collections.abc import Mapping

from cuda.cpu.ptx.cursor import Cursor
from cuda.cpu.ptx.declarations import check_registers, declaration, is_declaration, parameters
from cuda.cpu.ptx.operands import AXES, OperandParser
from cuda.cpu.ptx.special import type_of_special
from cuda.cpu.ptx.syntax import (
    BranchTargets,
    Call,
    CallTargets,
    Function,
    Guard,
    Instruction,
    Label,
    Location,
    Operand,
    Prototype,
    Register,
    Statement,
    Symbol,
    Variable,
    Vector,
)

_OF_ADDRESSES = ("mov", "cvta")  # read `array[3]` as an address, other instructions as the element
_DEEPEST = 100  # nested scopes; compilers emit two or three
_MOST = 1 << 20  # registers of one range


Locations = dict[tuple[tuple[int, int, int], str, int], Location]


class BodyParser:
    """Parse one function's body.

    Parameters
    ----------
    cursor : Cursor
        Positioned after the opening brace; `parse` advances it past the closing one.
    function : Function
        Receives registers, variables and statements.
    locations : dict
        (file number, line, column), function and call -> Location, shared by the module, whose file names are filled in
        at its end.
    variables : mapping
        Variables of the module that are declared before the function.
    """

    def __init__(
        self,
        cursor: Cursor,
        function: Function,
        locations: Locations,
        variables: Mapping[str, Variable],
    ) -> None:
        self.cursor = cursor
        self.function = function
        self.locations = locations
        self.location: Location | None = None
        self.latest: dict[tuple[int, int, int], Location] = {}
        self.statements: list[Statement] = []
        self.labels: set[str] = set()  # of the outermost scope
        self.operands = OperandParser(cursor, lambda name: function.variables.get(name) or variables.get(name))
        self.names = self.operands.names
        self.saved: list[dict[str, Operand | None]] = []  # per scope: the operands that its names denoted outside
        self.suffix = ""
        self.scopes = 0
        self.opcodes: dict[str, tuple[str, tuple[str, ...]]] = {}

    def parse(self) -> list[Statement]:
        """Take statements up to the function's closing brace."""
        cursor = self.cursor
        self._open()
        while self.saved:
            token = cursor.token
            first = token[:1]
            if token == "{":
                cursor.at += 1
                self._open()
            elif token == "}":
                cursor.at += 1
                self._close()
            elif first == ".":
                self._directive(token)
            elif first == "@":
                self._guarded()
            elif cursor.tokens[cursor.at + 1] == ":":
                self._labelled(token)
            elif first.isalpha():
                self._instruction(None)
            elif token == ";":
                cursor.at += 1
            else:
                raise cursor.unexpected("an instruction")
        return self.statements

    # --- scopes ---------------------------------------------------------------------------------

    def _open(self) -> None:
        self.saved.append({})
        if len(self.saved) > _DEEPEST:
            raise self.cursor.error(f"scopes are nested deeper than {_DEEPEST}")
        if len(self.saved) > 1:
            self.scopes += 1
            self.suffix = f"@{self.scopes}"
            for label in self._labels_ahead():
                self._declare(label, Symbol(label + self.suffix))

    def _close(self) -> None:
        for name, operand in self.saved.pop().items():
            if operand is None:
                del self.names[name]
            else:
                self.names[name] = operand
        if len(self.saved) == 1:
            self.suffix = ""

    def _labels_ahead(self) -> list[str]:
        """Return the labels of the scope that begins here: branches may precede their labels."""
        tokens, at, depth, found = self.cursor.tokens, self.cursor.at, 1, []
        while depth:
            token = tokens[at]
            if token == ":":
                if depth == 1:
                    found.append(tokens[at - 1])
            elif token == "{":
                depth += 1
            elif token == "}":
                depth -= 1
            elif not token:
                raise self.cursor.error("a brace is never closed")
            at += 1
        return found

    def _declare(self, name: str, operand: Operand) -> None:
        scope = self.saved[-1]
        if name in scope:
            raise self.cursor.error(f"{name} is declared twice in this scope")
        scope[name] = self.names.get(name)
        self.names[name] = operand

    def _unique(self, name: str) -> str:
        return name + self.suffix if len(self.saved) > 1 else name

    # --- declarations ---------------------------------------------------------------------------

    def _directive(self, token: str) -> None:
        cursor = self.cursor
        if token == ".loc":
            self._loc()
        elif token == ".loc_intermediate":  # PTX ISA 9.4, 11.5.5: file, line and column of intermediate source
            cursor.at += 1
            for _ in range(3):
                cursor.integer()
        elif is_declaration(token) or token in (".extern", ".visible", ".weak"):
            linkage = "" if is_declaration(token) else cursor.take()[1:]
            for variable, count in declaration(cursor, linkage):
                if variable.space == "reg":
                    self.declare_register(variable, count)
                else:
                    self._declare_variable(variable)
        elif token == ".pragma":
            cursor.skip_to(";")
        else:
            raise cursor.error(f"directive {token} is not known inside a function")

    def _declare_variable(self, variable: Variable) -> None:
        written = variable.name
        variable.name = self._unique(written)
        self._declare(written, Symbol(variable.name))
        self.function.variables[variable.name] = variable

    def declare_register(self, variable: Variable, count: int = -1) -> None:
        """Declare register `name`; with a count, `name0` to `nameN-1`; of a vector, its components."""
        registers, kind = self.function.registers, variable.type
        if count > _MOST:
            raise self.cursor.error(f"{variable.name}<{count}> declares more than {_MOST} registers")
        for name in [variable.name] if count < 0 else [f"{variable.name}{index}" for index in range(count)]:
            unique = self._unique(name)
            if variable.vector > 1:
                components = [Register(f"{unique}.{axis}") for axis in AXES[: variable.vector]]
                self._declare(name, Vector(tuple(components)))
                registers.update((register.name, kind) for register in components)
            else:
                self._declare(name, Register(unique))
                registers[unique] = kind

    def _loc(self) -> None:
        cursor = self.cursor
        cursor.at += 1
        key = (cursor.integer(), cursor.integer(), cursor.integer())
        function, caller = "", None
        while cursor.accept(","):
            if cursor.accept("function_name"):
                function = cursor.name()
                if cursor.accept("+"):
                    function += f"+{cursor.integer()}"
            else:
                cursor.expect("inlined_at")
                call = (cursor.integer(), cursor.integer(), cursor.integer())
                caller = self.latest.get(call) or self._location(call)  # the latest .loc has what inlines the call
        self.location = self.latest[key] = self._location(key, function, caller)

    def _location(self, key: tuple[int, int, int], function: str = "", caller: Location | None = None) -> Location:
        return self.locations.setdefault((key, function, id(caller)), Location("", *key[1:], function, caller))

    # --- statements -----------------------------------------------------------------------------

    def _labelled(self, written: str) -> None:
        cursor, line = self.cursor, self.cursor.line
        cursor.name()
        cursor.at += 1
        name = self._label(written, line)
        if cursor.accept(".callprototype"):
            results = parameters(cursor) if cursor.token == "(" else ()
            cursor.expect("_")
            arguments = parameters(cursor) if cursor.token == "(" else ()
            check_registers(written, (*results, *arguments), line)
            cursor.skip_to(";")  # .noreturn, .abi_preserve: irrelevant to callers here
            self.statements.append(Prototype(name, results, arguments, line))
        elif cursor.token in (".branchtargets", ".calltargets"):
            kind = cursor.take()
            targets = [self._target()]
            while cursor.accept(","):
                targets.append(self._target())
            cursor.expect(";")
            made = BranchTargets if kind == ".branchtargets" else CallTargets
            self.statements.append(made(name, tuple(targets), line))
        else:
            self.statements.append(Label(name, line))

    def _label(self, written: str, line: int) -> str:
        """Return the unique name of a label; those of nested scopes are declared where the scope begins."""
        operand = self.names.get(written)
        if len(self.saved) > 1:
            assert isinstance(operand, Symbol)
            return operand.name
        if written in self.labels or not isinstance(operand, Symbol | None):
            raise self.cursor.error(f"label {written} is declared twice", line)
        self.labels.add(written)
        self.names[written] = Symbol(written)
        return written

    def _target(self) -> str:
        operand = self.operands.named(self.cursor.name())
        if not isinstance(operand, Symbol):
            raise self.cursor.error("expected labels or functions")
        return operand.name

    def _guarded(self) -> None:
        cursor = self.cursor
        cursor.at += 1
        negated = cursor.accept("!")
        operand = self.operands.named(cursor.name())
        if not isinstance(operand, Register) or self._type(operand) != "pred":
            raise cursor.error("expected a predicate register after @")
        self._instruction(Guard(operand.name, negated))

    def _type(self, register: Register) -> str:
        return self.function.registers.get(register.name) or type_of_special(register.name)

    def _instruction(self, guard: Guard | None) -> None:
        cursor = self.cursor
        line = cursor.line
        word = cursor.take()
        if not word[:1].isalpha():
            cursor.at -= 1
            raise cursor.unexpected("an instruction")
        split = self.opcodes.get(word)
        if split is None:
            first, *rest = word.split(".")
            split = self.opcodes[word] = (first, tuple(rest))
        opcode, modifiers = split
        while cursor.token[:1] == ".":
            modifiers += (cursor.take()[1:],)
        if opcode == "call":
            self._call(modifiers, guard, line)
            return
        operands: list[Operand] = []
        self.operands.moves = opcode in _OF_ADDRESSES
        if not cursor.accept(";"):
            while True:
                operands.append(self.operands.operand())
                if cursor.accept(";"):
                    break
                if not cursor.accept(","):
                    raise cursor.unexpected("',' or ';' after an operand")
        self.statements.append(Instruction(opcode, modifiers, tuple(operands), line, guard, self.location))

    def _call(self, modifiers: tuple[str, ...], guard: Guard | None, line: int) -> None:
        cursor = self.cursor
        if modifiers not in ((), ("uni",)):
            raise cursor.error(f"call.{'.'.join(modifiers)} is not known", line)
        results: tuple[Operand, ...] = ()
        if cursor.token == "(":
            results = self.operands.list()
            cursor.expect(",")
        target = self.operands.named(cursor.name())
        if not isinstance(target, Symbol) and not (isinstance(target, Register) and self._type(target)[1:] == "64"):
            raise cursor.error("expected a function, or a register with its address", line)
        arguments: tuple[Operand, ...] = ()
        prototype = None
        if cursor.accept(","):
            if cursor.token == "(":
                arguments = self.operands.list()
                if cursor.accept(","):
                    prototype = self._target()
            else:
                prototype = self._target()
        cursor.expect(";")
        self.statements.append(Call(results, target, arguments, prototype, line, bool(modifiers), guard, self.location))
