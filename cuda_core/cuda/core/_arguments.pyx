# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""Kernel arguments: check each against its parameter and write its bytes.

The driver tells the size of each parameter; its kind is a letter from `_signature`, "?" where it is not known:
i integer or pointer, f floating point, s structure by value.
"""

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.complex cimport PyComplex_Check, PyComplex_ImagAsDouble, PyComplex_RealAsDouble
from cpython.float cimport PyFloat_CheckExact
from cpython.long cimport PyLong_Check
from cpython.object cimport PyObject
from libc.math cimport isinf
from libc.stdint cimport uint64_t, uintptr_t
from libc.string cimport memcpy

from cuda.core._buffer cimport Buffer
from cuda.core._kernel cimport Kernel
from cuda.core._stream cimport Stream

import sys

cdef extern from "Python.h":
    long long PyLong_AsLongLongAndOverflow(object, int*) except? -1
    unsigned long long PyLong_AsUnsignedLongLong(object) except? 0xFFFFFFFFFFFFFFFF

cdef enum Kind:
    UNSUPPORTED, NUMPY_SCALAR, CTYPES_SCALAR, CTYPES_AGGREGATE, INTEGER_LIKE, CUDA_ARRAY, DLPACK, HOST_ARRAY

# What each type of argument is: filled as types are met.
cdef dict _kinds = {}


cdef int pack(Kernel kernel, tuple arguments, char* scratch, size_t capacity, void** slots, Stream stream) except -1:
    """Write the arguments of a launch into `scratch`, and the address of each into `slots`."""
    cdef Py_ssize_t index, given = len(arguments)
    cdef size_t used = 0, written
    cdef Py_ssize_t size
    kernel.prepare()
    if kernel.count >= 0:
        if given != kernel.count:
            raise TypeError(f"{kernel.label()} takes {kernel.count} arguments, but {given} were given")
        for index in range(given):
            size = kernel.sizes[index]
            slots[index] = scratch + kernel.offsets[index]
            write(arguments[index], scratch + kernel.offsets[index], size, ord(kernel.kinds[index]), kernel, index, stream)
        return 0
    # A driver that does not tell the sizes: each argument has the size that its own type suggests.
    for index in range(given):
        if used + 16 > capacity:
            raise TypeError(f"the arguments have more than {capacity} bytes, the most that a kernel can take")
        slots[index] = scratch + used
        written = write_unsized(arguments[index], scratch + used, capacity - used, kernel, index, stream)
        used += (written + 15) & ~<size_t>15
    return 0


cdef int write(object arg, char* to, Py_ssize_t size, Py_UCS4 kind, Kernel kernel, Py_ssize_t index, Stream stream) except -1:
    """Write one argument as a parameter of `size` bytes."""
    if type(arg) is Buffer:
        return write_pointer(arg, buffer_address(<Buffer>arg, kernel, index), to, size, kind, kernel, index)
    if PyLong_Check(arg):
        return write_int(arg, to, size, kind, kernel, index)
    if PyFloat_CheckExact(arg):
        return write_float(arg, arg, to, size, kind, kernel, index)
    if arg is None:
        return write_pointer(arg, 0, to, size, kind, kernel, index)
    if isinstance(arg, Buffer):
        return write_pointer(arg, buffer_address(<Buffer>arg, kernel, index), to, size, kind, kernel, index)
    return write_other(arg, to, size, kind, kernel, index, stream)


cdef uint64_t buffer_address(Buffer buffer, Kernel kernel, Py_ssize_t index) except? 0:
    if buffer.closed:
        raise ValueError(f"{where(kernel, index)} is a closed Buffer")
    return buffer.ptr


cdef int write_pointer(object arg, uint64_t address, char* to, Py_ssize_t size, Py_UCS4 kind, Kernel kernel, Py_ssize_t index) except -1:
    if size != 8 or kind == c"f":
        what = "None, a null pointer" if arg is None else f"a {type(arg).__name__}, a pointer"
        raise mismatch(kernel, index, f"is {what} of 8 bytes", size, kind)
    memcpy(to, &address, 8)
    return 0


cdef int write_int(object arg, char* to, Py_ssize_t size, Py_UCS4 kind, Kernel kernel, Py_ssize_t index) except -1:
    """Write an int or bool, which takes the size of the parameter, signed or not, or its floating-point type."""
    cdef int overflow = 0
    cdef long long value
    cdef unsigned long long bits
    if kind == c"f":
        try:
            return write_float(arg, float(arg), to, size, kind, kernel, index)
        except OverflowError:
            raise OverflowError(f"{where(kernel, index)} is {arg}, more than its floating-point parameter can hold") from None
    if kind == c"s" or size not in (1, 2, 4, 8):
        raise mismatch(kernel, index, f"is a {type(arg).__name__}", size, kind)
    value = PyLong_AsLongLongAndOverflow(arg, &overflow)
    if overflow == 0 and (size == 8 or -(1LL << (8 * size - 1)) <= value < (1LL << (8 * size))):
        memcpy(to, &value, size)  # little-endian, as every host that CUDA supports
        return 0
    if overflow > 0 and size == 8 and arg >> 64 == 0:
        bits = PyLong_AsUnsignedLongLong(arg)
        memcpy(to, &bits, 8)
        return 0
    low, high = -(2 ** (8 * <object>size - 1)), 2 ** (8 * <object>size) - 1
    raise OverflowError(f"{where(kernel, index)} is {arg}, but its parameter of {size} bytes holds {low} to {high}")


cdef int write_float(object arg, double value, char* to, Py_ssize_t size, Py_UCS4 kind, Kernel kernel, Py_ssize_t index) except -1:
    """Write a float, which takes the size of the parameter."""
    cdef float narrow
    if kind == c"i" or kind == c"s" or size not in (4, 8):
        raise mismatch(kernel, index, f"is a {type(arg).__name__} ({arg!r})", size, kind)
    if size == 8:
        memcpy(to, &value, 8)
        return 0
    narrow = <float>value
    if isinf(narrow) and not isinf(value):
        raise OverflowError(f"{where(kernel, index)} is {value!r}, more than its parameter, a 32-bit float, can hold")
    memcpy(to, &narrow, 4)
    return 0


cdef int write_complex(object arg, char* to, Py_ssize_t size, Py_UCS4 kind, Kernel kernel, Py_ssize_t index) except -1:
    cdef double[2] wide
    cdef float[2] narrow
    wide[0], wide[1] = PyComplex_RealAsDouble(arg), PyComplex_ImagAsDouble(arg)
    if kind == c"i" or kind == c"f" or size not in (8, 16):
        raise mismatch(kernel, index, f"is a complex ({arg!r})", size, kind)
    if size == 16:
        memcpy(to, wide, 16)
        return 0
    narrow[0], narrow[1] = <float>wide[0], <float>wide[1]
    memcpy(to, narrow, 8)
    return 0


cdef int write_other(object arg, char* to, Py_ssize_t size, Py_UCS4 kind, Kernel kernel, Py_ssize_t index, Stream stream) except -1:
    """Write an argument of the less frequent types."""
    cdef int what = classify(type(arg))
    if what == NUMPY_SCALAR or what == CTYPES_SCALAR:
        refuse_other_kind(arg, what, size, kind, kernel, index)
        return copy_bytes(arg, to, size, kind, kernel, index)
    if what == CTYPES_AGGREGATE:
        return copy_bytes(arg, to, size, kind, kernel, index)
    if PyComplex_Check(arg):
        return write_complex(arg, to, size, kind, kernel, index)
    if isinstance(arg, float):
        return write_float(arg, arg, to, size, kind, kernel, index)
    if what == INTEGER_LIKE:
        return write_int(int(arg), to, size, kind, kernel, index)
    return write_pointer(arg, array_address(arg, what, kernel, index, stream), to, size, kind, kernel, index)


cdef int refuse_other_kind(object arg, int what, Py_ssize_t size, Py_UCS4 kind, Kernel kernel, Py_ssize_t index) except -1:
    """Raise for a floating-point scalar given to an integer parameter, and the other way round."""
    if kind == c"?" or kind == c"s":
        return 0
    if what == NUMPY_SCALAR:
        floating, structured = arg.dtype.kind in "fc", arg.dtype.kind == "V"
    else:
        floating, structured = type(arg)._type_ in "fdg", False
    if structured or floating != (kind == c"f"):
        raise mismatch(kernel, index, f"is a {spell(arg)} ({arg!r:.60})", size, kind)
    return 0


cdef int copy_bytes(object arg, char* to, Py_ssize_t size, Py_UCS4 kind, Kernel kernel, Py_ssize_t index) except -1:
    """Write the bytes of an argument whose type has a size of its own."""
    cdef Py_buffer view
    cdef bytes data
    try:
        PyObject_GetBuffer(arg, &view, PyBUF_SIMPLE)
    except (BufferError, TypeError, ValueError):
        data = arg.tobytes()  # NumPy scalars without a PEP 3118 format, such as bfloat16
        if len(data) != size:
            raise mismatch(kernel, index, f"is a {spell(arg)} of {len(data)} bytes", size, kind)
        memcpy(to, <const char*>data, size)
        return 0
    try:
        if view.len != size:
            raise mismatch(kernel, index, f"is a {spell(arg)} of {view.len} bytes", size, kind)
        memcpy(to, view.buf, size)
    finally:
        PyBuffer_Release(&view)
    return 0


cdef size_t write_unsized(object arg, char* to, size_t room, Kernel kernel, Py_ssize_t index, Stream stream) except 0:
    """Write one argument in the size of its own type; return that size."""
    cdef int what
    cdef size_t size
    if isinstance(arg, bool):
        size = 1
    elif PyComplex_Check(arg):
        size = 16
    else:
        what = classify(type(arg))
        size = 8
        if what == NUMPY_SCALAR:
            size = arg.dtype.itemsize
        elif what == CTYPES_SCALAR or what == CTYPES_AGGREGATE:
            size = memoryview(arg).nbytes
    if size > room:
        raise TypeError(f"the arguments up to {where(kernel, index)} have more bytes than a kernel can take")
    write(arg, to, size, c"?", kernel, index, stream)
    return size


cdef int classify(object kind) except -1:
    """Return what arguments of a type are."""
    cdef object known = _kinds.get(kind)
    if known is None:
        known = _kinds[kind] = _classify(kind)
    return known


def _classify(kind) -> int:
    numpy = sys.modules.get("numpy")
    if numpy is not None and issubclass(kind, numpy.generic):
        return NUMPY_SCALAR
    ctypes = sys.modules.get("ctypes")
    if ctypes is not None and issubclass(kind, ctypes._SimpleCData):
        return CTYPES_SCALAR
    if ctypes is not None and issubclass(kind, (ctypes.Structure, ctypes.Union, ctypes.Array)):
        return CTYPES_AGGREGATE
    if issubclass(kind, (memoryview, bytes, bytearray)) or (numpy is not None and issubclass(kind, numpy.ndarray)):
        return HOST_ARRAY
    if hasattr(kind, "__cuda_array_interface__"):
        return CUDA_ARRAY
    if hasattr(kind, "__dlpack__") and hasattr(kind, "__dlpack_device__"):
        return DLPACK
    if hasattr(kind, "__index__") or (kind.__module__.startswith("cuda.bindings.") and hasattr(kind, "__int__")):
        return INTEGER_LIKE
    # Attributes of instances rather than of the type are looked for in array_address.
    return UNSUPPORTED


cdef uint64_t array_address(object arg, int what, Kernel kernel, Py_ssize_t index, Stream stream) except? 0:
    """Return the address of an array on the device, once its producer's work is ordered before the launch."""
    if what == HOST_ARRAY:
        raise TypeError(host_advice(arg, kernel, index))
    interface = getattr(arg, "__cuda_array_interface__", None)
    if interface is not None:
        producer = interface.get("stream")
        if producer is not None and producer != <uintptr_t>stream.native:
            stream.wait(Stream.from_handle(producer))
        return interface["data"][0]
    if hasattr(arg, "__dlpack__"):
        return dlpack_address(arg, kernel, index, stream)
    raise TypeError(
        f"{where(kernel, index)} is a {spell(arg)}, which is no kernel argument: those are Buffers, arrays on the device, "
        "numbers, NumPy and ctypes scalars and structures, and None"
    )


