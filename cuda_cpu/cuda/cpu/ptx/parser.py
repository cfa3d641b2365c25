# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Parser: PTX text to a `syntax.Module`. Directives: PTX ISA manual, chapter 11."""

from __future__ import annotations

from cuda.cpu.ptx.body import BodyParser, Locations
from cuda.cpu.ptx.cursor import Cursor
from cuda.cpu.ptx.declarations import attribute, check_registers, declaration, is_declaration, parameters
from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.intermediate import without_source
from cuda.cpu.ptx.syntax import (
    Address,
    Function,
    Instruction,
    Module,
    Register,
    Statement,
    Symbol,
    Variable,
)

_LINKAGE = (".extern", ".visible", ".weak", ".common")
# Performance directives of a function, section 11.4, and how many numbers each may have; those of kernels first.
_ENTRY_DIRECTIVES = {
    "maxntid": 3,
    "reqntid": 3,
    "reqnctapercluster": 3,
    "maxnctapersm": 1,
    "minnctapersm": 1,
    "maxnreg": 1,
    "maxclusterrank": 1,
    "explicitcluster": 0,
    "blocksareclusters": 0,
    "language": 1,  # PTX ISA 9.3: the language that it was compiled from; see TILE in compile/program.py
}
_FUNCTION_DIRECTIVES = {
    "abi_preserve": 1,
    "abi_preserve_control": 1,
    "noreturn": 0,
    "unique": 0,
    "local_maxnreg": 1,
    "language": 1,
}
_MODULE_SPACES = ("global", "const", "shared", "tex")


def parse(text: str, name: str = "<ptx>") -> Module:
    """Parse one PTX module.

    Parameters
    ----------
    text : str
        PTX text.
    name : str, optional
        Name of the text in error messages.

    Returns
    -------
    Module

    Raises
    ------
    PtxError
        The text is not PTX; the error has the unit's name, the line and its text.
    """
    try:
        parser = _ModuleParser(text, name)
    except PtxError as error:
        raise error.located(name, text) from None
    try:
        return parser.parse()
    except PtxError as error:
        error.line = error.line or parser.cursor.lines[min(parser.cursor.at, len(parser.cursor.lines)) - 1]
        raise error.located(name, text) from None
    except RecursionError:
        raise PtxError("expressions or braces are nested too deeply", 0, name) from None


