# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""DLPack import and export: capsules of version 1.x and of the older unversioned protocol."""

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from cpython.pycapsule cimport (
    PyCapsule_GetPointer,
    PyCapsule_IsValid,
    PyCapsule_New,
    PyCapsule_SetName,
)
from cpython.ref cimport Py_DECREF, Py_INCREF, PyObject
from libc.stdint cimport int64_t, uint64_t, uintptr_t

from cuda.core._memory._allocation cimport Allocation
from cuda.core._stream._stream cimport Stream
from cuda.core._utils._overflow cimport add_distance, multiply

cdef extern from "Python.h":
    int Py_IsInitialized() nogil

# DLDeviceType
CPU = 1
CUDA = 2
CUDA_HOST = 3
CUDA_MANAGED = 13

# DLDataTypeCode and width in bits -> NumPy's name. The narrow floats need ml_dtypes and are looked up there.
_CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}
_LETTERS = {code: letter for letter, code in _CODES.items()}
_WIDTHS = {0: (8, 16, 32, 64), 1: (8, 16, 32, 64), 2: (16, 32, 64, 128), 5: (64, 128), 6: (8,)}
_NARROW = {
    "bfloat16": (4, 16), "float8_e3m4": (7, 8), "float8_e4m3": (8, 8), "float8_e4m3b11fnuz": (9, 8),
    "float8_e4m3fn": (10, 8), "float8_e4m3fnuz": (11, 8), "float8_e5m2": (12, 8), "float8_e5m2fnuz": (13, 8),
    "float8_e8m0fnu": (14, 8),
}

# Two numbers in a byte, as PyTorch has them: bytes for NumPy, whose dtype says it in its metadata.
_PAIR = ("float4_e2m1fn_x2", (17, 4, 2))


cdef class KnownType:
    """A NumPy dtype, and DLPack's code, bits and lanes, packed."""

    cdef long code
    cdef object dtype

    def __cinit__(self, long code, dtype):
        self.code, self.dtype = code, dtype


# Cache: code, bits and lanes, packed -> KnownType. Entries are never removed.
cdef dict _known_types = {}
# The most recent one, since most programs use few types.
cdef KnownType _last = KnownType(-1, None)

# The maximum number of axes in NumPy and PyTorch.
cdef int MOST_AXES = 64


cdef class Export:
    """The owner of an exported array's memory; for a Buffer it counts as a view."""

    cdef object owner

    def __cinit__(self, owner):
        self.owner = owner
        if isinstance(owner, Allocation):
            (<Allocation>owner).add_export()

    def __del__(self):
        if isinstance(self.owner, Allocation):
            (<Allocation>self.owner).drop_export()


cdef void _release(void* context) noexcept:
    """Release an Export, on any thread; do nothing after the interpreter has shut down."""
    if Py_IsInitialized():
        _release_with_gil(context)


cdef void _release_with_gil(void* context) noexcept with gil:
    Py_DECREF(<object><PyObject*>context)


cdef void _delete(DLManagedTensor* managed) noexcept:
    _release(managed.manager_ctx)
    PyMem_RawFree(managed)


cdef void _delete_versioned(DLManagedTensorVersioned* managed) noexcept:
    _release(managed.manager_ctx)
    PyMem_RawFree(managed)


cdef void _destroy_capsule(object capsule) noexcept:
    """Destructor of capsules: free the tensor if no consumer has taken it."""
    cdef DLManagedTensor* managed
    cdef DLManagedTensorVersioned* versioned
    if PyCapsule_IsValid(capsule, b"dltensor"):
        managed = <DLManagedTensor*>PyCapsule_GetPointer(capsule, b"dltensor")
        managed.deleter(managed)
    elif PyCapsule_IsValid(capsule, b"dltensor_versioned"):
        versioned = <DLManagedTensorVersioned*>PyCapsule_GetPointer(capsule, b"dltensor_versioned")
        versioned.deleter(versioned)


cdef int _describe(
    DLTensor* tensor, int64_t* numbers, uintptr_t ptr, tuple shape, tuple strides, tuple dtype, tuple device
) except -1:
    cdef int axis, ndim = len(shape)
    tensor.data = <void*>ptr
    tensor.device.device_type, tensor.device.device_id = device
    tensor.ndim = ndim
    tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes = dtype
    tensor.shape = numbers
    tensor.strides = numbers + ndim
    tensor.byte_offset = 0
    for axis in range(ndim):
        numbers[axis] = shape[axis]
        numbers[ndim + axis] = strides[axis]
    return 0


