# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""C types of arrays and of pointers to arrays, and array arguments."""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.string cimport memcpy

from cuda.bindings._args cimport as_unsigned, need_items
from cuda.bindings._check cimport described, is_readable, name_of, need_readable
from cuda.bindings._struct cimport CType, Struct, StructKind, allocate, root_of, set_referent

cdef extern from "Python.h":
    Py_ssize_t PY_SSIZE_T_MAX

cdef enum:
    MAX_SHOWN = 64  # elements in a repr


cdef class ArrayType(CType):
    """A fixed number of elements, read and written as a list."""

    def __init__(self, CType element, length):
        self.element = element
        self.length = length
        self.size = element.size * length

    cdef object load(self, char* p, Struct view):
        return [self.element.load(p + i * self.element.size, view) for i in range(self.length)]

    cdef int store(self, char* p, object value, Struct view, const char* label) except -1:
        values = to_sequence(value, self.element, label)
        if len(values) != self.length:
            raise ValueError(f"{name_of(label)} takes {self.length} elements, not {len(values)}")
        cdef bytes scratch = PyBytes_FromStringAndSize(p, self.size)
        cdef Py_ssize_t i
        try:
            for i in range(self.length):
                self.element.store(p + i * self.element.size, values[i], view, label)
        except BaseException:
            memcpy(p, <char*>scratch, self.size)  # only after all elements have been converted
            raise
        return 0

    cdef str spell(self):
        return "list"


cdef class PointerTo(CType):
    """A pointer to elements, read and written as a list; `count` is the name of the field with their number."""

    cdef CType element
    cdef object count

    def __init__(self, CType element, count=None):
        self.element = element
        self.count = count
        self.size = sizeof(void*)

    cdef object load(self, char* p, Struct view):
        cdef char* elements = (<char**>p)[0]
        cdef object referent = None if view is None else root_of(view).referents.get(<size_t>p)
        if elements == NULL:
            return []
        if isinstance(referent, Array) and (<Array>referent).data == elements:
            return (<Array>referent).to_list((<Array>referent).length)
        cdef unsigned long long i, length = count_of(getattr(view, self.count)) if self.count else 1
        need_readable(elements, length, self.element.size, b"")
        return [self.element.load(elements + i * self.element.size, view) for i in range(length)]

    cdef int store(self, char* p, object value, Struct view, const char* label) except -1:
        if value is None or isinstance(value, int):
            (<size_t*>p)[0] = as_unsigned(value or 0, <size_t>-1, label)
            set_referent(view, p, None)
            return 0
        cdef Array array = array_of(self.element, value if isinstance(value, (list, tuple)) else (value,), label)
        (<char**>p)[0] = array.data if array.length else NULL
        set_referent(view, p, array)
        return 0

    cdef str spell(self):
        return "list"

    cdef str show(self, char* p, Struct view):
        cdef char* elements = (<char**>p)[0]
        cdef object referent = None if view is None else root_of(view).referents.get(<size_t>p)
        if elements == NULL or isinstance(referent, Array) and (<Array>referent).data == elements:
            return repr(self.load(p, view))
        return show_pointer(self.element, elements, count_of(getattr(view, self.count)) if self.count else 1)


cdef str show_pointer(CType element, char* elements, unsigned long long number):
    """Return the repr of elements that this module does not keep alive: up to 64 numbers, otherwise the address."""
    cdef Py_ssize_t i
    if isinstance(element, StructKind) or number > MAX_SHOWN or not is_readable(elements, number * element.size):
        return hex(<size_t>elements)  # pointers between structs may be cyclic
    return repr([element.load(elements + i * element.size, None) for i in range(number)])


cdef class Array:
    """An array of a C type that owns its memory, and keeps alive what its elements point to."""

    def __init__(self, CType element, Py_ssize_t length):
        if length < 0 or element.size and length > PY_SSIZE_T_MAX // element.size - 64:
            raise MemoryError(f"an array of {length} elements of {element.size} bytes")
        self.element = element
        self.length = length
        self.memory = Struct.__new__(Struct)
        allocate(self.memory, element.size * length, 64)
        self.data = self.memory.memory

    def __len__(self):
        return self.length

    cdef char* out_ptr(self):
        """Return the output pointer for C, NULL for an empty array."""
        return self.data if self.length else NULL

    cdef list to_list(self, Py_ssize_t length):
        """Return the first elements as a list."""
        cdef Py_ssize_t i
        cdef CType element = self.element
        return [element.load(self.data + i * element.size, self.memory) for i in range(min(length, self.length))]


cdef Array array_of(CType element, object values, const char* label):
    """Return a new array with the elements of a list or tuple."""
    cdef Array array = Array(element, len(values))
    cdef Py_ssize_t i
    for i in range(array.length):
        element.store(array.data + i * element.size, values[i], array.memory, label)
    return array


cdef list to_sequence(object values, CType element, const char* label):
    """Return a value that is assigned to an array field as a list."""
    is_sequence = hasattr(values, "__len__") and hasattr(values, "__getitem__")
    if not is_sequence or isinstance(values, (str, dict, set, type)):
        name = name_of(label)
        raise TypeError(f"{name} must be a sequence of {element.spell()}, not {described(values)}")
    return list(values)


cdef object array_in(object o, CType element, const char* label):
    """Return the owner of an array argument: an Array, or an address (0 for None)."""
    if o is None:
        return 0
    if isinstance(o, (list, tuple)):
        return array_of(element, o, label)
    if isinstance(o, int):
        return int(o)
    if not isinstance(o, (str, bytes)) and hasattr(o, "__len__") and hasattr(o, "__getitem__"):
        return array_of(element, list(o), label)
    raise TypeError(
        f"{name_of(label)} must be a list or tuple of {element.spell()}, an address (int) or None, "
        f"not {described(o)}"
    )


cdef unsigned long long count_of(object number) except? 4242:
    """Return a computed number of elements, 0 if it is negative."""
    return max(number, 0)


cdef void* array_data(object owner, unsigned long long count, const char* label, const char* count_label) except? NULL:
    """Return the address of what `array_in` returned, after a check that it has `count` elements."""
    if isinstance(owner, Array):
        need_items((<Array>owner).length, count, label, count_label)
        return (<Array>owner).data if (<Array>owner).length else NULL
    return <void*><size_t>as_unsigned(owner, <size_t>-1, label)
