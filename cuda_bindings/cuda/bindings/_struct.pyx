# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""C types as objects, and structs as views of C memory.

A `CType` reads and writes values of one C type at an address: struct fields and elements of array arguments. A `Kind`
is a type with a name; the others are in `_scalar` and `_array`.
A struct owns zeroed memory, or is a view of another struct or of an address. The struct that owns the memory also keeps
alive what pointer fields point to (`referents`).
"""

cimport cython
from cpython.exc cimport PyErr_Clear
from libc.stdlib cimport calloc, free
from libc.string cimport memcmp, memcpy, memmove

from cuda.bindings._args cimport PyErr_Occurred, as_signed, as_unsigned, callback_address
from cuda.bindings._check cimport described, name_of, need_readable
from cuda.bindings._handle cimport Handle, new_of


cdef u64 read_integer(char* p, Py_ssize_t size) noexcept:
    """Read an unsigned integer of 1, 2, 4 or 8 bytes."""
    cdef unsigned long long value = 0
    memcpy(&value, p, size)  # little endian, as all systems that CUDA runs on
    return value


cdef i64 sign_extended(u64 value, int bits) noexcept:
    return <i64>(value << 64 - bits) >> 64 - bits


cdef u64 all_ones(int bits) noexcept:
    return <u64>-1 >> 64 - bits


cdef class CType:
    """Reads and writes values of one C type."""

    cdef object load(self, char* p, Struct view):
        raise NotImplementedError

    cdef int store(self, char* p, object value, Struct view, const char* label) except -1:
        raise NotImplementedError

    cdef str spell(self):
        return type(self).__name__

    cdef str show(self, char* p, Struct view):
        """Return the repr of the value at `p`; never reads unreadable memory."""
        return repr(self.load(p, view))


cdef u64 convert_int(object value, int bits, bint is_signed, const char* label) except? 4242:
    cdef i64 high
    if is_signed:
        high = <i64>(all_ones(bits) >> 1)
        return <u64>as_signed(value, -high - 1, high, label)
    return as_unsigned(value, all_ones(bits), label)


cdef class Kind(CType):
    """A named type with a Python class, created lazily."""

    def python_class(self):
        """Return the class."""
        return self.get()

    cdef object get(self):
        return self.make() if self.cls is None else self.cls

    @cython.critical_section
    cdef object make(self):
        """Create the class; of several threads, all return the class of the first."""
        cls = self.make_class(self.name)
        if self.cls is None:
            self.cls = cls
            self.cls_address = <void*>cls
        return self.cls

    cdef str spell(self):
        return self.name


cdef class HandleKind(Kind):
    """A handle: a pointer to an opaque struct, a callback, or an integer with a type of its own."""

    def __init__(self, name, size, is_signed, accepts, make_class):
        self.name = name
        self.size = size
        self.is_signed = is_signed
        self.accepts = accepts
        self.make_class = make_class

    cdef object load(self, char* p, Struct view):
        cdef u64 value = read_integer(p, self.size)
        return new_handle(self, <u64>sign_extended(value, 8 * self.size) if self.is_signed else value)

    cdef int store(self, char* p, object value, Struct view, const char* label) except -1:
        cdef u64 bits = handle_slow(value, self, label)
        memcpy(p, &bits, self.size)
        set_referent(view, p, None if isinstance(value, (int, Handle)) else value)  # a ctypes function, say
        return 0


cdef class EnumKind(Kind):
    """An enumeration of 4 bytes."""

    def __init__(self, name, is_signed, make_class):
        self.name = name
        self.size = 4
        self.is_signed = is_signed
        self.make_class = make_class

    cdef object load(self, char* p, Struct view):
        cdef u64 value = read_integer(p, 4)
        return new_enum(self, sign_extended(value, 32) if self.is_signed else <i64>value)

    cdef int store(self, char* p, object value, Struct view, const char* label) except -1:
        cdef u64 bits = convert_int(value, 32, self.is_signed, label)
        memcpy(p, &bits, 4)
        return 0


cdef class StructKind(Kind):
    """A struct or union."""

    def __init__(self, name, size, align, make_class, addresses=False):
        self.name = name
        self.size = size
        self.align = align
        self.make_class = make_class
        self.addresses = addresses

    cdef object load(self, char* p, Struct view):
        cls = self.get()
        cdef Struct part = cls.__new__(cls)
        part.memory = p
        if view is not None:
            part.root = root_of(view)
            part.readonly = view.readonly
        return part

    cdef int store(self, char* p, object value, Struct view, const char* label) except -1:
        if not isinstance(value, self.get()):
            raise TypeError(
                f"{name_of(label)} must be {self.name}, not {described(value)}"
            )
        cdef char* source = <char*>struct_slow(value, self, False, label)
        need_count(value, label)
        if source != p:
            copy_referents(<Struct>value, view, source, p, self.size)
            memmove(p, source, self.size)
        return 0


cdef int allocate(Struct struct, Py_ssize_t size, Py_ssize_t align) except -1:
    """Allocate zeroed memory for a struct."""
    cdef size_t beyond = 0
    if align <= 16:  # the alignment of calloc
        struct.block = struct.memory = <char*>calloc(1, max(size, 1))
    else:
        struct.block = <char*>calloc(1, size + align)
        beyond = <size_t>struct.block % align
        struct.memory = struct.block + (align - beyond if beyond else 0)
    if struct.block == NULL:
        struct.memory = NULL
        raise MemoryError(f"{size} bytes for {type(struct).__name__}")
    struct.owned = True
    struct.referents = {}
    return 0


cdef Struct root_of(Struct view):
    return view if view.root is None else view.root


cdef int set_referent(Struct view, char* p, object value) except -1:
    """Keep `value` alive as the object that the pointer at `p` points to; None if there is none."""
    if view is None:
        return 0
    cdef dict referents = root_of(view).referents
    if value is None:
        referents.pop(<size_t>p, None)
    else:
        referents[<size_t>p] = value
    return 0


cdef int copy_referents(Struct source, Struct view, char* start, char* target, Py_ssize_t size) except -1:
    """Copy the referents of the pointers in `source` to the owner of `target`."""
    if view is None:
        return 0
    cdef dict referents = root_of(view).referents
    cdef dict found = {
        <size_t>target + address - <size_t>start: value
        for address, value in root_of(source).referents.items()
        if <size_t>start <= address < <size_t>start + size
    }
    for address in [a for a in referents if <size_t>target <= a < <size_t>target + size]:
        del referents[address]
    referents.update(found)
    return 0


cdef class Struct:
    """Base of the struct and union classes: a view of C memory, by default of newly allocated, zeroed memory.

    Parameters
    ----------
    _ptr : int
        The address of memory to view, which the caller keeps alive; 0 to allocate memory.
    **fields
        Values of the fields.
    """

    _kind_ = None
    _fields_ = ()

    def __cinit__(self):
        self.referents = {}
        self.elements = 1

    def __init__(self, _ptr=0, **fields):
        cdef StructKind kind = type(self)._kind_
        if kind is None:
            raise TypeError("Struct is a base class; make one of the structs of an API")
        if self.owned:
            raise TypeError(f"{kind.name} is initialised already")
        if _ptr:
            self.memory = <char*><size_t>as_unsigned(_ptr, <size_t>-1, b"_ptr")
            need_address(self, kind)
        else:
            allocate(self, kind.size, kind.align)
        for name, value in fields.items():
            if name not in self._fields_:
                raise TypeError(f"{kind.name} has no field {name!r}; its fields are {', '.join(self._fields_)}")
            setattr(self, name, value)

    def __dealloc__(self):
        if self.owned:
            free(self.block)

    def getPtr(self):
        """Return the address of the struct; valid as long as this object."""
        if self.memory == NULL:
            raise ValueError(f"this {type(self).__name__} was not initialised")
        return <size_t>self.memory

    def __eq__(self, other):
        if type(other) is not type(self):
            return NotImplemented
        cdef StructKind kind = type(self)._kind_
        return memcmp(<void*><size_t>self.getPtr(), <void*><size_t>other.getPtr(), kind.size) == 0

    __hash__ = None

    def __repr__(self):
        from cuda.bindings._struct_repr import show

        return f"<{type(self).__name__}, not initialised>" if self.memory == NULL else show(self)

    def _bytes(self, start, stop):
        """Return part of the memory as bytes."""
        cdef Py_ssize_t first = start, last = stop
        cdef StructKind kind = type(self)._kind_
        self.getPtr()
        return self.memory[max(first, 0):min(last, kind.size)]

    cdef object column(self, str name):
        raise NotImplementedError

    cdef int set_column(self, str name, object value) except -1:
        raise NotImplementedError

    cdef int need_writable(self, str name) except -1:
        return 0

    def __copy__(self):
        """Return a struct with the same contents; both share, and keep alive, the memory that its pointers refer to."""
        cdef StructKind kind = type(self)._kind_
        cdef Struct made = type(self)._make(self.elements)
        memcpy(made.memory, <char*><size_t>self.getPtr(), kind.size * self.elements)
        copy_referents(self, made, self.memory, made.memory, kind.size * self.elements)
        return made

    def __deepcopy__(self, memo):
        self.need_no_pointers("copied with what it points to; copy.copy() shares that")
        return self.__copy__()

    def __reduce__(self):
        self.need_no_pointers("pickled")
        cdef StructKind kind = type(self)._kind_
        self.getPtr()
        return unpickled, (type(self), self.memory[:kind.size * self.elements], self.elements)

    def need_no_pointers(self, action):
        """Raise TypeError for a struct with pointers."""
        if pointers := type(self)._pointers():
            name = type(self).__name__
            raise TypeError(f"{name} holds addresses of this process ({', '.join(pointers)}) and cannot be {action}")

    @classmethod
    def _make(cls, elements):
        return cls()


def unpickled(cls, bytes contents, elements):
    """Return a struct of the class `cls` with these contents."""
    cdef Struct made = cls._make(elements)
    cdef StructKind kind = cls._kind_
    if len(contents) != kind.size * elements:
        here = kind.size * elements
        raise ValueError(f"{cls.__name__} has {here} bytes here, but {len(contents)} where it was pickled")
    memcpy(made.memory, <char*>contents, len(contents))
    return made


cdef class Field:
    """A field of a struct: a descriptor."""

    cdef StructKind kind
    cdef CType type
    cdef Py_ssize_t offset
    cdef bytes label
    cdef str name
    cdef readonly str __doc__

    def __init__(self, StructKind kind, str name, CType type, Py_ssize_t offset):
        self.kind = kind
        self.name = name
        self.type = type
        self.offset = offset
        self.label = f"{kind.name}.{name}".encode()
        self.__doc__ = f"{name}: {type.spell()}"

    def __get__(self, Struct instance, owner):
        if instance is None:
            return self
        cdef char* memory = <char*>as_struct(instance, self.kind, False, self.label)
        if instance.elements != 1:
            return instance.column(self.name)
        try:
            return self.type.load(memory + self.offset, instance)
        except (ValueError, OverflowError) as error:
            raise self.named(error) from None

    def __set__(self, Struct instance not None, value):
        cdef char* memory = <char*>as_struct(instance, self.kind, False, self.label)
        if instance.readonly:
            instance.need_writable(self.name)
        try:
            if instance.elements == 1:
                self.type.store(memory + self.offset, value, instance, self.label)
            else:
                instance.set_column(self.name, value)
        except (TypeError, ValueError, OverflowError) as error:
            if self.label.decode() in str(error):
                raise
            raise self.named(error) from error

    cdef object named(self, object error):
        """Return an error of Python or NumPy with the field's name added."""
        return type(error)(f"{self.label.decode()}: {error}") if type(error).__module__ == "builtins" \
            and not isinstance(error, UnicodeError) else ValueError(f"{self.label.decode()}: {error}")

    def show(self, Struct instance not None):
        """Return the field as a repr shows it, without reading invalid memory."""
        cdef char* memory = <char*>as_struct(instance, self.kind, False, self.label)
        return self.type.show(memory + self.offset, instance)

    def __delete__(self, instance):
        raise AttributeError(f"{self.label.decode()} is memory of a struct and cannot be deleted")


