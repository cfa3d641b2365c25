# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""launch(): kernel launches."""

from cpython.object cimport PyObject

from cuda.bindings cimport cydriver
from cuda.core._launch._arguments cimport LARGE_BYTES, SMALL_BYTES, SMALL_COUNT, PySequence_Fast_ITEMS, pack_items
from cuda.core._utils._check cimport fail
from cuda.core._device._context cimport Activation, activate_anyway, current_ordinal
from cuda.core._launch._kernel cimport Kernel
from cuda.core._launch._launch_config cimport LaunchConfig
from cuda.core._stream._stream cimport Stream, as_stream

from cuda.bindings._signals import of_program


def launch(stream, config, kernel, *kernel_args):
    """Launch a kernel on a stream (cuLaunchKernelEx); the host does not wait.

    Parameters
    ----------
    stream : Stream
        The stream, a `GraphBuilder`, which captures the launch, or any object with ``__cuda_stream__``.
    config : LaunchConfig
        Grid, block and cluster dimensions and other launch attributes.
    kernel : Kernel
        The kernel.
    *kernel_args : object
        An argument for each parameter. Pointers: a Buffer, an array on the device (``__cuda_array_interface__`` or
        DLPack), an address as int, or None for null. Numbers: int, float, complex and bool take the size of the
        parameter; NumPy and ctypes scalars must have it. Structures: a NumPy structured scalar, a ctypes.Structure,
        or a dataclass whose fields have NumPy or ctypes types (``ctypes.c_void_p`` takes a Buffer).

    Raises
    ------
    TypeError
        If the number of arguments is wrong, or the type or size of one does not fit its parameter, such as a float
        for an integer.
    OverflowError
        If an int exceeds the range of its parameter.
    ClosedError
        If the stream or a buffer is closed.
    CUDAError
        If the launch fails; the message names the limit that is exceeded. Errors of the running kernel are raised by
        a later call, usually `Stream.sync`.

    Examples
    --------
    >>> launch(stream, LaunchConfig(grid=1, block=128), kernel, buffer, 2.0, 100)
    >>> stream.sync()
    >>> print(np.frombuffer(buffer, np.float32)[99])
    2.0
    """
    cdef Stream queue = <Stream>stream if type(stream) is Stream else as_stream(stream, "stream")
    check_objects(config, kernel)
    cdef cydriver.CUlaunchConfig native = (<LaunchConfig>config).native
    native.hStream = queue.open_handle()
    put(
        <Kernel>kernel, <LaunchConfig>config, &native, queue, PySequence_Fast_ITEMS(kernel_args), len(kernel_args)
    )
    if stream is not queue and hasattr(stream, "_keep"):
        stream._keep(kernel, *kernel_args)  # a graph builder: its graph runs the kernel later


cdef int check_objects(object config, object kernel) except -1:
    """Raise unless these are a LaunchConfig and a Kernel."""
    if not isinstance(config, LaunchConfig):
        advice = "; launch takes stream, config, kernel in this order" if isinstance(config, (Kernel, Stream)) else ""
        if isinstance(config, (int, tuple)):
            advice = ": make one, LaunchConfig(grid=..., block=...)"
        raise TypeError(f"config must be a LaunchConfig, not {type(config).__name__}{advice}")
    if not isinstance(kernel, Kernel):
        advice = f": call get_kernel(name) of this {type(kernel).__name__}" if hasattr(kernel, "get_kernel") else ""
        raise TypeError(f"kernel must be a Kernel, as get_kernel returns it, not {type(kernel).__name__}{advice}")
    return 0


cdef int put(
    Kernel kernel,
    LaunchConfig config,
    const cydriver.CUlaunchConfig* native,
    Stream stream,
    PyObject* const* arguments,
    Py_ssize_t given,
) except -1:
    """Check the arguments and launch the kernel in `stream`, which is also that of `native`."""
    cdef char small[SMALL_BYTES]
    cdef void* few[SMALL_COUNT]
    cdef char* scratch = small
    cdef void** kernel_params = few
    cdef size_t capacity = SMALL_BYTES
    cdef bytearray large
    cdef cydriver.CUresult status
    cdef Activation _active
    cdef cydriver.CUfunction function = <cydriver.CUfunction>kernel.native
    kernel.read_layout()
    if kernel.nbytes > SMALL_BYTES or given > SMALL_COUNT or kernel.count < 0:
        large = bytearray(LARGE_BYTES + given * sizeof(void*))
        scratch, capacity = large, LARGE_BYTES
        kernel_params = <void**>(scratch + capacity)
    pack_items(kernel, arguments, given, scratch, capacity, kernel_params, stream, config.with_host_arrays)
    stream.begin_use()
    with nogil:
        status = cydriver.cuLaunchKernelEx(native, function, kernel_params, NULL)
    stream.end_use()
    if status == cydriver.CUDA_ERROR_INVALID_CONTEXT and current_ordinal() < 0:
        # A thread without a current device uses the stream's.
        _active = activate_anyway(stream.ordinal())
        with nogil:
            status = cydriver.cuLaunchKernelEx(native, function, kernel_params, NULL)
    if status != cydriver.CUDA_SUCCESS:
        fail(status, b"cuLaunchKernelEx", explain(status, config, kernel, stream))
    return 0


cdef str explain(cydriver.CUresult status, LaunchConfig config, Kernel kernel, Stream stream):
    """Return a message on which limit a refused launch exceeds, "" if it is none of these.

    `stream` is None for a node of a graph.
    """
    if status not in (
        cydriver.CUDA_ERROR_INVALID_VALUE,
        cydriver.CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
        cydriver.CUDA_ERROR_INVALID_CLUSTER_SIZE,
    ):
        return ""
    try:
        # A refused launch may have ended the capture of its stream, which then answers no query of its device.
        ordinal = current_ordinal()
        return _exceeded(config, kernel, ordinal if stream is None or stream.ask_capturing() else stream.ordinal())
    except Exception as error:
        if of_program(error.__traceback__):
            raise
        return ""  # raise the error of the launch, not one of these queries


def _exceeded(LaunchConfig config, Kernel kernel, int ordinal):
    from cuda.core import Device

    properties, attributes = Device(ordinal).properties, kernel.attributes[ordinal]
    threads = config.block[0] * config.block[1] * config.block[2]
    most = min(attributes.max_threads_per_block, properties.max_threads_per_block)
    if threads > most:
        return f"block {config.block} has {threads} threads, but {kernel.label()} takes at most {most} on this device."
    shape = (config.native.gridDimX, config.native.gridDimY, config.native.gridDimZ)
    for name, extents in (("block", config.block), ("grid", shape)):
        for axis, extent in zip("xyz", extents):
            most = getattr(properties, f"max_{name}_dim_{axis}")
            if extent > most:
                return f"{name} {extents} is {extent} along {axis}, but the device's limit is {most}."
    size = config.shmem_size
    most = properties.max_shared_memory_per_block_optin - attributes.shared_size_bytes
    if size > most:
        return f"shmem_size is {size} bytes, but {kernel.label()} can have at most {most} on this device."
    if size > attributes.max_dynamic_shared_size_bytes:
        return (
            f"shmem_size is {size} bytes, but {kernel.label()} may ask for {attributes.max_dynamic_shared_size_bytes}: "
            f"set kernel.attributes[{ordinal}].max_dynamic_shared_size_bytes = {size} before."
        )
    return ""
