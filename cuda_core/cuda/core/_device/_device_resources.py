# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Device resources (CUdevResource): multiprocessors and work queues of a device, context or stream."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cuda.core._errors import not_pickled
from cuda.core._utils._call import call
from cuda.core._utils._options import as_options, named_options
from cuda.core.typing import WorkqueueSharingScopeType

if TYPE_CHECKING:
    from cuda.core._device._device import Device

_BACKFILL = 1  # CU_DEV_SM_RESOURCE_GROUP_BACKFILL
_SM, _WORKQUEUE_CONFIG = 1, 1000  # CUdevResourceType
_SCOPES = (WorkqueueSharingScopeType.DEVICE_CTX, WorkqueueSharingScopeType.GREEN_CTX_BALANCED)


@named_options
@dataclass(slots=True, weakref_slot=True)
class SMResourceOptions:
    """Options of `SMResource.split`: a single value makes one group, a sequence one group per item.

    Thread safety: threads may read it together; assignments to its attributes are not guarded.

    Attributes
    ----------
    count : int or sequence of int, optional
        The number of multiprocessors in a group; 0 and None leave it to the driver.
    coscheduled_sm_count : int or sequence of int, optional
        The number of multiprocessors that must be able to run the blocks of one cluster together.
    preferred_coscheduled_sm_count : int or sequence of int, optional
        The preferred number of such multiprocessors.
    backfill : bool or sequence of bool
        Whether a group may be filled up with multiprocessors that cannot run a cluster together.

    Examples
    --------
    >>> everything = device.resources.sm
    >>> (part,), rest = everything.split(SMResourceOptions(count=everything.min_partition_size))
    >>> part.sm_count + rest.sm_count == everything.sm_count
    True
    """

    count: int | Sequence[int] | None = None
    coscheduled_sm_count: int | Sequence[int] | None = None
    preferred_coscheduled_sm_count: int | Sequence[int] | None = None
    backfill: bool | Sequence[bool] = False

    def _groups(self) -> list[tuple[int, int, int, int]]:
        """Return each group as (count, coscheduled, preferred coscheduled, flags), as cuda.h has them."""
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__}
        several = isinstance(self.count, Sequence) and not isinstance(self.count, str)
        number = len(self.count) if several else 1  # type: ignore[arg-type]
        if number == 0:
            raise ValueError("count is empty: give the size of one group or more")
        columns = []
        for name, value in fields.items():
            if isinstance(value, Sequence) and not isinstance(value, str):
                if not several or len(value) != number:
                    raise ValueError(f"{name} has {len(value)} members, but count makes {number} group(s)")
                columns.append([_checked(name, item) for item in value])
            else:
                columns.append([_checked(name, value)] * number)
        return [(a, b, c, _BACKFILL if fill else 0) for a, b, c, fill in zip(*columns, strict=True)]


def _checked(name: str, value: Any) -> int:
    if name == "backfill":
        return int(bool(value))
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} must be an int, a sequence of int or None, not {value!r:.40}")
    if value < 0:
        raise ValueError(f"{name} must be at least 0, not {value}; 0 and None leave it to the driver")
    return value


@named_options
@dataclass(slots=True, weakref_slot=True)
class WorkqueueResourceOptions:
    """Options of `WorkqueueResource.configure`: how a context uses the device's work queues.

    Thread safety: threads may read it together; assignments to its attributes are not guarded.

    Attributes
    ----------
    sharing_scope : WorkqueueSharingScopeType or str, optional
        ``"device_ctx"``: queues are shared by all contexts of the device; ``"green_ctx_balanced"``: the driver keeps
        those of green contexts separate if possible.
    concurrency_limit : int, optional
        The expected number of streams with concurrent work.

    Examples
    --------
    >>> queues = device.resources.workqueue
    >>> queues.configure(WorkqueueResourceOptions(concurrency_limit=2))
    >>> queues.concurrency_limit
    2
    """

    sharing_scope: WorkqueueSharingScopeType | str | None = None
    concurrency_limit: int | None = None

    def __post_init__(self) -> None:
        if self.sharing_scope is not None:
            try:
                self.sharing_scope = WorkqueueSharingScopeType(self.sharing_scope)
            except ValueError:
                choices = ", ".join(repr(str(member)) for member in WorkqueueSharingScopeType)
                raise ValueError(
                    f"sharing_scope must be one of {choices} or None, not {self.sharing_scope!r}"
                ) from None
        limit = self.concurrency_limit
        if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 1):
            raise ValueError(f"concurrency_limit must be an int of at least 1 or None, not {limit!r}")


