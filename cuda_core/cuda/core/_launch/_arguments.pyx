# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""Kernel arguments: check each against its parameter and write its bytes.

The driver reports the size of each parameter. Its kind is a letter from `_signature`, "?" where it is not known:
i integer or pointer, f floating point, s structure by value.
"""

from cpython.bool cimport PyBool_Check
from cpython.buffer cimport PyBUF_SIMPLE, PyBUF_STRIDES, PyBuffer_Release, PyObject_GetBuffer
from cpython.complex cimport PyComplex_Check, PyComplex_ImagAsDouble, PyComplex_RealAsDouble
from cpython.float cimport PyFloat_CheckExact
from cpython.long cimport PyLong_Check, PyLong_CheckExact
from cpython.object cimport PyObject
from libc.math cimport isinf
from libc.stdint cimport int32_t, int64_t, uint64_t, uintptr_t
from libc.string cimport memcpy

from cuda.bindings cimport cydriver
from cuda.bindings._args cimport is_small, small
from cuda.core._launch._argument_types cimport (
    BY_BUFFER,
    CTYPES_AGGREGATE,
    CTYPES_SCALAR,
    DATACLASS,
    EXCHANGE,
    HOST_ARRAY,
    INTEGER_LIKE,
    NUMPY_SCALAR,
    POINTED_TO,
    ArgumentType,
    classify,
)
from cuda.core._array._device_array cimport DeviceArray
from cuda.core._memory._buffer cimport Buffer
from cuda.core._utils._check cimport check
from cuda.core._launch._kernel cimport Kernel
from cuda.core._stream._stream cimport Stream
from cuda.core._device._context cimport current_ordinal
from cuda.core._view._dlpack cimport DLTensor

from cuda.bindings._signals import of_handler
from cuda.core._view import _dlpack
from cuda.core._errors import ClosedError

cdef extern from "Python.h":
    long long PyLong_AsLongLongAndOverflow(object, int*) except? -1
    unsigned long long PyLong_AsUnsignedLongLong(object) except? 0xFFFFFFFFFFFFFFFF


cdef enum:  # DLDeviceType
    DL_CPU = 1
    DL_CUDA = 2
    DL_CUDA_HOST = 3
    DL_CUDA_MANAGED = 13

cdef enum:
    DL_COMPLEX = 5  # DLDataTypeCode

cdef char[64] _reaches_host  # by ordinal: 1 for yes, 2 for no, 0 if not known yet


# One parameter: destination of its bytes, size (that of the argument if unknown), kind, and whether arrays of the host
# are accepted (-1: they would be, if the device had access).
cdef struct Parameter:
    char* to
    Py_ssize_t size
    Py_UCS4 kind
    char host
    Py_ssize_t index


cdef int pack_items(
    Kernel kernel, PyObject* const* arguments, Py_ssize_t given, char* scratch, size_t capacity, void** slots,
    Stream stream, bint host_arrays,
) except -1:
    """Write the arguments of a launch into `scratch`, and the address of each into `slots`; `stream` may be None."""
    cdef size_t used = 0
    cdef Parameter p
    p.host = 0
    if host_arrays:
        p.host = 1 if reaches_host(current_ordinal() if stream is None else stream.ordinal()) else -1
    kernel.read_layout()
    if kernel.count >= 0:
        if given != kernel.count:
            raise TypeError(miscount(kernel, arguments, given))
        for p.index in range(given):
            p.size = kernel.layout[p.index].size
            p.kind = kernel.layout[p.index].kind
            slots[p.index] = p.to = scratch + kernel.layout[p.index].offset
            write(<object>arguments[p.index], &p, kernel, stream)
        return 0
    # The driver does not report the sizes: each argument has the size that its own type suggests.
    p.kind = c"?"
    for p.index in range(given):
        p.size = own_size(<object>arguments[p.index])
        if used + p.size > capacity:
            raise TypeError(f"the arguments up to {label(&p, kernel)} have more bytes than a kernel can take")
        slots[p.index] = p.to = scratch + used
        write(<object>arguments[p.index], &p, kernel, stream)
        used += (p.size + 15) & ~<size_t>15
    return 0


cdef inline int write(object arg, const Parameter* p, Kernel kernel, Stream stream) except -1:
    """Write one argument: fast paths for the most frequent types, `write_any` for the others."""
    if type(arg) is Buffer:
        if p.size == 8 and p.kind != c"f" and not (<Buffer>arg).closed:
            (<uint64_t*>p.to)[0] = (<Buffer>arg).ptr
            return 0
    elif PyLong_CheckExact(arg):
        if is_small(arg) and (p.kind == c"i" or p.kind == c"?"):
            if p.size == 4:
                (<int32_t*>p.to)[0] = <int32_t>small(arg)
                return 0
            if p.size == 8:
                (<int64_t*>p.to)[0] = small(arg)
                return 0
    elif type(arg) is DeviceArray:
        if p.size == 8 and p.kind != c"f" and not (<DeviceArray>arg).memory.closed:
            (<uint64_t*>p.to)[0] = (<DeviceArray>arg).address
            return 0
    return write_any(arg, p, kernel, stream)


cdef int write_any(object arg, const Parameter* p, Kernel kernel, Stream stream) except -1:
    """Write one argument of any type."""
    if type(arg) is Buffer:
        return write_pointer(arg, buffer_address(<Buffer>arg, p, kernel), p, kernel)
    if type(arg) is DeviceArray:
        buffer_address((<DeviceArray>arg).memory, p, kernel)
        return write_pointer(arg, (<DeviceArray>arg).address, p, kernel)
    if PyLong_Check(arg):
        return write_int(arg, p, kernel)
    if PyFloat_CheckExact(arg):
        return write_float(arg, arg, p, kernel)
    if arg is None:
        return write_pointer(arg, 0, p, kernel)
    if isinstance(arg, Buffer):
        return write_pointer(arg, buffer_address(<Buffer>arg, p, kernel), p, kernel)
    return write_other(arg, p, kernel, stream)


cdef uint64_t buffer_address(Buffer buffer, const Parameter* p, Kernel kernel) except? 0:
    if buffer.closed:
        raise ClosedError(f"{label(p, kernel)} is a closed Buffer")
    return buffer.ptr


cdef int write_pointer(object arg, uint64_t address, const Parameter* p, Kernel kernel) except -1:
    if p.size != 8 or p.kind == c"f":
        given = "None, a null pointer" if arg is None else f"a {type(arg).__name__}, a pointer"
        raise mismatch(p, kernel, f"is {given} of 8 bytes")
    memcpy(p.to, &address, 8)
    return 0


cdef int write_int(object arg, const Parameter* p, Kernel kernel) except -1:
    """Write an int or bool with the size of the parameter, signed or unsigned, or as floating point if it is that."""
    cdef int overflow = 0
    cdef long long value
    cdef unsigned long long bits
    if p.kind == c"f":
        try:
            return write_float(arg, float(arg), p, kernel)
        except OverflowError:
            raise OverflowError(f"{label(p, kernel)} is {arg}, more than its parameter, a float, can hold") from None
    if p.kind == c"s" or p.size not in (1, 2, 4, 8):
        raise mismatch(p, kernel, f"is a {type(arg).__name__}")
    if p.size == 8 and PyBool_Check(arg):
        raise mismatch(p, kernel, f"is {arg}")
    value = PyLong_AsLongLongAndOverflow(arg, &overflow)
    if overflow == 0 and (p.size == 8 or -(1LL << (8 * p.size - 1)) <= value < (1LL << (8 * p.size))):
        memcpy(p.to, &value, p.size)  # little-endian, as every host that CUDA supports
        return 0
    if overflow > 0 and p.size == 8 and arg >> 64 == 0:
        bits = PyLong_AsUnsignedLongLong(arg)
        memcpy(p.to, &bits, 8)
        return 0
    low, high = -(2 ** (8 * <object>p.size - 1)), 2 ** (8 * <object>p.size) - 1
    raise OverflowError(f"{label(p, kernel)} is {arg}, but its parameter of {p.size} bytes holds {low} to {high}")


cdef int write_float(object arg, double value, const Parameter* p, Kernel kernel) except -1:
    """Write a float with the size of the parameter."""
    cdef float narrow
    if p.kind == c"i" or p.kind == c"s" or p.size not in (4, 8):
        raise mismatch(p, kernel, f"is a {type(arg).__name__} ({arg!r})")
    if p.size == 8:
        memcpy(p.to, &value, 8)
        return 0
    narrow = <float>value
    if isinf(narrow) and not isinf(value):
        raise OverflowError(f"{label(p, kernel)} is {value!r}, more than its parameter, a 32-bit float, can hold")
    memcpy(p.to, &narrow, 4)
    return 0


cdef int write_complex(object arg, const Parameter* p, Kernel kernel) except -1:
    cdef double[2] wide
    cdef float[2] narrow
    wide[0], wide[1] = PyComplex_RealAsDouble(arg), PyComplex_ImagAsDouble(arg)
    if p.kind == c"i" or p.kind == c"f" or p.size not in (8, 16):
        raise mismatch(p, kernel, f"is a complex ({arg!r})")
    if p.size == 16:
        memcpy(p.to, wide, 16)
        return 0
    narrow[0], narrow[1] = <float>wide[0], <float>wide[1]
    memcpy(p.to, narrow, 8)
    return 0


cdef int write_other(object arg, const Parameter* p, Kernel kernel, Stream stream) except -1:
    """Write an argument of the less frequent types."""
    cdef ArgumentType found
    cdef const char* data
    classify(type(arg), &found)
    if found.category == EXCHANGE:
        return write_pointer(arg, exchange_address(arg, &found, p, kernel, stream), p, kernel)
    if found.category == NUMPY_SCALAR or found.category == CTYPES_SCALAR:
        if p.kind == c"i" and (found.floating or found.structured) or p.kind == c"f" and not found.floating:
            raise mismatch(p, kernel, f"is a {spell(arg)} ({arg!r:.60})")
        if found.storage == BY_BUFFER or found.size != p.size:
            return copy_bytes(arg, p, kernel)
        data = <const char*><PyObject*>arg + sizeof(PyObject)
        if found.storage == POINTED_TO:
            data = (<const char**>data)[0]
        memcpy(p.to, data, p.size)
        return 0
    if found.category == CTYPES_AGGREGATE:
        return copy_bytes(arg, p, kernel)
    if PyComplex_Check(arg):
        return write_complex(arg, p, kernel)
    if isinstance(arg, float):
        return write_float(arg, arg, p, kernel)
    if found.category == DATACLASS:
        return write_dataclass(arg, p, kernel)
    if found.category == INTEGER_LIKE:
        return write_int(int(arg), p, kernel)
    return write_pointer(arg, array_address(arg, found.category, p, kernel, stream), p, kernel)


cdef int write_dataclass(object arg, const Parameter* p, Kernel kernel) except -1:
    """Write a dataclass as the C struct with the types of its fields."""
    from cuda.core._launch._dataclass_arguments import to_bytes

    cdef bytes data
    try:
        data = to_bytes(arg)
    except (TypeError, OverflowError, ValueError) as error:
        raise type(error)(f"{label(p, kernel)}: {error}") from None
    if len(data) != p.size or p.kind == c"f":
        raise mismatch(p, kernel, f"is a {spell(arg)}, a structure of {len(data)} bytes")
    memcpy(p.to, <const char*>data, p.size)
    return 0


cdef int copy_bytes(object arg, const Parameter* p, Kernel kernel) except -1:
    """Write the bytes of an argument whose type has a size of its own."""
    cdef Py_buffer view
    cdef bytes data
    try:
        PyObject_GetBuffer(arg, &view, PyBUF_SIMPLE)
    except (BufferError, TypeError, ValueError):
        data = arg.tobytes()  # NumPy scalars without a PEP 3118 format, such as bfloat16
        if len(data) != p.size:
            raise mismatch(p, kernel, f"is a {spell(arg)} of {len(data)} bytes")
        memcpy(p.to, <const char*>data, p.size)
        return 0
    try:
        if view.len != p.size:
            raise mismatch(p, kernel, f"is a {spell(arg)} of {view.len} bytes")
        memcpy(p.to, view.buf, p.size)
    finally:
        PyBuffer_Release(&view)
    return 0


cdef Py_ssize_t own_size(object arg) except -1:
    """Return the size in bytes that an argument's own type suggests."""
    cdef ArgumentType found
    classify(type(arg), &found)
    if found.category == NUMPY_SCALAR:
        return arg.dtype.itemsize
    if found.category == CTYPES_SCALAR or found.category == CTYPES_AGGREGATE:
        return memoryview(arg).nbytes
    if found.category == DATACLASS:
        from cuda.core._launch._dataclass_arguments import layout

        return layout(type(arg)).itemsize
    if isinstance(arg, bool):
        return 1
    return 16 if PyComplex_Check(arg) else 8


