# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""LaunchConfig: grid, block and cluster dimensions and launch attributes."""

from cpython.exc cimport PyErr_Fetch, PyErr_Restore
from cpython.long cimport PyLong_CheckExact
from cpython.object cimport PyObject
from cpython.ref cimport Py_XDECREF
from libc.string cimport memset

from cuda.bindings cimport cydriver
from cuda.bindings._args cimport is_small, small

from cuda.core._utils._options import unknown_option

cdef extern from "Python.h":
    ctypedef int (*initproc)(PyObject*, PyObject*, PyObject*) noexcept
    ctypedef PyObject* (*vectorcallfunc)(PyObject*, PyObject* const*, size_t, PyObject*) noexcept
    ctypedef struct PyTypeObject:
        initproc tp_init
        vectorcallfunc tp_vectorcall
    bint PyErr_ExceptionMatches(object) noexcept

cdef enum:
    MOST = 0x7FFFFFFF

cdef tuple _OPTIONS = (
    "grid", "cluster", "block", "shmem_size", "is_cooperative", "programmatic_stream_serialization",
    "host_arrays",
)


cdef str _missing(object grid, object cluster, object block):
    """Return the error message for a missing grid or block; the second positional argument is the cluster."""
    if grid is not None and cluster is not None:
        second = f"LaunchConfig(grid={grid!r}, block={cluster!r})"
        return f"block must be given; the second argument is cluster: write {second}"
    return f"{'grid' if grid is None else 'block'} must be given: an int or a tuple of 1 to 3 ints"


cdef int _extent(object value, unsigned int* extent, str name) except -1:
    """Read 1 to 3 positive ints as three."""
    extent[0] = extent[1] = extent[2] = 1
    if PyLong_CheckExact(value) and is_small(value) and small(value) > 0:
        extent[0] = small(value)
        return 0
    parts = value if isinstance(value, (tuple, list)) else (value,)
    try:
        parts = tuple([part.__index__() for part in parts])
    except (AttributeError, TypeError):  # an array of NumPy has an __index__ that fails
        raise ValueError(f"{name} must be an int or a tuple of 1 to 3 ints, not {value!r}") from None
    if not 1 <= len(parts) <= 3:
        raise ValueError(f"{name} must have 1 to 3 extents, not {len(parts)}: {value!r}")
    if min(parts) < 1 or max(parts) > MOST:
        raise ValueError(f"{name} is {value!r}, but each extent must be from 1 to 2147483647")
    for index, part in enumerate(parts):
        extent[index] = part
    return 0


