# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""Device: enumeration, attributes, and creation of streams, events, memory, graphs and textures on a device."""

from cpython.object cimport PyObject

from cuda.bindings cimport cydriver
from cuda.core._memory._resource cimport MemoryResource
from cuda.core._utils._check cimport after_wait, check
from cuda.core._device._context cimport (
    Activation,
    Context,
    activate,
    context_ordinal,
    current_ordinal,
    initialise,
    living_primary,
    native_device,
    no_context,
    primary,
)
from cuda.core._device._device_cache cimport call_device, devices_here, note_device, vectorcallfunc
from cuda.core._stream._event cimport Event
from cuda.core._stream._stream cimport as_stream

from collections import namedtuple

from cuda.core._errors import ClosedError, CUDAError
from cuda.core._utils._options import as_options
from cuda.core._stream._options import EventOptions
from cuda.core._device._device_arrays import DeviceArrays
from cuda.core._device._device_properties import DeviceProperties
from cuda.core._stream._stream import create_stream, default_stream


cdef extern from *:
    ctypedef struct PyTypeObject:
        vectorcallfunc tp_vectorcall


cdef int _not_set(int ordinal) except -1:
    """Raise if `set_current` was not called for this device in this thread."""
    raise CUDAError(
        f"Device {ordinal} is not yet initialized, perhaps you forgot to call .set_current() first? "
        f"Call Device({ordinal}).set_current() in each thread that uses it",
        name="CUDA_ERROR_INVALID_CONTEXT",
        status=<int>cydriver.CUDA_ERROR_INVALID_CONTEXT,
    )


ComputeCapability = namedtuple("ComputeCapability", "major minor", module=__name__)
ComputeCapability.__doc__ = "A device's version of the architecture."