def make_capsule(
    owner, ptr, tuple shape, tuple strides, tuple dtype, tuple device, bint readonly, max_version, bint copied=False
):
    """Create the DLPack capsule of an array.

    Parameters
    ----------
    owner : object
        The object to keep alive until the consumer is done.
    ptr : int
        Address of the first element.
    shape, strides : tuple of int
        In elements.
    dtype : tuple of int
        DLPack's code, bits and lanes.
    device : tuple of int
        DLPack's device type and device id.
    readonly : bool
        Whether the consumer must not write.
    max_version : tuple of int or None
        The newest version of DLPack that the consumer supports.
    """
    cdef size_t numbers = 2 * len(shape) * sizeof(int64_t)
    cdef DLManagedTensorVersioned* versioned
    cdef DLManagedTensor* managed
    cdef object export
    if max_version is None or max_version[0] < 1:
        if readonly:
            raise BufferError("this memory is read-only, which needs DLPack 1.0 or newer: pass max_version=(1, 0)")
        managed = <DLManagedTensor*>PyMem_RawMalloc(sizeof(DLManagedTensor) + numbers)
        if managed == NULL:
            raise MemoryError
        try:
            _describe(&managed.dl_tensor, <int64_t*>(managed + 1), ptr, shape, strides, dtype, device)
            export = Export(owner)
        except BaseException:
            PyMem_RawFree(managed)
            raise
        managed.deleter = _delete
        Py_INCREF(export)
        managed.manager_ctx = <void*>export
        return PyCapsule_New(managed, b"dltensor", _destroy_capsule)
    versioned = <DLManagedTensorVersioned*>PyMem_RawMalloc(sizeof(DLManagedTensorVersioned) + numbers)
    if versioned == NULL:
        raise MemoryError
    try:
        _describe(&versioned.dl_tensor, <int64_t*>(versioned + 1), ptr, shape, strides, dtype, device)
        export = Export(owner)
    except BaseException:
        PyMem_RawFree(versioned)
        raise
    versioned.version.major, versioned.version.minor = 1, 0
    versioned.flags = (READ_ONLY if readonly else 0) | (IS_COPIED if copied else 0)
    versioned.deleter = _delete_versioned
    Py_INCREF(export)
    versioned.manager_ctx = <void*>export
    return PyCapsule_New(versioned, b"dltensor_versioned", _destroy_capsule)


cdef int check_version(DLManagedTensorVersioned* versioned) except -1:
    """Raise unless the major version is the one whose structure is declared here."""
    cdef uint32_t major = versioned.version.major
    if major != 1:
        raise BufferError(f"the array comes as DLPack {major}.x, but 1.x is what is understood")
    return 0


cdef int check_tensor(DLTensor* tensor) except -1:
    """Raise BufferError for invalid fields, before the capsule is consumed."""
    cdef int axis, ndim = tensor.ndim
    cdef int64_t extent, count = 1, reach = 1, size = (tensor.dtype.bits * tensor.dtype.lanes + 7) >> 3
    cdef bint too_much = False, none = False
    if not 0 <= ndim <= MOST_AXES:
        raise BufferError(f"the DLPack tensor has ndim {ndim}, must be 0 to {MOST_AXES}")
    if ndim and tensor.shape == NULL:
        raise BufferError(f"the DLPack tensor has ndim {ndim}, but its shape is NULL")
    for axis in range(ndim):
        extent = tensor.shape[axis]
        if extent <= 0:
            if extent < 0:
                raise BufferError(f"the DLPack tensor's shape[{axis}] is {extent}, must not be negative")
            none = True
        too_much |= multiply(count, extent, &count)
        if tensor.strides != NULL and extent > 1:
            too_much |= add_distance(tensor.strides[axis], extent, &reach)
    if tensor.byte_offset > ~<uint64_t>tensor.data:
        raise BufferError(f"the DLPack tensor's byte_offset {tensor.byte_offset} leads past the end of all memory")
    if none:
        return 0
    if tensor.data == NULL:
        raise BufferError("the DLPack tensor has elements, but its data is NULL")
    if too_much or multiply(count, size, &count) or multiply(reach, size, &reach):
        raise too_large(tensor)
    return 0


cdef object too_large(DLTensor* tensor):
    return BufferError(
        f"the DLPack tensor of shape {extents_of(tensor)}, strides {strides_of(tensor)} and {tensor.dtype.bits} bits "
        "an element is larger than any memory"
    )


cdef tuple extents_of(DLTensor* tensor):
    return tuple([tensor.shape[axis] for axis in range(tensor.ndim)])