cdef unsigned long long handle_slow(object o, HandleKind kind, const char* label) except? 4242:
    """Return the value of a handle argument: an object of its class, an int, or None for 0."""
    if PyErr_Occurred():  # the int was out of range
        PyErr_Clear()
    if o is None:
        return 0
    cdef type cls = kind.get()
    if isinstance(o, Handle):
        if not isinstance(o, cls) and type(o).__name__ not in kind.accepts and not cls._integer_:
            raise TypeError(
                f"{name_of(label)} must be {kind.name}, int or None, not {type(o).__name__} ({o!r})"
            )
        return (<Handle>o).value
    if cls._callback_:
        o = callback_address(o, label)
    elif not hasattr(o, "__index__"):
        # Streams and events of other libraries have only __int__; a float has it, too, but is not a handle.
        if hasattr(o, "__int__") and not hasattr(o, "__float__"):
            return convert_int(int(o), 8 * kind.size, kind.is_signed, label)
        raise TypeError(
            f"{name_of(label)} must be {kind.name}, int or None, not {described(o)}"
        )
    return convert_int(o, 8 * kind.size, kind.is_signed, label)


cdef object new_handle(HandleKind kind, unsigned long long value):
    return new_of(kind.get(), value)


cdef object new_enum(EnumKind kind, long long value):
    if kind.members is None:
        kind.members = kind.get()._value2member_map_  # the same object in all threads
    member = kind.members.get(value)
    return kind.get()(value) if member is None else member


