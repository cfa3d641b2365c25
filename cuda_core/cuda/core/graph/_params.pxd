# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from cuda.bindings cimport cydriver
from cuda.core._launch._kernel cimport Kernel
from cuda.core._launch._launch_config cimport LaunchConfig
from cuda.core.graph._retain cimport Entry


cdef class KernelParams:
    cdef cydriver.CUDA_KERNEL_NODE_PARAMS native
    cdef readonly LaunchConfig config
    cdef readonly Kernel kernel
    cdef readonly tuple arguments
    cdef bytearray scratch

    @staticmethod
    cdef KernelParams make(object config, object kernel, tuple arguments)


cdef class CopyParams:
    cdef cydriver.CUDA_MEMCPY3D native
    cdef readonly tuple owners

    @staticmethod
    cdef CopyParams make(object dst, object src, object size, object dst_owner, object src_owner)


cdef class FillParams:
    cdef cydriver.CUDA_MEMSET_NODE_PARAMS native
    cdef readonly tuple owners

    @staticmethod
    cdef FillParams make(object dst, object value, object width, object height, object pitch, object dst_owner)


cdef class HostParams:
    cdef cydriver.CUDA_HOST_NODE_PARAMS native
    cdef Entry* entry
    cdef readonly object function

    @staticmethod
    cdef HostParams make(object function, object user_data)