cdef class LaunchConfig:
    """LaunchConfig(grid=None, cluster=None, block=None, shmem_size=None, is_cooperative=False, \
programmatic_stream_serialization=False, host_arrays=False)\n--\n\nThe shape of a launch.

    Thread safety: immutable; threads may share it.

    Parameters
    ----------
    grid : int or tuple of int
        Blocks along x, y and z; with `cluster`, clusters.
    cluster : int or tuple of int, optional
        Blocks in a cluster along x, y and z.
    block : int or tuple of int
        Threads in a block along x, y and z.
    shmem_size : int, optional
        Dynamic shared memory per block in bytes; 0 by default.
    is_cooperative : bool
        Whether blocks may synchronise with each other (``grid.sync()``), so that all must be resident at once.
    programmatic_stream_serialization : bool
        Whether the kernel may start before the previous one in the stream has finished.
    host_arrays : bool
        Whether kernel arguments may be arrays and tensors in memory of the host, which the kernel uses in place. The
        device needs `DeviceProperties.pageable_memory_access`, as the CPU device has; keep the arrays until the kernel
        is done.

    Examples
    --------
    >>> LaunchConfig(grid=(4, 2), block=256, shmem_size=1024).grid
    (4, 2, 1)
    """

    def __init__(
        self,
        grid=None,
        cluster=None,
        block=None,
        shmem_size=None,
        bint is_cooperative=False,
        bint programmatic_stream_serialization=False,
        bint host_arrays=False,
    ):
        if grid is None or block is None:
            raise ValueError(_missing(grid, cluster, block))
        # __init__ may be called again.
        memset(&self.native, 0, sizeof(self.native))
        _extent(grid, self.grid_extent, "grid")
        _extent(block, &self.native.blockDimX, "block")
        self.has_cluster = cluster is not None
        if self.has_cluster:
            _extent(cluster, self.cluster_extent, "cluster")
        if shmem_size is not None and not PyLong_CheckExact(shmem_size) and not hasattr(shmem_size, "__index__"):
            raise TypeError(f"shmem_size must be an int (bytes) or None, not {shmem_size!r:.60}")
        if shmem_size is not None and not 0 <= shmem_size <= MOST:
            raise ValueError(f"shmem_size must be from 0 to 2147483647 bytes, not {shmem_size}")
        self.shared = 0 if shmem_size is None else shmem_size
        self.native.sharedMemBytes = self.shared
        self.cooperative = is_cooperative
        self.programmatic = programmatic_stream_serialization
        self.with_host_arrays = host_arrays
        self.count_blocks()
        self.native.attrs = self.attributes
        if self.has_cluster or is_cooperative or programmatic_stream_serialization:
            self.set_attributes()

    cdef int count_blocks(self) except -1:
        cdef unsigned int* blocks = &self.native.gridDimX
        cdef int axis
        for axis in range(3):
            if not self.has_cluster:
                blocks[axis] = self.grid_extent[axis]
            elif <unsigned long long>self.grid_extent[axis] * self.cluster_extent[axis] > MOST:
                raise ValueError(
                    f"grid {self.grid} of clusters {self.cluster} has more than 2147483647 blocks along an axis"
                )
            else:
                blocks[axis] = self.grid_extent[axis] * self.cluster_extent[axis]
        return 0

    cdef int set_attributes(self) except -1:
        cdef cydriver.CUlaunchAttributeValue* value
        if self.has_cluster:
            value = &self.attributes[self.add(cydriver.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)].value
            value.clusterDim.x, value.clusterDim.y, value.clusterDim.z = self.cluster
        if self.cooperative:
            self.attributes[self.add(cydriver.CU_LAUNCH_ATTRIBUTE_COOPERATIVE)].value.cooperative = 1
        if self.programmatic:
            value = &self.attributes[self.add(cydriver.CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)].value
            value.programmaticStreamSerializationAllowed = 1
        return 0

    cdef int add(self, int attribute) except -1:
        """Append a launch attribute; return its index."""
        cdef int index = self.native.numAttrs
        memset(&self.attributes[index], 0, sizeof(cydriver.CUlaunchAttribute))
        self.attributes[index].id = <cydriver.CUlaunchAttributeID>attribute
        self.native.numAttrs += 1
        return index

    def _change(self, name, value):
        """Set one of the values; if it is wrong, nothing changes."""
        values = dict(zip(_OPTIONS, self.key()))
        values[name] = value
        self.__init__(*LaunchConfig(**values).key())  # the constructor checks the values

    @property
    def grid(self):
        """Return the number of blocks, or of clusters if `cluster` is set, along x, y and z; can be set to a tuple."""
        return (self.grid_extent[0], self.grid_extent[1], self.grid_extent[2])

    @grid.setter
    def grid(self, tuple value not None):
        self._change("grid", value)

    @property
    def cluster(self):
        """Return the number of blocks in a cluster along x, y and z, or None; can be set to a tuple."""
        if not self.has_cluster:
            return None
        return (self.cluster_extent[0], self.cluster_extent[1], self.cluster_extent[2])

    @cluster.setter
    def cluster(self, tuple value):
        self._change("cluster", value)

    @property
    def block(self):
        """Return the number of threads in a block along x, y and z; can be set to a tuple."""
        return (self.native.blockDimX, self.native.blockDimY, self.native.blockDimZ)

    @block.setter
    def block(self, tuple value not None):
        self._change("block", value)

    @property
    def shmem_size(self) -> int:
        """Return the dynamic shared memory per block in bytes; can be set."""
        return self.shared

    @shmem_size.setter
    def shmem_size(self, value):
        if not hasattr(value, "__index__"):
            raise TypeError(f"shmem_size must be an int (bytes), not {type(value).__name__}")
        self._change("shmem_size", value.__index__())

    @property
    def is_cooperative(self) -> bool:
        """Return whether the launch is cooperative: all blocks are resident at once; can be set."""
        return self.cooperative

    @is_cooperative.setter
    def is_cooperative(self, value):
        self._change("is_cooperative", value)

    @property
    def programmatic_stream_serialization(self) -> bool:
        """Return whether the kernel may start before the previous one in the stream has finished; can be set."""
        return self.programmatic

    @programmatic_stream_serialization.setter
    def programmatic_stream_serialization(self, value):
        self._change("programmatic_stream_serialization", value)

    @property
    def host_arrays(self) -> bool:
        """Return whether kernel arguments may be arrays in memory of the host; can be set."""
        return self.with_host_arrays

    @host_arrays.setter
    def host_arrays(self, value):
        self._change("host_arrays", value)

    cdef tuple key(self):
        return (
            self.grid, self.cluster, self.block, self.shared, self.cooperative, self.programmatic,
            self.with_host_arrays,
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
        # `host_arrays`, the last, is ours alone: without it the text is NVIDIA's.
        values = self.key() if self.with_host_arrays else self.key()[:-1]
        return f"LaunchConfig({', '.join(f'{name}={value!r}' for name, value in zip(_OPTIONS, values))})"


# Unknown names are looked for only after Cython's own TypeError: a parameter **unknown would slow down each call.
cdef PyTypeObject* _type = <PyTypeObject*>LaunchConfig
cdef initproc _plain_init = _type.tp_init
cdef vectorcallfunc _plain_call = _type.tp_vectorcall


cdef int _init(PyObject* self, PyObject* args, PyObject* named) except -1:
    if _plain_init(self, args, named) == 0:
        return 0
    if named != NULL and PyErr_ExceptionMatches(TypeError):
        _check_names(<object>named)
    return -1


cdef PyObject* _call(PyObject* kind, PyObject* const* args, size_t flags, PyObject* names) except NULL:
    cdef PyObject* made = _plain_call(kind, args, flags, names)
    if made == NULL and names != NULL and PyErr_ExceptionMatches(TypeError):
        _check_names(<object>names)
    return made


cdef int _check_names(object named) except -1:
    """Raise the error for an unknown name, with a suggestion; otherwise leave the present error as it is."""
    cdef PyObject* kind
    cdef PyObject* value
    cdef PyObject* traceback
    PyErr_Fetch(&kind, &value, &traceback)
    for name in named:
        if name not in _OPTIONS:
            Py_XDECREF(kind)
            Py_XDECREF(value)
            Py_XDECREF(traceback)
            raise unknown_option("LaunchConfig", name, _OPTIONS)
    PyErr_Restore(kind, value, traceback)
    return 0


_type.tp_init = <initproc>_init
if _plain_call != NULL:
    _type.tp_vectorcall = <vectorcallfunc>_call
