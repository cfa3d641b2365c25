# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""Strided: base of StridedMemoryView, which reads arrays by DLPack and the array interface protocols."""

cimport cython
from cpython.ref cimport PyObject
from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stdint cimport int64_t, uintptr_t

from cuda.bindings cimport cydriver
from cuda.bindings._atomic cimport atomic_load, atomic_store
from cuda.core._utils._check cimport check
from cuda.core._device._context cimport initialise
from cuda.core._view._dlpack cimport (
    DLManagedTensorVersioned,
    consume,
    extents_of,
    hold,
    is_read_only,
    numpy_dtype,
    release,
    strides_of,
)
from cuda.core._view._exchange cimport Exchange, exchange_of
from cuda.core._stream._stream cimport Stream
from cuda.core._utils._overflow cimport add_distance, multiply

import operator
import sys

cdef extern from "Python.h":
    object PyObject_VectorcallMethod(object, PyObject* const*, size_t, object)
    ctypedef struct PyTypeObject:
        object (*tp_new)(PyTypeObject*, object, void*)
    PyTypeObject* Py_TYPE(object)

# PyArrayInterface, the contents of __array_struct__ (NumPy manual, "The array interface protocol").
cdef struct ArrayStruct:
    int two
    int nd
    char typekind
    int itemsize
    int flags
    Py_ssize_t* shape
    Py_ssize_t* strides
    void* data
    void* descr

cdef enum:
    C_CONTIGUOUS = 0x1
    WRITEABLE = 0x400

cdef tuple _NOTHING = ()
cdef tuple _KEYWORDS = ("stream", "max_version")
cdef tuple _NEWEST = (1, 0)
cdef object _ndarray = None  # numpy.ndarray, once an instance was viewed
cdef object _exchanged = None  # the type with DLPack's C exchange API of which an instance was viewed first
cdef PyTypeObject* _asked = NULL  # the type that was asked for it last: looking up what is missing takes 200 ns
cdef Exchange* _exchange = NULL
cdef bint _differentiable = False
cdef dict _dtypes = {}  # typestr -> numpy.dtype

_FIELDS = (
    "ptr", "shape", "strides", "dtype", "device_id", "is_device_accessible", "readonly", "exporting_obj",
    "_keep", "_itemsize", "_dlpack_kind",
)
cdef Py_ssize_t MOST_AXES = 64  # the maximum number of axes in any library
cdef long long SMALLEST = -(2**63)  # the smallest stride
_NEED_STREAM = "give stream_ptr for an array on a device: the stream that will use it, or -1 not to wait"


cdef Strided empty(type cls):
    """Create a view of a subclass of Strided that is not yet initialised."""
    return (<PyTypeObject*>cls).tp_new(<PyTypeObject*>cls, _NOTHING, NULL)


cdef object newest_capsule(object obj, object stream):
    """Return ``obj.__dlpack__(stream=stream, max_version=(1, 0))``, called without creating a dict."""
    cdef PyObject* arguments[3]
    arguments[0], arguments[1], arguments[2] = <PyObject*>obj, <PyObject*>stream, <PyObject*>_NEWEST
    return PyObject_VectorcallMethod("__dlpack__", arguments, 1, _KEYWORDS)