@named_options
@dataclass(slots=True, weakref_slot=True)
class ContextOptions:
    """The resources that a green context gets.

    Thread safety: threads may read it together; assignments to its attributes are not guarded.

    Attributes
    ----------
    resources : sequence of SMResource and WorkqueueResource
        At most one of each kind.

    Examples
    --------
    >>> context = device.create_context(ContextOptions([device.resources.sm]))
    >>> context.is_green
    True
    >>> context.close()
    """

    resources: Sequence[SMResource | WorkqueueResource]


class _Resource:
    """A CUdevResource of the driver."""

    __slots__ = ("__weakref__", "_native")
    _native: Any

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError(
            f"{type(self).__name__} is not made directly: ask a Device, Context or Stream for its resources"
        )

    @classmethod
    def _of(cls, native: Any) -> Any:
        self = cls.__new__(cls)
        self._native = native
        return self

    def __reduce__(self) -> Any:
        raise not_pickled(self)

    @property
    def handle(self) -> Any:
        """Return the resource as `cuda.bindings.driver.CUdevResource`."""
        return self._native


class SMResource(_Resource):
    """Multiprocessors of a device: those of a device, a context or a stream, or a group from `split`.

    Thread safety: immutable; threads may share it.

    Examples
    --------
    >>> device.resources.sm.sm_count == device.properties.multiprocessor_count
    True
    """

    __slots__ = ("_imagined",)
    _imagined: bool

    @classmethod
    def _of(cls, native: Any, imagined: bool = False) -> SMResource:
        self = super()._of(native)
        self._imagined = imagined
        return self

    @property
    def sm_count(self) -> int:
        """Return the number of multiprocessors."""
        return int(self._native.sm.smCount)

    @property
    def min_partition_size(self) -> int:
        """Return the smallest number of multiprocessors in a group."""
        return int(self._native.sm.minSmPartitionSize)

    @property
    def coscheduled_alignment(self) -> int:
        """Return the alignment of coscheduled groups: their sizes are multiples of it."""
        return int(self._native.sm.smCoscheduledAlignment)

    @property
    def flags(self) -> int:
        """Return CUdevSmResourceGroup_flags."""
        return int(self._native.sm.flags)

    def split(self, options: SMResourceOptions, *, dry_run: bool = False) -> tuple[list[SMResource], SMResource]:
        """Split the multiprocessors into groups (cuDevSmResourceSplit).

        Parameters
        ----------
        options : SMResourceOptions
            The groups.
        dry_run : bool
            Whether only to compute the sizes: no context can be created from such groups.

        Returns
        -------
        list of SMResource, SMResource
            The groups, and the remaining multiprocessors.

        Raises
        ------
        TypeError
            If `options` are of another type.
        RuntimeError
            If this resource came of a dry run.
        CUDAError
            If the groups do not fit.

        Examples
        --------
        >>> sms = device.resources.sm
        >>> (group,), rest = sms.split(SMResourceOptions(count=sms.min_partition_size), dry_run=True)
        >>> group.sm_count + rest.sm_count == sms.sm_count
        True
        """
        from cuda.core._device._sm_split import split_sms

        if self._imagined:
            raise RuntimeError("this SMResource came of a dry run: there is nothing to divide")
        groups = as_options(SMResourceOptions, options, "options")._groups()
        parts, rest = split_sms(self._native.getPtr(), groups)
        return [SMResource._of(_native(part), dry_run) for part in parts], SMResource._of(_native(rest), dry_run)

    def __repr__(self) -> str:
        return f"<SMResource of {self.sm_count} multiprocessors{', of a dry run' if self._imagined else ''}>"


def _native(data: bytes) -> Any:
    """Return a CUdevResource with these bytes."""
    from cuda.bindings import driver

    resource = driver.CUdevResource()
    ctypes.memmove(resource.getPtr(), data, len(data))
    return resource


class WorkqueueResource(_Resource):
    """The work queue resource of a device or context: sharing scope and concurrency limit.

    Thread safety: threads may share it.

    Examples
    --------
    >>> device.resources.workqueue.sharing_scope
    <WorkqueueSharingScopeType.DEVICE_CTX: 'device_ctx'>
    """

    __slots__ = ()

    @property
    def sharing_scope(self) -> WorkqueueSharingScopeType:
        """Return the sharing scope of the queues."""
        return _SCOPES[int(self._native.wqConfig.sharingScope)]

    @property
    def concurrency_limit(self) -> int:
        """Return the expected number of streams with concurrent work."""
        return int(self._native.wqConfig.wqConcurrencyLimit)

    @property
    def device(self) -> Device:
        """Return the device."""
        from cuda.core import Device

        return Device(int(self._native.wqConfig.device))

    def configure(self, options: WorkqueueResourceOptions) -> None:
        """Change how a context created with this resource uses the queues.

        Parameters
        ----------
        options : WorkqueueResourceOptions
            The new values; fields that are None stay as they are.

        Raises
        ------
        TypeError
            If `options` are of another type.

        Examples
        --------
        >>> queues = device.resources.workqueue
        >>> queues.configure(WorkqueueResourceOptions(concurrency_limit=4))
        >>> queues.concurrency_limit
        4
        """
        options = as_options(WorkqueueResourceOptions, options, "options")
        if options.sharing_scope is not None:
            self._native.wqConfig.sharingScope = _SCOPES.index(WorkqueueSharingScopeType(options.sharing_scope))
        if options.concurrency_limit is not None:
            self._native.wqConfig.wqConcurrencyLimit = options.concurrency_limit

    def __repr__(self) -> str:
        return f"<WorkqueueResource {self.sharing_scope}, {self.concurrency_limit} streams at once>"


