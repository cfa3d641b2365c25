# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""Kernel: a __global__ function of loaded code (CUkernel), its parameters, attributes and occupancy."""

cimport cython
from libc.stdint cimport uintptr_t
from libc.stdlib cimport free, realloc

from cuda.bindings cimport cydriver
from cuda.bindings._atomic cimport atomic_store
from cuda.core._utils._check cimport check
from cuda.core._device._context cimport Activation, activate_any, current_ordinal, native_device, no_context
from cuda.core._utils._driver_handle cimport HandleClass
from cuda.core._launch._launch_config cimport LaunchConfig
from cuda.core._stream._stream cimport as_stream

from collections import namedtuple

from cuda.core._errors import not_pickled
from cuda.core._utils._address import as_address

cdef HandleClass CUKERNEL = HandleClass("CUkernel")

ParamInfo = namedtuple("ParamInfo", "offset size", module=__name__)
ParamInfo.__doc__ = "Where a parameter lies in a kernel's parameter memory, and its size, in bytes."
MaxPotentialBlockSizeOccupancyResult = namedtuple(
    "MaxPotentialBlockSizeOccupancyResult", "min_grid_size max_block_size", module=__name__
)
MaxPotentialBlockSizeOccupancyResult.__doc__ = (
    "The block size that fills the device best, and the smallest grid with which it does."
)


