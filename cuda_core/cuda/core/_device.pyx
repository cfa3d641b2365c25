# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""Devices: what there is, what each can do, and everything that is made on one."""

from cuda.bindings cimport cydriver
from cuda.core._buffer cimport MemoryResource
from cuda.core._check cimport check
from cuda.core._context cimport (
    Context, activate, context_ordinal, current_ordinal, deactivate, initialise, native_device, primary,
)
from cuda.core._event cimport Event
from cuda.core._stream cimport as_stream

import threading
from collections import namedtuple

from cuda.core._device_properties import DeviceProperties
from cuda.core._options import not_yet
from cuda.core._stream import create_stream, default_stream

cdef object _lock = threading.RLock()
cdef dict _devices = {}


ComputeCapability = namedtuple("ComputeCapability", "major minor", module=__name__)
ComputeCapability.__doc__ = "A device's version of the architecture."


class Device:
    """A device that runs kernels.

    Parameters
    ----------
    device_id : int or Device, optional
        The device's ordinal. Without, it is the current device of this thread, or 0 if none was set.

    Notes
    -----
    There is one object per device, so that ``Device(0) is Device(0)``.
    """

    __slots__ = ("_device_id", "_memory_resource", "_properties", "__weakref__")

    def __new__(cls, device_id=None):
        cdef int ordinal
        if isinstance(device_id, Device):
            return device_id
        if device_id is None:
            ordinal = max(current_ordinal(), 0)
        else:
            try:
                ordinal = device_id.__index__()
            except (AttributeError, OverflowError):
                raise TypeError(f"device_id must be an int, a Device or None, not {device_id!r}") from None
        native_device(ordinal)
        with _lock:
            self = _devices.get(ordinal)
            if self is None:
                self = _devices[ordinal] = object.__new__(cls)
                self._device_id = ordinal
                self._memory_resource = self._properties = None
            return self

    @property
    def device_id(self) -> int:
        """Return the device's ordinal."""
        return self._device_id

    @classmethod
    def get_all_devices(cls) -> tuple:
        """Return all devices, in the order of their ordinals."""
        cdef int count = 0
        initialise()
        check(cydriver.cuDeviceGetCount(&count), b"cuDeviceGetCount")
        return tuple([Device(ordinal) for ordinal in range(count)])

    def set_current(self, ctx=None):
        """Make this the device of the calling thread.

        Parameters
        ----------
        ctx : Context, optional
            A context of this device; its primary context if none is given.

        Returns
        -------
        Context or None
            With `ctx`, the context that was current before.
        """
        cdef cydriver.CUcontext before = NULL
        if ctx is None:
            check(cydriver.cuCtxSetCurrent(primary(self._device_id)), b"cuCtxSetCurrent")
            return None
        if not isinstance(ctx, Context):
            raise TypeError(f"ctx must be a Context or None, not {type(ctx).__name__}")
        cdef Context context = ctx
        if context.closed:
            raise ValueError("ctx is closed")
        if context._device_id != self._device_id:
            raise ValueError(f"ctx belongs to device {context._device_id}, not to device {self._device_id}")
        check(cydriver.cuCtxGetCurrent(&before), b"cuCtxGetCurrent")
        check(cydriver.cuCtxSetCurrent(context.native), b"cuCtxSetCurrent")
        return None if before == NULL else Context.wrap(before, context_ordinal(before))

    def sync(self) -> None:
        """Wait until all work of the device is finished.

        Raises
        ------
        CUDAError
            If some of it failed.
        """
        cdef bint pushed = activate(self._device_id)
        cdef cydriver.CUresult status
        try:
            with nogil:
                status = cydriver.cuCtxSynchronize()
            check(status, b"cuCtxSynchronize")
        finally:
            deactivate(pushed)

    def create_stream(self, obj=None, options=None):
        """Create a stream.

        Parameters
        ----------
        obj : object with ``__cuda_stream__``, optional
            A stream of another library to wrap, which is kept alive.
        options : StreamOptions, optional
            The properties of a new stream.

        Returns
        -------
        Stream
        """
        if obj is None:
            return create_stream(self._device_id, options)
        if options is not None:
            raise ValueError("options are for a new stream: give either obj or options")
        return as_stream(obj, "obj")

    def create_event(self, options=None):
        """Create an event.

        Parameters
        ----------
        options : EventOptions, optional
            The event's properties.

        Returns
        -------
        Event
        """
        return Event.create(self._device_id, options)

    def allocate(self, size, *, stream):
        """Allocate memory of the device from its memory resource.

        Parameters
        ----------
        size : int
            Bytes.
        stream : Stream
            The stream in whose order the memory becomes usable, and later free.

        Returns
        -------
        Buffer
        """
        return self.memory_resource.allocate(size, stream=stream)

    @property
    def memory_resource(self):
        """Return the resource that `allocate` uses; set it to another MemoryResource."""
        if self._memory_resource is None:
            from cuda.core import _memory_resource as resources

            pools = self._attribute(cydriver.CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED)
            kind = resources.DeviceMemoryResource if pools else resources.SynchronousMemoryResource
            self._memory_resource = kind(self._device_id)
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
        """Return what the driver tells of the device, an attribute for each CUdevice_attribute."""
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
        """Return the device's UUID in its usual spelling."""
        import uuid

        cdef cydriver.CUuuid value
        check(cydriver.cuDeviceGetUuid(&value, native_device(self._device_id)), b"cuDeviceGetUuid")
        return str(uuid.UUID(bytes=(<char*>value.bytes)[:16]))

    @property
    def pci_bus_id(self) -> str:
        """Return the device's place on the PCI bus as ``domain:bus:device.function``."""
        cdef char[64] text
        check(cydriver.cuDeviceGetPCIBusId(text, 64, native_device(self._device_id)), b"cuDeviceGetPCIBusId")
        return text.decode()

    def can_access_peer(self, peer) -> bool:
        """Tell whether this device can use the memory of another one.

        Parameters
        ----------
        peer : Device or int
            The other device.
        """
        cdef int answer = 0
        cdef int other = int(Device(peer))
        if other == self._device_id:
            return False
        check(
            cydriver.cuDeviceCanAccessPeer(&answer, native_device(self._device_id), native_device(other)),
            b"cuDeviceCanAccessPeer",
        )
        return bool(answer)

    @property
    def resources(self):
        """Raise NotImplementedError: green contexts are not in this version."""
        raise not_yet("Device.resources", "it describes green contexts")

    def create_context(self, options=None):
        """Raise NotImplementedError: green contexts are not in this version."""
        raise not_yet("Device.create_context", "it makes green contexts; Device.context is the primary one")

    def create_graph_builder(self):
        """Raise NotImplementedError: graphs are not in this version."""
        raise not_yet("Device.create_graph_builder", "it has no graphs")

    def create_mipmapped_array(self, options):
        """Raise NotImplementedError: textures are not in this version."""
        raise not_yet("Device.create_mipmapped_array", "it has no textures")

    def create_opaque_array(self, options):
        """Raise NotImplementedError: textures are not in this version."""
        raise not_yet("Device.create_opaque_array", "it has no textures")

    def create_surface_object(self, *, resource):
        """Raise NotImplementedError: textures are not in this version."""
        raise not_yet("Device.create_surface_object", "it has no textures")

    def create_texture_object(self, *, resource, options=None):
        """Raise NotImplementedError: textures are not in this version."""
        raise not_yet("Device.create_texture_object", "it has no textures")

    def to_system_device(self):
        """Raise NotImplementedError: cuda.core.system is not in this version."""
        raise not_yet("Device.to_system_device", "it has no cuda.core.system")

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

    def __repr__(self):
        return f"<Device {self._device_id} ({self.name})>"
