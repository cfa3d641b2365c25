# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Data classes for the declarations of a C header: types, functions, parameters and their roles, constants.

`headers.py` creates them, `facts.py` keeps them in files, `roles.py` assigns the roles, the `write_*` modules read
them. They are independent of Cython, Python and any one API.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import NamedTuple


class HeaderError(Exception):
    """A header is missing, does not parse cleanly, or says something that the model has no shape for."""


@dataclass(frozen=True)
class Primitive:
    """A C arithmetic type or void, spelled canonically: ``unsigned long long``."""

    name: str


@dataclass(frozen=True)
class Named:
    """A reference to a typedef, struct, union or enum of the model, or to a fixed-width type (``size_t``)."""

    name: str


@dataclass(frozen=True)
class Pointer:
    to: Type
    const: bool = False  # the pointee is const


@dataclass(frozen=True)
class Array:
    of: Type
    length: int


@dataclass(frozen=True)
class FunctionType:
    """Always met behind a Pointer, or as the target of a callback typedef."""

    result: Type
    params: tuple[tuple[str, Type], ...]


Type = Primitive | Named | Pointer | Array | FunctionType


def pointee(type_: Type | Struct | Enum) -> Type:
    """Return what a pointer type points to."""
    if not isinstance(type_, Pointer):
        raise TypeError(f"not a pointer: {type_!r}")
    return type_.to


class Role(enum.Enum):
    """What a caller does with a parameter; it decides the Python signature and the CPU driver's shell alike."""

    IN = "in"  # a scalar, enum, handle, by-value struct or address
    IN_STRING = "in string"  # const char*, NUL-terminated
    IN_STRUCT = "in struct"  # pointer to one struct that is read (NULL allowed)
    INOUT_STRUCT = "inout struct"  # pointer to one struct that the callee also changes; the caller's object is updated
    IN_ARRAY = "in array"  # pointer to `count` elements that are read
    INOUT_ARRAY = (
        "inout array"  # pointer to `count` structs that the callee also changes; the caller's objects are updated
    )
    IN_BUFFER = "in buffer"  # const void*/char* with a byte count: any buffer or address
    IN_POINTER = "in pointer"  # pointer to one scalar, enum or handle that is read: the caller passes the value
    INOUT = "inout"  # pointer to one scalar, enum or handle, passed by value and returned
    OUT = "out"  # pointer to one value, returned
    OUT_STRUCT = "out struct"  # pointer to one struct, returned as a new object
    OUT_ARRAY = "out array"  # pointer to `count` elements, returned as a list
    OUT_VIEW = "out view"  # T**: set to an array of `count` elements that the library owns, returned as a list
    OUT_STRING = "out string"  # char* with a byte count given by the caller, returned as bytes
    OUT_BUFFER = "out buffer"  # caller's writable memory, passed as object or address and filled
    INOUT_COUNT = "inout count"  # pointer to a count: capacity in, number out; returned
    # A value whose C type `selector` (an enum parameter) decides, see `roles.value_types`. Its storage is zeroed and
    # has at least 8 bytes, since the library may read or write fewer or more than the documented type has.
    IN_VALUE = "in value"  # void*: the value
    OUT_VALUE = "out value"  # void*: the value, returned
    IN_VALUES = "in values"  # void**: one value for each element of `selector`, stored in the array itself
    OUT_VALUES = "out values"  # void**: pointers to one value for each element of `selector`, returned as a list
    # A struct whose fields are parameters and results in Python: see `Record`.
    RECORD = "record"
    RECORDS = "records"  # pointer to `count` records that go in, and are returned
    QUERIED_COUNT = "queried count"  # pointer to a count that a first call without arrays returns; a second fills them
    LENGTH = "length"  # number of bytes of an output that the binding chooses: `count`
    VALUE_SIZE = "value size"  # size_t*: bytes of the value, set and read by the binding
    KERNEL_PARAMS = "kernel params"  # void**: the arguments of a kernel, or the address of such an array
    COUNT = "count"  # number of elements or bytes of another parameter, still passed by the caller
    CALLBACK = "callback"  # function pointer, passed as an address
    USER_DATA = "user data"  # void* handed to a callback