cdef class Kernel:
    """A function that `launch` runs on a device; it comes from `ObjectCode.get_kernel` or `Module.get_kernel`.

    Thread safety: threads may share it; code is loaded once.

    Examples
    --------
    >>> kernel.num_arguments, [parameter.size for parameter in kernel.arguments_info]
    (3, [8, 4, 4])
    >>> kernel.occupancy.max_potential_block_size(0, 128).max_block_size <= 128
    True
    """

    def __init__(self, *args, **kwargs):
        raise RuntimeError("a Kernel is not made directly: use ObjectCode.get_kernel or Module.get_kernel")

    @staticmethod
    def from_handle(handle, mod=None):
        """Wrap a kernel that other code has loaded.

        Parameters
        ----------
        handle : int or cuda.bindings.driver.CUkernel
            The kernel.
        mod : ObjectCode, optional
            The code to keep loaded as long as the kernel is in use.

        Returns
        -------
        Kernel
            A kernel with this handle, for `launch`.

        Raises
        ------
        TypeError
            If `handle` is no number. An address that is no kernel's is not detected.

        Examples
        --------
        >>> same = Kernel.from_handle(kernel.handle)
        >>> same == kernel, same.num_arguments
        (True, 3)
        """
        address = as_address(handle, "handle must be a kernel's address as int, or a CUkernel")
        return new_kernel(<cydriver.CUkernel><uintptr_t>address, mod, None, None)

    def __call__(self, *args, **kwargs):
        """Raise TypeError: a launch needs a stream and a LaunchConfig."""
        raise TypeError(
            f"{self.label()} is not called: use launch(stream, LaunchConfig(grid=1, block=64), kernel, *args), with "
            "your numbers of blocks and threads"
        )

    def __getitem__(self, configuration):
        """Raise TypeError: a launch is no call of ``kernel[grid, block]`` as in other packages."""
        given = configuration if isinstance(configuration, tuple) else (configuration,)
        grid, block = given[:2] if len(given) > 1 else (*given, 64) if given else (1, 64)
        raise TypeError(
            f"{self.label()} is not indexed: use launch(stream, LaunchConfig(grid={grid!r}, block={block!r}), kernel, "
            "*args)"
        )

    def __dealloc__(self):
        free(self.layout)

    cdef int ask_layout(self) except -1:
        """Query the layout of the parameters, for which the driver requires a current context.

        The calling thread may have none, since a launch uses the context of its stream.
        """
        cdef Activation _active = activate_any()
        return self._ask_layout()

    cdef int _ask_layout(self) except -1:
        cdef size_t offset = 0, size = 0, nbytes = 0
        cdef int count = 0, room = 0
        cdef cydriver.CUresult status
        cdef Slot* layout = NULL
        cdef Slot* grown
        while True:
            try:
                status = cydriver.cuKernelGetParamInfo(self.native, count, &offset, &size)
            except RuntimeError:
                status = cydriver.CUDA_ERROR_NOT_SUPPORTED  # a driver before CUDA 12.4
            if status != cydriver.CUDA_SUCCESS:
                break
            if count == room:
                room = 2 * room + 8
                grown = <Slot*>realloc(layout, room * sizeof(Slot))
                if grown == NULL:
                    free(layout)
                    raise MemoryError
                layout = grown
            layout[count].size, layout[count].offset, layout[count].kind = size, offset, c"?"
            nbytes = offset + size
            count += 1
        if status == cydriver.CUDA_ERROR_NOT_SUPPORTED:
            count = -1
        elif status != cydriver.CUDA_ERROR_INVALID_VALUE:
            free(layout)
            check(status, b"cuKernelGetParamInfo")
        for index, kind in enumerate(self.kinds if self.kinds is not None and len(self.kinds) == count else ""):
            layout[index].kind = ord(kind)
        self.set_layout(layout, count, nbytes)
        return 0

    @cython.critical_section
    cdef int set_layout(self, Slot* layout, int count, size_t nbytes) except -1:
        """Store the layout, unless another thread has done so."""
        if self.known:
            free(layout)
            return 0
        self.layout, self.count, self.nbytes = layout, count, nbytes
        atomic_store(&self.known, True)
        return 0

    cdef str label(self):
        """Return the name for messages."""
        cdef const char* name = NULL
        if self._name is None:
            try:
                if cydriver.cuKernelGetName(&name, self.native) == cydriver.CUDA_SUCCESS and name != NULL:
                    self.set_name(name.decode())
            except RuntimeError:
                pass  # a driver before CUDA 12.3
        return f"kernel {self._name!r}" if self._name else f"the kernel at {<uintptr_t>self.native:#x}"

    @cython.critical_section
    cdef int set_name(self, str name) except -1:
        if self._name is None:
            self._name = name
        return 0

    cdef cydriver.CUfunction function(self) except NULL:
        """Return the kernel as a function of the current context."""
        cdef cydriver.CUfunction function = NULL
        with nogil:
            check(cydriver.cuKernelGetFunction(&function, self.native), b"cuKernelGetFunction")
        return function

    @property
    def handle(self):
        """Return the kernel as `cuda.bindings.driver.CUkernel`; its code stays loaded from now on."""
        keep = getattr(self.owner, "keep", None)
        if keep is not None:
            keep()
        return CUKERNEL.of(self.native)

    @property
    def num_arguments(self) -> int:
        """Return the number of parameters."""
        self._need_layout()
        return self.count

    @property
    def arguments_info(self) -> list:
        """Return offset and size in bytes of each parameter."""
        self._need_layout()
        return [ParamInfo(self.layout[index].offset, self.layout[index].size) for index in range(self.count)]

    def _need_layout(self):
        if current_ordinal() < 0:
            no_context(b"cuKernelGetParamInfo")
        self.read_layout()
        if self.count < 0:
            raise NotImplementedError("this driver does not tell a kernel's parameters: it takes one for CUDA 12.4")

    def prepare(self, config, stream):
        """Return a callable that launches the kernel with this configuration and stream when called with the arguments.

        A call costs less than `launch`, which checks configuration and stream each time. It checks the arguments,
        too.

        Parameters
        ----------
        config : LaunchConfig
            The shape of the grid.
        stream : Stream
            The stream, which the returned object keeps alive, or any object with ``__cuda_stream__``.

        Returns
        -------
        Launcher
            Call it with the kernel's arguments.

        Raises
        ------
        TypeError
            If `config` is not a LaunchConfig, or `stream` no stream.
        ClosedError
            If the stream is closed.

        Examples
        --------
        >>> step = kernel.prepare(LaunchConfig(grid=1, block=128), stream)
        >>> for _ in range(10):
        ...     step(buffer, 2.0, 100)
        >>> stream.sync()
        >>> print(np.frombuffer(buffer, np.float32)[0])
        1024.0
        """
        from cuda.core import Launcher

        return Launcher._prepare(self, config, stream)

    @property
    def attributes(self):
        """Return the kernel's attributes on the current device; index them by another device."""
        return KernelAttributes(self, None)

    @property
    def occupancy(self):
        """Return the occupancy queries of this kernel on the current device."""
        return KernelOccupancy(self)

    def __eq__(self, other):
        if not isinstance(other, Kernel):
            return NotImplemented
        return self.native == (<Kernel>other).native

    def __hash__(self):
        return hash(<uintptr_t>self.native)

    def __reduce__(self):
        raise not_pickled(self)

    def _repr_html_(self):
        from cuda.core._utils._html import of_kernel

        return of_kernel(self, self.label())

    def __repr__(self):
        self.label()  # queries the name
        return f"<Kernel {self._name!r}>" if self._name else f"<Kernel at {<uintptr_t>self.native:#x}>"


