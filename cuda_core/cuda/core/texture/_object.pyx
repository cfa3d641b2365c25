# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""TextureObject (CUtexObject) and SurfaceObject (CUsurfObject)."""

cimport cython
from libc.string cimport memset

from cuda.bindings cimport cydriver
from cuda.core._utils._check cimport check, is_finalizing
from cuda.core._device._context cimport Activation, activate
from cuda.core.texture._array cimport MipmappedArray, OpaqueArray

from cuda.core._errors import ClosedError, not_pickled
from cuda.core._utils._options import as_options
from cuda.core.texture._array import native_format
from cuda.core.texture._options import TextureObjectOptions
from cuda.core.texture._resource import ResourceDescriptor
from cuda.core.typing import AddressModeType, FilterModeType, ReadModeType

cdef dict _ADDRESS = {
    AddressModeType.WRAP: cydriver.CU_TR_ADDRESS_MODE_WRAP,
    AddressModeType.CLAMP: cydriver.CU_TR_ADDRESS_MODE_CLAMP,
    AddressModeType.MIRROR: cydriver.CU_TR_ADDRESS_MODE_MIRROR,
    AddressModeType.BORDER: cydriver.CU_TR_ADDRESS_MODE_BORDER,
}
cdef dict _FILTER = {
    FilterModeType.POINT: cydriver.CU_TR_FILTER_MODE_POINT,
    FilterModeType.LINEAR: cydriver.CU_TR_FILTER_MODE_LINEAR,
}


cdef int _describe(resource, int ordinal, cydriver.CUDA_RESOURCE_DESC* native) except -1:
    """Fill in the CUDA_RESOURCE_DESC for a ResourceDescriptor."""
    if not isinstance(resource, ResourceDescriptor):
        raise TypeError(f"resource must be a ResourceDescriptor, not {type(resource).__name__}")
    source = resource.source
    if source.is_closed:
        raise ClosedError(f"the resource's {type(source).__name__} is closed")
    memset(native, 0, sizeof(cydriver.CUDA_RESOURCE_DESC))
    if resource.kind == "array":
        native.resType = cydriver.CU_RESOURCE_TYPE_ARRAY
        native.res.array.hArray = (<OpaqueArray?>source).open_handle()
        return _check_device(source._ordinal, ordinal)
    if resource.kind == "mipmapped_array":
        native.resType = cydriver.CU_RESOURCE_TYPE_MIPMAPPED_ARRAY
        native.res.mipmap.hMipmappedArray = (<MipmappedArray?>source).open_handle()
        return _check_device(source._ordinal, ordinal)
    cdef cydriver.CUarray_format format = <cydriver.CUarray_format><int>native_format(resource.format)
    if resource.kind == "linear":
        native.resType = cydriver.CU_RESOURCE_TYPE_LINEAR
        native.res.linear.devPtr = source.handle
        native.res.linear.format, native.res.linear.numChannels = format, resource.num_channels
        native.res.linear.sizeInBytes = resource.size_bytes
        return 0
    native.resType = cydriver.CU_RESOURCE_TYPE_PITCH2D
    native.res.pitch2D.devPtr = source.handle
    native.res.pitch2D.format, native.res.pitch2D.numChannels = format, resource.num_channels
    native.res.pitch2D.width, native.res.pitch2D.height = resource.width, resource.height
    native.res.pitch2D.pitchInBytes = resource.pitch_bytes
    return 0


cdef int _check_device(int there, int ordinal) except -1:
    if there != ordinal:
        raise ValueError(f"the resource is in memory of device {there}, not of device {ordinal}")
    return 0