class Device(DeviceArrays):
    """A device that runs kernels.

    Thread safety: each thread has an object of its own for a device, and `set_current` is valid for the thread that
    calls it.

    Parameters
    ----------
    device_id : int or Device, optional
        The device's ordinal; by default the current device of this thread, or 0 if none is current.

    Notes
    -----
    There is one object per device and thread, so that ``Device(0) is Device(0)``; those of other threads are equal.
    `set_current` must be called before `context`, `sync`, `allocate` and the methods that create streams, events, graph
    builders, arrays, textures and surfaces.

    Examples
    --------
    >>> Device(0).set_current()
    >>> Device().device_id, Device().properties.warp_size
    (0, 32)
    """

    __slots__ = ("_device_id", "_is_set", "_memory_resource", "_properties", "__weakref__")

    def __new__(cls, device_id=None):
        cdef int ordinal
        if isinstance(device_id, Device):
            return device_id
        if device_id is None:
            ordinal = max(current_ordinal(), 0)
        else:
            if isinstance(device_id, float) and device_id.is_integer():
                device_id = int(device_id)
            try:
                ordinal = device_id.__index__()
            except AttributeError:
                raise TypeError(f"device_id must be an int, a Device or None, not {device_id!r}") from None
            except OverflowError:
                raise OverflowError(f"device_id must be below {1 << 31}, not {device_id}") from None
        native_device(ordinal)
        devices = devices_here()
        self = devices.get(ordinal)
        if self is None:
            self = devices[ordinal] = object.__new__(cls)
            self._device_id = ordinal
            self._is_set = False
            self._memory_resource = self._properties = None
            if type(self) is Device and ordinal < 256:
                note_device(ordinal, <PyObject*>self)
        return self

    @property
    def device_id(self) -> int:
        """Return the device's ordinal."""
        return self._device_id

    @classmethod
    def get_all_devices(cls) -> tuple:
        """Return all devices, in the order of their ordinals (cuDeviceGetCount).

        Returns
        -------
        tuple of Device
            One for each device of ``CUDA_VISIBLE_DEVICES``; the CPU device has as many as ``CUDA_CPU_DEVICES`` says.

        Raises
        ------
        CUDAError
            If the driver cannot be initialised.

        Examples
        --------
        >>> [each.device_id for each in Device.get_all_devices()][0]
        0
        """
        cdef int count = 0
        initialise()
        check(cydriver.cuDeviceGetCount(&count), b"cuDeviceGetCount")
        return tuple([Device(ordinal) for ordinal in range(count)])

    def set_current(self, ctx=None):
        """Make this the device of the calling thread (cuCtxSetCurrent).

        Parameters
        ----------
        ctx : Context, optional
            A context of this device; its primary context if none is given.

        Returns
        -------
        Context or None
            With `ctx`, the context that was current before.

        Raises
        ------
        TypeError
            If `ctx` is not a Context.
        ClosedError
            If `ctx` is closed.
        RuntimeError
            If `ctx` belongs to another device.
        CUDAError
            If `ctx` is given and the thread has no context yet: call ``set_current()`` first.

        Examples
        --------
        >>> device = Device(0)
        >>> device.set_current()
        >>> Device() is device
        True
        """
        cdef cydriver.CUcontext before = NULL
        if ctx is None:
            check(cydriver.cuCtxSetCurrent(living_primary(self._device_id)), b"cuCtxSetCurrent")
            self._is_set = True
            return None
        if not isinstance(ctx, Context):
            raise TypeError(f"ctx must be a Context or None, not {type(ctx).__name__}")
        cdef Context context = ctx
        if context.closed:
            raise ClosedError("ctx is closed")
        if context._device_id != self._device_id:
            raise RuntimeError(f"ctx belongs to device {context._device_id}, not to device {self._device_id}")
        check(cydriver.cuCtxGetCurrent(&before), b"cuCtxGetCurrent")
        if before == NULL:
            no_context(b"cuCtxGetCurrent")
        check(cydriver.cuCtxSetCurrent(context.native), b"cuCtxSetCurrent")
        self._is_set = True
        return Context.wrap(before, context_ordinal(before))

    def sync(self) -> None:
        """Wait until all work submitted to the device is finished (cuCtxSynchronize); the GIL is released.

        Raises
        ------
        CUDAError
            If some of it failed, or `set_current` was not called.

        Examples
        --------
        >>> launch(stream, config, kernel, buffer, 2.0, 100)
        >>> device.sync()
        >>> stream.is_done
        True
        """
        cdef cydriver.CUresult status
        if not self._is_set:
            _not_set(self._device_id)
        cdef Activation _active = activate(self._device_id)
        with nogil:
            status = cydriver.cuCtxSynchronize()
        check(status, b"cuCtxSynchronize")
        if after_wait is not None:
            after_wait()

    def create_stream(self, obj=None, options=None):
        """Create a stream (cuStreamCreate, cuStreamCreateWithPriority), or wrap one of another library.

        Parameters
        ----------
        obj : object with ``__cuda_stream__``, optional
            A stream of another library to wrap, which is kept alive.
        options : StreamOptions, optional
            The properties of a new stream: `StreamOptions`, or a dict of its fields.

        Returns
        -------
        Stream
            A stream that does not synchronise with the legacy default stream, unless `options` say otherwise.

        Raises
        ------
        ValueError
            If both `obj` and `options` are given, or the priority is outside of the device's range.
        TypeError
            If `obj` has no ``__cuda_stream__``, or `options` are of another type.
        CUDAError
            If `set_current` was not called, or cuStreamCreate fails.

        Examples
        --------
        >>> urgent = device.create_stream(options=StreamOptions(priority=-1))
        >>> urgent.is_nonblocking, urgent.priority
        (True, -1)
        """
        if not self._is_set:
            _not_set(self._device_id)
        if obj is None:
            return create_stream(self._device_id, options)
        if options is not None:
            raise ValueError("options are for a new stream: give either obj or options")
        return as_stream(obj, "obj")

    def create_event(self, options=None):
        """Create an event (cuEventCreate).

        Parameters
        ----------
        options : EventOptions, optional
            The event's properties; an event for other processes is made by `Stream.record` instead.

        Returns
        -------
        Event
            An event that was not recorded yet; `Stream.record` records it.

        Raises
        ------
        TypeError
            If `options` are of another type, or enable IPC.
        CUDAError
            If `set_current` was not called, or cuEventCreate fails.

        Examples
        --------
        >>> event = device.create_event(EventOptions(timing_enabled=True))
        >>> stream.record(event) is event
        True
        """
        if not self._is_set:
            _not_set(self._device_id)
        if options is not None:
            options = as_options(EventOptions, options, "options")
            if options.ipc_enabled:
                raise TypeError("ipc_enabled is for events that a stream records: use Stream.record(options=...)")
        return Event.create(self._device_id, options)

    def allocate(self, size, *, stream):
        """Allocate memory of the device from its memory resource, in the order of a stream.

        Parameters
        ----------
        size : int
            Size in bytes, at least 1.
        stream : Stream
            The stream that orders the allocation, and later the deallocation.

        Returns
        -------
        Buffer
            Uninitialised memory; `Buffer.close` or garbage collection frees it.

        Raises
        ------
        CUDAError
            If `set_current` was not called, `size` is 0, or the memory is exhausted.
        TypeError
            If `size` is no int, or `stream` no stream.
        OverflowError
            If `size` is negative or exceeds 64 bits.

        Examples
        --------
        >>> memory = device.allocate(1 << 20, stream=stream)
        >>> memory.size, memory.is_device_accessible
        (1048576, True)
        """
        if not self._is_set:
            _not_set(self._device_id)
        return self.memory_resource.allocate(size, stream=stream)

    @property
    def memory_resource(self):
        """Return the memory resource that `allocate` uses; can be set to another MemoryResource."""
        if self._memory_resource is None:
            if self._attribute(cydriver.CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED):
                from cuda.core._memory._device_memory_resource import DeviceMemoryResource as Kind
            else:
                from cuda.core._memory._unpooled_memory import SynchronousMemoryResource as Kind

            self._memory_resource = Kind(self._device_id)
        return self._memory_resource

    @memory_resource.setter
    def memory_resource(self, resource):
        if not isinstance(resource, MemoryResource):
            raise TypeError(f"memory_resource must be a MemoryResource, not {type(resource).__name__}")
        self._memory_resource = resource

    @property
    def default_stream(self):
        """Return the default stream: the legacy one, unless CUDA_PYTHON_CUDA_PER_THREAD_DEFAULT_STREAM is set."""
        return default_stream()

    @property
    def context(self):
        """Return the context of this device that is current in the calling thread, or its primary context."""
        cdef cydriver.CUcontext current = NULL
        if not self._is_set:
            _not_set(self._device_id)
        if current_ordinal() == self._device_id:
            check(cydriver.cuCtxGetCurrent(&current), b"cuCtxGetCurrent")
            return Context.wrap(current, self._device_id)
        return Context.wrap(primary(self._device_id), self._device_id)

    def _attribute(self, int which):
        cdef int value = 0
        cdef cydriver.CUdevice device = native_device(self._device_id)
        check(
            cydriver.cuDeviceGetAttribute(&value, <cydriver.CUdevice_attribute>which, device), b"cuDeviceGetAttribute"
        )
        return value

    @property
    def properties(self):
        """Return the device's properties, one attribute for each CUdevice_attribute."""
        if self._properties is None:
            self._properties = DeviceProperties(self)
        return self._properties

    @property
    def compute_capability(self):
        """Return the version of the device's architecture as (major, minor)."""
        return ComputeCapability(
            self._attribute(cydriver.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
            self._attribute(cydriver.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR),
        )

    @property
    def arch(self) -> str:
        """Return the version of the architecture without a point, as in ``f"sm_{device.arch}"``."""
        major, minor = self.compute_capability
        return f"{major}{minor}"

    @property
    def name(self) -> str:
        """Return the device's name."""
        cdef char[256] text
        check(cydriver.cuDeviceGetName(text, 256, native_device(self._device_id)), b"cuDeviceGetName")
        return text.decode()

    @property
    def uuid(self) -> str:
        """Return the device's UUID as a string, without the prefix ``GPU-``."""
        import uuid

        cdef cydriver.CUuuid value
        check(cydriver.cuDeviceGetUuid(&value, native_device(self._device_id)), b"cuDeviceGetUuid")
        return str(uuid.UUID(bytes=(<char*>value.bytes)[:16]))

    @property
    def pci_bus_id(self) -> str:
        """Return the device's PCI bus id as ``domain:bus:device.function``."""
        cdef char[64] text
        check(cydriver.cuDeviceGetPCIBusId(text, 64, native_device(self._device_id)), b"cuDeviceGetPCIBusId")
        return text.decode()

    def can_access_peer(self, peer) -> bool:
        """Return whether this device can access the memory of a peer (cuDeviceCanAccessPeer).

        Parameters
        ----------
        peer : Device or int
            The other device. For the device itself the result is True.

        Returns
        -------
        bool
            Access is possible, but must still be granted: see `DeviceMemoryResource.peer_accessible_by`.

        Raises
        ------
        ValueError
            If there is no such device.
        CUDAError
            If cuDeviceCanAccessPeer fails.

        Examples
        --------
        >>> device.can_access_peer(device)
        True
        """
        cdef int answer = 0
        cdef int other = int(Device(peer))
        if other == self._device_id:
            return True
        check(
            cydriver.cuDeviceCanAccessPeer(&answer, native_device(self._device_id), native_device(other)),
            b"cuDeviceCanAccessPeer",
        )
        return bool(answer)

    @property
    def resources(self):
        """Return the resources that green contexts can partition: multiprocessors and work queues
        (cuDeviceGetDevResource).
        """
        from cuda.core._device._device_resources import of_device

        return of_device(self._device_id)

    def create_context(self, options=None):
        """Create a green context, to which part of the device's resources is assigned (cuGreenCtxCreate).

        Parameters
        ----------
        options : ContextOptions
            Its resources: ``ContextOptions(resources=[device.resources.sm])`` assigns all multiprocessors.

        Returns
        -------
        Context
            Create streams with its `create_stream`; `set_current` makes it a thread's current context.

        Raises
        ------
        ValueError
            If `options` are missing, or name no resource or several of one kind.
        TypeError
            If a resource is neither an SMResource nor a WorkqueueResource.
        CUDAError
            If cuGreenCtxCreate fails.

        Examples
        --------
        >>> context = device.create_context(ContextOptions([device.resources.sm]))
        >>> context.is_green, context.create_stream().context == context
        (True, True)
        """
        return Context._create_green(self._device_id, options)

    def create_graph_builder(self):
        """Create a builder that captures work into a graph, on a stream of its own.

        Returns
        -------
        GraphBuilder
            A builder whose `begin_building` starts the capture.

        Raises
        ------
        CUDAError
            If `set_current` was not called, or the stream cannot be created.

        Examples
        --------
        >>> builder = device.create_graph_builder().begin_building()
        >>> launch(builder, config, kernel, buffer, 2.0, 100)
        >>> graph = builder.end_building().complete()
        >>> graph.launch(stream)
        """
        from cuda.core.graph import GraphBuilder

        if not self._is_set:
            _not_set(self._device_id)
        return GraphBuilder._on_stream(create_stream(self._device_id), True)

    def create_mipmapped_array(self, options):
        """Create a mipmapped array: an image at several sizes, for textures (cuMipmappedArrayCreate).

        Parameters
        ----------
        options : MipmappedArrayOptions
            Its properties: shape, format, channels and number of levels.

        Returns
        -------
        MipmappedArray
            An array with undefined contents; each level is filled separately.

        Raises
        ------
        TypeError
            If `options` are of another type.
        CUDAError
            If `set_current` was not called, or cuMipmappedArrayCreate fails.

        Examples
        --------
        >>> from cuda.core.texture import MipmappedArrayOptions
        >>> options = MipmappedArrayOptions(shape=(64, 32), format="float32", num_channels=1, num_levels=3)
        >>> device.create_mipmapped_array(options).get_level(2).shape
        (16, 8)
        """
        from cuda.core.texture._array import create_mipmapped

        if not self._is_set:
            _not_set(self._device_id)
        return create_mipmapped(self._device_id, options)

    def create_opaque_array(self, options):
        """Create a CUDA array: an image in the hardware's opaque layout, for textures and surfaces (cuArrayCreate).

        Parameters
        ----------
        options : OpaqueArrayOptions
            Its properties: shape, format and channels.

        Returns
        -------
        OpaqueArray
            An array with undefined contents; `OpaqueArray.copy_from` fills it.

        Raises
        ------
        TypeError
            If `options` are of another type.
        CUDAError
            If `set_current` was not called, or cuArrayCreate fails.

        Examples
        --------
        >>> from cuda.core.texture import OpaqueArrayOptions
        >>> image = device.create_opaque_array(OpaqueArrayOptions(shape=(64, 32), format="float32", num_channels=4))
        >>> image.size_bytes
        32768
        """
        from cuda.core.texture._array import create_array

        if not self._is_set:
            _not_set(self._device_id)
        return create_array(self._device_id, options)

    def create_surface_object(self, *, resource):
        """Create a surface object, through which kernels read and write an image (cuSurfObjectCreate).

        Parameters
        ----------
        resource : ResourceDescriptor
            The image, from an OpaqueArray created with is_surface_load_store=True.

        Returns
        -------
        SurfaceObject
            Passed to kernels as ``cudaSurfaceObject_t``.

        Raises
        ------
        TypeError
            If `resource` is not a ResourceDescriptor.
        ValueError
            If the array was not created for surfaces.
        CUDAError
            If `set_current` was not called, or cuSurfObjectCreate fails.

        Examples
        --------
        >>> from cuda.core.texture import OpaqueArrayOptions, ResourceDescriptor
        >>> options = OpaqueArrayOptions(shape=(64, 32), format="float32", num_channels=1, is_surface_load_store=True)
        >>> image = device.create_opaque_array(options)
        >>> surface = device.create_surface_object(resource=ResourceDescriptor.from_opaque_array(image))
        >>> surface.is_closed
        False
        """
        from cuda.core.texture._object import create_surface

        if not self._is_set:
            _not_set(self._device_id)
        return create_surface(self._device_id, resource)

    def create_texture_object(self, *, resource, options=None):
        """Create a texture object, through which kernels read an image (cuTexObjectCreate).

        Parameters
        ----------
        resource : ResourceDescriptor
            The image.
        options : TextureObjectOptions, optional
            Addressing, filtering and read modes.

        Returns
        -------
        TextureObject
            Passed to kernels as ``cudaTextureObject_t``.

        Raises
        ------
        TypeError
            If `resource` is not a ResourceDescriptor, or `options` are of another type.
        CUDAError
            If `set_current` was not called, or cuTexObjectCreate fails.

        Examples
        --------
        >>> from cuda.core.texture import OpaqueArrayOptions, ResourceDescriptor, TextureObjectOptions
        >>> image = device.create_opaque_array(OpaqueArrayOptions(shape=(64, 32), format="float32", num_channels=1))
        >>> options = TextureObjectOptions(filter_mode="linear")
        >>> resource = ResourceDescriptor.from_opaque_array(image)
        >>> texture = device.create_texture_object(resource=resource, options=options)
        >>> texture.options.filter_mode
        'linear'
        """
        from cuda.core.texture._object import create_texture

        if not self._is_set:
            _not_set(self._device_id)
        return create_texture(self._device_id, resource, options)

    def to_system_device(self):
        """Return the same device as `cuda.core.system` sees it, for its temperature, clocks and utilisation.

        Returns
        -------
        cuda.core.system.Device
            The device of NVML with the same UUID.

        Raises
        ------
        NvmlError
            If NVML does not know the device.

        Examples
        --------
        >>> device.to_system_device().name == device.name
        True
        """
        from cuda.core.system import Device as SystemDevice

        return SystemDevice(uuid=f"GPU-{self.uuid}")

    def __int__(self) -> int:
        return self._device_id

    def __index__(self) -> int:
        return self._device_id

    def __eq__(self, other) -> bool:
        if not isinstance(other, Device):
            return NotImplemented
        return self._device_id == other._device_id

    def __hash__(self) -> int:
        return hash((Device, self._device_id))

    def __reduce__(self):
        return Device, (self._device_id,)

    def _repr_html_(self):
        from cuda.core._utils._html import of_device

        return of_device(self)

    def __repr__(self):
        return f"<Device {self._device_id} ({self.name})>"


# Subclasses do not inherit this slot.
(<PyTypeObject*>Device).tp_vectorcall = call_device
