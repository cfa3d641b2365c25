# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""The shape of a launch."""

from libc.string cimport memset

from cuda.bindings cimport cydriver


cdef tuple _extent(object value, str name):
    """Return 1 to 3 positive ints as three."""
    extent = value if isinstance(value, (tuple, list)) else (value,)
    try:
        extent = tuple([part.__index__() for part in extent])
    except AttributeError:
        raise TypeError(f"{name} must be an int or a tuple of 1 to 3 ints, not {value!r}") from None
    if not 1 <= len(extent) <= 3:
        raise ValueError(f"{name} must have 1 to 3 extents, not {len(extent)}: {value!r}")
    if min(extent) < 1 or max(extent) > 0x7FFFFFFF:
        raise ValueError(f"{name} is {value!r}, but each extent must be from 1 to 2147483647")
    return extent + (1,) * (3 - len(extent))


cdef class LaunchConfig:
    """LaunchConfig(grid=None, cluster=None, block=None, shmem_size=None, is_cooperative=False, \
programmatic_stream_serialization=False)\n--\n\nThe shape of a launch; it does not change once made.

    Parameters
    ----------
    grid : int or tuple of int
        Blocks along x, y and z; with `cluster`, clusters.
    cluster : int or tuple of int, optional
        Blocks of a cluster along x, y and z.
    block : int or tuple of int
        Threads of a block along x, y and z.
    shmem_size : int, optional
        Dynamic shared memory of a block in bytes; 0 by default.
    is_cooperative : bool
        Whether blocks may wait for one another, so that all must be on the device at once.
    programmatic_stream_serialization : bool
        Whether the kernel may start before the one ahead of it in the stream is finished.
    """

    def __init__(
        self,
        grid=None,
        cluster=None,
        block=None,
        shmem_size=None,
        bint is_cooperative=False,
        bint programmatic_stream_serialization=False,
    ):
        if grid is None or block is None:
            raise ValueError(f"{'grid' if grid is None else 'block'} must be given: an int or a tuple of 1 to 3 ints")
        self.grid = _extent(grid, "grid")
        self.block = _extent(block, "block")
        self.cluster = None if cluster is None else _extent(cluster, "cluster")
        if shmem_size is not None and not 0 <= shmem_size <= 0x7FFFFFFF:
            raise ValueError(f"shmem_size must be from 0 to 2147483647 bytes, not {shmem_size}")
        self.shmem_size = 0 if shmem_size is None else shmem_size
        self.is_cooperative = is_cooperative
        self.programmatic_stream_serialization = programmatic_stream_serialization
        memset(&self.native, 0, sizeof(self.native))
        self._set_extents()
        self._set_attributes()

    def _set_extents(self):
        scale = self.cluster or (1, 1, 1)
        blocks = [part * times for part, times in zip(self.grid, scale)]
        if max(blocks) > 0x7FFFFFFF:
            raise ValueError(
                f"grid {self.grid} of clusters {self.cluster} has more than 2147483647 blocks along an axis"
            )
        self.native.gridDimX, self.native.gridDimY, self.native.gridDimZ = blocks
        self.native.blockDimX, self.native.blockDimY, self.native.blockDimZ = self.block
        self.native.sharedMemBytes = self.shmem_size

    def _set_attributes(self):
        cdef cydriver.CUlaunchAttributeValue* value
        self.native.attrs = self.attributes
        if self.cluster is not None:
            value = &self.attributes[self.add(cydriver.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)].value
            value.clusterDim.x, value.clusterDim.y, value.clusterDim.z = self.cluster
        if self.is_cooperative:
            self.attributes[self.add(cydriver.CU_LAUNCH_ATTRIBUTE_COOPERATIVE)].value.cooperative = 1
        if self.programmatic_stream_serialization:
            value = &self.attributes[self.add(cydriver.CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)].value
            value.programmaticStreamSerializationAllowed = 1

    cdef int add(self, int attribute) except -1:
        """Begin one more launch attribute; return its index."""
        cdef int index = self.native.numAttrs
        memset(&self.attributes[index], 0, sizeof(cydriver.CUlaunchAttribute))
        self.attributes[index].id = <cydriver.CUlaunchAttributeID>attribute
        self.native.numAttrs += 1
        return index

    cdef tuple key(self):
        return (
            self.grid, self.cluster, self.block, self.shmem_size, self.is_cooperative,
            self.programmatic_stream_serialization,
        )

    def __eq__(self, other):
        if not isinstance(other, LaunchConfig):
            return NotImplemented
        return self.key() == (<LaunchConfig>other).key()

    def __hash__(self):
        return hash(self.key())

    def __reduce__(self):
        return LaunchConfig, self.key()

    def __repr__(self):
        names = ("grid", "cluster", "block", "shmem_size", "is_cooperative", "programmatic_stream_serialization")
        return f"LaunchConfig({', '.join(f'{name}={value!r}' for name, value in zip(names, self.key()))})"
