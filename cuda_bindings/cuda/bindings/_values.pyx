# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Values behind a ``void*`` whose type another argument decides: attributes and options."""

from libc.string cimport strlen

from cuda.bindings._array cimport Array, ArrayType
from cuda.bindings._scalar cimport Address, Float, Int, Text
from cuda.bindings._struct cimport CType, EnumKind, HandleKind, keep


cdef class Selector:
    """The types of the values that the members of an enumeration select."""

    def __init__(self, tables, str enum):
        self.tables = tables
        self.enum = enum
        self.scalars = [False] * 64

    cdef CType scalar(self, long long member):
        """Return the type of a member's value if it is a number or a handle of at most 8 bytes, else None."""
        if not 0 <= member < 64:
            return None
        found = self.scalars[member]
        if found is False:
            found = self.tables.value_type(self.enum, member)
            if not isinstance(found, (Int, Float, HandleKind, EnumKind)):
                found = None
            self.scalars[member] = found
        return found

    cdef object ctype(self, object member, unsigned long long size, const char* where):
        """Return the type of a member's value; one that is not known is an integer, or bytes if a size is given."""
        found = self.tables.value_type(self.enum, member)
        if found is not None and (<CType>found).size:
            return found
        if size > 1 << 30:
            raise ValueError(f"{where[:strlen(where)].decode()}: a value of {size} bytes is too large")
        if found is not None:  # as many as fit the size that the caller gives
            return ArrayType((<ArrayType>found).of, size // (<ArrayType>found).of.size)
        return self.tables.ctype(f"c{size}" if size else "u8")

    cdef Array storage(self, object member, unsigned long long size, const char* where):
        """Return zeroed memory for a value that comes back, at least 8 bytes."""
        cdef CType of = self.ctype(member, size, where)
        cdef Array array = Array(self.tables.ctype(f"c{max(of.size, <Py_ssize_t>size, 8)}"), 1)
        array.bytes_used = of.size
        return array

    cdef object value(self, object member, Array storage, unsigned long long size):
        """Return the value in `storage`; text ends at its NUL."""
        cdef CType of = self.ctype(member, size, b"value")
        value = of.load(storage.data, storage.memory)
        if isinstance(of, Text) and self.tables.value_type(self.enum, member) is of:
            return value.partition(b"\0")[0]
        return value

    cdef Array box(self, object member, object value, const char* where):
        """Return memory with a value."""
        cdef CType of = self.ctype(member, 0, where)
        if isinstance(of, Text) and isinstance(value, (str, bytes)):
            value = value.encode() if isinstance(value, str) else value
            value = value.ljust(of.size, b"\0")
        cdef Array array = self.storage(member, 0, where)
        of.store(array.data, value, array.memory, where)
        return array

    cdef object boxes(self, object members, object values, const char* where):
        """Return an array with the values themselves in the place of pointers, 0 for None."""
        if values is None:
            return 0
        if isinstance(values, int):
            return int(values)
        if not isinstance(values, (list, tuple)):
            raise TypeError(
                f"{where[:strlen(where)].decode()} must be a list or tuple of values, an address (int) or None, "
                f"not {type(values).__name__}"
            )
        cdef Array array = Array(self.tables.ctype("p"), len(values))
        cdef CType of
        cdef Py_ssize_t i
        for i in range(array.length):
            member = members[i] if isinstance(members, (list, tuple)) and i < len(members) else -1
            found = self.tables.value_type(self.enum, member)
            # Whatever the type, a caller may hand over memory or an address in the value's place.
            of = found if found is not None and (<CType>found).size and isinstance(values[i], (int, float)) \
                else self.tables.ctype("p")
            of.store(array.data + i * sizeof(void*), values[i], array.memory, where)
        return array

    cdef list storages(self, object members, object sizes, const char* where):
        """Return memory for one value of each member."""
        if not isinstance(members, (list, tuple)):
            raise TypeError(f"{where[:strlen(where)].decode()} must be a list or tuple, not {type(members).__name__}")
        return [
            self.storage(member, size, where) for member, size in zip(members, sizes_of(members, sizes))
        ]

    cdef list values(self, object members, list storages, object sizes):
        """Return the values in `storages`."""
        return [
            self.value(member, storage, size)
            for member, storage, size in zip(members, storages, sizes_of(members, sizes))
        ]


cdef object sizes_of(object members, object sizes):
    """Return the bytes that a caller gives for the value of each member, 0 for those without."""
    given = list(sizes) if isinstance(sizes, (list, tuple)) else []
    return given + [0] * (len(members) - len(given))


cdef Array pointers_to(list storages):
    """Return an array of the addresses of `storages`."""
    cdef Array array = Array(Address(), len(storages))
    cdef Py_ssize_t i
    for i in range(array.length):
        (<void**>array.data)[i] = (<Array>storages[i]).data
        keep(array.memory, array.data + i * sizeof(void*), storages[i])
    return array