class _ModuleParser:
    def __init__(self, text: str, name: str) -> None:
        self.cursor = Cursor(without_source(text))
        self.module = Module((0, 0), "", 64, {}, {}, {}, name, text)
        self.files: dict[int, str] = {}
        self.locations: Locations = {}
        self.directives = {
            ".version": self._version,
            ".target": self._target,
            ".address_size": self._address_size,
            ".file": self._file,
            ".section": self._section,
            ".pragma": self._pragma,
            ".alias": self._alias,
        }

    def parse(self) -> Module:
        cursor = self.cursor
        if cursor.token != ".version":
            raise cursor.unexpected("'.version': PTX begins with it")
        while cursor.token:
            directive = self.directives.get(cursor.token)
            if directive is not None:
                cursor.at += 1
                directive()
            else:
                self._definition()
        if not self.module.target:
            raise cursor.error("there is no .target")
        for ((number, _, _), _, _), location in self.locations.items():
            location.file = self.files.get(number, "")
        return self.module

    def _definition(self) -> None:
        cursor = self.cursor
        linkage = ""
        while cursor.token in _LINKAGE:
            linkage = cursor.take()[1:]
        if cursor.token in (".func", ".entry"):
            self._function(linkage)
        elif is_declaration(cursor.token):
            for variable, _ in declaration(cursor, linkage):
                if variable.space not in _MODULE_SPACES:
                    raise PtxError(
                        f".{variable.space} variable {variable.name} is outside of a function", variable.line
                    )
                self._add_variable(variable)
        elif cursor.token != ";":
            raise cursor.unexpected("a directive")
        else:
            cursor.at += 1

    def _add_variable(self, variable: Variable) -> None:
        known = self.module.variables.get(variable.name)
        if known is not None and known.linkage != "extern":
            if variable.linkage == "extern":
                return
            raise PtxError(f"variable {variable.name} is defined twice", variable.line)
        self.module.variables[variable.name] = variable

    # --- module directives ----------------------------------------------------------------------

    def _version(self) -> None:
        token = self.cursor.take()
        major, dot, minor = token.partition(".")
        if not (dot and major.isdigit() and minor.isdigit()):
            self.cursor.at -= 1
            raise self.cursor.unexpected("a version such as 9.0")
        self.module.version = (int(major), int(minor))

    def _target(self) -> None:
        cursor = self.cursor
        names = [cursor.name()]
        while cursor.accept(","):
            names.append(cursor.name())
        self.module.target = next((name for name in names if name.startswith(("sm_", "compute_"))), names[0])

    def _address_size(self) -> None:
        size = self.cursor.integer()
        if size != 64:
            raise self.cursor.error(f".address_size {size} is not supported; it must be 64", self.cursor.line - 1)
        self.module.address_size = size

    def _file(self) -> None:
        cursor = self.cursor
        index = cursor.integer()
        self.files[index] = cursor.string()
        while cursor.accept(","):
            cursor.integer()

    def _section(self) -> None:
        cursor = self.cursor
        cursor.take()
        cursor.expect("{")
        depth = 1
        while depth:
            token = cursor.take()
            if not token:
                cursor.at -= 1
                raise cursor.unexpected("the end of a section")
            depth += (token == "{") - (token == "}")

    def _pragma(self) -> None:
        self.cursor.string()
        while self.cursor.accept(","):
            self.cursor.string()
        self.cursor.expect(";")

    def _alias(self) -> None:
        alias = self.cursor.name()
        self.cursor.expect(",")
        self.module.aliases[alias] = self.cursor.name()
        self.cursor.expect(";")

    # --- functions ------------------------------------------------------------------------------

    def _function(self, linkage: str) -> None:
        cursor = self.cursor
        entry = cursor.take() == ".entry"
        directives: dict[str, object] = {}
        self._function_directives(directives, entry)
        results = parameters(cursor) if cursor.token == "(" else ()
        line = cursor.line
        name = cursor.name()
        taken = parameters(cursor) if cursor.token == "(" else ()
        self._function_directives(directives, entry)
        function = Function(name, entry, results, taken, {}, {}, None, linkage, directives, line)
        if entry and (results or any(each.space != "param" for each in taken)):
            raise PtxError(f"kernel {name} has a result, or a parameter in a register", line)
        if cursor.accept(";"):
            self.module.functions.setdefault(name, function)
            return
        cursor.expect("{")
        known = self.module.functions.get(name)
        if known is not None and known.body is not None:
            raise PtxError(f"function {name} is defined twice", line)
        if known is not None and not linkage:
            function.linkage = known.linkage if known.linkage != "extern" else ""
        body = BodyParser(cursor, function, self.locations, self.module.variables)
        body.saved.append({})
        for parameter in (*results, *taken):
            if parameter.space == "reg":
                body.declare_register(parameter)
        body.saved.pop()
        function.body = passed(function, body.parse())
        self.module.functions[name] = function

    def _function_directives(self, directives: dict[str, object], entry: bool) -> None:
        cursor, known = self.cursor, _ENTRY_DIRECTIVES if entry else _FUNCTION_DIRECTIVES
        while cursor.token.startswith("."):
            word = cursor.token[1:]
            if word == "attribute":
                cursor.at += 1
                directives.update(attribute(cursor))
            elif word == "pragma":
                cursor.at += 1
                self._pragma()
            elif word in known:
                cursor.at += 1
                directives[word] = self._numbers(known[word])
            else:
                raise cursor.error(f"directive .{word} of a {'kernel' if entry else 'function'} is not known")

    def _numbers(self, most: int) -> object:
        """Return up to `most` numbers: three as a tuple padded with ones, one as an int, none as True."""
        cursor = self.cursor
        if most == 0:
            return True
        numbers = [cursor.integer()]
        while len(numbers) < most and cursor.accept(","):
            numbers.append(cursor.integer())
        return (*numbers, 1, 1)[:3] if most == 3 else numbers[0]


def passed(function: Function, body: list[Statement]) -> list[Statement]:
    """Return a body that loads register parameters from .param variables, and stores register results to such.

    `.func (.reg .b32 r) f (.reg .b32 a)` (PTX ISA, 7.1) then has the same interface for callers as any other function.
    """
    taken = [each for each in function.parameters if each.space == "reg"]
    given = [each for each in function.results if each.space == "reg"]
    check_registers(function.name, (*taken, *given), function.line)
    first: list[Statement] = [_move("ld", each, function.line) for each in taken]
    if not given:
        return first + body
    last: list[Statement] = [_move("st", each, function.line) for each in given]
    out = list(first)
    for statement in body:
        if isinstance(statement, Instruction) and statement.opcode == "ret":
            out += last
        out.append(statement)
    return out + last


def _move(opcode: str, parameter: Variable, line: int) -> Instruction:
    """Return the load of a register from the parameter of the same name, or the store to it."""
    operands = (Register(parameter.name), Address(Symbol(parameter.name)))
    modifiers = ("param", f"b{8 * parameter.size}")
    return Instruction(opcode, modifiers, operands if opcode == "ld" else operands[::-1], line)
