# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""Parameters of graph nodes: validated, as the driver's structs, with the objects that they refer to."""

from libc.stdint cimport uintptr_t
from libc.string cimport memset

from cuda.bindings cimport cydriver
from cuda.core._launch._arguments cimport LARGE_BYTES, pack
from cuda.core._array._device_array cimport DeviceArray
from cuda.core._memory._buffer cimport Buffer
from cuda.core._memory._pointer cimport checked_size, fill_pattern, memory_type
from cuda.core._launch._kernel cimport Kernel
from cuda.core._launch._launch_config cimport LaunchConfig
from cuda.core.graph._retain cimport call_entry, hold
from cuda.core.graph._state cimport current_context

import sys

from cuda.core._errors import ClosedError


cdef class KernelParams:
    """Parameters of a kernel node. The arguments, unless None, are packed, and kept alive for their pointers."""

    @staticmethod
    cdef KernelParams make(object config, object kernel, tuple arguments):
        cdef KernelParams self = KernelParams.__new__(KernelParams)
        cdef cydriver.CUDA_KERNEL_NODE_PARAMS* native = &self.native
        if not isinstance(config, LaunchConfig):
            raise TypeError(f"config must be a LaunchConfig, not {type(config).__name__}")
        if not isinstance(kernel, Kernel):
            raise TypeError(f"kernel must be a Kernel, as get_kernel returns it, not {type(kernel).__name__}")
        if config.programmatic_stream_serialization:
            raise ValueError(
                "programmatic_stream_serialization is about the launch before in a stream: a node has edges instead"
            )
        self.config, self.kernel, self.arguments = config, kernel, arguments
        memset(native, 0, sizeof(self.native))
        native.ctx = current_context()
        native.kern = self.kernel.native
        native.gridDimX, native.gridDimY = self.config.native.gridDimX, self.config.native.gridDimY
        native.gridDimZ = self.config.native.gridDimZ
        native.blockDimX, native.blockDimY, native.blockDimZ = self.config.block
        native.sharedMemBytes = self.config.shmem_size
        if arguments is None:
            return self  # the node's arguments stay unchanged
        self.scratch = bytearray(LARGE_BYTES + len(arguments) * sizeof(void*))
        cdef char* room = self.scratch
        native.kernelParams = <void**>(room + LARGE_BYTES)
        pack(self.kernel, arguments, room, LARGE_BYTES, native.kernelParams, None, self.config.with_host_arrays)
        return self


cdef cydriver.CUdeviceptr _operand(object value, str name, size_t needed) except? 0:
    """Return the address of an operand; a Buffer must have at least `needed` bytes."""
    cdef Buffer buffer
    if isinstance(value, Buffer):
        buffer = value
        if buffer.closed:
            raise ClosedError(f"{name} is a closed Buffer")
        if buffer.nbytes < needed:
            raise ValueError(f"{name} is a Buffer of {buffer.nbytes} bytes, but {needed} are used")
        return buffer.ptr
    if isinstance(value, DeviceArray):
        return _array_operand(value, name, needed)
    if hasattr(value, "__index__") or hasattr(value, "__int__"):
        return int(value)
    raise TypeError(f"{name} must be a Buffer, a DeviceArray or an address, not {type(value).__name__}")


cdef cydriver.CUdeviceptr _array_operand(object array, str name, size_t needed) except? 0:
    """Return the address of a DeviceArray, which must be contiguous and have at least `needed` bytes."""
    if array.is_closed:
        raise ClosedError(f"{name} is a closed DeviceArray")
    if not (array.is_contiguous_c or array.is_contiguous_f):
        raise ValueError(f"{name} has strides {array.strides}: give a contiguous DeviceArray")
    if array.nbytes < needed:
        raise ValueError(f"{name} is a DeviceArray of {array.nbytes} bytes, but {needed} are used")
    return array.ptr