cdef class Strided:
    """Strided(obj=None, stream_ptr=None)\n--\n\nThe address, shape, strides and type of an array."""

    def __cinit__(self):
        self.device_id = -1
        self.described = True

    def __dealloc__(self):
        if self.taken.managed != NULL:
            release(&self.taken)

    def __init__(self, obj=None, stream_ptr=None):
        if obj is None:
            raise TypeError("obj must be an array: give one, or use a from_... method")
        if self.exporting_obj is not None:
            raise RuntimeError("this view is initialised already: make another one")
        self.take(obj, stream_ptr)

    # The interpreter calls class methods of C faster, and gives them no other classes than subclasses of this one.
    @classmethod
    @cython.binding(False)
    def from_any_interface(cls, obj, stream_ptr=None):
        """from_any_interface($type, obj, stream_ptr=None)\n--\n
        View an array of another library, on the host or a device.

        Parameters
        ----------
        obj : object
            An array with ``__dlpack__``, ``__cuda_array_interface__`` or ``__array_interface__``, tried in this
            order. The view keeps it alive.
        stream_ptr : int, optional
            The address (or `Stream.handle`) of the stream that will use the memory; it waits for the array's
            producer, with -1 nothing waits. It is required for arrays on a device, and not used for arrays on the
            host.

        Returns
        -------
        StridedMemoryView
            A view without a copy.

        Raises
        ------
        BufferError
            If the array has none of the protocols, or `stream_ptr` is missing.
        CUDAError
            If the driver does not know the memory.

        Examples
        --------
        >>> StridedMemoryView.from_any_interface(np.zeros((2, 3), np.int16), stream_ptr=-1).shape
        (2, 3)
        """
        cdef Strided self = empty(cls)
        self.take(obj, stream_ptr)
        return self

    @classmethod
    @cython.binding(False)
    def from_dlpack(cls, obj, stream_ptr=None):
        """from_dlpack($type, obj, stream_ptr=None)\n--\n
        View an array by its DLPack protocol, ``__dlpack__``.

        Parameters
        ----------
        obj : object
            The array, which the view keeps alive.
        stream_ptr : int, optional
            The stream that will use the memory; see `from_any_interface`.

        Returns
        -------
        StridedMemoryView
            A view without a copy.

        Raises
        ------
        AttributeError
            If `obj` has no ``__dlpack__``.
        BufferError
            If the array cannot be exported, or `stream_ptr` is missing for an array on a device.

        Examples
        --------
        >>> memory = device.allocate(400, stream=stream)  # exported as int8
        >>> view = StridedMemoryView.from_dlpack(memory, stream_ptr=-1)
        >>> view.shape, view.is_device_accessible
        ((400,), True)
        """
        cdef Strided self = empty(cls)
        self.take_dlpack(obj, stream_ptr)
        return self

    @classmethod
    @cython.binding(False)
    def from_cuda_array_interface(cls, obj, stream_ptr=None):
        """from_cuda_array_interface($type, obj, stream_ptr=None)\n--\n
        View an array by the CUDA Array Interface, ``__cuda_array_interface__``, as Numba and CuPy offer it.

        Parameters
        ----------
        obj : object
            The array, which the view keeps alive.
        stream_ptr : int, optional
            The stream that will use the memory; see `from_any_interface`.

        Returns
        -------
        StridedMemoryView
            A view without a copy.

        Raises
        ------
        AttributeError
            If `obj` has no such interface.
        BufferError
            If the interface is damaged, or `stream_ptr` is missing.
        CUDAError
            If the driver does not know the memory.

        Examples
        --------
        >>> class Array:
        ...     def __init__(self, buffer):
        ...         data = (buffer.handle, False)
        ...         self.__cuda_array_interface__ = {"version": 3, "shape": (10, 10), "typestr": "<f4", "data": data}
        >>> StridedMemoryView.from_cuda_array_interface(Array(buffer), stream_ptr=-1).shape
        (10, 10)
        """
        cdef Strided self = empty(cls)
        self.take_cuda(obj, stream_ptr)
        return self

    @classmethod
    @cython.binding(False)
    def from_array_interface(cls, obj):
        """from_array_interface($type, obj)\n--\n
        View an array on the host by NumPy's array interface, ``__array_interface__``.

        Parameters
        ----------
        obj : object
            The array, which the view keeps alive.

        Returns
        -------
        StridedMemoryView
            A view without a copy.

        Raises
        ------
        AttributeError
            If `obj` has no such interface.
        BufferError
            If the interface is damaged.

        Examples
        --------
        >>> StridedMemoryView.from_array_interface(np.zeros(5, np.uint8)).is_device_accessible
        False
        """
        cdef Strided self = empty(cls)
        self.take_host(obj)
        return self

    @classmethod
    @cython.binding(False)
    def _make(cls, **fields):
        cdef Strided self = empty(cls)
        self.extents = self.steps = None
        for name, value in fields.items():
            if name == "ptr":
                self.address = value
            elif name == "shape":
                self.extents = value
            elif name == "strides":
                self.steps = value
            elif name == "dtype":
                self.dtype = value
            elif name == "device_id":
                self.device_id = value
            elif name == "is_device_accessible":
                self.is_device_accessible = value
            elif name == "readonly":
                self.read_only = value
            elif name == "exporting_obj":
                self.exporting_obj = value
            else:
                setattr(self, name, value)
        return self

    def _fields(self):
        return {name: getattr(self, name) for name in _FIELDS}

    cdef int take(self, object obj, object stream_ptr) except -1:
        """Initialise from the first protocol that `obj` supports."""
        if type(obj) is _exchanged and self.take_exchanged(obj, stream_ptr):
            return 0
        if hasattr(obj, "__dlpack__") and hasattr(obj, "__dlpack_device__"):
            return self.take_dlpack(obj, stream_ptr)
        if hasattr(obj, "__cuda_array_interface__"):
            return self.take_cuda(obj, stream_ptr)
        if hasattr(obj, "__array_interface__"):
            return self.take_host(obj)
        raise BufferError(
            f"{type(obj).__name__} has none of __dlpack__, __cuda_array_interface__ and __array_interface__"
        )

    cdef int take_dlpack(self, object obj, object stream_ptr) except -1:
        cdef int kind, ordinal, found
        cdef bint on_host
        cdef object stream = None
        if type(obj) is _ndarray:
            kind, ordinal = 1, 0  # kDLCPU; calling the method takes as long as all the rest of this function
        else:
            kind, ordinal = obj.__dlpack_device__()
        on_host = kind == 1 or kind == 3  # kDLCPU, kDLCUDAHost
        if not on_host:
            if kind != 2 and kind != 13:  # kDLCUDA, kDLCUDAManaged
                raise BufferError(f"the array is on DLPack device ({kind}, {ordinal}), which CUDA does not reach")
            if stream_ptr is None:
                raise BufferError(_NEED_STREAM)
            stream = int(stream_ptr) or 1
        try:
            capsule = newest_capsule(obj, stream)
        except TypeError:  # older than DLPack 1.0
            capsule = obj.__dlpack__() if on_host else obj.__dlpack__(stream=stream)
        consume(&self.taken, capsule)
        found = self.taken.tensor.device.device_type
        if on_host != (found == 1 or found == 3):
            raise BufferError(
                f"__dlpack_device__ says ({kind}, {ordinal}), but the capsule's array is on "
                f"({found}, {self.taken.tensor.device.device_id})"
            )
        self.dtype = numpy_dtype(self.taken.tensor)
        self.described = False
        self.address = <uintptr_t>self.taken.tensor.data + self.taken.tensor.byte_offset
        self.device_id = -1 if kind == 1 else ordinal
        self.is_device_accessible = kind != 1
        self.read_only = is_read_only(&self.taken)
        self.exporting_obj = obj
        self._dlpack_kind = kind
        if type(obj) is not _ndarray and Py_TYPE(obj) != _asked:
            remember_exchange(obj)
            remember_numpy(obj)
        return 0

    cdef bint take_exchanged(self, object obj, object stream_ptr) except -1:
        """Initialise by the C exchange API of the type `_exchanged`; return whether that is possible.

        What it refuses is left to `take_dlpack`, whose errors are those of the array's library.
        """
        cdef DLManagedTensorVersioned* managed = NULL
        cdef void* producer = NULL
        cdef int kind
        if _differentiable and obj.requires_grad:
            return False
        try:
            _exchange.managed_of(<PyObject*>obj, &managed)
        except Exception:
            return False
        hold(&self.taken, managed)
        kind = managed.dl_tensor.device.device_type
        if managed.dl_tensor.dtype.code == 5 or (kind != 1 and kind != 2) or (kind == 2 and stream_ptr is None):
            release(&self.taken)
            return False  # complex numbers may have to be conjugated
        if kind == 2 and int(stream_ptr) != -1:
            _exchange.current_stream(kind, managed.dl_tensor.device.device_id, &producer)
            if <uintptr_t>producer != <uintptr_t>int(stream_ptr):
                Stream.from_handle(int(stream_ptr)).wait(Stream.from_handle(<uintptr_t>producer))
        self.dtype = numpy_dtype(self.taken.tensor)
        self.described = False
        self.address = <uintptr_t>managed.dl_tensor.data + managed.dl_tensor.byte_offset
        self.device_id = -1 if kind == 1 else managed.dl_tensor.device.device_id
        self.is_device_accessible = kind != 1
        self.read_only = is_read_only(&self.taken)
        self.exporting_obj = obj
        self._dlpack_kind = kind
        return True

    @cython.critical_section
    cdef int describe(self) except -1:
        """Read shape and strides from the DLPack tensor."""
        shape, strides = extents_of(self.taken.tensor), strides_of(self.taken.tensor)
        if not self.described:
            self.extents, self.steps = shape, strides
            atomic_store(&self.described, True)
        return 0

    cdef int take_cuda(self, object obj, object stream_ptr) except -1:
        cdef int ordinal = 0
        cdef long long consumer
        cdef dict interface = dictionary(obj.__cuda_array_interface__, "__cuda_array_interface__")
        version = interface.get("version", 0)
        if not isinstance(version, int) or version < 3:
            raise BufferError(f"only version 3 of the CUDA Array Interface is understood, not version {version!r}")
        if interface.get("mask") is not None:
            raise BufferError("masked arrays are not understood")
        if stream_ptr is None:
            raise BufferError(_NEED_STREAM)
        consumer = int(stream_ptr)
        producer = interface.get("stream")
        if producer is not None:
            if not isinstance(producer, int) or producer < 0:
                raise malformed("stream", producer, "None, 1, 2 or a stream's handle")
            if producer == 0:
                raise BufferError("stream 0 is ambiguous in the CUDA Array Interface: 1 or 2 are the default streams")
            if consumer != -1 and producer != consumer:
                Stream.from_handle(consumer).wait(Stream.from_handle(producer))
        self.take_interface(obj, interface)
        if self.dtype.hasobject:
            raise BufferError(f"the array is of {self.dtype}: Python objects do not live on a device")
        if self.address:
            initialise()
            check(
                cydriver.cuPointerGetAttribute(&ordinal, cydriver.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, self.address),
                b"cuPointerGetAttribute",
            )
        self.device_id = ordinal
        self.is_device_accessible = True
        return 0

    cdef int take_host(self, object obj) except -1:
        if type(obj) is _ndarray and self.take_numpy(obj):
            return 0
        cdef dict interface = dictionary(obj.__array_interface__, "__array_interface__")
        if interface.get("mask") is not None:
            raise BufferError("masked arrays are not understood")
        self.take_interface(obj, interface)
        remember_numpy(obj)
        return 0

    cdef int take_numpy(self, object obj) except -1:
        """Initialise from a NumPy array's `__array_struct__`, faster than its dict; return whether it is supported."""
        cdef object capsule = obj.__array_struct__
        cdef ArrayStruct* found = <ArrayStruct*>PyCapsule_GetPointer(capsule, NULL)
        cdef int axis
        if found.typekind == c"V":  # NumPy clears all flags for structured types
            return 0
        self.dtype = obj.dtype
        self.address = <uintptr_t>found.data
        self.extents = tuple_of(found.shape, found.nd, 1)
        if not found.flags & C_CONTIGUOUS:
            for axis in range(found.nd):
                if found.itemsize == 0 or found.strides[axis] % found.itemsize:
                    raise uneven(tuple_of(found.strides, found.nd, 1), found.itemsize)
            self.steps = tuple_of(found.strides, found.nd, found.itemsize)
        self.read_only = not found.flags & WRITEABLE
        self.exporting_obj = obj
        return 1

    cdef int take_interface(self, object obj, dict interface) except -1:
        """Read the fields common to `__array_interface__` and `__cuda_array_interface__`."""
        cdef object typestr = interface.get("typestr")
        cdef object dtype = _dtypes.get(typestr) if type(typestr) is str else None
        cdef tuple extents, steps = None
        if dtype is None:
            dtype = read_dtype(typestr, interface.get("descr"))
        data = interface.get("data")
        if data is None:
            raise BufferError(f"{type(obj).__name__} gives no address in its array interface")
        cdef uintptr_t ptr = address_of(data)
        extents = integers("shape", interface.get("shape"), 0)
        if interface.get("strides") is not None:
            steps = integers("strides", interface["strides"], SMALLEST)
            if len(steps) != len(extents):
                raise malformed("strides", steps, f"one number for each of the {len(extents)} axes")
        check_size(ptr, extents, steps, dtype)
        if steps is not None:
            size = dtype.itemsize
            steps = divided(steps, size)
        self.address, self.read_only = ptr, bool(data[1])
        self.extents, self.steps, self.dtype = extents, steps, dtype
        self.exporting_obj = obj
        self._keep = interface
        return 0

    @property
    def ptr(self):
        """Return the address of the first element."""
        return self.address

    @property
    def shape(self):
        """Return the extent of each axis."""
        if not atomic_load(&self.described):
            self.describe()
        return self.extents

    @property
    def strides(self):
        """Return the strides in elements; None for C order if the producer gave no strides."""
        if not atomic_load(&self.described):
            self.describe()
        return self.steps

    @property
    def readonly(self):
        """Return whether the memory is read-only."""
        return self.read_only


