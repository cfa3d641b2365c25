# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Record: one or several structs of NVML, cuFile or cuDLA, convertible to structured NumPy arrays.

A record of one struct has its fields as attributes. In a record of several each attribute is a column (a NumPy array
that shares the memory), and indexing returns an element.
"""

import operator

from cpython.buffer cimport PyBuffer_FillInfo
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.string cimport memcmp, memcpy, memset

from cuda.bindings._args cimport as_unsigned
from cuda.bindings._array cimport Array, array_of, count_of, show_pointer, to_sequence
from cuda.bindings._check cimport described, name_of, need_readable, short_repr
from cuda.bindings._struct cimport CType, Struct, StructKind, allocate, need_address, root_of, set_referent

cdef extern from "Python.h":
    Py_ssize_t PY_SSIZE_T_MAX


cdef class Record(Struct):
    """Base of the record classes.

    Parameters
    ----------
    size : int
        The number of structs.
    **fields
        Values of the fields.
    """

    def __init__(self, size=1, **fields):
        cdef StructKind kind = type(self)._kind_
        if kind is None:
            raise TypeError("Record is a base class; make one of the structs of an API")
        if self.owned:
            raise TypeError(f"{kind.name} is initialised already")
        number = operator.index(size)
        if number < 0:
            raise ValueError(f"{kind.name}: size must not be negative, but is {short_repr(number)}")
        if number > PY_SSIZE_T_MAX // kind.size:
            raise MemoryError(f"{short_repr(number)} structs of {kind.size} bytes")
        # At least one struct: an empty record may be passed to C, too.
        allocate(self, kind.size * max(number, 1), kind.align)
        self.elements = number
        for name, value in fields.items():
            if name not in self._fields_:
                raise TypeError(f"{kind.name} has no field {name!r}; its fields are {', '.join(self._fields_)}")
            setattr(self, name, value)

    @property
    def ptr(self):
        """Return the address of the memory, which is valid as long as this object."""
        return self.getPtr()

    def __int__(self):
        return self.getPtr()

    def __len__(self):
        return self.elements

    def __bool__(self):
        return True

    def __getitem__(self, index):
        self.getPtr()
        cdef StructKind kind = type(self)._kind_
        cdef Py_ssize_t start, stop, step
        if not isinstance(index, slice):
            return view_records(kind, self.memory + self.position(index) * kind.size, 1, self)
        start, stop, step = index.indices(self.elements)
        if step != 1:
            raise ValueError(f"a slice of {kind.name} must have step 1, not {step}")
        return view_records(kind, self.memory + start * kind.size, max(stop - start, 0), self)

    def __setitem__(self, index, value):
        cdef StructKind kind = type(self)._kind_
        self.need_writable(kind.name)
        cdef char* target = self.memory + self.position(index) * kind.size
        kind.store(target, value, self, kind.name.encode())

    def __iter__(self):
        return (self[i] for i in range(self.elements))

    cdef Py_ssize_t position(self, object index) except -1:
        """Return the position of an element; negative indices count from the end."""
        cdef Py_ssize_t number = operator.index(index)
        if number < 0:
            number += self.elements
        if not 0 <= number < self.elements:
            raise IndexError(f"index {index} is out of range: there are {self.elements} of {type(self).__name__}")
        return number

    def __eq__(self, other):
        if type(other) is not type(self):
            return NotImplemented
        cdef Record theirs = other
        cdef StructKind kind = type(self)._kind_
        if self.elements != theirs.elements:
            return False
        return memcmp(<char*><size_t>self.getPtr(), <char*><size_t>other.getPtr(), kind.size * self.elements) == 0

    __hash__ = None

    def __repr__(self):
        if self.elements != 1:
            return f"<{self.elements} of {type(self).__name__}>"
        return Struct.__repr__(self)

    def _memory(self):
        """Return the memory as a buffer of bytes; the record has no buffer protocol, so that NumPy uses __array__."""
        cdef StructKind kind = type(self)._kind_
        self.getPtr()
        return memory_of(self, self.memory, kind.size * self.elements)

    def __array__(self, dtype=None, copy=None):
        """Return a structured NumPy array that shares the memory."""
        import numpy

        own = type(self)._dtype()
        view = numpy.frombuffer(self._memory(), own) if self.elements else numpy.empty(0, own)
        if dtype is not None and numpy.dtype(dtype) != view.dtype:
            if copy is False:
                raise ValueError(f"{type(self).__name__} as {dtype} needs a copy")
            return view.astype(dtype)
        return view.copy() if copy else view

    cdef object column(self, str name):
        return self.__array__()[name]

    cdef int set_column(self, str name, object value) except -1:
        self.need_writable(name)
        self.__array__()[name] = value
        return 0

    cdef int need_writable(self, str name) except -1:
        if self.readonly:
            raise ValueError(f"{name}: this {type(self).__name__} is read-only")
        return 0

    @classmethod
    def from_data(cls, data):
        """Return a record that shares the memory of a structured array.

        Parameters
        ----------
        data : numpy.ndarray
            One-dimensional, contiguous, with the module's dtype of this struct.
        """
        import numpy

        expected = cls._dtype()
        if not isinstance(data, numpy.ndarray):
            raise TypeError(f"data must be a numpy.ndarray, not {described(data)}")
        if data.dtype != expected:
            raise ValueError(f"data must have the dtype of {cls.__name__}, {expected}; it has {data.dtype}")
        if data.ndim > 1 or not data.flags.c_contiguous:
            raise ValueError(f"data must be one-dimensional and contiguous; its shape is {data.shape}")
        return cls._over(data.ctypes.data, data.size, not data.flags.writeable, data) if data.size else cls(0)

    @classmethod
    def from_buffer(cls, buffer):
        """Return a record that shares the memory of a buffer, of as many structs as it holds."""
        cdef StructKind kind = cls._kind_
        view = memoryview(buffer)
        if not view.c_contiguous or view.nbytes % kind.size:
            raise ValueError(
                f"buffer must be contiguous and hold structs of {kind.size} bytes; it has {view.nbytes} bytes"
            )
        import numpy

        address = numpy.frombuffer(view, numpy.uint8).ctypes.data if view.nbytes else 0
        return cls._over(address, view.nbytes // kind.size, view.readonly, view) if view.nbytes else cls(0)

    @classmethod
    def from_ptr(cls, ptr, size=1, readonly=False, owner=None):
        """Return a record that views structs at an address.

        Parameters
        ----------
        ptr : int
            The address.
        size : int
            The number of structs. A bool is taken for `readonly`, as in NVIDIA's classes of single structs.
        readonly : bool
            Whether the record is read-only.
        owner : object
            An object to keep alive as long as the record; by default the caller must keep the memory alive.
        """
        if isinstance(size, bool):
            size, readonly = 1, size
        if not ptr:
            raise ValueError("ptr must not be null (0)")
        number = operator.index(size)
        if number < 0:
            raise ValueError(f"size must not be negative, but is {short_repr(number)}")
        return cls._over(ptr, number, readonly, owner) if number else cls(0)

    @classmethod
    def _make(cls, elements):
        return cls(elements)

    @classmethod
    def _over(cls, address, number, readonly, owner):
        cdef Record made = cls.__new__(cls)
        made.memory = <char*><size_t>as_unsigned(address, <size_t>-1, b"ptr")
        made.elements = number
        made.readonly = readonly
        made.referents[0] = owner
        need_address(made, cls._kind_)
        return made


cdef Record new_records(StructKind kind, Py_ssize_t number):
    """Return `number` zeroed structs."""
    return kind.get()(number)


cdef Record new_record(StructKind kind, unsigned int version):
    """Return one zeroed struct; if `version` is not 0, it is stored in the first field."""
    cdef Record made = kind.get()()
    if version:
        memcpy(made.memory, &version, 4)
    return made


cdef Record records_in(object values, StructKind kind, const char* label):
    """Return several structs: those of a record, or new ones from a sequence.

    Elements of a sequence are records, tuples of the values of the leading fields, or the value of the first field.
    """
    if type(values) is kind.get():
        return values
    if not isinstance(values, (list, tuple)):
        raise TypeError(
            f"{name_of(label)} must be {kind.name} or a list of {kind.name}, tuples or ints, "
            f"not {described(values)}"
        )
    cdef Record made = new_records(kind, len(values))
    cdef Py_ssize_t i
    for i in range(len(values)):
        element = view_records(kind, made.memory + i * kind.size, 1, made)
        if type(values[i]) is kind.get():
            made[i] = values[i]
            continue
        leading = values[i] if isinstance(values[i], tuple) else (values[i],)
        if len(leading) > len(element._fields_):
            raise ValueError(f"{name_of(label)}[{i}] has {len(leading)} values; {kind.name} has fewer fields")
        for name, value in zip(element._fields_, leading):
            setattr(element, name, value)
    return made


cdef Record view_records(StructKind kind, char* p, Py_ssize_t number, Struct view):
    """Return `number` structs in the memory of another one."""
    cls = kind.get()
    if number == 0:  # with its own memory, since its address may be passed to C
        return cls(0)
    cdef Record part = cls.__new__(cls)
    part.memory = p
    part.elements = number
    if view is not None:
        part.root = root_of(view)
        part.readonly = view.readonly
    return part


cdef class Memory:
    """The bytes of a struct, exported by the buffer protocol for NumPy."""

    cdef char* start
    cdef Py_ssize_t length
    cdef bint readonly
    cdef Struct owner

    def __getbuffer__(self, Py_buffer* buffer, int flags):
        PyBuffer_FillInfo(buffer, self, self.start, self.length, self.readonly, flags)


cdef Memory memory_of(Struct owner, char* start, Py_ssize_t length):
    cdef Memory memory = Memory()
    memory.start, memory.length, memory.owner = start, length, owner
    memory.readonly = owner is not None and owner.readonly
    return memory


cdef object number_view(CType element, char* p, Py_ssize_t number, Struct view):
    """Return numbers in the memory of a struct as a NumPy array."""
    import numpy

    if number == 0:
        return numpy.empty(0, element.format)
    return numpy.frombuffer(memory_of(view, p, element.size * number), element.format)


cdef class StrText(CType):
    """An array of char that holds a string with its NUL: read and written as str."""

    def __init__(self, size):
        self.size = size

    cdef object load(self, char* p, Struct view):
        return load_text(p, self.size)

    cdef int store(self, char* p, object value, Struct view, const char* label) except -1:
        return store_text(p, self.size, value, label)

    cdef str spell(self):
        return "str"


cdef class EmbeddedArray(CType):
    """Elements within a record: a record of several, or a NumPy array. `count` names the field with their number."""

    cdef CType element
    cdef Py_ssize_t length
    cdef object count

    def __init__(self, CType element, length, count=None):
        self.element = element
        self.length = length
        self.count = count
        self.size = element.size * length

    cdef object load(self, char* p, Struct view):
        cdef Py_ssize_t number = self.length
        if self.count:
            number = min(number, getattr(view, self.count))
        if isinstance(self.element, StructKind):
            return view_records(self.element, p, number, view)
        return number_view(self.element, p, number, view)

    cdef int store(self, char* p, object value, Struct view, const char* label) except -1:
        values = [value] if isinstance(self.element, StructKind) and isinstance(value, Record) and len(value) == 1 \
            else to_sequence(value, self.element, label)
        if len(values) > self.length or (not self.count and len(values) != self.length):
            limit = "at most " if self.count else ""
            raise ValueError(f"{name_of(label)} takes {limit}{self.length} elements, not {len(values)}")
        cdef bytes scratch = PyBytes_FromStringAndSize(p, self.size)
        cdef Py_ssize_t i
        try:
            for i in range(len(values)):
                self.element.store(p + i * self.element.size, values[i], view, label)
        except BaseException:
            memcpy(p, <char*>scratch, self.size)  # only after all elements have been converted
            raise
        if self.count:
            setattr(view, self.count, len(values))
        return 0

    cdef str spell(self):
        return self.element.spell() if isinstance(self.element, StructKind) else "numpy.ndarray"


cdef class RecordPointer(CType):
    """A pointer to elements: a record of several, or a list of numbers; `count` names the field with their number."""

    cdef CType element
    cdef object count

    def __init__(self, CType element, count):
        self.element = element
        self.count = count
        self.size = sizeof(void*)
        self.format = "<i8"

    cdef object load(self, char* p, Struct view):
        cdef char* elements = (<char**>p)[0]
        cdef unsigned long long i, number = count_of(getattr(view, self.count)) if elements != NULL else 0
        cdef Struct holder = self.holder(p, view)
        if holder is None:
            need_readable(elements, number, self.element.size, b"")
        else:
            number = min(number, <unsigned long long>self.room(p, view))
        if isinstance(self.element, StructKind):
            # The elements stay alive as long as the assigned object, even if the field gets another value later.
            return view_records(self.element, elements, number, view if holder is None else holder)
        return [self.element.load(elements + i * self.element.size, None) for i in range(number)]

    cdef Struct holder(self, char* p, Struct view):
        """Return the owner of the elements, None if the program or C code keeps them alive."""
        cdef object referent = root_of(view).referents.get(<size_t>p)
        if isinstance(referent, Array):
            return (<Array>referent).memory if (<Array>referent).data == (<char**>p)[0] else None
        return referent if isinstance(referent, Struct) and (<Struct>referent).memory == (<char**>p)[0] else None

    cdef Py_ssize_t room(self, char* p, Struct view):
        """Return the number of elements that the owner holds."""
        return len(root_of(view).referents[<size_t>p])

    cdef str show(self, char* p, Struct view):
        cdef char* elements = (<char**>p)[0]
        if elements == NULL or self.holder(p, view) is not None:
            return repr(self.load(p, view))
        return show_pointer(self.element, elements, count_of(getattr(view, self.count)))

    cdef int store(self, char* p, object value, Struct view, const char* label) except -1:
        cdef Py_ssize_t number = 0
        cdef void* address = NULL
        cdef Array array
        owner = None
        if isinstance(value, int):
            address = <void*><size_t>as_unsigned(value, <size_t>-1, label)
            (<void**>p)[0] = address
            set_referent(view, p, None)
            return 0
        if isinstance(value, Record):
            value.getPtr()
            if type(value)._kind_ is not self.element:
                raise TypeError(f"{name_of(label)} must be {self.element.spell()}, not {type(value).__name__}")
            owner, number, address = value, len(value), <void*><size_t>value.getPtr()
        elif value is not None:
            array = array_of(self.element, to_sequence(value, self.element, label), label)
            owner, number, address = array, array.length, array.data
        setattr(view, self.count, number)
        (<void**>p)[0] = address if number else NULL
        set_referent(view, p, owner)
        return 0

    cdef str spell(self):
        return self.element.spell() if isinstance(self.element, StructKind) else "list"


cdef int store_text(char* p, Py_ssize_t size, object value, const char* label) except -1:
    """Write a string and its NUL into `size` bytes."""
    data = value.encode() if isinstance(value, str) else value
    if not isinstance(data, bytes):
        raise TypeError(f"{name_of(label)} must be str or bytes, not {described(value)}")
    if len(data) >= size:
        raise ValueError(f"{name_of(label)} must have fewer than {size} bytes; it has {len(data)}")
    memset(p, 0, size)
    memcpy(p, <char*><bytes>data, len(data))
    return 0


cdef int store_bytes(unsigned char* p, Py_ssize_t size, object value, const char* label) except -1:
    """Write a buffer of at most `size` bytes."""
    try:
        data = bytes(memoryview(value).cast("B"))
    except TypeError:
        raise TypeError(
            f"{name_of(label)} must be bytes or another buffer, not {described(value)}"
        ) from None
    if len(data) > size:
        raise ValueError(f"{name_of(label)} must have at most {size} bytes; it has {len(data)}")
    memset(p, 0, size)
    memcpy(p, <char*><bytes>data, len(data))
    return 0


cdef str load_text(const char* p, Py_ssize_t size):
    """Return the string in `size` bytes, up to its NUL."""
    return PyBytes_FromStringAndSize(p, size).partition(b"\0")[0].decode(errors="replace")
