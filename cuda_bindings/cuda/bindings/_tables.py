# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Creation of a module's types and constants, on first use, from a compact table.

A row consists of a name, a kind, and further columns:

    CUstream handle pointer                an opaque pointer
    CUfunction handle pointer CUkernel     one that accepts CUkernel, too
    CUdevice handle i4                     an integer with a type of its own
    CUhostFn handle callback               a C function
    CUresult enum u4 CUDA_SUCCESS=0 ...
    CUuuid struct 16 1 bytes=c16@0 ...     size, alignment, fields as name=type@offset
    PciInfo record 68 4 0 bus_id=...       the same for a record, with the value of its field `version`, or 0
    pci_info_dtype dtype PciInfo           the structured dtype of a record
    CUuuid_st alias CUuuid
    CUDA_VERSION constant 13050
    cudaBindingsDriverGlobal marker        a class without attributes
    nvJitLinkError error Result            an exception, and the enumeration of its status
    NotFoundError failure NvmlError 6      an exception for a single status
    CUmemPool_attribute.1 value u4         type of the value that a member of an enumeration selects
    CUmemLocation.* union type 1=id ...    field that selects the active one of the members that share memory
    CUlaunchAttribute.value union id ...   the same for a field that is a union

Types: u1 u2 u4 u8 i1 i2 i4 i8 f4 f8, ? (bool), p (address), z (const char*), k (kernel parameters), c16 (16 bytes),
s16 (a string in 16 bytes), bu4.2.3 (bit-field: 3 bits from bit 2), 3*u4 (array),
@T#field (pointer to elements whose number is in the field), =Name (handle, enumeration or struct).
In records also: t16 (str in 16 bytes), y (const char* as str), 3^u4 and 3^u4#field (view of 3 elements, or of the
number in the field), &T#field (pointer to a record of the number in the field).
"""

from cuda.bindings._array import ArrayType, PointerTo
from cuda.bindings._handle import Handle
from cuda.bindings._parameters import KernelParameters
from cuda.bindings._record import EmbeddedArray, Record, RecordPointer, StrText
from cuda.bindings._scalar import Address, Bits, Bool, Float, Int, Name, String, Text
from cuda.bindings._struct import EnumKind, Field, HandleKind, Struct, StructKind


class Tables:
    """The table of a module, and the classes created from it so far."""

    def __init__(self, module, text):
        self.module = module
        self.rows = dict([row.split(" ", 1) for row in text.splitlines()])
        self.kinds = {}
        self.errors = {}
        self.failures = None
        self.dtypes = {}
        self.plans = {}
        self.ctypes = {"p": Address(), "z": String(), "y": String(True), "k": KernelParameters(), "?": Bool()}

    def names(self):
        """Return the public names."""
        return [name for name in self.rows if "." not in name]

    def attribute(self, name):
        """Return the class or constant `name`; raise AttributeError if there is none."""
        category, _, rest = self.rows.get(name, "").partition(" ")
        if category == "alias":
            return self.attribute(rest)
        if category == "constant":
            return int(rest)
        if category in ("error", "failure"):
            if name not in self.errors:
                make = self.make_error if category == "error" else self.make_failure
                self.errors.setdefault(name, make(name, rest))  # one class, whichever thread comes first
            return self.errors[name]
        if category == "dtype":
            return self.dtype(rest)
        if category == "marker":
            return type(name, (), {"__module__": self.module, "__doc__": "Marks the module; has no attributes."})
        if category in ("handle", "enum", "struct", "record"):
            return self.kind(name).python_class()
        raise AttributeError(f"module {self.module!r} has no attribute {name!r}")

    def kind(self, name):
        """Return the `Kind` of a type."""
        if name in self.kinds:
            return self.kinds[name]
        category, rest = self.rows[name].split(" ", 1)
        if category == "alias":
            kind = self.kind(rest)
        elif category == "handle":
            code, *accepts = rest.split()
            size, signed = (int(code[1:]), code[0] == "i") if code[1:].isdigit() else (8, False)
            kind = HandleKind(name, size, signed, tuple(accepts), self.make_handle)
        elif category == "enum":
            kind = EnumKind(name, rest[0] == "i", self.make_enum)
            kind.format = f"<{rest[:2]}"
        else:
            size, align = rest.split(" ", 2)[:2]
            kind = StructKind(name, int(size), int(align), self.make_struct, category == "record")
        return self.kinds.setdefault(name, kind)

    def ctype(self, code):
        """Return the `CType` for a type code of the table."""
        if code not in self.ctypes:
            self.ctypes.setdefault(code, self.make_ctype(code))
        return self.ctypes[code]

    def make_ctype(self, code):
        first = code[0]
        if first == "=":
            return self.kind(code[1:])
        if first == "&":
            element, _, count = code[1:].partition("#")
            return RecordPointer(self.ctype(element), count)
        if first.isdigit() and "^" in code:
            length, element = code.split("^", 1)
            element, _, count = element.partition("#")
            return EmbeddedArray(self.ctype(element), int(length), count or None)
        if first == "@":
            element, _, count = code[1:].partition("#")
            return PointerTo(self.ctype(element), count or None)
        if first.isdigit():
            length, element = code.split("*", 1)
            return ArrayType(self.ctype(element), int(length))
        if first in "cst":
            return {"c": Text, "s": Name, "t": StrText}[first](int(code[1:]))
        if first == "b":
            size, start, width = code[2:].split(".")
            return Bits(int(size), int(start), int(width), code[1] == "i")
        made = Float(int(code[1:])) if first == "f" else Int(int(code[1:]), first == "i")
        made.format = f"<{code}"
        return made

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

    def fields(self, name):
        """Return the fields of a struct: name, code of the type, offset."""
        category, *columns = self.rows[name].split()
        pairs = [column.partition("=")[::2] for column in columns[3 if category == "record" else 2 :]]
        return [(field, *code_and_offset.rpartition("@")[::2]) for field, code_and_offset in pairs]

    def make_struct(self, name):
        base = Record if self.rows[name].startswith("record") else Struct
        fields = self.fields(name)
        codes = {field: code for field, code, _ in fields}
        namespace = {
            "__slots__": (),
            "__module__": self.module,
            "__doc__": f"Struct {name} of the C API; a union where fields overlap.",
            "_kind_": self.kinds[name],
            "_fields_": tuple(field for field, _, _ in fields),
            "_pointers": staticmethod(lambda: self.pointers(name)),
            "_plan": staticmethod(lambda: self.plan(name)),
            "_is_struct": staticmethod(lambda field: isinstance(self.ctype(codes[field]), StructKind)),
        }
        if base is Record:
            namespace["_dtype"] = staticmethod(lambda: self.dtype(name))
        for field, code, offset in fields:
            namespace[field] = Field(self.kinds[name], field, self.ctype(code), int(offset))
        if {"dsts", "srcs", "count"} <= namespace.keys():
            namespace["set_dsts_srcs"] = set_dsts_srcs
        return type(Struct)(name, (base,), namespace)

    def pointers(self, name):
        """Return the fields of a struct, including nested ones, that hold addresses of this process."""
        return [field for field, code, _ in self.fields(name) if self.is_pointer(code)]

    def is_pointer(self, code):
        code = code.lstrip("0123456789").lstrip("*^").partition("#")[0]
        if code[0] != "=":
            return code[0] in "pzyk@&"
        category, rest = self.rows[code[1:]].split(" ", 1)
        if category == "alias":
            return self.is_pointer(f"={rest}")
        if category == "handle":
            return not rest.split()[0][1:].isdigit()
        return category != "enum" and bool(self.pointers(code[1:]))

    def plan(self, name):
        """Return the parts that the repr of a struct shows."""
        if name not in self.plans:
            from cuda.bindings._struct_repr import plan

            self.plans[name] = plan(self, name)
        return self.plans[name]

    def spans(self, name):
        """Return the first and last bit of each field of a struct, and its name."""
        spans = []
        for field, code, offset in self.fields(name):
            _, first, width = code[2:].split(".") if code[0] == "b" else ("", 0, 8 * self.ctype(code).size)
            start = 8 * int(offset) + int(first)
            spans.append((start, start + int(width), field))
        return spans

    def unions(self, name):
        """Return the unions in a struct: the field that selects the active member, and the members by its values."""
        found = {}
        for row, text in self.rows.items():
            if row.startswith(f"{name}.") and text.startswith("union "):
                _, tag, *members = text.split()
                pairs = [member.split("=") for member in members]
                found[row.partition(".")[2]] = tag, {int(value): field for value, field in pairs}
        return found

    def is_plain(self, code):
        """Return whether every bit pattern of the type can be shown safely: a number or a handle."""
        if code[0] == "=":
            return self.rows[code[1:]].startswith(("handle ", "enum "))
        return code[0] in "uifbp"

    def dtype(self, name):
        """Return the structured dtype of a record."""
        import numpy

        if name not in self.dtypes:
            fields = self.fields(name)
            description = {
                "names": [field for field, _, _ in fields],
                "formats": [self.format(code) for _, code, _ in fields],
                "offsets": [int(offset) for _, _, offset in fields],
                "itemsize": self.kind(name).size,
            }
            self.dtypes[name] = numpy.dtype(description)
        return self.dtypes[name]

    def format(self, code):
        """Return the NumPy format of a field."""
        code = code.partition("#")[0]
        if code[0] == "=":
            return self.ctype(code).format or self.dtype(code[1:])
        if code[0] == "t":
            return ("i1", (int(code[1:]),))
        element = code.lstrip("0123456789")
        if element != code:
            return (self.format(element[1:]), (int(code[: -len(element)]),))
        if code[0] == "b":
            return f"<{code[1:].partition('.')[0]}"
        return "<i8" if code[0] in "pyz&" else f"<{code}"

    def make_error(self, name, enums):
        from cuda.bindings._enum import make_error

        return make_error(name, [self.kind(enum).python_class() for enum in enums.split()], self.module)

    def make_failure(self, name, rest):
        base, status = rest.split()
        doc = f"{base} of status {status}."
        return type(name, (self.attribute(base),), {"__module__": self.module, "__doc__": doc, "_status": int(status)})

    def failure(self, name, *status):
        """Return the exception for the status of a call: of class `name`, or of the subclass for this status."""
        if self.failures is None:
            pairs = [(row.split(), name) for name, row in self.rows.items() if row.startswith("failure ")]
            self.failures = {int(words[2]): name for words, name in pairs}
        return self.attribute(self.failures.get(status[0], name))(*status)

    def value_type(self, enum, member):
        """Return the `CType` of the value that a member of an enumeration selects, None if unknown."""
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
    """Return the size in bytes of a class's C type."""
    kind = getattr(cls, "_kind_", None)
    if kind is not None:
        return kind.size
    from cuda.bindings._enum import Enumeration

    if isinstance(cls, type) and issubclass(cls, Enumeration):
        return 4
    raise TypeError(f"sizeof() takes a handle, enumeration or struct class of cuda.bindings, not {cls!r:.80}")