cdef Kernel new_kernel(cydriver.CUkernel native, object owner, str name, str kinds):
    """Create a Kernel from its handle, the owner of its code, its name and the kinds of its parameters."""
    cdef Kernel self = Kernel.__new__(Kernel)
    self.native = native
    self.owner = owner
    self._name = name
    self.kinds = kinds
    return self


def kernel_attribute(Kernel kernel, device, int which) -> int:
    """Return one CUfunction_attribute of a kernel on a device, the current one if that is None."""
    cdef int value = 0
    cdef int ordinal = max(current_ordinal(), 0) if device is None else int(device)
    check(
        cydriver.cuKernelGetAttribute(
            &value, <cydriver.CUfunction_attribute>which, kernel.native, native_device(ordinal)
        ),
        b"cuKernelGetAttribute",
    )
    return value


def set_kernel_attribute(Kernel kernel, device, int which, int value) -> None:
    """Set one CUfunction_attribute of a kernel on a device, the current one if that is None."""
    cdef int ordinal = max(current_ordinal(), 0) if device is None else int(device)
    cdef cydriver.CUdevice target = native_device(ordinal)
    with nogil:
        check(
            cydriver.cuKernelSetAttribute(<cydriver.CUfunction_attribute>which, value, kernel.native, target),
            b"cuKernelSetAttribute",
        )


class KernelAttributes:
    """The attributes of a kernel on one device (CUfunction_attribute); index them by a device for another one's.

    Thread safety: threads may share it; each access asks the driver.
    """

    __slots__ = ("__weakref__", "_device", "_kernel")

    def __init__(self, kernel, device):
        self._kernel = kernel
        self._device = device

    def __getitem__(self, device):
        return KernelAttributes(self._kernel, int(device))

    def __eq__(self, other):
        if not isinstance(other, KernelAttributes):
            return NotImplemented
        return (self._kernel, self._device) == (other._kernel, other._device)

    def __hash__(self):
        return hash((KernelAttributes, self._kernel, self._device))

    def __reduce__(self):
        raise not_pickled(self)

    def __repr__(self):
        where = "the current device" if self._device is None else f"device {self._device}"
        return f"<KernelAttributes of {self._kernel!r} on {where}>"


def _attribute(int which, str doc, kind, bint writable):
    """Return the property for one CUfunction_attribute."""
    def get(self):
        return kind(kernel_attribute(self._kernel, self._device, which))

    def put(self, value):
        set_kernel_attribute(self._kernel, self._device, which, int(value))

    return property(get, put if writable else None, doc=doc)