cdef object strides_of(DLTensor* tensor):
    """Return the strides in elements, None for row-major order."""
    if tensor.strides == NULL:
        return None
    return tuple([tensor.strides[axis] for axis in range(tensor.ndim)])


cdef int consume(Consumed* taken, object capsule) except -1:
    """Take the array of a capsule, and give back a former one."""
    cdef DLManagedTensorVersioned* versioned
    cdef DLManagedTensor* managed
    if PyCapsule_IsValid(capsule, b"dltensor_versioned"):
        versioned = <DLManagedTensorVersioned*>PyCapsule_GetPointer(capsule, b"dltensor_versioned")
        check_version(versioned)
        check_tensor(&versioned.dl_tensor)
        PyCapsule_SetName(capsule, b"used_dltensor_versioned")
        release(taken)
        taken.managed, taken.tensor, taken.versioned = versioned, &versioned.dl_tensor, True
    elif PyCapsule_IsValid(capsule, b"dltensor"):
        managed = <DLManagedTensor*>PyCapsule_GetPointer(capsule, b"dltensor")
        check_tensor(&managed.dl_tensor)
        PyCapsule_SetName(capsule, b"used_dltensor")
        release(taken)
        taken.managed, taken.tensor, taken.versioned = managed, &managed.dl_tensor, False
    else:
        raise BufferError("this is no unused DLPack capsule: its array was taken already, or it is something else")
    return 0


cdef int hold(Consumed* taken, DLManagedTensorVersioned* managed) except -1:
    """Take a tensor of the C exchange API, and give back a former array."""
    release(taken)
    taken.managed, taken.tensor, taken.versioned = managed, &managed.dl_tensor, True
    check_version(managed)
    check_tensor(&managed.dl_tensor)
    return 0


cdef void release(Consumed* taken) noexcept:
    """Give back the array, if there is one: call the producer's deleter."""
    cdef void* given = taken.managed
    cdef DLManagedTensorVersioned* versioned = <DLManagedTensorVersioned*>given
    cdef DLManagedTensor* managed = <DLManagedTensor*>given
    taken.managed = NULL
    if given == NULL:
        return
    if taken.versioned:
        if versioned.deleter != NULL:
            versioned.deleter(versioned)
    elif managed.deleter != NULL:
        managed.deleter(managed)


cdef class Tensor:
    """An array consumed from a DLPack capsule; the producer's deleter is called when this object is freed."""

    cdef Consumed taken

    def __init__(self, capsule):
        consume(&self.taken, capsule)

    def __dealloc__(self):
        release(&self.taken)

    @property
    def ptr(self) -> int:
        """Return the address of the first element."""
        return <uintptr_t>self.taken.tensor.data + self.taken.tensor.byte_offset

    @property
    def shape(self) -> tuple:
        """Return the extent of each axis."""
        return extents_of(self.taken.tensor)

    @property
    def strides(self):
        """Return the strides in elements, None for row-major order."""
        return strides_of(self.taken.tensor)

    @property
    def dtype_code(self) -> tuple[int, int, int]:
        """Return DLPack's code, bits and lanes."""
        return (self.taken.tensor.dtype.code, self.taken.tensor.dtype.bits, self.taken.tensor.dtype.lanes)

    @property
    def device(self) -> tuple[int, int]:
        """Return DLPack's device type and device id."""
        return (self.taken.tensor.device.device_type, self.taken.tensor.device.device_id)

    @property
    def readonly(self) -> bool:
        """Return whether the memory is read-only."""
        return bool(is_read_only(&self.taken))


cdef object numpy_dtype(DLTensor* tensor):
    """Return the NumPy dtype of a tensor's elements."""
    cdef DLDataType found = tensor.dtype
    cdef long code = found.code | <long>found.bits << 8 | <long>found.lanes << 16
    global _last
    cdef KnownType known = _last
    if code != known.code:
        known = _known_types.get(code)
        if known is None:
            dtype = dtype_of((found.code, found.bits, found.lanes))
            known = _known_types.setdefault(code, KnownType(code, dtype))
        _last = known  # safe without a lock, since the dict keeps the former one alive
    return known.dtype


def peek_pointer(capsule) -> tuple:
    """Return device type, device id and address of an unused capsule's array without consuming it."""
    cdef DLManagedTensorVersioned* versioned
    cdef DLTensor* tensor
    if PyCapsule_IsValid(capsule, b"dltensor_versioned"):
        versioned = <DLManagedTensorVersioned*>PyCapsule_GetPointer(capsule, b"dltensor_versioned")
        check_version(versioned)
        tensor = &versioned.dl_tensor
    elif PyCapsule_IsValid(capsule, b"dltensor"):
        tensor = &(<DLManagedTensor*>PyCapsule_GetPointer(capsule, b"dltensor")).dl_tensor
    else:
        raise BufferError("__dlpack__ returned no unused DLPack capsule")
    check_tensor(tensor)
    return tensor.device.device_type, tensor.device.device_id, <uintptr_t>tensor.data + tensor.byte_offset