cdef object new_struct(StructKind kind):
    return kind.get()()


cdef void* struct_slow(object o, StructKind kind, bint optional, const char* label) except? NULL:
    """Return the address of a struct argument, NULL for None if that is allowed."""
    cdef void* address
    if o is None and optional:
        return NULL
    if not isinstance(o, kind.get()):
        allowed = f"{kind.name} or None" if optional else kind.name
        if kind.addresses:
            if not isinstance(o, (Struct, float, str, bytes)) and hasattr(o, "__int__"):
                address = <void*><size_t>as_unsigned(int(o), <size_t>-1, label)
                need_readable(address, 1, kind.size, label)
                return address
            allowed = f"{kind.name}, its address (int) or None" if optional else f"{kind.name} or its address (int)"
        raise TypeError(f"{name_of(label)} must be {allowed}, not {described(o)}")
    if (<Struct>o).memory == NULL:
        raise ValueError(f"{name_of(label)}: this {kind.name} was not initialised")
    return (<Struct>o).memory


cdef int need_count(Struct struct, const char* label) except -1:
    """Check that a record given for a single struct has exactly one."""
    if struct.elements != 1:
        name = type(struct).__name__
        raise ValueError(f"{name_of(label)} takes one {name}, not a record of {struct.elements}")
    return 0


cdef int need_address(Struct struct, StructKind kind) except -1:
    """Check that the address that a struct views can be read; the struct stays uninitialised if not."""
    cdef char* memory = struct.memory
    struct.memory = NULL
    need_readable(memory, struct.elements, kind.size, f"{kind.name} at an address".encode())
    struct.memory = memory
    return 0