cdef class _Object:
    """Base of TextureObject and SurfaceObject: a 64-bit handle that is passed to kernels."""

    cdef unsigned long long native
    cdef bint closed
    cdef int ordinal
    cdef object image
    cdef object __weakref__

    def __init__(self, *args, **kwargs):
        raise RuntimeError(f"a {type(self).__name__} is not made directly: use the methods of Device")

    cdef cydriver.CUresult destroy(self) except *:
        return cydriver.CUDA_SUCCESS

    def __dealloc__(self):
        if not self.closed and self.native and not is_finalizing():
            self.destroy()

    @cython.critical_section
    def close(self):
        """Destroy the object (cuTexObjectDestroy, cuSurfObjectDestroy). Closing twice does nothing; the image stays.

        Raises
        ------
        CUDAError
            If the driver fails, for example because the context has failed before.

        Examples
        --------
        >>> from cuda.core.texture import ResourceDescriptor
        >>> memory = device.allocate(400, stream=stream)
        >>> resource = ResourceDescriptor.from_linear(memory, format="float32", num_channels=1)
        >>> texture = device.create_texture_object(resource=resource)
        >>> texture.close()
        >>> texture.is_closed, memory.is_closed
        (True, False)
        """
        if self.closed:
            return
        self.closed = True
        image, self.image = self.image, None  # the image is released after the object that refers to it
        if self.native:
            check(self.destroy(), self._call())
        del image

    def _call(self):
        raise NotImplementedError

    @property
    @cython.critical_section
    def resource(self):
        """Return the image that the object refers to, None once closed."""
        return self.image

    @property
    def is_closed(self) -> bool:
        """Return whether the object was closed."""
        return self.closed

    @property
    def device(self):
        """Return the device on which kernels can use the object."""
        from cuda.core import Device

        return Device(self.ordinal)

    def __int__(self):
        if self.closed:
            raise ClosedError(f"this {type(self).__name__} is closed")
        return self.native

    def __index__(self):
        return int(self)

    def __enter__(self):
        int(self)
        return self

    def __exit__(self, exc_type, exc, tb):
        self.close()

    def __reduce__(self):
        raise not_pickled(self)

    @cython.critical_section
    def __repr__(self):
        state = "closed" if self.closed else f"{self.native:#x} of {self.image!r}"
        return f"<{type(self).__name__} {state}>"


cdef class TextureObject(_Object):
    """A texture object, through which kernels read an image with filtering; see `Device.create_texture_object`.

    Pass it as kernel argument for a parameter of type ``cudaTextureObject_t``, and keep it open until the kernel is
    finished. It keeps its image alive.

    Thread safety: threads may share it; of several `close` calls one destroys the object.

    Attributes
    ----------
    resource : ResourceDescriptor
        The image; None once closed.
    options : TextureObjectOptions
        The addressing, filtering and read modes.

    Examples
    --------
    >>> from cuda.core.texture import ResourceDescriptor
    >>> read = Module.from_source('''
    ... extern "C" __global__ void read(cudaTextureObject_t image, float *x) { *x = tex1Dfetch<float>(image, 2); }
    ... ''').read
    >>> memory = device.allocate(16, stream=stream)
    >>> memory.copy_from(np.arange(4, dtype=np.float32), stream=stream)
    >>> resource = ResourceDescriptor.from_linear(memory, format="float32", num_channels=1)
    >>> texture = device.create_texture_object(resource=resource)
    >>> launch(stream, config, read, texture, buffer)
    >>> stream.sync()
    >>> print(np.frombuffer(buffer, np.float32)[0])
    2.0
    """

    cdef readonly object options

    cdef cydriver.CUresult destroy(self) except *:
        with nogil:
            return cydriver.cuTexObjectDestroy(self.native)

    def _call(self):
        return b"cuTexObjectDestroy"

    @property
    def handle(self) -> int:
        """Return the CUtexObject as an int, 0 once closed."""
        return 0 if self.closed else self.native


