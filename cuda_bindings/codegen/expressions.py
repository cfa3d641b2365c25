# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Cython expressions of a wrapper: C types, conversions of arguments and results, element counts."""

from __future__ import annotations

import re

from codegen import apis, roles
from codegen.c_types import Declarations, declare, enum_of, integer, strip_typedefs
from codegen.model import Function, Library, Named, Param, Pointer, Primitive, Type
from codegen.names import Names


class Expressions:
    """Expressions and statements of one wrapper; `globals` collects the module-level objects that it uses."""

    def __init__(self, library: Library, function: Function, names: Names):
        self.library = library
        self.api = apis.APIS[library.name]
        self.names = names
        self.function = function
        self.name = roles.python_function_name(self.api, function.name)
        self.globals: dict[str, str] = {}
        self.conversions: list[str] = []  # Python arguments to C values and owners of memory
        self.pointers: list[str] = []  # C pointers, declared once all counts are known
        self.arguments: list[str] = []
        self.results: list[str] = []
        self.after_call: list[str] = []
        self.allocations: list[str] = []

    def python(self, param: Param) -> str:
        return roles.python_param(self.api, param)

    def label(self, param: Param) -> str:
        """Return the literal that names function and parameter in error messages."""
        return f'b"{self.name}: {self.python(param)}"'

    def c(self, type_: Type, name: str = "") -> str:
        """Return a C type, or the declaration of a name with it, in Cython."""

        def spell(named: Primitive | Named | None) -> str:
            base = Declarations.spell_cython(named)
            known = isinstance(named, Named) and any(
                named.name in table for table in (self.library.typedefs, self.library.structs, self.library.enums)
            )
            return f"cy{self.library.name}.{base}" if known else base

        return declare(type_, name, spell)

    def kind(self, name: str) -> str:
        """Return the module-level variable with the kind of a handle, enumeration or struct."""
        meaning = self.names.handles.get(name) and "HandleKind"
        if not meaning:
            meaning = "StructKind" if name in {self.names.struct(s) for s in self.library.structs} else "EnumKind"
        self.globals[name] = f'{meaning} K_{name} = TABLES.kind("{name}")'
        return f"K_{name}"

    def ctype(self, type_: Type) -> str:
        """Return the module-level variable with the `CType` of elements."""
        code = self.names.code(type_)
        name = "T_" + re.sub(r"\W", "", code)
        self.globals[name] = f'CType {name} = TABLES.ctype("{code}")'
        return name

    def selector(self, param: Param) -> str:
        """Return the module-level `Selector`: the types that an enumeration's members select."""
        selector = next(p for p in self.function.params if p.name == param.selector)
        type_ = selector.pointee if isinstance(selector.type, Pointer) else selector.type
        enum = self.names.enum(enum_of(self.library, type_).name)
        self.globals[f"S_{enum}"] = f'Selector S_{enum} = Selector(TABLES, "{enum}")'
        return f"S_{enum}"

    def scalar(self, type_: Type, python: str, label: str) -> str:
        """Return the expression that converts a Python object to a C value that is no struct."""
        spelled = self.c(type_)
        kind = roles.kind(self.library, type_)
        if handle := self.names.handle(type_):
            kind = self.kind(handle)
            width = "<size_t>" if isinstance(strip_typedefs(self.library, type_), Pointer) else ""
            return f"<{spelled}>{width}as_handle({python}, {kind}, {label})"
        if kind == "enum":
            return f"<{spelled}>as_signed({python}, -0x80000000LL, 0xFFFFFFFFLL, {label})"
        if kind == "float":
            return f"{'as_single' if type_ == Primitive('float') else 'as_double'}({python}, {label})"
        if kind == "integer":
            size, signed = integer(self.library, type_)
            if not signed:
                return f"<{spelled}>as_unsigned({python}, 0x{'FF' * size}ULL, {label})"
            high = (1 << 8 * size - 1) - 1
            # C has no literal for the lowest of 64 bits.
            low = f"{-high - 1}LL" if size < 8 else "<long long>0x8000000000000000ULL"
            return f"<{spelled}>as_signed({python}, {low}, {high}LL, {label})"
        return f"<{spelled}><size_t>as_address({python}, {label})"

    def value(self, type_: Type, c: str) -> str:
        """Return the expression that converts a C value to a Python object."""
        kind = roles.kind(self.library, type_)
        meaning = strip_typedefs(self.library, type_)
        if handle := self.names.handle(type_):
            # Sign-extended, as the object stores it.
            wide = "<size_t>" if isinstance(meaning, Pointer) else "<unsigned long long><long long>"
            return f"new_handle({self.kind(handle)}, {wide}{c})"
        if kind == "enum":
            enum = enum_of(self.library, type_)
            cast = "" if enum.signed else "<unsigned int>"
            return f"new_enum({self.kind(self.names.enum(enum.name))}, {cast}{c})"
        if meaning == Pointer(Primitive("char"), const=True):
            return f"text({c})"
        return f"<size_t>{c}" if isinstance(meaning, Pointer) else c

    def count(self, param: Param) -> str:
        """Return the expression for the number of elements or bytes of a parameter."""
        text = param.count
        by_name = {p.name: p for p in self.function.params}
        if text in by_name:
            return f"<unsigned long long>c_{text}"
        if text.isdigit() or text in self.library.constants:
            return str(self.number(text))
        if self.count_call(param):
            return f"<unsigned long long>n_{param.name}"
        # Computed with Python's integers, which do not overflow.
        expression = re.sub(r"\b[A-Za-z]\w*\b", lambda m: f"<object>c_{m[0]}" if m[0] in by_name else m[0], text)
        return f"count_of({expression})"

    def number(self, count: str) -> str:
        """Return a number of overrides.toml: a literal, or the name of a constant of the header."""
        constant = self.library.constants.get(count)
        return str(constant.value) if constant else count

    def count_call(self, param: Param) -> str:
        """Return the call of the function that returns a parameter's element or byte count, "" if there is none."""
        match = re.fullmatch(r"(\w+)\((.*)\)", param.count or "")
        if not match or match[1] not in self.library.functions:
            return ""
        arguments = ["NULL" if name == "NULL" else f"c_{name}" for name in match[2].split(", ") if name]
        return f"cy{self.library.name}.{match[1]}({', '.join([*arguments, f'&n_{param.name}'])})"

    def declare_count_call(self, param: Param) -> None:
        """Declare the variable for what `count_call` returns."""
        count = self.library.functions[param.count.partition("(")[0]].params[-1]
        self.pointers.append(f"cdef {self.c(count.pointee, f'n_{param.name}')} = 0")

    def count_label(self, param: Param) -> str:
        names = {p.name: self.python(p) for p in self.function.params}
        return f'b"{names.get(param.count, "the number needed")}"'

    def hold(self, param: Param, expression: str) -> None:
        self.conversions.append(f"h_{param.name} = {expression}")

    def declare_c(self, param: Param, expression: str, type_: Type | None = None) -> None:
        """Declare the C value of a parameter once all arguments are converted."""
        type_ = type_ or param.type
        self.pointers.append(f"cdef {self.c(type_, f'c_{param.name}')} = <{self.c(type_)}>{expression}")
        self.arguments.append(f"c_{param.name}")

    def failure(self) -> list[str]:
        """Return the statements that raise, or return the status alone, after a failed call."""
        if self.names.raises and self.api.status_field:
            error, field = self.names.error(), self.api.status_field
            raised = f'raise TABLES.failure("{error}", <int>outcome.{field}, <int>outcome.cu_err)'
            return [f"if outcome.{field} != 0:", f"    {raised}"]
        if self.names.raises:
            return ["if outcome != 0:", f'    raise TABLES.failure("{self.names.error()}", <int>outcome)']
        nothing = ", ".join("None" for _ in roles.returned(self.function))
        return ["if outcome != 0:", f"    return (status(STATUSES, <unsigned int>outcome), {nothing})"]