for _name, _which, _kind, _writable, _doc in (
    ("max_threads_per_block", cydriver.CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, int, False,
     "Return the largest number of threads in a block of this kernel."),
    ("shared_size_bytes", cydriver.CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, int, False,
     "Return the size in bytes of the shared memory that the kernel declares."),
    ("const_size_bytes", cydriver.CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, int, False,
     "Return the size in bytes of the constant memory that the kernel declares."),
    ("local_size_bytes", cydriver.CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, int, False,
     "Return the size in bytes of the local memory of a thread."),
    ("num_regs", cydriver.CU_FUNC_ATTRIBUTE_NUM_REGS, int, False,
     "Return the number of registers of a thread."),
    ("ptx_version", cydriver.CU_FUNC_ATTRIBUTE_PTX_VERSION, int, False,
     "Return the virtual architecture that it was compiled for: 90 for compute_90."),
    ("binary_version", cydriver.CU_FUNC_ATTRIBUTE_BINARY_VERSION, int, False,
     "Return the version of the architecture that it was compiled for: 10 * major + minor."),
    ("cache_mode_ca", cydriver.CU_FUNC_ATTRIBUTE_CACHE_MODE_CA, bool, False,
     "Return whether it was compiled to cache global loads at all levels."),
    ("max_dynamic_shared_size_bytes", cydriver.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, int, True,
     "Return how many bytes of dynamic shared memory a launch may ask for; can be set."),
    ("preferred_shared_memory_carveout", cydriver.CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, int, True,
     "Return the percentage of the L1 cache to use as shared memory, -1 for the driver's choice; can be set."),
    ("cluster_size_must_be_set", cydriver.CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET, bool, False,
     "Return whether a launch must give the size of a cluster."),
    ("required_cluster_width", cydriver.CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, int, True,
     "Return the cluster's required extent along x in blocks, 0 for none; can be set."),
    ("required_cluster_height", cydriver.CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT, int, True,
     "Return the cluster's required extent along y in blocks, 0 for none; can be set."),
    ("required_cluster_depth", cydriver.CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH, int, True,
     "Return the cluster's required extent along z in blocks, 0 for none; can be set."),
    ("non_portable_cluster_size_allowed", cydriver.CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, bool, True,
     "Return whether clusters may be larger than every device of the architecture has; can be set."),
    ("cluster_scheduling_policy_preference", cydriver.CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE, int, True,
     "Return how blocks of a cluster are spread, as CUclusterSchedulingPolicy; can be set."),
):
    setattr(KernelAttributes, _name, _attribute(_which, _doc, _kind, _writable))


def _address_of_b2d_size(function) -> int:
    """Return the address of a C function from threads in a block to bytes of shared memory."""
    from cuda.bindings import driver

    if not isinstance(function, driver.CUoccupancyB2DSize):
        raise TypeError(
            "dynamic_shared_memory_needed must be an int (bytes) or a cuda.bindings.driver.CUoccupancyB2DSize, "
            f"not {type(function).__name__}"
        )
    return int(function)