class RecordBuffer(NamedTuple):
    """Memory that a struct points to. A first call without it returns its length, unless the caller passes that."""

    pointer: str  # the field that points to it
    capacity: str  # the field with its number of elements
    used: str  # the field with the number of elements that the library has written


@dataclass(frozen=True)
class Record:
    """Fields of a struct that are parameters and results in Python; fields are C paths such as ``value.str``."""

    inputs: tuple[tuple[str, str, Type], ...] = ()  # field, name of the Python argument that sets it, type
    outputs: tuple[str, ...] | None = None  # fields that are returned; None: the whole struct
    buffer: RecordBuffer | None = None
    struct: str = ""  # struct that is passed, if that is a newer version of the declared one


@dataclass(frozen=True)
class Param:
    name: str
    type: Type
    role: Role = Role.IN
    count: str = ""  # number of elements or bytes: a parameter's C name, or a Python expression of such names
    selector: str = ""  # C name of the parameter whose value decides the type
    optional: bool = False  # OUT and INOUT roles only: NULL allowed, the binding always asks for it
    default: str | None = None  # Python source of a default value
    record: Record = Record()  # of roles RECORD and RECORDS
    python: str = ""  # name in Python where that does not follow from the C name

    @property
    def const(self) -> bool:
        """Whether the parameter is a pointer to const."""
        return isinstance(self.type, Pointer) and self.type.const

    @property
    def pointee(self) -> Type:
        """What the parameter points to; TypeError if it is no pointer."""
        return pointee(self.type)


@dataclass(frozen=True)
class Function:
    name: str  # public name in the header: cuMemAlloc
    symbol: str  # exported symbol: cuMemAlloc_v2
    result: Type
    params: tuple[Param, ...]
    header: str
    version: int = 0  # CUDA version that introduced `symbol` (12040), 0 where the header does not say
    per_thread: str | None = None  # symbol of the per-thread default stream variant (cuStreamSynchronize_ptsz)
    deprecated: bool = False
    group: str = ""  # of the reference, as the header names it: CUDA_MEM
    errors: tuple[str, ...] = ()  # status values that the header lists for it


@dataclass(frozen=True)
class Field:
    name: str | None  # None: anonymous struct or union, whose members belong to the parent
    type: Type
    offset: int  # bytes; of the storage unit for a bit-field
    size: int
    bit_offset: int | None = None
    bit_width: int | None = None


@dataclass(frozen=True)
class Struct:
    """A struct or union. One without fields is opaque and only met behind pointers."""

    name: str
    fields: tuple[Field, ...]
    size: int
    align: int
    union: bool = False
    header: str = ""


@dataclass(frozen=True)
class Enumerator:
    name: str
    value: int


@dataclass(frozen=True)
class Enum:
    name: str
    members: tuple[Enumerator, ...]
    signed: bool = False
    header: str = ""


@dataclass(frozen=True)
class Typedef:
    """`name` is another name for `type`; a handle is a typedef of a pointer to an opaque struct."""

    name: str
    type: Type
    header: str = ""


@dataclass(frozen=True)
class Constant:
    """An object-like macro with a value that C can compute."""

    name: str
    value: int | float | str
    header: str = ""


@dataclass
class Library:
    """One API: everything its headers declare, in header order."""

    name: str  # module name: driver, nvrtc, nvjitlink
    functions: dict[str, Function] = field(default_factory=dict)
    structs: dict[str, Struct] = field(default_factory=dict)
    enums: dict[str, Enum] = field(default_factory=dict)
    typedefs: dict[str, Typedef] = field(default_factory=dict)
    constants: dict[str, Constant] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)  # macro that is no constant -> its header
    version: int = 0  # of the API, as its header says: 13050
