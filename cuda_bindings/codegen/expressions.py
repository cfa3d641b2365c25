# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Expressions of a Python wrapper: C types, conversions in and out, counts. `wrapper` puts them together."""

from __future__ import annotations

import re

from codegen import apis, roles, tables
from codegen.c_types import Declarations, declare, integer, target
from codegen.model import Function, Library, Named, Param, Pointer, Primitive, Type


class Expressions:
    """What the wrapper of one function is made of; `globals` collects the module's objects that it needs."""

    def __init__(self, library: Library, function: Function, names: tables.Names):
        self.library = library
        self.api = apis.APIS[library.name]
        self.names = names
        self.function = function
        self.name = roles.python_function_name(self.api, function.name)
        self.globals: dict[str, str] = {}
        self.convert: list[str] = []  # Python arguments to C values and holders of memory
        self.locate: list[str] = []  # addresses, once all counts are known
        self.arguments: list[str] = []
        self.results: list[str] = []
        self.after: list[str] = []
        self.asking: list[str] = []

    def python(self, param: Param) -> str:
        return roles.python_param(self.api, param)

    def where(self, param: Param) -> str:
        return f'b"{self.name}: {self.python(param)}"'

    def c(self, type_: Type, name: str = "") -> str:
        """Return a C type, or the declaration of a name with it, in Cython."""

        def spell(named):
            base = Declarations.spell_cython(named)
            known = isinstance(named, Named) and any(
                named.name in table for table in (self.library.typedefs, self.library.structs, self.library.enums)
            )
            return f"cy{self.library.name}.{base}" if known else base

        return declare(type_, name, spell)

    def kind(self, name: str) -> str:
        """Return the global that holds the kind of a handle, enumeration or struct."""
        meaning = self.names.handles.get(name) and "HandleKind"
        if not meaning:
            meaning = "StructKind" if name in {self.names.struct(s) for s in self.library.structs} else "EnumKind"
        self.globals[name] = f'{meaning} K_{name} = TABLES.kind("{name}")'
        return f"K_{name}"

    def ctype(self, type_: Type) -> str:
        """Return the global that holds the `CType` of elements."""
        code = self.names.code(type_)
        name = "T_" + re.sub(r"\W", "", code)
        self.globals[name] = f'CType {name} = TABLES.ctype("{code}")'
        return name

    def selector(self, param: Param) -> str:
        """Return the global that knows the types that an enumeration's members select."""
        chooser = next(p for p in self.function.params if p.name == param.selector)
        type_ = chooser.type.to if isinstance(chooser.type, Pointer) else chooser.type
        enum = self.names.enum(target(self.library, type_).name)
        self.globals[f"S_{enum}"] = f'Selector S_{enum} = Selector(TABLES, "{enum}")'
        return f"S_{enum}"

    def scalar(self, type_: Type, python: str, where: str) -> str:
        """Return the expression that converts a Python object to a C value that is no struct."""
        spelled = self.c(type_)
        what = roles.kind(self.library, type_)
        if self.names.is_handle(type_):
            kind = self.kind(self.names.canonical(type_.name))
            size = "<size_t>" if isinstance(target(self.library, type_), Pointer) else ""
            return f"<{spelled}>{size}as_handle({python}, {kind}, {where})"
        if what == "enum":
            return f"<{spelled}>as_signed({python}, -0x80000000LL, 0xFFFFFFFFLL, {where})"
        if what == "float":
            return f"{'as_single' if type_ == Primitive('float') else 'as_double'}({python}, {where})"
        if what == "integer":
            size, signed = integer(self.library, type_)
            if not signed:
                return f"<{spelled}>as_unsigned({python}, 0x{'FF' * size}ULL, {where})"
            high = (1 << 8 * size - 1) - 1
            # C has no literal for the lowest of 64 bits.
            low = f"{-high - 1}LL" if size < 8 else "<long long>0x8000000000000000ULL"
            return f"<{spelled}>as_signed({python}, {low}, {high}LL, {where})"
        return f"<{spelled}><size_t>as_address({python}, {where})"

    def value(self, type_: Type, c: str) -> str:
        """Return the expression that converts a C value to a Python object."""
        what = roles.kind(self.library, type_)
        meaning = target(self.library, type_)
        if self.names.is_handle(type_):
            # Widened with its sign, as the object holds it.
            wide = "<size_t>" if isinstance(meaning, Pointer) else "<unsigned long long><long long>"
            return f"new_handle({self.kind(self.names.canonical(type_.name))}, {wide}{c})"
        if what == "enum":
            signed = "" if self.library.enums[meaning.name].signed else "<unsigned int>"
            return f"new_enum({self.kind(self.names.enum(meaning.name))}, {signed}{c})"
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
        if self.called(param):
            return f"<unsigned long long>n_{param.name}"
        # Python's integers, which do not wrap around.
        expression = re.sub(r"\b[A-Za-z]\w*\b", lambda m: f"<object>c_{m[0]}" if m[0] in by_name else m[0], text)
        return f"count_of({expression})"

    def number(self, count: str) -> str:
        """Return a number that overrides.toml gives as such, or by the header's name for it."""
        constant = self.library.constants.get(count)
        return str(constant.value) if constant else count

    def called(self, param: Param) -> str:
        """Return the call of another function that says how many elements or bytes a parameter has, "" for none."""
        match = re.fullmatch(r"(\w+)\((.*)\)", param.count or "")
        if not match or match[1] not in self.library.functions:
            return ""
        arguments = ["NULL" if name == "NULL" else f"c_{name}" for name in match[2].split(", ") if name]
        return f"cy{self.library.name}.{match[1]}({', '.join([*arguments, f'&n_{param.name}'])})"

    def declare_called(self, param: Param) -> None:
        """Declare the variable for what `called` returns."""
        asked = self.library.functions[param.count.partition("(")[0]].params[-1]
        self.locate.append(f"cdef {self.c(asked.type.to, f'n_{param.name}')} = 0")

    def where_of_count(self, param: Param) -> str:
        names = {p.name: self.python(p) for p in self.function.params}
        return f'b"{names.get(param.count, "the number asked for")}"'