cdef class KernelOccupancy:
    """Occupancy queries of a kernel on the current device.

    Thread safety: threads may share it; each access asks the driver.
    """

    cdef Kernel kernel
    cdef object __weakref__

    def __init__(self, Kernel kernel not None):
        self.kernel = kernel

    def __eq__(self, other):
        if not isinstance(other, KernelOccupancy):
            return NotImplemented
        return self.kernel == (<KernelOccupancy>other).kernel

    def __hash__(self):
        return hash((KernelOccupancy, self.kernel))

    def __reduce__(self):
        raise not_pickled(self)

    def __repr__(self):
        return f"<KernelOccupancy of {self.kernel!r}>"

    def max_active_blocks_per_multiprocessor(self, int block_size, size_t dynamic_shared_memory_size) -> int:
        """Return the number of blocks that can be resident on a multiprocessor
        (cuOccupancyMaxActiveBlocksPerMultiprocessor).

        Parameters
        ----------
        block_size : int
            Threads in a block.
        dynamic_shared_memory_size : int
            Dynamic shared memory of a block in bytes.

        Returns
        -------
        int
            Blocks; 0 if not even one fits.

        Raises
        ------
        CUDAError
            If the block size is invalid, or the thread has no current device.

        Examples
        --------
        >>> kernel.occupancy.max_active_blocks_per_multiprocessor(128, 0) >= 1
        True
        """
        cdef int blocks = 0
        function = self.kernel.function()
        with nogil:
            check(
                cydriver.cuOccupancyMaxActiveBlocksPerMultiprocessor(
                    &blocks, function, block_size, dynamic_shared_memory_size
                ),
                b"cuOccupancyMaxActiveBlocksPerMultiprocessor",
            )
        return blocks

    def max_potential_block_size(self, dynamic_shared_memory_needed, int block_size_limit):
        """Return the block size with the highest occupancy, and the grid size that reaches it
        (cuOccupancyMaxPotentialBlockSize).

        Parameters
        ----------
        dynamic_shared_memory_needed : int or cuda.bindings.driver.CUoccupancyB2DSize
            Dynamic shared memory of a block in bytes, or a C function that returns it for a number of threads.
        block_size_limit : int
            The largest block size to consider; 0 for no limit.

        Returns
        -------
        MaxPotentialBlockSizeOccupancyResult
            `min_grid_size` in blocks, and `max_block_size` in threads.

        Raises
        ------
        TypeError
            If `dynamic_shared_memory_needed` is neither.
        CUDAError
            If the thread has no current device.

        Examples
        --------
        >>> best = kernel.occupancy.max_potential_block_size(0, 256)
        >>> best.max_block_size <= 256, best.min_grid_size >= 1
        (True, True)
        """
        cdef int grid = 0, block = 0
        cdef size_t shared = 0
        cdef cydriver.CUoccupancyB2DSize of_size = NULL
        if isinstance(dynamic_shared_memory_needed, int):
            shared = dynamic_shared_memory_needed
        else:
            of_size = <cydriver.CUoccupancyB2DSize><uintptr_t>_address_of_b2d_size(dynamic_shared_memory_needed)
        function = self.kernel.function()
        with nogil:
            check(
                cydriver.cuOccupancyMaxPotentialBlockSize(&grid, &block, function, of_size, shared, block_size_limit),
                b"cuOccupancyMaxPotentialBlockSize",
            )
        return MaxPotentialBlockSizeOccupancyResult(grid, block)

    def available_dynamic_shared_memory_per_block(self, int num_blocks_per_multiprocessor, int block_size) -> int:
        """Return the dynamic shared memory that each block can have with so many blocks on a multiprocessor.

        Parameters
        ----------
        num_blocks_per_multiprocessor : int
            The number of blocks to be resident on a multiprocessor.
        block_size : int
            Threads in a block.

        Returns
        -------
        int
            Bytes (cuOccupancyAvailableDynamicSMemPerBlock).

        Raises
        ------
        CUDAError
            If so many blocks do not fit, or the thread has no current device.

        Examples
        --------
        >>> kernel.occupancy.available_dynamic_shared_memory_per_block(1, 128) > 0
        True
        """
        cdef size_t nbytes = 0
        function = self.kernel.function()
        with nogil:
            check(
                cydriver.cuOccupancyAvailableDynamicSMemPerBlock(
                    &nbytes, function, num_blocks_per_multiprocessor, block_size
                ),
                b"cuOccupancyAvailableDynamicSMemPerBlock",
            )
        return nbytes

    def max_potential_cluster_size(self, LaunchConfig config not None, stream=None) -> int:
        """Return the largest cluster size for a launch (cuOccupancyMaxPotentialClusterSize).

        Parameters
        ----------
        config : LaunchConfig
            The configuration of the launch.
        stream : Stream, optional
            The stream of the launch.

        Returns
        -------
        int
            Blocks.

        Raises
        ------
        TypeError
            If `config` is not a LaunchConfig, or `stream` no stream.
        CUDAError
            If the device has no clusters, or the thread has no current device.

        Examples
        --------
        >>> kernel.occupancy.max_potential_cluster_size(LaunchConfig(grid=8, block=128))
        8
        """
        return self._clusters(config, stream, False)

    def max_active_clusters(self, LaunchConfig config not None, stream=None) -> int:
        """Return the number of clusters that can be resident on the device for a launch (cuOccupancyMaxActiveClusters).

        Parameters
        ----------
        config : LaunchConfig
            The configuration of the launch, with its cluster size.
        stream : Stream, optional
            The stream of the launch.

        Returns
        -------
        int
            Clusters.

        Raises
        ------
        TypeError
            If `config` is not a LaunchConfig, or `stream` no stream.
        CUDAError
            If the device has no clusters, or the thread has no current device.

        Examples
        --------
        >>> kernel.occupancy.max_active_clusters(LaunchConfig(grid=4, cluster=2, block=128)) >= 1
        True
        """
        return self._clusters(config, stream, True)

    def _clusters(self, LaunchConfig config, stream, bint active):
        cdef cydriver.CUlaunchConfig native = config.native
        cdef int answer = 0
        if stream is not None:
            native.hStream = as_stream(stream, "stream").native
        function = self.kernel.function()
        with nogil:
            if active:
                check(
                    cydriver.cuOccupancyMaxActiveClusters(&answer, function, &native),
                    b"cuOccupancyMaxActiveClusters",
                )
            else:
                check(
                    cydriver.cuOccupancyMaxPotentialClusterSize(&answer, function, &native),
                    b"cuOccupancyMaxPotentialClusterSize",
                )
        return answer