class DeviceResources:
    """The resources of a device, a context or a stream.

    Thread safety: threads may share it; each access asks the driver.

    Examples
    --------
    >>> device.resources.sm.sm_count > 0
    True
    """

    __slots__ = ("__weakref__", "_owner", "_query")
    _query: Callable[[int], Any]
    _owner: tuple[str, int]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError("DeviceResources is not made directly: ask a Device, Context or Stream for its resources")

    @classmethod
    def _of(cls, query: Callable[[int], Any], owner: str, handle: Any) -> DeviceResources:
        self = cls.__new__(cls)
        self._query = query
        self._owner = (owner, int(handle))
        return self

    def __eq__(self, other: object) -> bool:
        return self._owner == other._owner if isinstance(other, DeviceResources) else NotImplemented

    def __hash__(self) -> int:
        return hash((DeviceResources, self._owner))

    def __reduce__(self) -> Any:
        raise not_pickled(self)

    def __repr__(self) -> str:
        owner, handle = self._owner
        return f"<DeviceResources of {owner} {handle if owner == 'device' else hex(handle)}>"

    @property
    def sm(self) -> SMResource:
        """Return the multiprocessors."""
        return SMResource._of(self._query(_SM))

    @property
    def workqueue(self) -> WorkqueueResource:
        """Return the work queue resource."""
        return WorkqueueResource._of(self._query(_WORKQUEUE_CONFIG))


def of_device(ordinal: int) -> DeviceResources:
    """Return the resources of a device."""
    from cuda.bindings import driver

    return DeviceResources._of(lambda kind: call(driver.cuDeviceGetDevResource, ordinal, kind), "device", ordinal)


def of_context(handle: Any) -> DeviceResources:
    """Return the resources of a context, a CUcontext."""
    from cuda.bindings import driver

    return DeviceResources._of(lambda kind: call(driver.cuCtxGetDevResource, handle, kind), "context", handle)


def of_stream(handle: Any) -> DeviceResources:
    """Return the resources of a stream, a CUstream."""
    from cuda.bindings import driver

    return DeviceResources._of(lambda kind: call(driver.cuStreamGetDevResource, handle, kind), "stream", handle)


def create_green(ordinal: int, options: Any) -> tuple[int, int]:
    """Create a green context on a device; return its CUgreenCtx and CUcontext."""
    from cuda.bindings import driver

    if options is None:
        raise ValueError("options must be given: ContextOptions(resources=[device.resources.sm]), or a part of that")
    native = [resource._native for resource in _checked_resources(options)]
    description = call(driver.cuDevResourceGenerateDesc, native, len(native))
    green = call(
        driver.cuGreenCtxCreate, description, ordinal, driver.CUgreenCtxCreate_flags.CU_GREEN_CTX_DEFAULT_STREAM
    )
    try:
        return int(green), int(call(driver.cuCtxFromGreenCtx, green))
    except BaseException:
        driver.cuGreenCtxDestroy(green)
        raise


def _checked_resources(options: Any) -> list[Any]:
    resources = as_options(ContextOptions, options, "options").resources
    if isinstance(resources, _Resource) or not isinstance(resources, Sequence):
        raise TypeError(f"resources must be a sequence of SMResource and WorkqueueResource, not {resources!r:.60}")
    if not resources:
        raise ValueError("resources is empty: give an SMResource, a WorkqueueResource, or one of each")
    for i, resource in enumerate(resources):
        if not isinstance(resource, (SMResource, WorkqueueResource)):
            raise TypeError(
                f"resources[{i}] must be an SMResource or a WorkqueueResource, not {type(resource).__name__}"
            )
        if getattr(resource, "_imagined", False):
            raise ValueError(f"resources[{i}] came of a dry run: split without dry_run")
    if len({type(resource) for resource in resources}) < len(resources):
        raise ValueError("resources has several of one kind: a context has one SMResource and one WorkqueueResource")
    return list(resources)
