# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A small compiler: Python expressions over arrays become PTX or NVVM IR, specialised, cached, tuned and launched."""

import dataclasses
import hashlib
import itertools
import json
import statistics
import struct
import sys
import tempfile

import numpy as np

from cuda.core import Device, DeviceArray, EventOptions, LaunchConfig, Program, ProgramOptions
from cuda.core.utils import FileStreamProgramCache

# Operation: its PTX and its NVVM IR. {0} is the result; {1} and {2} are the operands, of `gather` an array's address.
OPERATIONS = {
    "add": ("add.rn.f32 {0}, {1}, {2};", "{0} = fadd float {1}, {2}"),
    "sub": ("sub.rn.f32 {0}, {1}, {2};", "{0} = fsub float {1}, {2}"),
    "mul": ("mul.rn.f32 {0}, {1}, {2};", "{0} = fmul float {1}, {2}"),
    "truediv": ("div.rn.f32 {0}, {1}, {2};", "{0} = fdiv float {1}, {2}"),
    "sqrt": ("sqrt.rn.f32 {0}, {1};", "{0} = call float @llvm.sqrt.f32(float {1})"),
    "abs": (
        "abs.f32 {0}, {1};",
        "{0}.i = bitcast float {1} to i32\n  {0}.p = and i32 {0}.i, 2147483647\n  {0} = bitcast i32 {0}.p to float",
    ),
    "gather": (
        "cvt.rzi.s32.f32 %index, {2}; mad.wide.s32 %address, %index, 4, {1}; ld.global.f32 {0}, [%address];",
        "{0}.i = fptosi float {2} to i32\n  {0}.p = getelementptr float, float addrspace(1)* {1}, i32 {0}.i\n"
        "  {0} = load float, float addrspace(1)* {0}.p, align 4",
    ),
}
THREADS, WAVES = (64, 128, 256), (1, 4)  # the tuner tries: threads of a block, blocks per multiprocessor


class Value:
    """A float of the traced function: an element of an array, a scalar argument, a constant, or a result."""

    def __init__(self, operation, operands, code):
        self.operation, self.operands, self.code = operation, operands, code
        frame = sys._getframe()
        while frame.f_code is not code and frame.f_back:
            frame = frame.f_back
        self.line = frame.f_lineno if frame.f_code is code else code.co_firstlineno

    def apply(self, operation, *operands):
        for operand in operands:
            if not isinstance(operand, (Value, int, float)):
                raise TypeError(f"an operand of {operation} must be an argument, a result or a number, not {operand!r}")
        values = [each if isinstance(each, Value) else Value("constant", (each,), self.code) for each in operands]
        return Value(operation, tuple(values), self.code)

    def sqrt(self):
        return self.apply("sqrt", self)

    def __abs__(self):
        return self.apply("abs", self)

    def __getitem__(self, index):
        if self.operation != "array":
            raise TypeError("only an array argument has elements")
        return self.apply("gather", self, index)


def binary(name, swapped):
    return lambda self, other: self.apply(name, *((other, self) if swapped else (self, other)))


for _name in ("add", "sub", "mul", "truediv"):
    setattr(Value, f"__{_name}__", binary(_name, swapped=False))
    setattr(Value, f"__r{_name}__", binary(_name, swapped=True))


def in_order(result):
    """Return the values that `result` needs, each once and after its operands."""
    found, stack = {}, [result]
    while stack:
        value = stack[-1]
        waiting = [each for each in value.operands if isinstance(each, Value) and id(each) not in found]
        stack.extend(waiting)
        if not waiting:
            found[id(stack.pop())] = value
    return list(found.values())


@dataclasses.dataclass(frozen=True)
class Traced:
    """What both targets need. An array argument is a pointer, a scalar one a float, and the last parameter a count."""

    name: str
    file: str
    arrays: tuple  # for each argument: whether it is an array
    values: list
    total: bool  # whether the results are added up
    width: int  # of the loads and stores, in elements: a fact of the arguments

    def statements(self, column, number, operand, target):
        """Return the operations of one of the elements of a vector, in the target's language."""
        lines = []
        for index, value in enumerate(self.values):
            if value.operation in OPERATIONS:
                if target == "ptx":
                    lines.append(f".loc 1 {value.line} 0")  # so that faults name the user's line
                operands = [operand(each, column) for each in value.operands]
                if value.operation == "gather":
                    operands[0] = operand(value.operands[0], None)
                lines.append(OPERATIONS[value.operation][target == "nvvm"].format(number(index, column), *operands))
        return lines

    def loaded(self):
        """Return the array arguments of which the element at the thread's own index is used, with their numbers."""
        pairs = [(user, each) for user in self.values for each in user.operands if isinstance(each, Value)]
        used = {id(each) for user, each in pairs if user.operation != "gather" or each is not user.operands[0]}
        used.add(id(self.values[-1]))
        return [(i, v) for i, v in enumerate(self.values) if v.operation == "array" and id(v) in used]


