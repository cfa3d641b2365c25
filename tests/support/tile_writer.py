# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Write Tile IR bytecode for tests, and run it: kernels of single operations on NumPy arrays."""

from __future__ import annotations

import contextlib
import ctypes
import itertools

import numpy as np
from support.tileiras import varint

from cuda.cpu.tile.operations import BY_NAME, KINDS

SCALARS = {"i1": 0, "i8": 1, "i16": 2, "i32": 3, "i64": 4, "f16": 5, "bf16": 6, "f32": 7, "tf32": 8, "f64": 9,
           "f8E4M3FN": 10, "f8E5M2": 11, "f8E8M0FNU": 18, "f4E2M1FN": 19, "i4": 22}  # fmt: skip
NAMES = {"bool": "i1", "int8": "i8", "uint8": "i8", "int16": "i16", "uint16": "i16", "int32": "i32", "uint32": "i32",
         "int64": "i64", "uint64": "i64", "float16": "f16", "float32": "f32", "float64": "f64"}  # fmt: skip
BITS = {"f16": np.uint16, "bf16": np.uint16, "f32": np.uint32, "tf32": np.uint32, "f64": np.uint64}
DYNAMIC = -(1 << 63)
TOKEN = ("token",)


def tile(element, *shape):
    """Return a tile type; an element is a name, or ("ptr", name)."""
    return "tile", element, shape


def pointer(element, *shape):
    return tile(("ptr", element), *shape)


def tensor_view(element, shape, strides):
    return "tensor_view", element, shape, strides


def partition_view(view, shape, dim_map=None, padding=None):
    return "partition_view", view, shape, tuple(dim_map or range(len(shape))), padding


def strided_view(view, shape, steps, dim_map=None, padding=None):
    return "strided_view", view, shape, steps, tuple(dim_map or range(len(shape))), padding


def gather_view(view, shape, sparse, padding=None):
    return "gather_view", view, shape, sparse, padding


class Number:
    """A typed number among attributes, by its bits."""

    def __init__(self, element, bits):
        self.element, self.bits = element, bits


class Value:
    def __init__(self, index, kind):
        self.index, self.kind = index, kind


