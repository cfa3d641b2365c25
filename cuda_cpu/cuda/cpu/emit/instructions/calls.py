# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Device functions: their LLVM signature, their entry and exit, and calls.

The LLVM function of a device function takes the warp, the mask of the calling lanes and a pointer to the mask of lanes
that exit in the call, then the parameters: a SIMD group for each scalar, a pointer to SIMD groups for anything else. A
single scalar result is returned; other results are written through pointers at the end of the parameter list.
"""

from __future__ import annotations

from cuda.cpu.emit.instructions import services
from cuda.cpu.emit.instructions.arguments import argument, storage_of
from cuda.cpu.emit.llvm.module import Module
from cuda.cpu.emit.llvm.values import Shape, Value, constant, width_of
from cuda.cpu.emit.simt.frame import Frame
from cuda.cpu.emit.simt.parameters import Storage, is_scalar, local_alignment, words_of
from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.syntax import Call, CallTargets, Function, Operand, Prototype, Register, Variable


def symbol_of(function: Function) -> str:
    """Return the LLVM name: that of a kernel unchanged, that of a device function so that it shadows no C function."""
    return f'"{function.name}"' if function.entry else f'"device.{function.name}"'


def _returned(results: tuple[Variable, ...]) -> Variable | None:
    return results[0] if len(results) == 1 and is_scalar(results[0]) else None


def _result_type(module: Module, results: tuple[Variable, ...]) -> str:
    returned = _returned(results)
    return "void" if returned is None else f"<{module.width} x {words_of(returned)[0]}>"


def signature(module: Module, function: Function) -> str:
    """Return the head of the function's definition."""
    if function.entry:
        return f"define void @{symbol_of(function)}(ptr %warp) #0"
    parameters = ["ptr %warp", f"i{module.width} %lanes", "ptr %dead"]
    for number, parameter in enumerate(function.parameters):
        scalar = is_scalar(parameter)
        type_ = f"<{module.width} x {words_of(parameter)[0]}>" if scalar else "ptr"
        parameters.append(f"{type_} %p{number}")
    if _returned(function.results) is None:
        parameters += [f"ptr %q{number}" for number in range(len(function.results))]
    result = _result_type(module, function.results)
    return f"define internal {result} @{symbol_of(function)}({', '.join(parameters)}) #0"


# --- entry and exit -----------------------------------------------------------------------------------


def enter(frame: Frame) -> None:
    """Emit the prologue: stack slots, parameters and masks."""
    builder, function = frame.builder, frame.facts.function
    frame.at_line(function.line)
    if function.entry:
        frame.reserve_dead()
    else:
        _enter_device(frame)
    for variable in function.variables.values():
        if variable.space == "param":
            frame.variables[variable.name] = Storage(builder, variable)


def _enter_device(frame: Frame) -> None:
    builder, function = frame.builder, frame.facts.function
    if any(isinstance(item, Call) for item in frame.facts.body):
        address = Value(builder.call("llvm.frameaddress.p0", "ptr", "i32 0"), "ptr")
        frame.module.declare("llvm.frameaddress.p0", "ptr", ["i32"])
        here = builder.cast("ptrtoint", address, "i64")
        limit = frame.warp_field("stack_limit", "i64")
        frame.fault_if(builder.compare("icmp ult", here, limit), "stack")
    if size := frame.facts.local_bytes:
        top = frame.warp_slot("local_top", "i64")
        before = base = top.load()
        alignment = local_alignment(function)
        if alignment > 16:
            above = builder.binary("add", base, alignment - 1)
            base = builder.binary("and", above, -alignment)
        frame.set_local_memory(before, base)
        after = builder.binary("add", base, size)
        stride = frame.warp_field("local_stride", "i64")
        frame.fault_if(builder.compare("icmp ugt", after, stride), "stack")
        top.store(after)
        if frame.module.settings.instrumentation is not None:
            frame.module.settings.instrumentation.allocated(frame, constant(size, "i64"))
    for number, parameter in enumerate(function.parameters):
        scalar = is_scalar(parameter)
        storage = Storage(builder, parameter, "" if scalar else f"%p{number}")
        if scalar:
            storage.store(0, Value(f"%p{number}", storage.element, Shape.VECTOR), None)
        frame.variables[parameter.name] = storage
    returned = _returned(function.results)
    for number, result in enumerate(function.results):
        frame.variables[result.name] = Storage(builder, result, f"%q{number}" if returned is None else "")


def leave(frame: Frame) -> None:
    """Emit the return of the LLVM function."""
    builder, function = frame.builder, frame.facts.function
    if function.entry:
        builder.ret()
        return
    if frame.local_before is not None:
        frame.warp_slot("local_top", "i64").store(frame.local_before)
    returned = _returned(function.results)
    if returned is None:
        builder.ret()
    else:
        builder.ret(frame.variables[returned.name].load(0))


# --- calls --------------------------------------------------------------------------------------------