cdef uint64_t array_address(object arg, int category, const Parameter* p, Kernel kernel, Stream stream) except? 0:
    """Return the address of an array on the device, once its producer's work is ordered before the launch."""
    if category == HOST_ARRAY:
        return host_address(arg, p, kernel)
    interface = getattr(arg, "__cuda_array_interface__", None)
    if interface is not None:
        try:
            producer, address = interface.get("stream"), <uint64_t>interface["data"][0]
        except (AttributeError, KeyError, IndexError, TypeError, OverflowError):
            raise TypeError(
                f"{label(p, kernel)}: its __cuda_array_interface__ must be a dict whose data is a tuple of an address "
                f"and whether the memory is read-only, not {interface!r}"
            ) from None
        if producer is not None and is_ordered(stream) and producer != <uintptr_t>stream.native:
            stream.wait(Stream.from_handle(producer))
        return address
    if hasattr(arg, "__dlpack__"):
        return dlpack_address(arg, p, kernel, stream)
    advice = ": pass its items, *arguments" if isinstance(arg, (tuple, list)) else ""
    raise TypeError(
        f"{label(p, kernel)} is a {spell(arg)}, which is no kernel argument{advice}; those are Buffers, arrays on the "
        "device, numbers, NumPy and ctypes scalars and structures, dataclasses of these, and None"
    )


