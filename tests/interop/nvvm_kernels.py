# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A program for test_nvvm.py: kernels that llvmlite's IR builder writes as NVVM IR, compiled by libNVVM."""

import numpy as np
from llvmlite import ir

from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch

LAYOUT = (
    "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-f32:32:32-f64:64:64-"
    "v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64"
)
BYTE, INT, LONG, FLOAT, DOUBLE = ir.IntType(8), ir.IntType(32), ir.IntType(64), ir.FloatType(), ir.DoubleType()
random = np.random.default_rng(4)
device = Device()
device.set_current()
stream = device.create_stream()


def array(element):
    return element.as_pointer(1)


class Kernel:
    """A kernel under construction, with what its statements need."""

    def __init__(self, *types):
        self.module = ir.Module(name="kernel")
        self.module.triple, self.module.data_layout = "nvptx64-nvidia-cuda", LAYOUT
        self.function = ir.Function(self.module, ir.FunctionType(ir.VoidType(), types), "kernel")
        self.b = ir.IRBuilder(self.function.append_basic_block("entry"))
        for name, values in (
            ("nvvm.annotations", [self.function, "kernel", INT(1)]),
            ("nvvmir.version", [INT(2), INT(0)]),
        ):
            self.module.add_named_metadata(name, values)
        self.thread, self.block, self.size = (
            self.call(f"llvm.nvvm.read.ptx.sreg.{name}.x", INT) for name in ("tid", "ctaid", "ntid")
        )
        self.i = self.b.add(self.b.mul(self.block, self.size), self.thread)

    def call(self, name, result, *arguments):
        kind = ir.FunctionType(result, [argument.type for argument in arguments])
        function = self.module.globals.get(name) or ir.Function(self.module, kind, name)
        return self.b.call(function, arguments)

    def at(self, pointer, index):
        return self.b.gep(pointer, [index])

    def load(self, pointer, index):
        return self.b.load(self.at(pointer, index))

    def store(self, value, pointer, index):
        self.b.store(value, self.at(pointer, index))

    def barrier(self):
        self.call("llvm.nvvm.barrier0", ir.VoidType())

    def shared(self, element, count):
        room = ir.GlobalVariable(self.module, ir.ArrayType(element, count), "room", addrspace=3)
        room.linkage, room.initializer = "internal", ir.Constant(room.value_type, ir.Undefined)
        return lambda index: self.b.gep(room, [INT(0), index])

    def run(self, grid, block, *arguments):
        if not self.b.block.is_terminated:
            self.b.ret_void()
        options = ProgramOptions(arch=f"sm_{device.arch}", use_libdevice=True)
        code = Program(str(self.module), "nvvm", options).compile("ptx")
        on_device = [device.to_device(value) if isinstance(value, np.ndarray) else value for value in arguments]
        launch(stream, LaunchConfig(grid=grid, block=block), code.get_kernel("kernel"), *on_device)
        stream.sync()
        return [value.to_host() for value in on_device if hasattr(value, "to_host")]


def normal(*shape, dtype=np.float32):
    return random.standard_normal(shape).astype(dtype)


