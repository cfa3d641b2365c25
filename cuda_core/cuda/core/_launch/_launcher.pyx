# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""Prepared launches: a kernel with its configuration and stream, called with the arguments alone."""

from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF

from cuda.bindings cimport cydriver
from cuda.core._launch._kernel cimport Kernel
from cuda.core._launch._launch cimport check_objects, put
from cuda.core._launch._launch_config cimport LaunchConfig
from cuda.core._stream._stream cimport Stream, as_stream

from cuda.core._errors import not_pickled

cdef extern from "Python.h":
    ctypedef PyObject* (*vectorcallfunc)(PyObject*, PyObject* const*, size_t, PyObject*) except NULL
    ctypedef struct PyTypeObject:
        Py_ssize_t tp_vectorcall_offset
        unsigned long tp_flags
        PyObject* (*tp_call)(PyObject*, PyObject*, PyObject*)
    Py_ssize_t PyVectorcall_NARGS(size_t)
    PyObject* PyVectorcall_Call(PyObject*, PyObject*, PyObject*)
    unsigned long Py_TPFLAGS_HAVE_VECTORCALL
    void PyType_Modified(PyTypeObject*)


cdef class Launcher:
    """A kernel that is ready to run with one configuration in one stream; `Kernel.prepare` makes it.

    Calling it with the kernel's arguments launches the kernel; they are accepted and checked as by `launch`.

    Thread safety: threads may share it; code is loaded once.

    Attributes
    ----------
    kernel : Kernel
        The kernel.
    config : LaunchConfig
        The shape of the grid.
    stream : Stream
        The stream.

    Examples
    --------
    >>> double = kernel.prepare(config, stream)
    >>> double(buffer, 2.0, 100)
    >>> double.config.block
    (128, 1, 1)
    """

    cdef vectorcallfunc vectorcall
    cdef cydriver.CUlaunchConfig native
    cdef readonly Kernel kernel
    cdef readonly LaunchConfig config
    cdef readonly Stream stream
    cdef object keep  # of a graph builder: called with the kernel and arguments, which its graph must keep alive

    def __init__(self, *args, **kwargs):
        raise RuntimeError("a Launcher is not made directly: use Kernel.prepare")

    @staticmethod
    def _prepare(Kernel kernel not None, config, stream) -> Launcher:
        """Create a Launcher; see `Kernel.prepare`."""
        check_objects(config, kernel)
        cdef Launcher self = Launcher.__new__(Launcher)
        self.vectorcall = call
        self.kernel, self.config, self.stream = kernel, config, as_stream(stream, "stream")
        self.keep = None if stream is self.stream else getattr(stream, "_keep", None)
        self.native = self.config.native
        self.native.hStream = self.stream.open_handle()
        kernel.read_layout()
        return self

    def __reduce__(self):
        raise not_pickled(self)

    def __repr__(self):
        return f"<Launcher of {self.kernel!r} with {self.config!r} in {self.stream!r}>"


cdef PyObject* call(PyObject* launcher, PyObject* const* arguments, size_t flags, PyObject* names) except NULL:
    """Launch the kernel with these arguments."""
    cdef Launcher self = <Launcher>launcher
    if names != NULL and len(<tuple><object>names):
        raise TypeError(f"a kernel's arguments have no names, but {(<tuple><object>names)[0]!r} is given by name")
    self.stream.open_handle()
    put(self.kernel, self.config, &self.native, self.stream, arguments, PyVectorcall_NARGS(flags))
    if self.keep is not None:
        self.keep(self.kernel, *[<object>arguments[index] for index in range(PyVectorcall_NARGS(flags))])
    Py_INCREF(None)
    return <PyObject*>None


cdef Py_ssize_t place_of_vectorcall():
    cdef Launcher sample = Launcher.__new__(Launcher)
    return <char*>&sample.vectorcall - <char*><PyObject*>sample


# Cython's extension types do not support the vectorcall protocol; without it each call would pack a tuple first.
cdef PyTypeObject* _type = <PyTypeObject*>Launcher
_type.tp_vectorcall_offset = place_of_vectorcall()
_type.tp_call = PyVectorcall_Call
_type.tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL
PyType_Modified(_type)
