# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A module's types and constants, made on first use from a compact table.

A row is a name, what it is, and the rest:

    CUstream handle pointer                a pointer to what only the driver knows
    CUfunction handle pointer CUkernel     one that takes CUkernel in its place
    CUdevice handle i4                     an integer with a type of its own
    CUhostFn handle callback               a C function
    CUresult enum u4 CUDA_SUCCESS=0 ...
    CUuuid struct 16 1 bytes=c16@0 ...     size, alignment, fields as name=type@offset
    CUuuid_st alias CUuuid
    CUDA_VERSION constant 13050
    nvJitLinkError error Result            an exception, and the enumeration of its status
    CUmemPool_attribute.1 value u4         type of the value that a member of an enumeration selects

Types: u1 u2 u4 u8 i1 i2 i4 i8 f4 f8, p (address), z (const char*), k (kernel parameters), c16 (16 bytes),
s16 (a string in 16 bytes), bu4.2.3 (bit-field: 3 bits from bit 2), 3*u4 (array),
@T#field (pointer to as many as the field says), =Name (handle, enumeration or struct).
"""

from cuda.bindings._array import ArrayType, PointerTo
from cuda.bindings._handle import Handle
from cuda.bindings._parameters import KernelParameters
from cuda.bindings._scalar import Address, Bits, Float, Int, Name, String, Text
from cuda.bindings._struct import EnumKind, Field, HandleKind, Struct, StructKind


class Tables:
    """What a module's table says, and what was made of it so far."""

    def __init__(self, module, text):
        self.module = module
        self.rows = dict([line.split(" ", 1) for line in text.splitlines()])
        self.kinds = {}
        self.errors = {}
        self.ctypes = {"p": Address(), "z": String(), "k": KernelParameters()}

    def names(self):
        """Return the public names."""
        return [name for name in self.rows if "." not in name]

    def attribute(self, name):
        """Return the class or constant `name`; raise AttributeError if there is none."""
        what, _, rest = self.rows.get(name, "").partition(" ")
        if what == "alias":
            return self.attribute(rest)
        if what == "constant":
            return int(rest)
        if what == "error":
            if name not in self.errors:
                self.errors[name] = self.make_error(name, rest)
            return self.errors[name]
        if what in ("handle", "enum", "struct"):
            return self.kind(name).python_class()
        raise AttributeError(f"module {self.module!r} has no attribute {name!r}")

    def kind(self, name):
        """Return the `Kind` of a type."""
        if name in self.kinds:
            return self.kinds[name]
        what, rest = self.rows[name].split(" ", 1)
        if what == "alias":
            kind = self.kind(rest)
        elif what == "handle":
            code, *accepts = rest.split()
            size, signed = (int(code[1:]), code[0] == "i") if code[1:].isdigit() else (8, False)
            kind = HandleKind(name, size, signed, tuple(accepts), self.make_handle)
        elif what == "enum":
            kind = EnumKind(name, rest[0] == "i", self.make_enum)
        else:
            size, align = rest.split(" ", 2)[:2]
            kind = StructKind(name, int(size), int(align), self.make_struct)
        return self.kinds.setdefault(name, kind)

    def ctype(self, code):
        """Return the `CType` that a code of the table means."""
        if code not in self.ctypes:
            self.ctypes[code] = self.make_ctype(code)
        return self.ctypes[code]

    def make_ctype(self, code):
        first = code[0]
        if first == "=":
            return self.kind(code[1:])
        if first == "@":
            of, _, count = code[1:].partition("#")
            return PointerTo(self.ctype(of), count or None)
        if first.isdigit():
            length, of = code.split("*", 1)
            return ArrayType(self.ctype(of), int(length))
        if first in "cs":
            return (Text if first == "c" else Name)(int(code[1:]))
        if first == "b":
            size, start, width = code[2:].split(".")
            return Bits(int(size), int(start), int(width), code[1] == "i")
        return Float(int(code[1:])) if first == "f" else Int(int(code[1:]), first == "i")

    def make_handle(self, name):
        code = self.rows[name].split()[1]
        kind = self.kinds[name]
        namespace = {
            "__slots__": (),
            "__module__": self.module,
            "__doc__": f"Handle type {name} of the C API.",
            "_kind_": kind,
            "_size_": kind.size,
            "_signed_": kind.is_signed,
            "_integer_": code[1:].isdigit(),
            "_callback_": code == "callback",
        }
        return type(Handle)(name, (Handle,), namespace)

    def make_enum(self, name):
        from cuda.bindings._enum import make_enum

        members = [member.split("=") for member in self.rows[name].split()[2:]]
        return make_enum(name, [(member, int(value)) for member, value in members], self.module)

    def make_struct(self, name):
        fields = [field.partition("=") for field in self.rows[name].split()[3:]]
        namespace = {
            "__slots__": (),
            "__module__": self.module,
            "__doc__": f"Struct {name} of the C API; a union where fields overlap.",
            "_kind_": self.kinds[name],
            "_fields_": tuple(field for field, _, _ in fields),
        }
        for field, _, place in fields:
            code, _, offset = place.rpartition("@")
            namespace[field] = Field(self.kinds[name], field, self.ctype(code), int(offset))
        if {"dsts", "srcs", "count"} <= namespace.keys():
            namespace["set_dsts_srcs"] = set_dsts_srcs
        return type(Struct)(name, (Struct,), namespace)

    def make_error(self, name, enum):
        from cuda.bindings._enum import make_error

        return make_error(name, self.kind(enum).python_class(), self.module)

    def value_type(self, enum, member):
        """Return the `CType` of the value that a member of an enumeration selects, None if it is not known."""
        code = self.rows.get(f"{enum}.{int(member)}", "").partition(" ")[2]
        return self.ctype(code) if code else None


def set_dsts_srcs(self, dsts, srcs):
    """Set the destinations and sources of the copies, two lists of the same length, and their count."""
    if len(dsts) != len(srcs):
        raise ValueError(f"dsts has {len(dsts)} elements, but srcs has {len(srcs)}")
    self.dsts = dsts
    self.srcs = srcs
    self.count = len(dsts)


def size_of(cls):
    """Return the bytes that C needs for a value of a class of a module."""
    kind = getattr(cls, "_kind_", None)
    if kind is not None:
        return kind.size
    from cuda.bindings._enum import Enumeration

    if isinstance(cls, type) and issubclass(cls, Enumeration):
        return 4
    raise TypeError(f"sizeof() takes a handle, enumeration or struct class of cuda.bindings, not {cls!r:.80}")