cdef class CopyParams:
    """Parameters of a node that copies `size` contiguous bytes."""

    @staticmethod
    cdef CopyParams make(object dst, object src, object size, object dst_owner, object src_owner):
        cdef CopyParams self = CopyParams.__new__(CopyParams)
        cdef cydriver.CUDA_MEMCPY3D* native = &self.native
        cdef size_t nbytes = checked_size(size)
        if nbytes == 0:
            raise ValueError("size must be at least 1 byte, not 0")
        memset(native, 0, sizeof(self.native))
        native.dstDevice, native.srcDevice = _operand(dst, "dst", nbytes), _operand(src, "src", nbytes)
        native.dstMemoryType, native.srcMemoryType = _memory_kind(native.dstDevice), _memory_kind(native.srcDevice)
        native.dstHost, native.srcHost = <void*><uintptr_t>native.dstDevice, <void*><uintptr_t>native.srcDevice
        native.dstPitch = native.srcPitch = native.WidthInBytes = nbytes
        native.dstHeight = native.srcHeight = native.Height = native.Depth = 1
        self.owners = (dst, src, dst_owner, src_owner)
        return self


cdef cydriver.CUmemorytype _memory_kind(cydriver.CUdeviceptr ptr) except *:
    """Return the type of memory at an address; addresses unknown to the driver are host memory."""
    return <cydriver.CUmemorytype>(memory_type(ptr) or <int>cydriver.CU_MEMORYTYPE_HOST)


cdef class FillParams:
    """Parameters of a node that fills memory."""

    @staticmethod
    cdef FillParams make(object dst, object value, object width, object height, object pitch, object dst_owner):
        cdef FillParams self = FillParams.__new__(FillParams)
        cdef cydriver.CUDA_MEMSET_NODE_PARAMS* native = &self.native
        pattern = fill_pattern(value)
        memset(native, 0, sizeof(self.native))
        native.elementSize = len(pattern)
        native.value = int.from_bytes(pattern, sys.byteorder)
        native.width, native.height, native.pitch = _extent(width, "width"), _extent(height, "height"), pitch
        cdef size_t row = native.width * native.elementSize
        if native.height > 1 and native.pitch < row:
            raise ValueError(f"pitch is {pitch} bytes, but a row of {width} elements has {row}")
        native.dst = _operand(dst, "dst", (native.height - 1) * native.pitch + row)
        self.owners = (dst, dst_owner)
        return self


cdef size_t _extent(object value, str name) except? 0:
    if not hasattr(value, "__index__"):
        raise TypeError(f"{name} must be an int, not {type(value).__name__}")
    if not 0 <= value <= sys.maxsize:
        raise OverflowError(f"{name} must be from 1 to {sys.maxsize}, not {value}")
    if value == 0:
        raise ValueError(f"{name} must be at least 1, not 0")
    return value


cdef class HostParams:
    """Parameters of a host node: a Python callable without arguments, or a C function given as a ctypes function."""

    @staticmethod
    cdef HostParams make(object function, object user_data):
        cdef HostParams self = HostParams.__new__(HostParams)
        ctypes = sys.modules.get("ctypes")
        if ctypes is not None and isinstance(function, ctypes._CFuncPtr):
            data = None if user_data is None or isinstance(user_data, int) else _copied(user_data)
            address = ctypes.cast(function, ctypes.c_void_p).value
            self.native.fn = <cydriver.CUhostFn><uintptr_t>address
            self.native.userData = <void*><uintptr_t>((user_data or 0) if data is None else ctypes.addressof(data))
            self.entry = hold((function, data))
            return self
        if not callable(function):
            raise TypeError(f"fn must be callable, or a ctypes function, not {type(function).__name__}")
        if user_data is not None:
            raise ValueError("user_data is for a ctypes function: a Python callable takes no arguments")
        self.function = function
        self.entry = hold(function)
        self.native.fn = call_entry
        self.native.userData = self.entry
        return self


def _copied(user_data):
    """Return a copy of an object's bytes at a fixed address."""
    import ctypes

    try:
        data = memoryview(user_data).tobytes()
    except TypeError:
        raise TypeError(f"user_data must be an int or bytes-like, not {type(user_data).__name__}") from None
    return ctypes.create_string_buffer(data, max(len(data), 1))
