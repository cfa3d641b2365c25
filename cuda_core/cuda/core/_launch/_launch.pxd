# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from cpython.object cimport PyObject

from cuda.bindings cimport cydriver
from cuda.core._launch._kernel cimport Kernel
from cuda.core._launch._launch_config cimport LaunchConfig
from cuda.core._stream._stream cimport Stream

cdef int check_objects(object config, object kernel) except -1
cdef int put(
    Kernel kernel,
    LaunchConfig config,
    const cydriver.CUlaunchConfig* native,
    Stream stream,
    PyObject* const* arguments,
    Py_ssize_t given,
) except -1
cdef str explain(cydriver.CUresult status, LaunchConfig config, Kernel kernel, Stream stream)