def to_ptx(traced):
    width, order = traced.width, {id(value): index for index, value in enumerate(traced.values)}

    def register(index, column):
        return f"%f{index * width + column}"

    def operand(value, column):
        if value.operation == "constant":
            return "0f" + struct.pack(">f", value.operands[0]).hex()
        if column is None:
            return f"%base{value.operands[0]}"
        return f"%s{value.operands[0]}" if value.operation == "scalar" else register(order[id(value)], column)

    def access(verb, index, base):
        vector = ", ".join(register(index, column) for column in range(width))
        kind, vector = (f".v{width}.f32", f"{{{vector}}}") if width > 1 else (".f32", vector)
        operands = f"{vector}, [%address]" if verb == "ld" else f"[%address], {vector}"
        return [f"mad.wide.u32 %address, %i, {4 * width}, {base};", f"{verb}.global{kind} {operands};"]

    kinds = ["u64" if array else "f32" for array in traced.arrays]
    parameters = ["u64 out", *(f"{kind} a{index}" for index, kind in enumerate(kinds)), "u32 count"]
    body = ["ld.param.u64 %out, [out]; cvta.to.global.u64 %out, %out; ld.param.u32 %count, [count];"]
    for index, array in enumerate(traced.arrays):
        load = f"ld.param.u64 %base{index}, [a{index}]; cvta.to.global.u64 %base{index}, %base{index};"
        body.append(load if array else f"ld.param.f32 %s{index}, [a{index}];")
    body += ["mov.u32 %size, %ntid.x; mov.u32 %block, %ctaid.x; mov.u32 %i, %tid.x; mad.lo.u32 %i, %block, %size, %i;"]
    body += ["mov.u32 %step, %nctaid.x; mul.lo.u32 %step, %step, %size; mov.f32 %sum, 0f00000000;"]
    body += ["LOOP: setp.ge.u32 %done, %i, %count; @%done bra END;"]
    for index, value in traced.loaded():
        body += access("ld", index, f"%base{value.operands[0]}")
    for column in range(width):
        body += traced.statements(column, register, operand, "ptx")
        result = operand(traced.values[-1], column)
        last = register(len(traced.values) - 1, column)
        body += [f"add.rn.f32 %sum, %sum, {result};"] if traced.total else [f"mov.f32 {last}, {result};"]
    body += [] if traced.total else access("st", len(traced.values) - 1, "%out")
    body += ["add.u32 %i, %i, %step; bra LOOP;", "END:"]
    if traced.total:
        for distance in (16, 8, 4, 2, 1):
            body.append(f"shfl.sync.down.b32 %part, %sum, {distance}, 31, -1; add.rn.f32 %sum, %sum, %part;")
        body.append("mov.u32 %lane, %laneid; setp.eq.u32 %first, %lane, 0; @%first red.global.add.f32 [%out], %sum;")
    head = f'.version 7.0\n.target sm_75\n.address_size 64\n.file 1 "{traced.file}"\n.visible .entry {traced.name}('
    head += ", ".join(f".param .{each}" for each in parameters) + ") {\n.reg .pred %done, %first;\n"
    head += f".reg .b64 %out, %address, %base<{len(kinds)}>; .reg .f32 %f<{len(order) * width}>, %s<{len(kinds)}>;\n"
    head += ".reg .b32 %i, %step, %size, %block, %count, %index, %lane; .reg .f32 %sum, %part;\n"
    return head + "\n".join(body) + "\nret;\n}\n"