class Kernel:
    """A kernel under construction: `op` appends an operation and returns its results."""

    def __init__(self, *parameters, version=(13, 4), name="kernel"):
        self.version, self.name = version, name
        self.strings, self.types, self.type_data, self.constants = [], [], [], []
        self.globals = []
        self.code, self.count = bytearray(), 0
        self.parameters = parameters
        self.values = [self._define(each) for each in parameters]
        self.operations = 0

    def _define(self, kind):
        self.count += 1
        return Value(self.count - 1, kind)

    def string(self, text):
        return self._index(self.strings, text)

    @staticmethod
    def _index(items, item):
        if item not in items:
            items.append(item)
        return items.index(item)

    def type(self, kind):
        """Return the index of a type, with those that it refers to before it."""
        if kind in self.types:
            return self.types.index(kind)
        data = self._type_data(kind)
        self.types.append(kind)
        self.type_data.append(data)
        return len(self.types) - 1

    def _type_data(self, kind):
        if isinstance(kind, str):
            return varint(SCALARS[kind])
        flags = b"\0" if self.version >= (13, 4) else b""
        name, *rest = kind
        if name == "ptr":
            return varint(12) + flags + varint(self.type(rest[0]))
        if name == "tile":
            return varint(13) + varint(self.type(rest[0])) + array(rest[1], 8)
        if name == "tensor_view":
            return varint(14) + flags + varint(self.type(rest[0])) + array(rest[1], 8) + array(rest[2], 8)
        if name == "partition_view":
            view, shape, dims, padding = rest
            data = array(shape, 4) + varint(self.type(view)) + array(dims, 4)
            some = bytes([padding is not None])
            last = b"" if padding is None else varint(padding)
            return varint(15) + (some + data + last if self.version >= (13, 3) else data + some + last)
        if name in ("strided_view", "gather_view"):
            view, shape, steps, *dims, padding = rest
            data = array(shape, 4) + (array(steps, 4) if dims else b"") + varint(self.type(view))
            data += array(dims[0], 4) if dims else varint(steps)
            last = b"" if padding is None else varint(padding)
            return varint(21 if dims else 20) + bytes([padding is not None]) + data + last
        if name == "function":
            return varint(16) + b"".join(varint(len(each)) + b"".join(varint(self.type(kind)) for kind in each)
                                         for each in rest)  # fmt: skip
        return varint(17)

    def constant(self, array_, element=None):
        """Append a constant: a number, or an array with the elements of a tile."""
        array_ = np.asarray(array_)
        name = element or NAMES[str(array_.dtype)]
        return self.op("constant", [], [tile(name, *array_.shape)], value=array_.tobytes())

    def op(self, name, operands, results=(), regions=(), **attributes):
        """Append an operation. A region is (types of arguments, function of the arguments that appends its body)."""
        row = BY_NAME[name]
        code = bytearray(varint(row.opcode))
        if row.variadic:
            code += varint(len(results))
        for kind in results:
            code += varint(self.type(kind))
        given = dict(zip((each.name for each in row.operands), operands, strict=False))
        flagged = [each for each in row.flags if each.since <= self.version]
        if flagged:
            present = given | attributes
            code += varint(
                sum(1 << bit for bit, each in enumerate(flagged) if present.get(each.name) not in (None, False))
            )
        for field in row.attributes:
            if field.since <= self.version and (not field.optional or attributes.get(field.name) is not None):
                code += self._attribute(field, attributes.get(field.name))
        flat = not row.segments and any(each.kind == "*" for each in row.operands)
        values = list(itertools.chain.from_iterable(
            each if isinstance(each, (list, tuple)) else [each] for each in operands if each is not None
        ))  # fmt: skip
        if flat:
            code += varint(len(values)) + b"".join(varint(each.index) for each in values)
        else:
            for field in row.operands:
                code += self._operand(field, given.get(field.name))
        self.code += code
        self.operations += 1
        if row.regions:
            self.code += varint(row.regions)
            for kinds, body in regions:
                self._region(kinds, body)
            self.code += b"\0" * (row.regions - len(regions))
        made = [self._define(kind) for kind in results]
        return made[0] if len(made) == 1 else made

    def _region(self, kinds, body):
        outer, before, operations = self.code, self.count, self.operations
        self.code, self.operations = bytearray(), 0
        body(*[self._define(kind) for kind in kinds])
        inner, count = self.code, self.operations
        self.code, self.count, self.operations = outer, before, operations
        self.code += varint(1) + varint(len(kinds)) + b"".join(varint(self.type(each)) for each in kinds)
        self.code += varint(count) + inner

    def _operand(self, field, value):
        if field.kind == "*":
            values = value or ()
            return varint(len(values)) + b"".join(varint(each.index) for each in values)
        return b"" if value is None else varint(value.index)

    def _attribute(self, field, value):
        kind = KINDS[field.kind]
        if isinstance(kind, tuple):
            return varint(kind.index(value or kind[0]))
        writers = {
            "": lambda: b"",
            "varint": lambda: varint(value),
            "string": lambda: varint(self.string(value)),
            "byte": lambda: bytes([bool(value)]),
            "i32 array": lambda: array(value, 4),
            "byte array": lambda: array(value or (), 1),
            "constant": lambda: varint(self._index(self.constants, varint(len(value)) + value)),
            "array": lambda: varint(len(value)) + b"".join(map(self._number, value)),
            "tagged": lambda: b"\x08" + varint(value) + b"\0",  # divisible by
        }
        return writers[kind]()

    def _number(self, number):
        width = int("".join(filter(str.isdigit, number.element)))
        bits = number.bits - (1 << 64) if number.bits >> 63 else number.bits
        data = varint(number.bits) if number.element[0] == "i" else bytes([number.bits]) if width <= 8 else \
            varint((bits << 1 ^ bits >> 63) & (1 << 64) - 1)  # fmt: skip
        return varint(1 if number.element[0] == "i" else 2) + varint(self.type(number.element)) + data

    def add_global(self, name, values, constant=False):
        """Append a global with the elements of an array."""
        kind = self.type(tile(NAMES[str(values.dtype)], *values.shape))
        data = self._index(self.constants, varint(values.nbytes) + values.tobytes())
        entry = varint(self.string(name)) + varint(kind) + varint(data) + varint(0)
        self.globals.append(entry + (bytes([constant, 0]) if self.version >= (13, 3) else b""))

    def bytecode(self):
        """Return the bytecode of a module with this kernel, which ends here."""
        self.op("return", [[]])
        signature = self.type(("function", self.parameters, ()))
        body = bytes(self.code)
        more = b"\x0b\0\6\0" if self.version >= (13, 5) else b""  # no hints, no other attributes
        function = varint(1) + varint(self.string(self.name)) + varint(signature) + b"\2\0" + more
        function += varint(len(body)) + body
        sections = [
            (2, function),
            (5, table(self.type_data, 4)),
            (1, table([each.encode() for each in self.strings], 4)),
        ]
        if self.constants:
            sections.append((4, table(self.constants, 8)))
        if self.globals:
            sections.append((6, varint(len(self.globals)) + b"".join(self.globals)))
        data = bytearray(b"\x7fTileIR\0" + bytes(self.version) + b"\0\0")
        for kind, content in sections:
            data += bytes([kind | 0x80]) + varint(len(content)) + varint(8)
            data += b"\xcb" * (-len(data) % 8) + content
        return bytes(data) + b"\0"


