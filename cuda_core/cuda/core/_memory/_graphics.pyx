# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""GraphicsResource: OpenGL buffers and images registered with CUDA."""

from libc.stdint cimport uintptr_t

from cuda.bindings cimport cydriver
from cuda.core._memory._buffer cimport Buffer
from cuda.core._memory._resource cimport MemoryResource
from cuda.core._utils._check cimport check, fail, is_finalizing
from cuda.core._device._context cimport current_ordinal
from cuda.core._stream._stream cimport Stream, as_stream

from cuda.core._errors import ClosedError, not_pickled
from cuda.core._stream._stream import default_stream

cdef dict _FLAGS = {
    "none": cydriver.CU_GRAPHICS_REGISTER_FLAGS_NONE,
    "read_only": cydriver.CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY,
    "write_discard": cydriver.CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD,
    "surface_load_store": cydriver.CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST,
    "texture_gather": cydriver.CU_GRAPHICS_REGISTER_FLAGS_TEXTURE_GATHER,
}


cdef unsigned int _flags(object flags) except? 0xFFFFFFFF:
    cdef unsigned int bits = 0
    for flag in (flags,) if isinstance(flags, str) else flags or ():
        if flag not in _FLAGS:
            raise ValueError(f"flags must be among {', '.join(_FLAGS)}, not {flag!r}")
        bits |= <unsigned int>_FLAGS[flag]
    return bits


cdef int _registered(cydriver.CUresult status, const char* call) except -1:
    """Raise the error of a failed registration, with its requirements."""
    if status == cydriver.CUDA_SUCCESS:
        return 0
    return fail(
        status,
        call,
        "Sharing memory with OpenGL takes a GPU of NVIDIA whose OpenGL context is current in this thread, and the name "
        "of an object of that context; the CPU device does not offer it.",
    )


cdef class _Mapping(MemoryResource):
    """The memory resource of mapped buffers: deallocation unmaps the graphics resource."""

    cdef GraphicsResource resource
    cdef int ordinal

    cdef int release(self, cydriver.CUdeviceptr ptr, size_t size, Stream stream) except -1:
        return self.resource.unmap_on(stream)

    def deallocate(self, ptr, size, *, stream):
        """Unmap the resource; see `GraphicsResource.unmap`."""
        self.resource.unmap(stream=stream)

    @property
    def is_device_accessible(self) -> bool:
        """Return True: kernels can access the memory."""
        return True

    @property
    def is_host_accessible(self) -> bool:
        """Return False: the host cannot access the memory."""
        return False

    @property
    def device_id(self) -> int:
        """Return the ordinal of the memory's device."""
        return self.ordinal


