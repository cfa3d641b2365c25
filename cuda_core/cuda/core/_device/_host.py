# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Host: the host as a memory location (CUmemLocation)."""

from __future__ import annotations

import threading

_lock = threading.Lock()
_hosts: dict[tuple[int | None, bool], Host] = {}


class Host:
    """The host, or one of its NUMA nodes, as a location that managed memory can prefer or be prefetched to.

    Thread safety: immutable; threads may share it.

    Parameters
    ----------
    numa_id : int, optional
        A NUMA node; by default the host as a whole.
    is_numa_current : bool
        Whether the location is the NUMA node of the calling thread; see `numa_current`.

    Examples
    --------
    >>> from cuda.core import Host
    >>> Host() is Host(), Host(0).numa_id, Host.numa_current().is_numa_current
    (True, 0, True)
    """

    __slots__ = ("__weakref__", "_is_numa_current", "_numa_id")
    _numa_id: int | None
    _is_numa_current: bool

    def __new__(cls, numa_id: int | None = None, *, is_numa_current: bool = False) -> Host:
        if numa_id is not None:
            if isinstance(numa_id, bool) or not hasattr(numa_id, "__index__"):
                raise ValueError(f"numa_id must be an int of at least 0 or None, not {numa_id!r}")
            numa_id = numa_id.__index__()
            if numa_id < 0:
                raise ValueError(f"numa_id must be the number of a NUMA node, at least 0, not {numa_id}")
            if is_numa_current:
                raise ValueError("give numa_id, a certain node, or is_numa_current, the calling thread's; not both")
        key = (numa_id, bool(is_numa_current))
        with _lock:
            self = _hosts.get(key)
            if self is None:
                self = _hosts[key] = object.__new__(cls)
                self._numa_id, self._is_numa_current = key
            return self

    @classmethod
    def numa_current(cls) -> Host:
        """Return the location that is the NUMA node of the thread that uses it.

        Returns
        -------
        Host
            The same object in each call; its `numa_id` is None.

        Examples
        --------
        >>> Host.numa_current()
        Host.numa_current()
        """
        return cls(is_numa_current=True)

    @property
    def numa_id(self) -> int | None:
        """Return the NUMA node, None for the host as a whole and for the calling thread's node."""
        return self._numa_id

    @property
    def is_numa_current(self) -> bool:
        """Return whether the location is the calling thread's NUMA node."""
        return self._is_numa_current

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Host):
            return NotImplemented
        return (self._numa_id, self._is_numa_current) == (other._numa_id, other._is_numa_current)

    def __hash__(self) -> int:
        return hash((Host, self._numa_id, self._is_numa_current))

    def __reduce__(self):
        return (Host.numa_current, ()) if self._is_numa_current else (Host, (self._numa_id,))

    def __repr__(self) -> str:
        if self._is_numa_current:
            return "Host.numa_current()"
        return "Host()" if self._numa_id is None else f"Host(numa_id={self._numa_id})"