def emit_call(frame: Frame, call: Call) -> None:
    """Emit a call of a device function, of a service of the runtime, or through a pointer."""
    if isinstance(call.target, Register):
        _call_indirect(frame, call)
    elif call.target.name in services.FUNCTIONS:
        services.FUNCTIONS[call.target.name](frame, call)
    else:
        function = frame.facts.program.functions.get(call.target.name)
        if function is None or function.body is None:
            raise PtxError(f"function {call.target.name!r} is called and not defined", call.line)
        _call_direct(frame, call, function)
    if _may_exit(frame, call):
        dead = frame.dead.load()
        alive = frame.builder.binary("xor", dead, -1)
        frame.set_mask(frame.builder.binary("and", frame.mask, alive))


def _may_exit(frame: Frame, call: Call) -> bool:
    """Return whether lanes may exit the kernel in a call."""
    leaves = frame.module.leaves
    return bool(leaves) if isinstance(call.target, Register) else call.target.name in leaves


def _arguments(frame: Frame, call: Call, function: Function) -> list[Value]:
    """Return the arguments of a call of a known function."""
    if len(call.arguments) != len(function.parameters) or len(call.results) != len(function.results):
        raise PtxError(f"call of {function.name!r} with another number of parameters than declared", call.line)
    pairs = zip(call.arguments, function.parameters, strict=True)
    return [argument(frame, operand, parameter) for operand, parameter in pairs]


def _call(frame: Frame, function: Function, mask: Value, arguments: list[Value]) -> list[list[Value]]:
    """Emit the call of a known function for the lanes of `mask`; return the words of each result."""
    builder = frame.builder
    arguments = [Value(frame.group.warp, "ptr"), mask, Value(frame.dead.pointer, "ptr"), *arguments]
    returned = _returned(function.results)
    if returned is not None:
        name = builder.call(symbol_of(function), _result_type(frame.module, function.results), *arguments)
        return [[Value(name, words_of(returned)[0], Shape.VECTOR)]]
    results = [Storage(builder, result) for result in function.results]
    arguments += [Value(result.pointer, "ptr") for result in results]
    builder.call(symbol_of(function), "void", *arguments)
    return [[result.load(index) for index in range(result.count)] for result in results]


def _call_direct(frame: Frame, call: Call, function: Function) -> None:
    found = _call(frame, function, frame.mask, _arguments(frame, call, function))
    for operand, words in zip(call.results, found, strict=True):
        if isinstance(operand, Register):
            frame.write(operand, words[0])
            continue
        storage = storage_of(frame, operand)
        for index, word in enumerate(words):
            storage.store(index, frame.builder.resize(word, storage.element), None)


def _call_indirect(frame: Frame, call: Call) -> None:
    """Emit an indirect call as direct calls of all address-taken functions with a matching signature.

    The pointer is only compared with their addresses. Each direct call is under a branch, so code that they share is
    emitted outside: arguments are read before the first branch, and results are stored to memory, from which the
    destination registers are written after the last one.
    """
    builder = frame.builder
    target = frame.read(call.target, "u64")
    prototype = _prototype(frame, call)
    program = frame.facts.program
    functions = [
        function
        for function in {each.name: each for each in program.functions.values()}.values()
        if function.name in program.symbol_index and function.body is not None and _fits(function, prototype)
    ]
    arguments = {function.name: _arguments(frame, call, function) for function in functions}
    results = [_result_storage(frame, operand) for operand in call.results]
    rest = frame.mask
    for function in functions:
        equal = builder.lane_bits(builder.compare("icmp eq", target, frame.address_of(function.name)))
        here = builder.binary("and", equal, rest)
        rest = builder.binary("xor", here, rest)
        then, after = builder.new_label("call"), builder.new_label("called")
        builder.branch(builder.is_zero(here), after, then)
        builder.label(then)
        found = _call(frame, function, here, arguments[function.name])
        lanes = builder.lanes_of(here)
        for storage, words in zip(results, found, strict=True):
            for index, word in enumerate(words):
                storage.store(index, builder.resize(word, storage.element), lanes)
        builder.jump(after)
        builder.label(after)
    frame.fault_if(builder.compare("icmp ne", rest, 0), "invalid_pc")
    for operand, storage in zip(call.results, results, strict=True):
        if isinstance(operand, Register):
            frame.write(operand, storage.load(0))


def _result_storage(frame: Frame, operand: Operand) -> Storage:
    """Return the memory that receives a result from any callee: a stack slot if the destination is a register."""
    if not isinstance(operand, Register):
        return storage_of(frame, operand)
    size = width_of(frame.element_of(operand.name)) // 8
    return Storage(frame.builder, Variable(operand.name, "param", f"b{8 * size}", size, size))


def _prototype(frame: Frame, call: Call) -> Prototype | CallTargets:
    for item in frame.facts.body:
        if isinstance(item, Prototype | CallTargets) and item.name == call.prototype:
            return item
    raise PtxError(f"call through a register without its prototype {call.prototype!r}", call.line)


def _fits(function: Function, prototype: Prototype | CallTargets) -> bool:
    if isinstance(prototype, CallTargets):
        return function.name in prototype.functions

    def shapes(variables: tuple[Variable, ...]) -> list[tuple[str, int]]:
        return [words_of(variable) for variable in variables]

    return shapes(function.parameters) == shapes(prototype.parameters) and shapes(function.results) == shapes(
        prototype.results
    )
