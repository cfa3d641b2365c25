# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Model -> the Python level: driver.pyx and the like, one wrapper for each function.

A wrapper converts its arguments (names beginning with `c_` are C values, with `h_` the objects that hold memory),
calls the C level, and packs what came back. What is common to many stands in hand-written helpers.
"""

from __future__ import annotations

import re

from codegen import apis, docstrings, roles, tables
from codegen.c_types import Declarations, declare, integer, target
from codegen.model import Function, Library, Named, Param, Pointer, Primitive, Role, Struct, Type
from codegen.write_cython import FOLDER, HEADER

IMPORTS = """\
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from cuda.bindings cimport cy{name}
from cuda.bindings._args cimport (
    as_double, as_signed, as_single, as_unsigned, callback_address, chars, memory, need, pointer, string,
)
from cuda.bindings._array cimport Array, array_data, array_in, count_of
from cuda.bindings._outputs cimport (
    Statuses, copy_back, status, status_alone, text, text_as_str, text_storage, until_nul, viewed,
)
from cuda.bindings._parameters cimport kernel_parameters, parameters_pointer
from cuda.bindings._struct cimport (
    CType, EnumKind, HandleKind, Struct, StructKind, as_handle, as_struct, new_enum, new_handle, new_struct,
)
from cuda.bindings._values cimport Selector, pointers_to

