# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""C types of several elements, and arrays of arguments."""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.string cimport memcpy, strlen

from cuda.bindings._args cimport as_unsigned, need_items, shown
from cuda.bindings._readable cimport is_readable, need_readable
from cuda.bindings._struct cimport CType, Struct, StructKind, allocate, keep, root_of

cdef extern from "Python.h":
    Py_ssize_t PY_SSIZE_T_MAX

cdef enum:
    SHOWN = 64  # elements in a repr


cdef class ArrayType(CType):
    """A fixed number of elements, read and written as a list."""

    def __init__(self, CType of, length):
        self.of = of
        self.length = length
        self.size = of.size * length

    cdef object load(self, char* p, Struct view):
        return [self.of.load(p + i * self.of.size, view) for i in range(self.length)]

    cdef int store(self, char* p, object value, Struct view, const char* where) except -1:
        values = listed(value, self.of, where)
        if len(values) != self.length:
            raise ValueError(f"{where.decode()} takes {self.length} elements, not {len(values)}")
        cdef bytes scratch = PyBytes_FromStringAndSize(p, self.size)
        cdef Py_ssize_t i
        try:
            for i in range(self.length):
                self.of.store(p + i * self.of.size, values[i], view, where)
        except BaseException:
            memcpy(p, <char*>scratch, self.size)  # all or nothing
            raise
        return 0

    cdef str spell(self):
        return "list"


cdef class PointerTo(CType):
    """A pointer to elements, read and written as a list; `count` names the field that says how many there are."""

    cdef CType of
    cdef object count

    def __init__(self, CType of, count=None):
        self.of = of
        self.count = count
        self.size = sizeof(void*)

    cdef object load(self, char* p, Struct view):
        cdef char* elements = (<char**>p)[0]
        cdef object kept = None if view is None else root_of(view).kept.get(<size_t>p)
        if elements == NULL:
            return []
        if isinstance(kept, Array) and (<Array>kept).data == elements:
            return (<Array>kept).take((<Array>kept).length)
        cdef unsigned long long i, length = count_of(getattr(view, self.count)) if self.count else 1
        need_readable(elements, length, self.of.size, b"")
        return [self.of.load(elements + i * self.of.size, view) for i in range(length)]

    cdef int store(self, char* p, object value, Struct view, const char* where) except -1:
        if value is None or isinstance(value, int):
            (<size_t*>p)[0] = as_unsigned(value or 0, <size_t>-1, where)
            keep(view, p, None)
            return 0
        cdef Array array = filled(self.of, value if isinstance(value, (list, tuple)) else (value,), where)
        (<char**>p)[0] = array.data if array.length else NULL
        keep(view, p, array)
        return 0

    cdef str spell(self):
        return "list"

    cdef str show(self, char* p, Struct view):
        cdef char* elements = (<char**>p)[0]
        cdef object kept = None if view is None else root_of(view).kept.get(<size_t>p)
        if elements == NULL or isinstance(kept, Array) and (<Array>kept).data == elements:
            return repr(self.load(p, view))
        return show_pointer(self.of, elements, count_of(getattr(view, self.count)) if self.count else 1)


cdef str show_pointer(CType of, char* elements, unsigned long long number):
    """Return what a repr shows of elements that nothing here keeps alive: few numbers, otherwise the address."""
    cdef Py_ssize_t i
    if isinstance(of, StructKind) or number > SHOWN or not is_readable(elements, number * of.size):
        return hex(<size_t>elements)  # structs might point to each other in a circle
    return repr([of.load(elements + i * of.size, None) for i in range(number)])


cdef class Array:
    """Elements of a C type in memory of their own, which also keeps alive what they point to."""

    def __init__(self, CType of, Py_ssize_t length):
        if length < 0 or of.size and length > PY_SSIZE_T_MAX // of.size - 64:
            raise MemoryError(f"an array of {length} elements of {of.size} bytes")
        self.of = of
        self.length = length
        self.memory = Struct.__new__(Struct)
        allocate(self.memory, of.size * length, 64)
        self.data = self.memory.memory

    def __len__(self):
        return self.length

    cdef char* out(self):
        """Return where C writes, NULL if nothing is asked for."""
        return self.data if self.length else NULL

    cdef list take(self, Py_ssize_t length):
        """Return the first elements as a list."""
        cdef Py_ssize_t i
        return [self.of.load(self.data + i * self.of.size, self.memory) for i in range(min(length, self.length))]


cdef Array filled(CType of, object values, const char* where):
    """Return a new array with the elements of a list or tuple."""
    cdef Array array = Array(of, len(values))
    cdef Py_ssize_t i
    for i in range(array.length):
        of.store(array.data + i * of.size, values[i], array.memory, where)
    return array


cdef list listed(object values, CType of, const char* where):
    """Return the elements that are assigned to a field as a list."""
    is_sequence = hasattr(values, "__len__") and hasattr(values, "__getitem__")
    if not is_sequence or isinstance(values, (str, dict, set, type)):
        name = where[:strlen(where)].decode()
        raise TypeError(f"{name} must be a sequence of {of.spell()}, not {type(values).__name__} ({shown(values)})")
    return list(values)


cdef object array_in(object o, CType of, const char* where):
    """Return what holds an array argument: an Array, or an address (0 for None)."""
    if o is None:
        return 0
    if isinstance(o, (list, tuple)):
        return filled(of, o, where)
    if isinstance(o, int):
        return int(o)
    if not isinstance(o, (str, bytes)) and hasattr(o, "__len__") and hasattr(o, "__getitem__"):
        return filled(of, list(o), where)
    raise TypeError(
        f"{where[:strlen(where)].decode()} must be a list or tuple of {of.spell()}, an address (int) or None, "
        f"not {type(o).__name__} ({shown(o)})"
    )


cdef unsigned long long count_of(object number) except? 4242:
    """Return a number of elements that was computed, 0 where that is negative."""
    return max(number, 0)


cdef void* array_data(object held, unsigned long long count, const char* where, const char* count_where) except? NULL:
    """Return the address of what `array_in` returned, after a check that it has `count` elements."""
    if isinstance(held, Array):
        need_items((<Array>held).length, count, where, count_where)
        return (<Array>held).data if (<Array>held).length else NULL
    return <void*><size_t>as_unsigned(held, <size_t>-1, where)
