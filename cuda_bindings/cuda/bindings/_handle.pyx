# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Handle: base of the handle classes, such as CUstream, CUevent, CUdevice and CUdeviceptr."""

import operator

from cpython.long cimport PyLong_CheckExact

from cuda.bindings._check cimport need_readable, short_repr


cdef class Handle:
    """A handle of an API: an opaque pointer, or an integer with a type of its own.

    Parameters
    ----------
    init_value : int, Handle or an object with __int__
        The handle's value.
    _ptr : int
        Address that the value is read from instead, if it is not 0.
    """

    # Set in each class: size of the C type, whether it is signed, and whether it is an integer rather than a pointer.
    _size_ = 8
    _signed_ = False
    _integer_ = False

    def __init__(self, init_value=0, _ptr=0):
        cls = type(self)
        size = cls._size_
        if size == 8 and PyLong_CheckExact(init_value) and PyLong_CheckExact(_ptr) and not _ptr:
            try:
                self.value = init_value
                return
            except OverflowError:
                pass  # the message below is more specific
        if _ptr:
            self.value = _read(operator.index(_ptr), size, cls._signed_, f"{cls.__name__} at an address".encode())
            return
        if hasattr(init_value, "__int__") and not hasattr(init_value, "__float__"):
            init_value = int(init_value)  # also for objects without __index__, but not for floats
        value = 0 if init_value is None else operator.index(init_value)
        bits = 8 * size
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if cls._signed_ else (0, (1 << bits) - 1)
        if not low <= value <= high:
            raise OverflowError(f"{cls.__name__}() takes an int from {low} to {high}, not {short_repr(value)}")
        self.value = value & 0xFFFFFFFFFFFFFFFF

    def __int__(self):
        return <long long>self.value if type(self)._signed_ else self.value

    def __index__(self):
        return self.__int__()

    def __bool__(self):
        return self.value != 0

    def __eq__(self, other):
        if type(other) is not type(self):
            return NotImplemented
        return self.value == (<Handle>other).value

    def __hash__(self):
        return hash((type(self), self.value))

    def __repr__(self):
        value = int(self)
        return f"<{type(self).__name__} {value if type(self)._integer_ else hex(value)}>"

    def __reduce__(self):
        raise TypeError(f"{type(self).__name__} is a handle of this process and cannot be pickled or copied")

    def getPtr(self):
        """Return the address of the value, for a kernel parameter or a ``void**``; valid as long as this object."""
        return <size_t>&self.value


cdef _read(size_t address, int size, bint signed, bytes label):
    """Read an integer of `size` bytes at `address`."""
    need_readable(<void*>address, 1, size, label)
    if size == 8:
        return (<unsigned long long*>address)[0]
    if signed:
        return (<int*>address)[0] & 0xFFFFFFFFFFFFFFFF
    return (<unsigned int*>address)[0]
