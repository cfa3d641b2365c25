# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The Python wrapper of one function, as Cython text: a method for each role of a parameter.

In the generated text, names beginning with `c_` are C values, those with `h_` the objects that own memory.
"""

from __future__ import annotations

import re

from codegen import docstrings, roles
from codegen.c_types import Declarations, declare, strip_typedefs, struct_of
from codegen.model import Named, Param, Pointer, Primitive, Role, Struct, pointee
from codegen.record_wrapper import RecordWrapper

# Functions that neither wait for the device or another thread nor compile, load or allocate: called with the GIL held.
NONBLOCKING = re.compile(
    r"cu(Init|DriverGetVersion|GetError\w+|GetProcAddress|StreamQuery|EventQuery|\w*GetAttributes?|\w*GetParam\w+"
    r"|Ctx(Get|Set|Push|Pop)\w*|Device(Get|Can|Total|Compute)\w*|(Stream|Event|Module|Library|Kernel|Func|Graph\w*)Get\w+"
    r"|\w+NodeGet\w+|TexRef\w+|SurfRef\w+|TexObjectGet\w+|TensorMap\w+|StreamIsCapturing|FuncIsLoaded)"
    r"|nvrtc(Version|Get\w+)|nvJitLink(Version|Get\w+)|nvvm(\w*Version|Get\w+)|nvFatbin(Version|GetErrorString)"
    r"|cuda(GetLastError|PeekAtLastError|GetError\w+|CreateChannelDesc|StreamQuery|EventQuery)"
)
# Exceptions to NONBLOCKING: they may compile, load, copy or wait, if only for a call of another thread.
BLOCKING = re.compile(
    r"cu(Init|Ctx[GS]etLimit|ModuleGet(Function|Global)|LibraryGet\w+|KernelGetFunction|MemGet\w+|CtxGetDevResource"
    r"|Occupancy\w+)"
)
# Functions whose results describe a failure: they are returned with the failed status.
RESULTS_OF_FAILURE = {"cuGraphExecUpdate", "cudaGraphExecUpdate"}
# Arguments that the library uses after the call: function -> handle that it creates, parameters to keep alive until
# that is destroyed.
RETAINED = {"cuLinkCreate": ("stateOut", ("options", "optionValues"))}
RELEASED = {"cuLinkDestroy": "state"}
# Compilers whose options are extended for the CPU device (_line_info.py): function -> options and their number.
COMPILERS = {"nvrtcCompileProgram": ("options", "numOptions"), "nvJitLinkCreate": ("options", "num_options")}


class Wrapper(RecordWrapper):
    """The text of one wrapper: a method for each role, then the call and the packing of its results."""

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
        statements = [*self.conversions, *self.pointers, *self.call(), *self.after_call, *self.finish()]
        lines += [f"    {statement}" for statement in statements]
        return "\n".join(lines) + "\n"

    def doc(self) -> str:
        """Return what is known about the function besides its signature."""
        text = docstrings.render(self.library, self.function)
        return text.replace("\\", "\\\\").replace('"', '\\"').strip()

    def param(self, param: Param) -> None:
        method = {Role.IN: "in_", Role.COUNT: "in_"}.get(param.role, param.role.name.lower())
        getattr(self, method)(param)

    def in_(self, param: Param) -> None:
        type_ = param.type
        meaning = strip_typedefs(self.library, type_)
        name = f"c_{param.name}"
        if isinstance(meaning, Struct):
            kind = self.kind(self.names.struct(meaning.name))
            pointer = f"as_struct({self.python(param)}, {kind}, False, {self.label(param)})"
            self.conversions.append(f"cdef {self.c(Pointer(type_), name)} = <{self.c(Pointer(type_))}>{pointer}")
            self.arguments.append(f"{name}[0]")
        elif isinstance(meaning, Pointer) and not self.names.handle(type_) and not self.names.raises:
            self.user_data(param)
        else:
            converted = self.scalar(type_, self.python(param), self.label(param))
            self.conversions.append(f"cdef {self.c(type_, name)} = {converted}")
            self.arguments.append(name)

    def user_data(self, param: Param) -> None:
        self.hold(param, f"memory({self.python(param)}, False, {self.label(param)})")
        self.declare_c(param, f"pointer(h_{param.name}, {self.label(param)})")

    def callback(self, param: Param) -> None:
        type_ = param.pointee if isinstance(param.type, Pointer) else param.type
        python, label = self.python(param), self.label(param)
        if isinstance(type_, Named):
            address = f"as_handle({python}, {self.kind(self.names.canonical(type_.name))}, {label})"
        else:
            address = f"as_unsigned(callback_address({python}, {label}), 0xFFFFFFFFFFFFFFFFULL, {label})"
        self.conversions.append(f"cdef size_t c_{param.name} = {address}")
        suffix = "" if isinstance(type_, Named) else " noexcept nogil"
        cast = declare(param.type, "", Declarations.spell_cython, suffix) if suffix else self.c(param.type)
        self.arguments.append(f"<{cast}>c_{param.name}")

    def in_string(self, param: Param) -> None:
        self.hold(param, f"string({self.python(param)}, {self.label(param)})")
        self.declare_c(param, f"chars(h_{param.name})")

    def in_struct(self, param: Param, optional: bool = True) -> None:
        kind = self.kind(self.names.struct(struct_of(self.library, param.pointee).name))
        self.declare_c(param, f"as_struct({self.python(param)}, {kind}, {optional}, {self.label(param)})")

    def inout_struct(self, param: Param) -> None:
        self.in_struct(param, optional=not self.names.records)

    def in_array(self, param: Param) -> None:
        self.hold(param, f"array_in({self.python(param)}, {self.ctype(param.pointee)}, {self.label(param)})")
        self.declare_array(param)

    def declare_array(self, param: Param) -> None:
        count = self.count(param) if param.count else "0"
        self.declare_c(param, f"array_data(h_{param.name}, {count}, {self.label(param)}, {self.count_label(param)})")

    def inout_array(self, param: Param) -> None:
        self.in_array(param)
        self.after_call.append(f"copy_back(h_{param.name}, {self.python(param)})")

    def in_values(self, param: Param) -> None:
        selected_by = self.selected_by(param)
        self.hold(param, f"{self.selector(param)}.boxes({selected_by}, {self.python(param)}, {self.label(param)})")
        self.declare_array(param)

    def selected_by(self, param: Param) -> str:
        """Return the Python argument that selects the type of a value."""
        return self.python(next(p for p in self.function.params if p.name == param.selector))

    def in_value(self, param: Param) -> None:
        boxed = f"{self.selector(param)}.box({self.selected_by(param)}, {self.python(param)}, {self.label(param)})"
        self.conversions.append(f"cdef Array h_{param.name} = {boxed}")
        self.declare_c(param, f"h_{param.name}.data")

    def out_value(self, param: Param) -> None:
        selected_by = self.selected_by(param)
        own_size = param.count and any(p.name == param.count and p.role is Role.COUNT for p in self.function.params)
        if not param.count:
            self.out_scalar(param, selected_by)
            return
        size = f"<unsigned long long>c_{param.count}" if own_size else "0"
        stored = f"{self.selector(param)}.storage({selected_by}, {size}, {self.label(param)})"
        self.pointers.append(f"cdef Array h_{param.name} = {stored}")
        self.declare_c(param, f"h_{param.name}.data")
        self.results.append(f"{self.selector(param)}.value({selected_by}, h_{param.name}, {size})")

    def out_scalar(self, param: Param, selected_by: str) -> None:
        """Return a value whose size is not a parameter: mostly a number, stored in a C variable."""
        name, selector = param.name, self.selector(param)
        self.pointers += [
            f"cdef unsigned long long d_{name} = 0",
            f"cdef CType t_{name} = {selector}.scalar(c_{param.selector})",
            f"cdef Array h_{name} = None",
            f"cdef void* c_{name} = &d_{name}",
            f"if t_{name} is None:",
            f"    h_{name} = {selector}.storage({selected_by}, 0, {self.label(param)})",
            f"    c_{name} = h_{name}.data",
        ]
        self.arguments.append(f"<{self.c(param.type)}>c_{name}")
        stored = f"{selector}.value({selected_by}, h_{name}, 0)"
        self.results.append(f"{stored} if t_{name} is None else t_{name}.load(<char*>&d_{name}, None)")

    def value_size(self, param: Param) -> None:
        of = next(p for p in self.function.params if p.count == param.name)
        self.pointers.append(f"cdef {self.c(param.pointee, f'c_{param.name}')} = h_{of.name}.bytes_used")
        self.arguments.append(f"&c_{param.name}")

    def out_values(self, param: Param) -> None:
        selected_by = self.selected_by(param)
        sizes = next((self.python(p) for p in self.function.params if p.name == "dataSizes"), "None")
        stored = f"{self.selector(param)}.storages({selected_by}, {sizes}, {self.label(param)})"
        self.pointers += [f"s_{param.name} = {stored}", f"cdef Array h_{param.name} = pointers_to(s_{param.name})"]
        self.declare_array(param)
        self.results.append(f"{self.selector(param)}.values({selected_by}, s_{param.name}, {sizes})")

    def in_buffer(self, param: Param, writable: bool = False) -> None:
        self.hold(param, f"memory({self.python(param)}, {writable}, {self.label(param)})")
        if self.count_call(param):
            # If this call fails, so does the function itself, which reports it.
            self.declare_count_call(param)
            self.pointers.append(f"if {self.count_call(param)} == 0:")
            self.pointers.append(f"    need(h_{param.name}, n_{param.name}, {self.label(param)})")
        elif param.count:
            self.pointers.append(f"need(h_{param.name}, {self.count(param)}, {self.label(param)})")
        self.declare_c(param, f"pointer(h_{param.name}, {self.label(param)})")

    def out_buffer(self, param: Param) -> None:
        self.in_buffer(param, writable=True)

    def queried(self, param: Param) -> Param | None:
        """Return the parameter that receives the number of elements in a first call."""
        return next((p for p in self.function.params if p.name == param.count and p.role is Role.QUERIED_COUNT), None)

    def out_string(self, param: Param) -> None:
        if counter := self.queried(param):
            self.queried_array(param, counter)
            return
        self.pointers.append(f"h_{param.name} = text_storage({self.count(param)}, {self.label(param)})")
        self.declare_c(param, f"pointer(h_{param.name}, {self.label(param)})")
        if self.names.raises:
            self.results.append(f"until_nul(h_{param.name}).decode(errors='replace')")
        else:
            self.results.append(f"until_nul(h_{param.name})" if not param.count.isdigit() else f"bytes(h_{param.name})")

    def out(self, param: Param) -> None:
        type_ = param.pointee
        zero = "NULL" if isinstance(strip_typedefs(self.library, type_), Pointer) else f"<{self.c(type_)}>0"
        # What C writes through a pointer to const memory is the pointer, so the variable itself is not const.
        self.conversions.append(f"cdef {self.c(type_, f'c_{param.name}')} = {zero}")
        self.arguments.append(f"&c_{param.name}")
        self.results.append(self.value(type_, f"c_{param.name}"))

    def in_pointer(self, param: Param) -> None:
        type_ = param.pointee
        converted = self.scalar(type_, self.python(param), self.label(param))
        self.conversions.append(f"cdef {self.c(type_, f'c_{param.name}')} = {converted}")
        self.arguments.append(f"&c_{param.name}")
        if param.role is Role.IN_POINTER and not self.names.raises and self.names.handle(type_):
            self.after_call.append(f"store_handle({self.python(param)}, <unsigned long long>c_{param.name})")

    def inout(self, param: Param) -> None:
        if not param.optional:
            self.in_pointer(param)
            self.results.append(self.value(param.pointee, f"c_{param.name}"))
            return
        type_, name, python = param.pointee, f"c_{param.name}", self.python(param)
        zero = "NULL" if isinstance(strip_typedefs(self.library, type_), Pointer) else f"<{self.c(type_)}>0"
        self.conversions += [
            f"cdef {self.c(type_, name)} = {zero}",
            f"if {python} is not None:",
            f"    {name} = {self.scalar(type_, python, self.label(param))}",
        ]
        self.arguments.append(f"NULL if {python} is None else &{name}")
        self.results.append(f"None if {python} is None else {self.value(type_, name)}")

    def inout_count(self, param: Param) -> None:
        self.in_pointer(param)
        self.results.append(f"c_{param.name}")

    def out_struct(self, param: Param) -> None:
        struct = struct_of(self.library, param.pointee)
        kind = self.kind(self.names.struct(struct.name))
        if self.names.records:
            made = f"new_record({kind}, {self.names.version(struct)}u)"
            self.conversions.append(f"cdef Record h_{param.name} = {made}")
            self.declare_c(param, f"h_{param.name}.memory")
            self.results.append(f"h_{param.name}")
            return
        self.conversions.append(f"cdef Struct h_{param.name} = new_struct({kind})")
        self.declare_c(param, f"h_{param.name}.memory")
        self.results.append(f"h_{param.name}")

    def out_array(self, param: Param) -> None:
        if counter := self.queried(param):
            self.queried_array(param, counter)
            return
        count = self.count(param)
        if self.count_call(param):
            self.declare_count_call(param)
            self.pointers += [f"outcome = {self.count_call(param)}", *self.failure()]
        self.pointers.append(f"cdef Array h_{param.name} = Array({self.ctype(param.pointee)}, {count})")
        self.declare_c(param, f"h_{param.name}.out_ptr()")
        self.results.append(f"h_{param.name}.to_list({count})")

    def out_view(self, param: Param) -> None:
        type_ = param.pointee
        self.conversions.append(f"cdef {self.c(type_, f'c_{param.name}')} = NULL")
        self.arguments.append(f"&c_{param.name}")
        self.results.append(f"viewed(<void*>c_{param.name}, {self.ctype(pointee(type_))}, {self.count(param)})")

    def kernel_params(self, param: Param) -> None:
        self.hold(param, f"kernel_parameters({self.python(param)}, {self.label(param)})")
        self.declare_c(param, f"parameters_pointer(h_{param.name}, {self.label(param)})")

    def call(self) -> list[str]:
        function = self.function
        call = f"cy{self.library.name}.{function.name}({', '.join(self.arguments)})"
        result = "outcome"
        # Declared before the conversions, where a count may need it.
        self.conversions.insert(0, f"cdef {self.c(function.result, result)}")
        if self.queried_counts():
            return self.call_twice(call)
        if function.result == Primitive("void"):
            self.conversions.pop(0)
            return ["with nogil:", f"    {call}"]
        keeps_gil = NONBLOCKING.fullmatch(function.name) and not BLOCKING.fullmatch(function.name)
        if keeps_gil or " if " in call:
            return [f"{result} = {call}"]
        # Counts that another function returned are known here: the memory is allocated before the only call.
        return [*self.allocations, "with nogil:", f"    {result} = {call}"]

    def returns_value(self) -> bool:
        return self.function.result != Named(self.api.status)

    def finish(self) -> list[str]:
        """Return the statements that pack the results."""
        if self.returns_value() and self.names.raises:
            return self.raising_value()
        if isinstance(strip_typedefs(self.library, self.function.result), Struct) and self.returns_value():
            return self.struct_result()
        if self.returns_value():
            return [f"return (status(STATUSES, 0), {self.value(self.function.result, 'outcome')})"]
        if self.names.raises:
            result = ", ".join(self.results)
            packed = f"({result})" if len(self.results) > 1 else result
            return [*self.failure(), f"return {packed}"] if self.results else self.failure()
        if not self.results:
            return [*self.release(), "return status_alone(STATUSES, <unsigned int>outcome)"]
        status = "status(STATUSES, <unsigned int>outcome)"
        packed = f"return ({status}, {', '.join(self.results)})"
        if self.function.name in RESULTS_OF_FAILURE:
            return [packed]
        return [*self.failure(), *self.retain(), packed]

    def raising_value(self) -> list[str]:
        """Return the statements for a result that is no status, in an API whose functions raise."""
        if self.function.result == Primitive("void"):
            return []
        if isinstance(self.function.result, Pointer):
            return ["return text_as_str(outcome)"]
        # A number of bytes, or a negative error: -1 for one of the system (errno), else the status.
        lines = ["if outcome < 0:", f'    raise_negative(TABLES, "{self.names.error()}", outcome)']
        return [*lines, "return outcome"]

    def retain(self) -> list[str]:
        """Return the statements that keep arguments alive after a successful call."""
        if self.function.name not in RETAINED:
            return []
        self.globals["RETAINED"] = "dict RETAINED = {}"
        handle, params = RETAINED[self.function.name]
        return [f"RETAINED[<size_t>c_{handle}] = ({', '.join(f'h_{param}' for param in params)})"]

    def release(self) -> list[str]:
        """Return the statements that drop the arguments which `retain` keeps alive."""
        handle = RELEASED.get(self.function.name)
        return ["if outcome == 0:", f"    RETAINED.pop(<size_t>c_{handle}, None)"] if handle else []

    def struct_result(self) -> list[str]:
        """Return the statements for a struct that C returns by value."""
        type_ = self.function.result
        kind = self.kind(self.names.struct(struct_of(self.library, type_).name))
        return [
            f"cdef Struct made = new_struct({kind})",
            f"(<{self.c(Pointer(type_))}>made.memory)[0] = outcome",
            "return (status(STATUSES, 0), made)",
        ]
