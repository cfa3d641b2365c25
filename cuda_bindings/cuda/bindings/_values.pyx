# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Values behind a ``void*`` whose type another argument selects: attributes and options."""

from cuda.bindings._array cimport Array, ArrayType
from cuda.bindings._check cimport name_of
from cuda.bindings._scalar cimport Address, Float, Int, Text
from cuda.bindings._struct cimport CType, EnumKind, HandleKind, set_referent


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

    cdef object ctype(self, object member, unsigned long long size, const char* label):
        """Return the type of a member's value; if unknown, an integer, or bytes if a size is given."""
        found = self.tables.value_type(self.enum, member)
        if found is not None and (<CType>found).size:
            return found
        if size > 1 << 30:
            raise ValueError(f"{name_of(label)}: a value of {size} bytes is too large")
        if found is not None:  # as many elements as fit into the caller's size
            return ArrayType((<ArrayType>found).element, size // (<ArrayType>found).element.size)
        return self.tables.ctype(f"c{size}" if size else "u8")

    cdef Array storage(self, object member, unsigned long long size, const char* label):
        """Return zeroed memory for an output value, at least 8 bytes."""
        cdef CType element = self.ctype(member, size, label)
        cdef Array array = Array(self.tables.ctype(f"c{max(element.size, <Py_ssize_t>size, 8)}"), 1)
        array.bytes_used = element.size
        return array

    cdef object value(self, object member, Array storage, unsigned long long size):
        """Return the value in `storage`; text ends at its NUL."""
        cdef CType element = self.ctype(member, size, b"value")
        value = element.load(storage.data, storage.memory)
        if isinstance(element, Text) and self.tables.value_type(self.enum, member) is element:
            return value.partition(b"\0")[0]
        return value

    cdef Array box(self, object member, object value, const char* label):
        """Return new memory that holds a value."""
        cdef CType element = self.ctype(member, 0, label)
        if isinstance(element, Text) and isinstance(value, (str, bytes)):
            value = value.encode() if isinstance(value, str) else value
            value = value.ljust(element.size, b"\0")
        cdef Array array = self.storage(member, 0, label)
        element.store(array.data, value, array.memory, label)
        return array

    cdef object boxes(self, object members, object values, const char* label):
        """Return an array with the values themselves instead of pointers to them, 0 for None."""
        if values is None:
            return 0
        if isinstance(values, int):
            return int(values)
        if not isinstance(values, (list, tuple)):
            raise TypeError(
                f"{name_of(label)} must be a list or tuple of values, an address (int) or None, "
                f"not {type(values).__name__}"
            )
        cdef Array array = Array(self.tables.ctype("p"), len(values))
        cdef CType element
        cdef Py_ssize_t i
        for i in range(array.length):
            member = members[i] if isinstance(members, (list, tuple)) and i < len(members) else -1
            found = self.tables.value_type(self.enum, member)
            # For every type the caller may pass memory or an address instead of the value.
            element = found if found is not None and (<CType>found).size and isinstance(values[i], (int, float)) \
                else self.tables.ctype("p")
            element.store(array.data + i * sizeof(void*), values[i], array.memory, label)
        return array

    cdef list storages(self, object members, object sizes, const char* label):
        """Return memory for one value of each member."""
        if not isinstance(members, (list, tuple)):
            raise TypeError(f"{name_of(label)} must be a list or tuple, not {type(members).__name__}")
        return [
            self.storage(member, size, label) for member, size in zip(members, sizes_of(members, sizes))
        ]

    cdef list values(self, object members, list storages, object sizes):
        """Return the values in `storages`."""
        return [
            self.value(member, storage, size)
            for member, storage, size in zip(members, storages, sizes_of(members, sizes))
        ]


cdef object sizes_of(object members, object sizes):
    """Return the caller's size in bytes for the value of each member, 0 if none is given."""
    given = list(sizes) if isinstance(sizes, (list, tuple)) else []
    return given + [0] * (len(members) - len(given))


cdef Array pointers_to(list storages):
    """Return an array of the addresses of `storages`."""
    cdef Array array = Array(Address(), len(storages))
    cdef Py_ssize_t i
    for i in range(array.length):
        (<void**>array.data)[i] = (<Array>storages[i]).data
        set_referent(array.memory, array.data + i * sizeof(void*), storages[i])
    return array