def to_nvvm(traced):
    width, order = traced.width, {id(value): index for index, value in enumerate(traced.values)}
    vector = f"<{width} x float>" if width > 1 else "float"

    def register(index, column):
        return f"%v{index}.{column}"

    def operand(value, column):
        if value.operation == "constant":
            return "0x" + struct.pack(">d", np.float32(value.operands[0])).hex()
        if column is None or value.operation == "scalar":
            return f"%a{value.operands[0]}"
        return register(order[id(value)], column)

    def address(name, base):
        return [
            f"{name}.q = bitcast float addrspace(1)* {base} to {vector} addrspace(1)*",
            f"{name}.p = getelementptr {vector}, {vector} addrspace(1)* {name}.q, i64 %wide",
        ]

    kinds = ["float addrspace(1)*" if array else "float" for array in traced.arrays]
    parameters = ["float addrspace(1)* %out", *(f"{k} %a{i}" for i, k in enumerate(kinds)), "i32 %count"]
    body = ["%wide = zext i32 %i to i64"]
    for index, value in traced.loaded():
        body += address(f"%l{index}", f"%a{value.operands[0]}")
        target = f"%l{index}" if width > 1 else register(index, 0)
        body.append(f"{target} = load {vector}, {vector} addrspace(1)* %l{index}.p, align {4 * width}")
        columns = range(width) if width > 1 else ()
        body += [f"{register(index, c)} = extractelement {vector} {target}, i32 {c}" for c in columns]
    results = []
    for column in range(width):
        body += traced.statements(column, register, operand, "nvvm")
        results.append(operand(traced.values[-1], column))
    sums = ["%sum", *(f"%sum.{column}" for column in range(width))]
    if traced.total:
        body += [f"{new} = fadd float {old}, {each}" for old, new, each in zip(sums, sums[1:], results, strict=False)]
    else:
        stored = results[0] if width == 1 else f"%r{width - 1}"
        for column in range(width if width > 1 else 0):
            old = f"%r{column - 1}" if column else "undef"
            body.append(f"%r{column} = insertelement {vector} {old}, float {results[column]}, i32 {column}")
        body += address("%o", "%out")
        body.append(f"store {vector} {stored}, {vector} addrspace(1)* %o.p, align {4 * width}")
    next_sum = sums[-1] if traced.total else "%sum"
    return NVVM.format(
        name=traced.name, parameters=", ".join(parameters), body="\n  ".join(body), next_sum=next_sum,
        reduction=REDUCTION if traced.total else "", types=", ".join(each.rpartition(" ")[0] for each in parameters),
    )  # fmt: skip


NVVM = """target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-\
f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
declare float @llvm.sqrt.f32(float)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
declare {{i32, i1}} @llvm.nvvm.shfl.sync.i32(i32, i32, i32, i32, i32)
declare float @llvm.nvvm.atomic.load.add.f32.p1f32(float addrspace(1)*, float)
define void @{name}({parameters}) {{
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %blocks = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %before = mul i32 %block, %size
  %first = add i32 %before, %tid
  %step = mul i32 %blocks, %size
  br label %loop
loop:
  %i = phi i32 [%first, %entry], [%next, %body]
  %sum = phi float [0.0, %entry], [{next_sum}, %body]
  %more = icmp ult i32 %i, %count
  br i1 %more, label %body, label %end
body:
  {body}
  %next = add i32 %i, %step
  br label %loop
end:
{reduction}  ret void
}}
!nvvm.annotations = !{{!0}}
!0 = !{{void ({types})* @{name}, !"kernel", i32 1}}
!nvvmir.version = !{{!1}}
!1 = !{{i32 2, i32 0}}
"""
# Adds the sums of a warp's threads: mode 2 of the shuffle is "down".
REDUCTION = (
    "".join(
        f"  %b{d} = bitcast float {old} to i32\n"
        f"  %x{d} = call {{i32, i1}} @llvm.nvvm.shfl.sync.i32(i32 -1, i32 2, i32 %b{d}, i32 {d}, i32 31)\n"
        f"  %y{d} = extractvalue {{i32, i1}} %x{d}, 0\n  %z{d} = bitcast i32 %y{d} to float\n"
        f"  %t{d} = fadd float {old}, %z{d}\n"
        for d, old in ((16, "%sum"), (8, "%t16"), (4, "%t8"), (2, "%t4"), (1, "%t2"))
    )
    + """  %lane = and i32 %tid, 31
  %one = icmp eq i32 %lane, 0
  br i1 %one, label %add, label %leave
add:
  %old = call float @llvm.nvvm.atomic.load.add.f32.p1f32(float addrspace(1)* %out, float %t1)
  br label %leave
leave:
"""
)
TARGETS = {"ptx": to_ptx, "nvvm": to_nvvm}