def array(values, width):
    return varint(len(values)) + b"".join(int(each).to_bytes(width, "little", signed=True) for each in values)


def table(items, width):
    data = bytearray(varint(len(items)))
    data += b"\xcb" * (-len(data) % width)
    for offset in itertools.accumulate((len(each) for each in items[:-1]), initial=0) if items else ():
        data += offset.to_bytes(width, "little")
    return bytes(data) + b"".join(items)


# --- running -----------------------------------------------------------------------------------------------


@contextlib.contextmanager
def loaded(data):
    """Load bytecode by the driver; yield the module. A context must be current."""
    from cuda.cpu import driver

    image = ctypes.create_string_buffer(data, len(data))
    module = driver.cuModuleLoadData(ctypes.addressof(image))
    try:
        yield module
    finally:
        driver.cuModuleUnload(module)


def launch(kernel, *arguments, grid=(1, 1, 1)):
    """Run a kernel with NumPy arrays, whose host memory the CPU device reads and writes, and scalars of NumPy."""
    from cuda.cpu import driver

    values = [
        ctypes.c_uint64(each.ctypes.data) if isinstance(each, np.ndarray) and each.shape else np.array(each)
        for each in arguments
    ]
    pointers = [each.ctypes.data if isinstance(each, np.ndarray) else ctypes.addressof(each) for each in values]
    with loaded(kernel.bytecode()) as module:
        function = driver.cuModuleGetFunction(module, kernel.name.encode())
        params = (ctypes.c_uint64 * len(pointers))(*pointers)
        driver.cuLaunchKernel(function, *grid, 1, 1, 1, 0, 0, ctypes.addressof(params) if pointers else 0, 0)
        driver.cuCtxSynchronize()


def pointers_to(kernel, base, element, shape):
    """Append operations that make pointers to all elements of an array, row by row."""
    size = int(np.prod(shape)) if shape else 1
    if not shape:
        return base
    index = kernel.op("iota", [], [tile("i32", size)])
    index = kernel.op("reshape", [index], [tile("i32", *shape)])
    one = kernel.op("reshape", [base], [pointer(element, *(1 for _ in shape))])
    return kernel.op("offset", [kernel.op("broadcast", [one], [pointer(element, *shape)]), index],
                     [pointer(element, *shape)])  # fmt: skip


def load(kernel, base, element, shape):
    """Append a load of a whole array of a tile's shape."""
    address = pointers_to(kernel, base, element, shape)
    return kernel.op("load_ptr_tko", [address], [tile(element, *shape), TOKEN], semantics="weak")[0]


def store(kernel, base, value):
    """Append a store of a tile into a whole array."""
    _, element, shape = value.kind
    kernel.op("store_ptr_tko", [pointers_to(kernel, base, element, shape), value], [TOKEN], semantics="weak")


def evaluate(build, *inputs, outputs, version=(13, 4)):
    """Return the results of operations on arrays.

    `build(kernel, *values)` appends the operations to a kernel that has loaded `inputs`, and returns the results.
    `outputs` are arrays of their types and shapes, which are filled and returned.
    """
    names = [NAMES[str(each.dtype)] for each in [*inputs, *outputs]]
    kernel = Kernel(*(pointer("i8" if name == "i1" else name) for name in names), version=version)
    values = [
        _loaded(kernel, base, name, each.shape) for base, name, each in zip(kernel.values, names, inputs, strict=False)
    ]
    results = build(kernel, *values)
    results = results if isinstance(results, (list, tuple)) else [results]
    for base, value in zip(kernel.values[len(inputs) :], results, strict=True):
        _, element, shape = value.kind
        if element == "i1":
            value = kernel.op("exti", [value], [tile("i8", *shape)], signedness="unsigned")
        store(kernel, base, value)
    held = [np.ascontiguousarray(each).reshape(each.shape or (1,)) for each in inputs]
    filled = [np.zeros(each.shape or (1,), each.dtype) for each in outputs]
    launch(kernel, *held, *filled)
    found = [each.reshape(like.shape) for each, like in zip(filled, outputs, strict=True)]
    return found[0] if len(found) == 1 else found


def _loaded(kernel, base, name, shape):
    value = load(kernel, base, "i8" if name == "i1" else name, shape)
    return kernel.op("trunci", [value], [tile("i1", *shape)]) if name == "i1" else value