cdef class GraphicsResource:
    """An OpenGL buffer or image that kernels can access while it is mapped.

    Thread safety: one thread at a time maps, unmaps or closes it.

    Examples
    --------
    >>> with GraphicsResource.from_gl_buffer(name) as resource:  # doctest: +SKIP
    ...     with resource.map(stream=stream) as buffer:
    ...         launch(stream, config, kernel, buffer)
    """

    cdef cydriver.CUgraphicsResource native
    cdef bint is_map
    cdef Stream order
    cdef object at_once  # the Buffer of a resource that was mapped on creation
    cdef object __weakref__

    def __init__(self, *args, **kwargs):
        raise RuntimeError("a GraphicsResource is not made directly: use from_gl_buffer or from_gl_image")

    @classmethod
    def from_gl_buffer(cls, gl_buffer, *, flags=None, stream=None):
        """Register an OpenGL buffer (cuGraphicsGLRegisterBuffer).

        Parameters
        ----------
        gl_buffer : int
            Its name in OpenGL.
        flags : str or tuple of str, optional
            Its intended use: ``"none"``, ``"read_only"``, ``"write_discard"``.
        stream : Stream, optional
            Map it at once in this stream: ``with`` then returns the Buffer.

        Returns
        -------
        GraphicsResource
            The registered buffer; `map` gives access to its memory.

        Raises
        ------
        ValueError
            If a flag is unknown.
        TypeError
            If `stream` is no stream.
        CUDAError
            If cuGraphicsGLRegisterBuffer fails: the driver must support OpenGL, which the CPU device does not, and
            an OpenGL context must be current in this thread.
        RuntimeError, ClosedError
            As `map`, if `stream` is given.

        Examples
        --------
        >>> resource = GraphicsResource.from_gl_buffer(name, flags="write_discard")  # doctest: +SKIP
        >>> resource.is_mapped  # doctest: +SKIP
        False
        """
        cdef GraphicsResource self = GraphicsResource.__new__(GraphicsResource)
        cdef unsigned int name = gl_buffer, bits = _flags(flags)
        order = None if stream is None else as_stream(stream, "stream")
        _registered(cydriver.cuGraphicsGLRegisterBuffer(&self.native, name, bits), b"cuGraphicsGLRegisterBuffer")
        if order is not None:
            self.at_once = self.map(stream=order)
        return self

    @classmethod
    def from_gl_image(cls, image, target, *, flags=None):
        """Register an OpenGL texture or renderbuffer (cuGraphicsGLRegisterImage).

        Parameters
        ----------
        image : int
            Its name in OpenGL.
        target : int
            Its OpenGL target, such as ``GL_TEXTURE_2D``, 0x0DE1.
        flags : str or tuple of str, optional
            Its intended use: ``"none"``, ``"read_only"``, ``"write_discard"``, ``"surface_load_store"``,
            ``"texture_gather"``.

        Returns
        -------
        GraphicsResource
            The registered image.

        Raises
        ------
        ValueError
            If a flag is unknown.
        CUDAError
            If cuGraphicsGLRegisterImage fails; see `from_gl_buffer`.

        Examples
        --------
        >>> resource = GraphicsResource.from_gl_image(texture, 0x0DE1, flags="read_only")  # doctest: +SKIP
        """
        cdef GraphicsResource self = GraphicsResource.__new__(GraphicsResource)
        cdef unsigned int name = image, kind = target, bits = _flags(flags)
        _registered(cydriver.cuGraphicsGLRegisterImage(&self.native, name, kind, bits), b"cuGraphicsGLRegisterImage")
        return self

    def map(self, *, stream):
        """Map the resource for CUDA (cuGraphicsMapResources); OpenGL must not use it until it is unmapped.

        Parameters
        ----------
        stream : Stream
            The stream in whose order the memory becomes usable.

        Returns
        -------
        Buffer
            The memory. Closing it unmaps the resource.

        Raises
        ------
        ClosedError
            If the resource is closed.
        RuntimeError
            If it is mapped already.
        TypeError
            If `stream` is no stream.
        CUDAError
            If cuGraphicsMapResources fails, or the resource is an image, which has no address.

        Examples
        --------
        >>> with resource.map(stream=stream) as memory:  # doctest: +SKIP
        ...     launch(stream, config, kernel, memory, 2.0, memory.size // 4)
        """
        cdef cydriver.CUdeviceptr ptr = 0
        cdef size_t size = 0
        cdef Stream order = as_stream(stream, "stream")
        cdef _Mapping mapping
        if self.native == NULL:
            raise ClosedError("this GraphicsResource is closed")
        if self.is_map:
            raise RuntimeError("this GraphicsResource is mapped already: unmap it first")
        with nogil:
            check(cydriver.cuGraphicsMapResources(1, &self.native, order.native), b"cuGraphicsMapResources")
        self.is_map, self.order = True, order
        try:
            check(
                cydriver.cuGraphicsResourceGetMappedPointer(&ptr, &size, self.native),
                b"cuGraphicsResourceGetMappedPointer",
            )
        except BaseException:
            self.unmap_on(order)
            raise
        mapping = _Mapping.__new__(_Mapping)
        mapping.resource, mapping.ordinal = self, max(current_ordinal(), 0)
        return Buffer.wrap(ptr, size, mapping, None, order)

    cdef int unmap_on(self, Stream stream) except -1:
        if not self.is_map:
            return 0
        self.is_map, self.at_once = False, None
        cdef Stream order = stream if stream is not None and not stream.closed else default_stream()
        with nogil:
            check(cydriver.cuGraphicsUnmapResources(1, &self.native, order.native), b"cuGraphicsUnmapResources")
        return 0

    def unmap(self, *, stream=None) -> None:
        """Unmap the resource, so that OpenGL can use it (cuGraphicsUnmapResources). If it is not mapped, do nothing.

        Parameters
        ----------
        stream : Stream, optional
            The stream after whose work OpenGL may use the memory; by default the one of `map`.

        Raises
        ------
        TypeError
            If `stream` is no stream.
        CUDAError
            If cuGraphicsUnmapResources fails.

        Examples
        --------
        >>> memory = resource.map(stream=stream)  # doctest: +SKIP
        >>> resource.unmap()  # doctest: +SKIP
        """
        self.unmap_on(self.order if stream is None else as_stream(stream, "stream"))

    def close(self, stream=None):
        """Unmap the resource if it is mapped, and unregister it (cuGraphicsUnregisterResource). Closing twice does
        nothing.

        Parameters
        ----------
        stream : Stream, optional
            The stream after whose work OpenGL may use the memory.

        Raises
        ------
        TypeError
            If `stream` is no stream.
        CUDAError
            If the resource cannot be unmapped or unregistered.

        Examples
        --------
        >>> resource.close()  # doctest: +SKIP
        >>> resource.is_closed  # doctest: +SKIP
        True
        """
        cdef cydriver.CUgraphicsResource native = self.native
        if native == NULL:
            return
        self.unmap(stream=stream)
        self.native = NULL
        with nogil:
            check(cydriver.cuGraphicsUnregisterResource(native), b"cuGraphicsUnregisterResource")

    def __dealloc__(self):
        if self.native != NULL and not is_finalizing():
            with nogil:
                cydriver.cuGraphicsUnregisterResource(self.native)

    @property
    def is_closed(self) -> bool:
        """Return whether the resource was closed."""
        return self.native == NULL

    @property
    def is_mapped(self) -> bool:
        """Return whether the resource is mapped for CUDA."""
        return self.is_map

    @property
    def handle(self):
        """Return the resource as `cuda.bindings.driver.CUgraphicsResource`, None once closed."""
        from cuda.bindings import driver

        return None if self.native == NULL else driver.CUgraphicsResource(<uintptr_t>self.native)

    @property
    def resource_handle(self) -> int:
        """Return the resource's address, 0 once closed."""
        return <uintptr_t>self.native

    def __enter__(self):
        if self.native == NULL:
            raise ClosedError("this GraphicsResource is closed")
        return self if self.at_once is None else self.at_once

    def __exit__(self, exc_type, exc_val, exc_tb):
        self.close()
        return False

    def __reduce__(self):
        raise not_pickled(self)

    def __repr__(self):
        return f"<GraphicsResource {'closed' if self.native == NULL else f'{<uintptr_t>self.native:#x}'}>"