from cuda.bindings._tables import Tables, size_of
"""
FOOTER = '''

def sizeof(objType):
    """sizeof(objType)\\n--\\n\\nReturn the bytes that C needs for a value of a class of this module."""
    return size_of(objType)


def __getattr__(name):
    if name == "__all__":
        function = type(__dir__)
        return [*(key for key, value in globals().items() if type(value) is function), *TABLES.names()]
    value = globals()[name] = TABLES.attribute(name)
    return value


def __dir__():
    return sorted({*globals(), *TABLES.names()})
'''
# Functions that neither wait for the device or another thread nor compile, load or allocate; others release the GIL.
QUICK = re.compile(
    r"cu(Init|DriverGetVersion|GetError\w+|GetProcAddress|StreamQuery|EventQuery|\w*GetAttributes?|\w*GetParam\w+"
    r"|Ctx(Get|Set|Push|Pop)\w*|Device(Get|Can|Total|Compute)\w*|(Stream|Event|Module|Library|Kernel|Func|Graph\w*)Get\w+"
    r"|\w+NodeGet\w+|Occupancy\w+|TexRef\w+|SurfRef\w+|TexObjectGet\w+|TensorMap\w+|StreamIsCapturing|FuncIsLoaded)"
    r"|nvrtc(Version|Get\w+)|nvJitLink(Version|Get\w+)|nvvm(\w*Version|Get\w+)|nvFatbin(Version|GetErrorString)"
)
# Those that QUICK matches although they may compile, load, copy or wait.
SLOW = re.compile(
    r"cu(Init|CtxSetLimit|ModuleGet(Function|Global)|LibraryGet\w+|KernelGetFunction|MemGet\w+|CtxGetDevResource)"
)
# Functions whose results say more about a failure.
RESULTS_OF_FAILURE = {"cuGraphExecUpdate"}
# Arguments that the library goes on using: function -> handle that it makes, parameters kept until that is destroyed.
KEPT = {"cuLinkCreate": ("stateOut", ("options", "optionValues"))}
RELEASED = {"cuLinkDestroy": "state"}
# Compilations that put PTX into their output for the CPU device: function -> options and their number.
COMPILERS = {"nvrtcCompileProgram": ("options", "numOptions"), "nvJitLinkCreate": ("options", "num_options")}


def files(libraries: dict[str, Library]) -> dict[str, str]:
    """Return the Python-level modules by path."""
    return {f"{FOLDER}/{name}.pyx": module(library) for name, library in libraries.items()}


def module(library: Library) -> str:
    """Return the text of one module."""
    names = tables.Names(library)
    wrappers = [Wrapper(library, function, names) for function in library.functions.values()]
    body = "".join(wrapper.text() for wrapper in wrappers)
    body += FOOTER
    api = apis.APIS[library.name]
    globals_: dict[str, str] = {}
    for wrapper in wrappers:
        globals_.update(wrapper.globals)
    table = tables.render(library)
    lines = [
        "# cython: binding=False",
        HEADER.rstrip(),
        f'"""Python level of {", ".join(api.headers)}."""',
        "",
        IMPORTS.format(name=library.name),
    ]
    if any(function.name in COMPILERS for function in library.functions.values()):
        lines.append("from cuda.bindings._line_info import with_line_info\n")
    lines += [
        f'TABLES = Tables(__name__, """\\\n{table}""")',
        f'cdef Statuses STATUSES = Statuses(TABLES.kind("{names.enum(api.status)}"))',
        *(f"cdef {declaration}" for declaration in globals_.values()),
        "",
    ]
    # Line 1 names the command that writes the file, so the directive comes second.
    lines[0], lines[1] = lines[1].partition("\n")[0] + "\n" + lines[0], lines[1].partition("\n")[2]
    return "\n".join(lines) + "\n" + body


class Wrapper:
    """The text of one function, part by part."""

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

    def text(self) -> str:
        for param in self.function.params:
            self.param(param)
        params = roles.passed(self.function)
        signature = ", ".join(
            self.python(param) + (f"={param.default}" if param.default is not None else "") for param in params
        )
        lines = [
            "",
            "",
            f"def {self.name}({signature}):",
            f'    """{self.name}({signature})\\n--\\n\\n{self.doc()}"""',
        ]
        if self.function.name in COMPILERS:
            options, count = COMPILERS[self.function.name]
            lines.append(f"    {options}, {count} = with_line_info({options}, {count})")
        lines += [f"    {line}" for line in [*self.convert, *self.locate, *self.call(), *self.after, *self.finish()]]
        return "\n".join(lines) + "\n"

    def doc(self) -> str:
        """Return what is known about the function besides its signature."""
        text = docstrings.render(self.library, self.function)
        return text.replace("\\", "\\\\").replace('"', '\\"').strip()

    def python(self, param: Param) -> str:
        return roles.python_name(self.api, param.name)

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
            return f"<{spelled}>as_signed({python}, {-high}LL - 1, {high}LL, {where})"
        return f"<{spelled}><size_t>as_unsigned({python}, 0xFFFFFFFFFFFFFFFFULL, {where})"

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
        if text.isdigit():
            return text
        if self.called(param):
            return f"<unsigned long long>n_{param.name}"
        # Python's integers, which do not wrap around.
        expression = re.sub(r"\b[A-Za-z]\w*\b", lambda m: f"<object>c_{m[0]}" if m[0] in by_name else m[0], text)
        return f"count_of({expression})"

    def called(self, param: Param) -> str:
        """Return the call of another function that says how many elements or bytes a parameter has, "" for none."""
        match = re.fullmatch(r"(\w+)\((.*)\)", param.count or "")
        if not match or match[1] not in self.library.functions:
            return ""
        arguments = [f"c_{name}" for name in match[2].split(", ") if name]
        return f"cy{self.library.name}.{match[1]}({', '.join([*arguments, f'&n_{param.name}'])})"

    def declare_called(self, param: Param) -> None:
        """Declare the variable for what `called` returns."""
        asked = self.library.functions[param.count.partition("(")[0]].params[-1]
        self.locate.append(f"cdef {self.c(asked.type.to, f'n_{param.name}')} = 0")

    def where_of_count(self, param: Param) -> str:
        names = {p.name: self.python(p) for p in self.function.params}
        return f'b"{names.get(param.count, "the number asked for")}"'

    def param(self, param: Param) -> None:
        method = {Role.IN: "in_", Role.COUNT: "in_"}.get(param.role, param.role.name.lower())
        getattr(self, method)(param)

    def hold(self, param: Param, expression: str) -> None:
        self.convert.append(f"h_{param.name} = {expression}")

    def place(self, param: Param, expression: str, type_: Type | None = None) -> None:
        """Declare the C value of a parameter once all arguments are converted."""
        type_ = type_ or param.type
        self.locate.append(f"cdef {self.c(type_, f'c_{param.name}')} = <{self.c(type_)}>{expression}")
        self.arguments.append(f"c_{param.name}")

    def in_(self, param: Param) -> None:
        type_ = param.type
        meaning = target(self.library, type_)
        name = f"c_{param.name}"
        if isinstance(meaning, Struct):
            kind = self.kind(self.names.struct(meaning.name))
            pointer = f"as_struct({self.python(param)}, {kind}, False, {self.where(param)})"
            self.convert.append(f"cdef {self.c(Pointer(type_), name)} = <{self.c(Pointer(type_))}>{pointer}")
            self.arguments.append(f"{name}[0]")
        elif isinstance(meaning, Pointer) and not self.names.is_handle(type_) and not self.names.raises:
            self.user_data(param)
        else:
            converted = self.scalar(type_, self.python(param), self.where(param))
            self.convert.append(f"cdef {self.c(type_, name)} = {converted}")
            self.arguments.append(name)

    def user_data(self, param: Param) -> None:
        self.hold(param, f"memory({self.python(param)}, False, {self.where(param)})")
        self.place(param, f"pointer(h_{param.name}, {self.where(param)})")

    def callback(self, param: Param) -> None:
        type_ = param.type.to if isinstance(param.type, Pointer) else param.type
        python, where = self.python(param), self.where(param)
        if isinstance(type_, Named):
            address = f"as_handle({python}, {self.kind(self.names.canonical(type_.name))}, {where})"
        else:
            address = f"as_unsigned(callback_address({python}, {where}), 0xFFFFFFFFFFFFFFFFULL, {where})"
        self.convert.append(f"cdef size_t c_{param.name} = {address}")
        suffix = "" if isinstance(type_, Named) else " noexcept nogil"
        cast = declare(param.type, "", Declarations.spell_cython, suffix) if suffix else self.c(param.type)
        self.arguments.append(f"<{cast}>c_{param.name}")

    def in_string(self, param: Param) -> None:
        self.hold(param, f"string({self.python(param)}, {self.where(param)})")
        self.place(param, f"chars(h_{param.name})")

    def in_struct(self, param: Param) -> None:
        kind = self.kind(self.names.struct(target(self.library, param.type.to).name))
        self.place(param, f"as_struct({self.python(param)}, {kind}, True, {self.where(param)})")

    inout_struct = in_struct

    def in_array(self, param: Param) -> None:
        self.hold(param, f"array_in({self.python(param)}, {self.ctype(param.type.to)}, {self.where(param)})")
        self.array_place(param)

    def array_place(self, param: Param) -> None:
        count = self.count(param) if param.count else "0"
        self.place(param, f"array_data(h_{param.name}, {count}, {self.where(param)}, {self.where_of_count(param)})")

    def inout_array(self, param: Param) -> None:
        self.in_array(param)
        self.after.append(f"copy_back(h_{param.name}, {self.python(param)})")

    def in_values(self, param: Param) -> None:
        chooser = self.python(next(p for p in self.function.params if p.name == param.selector))
        self.hold(param, f"{self.selector(param)}.boxes({chooser}, {self.python(param)}, {self.where(param)})")
        self.array_place(param)

    def in_value(self, param: Param) -> None:
        chooser = self.python(next(p for p in self.function.params if p.name == param.selector))
        boxed = f"{self.selector(param)}.box({chooser}, {self.python(param)}, {self.where(param)})"
        self.convert.append(f"cdef Array h_{param.name} = {boxed}")
        self.place(param, f"h_{param.name}.data")

    def out_value(self, param: Param) -> None:
        chooser = self.python(next(p for p in self.function.params if p.name == param.selector))
        own_size = param.count and any(p.name == param.count and p.role is Role.COUNT for p in self.function.params)
        size = f"<unsigned long long>c_{param.count}" if own_size else "0"
        stored = f"{self.selector(param)}.storage({chooser}, {size}, {self.where(param)})"
        self.locate.append(f"cdef Array h_{param.name} = {stored}")
        self.place(param, f"h_{param.name}.data")
        self.results.append(f"{self.selector(param)}.value({chooser}, h_{param.name}, {size})")

    def value_size(self, param: Param) -> None:
        of = next(p for p in self.function.params if p.count == param.name)
        self.locate.append(f"cdef {self.c(param.type.to, f'c_{param.name}')} = h_{of.name}.bytes_used")
        self.arguments.append(f"&c_{param.name}")

    def out_values(self, param: Param) -> None:
        chooser = self.python(next(p for p in self.function.params if p.name == param.selector))
        sizes = next((self.python(p) for p in self.function.params if p.name == "dataSizes"), "None")
        stored = f"{self.selector(param)}.storages({chooser}, {sizes}, {self.where(param)})"
        self.locate += [f"s_{param.name} = {stored}", f"cdef Array h_{param.name} = pointers_to(s_{param.name})"]
        self.array_place(param)
        self.results.append(f"{self.selector(param)}.values({chooser}, s_{param.name}, {sizes})")

    def in_buffer(self, param: Param, writable: bool = False) -> None:
        self.hold(param, f"memory({self.python(param)}, {writable}, {self.where(param)})")
        if self.called(param):
            # A failure here is one of the call itself, which will report it.
            self.declare_called(param)
            self.locate.append(f"if {self.called(param)} == 0:")
            self.locate.append(f"    need(h_{param.name}, n_{param.name}, {self.where(param)})")
        elif param.count:
            self.locate.append(f"need(h_{param.name}, {self.count(param)}, {self.where(param)})")
        self.place(param, f"pointer(h_{param.name}, {self.where(param)})")

    def out_buffer(self, param: Param) -> None:
        self.in_buffer(param, writable=True)

    def out_string(self, param: Param) -> None:
        self.locate.append(f"h_{param.name} = text_storage({self.count(param)}, {self.where(param)})")
        self.place(param, f"pointer(h_{param.name}, {self.where(param)})")
        self.results.append(f"until_nul(h_{param.name})" if not param.count.isdigit() else f"bytes(h_{param.name})")

    def out(self, param: Param) -> None:
        type_ = param.type.to
        zero = "NULL" if isinstance(target(self.library, type_), Pointer) else f"<{self.c(type_)}>0"
        # What C writes through a pointer to const memory is the pointer, so the variable itself is not const.
        self.convert.append(f"cdef {self.c(type_, f'c_{param.name}')} = {zero}")
        self.arguments.append(f"&c_{param.name}")
        self.results.append(self.value(type_, f"c_{param.name}"))

    def in_pointer(self, param: Param) -> None:
        type_ = param.type.to
        converted = self.scalar(type_, self.python(param), self.where(param))
        self.convert.append(f"cdef {self.c(type_, f'c_{param.name}')} = {converted}")
        self.arguments.append(f"&c_{param.name}")

    def inout(self, param: Param) -> None:
        if not param.optional:
            self.in_pointer(param)
            self.results.append(self.value(param.type.to, f"c_{param.name}"))
            return
        type_, name, python = param.type.to, f"c_{param.name}", self.python(param)
        zero = "NULL" if isinstance(target(self.library, type_), Pointer) else f"<{self.c(type_)}>0"
        self.convert += [
            f"cdef {self.c(type_, name)} = {zero}",
            f"if {python} is not None:",
            f"    {name} = {self.scalar(type_, python, self.where(param))}",
        ]
        self.arguments.append(f"NULL if {python} is None else &{name}")
        self.results.append(f"None if {python} is None else {self.value(type_, name)}")

    def inout_count(self, param: Param) -> None:
        self.in_pointer(param)
        self.results.append(f"c_{param.name}")

    def out_struct(self, param: Param) -> None:
        kind = self.kind(self.names.struct(target(self.library, param.type.to).name))
        self.convert.append(f"cdef Struct h_{param.name} = new_struct({kind})")
        self.place(param, f"h_{param.name}.memory")
        self.results.append(f"h_{param.name}")

    def out_array(self, param: Param) -> None:
        count = self.count(param)
        if self.called(param):
            self.declare_called(param)
            self.locate += [f"outcome = {self.called(param)}", *self.failure()]
        self.locate.append(f"cdef Array h_{param.name} = Array({self.ctype(param.type.to)}, {count})")
        self.place(param, f"h_{param.name}.out()")
        self.results.append(f"h_{param.name}.take({count})")

    def out_view(self, param: Param) -> None:
        type_ = param.type.to
        self.convert.append(f"cdef {self.c(type_, f'c_{param.name}')} = NULL")
        self.arguments.append(f"&c_{param.name}")
        self.results.append(f"viewed(<void*>c_{param.name}, {self.ctype(type_.to)}, {self.count(param)})")

    def kernel_params(self, param: Param) -> None:
        self.hold(param, f"kernel_parameters({self.python(param)}, {self.where(param)})")
        self.place(param, f"parameters_pointer(h_{param.name}, {self.where(param)})")

    def call(self) -> list[str]:
        function = self.function
        call = f"cy{self.library.name}.{function.name}({', '.join(self.arguments)})"
        result = "outcome"
        # Declared before the conversions, where a count may need it.
        self.convert.insert(0, f"cdef {self.c(function.result, result)}")
        quick = QUICK.fullmatch(function.name) and not SLOW.fullmatch(function.name)
        if quick or " if " in call:
            return [f"{result} = {call}"]
        return ["with nogil:", f"    {result} = {call}"]

    def returns_value(self) -> bool:
        return self.function.result != Named(self.api.status)

    def finish(self) -> list[str]:
        """Return the statements that pack the results."""
        if self.returns_value() and self.names.raises:
            return ["return text_as_str(outcome)"]
        if self.returns_value():
            return [f"return (status(STATUSES, 0), {self.value(self.function.result, 'outcome')})"]
        if self.names.raises:
            error = self.api.status.removesuffix("Result") + "Error"
            result = ", ".join(self.results)
            packed = f"({result})" if len(self.results) > 1 else result
            lines = ["if outcome != 0:", f'    raise TABLES.attribute("{error}")(<int>outcome)']
            return [*lines, f"return {packed}"] if self.results else lines
        if not self.results:
            return [*self.released(), "return status_alone(STATUSES, <unsigned int>outcome)"]
        status = "status(STATUSES, <unsigned int>outcome)"
        packed = f"return ({status}, {', '.join(self.results)})"
        if self.function.name in RESULTS_OF_FAILURE:
            return [packed]
        return [*self.failure(), *self.kept(), packed]

    def kept(self) -> list[str]:
        """Return the statements that keep arguments alive after a call that succeeded."""
        if self.function.name not in KEPT:
            return []
        self.globals["KEPT"] = "dict KEPT = {}"
        handle, params = KEPT[self.function.name]
        return [f"KEPT[<size_t>c_{handle}] = ({', '.join(f'h_{param}' for param in params)})"]

    def released(self) -> list[str]:
        """Return the statements that let go of such arguments."""
        handle = RELEASED.get(self.function.name)
        return ["if outcome == 0:", f"    KEPT.pop(<size_t>c_{handle}, None)"] if handle else []

    def failure(self) -> list[str]:
        """Return the statements that leave a function of the tuple style when a call failed."""
        nothing = ", ".join("None" for _ in roles.returned(self.function))
        return ["if outcome != 0:", f"    return (status(STATUSES, <unsigned int>outcome), {nothing})"]