def dtype_of(tuple code):
    """Return the NumPy dtype for DLPack's code, bits and lanes."""
    import numpy

    kind, bits, lanes = code
    if code == _PAIR[1]:
        return numpy.dtype("V1", metadata={"dlpack": _PAIR[0]})
    for name, narrow in _NARROW.items():
        if (kind, bits) == narrow and lanes == 1:
            import ml_dtypes

            return numpy.dtype(getattr(ml_dtypes, name))
    if bits not in _WIDTHS.get(kind, ()) or lanes != 1:
        raise BufferError(f"DLPack type (code {kind}, {bits} bits, {lanes} lanes) has no NumPy equivalent")
    return numpy.dtype(f"{_LETTERS[kind]}{bits // 8}")


def code_of(dtype) -> tuple[int, int, int]:
    """Return DLPack's code, bits and lanes for a NumPy dtype."""
    if dtype.metadata is not None and dtype.metadata.get("dlpack") == _PAIR[0]:
        return _PAIR[1]
    if dtype.name in _NARROW:
        return (*_NARROW[dtype.name], 1)
    if dtype.kind not in _CODES or not dtype.isnative:
        raise BufferError(f"dtype {dtype} has no DLPack equivalent")
    if 8 * dtype.itemsize not in _WIDTHS[_CODES[dtype.kind]]:
        raise BufferError(f"dtype {dtype} has no DLPack equivalent")
    return (_CODES[dtype.kind], 8 * dtype.itemsize, 1)


def device_of(Allocation buffer not None) -> tuple[int, int]:
    """Return DLPack's device type and device id for a buffer."""
    buffer.address()
    on_host = buffer.is_host_accessible
    if not buffer.is_device_accessible:
        if not on_host:
            raise BufferError("neither devices nor the host can use the memory of this Buffer")
        return (CPU, 0)
    if not on_host:
        return (CUDA, buffer.device_id)
    return (CUDA_MANAGED if buffer.is_managed else CUDA_HOST, 0)


def check_target(device, dl_device) -> tuple[int, int]:
    """Return the device to export for: the memory's, or the CPU if requested for memory that the host can access."""
    if dl_device is None or tuple(dl_device) == device:
        return device
    if tuple(dl_device) == (CPU, 0) and device[0] in (CUDA_HOST, CUDA_MANAGED):
        return (CPU, 0)
    raise BufferError(f"the memory is on DLPack device {device} and is not copied to {tuple(dl_device)}")


def order_streams(stream, producer) -> None:
    """Make the consumer's stream, the argument of `__dlpack__`, wait for the producer's work."""
    if producer is None or producer.is_closed or stream == -1:
        return
    if stream is None:
        stream = 1  # the array API: None is the legacy default stream
    if not isinstance(stream, int):
        raise TypeError(f"stream must be an int or None, not {type(stream).__name__}")
    if stream == 0 or stream < -1:
        raise ValueError(f"stream is {stream}: 1 is the legacy, 2 the per-thread default stream, -1 none")
    if stream != producer.__cuda_stream__()[1]:
        Stream.from_handle(stream).wait(producer)


def export_buffer(Allocation buffer not None, stream, max_version, dl_device, copy):
    """Implement `Buffer.__dlpack__`."""
    device = device_of(buffer)
    target = check_target(device, dl_device)
    copied = bool(copy)
    if copied:
        queue = buffer.last_stream() if stream is None or stream == -1 else Stream.from_handle(stream)
        if queue is None:
            raise BufferError("a copy needs a stream: pass stream=")
        buffer = buffer.copy_to(stream=queue)
        if device[0] in (CUDA_HOST, CUDA_MANAGED):
            queue.sync()
    if device[0] == CUDA:
        order_streams(stream, buffer.last_stream())
    elif stream is not None and device[0] != CUDA_MANAGED and stream != -1:
        raise BufferError(f"stream is {stream}, but memory of the host has none: pass None")
    capsule = make_capsule(
        buffer, buffer.handle, (buffer.size,), (1,), (_CODES["i"], 8, 1), target, False, max_version, copied
    )
    if copied:
        buffer.close()  # takes effect when the capsule releases it
    return capsule