cdef bint is_ordered(Stream stream) except -1:
    """Return whether the launch can wait for other streams: graph nodes and captured streams cannot."""
    cdef cydriver.CUstreamCaptureStatus status = cydriver.CU_STREAM_CAPTURE_STATUS_NONE
    if stream is None:
        return False
    check(cydriver.cuStreamIsCapturing(stream.native, &status), b"cuStreamIsCapturing")
    return status == cydriver.CU_STREAM_CAPTURE_STATUS_NONE


cdef uint64_t dlpack_address(object arg, const Parameter* p, Kernel kernel, Stream stream) except? 0:
    if arg.__dlpack_device__()[0] not in (_dlpack.CUDA, _dlpack.CUDA_HOST, _dlpack.CUDA_MANAGED):
        check_host(arg, p, kernel)
        return _dlpack.peek_pointer(arg.__dlpack__())[2]
    # DLPack: stream 1 is the legacy default stream, whose handle is null here; -1 asks for no synchronisation.
    consumer = -1
    if is_ordered(stream):
        consumer = <uintptr_t>stream.native or 1
    if arg.__dlpack_device__()[0] == _dlpack.CUDA_HOST:
        consumer = None
    try:
        capsule = arg.__dlpack__(stream=consumer, max_version=(1, 0))
    except TypeError:
        capsule = arg.__dlpack__(stream=consumer)  # a producer older than DLPack 1.0
    return _dlpack.peek_pointer(capsule)[2]