class Compiled:
    """A function of float32 arrays of one size and of numbers, compiled at its first call with each kind of arguments.

    Parameters
    ----------
    function : callable
        It is called once per specialisation, with values that record what it does.
    total : bool
        Whether to return the sum of the results, an array of one element.
    constants : tuple of int
        The positions of numbers that are compiled into the code.
    target : str
        "ptx" or "nvvm".
    cache : FileStreamProgramCache
        Where compiled code and the tuner's results are stored.
    """

    def __init__(self, function, cache, *, total=False, constants=(), target="ptx"):
        if target not in TARGETS:
            raise ValueError(f"target must be one of {', '.join(map(repr, TARGETS))}, not {target!r}")
        self.function, self.cache, self.total, self.constants, self.target = function, cache, total, constants, target
        self.kernels, self.launchers = {}, {}

    def check(self, arguments):
        wanted = self.function.__code__.co_argcount
        if len(arguments) != wanted:
            raise TypeError(f"{self.function.__name__} takes {wanted} arguments, not {len(arguments)}")
        arrays = [each for each in arguments if isinstance(each, DeviceArray)]
        if not arrays:
            raise TypeError(f"{self.function.__name__}: at least one argument must be an array on the device")
        for position, each in enumerate(arguments):
            at = f"argument {position} of {self.function.__name__}"
            if isinstance(each, DeviceArray):
                if each.dtype != np.float32 or not each.is_contiguous_c or each.shape != arrays[0].shape:
                    raise ValueError(
                        f"{at} must be a contiguous float32 array of shape {arrays[0].shape}, "
                        f"not {each.dtype} of shape {each.shape}"
                    )
            elif not isinstance(each, (int, float)):
                raise TypeError(f"{at} must be a DeviceArray or a number, not {type(each).__name__}")
        return arrays

    def trace(self, arguments, width):
        code = self.function.__code__
        kinds = ["array" if isinstance(each, DeviceArray) else "scalar" for each in arguments]
        inputs = [Value(kind, (index,), code) for index, kind in enumerate(kinds)]
        for index in self.constants:
            inputs[index] = Value("constant", (arguments[index],), code)
        result = self.function(*inputs)
        if not isinstance(result, Value):
            raise TypeError(f"{self.function.__name__} must return an expression of its arguments, not {result!r}")
        flags = tuple(kind == "array" for kind in kinds)
        return Traced(self.function.__name__, code.co_filename, flags, in_order(result), self.total, width)

    def source(self, arguments, width):
        """Return the generated code."""
        return TARGETS[self.target](self.trace(arguments, width))

    def build(self, arguments, width):
        """Return the kernel: from the cache, if the same code was compiled before with the same compiler and device."""
        device, source = Device(), self.source(arguments, width)
        name = self.function.__name__
        if self.target == "nvvm":  # libNVVM writes PTX for any later device
            options = ProgramOptions(name=name, arch="compute_75")
            source = Program(source, "nvvm", options).compile("ptx", cache=self.cache).code.decode()
        options = ProgramOptions(name=name, arch=f"sm_{device.arch}", lineinfo=self.target == "ptx")
        return Program(source, "ptx", options).compile("cubin", cache=self.cache).get_kernel(name)

    def kernel(self, arguments):
        """Return the kernel for the facts of the arguments, and the width of its accesses."""
        arrays = self.check(arguments)
        size = arrays[0].size
        facts = [each.ptr | 4 * size for each in arrays]  # alignment, divisibility
        width = next(width for width in (4, 2, 1) if not any(fact % (4 * width) for fact in facts))
        key = width, *(type(each) is DeviceArray for each in arguments), *(arguments[i] for i in self.constants)
        if key not in self.kernels:
            self.kernels[key] = self.build(arguments, width)
        return self.kernels[key], width

    def config(self, count, threads, waves):
        blocks = waves * Device().properties.multiprocessor_count
        return LaunchConfig(grid=max(1, min(-(-count // threads), blocks)), block=threads)

    def tuned(self, arguments, width):
        """Return the key of the tuner's result in the cache: all that the time depends on."""
        size = next(each.size for each in arguments if isinstance(each, DeviceArray))
        facts = Device().name, size, self.source(arguments, width)
        return hashlib.sha256(repr(facts).encode()).digest()

    def prepare(self, arguments, stream, choice=None):
        """Return a callable that launches the function's kernel; its arguments are the output and `arguments`."""
        kernel, width = self.kernel(arguments)
        count = next(each.size for each in arguments if isinstance(each, DeviceArray)) // width
        choice = choice or json.loads(self.cache.get(self.tuned(arguments, width), b"[256, 4]"))
        launcher = kernel.prepare(self.config(count, *choice), stream)
        return lambda *values: launcher(*values, count)

    def output(self, arguments, stream):
        shape = next(each.shape for each in arguments if isinstance(each, DeviceArray))
        return Device().zeros(1 if self.total else shape, np.float32, stream=stream)

    def __call__(self, *arguments, stream):
        """Return the result of the function for each element, or their sum."""
        key = stream, *((each.ptr, each.shape) if isinstance(each, DeviceArray) else each for each in arguments)
        if key not in self.launchers:
            self.launchers[key] = self.prepare(arguments, stream)
        out = self.output(arguments, stream)
        self.launchers[key](out, *arguments)
        return out

    def tune(self, *arguments, stream):
        """Time each configuration in a graph of ten launches, store the fastest, and return it."""
        out, times = self.output(arguments, stream), {}
        for choice in itertools.product(THREADS, WAVES):
            builder = stream.create_graph_builder().begin_building()
            step = self.prepare(arguments, builder, choice)
            for _ in range(10):
                step(out, *arguments)
            times[choice] = milliseconds(builder.end_building().complete(), stream) / 10
        best = min(times, key=times.get)
        self.cache[self.tuned(arguments, self.kernel(arguments)[1])] = json.dumps(best).encode()
        self.launchers.clear()
        return best, times

    def resources(self, *arguments):
        """Return what the kernel needs of a multiprocessor."""
        kernel, width = self.kernel(arguments)
        of = kernel.attributes
        blocks = kernel.occupancy.max_active_blocks_per_multiprocessor(256, 0)
        return {"registers": of.num_regs, "local": of.local_size_bytes, "blocks of 256": blocks, "vector": width}


def milliseconds(graph, stream, rounds=5):
    timing, times = EventOptions(timing_enabled=True), []
    graph.launch(stream)
    for _ in range(rounds):
        start = stream.record(options=timing)
        graph.launch(stream)
        end = stream.record(options=timing)
        end.sync()
        times.append(end - start)
    return statistics.median(times)


def hypotenuse(x, y, scale):
    squares = x * x + y * y
    return scale * squares.sqrt()


def squared_error(x, y):
    return (x - y) * (x - y)


def look_up(table, index):
    return (
        table[index]  # the line that a fault names
        + 1
    )


def main():
    device = Device()
    device.set_current()
    stream = device.create_stream()
    random = np.random.default_rng(seed=1)
    with tempfile.TemporaryDirectory() as folder, FileStreamProgramCache(folder) as cache:
        for target, size in itertools.product(TARGETS, (100_000, 99_999)):
            x, y = random.random((2, size), np.float32)
            arguments = [device.to_device(each, stream=stream) for each in (x, y)]
            function = Compiled(hypotenuse, cache, constants=(2,), target=target)
            found = function(*arguments, 2.0, stream=stream).to_host(stream=stream)
            np.testing.assert_allclose(found, 2 * np.sqrt(x * x + y * y), rtol=1e-6)
            error = Compiled(squared_error, cache, total=True, target=target)(*arguments, stream=stream)
            np.testing.assert_allclose(error.to_host(stream=stream), ((x - y) ** 2).sum(dtype=float), rtol=1e-4)
            print(f"{target}, {size} elements: {function.resources(*arguments, 2.0)}")
        best, times = function.tune(*arguments, 2.0, stream=stream)
        print(f"fastest of {len(times)}: {best[0]} threads, {best[1]} blocks per multiprocessor")
    print(f"small_compiler: two targets, vectors of 4 and 1, on {device.name}: results equal NumPy's")


if __name__ == "__main__":
    main()
