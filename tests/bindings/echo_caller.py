# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Call every function of the Python level on the echo libraries, and print mismatches as JSON.

Runs in a process of its own, since the libraries take the places of the real ones: echo_caller.py FOLDER
"""

from __future__ import annotations

import ctypes
import importlib
import json
import pathlib
import sys
import traceback

HERE = pathlib.Path(__file__).resolve().parent
# At the end, so that an installed cuda.bindings comes first; `codegen` is in no wheel.
sys.path += [str(HERE.parent), str(HERE.parents[1] / "cuda_bindings")]

from support.echo import MAX_MEMORY, Echo, pattern  # noqa: E402
from support.echo_cases import COUNT, Cases, Member, Mismatch, plain  # noqa: E402

from codegen import roles  # noqa: E402
from codegen.c_types import strip_typedefs  # noqa: E402
from codegen.model import Array, Named, Pointer, Primitive, Role, Struct  # noqa: E402
from codegen.wrapper import RESULTS_OF_FAILURE  # noqa: E402
from codegen.write_echo import ECHO_COUNT, RESULT_INDEX, counter  # noqa: E402
from cuda.bindings import _loader  # noqa: E402

UNKNOWN_STATUS = 98765
# A status that is known, besides.
FAILURES = {"driver": 700, "runtime": 700, "cufile": 5001}
FAILURE = 4
NOT_PASSED = object()  # stands for a struct that the binding makes


def need_equal(label, got, expected):
    if got != expected:
        raise Mismatch(f"{label}: got {got!r:.300}, expected {expected!r:.300}")


class Caller(Cases):
    """Calls of one function."""

    def check(self):
        """Call the function in every way; raise Mismatch at what did not come through."""
        for members in self.selections():
            for as_object in (True, False):
                self.check_call(as_object, members)
        for status in (FAILURES.get(self.library.name, FAILURE), UNKNOWN_STATUS):
            self.check_failure(status, members)

    def selections(self):
        """Return the values of the selecting parameters to try: every member whose value's type is known."""
        selected = next((param for param in self.function.params if param.selector), None)
        if selected is None:
            return [{}]
        name = selected.selector
        selector = self.by_name(name)
        enum = strip_typedefs(self.library, selector.type.to if isinstance(selector.type, Pointer) else selector.type)
        types = roles.value_types()[enum.name]
        values = {member.name: member.value for member in enum.members}
        if selected.role is Role.IN_VALUES:
            # Those whose values are numbers: what stands for memory is passed as it is.
            types = {m: t for m, t in types.items() if t in (Primitive("unsigned int"), Primitive("int"))}
        found = [{name: Member(values[member], type_)} for member, type_ in types.items() if type_ != Primitive("void")]
        # An option of which nothing is known takes a number, too.
        return found or [{name: Member(enum.members[0].value, Primitive("int"))}]

    def arguments(self, as_object, members):
        result = {}
        for k, param in enumerate(self.function.params):
            if param.role is Role.RECORD:
                values, seen = self.given(param, k, as_object)
                # One entry for each argument; what C must see of all of them stands with the first.
                result[param.name] = (NOT_PASSED, None, seen)
                result |= {f"{param.name}.{i}": (value, None, None) for i, value in enumerate(values)}
            elif param.role in roles.PASSED:
                result[param.name] = self.argument(param, k, as_object, members)
        return result

    def values(self, given):
        return [python for python, _, _ in given.values() if python is not NOT_PASSED]

    def check_call(self, as_object, members):
        given = self.arguments(as_object, members)
        self.echo.set_status(0)
        result = self.call(*self.values(given))
        need_equal("symbol", self.echo.record.symbol.decode(), self.function.symbol)
        need_equal("number of arguments", self.echo.record.count, len(self.function.params))
        for k, param in enumerate(self.function.params):
            self.check_argument(k, param, given.get(param.name), members)
        self.check_result(result, members)

    def check_argument(self, k, param, given, members):
        raw, memory = self.echo.raw(k), self.echo.memory(k)
        if param.role is Role.RECORD:
            for offset, expected in given[2].items():
                need_equal(f"{param.name} at {offset}", memory[offset : offset + len(expected)], expected)
            return
        if param.role is Role.QUERIED_COUNT:
            need_equal(param.name, int.from_bytes(memory, "little"), ECHO_COUNT)
            return
        if param.role is Role.LENGTH:
            self.check_length(param, raw, memory)
            return
        if given is None:
            if raw == bytes(8):
                raise Mismatch(f"{param.name}: NULL for an output")
            if param.role is Role.VALUE_SIZE:
                type_ = next(iter(members.values())).type
                need_equal(
                    param.name,
                    memory,
                    (type_.length if isinstance(type_, Array) else self.size(type_)).to_bytes(8, "little"),
                )
            return
        python, expected, pointed = given
        if expected is not None:
            need_equal(f"{param.name} (raw)", raw, expected)
        elif raw == bytes(8):
            raise Mismatch(f"{param.name}: NULL")
        if pointed is not None:
            need_equal(f"{param.name} (memory)", memory, pointed[:MAX_MEMORY])
        if param.role is Role.INOUT_STRUCT:
            need_equal(f"{param.name} (changed)", plain(python), pattern(k, len(plain(python))))
        if param.role is Role.INOUT_ARRAY:
            need_equal(f"{param.name} (changed)", plain(python[0]), pattern(k, len(plain(python[0]))))
        if param.role is Role.OUT_BUFFER and param.count:
            number = ECHO_COUNT if counter(param) else self.room(param)
            need_equal(f"{param.name} (filled)", bytes(python[:number]), pattern(k, number))

    def check_length(self, param, raw, memory):
        """The number that the binding chooses is that of the elements or bytes it has room for."""
        value = int.from_bytes(memory if isinstance(param.type, Pointer) else raw, "little")
        need_equal(param.name, value, self.length(param.count) or COUNT)

    def check_result(self, result, members):
        returned = roles.returned(self.function)
        expected = []
        for k, param in enumerate(self.function.params):
            if param in returned:
                several = param.role is Role.RECORD
                expected += self.record_results(param, k, None) if several else [self.result(param, k, members)]
        types = [param.type.to for param in self.function.params if param.role in (Role.OUT, Role.OUT_STRUCT)]
        if not self.has_status() and isinstance(strip_typedefs(self.library, self.function.result), Struct):
            expected = [pattern(RESULT_INDEX, self.size(self.function.result))]
        elif not self.has_status():
            expected = self.returned_value()
        got = result
        if not self.raises():
            status = getattr(self.module, self.api.status)
            need_equal("status", result[0], status(0))
            need_equal("type of status", type(result[0]), status)
            got = result[1:]
        elif len(expected) < 2:
            got = () if result is None else (result,)
        need_equal("results", [self.shown(item) for item in got], expected)
        for type_ in types:
            cls = self.cls(type_)
            if isinstance(cls, type) and not type_.name.startswith(("cuuint", "GL", "EGLint")) and not self.raises():
                need_equal(f"a result is {type_.name}", any(type(item) is cls for item in got), True)

    def shown(self, item):
        """Return a result as `plain` does; of a record that was filled, what its pointer points to."""
        fills = [p for p in self.function.params if p.role is Role.RECORD and p.record.buffer]
        if fills and fills[0].record.outputs is None:
            pointer, _, used = fills[0].record.buffer
            value = getattr(item, self.names.field(pointer))
            number = getattr(item, self.names.field(used))
            return ctypes.string_at(value, number) if isinstance(value, int) else plain(value)
        return plain(item)

    def check_failure(self, status, members):
        given = self.arguments(True, members)
        self.echo.set_status(status)
        arguments = self.values(given)
        try:
            result = self.call(*arguments)
        except Exception as error:
            if not self.raises() or not isinstance(error, getattr(self.module, self.names.error())):
                raise
            need_equal("status of the exception", error.status, status)
            return
        finally:
            self.echo.set_status(0)
        if self.function.result != Named(self.api.status):
            return
        need_equal("raises", self.raises(), False)
        need_equal("status", int(result[0]), status)
        need_equal("number of results", len(result) - 1, len(roles.returned(self.function)))
        if self.function.name not in RESULTS_OF_FAILURE:
            need_equal("results", [item for item in result[1:] if item is not None], [])

    def check_refusal(self):
        """Call the function with objects of a wrong kind in every place: an exception or a result, never a crash."""
        members = self.selections()[0]
        self.echo.set_status(0)
        for wrong in (None, object(), 1.5, -(2**70), [object()], "x", b"", ()):
            for index in range(len(self.values(self.arguments(True, members)))):
                arguments = self.values(self.arguments(True, members))
                arguments[index] = wrong
                try:
                    self.call(*arguments)
                except (TypeError, ValueError, OverflowError):
                    continue

    def check_absent(self):
        """Call the function while the library does not have it."""
        given = self.arguments(True, self.selections()[0])
        try:
            self.call(*self.values(given))
        except _loader.FunctionNotFound as error:
            need_equal("message", self.function.symbol in str(error), True)
        else:
            raise Mismatch("no FunctionNotFound for an absent symbol")


def main(folder):
    problems = {}
    for name, library in roles.libraries().items():
        module = importlib.import_module(f"cuda.bindings.{name}")
        echo = Echo(f"{folder}/{name}.so")
        callers = {f.name: Caller(library, module, echo, f) for f in library.functions.values()}
        for function, caller in callers.items():
            problems[f"{name}.{function}"] = problem(absent, caller, folder, name) or problem(caller.check)
            problems[f"{name}.{function}"] = problems[f"{name}.{function}"] or problem(caller.check_refusal)
    json.dump(problems, sys.stdout)


def absent(caller, folder, name):
    if name == "driver":
        _loader.use_library(name, f"{folder}/{name}.so")
        caller.echo.hide(caller.function.symbol)
    else:
        _loader.use_library(name, f"{folder}/empty.so")
    try:
        caller.check_absent()
    finally:
        caller.echo.hide(None)
        _loader.use_library(name, f"{folder}/{name}.so")


def problem(check, *arguments):
    """Return what went wrong in a check, None if nothing did."""
    try:
        check(*arguments)
    except Mismatch as mismatch:
        return str(mismatch)
    except Exception:
        return traceback.format_exc(limit=-6)
    return None


if __name__ == "__main__":
    main(sys.argv[1])