cdef uint64_t exchange_address(
    object arg, const ArgumentType* found, const Parameter* p, Kernel kernel, Stream stream
) except? 0:
    """Return the address of an array whose type has DLPack's C exchange API."""
    cdef DLTensor tensor
    cdef void* producer = NULL
    if found.differentiable and arg.requires_grad:
        raise TypeError(f"{label(p, kernel)} is a {spell(arg)} that requires grad: pass its .detach()")
    found.exchange.tensor_of(<PyObject*>arg, &tensor)
    if tensor.dtype.code == DL_COMPLEX and hasattr(arg, "is_conj") and arg.is_conj():
        raise TypeError(f"{label(p, kernel)} is a {spell(arg)} to be conjugated: pass its .resolve_conj()")
    if tensor.device.device_type == DL_CPU:
        if p.host != 1:
            check_host(arg, p, kernel)
    elif tensor.device.device_type == DL_CUDA:
        found.exchange.current_stream(tensor.device.device_type, tensor.device.device_id, &producer)
        if stream is not None and producer != <void*>stream.native and is_ordered(stream):
            stream.wait(Stream.from_handle(<uintptr_t>producer))
    elif tensor.device.device_type != DL_CUDA_HOST and tensor.device.device_type != DL_CUDA_MANAGED:
        raise TypeError(f"{label(p, kernel)} is a {spell(arg)} on a device that is not CUDA's")
    return <uint64_t><uintptr_t>tensor.data + tensor.byte_offset


cdef int check_host(object arg, const Parameter* p, Kernel kernel) except -1:
    """Raise unless arrays in memory of the host are accepted, and the device can access it."""
    if p.host == 0:
        raise TypeError(host_advice(arg, p, kernel))
    if p.host < 0:
        raise TypeError(
            f"{label(p, kernel)} is a {spell(arg)} in memory of the host, and host_arrays is set, but this device has "
            "no access to it (pageable_memory_access): copy it to the device"
        )
    return 0