cdef uint64_t dlpack_address(object arg, Kernel kernel, Py_ssize_t index, Stream stream) except? 0:
    from cuda.core import _dlpack

    if arg.__dlpack_device__()[0] not in (_dlpack.CUDA, _dlpack.CUDA_HOST, _dlpack.CUDA_MANAGED):
        raise TypeError(host_advice(arg, kernel, index))
    # DLPack spells the null handle of the legacy default stream 1.
    order = <uintptr_t>stream.native or 1
    if arg.__dlpack_device__()[0] == _dlpack.CUDA_HOST:
        order = None
    try:
        capsule = arg.__dlpack__(stream=order, max_version=(1, 0))
    except TypeError:
        capsule = arg.__dlpack__(stream=order)  # a producer older than DLPack 1.0
    return _dlpack.peek_pointer(capsule)[2]


cdef str spell(object arg):
    """Return the name of an argument's type, with its module unless that is obvious."""
    kind = type(arg)
    return kind.__name__ if kind.__module__ in ("builtins", "ctypes", "__main__") else f"{kind.__module__}.{kind.__name__}"


cdef str host_advice(object arg, Kernel kernel, Py_ssize_t index):
    return (
        f"{where(kernel, index)} is a {spell(arg)} in memory of the host: allocate a Buffer on the device, "
        "copy the data to it (Buffer.copy_from a pinned Buffer) and pass that"
    )


cdef str where(Kernel kernel, Py_ssize_t index):
    """Return an argument's position for messages, counted from 1."""
    return f"argument {index + 1} of {kernel.label()}"


cdef object mismatch(Kernel kernel, Py_ssize_t index, str what, Py_ssize_t size, Py_UCS4 kind):
    """Make the error for an argument that does not fit its parameter."""
    names = {"i": "an integer or pointer", "f": "a floating-point number", "s": "a structure"}
    wanted = f"{names[chr(kind)]} of {size} bytes" if chr(kind) in names else f"{size} bytes"
    advice = ""
    if kind == c"s":
        advice = ": pass a ctypes.Structure or a NumPy structured scalar of that size"
    elif kind == c"f" or (kind == c"?" and size in (4, 8)):
        advice = f": pass a float or numpy.float{8 * size}"
    if kind == c"i" and size in (1, 2, 4, 8):
        advice = f": pass an int or numpy.int{8 * size}" + (", a Buffer or None" if size == 8 else "")
    return TypeError(f"{where(kernel, index)} {what}, but the parameter is {wanted}{advice}")