def saxpy():
    k = Kernel(FLOAT, array(FLOAT), array(FLOAT), INT)
    a, x, y, n = k.function.args
    with k.b.if_then(k.b.icmp_signed("<", k.i, n)):
        k.store(k.b.fadd(k.b.fmul(a, k.load(x, k.i)), k.load(y, k.i)), y, k.i)
    x, y = normal(1000), normal(1024)
    found = k.run(4, 256, 2.5, x, y, 1000)[1]
    np.testing.assert_allclose(found[:1000], 2.5 * x + y[:1000], rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(found[1000:], y[1000:])


def shared_memory():
    """Reverse a block."""
    k = Kernel(array(DOUBLE))
    (x,) = k.function.args
    room = k.shared(DOUBLE, 128)
    k.b.store(k.load(x, k.i), room(k.thread))
    k.barrier()
    k.store(k.b.load(room(k.b.sub(INT(127), k.thread))), x, k.i)
    x = normal(512, dtype=np.float64)
    np.testing.assert_array_equal(k.run(4, 128, x)[0], x.reshape(4, 128)[:, ::-1].ravel())


def loops():
    """The sum of a row, with a phi node."""
    k = Kernel(array(FLOAT), array(FLOAT), INT)
    x, out, n = k.function.args
    before, loop, end = k.b.block, k.b.append_basic_block("loop"), k.b.append_basic_block("end")
    k.b.branch(loop)
    k.b.position_at_end(loop)
    j, total = k.b.phi(INT), k.b.phi(FLOAT)
    following = k.b.fadd(total, k.load(x, k.b.add(k.b.mul(k.i, n), j)))
    more = k.b.add(j, INT(1))
    for phi, first, later in ((j, INT(0), more), (total, FLOAT(0), following)):
        phi.add_incoming(first, before)
        phi.add_incoming(later, loop)
    k.b.cbranch(k.b.icmp_signed("<", more, n), loop, end)
    k.b.position_at_end(end)
    k.store(following, out, k.i)
    x = normal(64, 37)
    np.testing.assert_allclose(k.run(2, 32, x.ravel(), np.zeros(64, np.float32), 37)[1], x.sum(1), rtol=1e-3, atol=1e-4)


def atomics():
    k = Kernel(array(INT), array(INT))
    x, counts = k.function.args
    k.b.atomic_rmw("add", k.at(counts, k.load(x, k.i)), INT(1), "seq_cst")
    k.b.atomic_rmw("max", k.at(counts, INT(8)), k.i, "seq_cst")
    x = random.integers(0, 8, 1024).astype(np.int32)
    found = k.run(8, 128, x, np.zeros(9, np.int32))[1]
    assert found.tolist() == [*np.bincount(x, minlength=8), 1023]


def warps():
    """A sum by shuffles."""
    k = Kernel(array(FLOAT))
    (x,) = k.function.args
    value = k.load(x, k.i)
    pair = ir.LiteralStructType([INT, ir.IntType(1)])
    for distance in (16, 8, 4, 2, 1):
        bits = k.b.bitcast(value, INT)
        other = k.call("llvm.nvvm.shfl.sync.i32", pair, INT(-1), INT(3), bits, INT(distance), INT(31))
        value = k.b.fadd(value, k.b.bitcast(k.b.extract_value(other, 0), FLOAT))
    k.store(value, x, k.i)
    x = normal(128)
    expected = np.repeat(x.reshape(4, 32).sum(1), 32)
    np.testing.assert_allclose(k.run(2, 64, x)[0], expected, rtol=1e-4, atol=1e-4)


def math_functions():
    """Of libdevice, which libNVVM links."""
    k = Kernel(array(DOUBLE))
    (x,) = k.function.args
    value = k.load(x, k.i)
    k.store(k.call("__nv_pow", DOUBLE, k.call("__nv_exp", DOUBLE, value), k.call("__nv_cos", DOUBLE, value)), x, k.i)
    x = normal(256, dtype=np.float64)
    np.testing.assert_allclose(k.run(1, 256, x)[0], np.exp(x) ** np.cos(x), rtol=1e-12)


def half_precision():
    half = ir.HalfType()
    k = Kernel(array(half), array(FLOAT))
    x, out = k.function.args
    k.store(k.b.fpext(k.b.fmul(k.load(x, k.i), k.load(x, k.i)), FLOAT), out, k.i)
    x = normal(64, dtype=np.float16)
    np.testing.assert_array_equal(k.run(1, 64, x, np.zeros(64, np.float32))[1], (x * x).astype(np.float32))


def functions():
    """A function of the device that is called by the kernel: Euclid's algorithm, recursive."""
    k = Kernel(array(INT), array(INT))
    x, y = k.function.args
    gcd = ir.Function(k.module, ir.FunctionType(INT, [INT, INT]), "gcd")
    gcd.linkage = "internal"
    b = ir.IRBuilder(gcd.append_basic_block("entry"))
    with b.if_then(b.icmp_signed("==", gcd.args[1], INT(0))):
        b.ret(gcd.args[0])
    b.ret(b.call(gcd, [gcd.args[1], b.srem(*gcd.args)]))
    k.store(k.b.call(gcd, [k.load(x, k.i), k.load(y, k.i)]), x, k.i)
    x, y = (random.integers(1, 1000, 128).astype(np.int32) for _ in range(2))
    np.testing.assert_array_equal(k.run(1, 128, x, y)[0], np.gcd(x, y))


def switches():
    k = Kernel(array(INT))
    (x,) = k.function.args
    value, end = k.load(x, k.i), k.b.append_basic_block("end")
    cases = [(number, k.b.append_basic_block(f"case{number}")) for number in (0, 5, 1000, None)]
    switch = k.b.switch(value, cases[-1][1])
    results = []
    for number, block in cases:
        if number is not None:
            switch.add_case(INT(number), block)
        k.b.position_at_end(block)
        results.append((k.b.mul(value, INT(3)) if number is None else INT(number + 7), block))
        k.b.branch(end)
    k.b.position_at_end(end)
    phi = k.b.phi(INT)
    for result, block in results:
        phi.add_incoming(result, block)
    k.store(phi, x, k.i)
    x = random.choice(np.array([0, 1, 5, 77, 1000], np.int32), 256)
    np.testing.assert_array_equal(k.run(2, 128, x)[0], np.where(np.isin(x, [0, 5, 1000]), x + 7, 3 * x))


def wide_integers():
    """The upper halves of products of 64 bits, and counts of bits."""
    k = Kernel(array(LONG), array(LONG))
    x, y = k.function.args
    wide = ir.IntType(128)
    product = k.b.mul(k.b.zext(k.load(x, k.i), wide), k.b.zext(k.load(y, k.i), wide))
    k.store(k.b.trunc(k.b.lshr(product, wide(64)), LONG), x, k.i)
    k.store(k.call("llvm.ctpop.i64", LONG, k.load(y, k.i)), y, k.i)
    x, y = (random.integers(0, 1 << 63, 64, dtype=np.uint64) for _ in range(2))
    upper, bits = k.run(1, 64, x, y)
    assert upper.tolist() == [int(a) * int(b) >> 64 for a, b in zip(x, y, strict=True)]
    assert bits.tolist() == [int(b).bit_count() for b in y]


PROGRAMS = [saxpy, shared_memory, loops, atomics, warps, math_functions, half_precision, functions, switches,
            wide_integers]  # fmt: skip

if __name__ == "__main__":
    for program in PROGRAMS:
        program()
        print(program.__name__, "is right", flush=True)
    print("on", device.name)