cdef bint reaches_host(int ordinal) except -1:
    """Return whether a device can access all memory of the host."""
    cdef int value = 0
    if 0 <= ordinal < 64 and _reaches_host[ordinal]:
        return _reaches_host[ordinal] == 1
    check(
        cydriver.cuDeviceGetAttribute(&value, cydriver.CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS, ordinal),
        b"cuDeviceGetAttribute",
    )
    if 0 <= ordinal < 64:
        _reaches_host[ordinal] = 1 if value else 2
    return value


cdef uint64_t host_address(object arg, const Parameter* p, Kernel kernel) except? 0:
    """Return the address of an array in memory of the host."""
    cdef Py_buffer view
    check_host(arg, p, kernel)
    try:
        PyObject_GetBuffer(arg, &view, PyBUF_STRIDES)
    except (BufferError, TypeError, ValueError):
        return arg.__array_interface__["data"][0]  # NumPy's types without a PEP 3118 format, such as bfloat16
    address = <uintptr_t>view.buf
    PyBuffer_Release(&view)
    return address


cdef str miscount(Kernel kernel, PyObject* const* arguments, Py_ssize_t given):
    """Return the message for a wrong number of arguments; it suggests unpacking a sequence among them."""
    takes = f"{kernel.label()} takes {kernel.count} argument{'' if kernel.count == 1 else 's'}"
    text = f"{takes}, but {given} {'was' if given == 1 else 'were'} given"
    for index in range(given):
        if isinstance(<object>arguments[index], (tuple, list)):
            return f"{text}; argument {index + 1} is a {spell(<object>arguments[index])}: pass its items, *arguments"
    return text


cdef str spell(object arg):
    """Return the name of an argument's type, with its module unless that is builtins, ctypes or __main__."""
    kind = type(arg)
    plain = kind.__module__ in ("builtins", "ctypes", "__main__")
    return kind.__name__ if plain else f"{kind.__module__}.{kind.__name__}"


cdef str host_advice(object arg, const Parameter* p, Kernel kernel):
    if is_device_accessible(arg):
        return (
            f"{label(p, kernel)} is a {spell(arg)} of memory that the device can use: pass the Buffer that it is a "
            "view of, or its address as an int"
        )
    return (
        f"{label(p, kernel)} is a {spell(arg)} in memory of the host: copy it to the device "
        "(Device.to_device) and pass that, or set host_arrays of the LaunchConfig if the device has "
        "pageable_memory_access"
    )


cdef bint is_device_accessible(object arg):
    """Return whether an array of the host is a view of pinned or managed memory."""
    cdef Py_buffer view
    cdef unsigned int kind = 0
    try:
        PyObject_GetBuffer(arg, &view, PyBUF_STRIDES)
    except Exception as error:
        if of_handler(error.__traceback__):
            raise
        return False  # an array without the buffer protocol; the caller is making another error's message
    status = cydriver.cuPointerGetAttribute(
        &kind, cydriver.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, <cydriver.CUdeviceptr><uintptr_t>view.buf
    )
    PyBuffer_Release(&view)
    return status == cydriver.CUDA_SUCCESS and kind != 0


cdef str label(const Parameter* p, Kernel kernel):
    """Return an argument's position for messages, counted from 1."""
    return f"argument {p.index + 1} of {kernel.label()}"


cdef object mismatch(const Parameter* p, Kernel kernel, str problem):
    """Return the error for an argument that does not match its parameter."""
    names = {"i": "an integer or pointer", "f": "a floating-point number", "s": "a structure"}
    wanted = f"{names[chr(p.kind)]} of {p.size} bytes" if chr(p.kind) in names else f"{p.size} bytes"
    advice = ""
    if p.kind == c"s":
        advice = ": pass a ctypes.Structure, a dataclass or a NumPy scalar of that size"
    elif p.kind == c"f" or (p.kind == c"?" and p.size in (4, 8)):
        advice = f": pass a float or numpy.float{8 * p.size}"
    if p.kind == c"i" and p.size in (1, 2, 4, 8):
        advice = f": pass an int or numpy.int{8 * p.size}" + (", a Buffer or None" if p.size == 8 else "")
    return TypeError(f"{label(p, kernel)} {problem}, but the parameter is {wanted}{advice}")
