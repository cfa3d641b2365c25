# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""Library: CUlibrary, the loaded code behind ObjectCode and Module."""

from libc.stdint cimport uintptr_t
from libc.stdlib cimport calloc, free, malloc

from cuda.bindings cimport cydriver
from cuda.core._utils._check cimport check, fail, is_finalizing
from cuda.core._device._context cimport Activation, activate_any, initialise
from cuda.core._launch._kernel cimport Kernel, new_kernel

cdef extern from "Python.h":
    const char* PyUnicode_AsUTF8(object) except NULL

cdef enum:
    LOG_BYTES = 8192  # size of the log buffer of the driver's compiler


cdef class Library:
    """Code loaded by the driver, from memory (bytes) or from a file (str).

    It is unloaded when this object and all its kernels are garbage-collected, but never once its handle, its module's
    or a kernel's was handed out, since that may be in use without this object; NVIDIA's cuda.core behaves alike.
    """

    def __init__(self, code):
        cdef cydriver.CUjit_option options[2]
        cdef void* values[2]
        cdef cydriver.CUresult status
        cdef bytes data = code if isinstance(code, bytes) else code.encode()
        cdef const char* text = data
        cdef bint from_file = not isinstance(code, bytes)
        initialise()
        self.log = <char*>calloc(LOG_BYTES, 1)
        if self.log == NULL:
            raise MemoryError
        options[0], values[0] = cydriver.CU_JIT_ERROR_LOG_BUFFER, self.log
        options[1], values[1] = cydriver.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, <void*><uintptr_t>(LOG_BYTES - 1)
        with nogil:
            if from_file:
                status = cydriver.cuLibraryLoadFromFile(&self.native, text, options, values, 2, NULL, NULL, 0)
            else:
                status = cydriver.cuLibraryLoadData(&self.native, text, options, values, 2, NULL, NULL, 0)
        if status != cydriver.CUDA_SUCCESS:
            self.native = NULL
            fail(status, b"cuLibraryLoadFromFile" if from_file else b"cuLibraryLoadData", self.said())

    def __dealloc__(self):
        if is_finalizing() or self.handed_out:
            return  # keep the log buffer, too: a driver that loads lazily may still write to it
        if self.native != NULL:
            with nogil:
                cydriver.cuLibraryUnload(self.native)
        free(self.log)

    cdef str said(self):
        """Return the log of the driver's compiler, with advice; "" if it is empty."""
        text = self.log.decode(errors="replace")
        if text:
            from cuda.core._program._compile_advice import of_log

            advice = of_log(text)
            if advice:
                text += f"\n{advice}"
        return text

    def keep(self) -> None:
        """Keep the code loaded for ever, since the handle of a kernel was handed out."""
        self.handed_out = True

    @property
    def handle(self) -> int:
        """Return the address of the CUlibrary, which stays loaded from now on."""
        self.handed_out = True
        return <uintptr_t>self.native

    def module(self) -> int:
        """Return the address of the CUmodule for the current context; the code stays loaded from now on."""
        self.handed_out = True
        cdef cydriver.CUmodule module = NULL
        cdef Activation _active = activate_any()
        with nogil:
            check(cydriver.cuLibraryGetModule(&module, self.native), b"cuLibraryGetModule")
        return <uintptr_t>module

    def kernel(self, name, dict mapping, dict kinds) -> Kernel:
        """Return a kernel, or raise an error that lists the kernels in the code.

        `mapping` maps names to symbols where they differ, `kinds` symbols to the kinds of the kernel's parameters.
        """
        cdef cydriver.CUkernel kernel = NULL
        cdef str symbol = symbol_of(name, mapping)
        cdef const char* text = PyUnicode_AsUTF8(symbol)
        cdef cydriver.CUresult status
        with nogil:
            status = cydriver.cuLibraryGetKernel(&kernel, self.native, text)
        if status == cydriver.CUDA_ERROR_NOT_FOUND:
            from cuda.core._program._compile_advice import no_kernel

            fail(status, b"cuLibraryGetKernel", no_kernel(symbol, self.kernel_names(), mapping))
        if status != cydriver.CUDA_SUCCESS:  # includes errors of loading, since a driver may load lazily
            fail(status, b"cuLibraryGetKernel", self.said())
        return new_kernel(kernel, self, name.decode() if isinstance(name, bytes) else name, kinds.get(symbol))

    def kernel_names(self) -> list:
        """Return the mangled names of all kernels; an empty list if the driver cannot enumerate them."""
        cdef unsigned int count = 0, index
        cdef const char* name = NULL
        cdef cydriver.CUkernel* kernels = NULL
        names = []
        try:
            if cydriver.cuLibraryGetKernelCount(&count, self.native) != cydriver.CUDA_SUCCESS or count == 0:
                return names
            kernels = <cydriver.CUkernel*>malloc(count * sizeof(cydriver.CUkernel))
            if kernels == NULL:
                raise MemoryError
            if cydriver.cuLibraryEnumerateKernels(kernels, count, self.native) == cydriver.CUDA_SUCCESS:
                for index in range(count):
                    if cydriver.cuKernelGetName(&name, kernels[index]) == cydriver.CUDA_SUCCESS and name != NULL:
                        names.append(name.decode())
        except RuntimeError:
            return []  # a driver older than these functions
        finally:
            free(kernels)
        return sorted(names)

    def variable(self, str name) -> tuple:
        """Return the address and size of a `__device__` or `__constant__` variable in the current context."""
        cdef cydriver.CUdeviceptr ptr = 0
        cdef size_t size = 0
        cdef bytes encoded = name.encode()
        cdef const char* symbol = encoded
        cdef Activation _active = activate_any()
        with nogil:
            status = cydriver.cuLibraryGetGlobal(&ptr, &size, self.native, symbol)
        if status == cydriver.CUDA_ERROR_NOT_FOUND:
            fail(
                status,
                b"cuLibraryGetGlobal",
                f"There is no variable {name!r} to be seen in this code: name it when compiling, "
                f"by name_expressions=('&{name}',), for the compiler keeps variables to itself or removes them.",
            )
        check(status, b"cuLibraryGetGlobal")
        return ptr, size


cpdef str symbol_of(object name, dict mapping):
    """Return the symbol of the kernel or variable called `name`."""
    if not isinstance(name, (str, bytes)):
        raise TypeError(f"name must be a str, not {type(name).__name__}")
    text = name.decode() if isinstance(name, bytes) else name
    if "\0" in text:
        raise ValueError(f"name must not contain a NUL character: {text!r:.60}")
    if not mapping:
        return text
    symbol = mapping.get(text)
    return mapping.get(f"&{text}", text) if symbol is None else symbol