cdef class SurfaceObject(_Object):
    """A surface object, through which kernels read and write an image; see `Device.create_surface_object`.

    Pass it as kernel argument for a parameter of type ``cudaSurfaceObject_t``, and keep it open until the kernel is
    finished. It keeps its image alive.

    Thread safety: threads may share it; of several `close` calls one destroys the object.

    Attributes
    ----------
    resource : ResourceDescriptor
        The image; None once closed.

    Examples
    --------
    >>> from cuda.core.texture import OpaqueArrayOptions, ResourceDescriptor
    >>> fill = Module.from_source('''
    ... extern "C" __global__ void fill(cudaSurfaceObject_t image) { surf1Dwrite(7.0f, image, 4 * threadIdx.x); }
    ... ''').fill
    >>> options = OpaqueArrayOptions(shape=(4,), format="float32", num_channels=1, is_surface_load_store=True)
    >>> image = device.create_opaque_array(options)
    >>> surface = device.create_surface_object(resource=ResourceDescriptor.from_opaque_array(image))
    >>> launch(stream, LaunchConfig(grid=1, block=4), fill, surface)
    >>> print(image.copy_to(np.empty(4, np.float32), stream=stream))
    [7. 7. 7. 7.]
    """

    cdef cydriver.CUresult destroy(self) except *:
        with nogil:
            return cydriver.cuSurfObjectDestroy(self.native)

    def _call(self):
        return b"cuSurfObjectDestroy"

    @property
    def handle(self) -> int:
        """Return the CUsurfObject as an int, 0 once closed."""
        return 0 if self.closed else self.native


def create_texture(int ordinal, resource, options):
    """Create a texture object; see `Device.create_texture_object`."""
    cdef TextureObject self = TextureObject.__new__(TextureObject)
    cdef cydriver.CUDA_RESOURCE_DESC native
    cdef cydriver.CUDA_TEXTURE_DESC how
    cdef int axis
    _describe(resource, ordinal, &native)
    chosen = as_options(TextureObjectOptions, options, "options")
    checked = chosen._checked(resource.format)
    if resource.kind == "linear" and (chosen.normalized_coords or checked.filter != FilterModeType.POINT):
        raise ValueError("a texture of a line of elements is read by index: it has no filtering or normalized_coords")
    memset(&how, 0, sizeof(how))
    for axis in range(3):
        how.addressMode[axis] = <cydriver.CUaddress_mode><int>_ADDRESS[checked.address[axis]]
    for axis in range(4):
        how.borderColor[axis] = checked.border[axis]
    how.filterMode = <cydriver.CUfilter_mode><int>_FILTER[checked.filter]
    how.mipmapFilterMode = <cydriver.CUfilter_mode><int>_FILTER[checked.mipmap]
    how.maxAnisotropy, how.mipmapLevelBias = chosen.max_anisotropy, chosen.mipmap_level_bias
    how.minMipmapLevelClamp, how.maxMipmapLevelClamp = chosen.min_mipmap_level_clamp, chosen.max_mipmap_level_clamp
    how.flags = (
        (cydriver.CU_TRSF_READ_AS_INTEGER if checked.read == ReadModeType.ELEMENT_TYPE else 0)
        | (cydriver.CU_TRSF_NORMALIZED_COORDINATES if chosen.normalized_coords else 0)
        | (cydriver.CU_TRSF_SRGB if chosen.srgb else 0)
        | (cydriver.CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION if chosen.disable_trilinear_optimization else 0)
        | (cydriver.CU_TRSF_SEAMLESS_CUBEMAP if chosen.seamless_cubemap else 0)
    )
    cdef Activation _active = activate(ordinal)
    with nogil:
        check(cydriver.cuTexObjectCreate(&self.native, &native, &how, NULL), b"cuTexObjectCreate")
    self.ordinal, self.image, self.options = ordinal, resource, chosen
    return self


def create_surface(int ordinal, resource):
    """Create a surface object; see `Device.create_surface_object`."""
    cdef SurfaceObject self = SurfaceObject.__new__(SurfaceObject)
    cdef cydriver.CUDA_RESOURCE_DESC native
    _describe(resource, ordinal, &native)
    if resource.kind != "array" or not resource.source.is_surface_load_store:
        raise ValueError("a surface needs an OpaqueArray that was made with is_surface_load_store=True")
    cdef Activation _active = activate(ordinal)
    with nogil:
        check(cydriver.cuSurfObjectCreate(&self.native, &native), b"cuSurfObjectCreate")
    self.ordinal, self.image = ordinal, resource
    return self
