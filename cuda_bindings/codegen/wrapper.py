# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The text of one Python wrapper.

Names beginning with `c_` are C values, those with `h_` the objects that hold memory.
"""

from __future__ import annotations

import re

from codegen import docstrings, roles
from codegen.c_types import Declarations, declare, target
from codegen.model import Named, Param, Pointer, Primitive, Role, Struct, Type
from codegen.record_wrapper import RecordWrapper

# Functions that neither wait for the device or another thread nor compile, load or allocate; others release the GIL.
QUICK = re.compile(
    r"cu(Init|DriverGetVersion|GetError\w+|GetProcAddress|StreamQuery|EventQuery|\w*GetAttributes?|\w*GetParam\w+"
    r"|Ctx(Get|Set|Push|Pop)\w*|Device(Get|Can|Total|Compute)\w*|(Stream|Event|Module|Library|Kernel|Func|Graph\w*)Get\w+"
    r"|\w+NodeGet\w+|TexRef\w+|SurfRef\w+|TexObjectGet\w+|TensorMap\w+|StreamIsCapturing|FuncIsLoaded)"
    r"|nvrtc(Version|Get\w+)|nvJitLink(Version|Get\w+)|nvvm(\w*Version|Get\w+)|nvFatbin(Version|GetErrorString)"
    r"|cuda(GetLastError|PeekAtLastError|GetError\w+|CreateChannelDesc|StreamQuery|EventQuery)"
)
# Those that QUICK matches although they may compile, load, copy or wait, if only for a call of another thread.
SLOW = re.compile(
    r"cu(Init|Ctx[GS]etLimit|ModuleGet(Function|Global)|LibraryGet\w+|KernelGetFunction|MemGet\w+|CtxGetDevResource"
    r"|Occupancy\w+)"
)
# Functions whose results say more about a failure.
RESULTS_OF_FAILURE = {"cuGraphExecUpdate", "cudaGraphExecUpdate"}
# Arguments that the library goes on using: function -> handle that it makes, parameters kept until that is destroyed.
KEPT = {"cuLinkCreate": ("stateOut", ("options", "optionValues"))}
RELEASED = {"cuLinkDestroy": "state"}
# Compilations that put PTX into their output for the CPU device: function -> options and their number.
COMPILERS = {"nvrtcCompileProgram": ("options", "numOptions"), "nvJitLinkCreate": ("options", "num_options")}


class Wrapper(RecordWrapper):
    """The text of one function: a method for each role, then the call and what is packed."""

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

    def in_struct(self, param: Param, optional: bool = True) -> None:
        kind = self.kind(self.names.struct(target(self.library, param.type.to).name))
        self.place(param, f"as_struct({self.python(param)}, {kind}, {optional}, {self.where(param)})")

    def inout_struct(self, param: Param) -> None:
        self.in_struct(param, optional=not self.names.records)

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
        if not param.count:
            self.out_scalar(param, chooser)
            return
        size = f"<unsigned long long>c_{param.count}" if own_size else "0"
        stored = f"{self.selector(param)}.storage({chooser}, {size}, {self.where(param)})"
        self.locate.append(f"cdef Array h_{param.name} = {stored}")
        self.place(param, f"h_{param.name}.data")
        self.results.append(f"{self.selector(param)}.value({chooser}, h_{param.name}, {size})")

    def out_scalar(self, param: Param, chooser: str) -> None:
        """Take a value whose size is not an argument: mostly a number, which needs no memory of its own."""
        name, selector = param.name, self.selector(param)
        self.locate += [
            f"cdef unsigned long long d_{name} = 0",
            f"cdef CType t_{name} = {selector}.scalar(c_{param.selector})",
            f"cdef Array h_{name} = None",
            f"cdef void* c_{name} = &d_{name}",
            f"if t_{name} is None:",
            f"    h_{name} = {selector}.storage({chooser}, 0, {self.where(param)})",
            f"    c_{name} = h_{name}.data",
        ]
        self.arguments.append(f"<{self.c(param.type)}>c_{name}")
        self.results.append(
            f"{selector}.value({chooser}, h_{name}, 0) if t_{name} is None else t_{name}.load(<char*>&d_{name}, None)"
        )

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

    def asked(self, param: Param) -> Param | None:
        """Return the parameter with a number of elements that C tells."""
        return next((p for p in self.function.params if p.name == param.count and p.role is Role.ASKED_COUNT), None)

    def out_string(self, param: Param) -> None:
        if counter := self.asked(param):
            self.asked_array(param, counter)
            return
        self.locate.append(f"h_{param.name} = text_storage({self.count(param)}, {self.where(param)})")
        self.place(param, f"pointer(h_{param.name}, {self.where(param)})")
        if self.names.raises:
            self.results.append(f"until_nul(h_{param.name}).decode(errors='replace')")
        else:
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
        struct = target(self.library, param.type.to)
        kind = self.kind(self.names.struct(struct.name))
        if self.names.records:
            made = f"new_record({kind}, {self.names.version(struct)}u)"
            self.convert.append(f"cdef Record h_{param.name} = {made}")
            self.place(param, f"h_{param.name}.memory")
            self.results.append(f"h_{param.name}")
            return
        self.convert.append(f"cdef Struct h_{param.name} = new_struct({kind})")
        self.place(param, f"h_{param.name}.memory")
        self.results.append(f"h_{param.name}")

    def out_array(self, param: Param) -> None:
        if counter := self.asked(param):
            self.asked_array(param, counter)
            return
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
        if self.numbers_asked():
            return self.call_twice(call)
        if function.result == Primitive("void"):
            self.convert.pop(0)
            return ["with nogil:", f"    {call}"]
        quick = QUICK.fullmatch(function.name) and not SLOW.fullmatch(function.name)
        if quick or " if " in call:
            return [f"{result} = {call}"]
        # What is left to ask for is known from another function by now.
        return [*self.asking, "with nogil:", f"    {result} = {call}"]

    def returns_value(self) -> bool:
        return self.function.result != Named(self.api.status)

    def finish(self) -> list[str]:
        """Return the statements that pack the results."""
        if self.returns_value() and self.names.raises:
            return self.raising_value()
        if isinstance(target(self.library, self.function.result), Struct) and self.returns_value():
            return self.struct_result()
        if self.returns_value():
            return [f"return (status(STATUSES, 0), {self.value(self.function.result, 'outcome')})"]
        if self.names.raises:
            result = ", ".join(self.results)
            packed = f"({result})" if len(self.results) > 1 else result
            return [*self.failure(), f"return {packed}"] if self.results else self.failure()
        if not self.results:
            return [*self.released(), "return status_alone(STATUSES, <unsigned int>outcome)"]
        status = "status(STATUSES, <unsigned int>outcome)"
        packed = f"return ({status}, {', '.join(self.results)})"
        if self.function.name in RESULTS_OF_FAILURE:
            return [packed]
        return [*self.failure(), *self.kept(), packed]

    def raising_value(self) -> list[str]:
        """Return the statements for what is no status in an API whose functions raise."""
        if self.function.result == Primitive("void"):
            return []
        if isinstance(self.function.result, Pointer):
            return ["return text_as_str(outcome)"]
        # Numbers of bytes; less than 0 is an error: -1 that of the system, others the status.
        lines = ["if outcome < 0:", f'    raise_negative(TABLES, "{self.names.error()}", outcome)']
        return [*lines, "return outcome"]

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

    def struct_result(self) -> list[str]:
        """Return the statements that hand out a struct that C returns by value."""
        type_ = self.function.result
        kind = self.kind(self.names.struct(target(self.library, type_).name))
        return [
            f"cdef Struct made = new_struct({kind})",
            f"(<{self.c(Pointer(type_))}>made.memory)[0] = outcome",
            "return (status(STATUSES, 0), made)",
        ]

    def failure(self) -> list[str]:
        """Return the statements that leave a function when a call failed."""
        if self.names.raises and self.api.status_field:
            error, field = self.names.error(), self.api.status_field
            raised = f'raise TABLES.failure("{error}", <int>outcome.{field}, <int>outcome.cu_err)'
            return [f"if outcome.{field} != 0:", f"    {raised}"]
        if self.names.raises:
            return ["if outcome != 0:", f'    raise TABLES.failure("{self.names.error()}", <int>outcome)']
        nothing = ", ".join("None" for _ in roles.returned(self.function))
        return ["if outcome != 0:", f"    return (status(STATUSES, <unsigned int>outcome), {nothing})"]