cdef tuple tuple_of(Py_ssize_t* numbers, int count, int divisor):
    return tuple([numbers[index] // divisor for index in range(count)])


cdef tuple divided(tuple strides, long long itemsize):
    """Return strides in bytes as strides in elements."""
    cdef long long stride
    for stride in strides:
        if stride % itemsize:
            raise uneven(strides, itemsize)
    return tuple([stride // itemsize for stride in strides])


cdef object uneven(object strides, object itemsize):
    return BufferError(f"strides {strides} bytes are no multiples of the itemsize {itemsize}")


cdef object malformed(str key, object value, str wanted):
    return BufferError(f"{key!r} of the array interface is {value!r}, must be {wanted}")


cdef dict dictionary(object found, str name):
    if not isinstance(found, dict):
        raise BufferError(f"{name} is a {type(found).__name__}, must be a dict")
    return found


cdef uintptr_t address_of(object data) except? 1:
    """Return the address from an array interface's `data`, a pair of address and read-only flag."""
    if not isinstance(data, (tuple, list)) or len(data) != 2:
        raise malformed("data", data, "a tuple of an address and whether the memory is read-only")
    if isinstance(data[0], int):
        try:
            return data[0]
        except OverflowError:
            pass
    raise malformed("data", data, "an address of 64 bits, and whether the memory is read-only")


cdef tuple integers(str key, object given, long long least):
    """Return the shape or strides of an array interface as validated 64-bit integers."""
    cdef tuple found
    cdef object value
    try:
        found = given if type(given) is tuple else tuple(given)
        for value in found:
            if type(value) is not int:
                found = tuple([operator.index(each) for each in found])
                break
        if len(found) <= MOST_AXES:
            for value in found:
                if <long long>value < least:
                    break
            else:
                return found
    except (TypeError, OverflowError):
        pass
    smallest = "of 0 or more" if least == 0 else "of 64 bits"
    raise malformed(key, given, f"a tuple of at most {MOST_AXES} integers {smallest}")


cdef int check_size(uintptr_t ptr, tuple extents, tuple steps, object dtype) except -1:
    """Raise if the array exceeds the address space, or if it has elements but a null address."""
    cdef int64_t size = dtype.itemsize, reach = size, extent
    cdef Py_ssize_t axis
    cdef bint too_much = False
    if size == 0:
        raise BufferError(f"the array interface's type {dtype} has no bytes")
    for axis in range(len(extents)):
        extent = extents[axis]
        if extent == 0:
            return 0
        if steps is None:
            too_much |= multiply(reach, extent, &reach)
        else:
            too_much |= add_distance(steps[axis], extent, &reach)
    if not ptr:
        raise malformed("data", ptr, f"an address other than 0 for an array of shape {extents}")
    if too_much:
        raise malformed("shape", extents, f"smaller: with strides {steps} and {size} bytes an element it has "
                        f"{reach_of(extents, steps, dtype.itemsize)} bytes")
    return 0


cdef object reach_of(tuple extents, tuple steps, object size):
    """Return the size in bytes of an array's memory, for a message."""
    if steps is None:
        for extent in extents:
            size *= extent
        return size
    return size + sum([(extent - 1) * abs(step) for extent, step in zip(extents, steps)])


cdef object read_dtype(object typestr, object descr):
    """Return the dtype of an array interface; structured types need `descr` besides `typestr`."""
    import numpy

    if not isinstance(typestr, str):
        raise malformed("typestr", typestr, "a string such as '<f4'")
    try:
        dtype = numpy.dtype(typestr)
        if dtype.kind == "V" and descr and descr != [("", typestr)]:
            dtype = numpy.dtype(descr)
    except (TypeError, ValueError, SyntaxError) as error:  # numpy.dtype(",") raises a SyntaxError
        raise BufferError(f"the type {typestr!r} of the array interface, with descr {descr!r}: {error}") from None
    if dtype.kind == "V":
        if dtype.itemsize != numpy.dtype(typestr).itemsize:
            raise malformed("descr", descr, f"of the size of typestr {typestr!r}")
        return dtype
    _dtypes[typestr] = dtype
    return dtype


cdef int remember_exchange(object obj) except -1:
    """Store the type of an array that has DLPack's C exchange API, for the fast path; the first one only."""
    global _exchanged, _exchange, _differentiable, _asked
    _asked = Py_TYPE(obj)
    if _exchanged is None and hasattr(type(obj), "__dlpack_c_exchange_api__"):
        _exchange = exchange_of(type(obj))
        if _exchange != NULL:
            _differentiable = hasattr(type(obj), "requires_grad")
            _exchanged = type(obj)
    return 0


cdef int remember_numpy(object obj) except -1:
    """Store the type numpy.ndarray once an instance was viewed, for the fast path."""
    global _ndarray
    numpy = sys.modules.get("numpy")
    if numpy is not None and type(obj) is numpy.ndarray:
        _ndarray = numpy.ndarray
    return 0
