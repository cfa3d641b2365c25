# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""The fast path of an operator's calls: launches that are known for the shapes, types and numbers of the arguments.

It serves calls with plain tensors of the CPU, outside of everything that PyTorch's dispatcher would have to see: modes,
function transforms, tracing, profiling, derivatives in forward mode. All other calls go to the dispatcher. Calls whose
gradients are to be recorded go through the operator's function of torch.autograd.
"""

cimport cython
from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.object cimport PyObject
from libc.stdint cimport int64_t, uint64_t, uintptr_t
from libc.string cimport memcpy

from cuda.bindings cimport cydriver
from cuda.core._launch._arguments cimport SMALL_BYTES, SMALL_COUNT, PySequence_Fast_ITEMS, pack_items
from cuda.core._launch._kernel cimport Kernel
from cuda.core._launch._launch_config cimport LaunchConfig
from cuda.core._stream._stream cimport Stream
from cuda.core._view._dlpack cimport DLTensor
from cuda.core._view._exchange cimport Exchange, exchange_of

import torch
from torch.autograd import forward_ad

cdef enum:
    MOST_TENSORS = 32  # arguments, outputs and workspace of a planned call
    MOST_KEY = 2048
    MOST_PLANS = 4096
    DL_CPU = 1
    DL_COMPLEX = 5

cdef object _Tensor = torch.Tensor
cdef object _Parameter = torch.nn.Parameter
cdef object _empty_like = torch.empty_like
cdef object _empty_strided = torch.empty_strided
cdef object _is_grad_enabled = torch.is_grad_enabled
cdef object _dispatch_modes = torch._C._len_torch_dispatch_stack
cdef object _function_modes = torch._C._len_torch_function_stack
cdef object _transforms = torch._C._functorch.peek_interpreter_stack
cdef object _tracing = torch._C._get_tracing_state
cdef object _profiling = torch.autograd._profiler_enabled
cdef object _forward_ad = forward_ad
cdef Exchange* _exchange = exchange_of(torch.Tensor)


cdef bint is_watched() except -1:
    """Return whether something in this thread has to see the calls of operators."""
    return (
        _dispatch_modes() or _function_modes() or _transforms() is not None or _tracing() is not None or _profiling()
        or _forward_ad._current_level >= 0
    )


cdef class Step:
    """A launch with packed arguments; the addresses of tensors are written into a copy of them."""

    cdef Kernel kernel
    cdef LaunchConfig config
    cdef bytes scratch
    cdef int count
    cdef size_t[SMALL_COUNT] offsets
    cdef int[SMALL_COUNT] tensors  # index of the tensor whose address it is, -1 for other arguments

    def __init__(self, Kernel kernel not None, LaunchConfig config not None, tuple values, tuple tensors):
        """Pack `values`, of which those with an index in `tensors` are None."""
        cdef char packed[SMALL_BYTES]
        cdef void* slots[SMALL_COUNT]
        cdef int index
        kernel.read_layout()
        if kernel.count < 0 or len(values) > SMALL_COUNT or kernel.nbytes > SMALL_BYTES:
            raise ValueError("too many arguments for the fast path")
        pack_items(kernel, PySequence_Fast_ITEMS(values), len(values), packed, SMALL_BYTES, slots, None, False)
        self.kernel, self.config, self.count = kernel, config, len(values)
        self.scratch = PyBytes_FromStringAndSize(packed, kernel.nbytes)
        for index in range(self.count):
            self.offsets[index] = <char*>slots[index] - packed
            self.tensors[index] = tensors[index]

    cdef cydriver.CUresult run(self, uint64_t* addresses, Stream stream) except *:
        cdef char packed[SMALL_BYTES]
        cdef void* slots[SMALL_COUNT]
        cdef int index
        cdef cydriver.CUresult status
        cdef cydriver.CUlaunchConfig native = self.config.native
        cdef cydriver.CUfunction function = <cydriver.CUfunction>self.kernel.native
        native.hStream = stream.open_handle()
        memcpy(packed, <const char*>self.scratch, len(self.scratch))
        for index in range(self.count):
            slots[index] = packed + self.offsets[index]
            if self.tensors[index] >= 0:
                memcpy(slots[index], &addresses[self.tensors[index]], 8)
        stream.begin_use()
        with nogil:
            status = cydriver.cuLaunchKernelEx(&native, function, slots, NULL)
        stream.end_use()
        return status


cdef class Plan:
    """The outputs and launches of calls with the same shapes, types and numbers."""

    cdef tuple made  # of each output and workspace: index of the argument like it, or -1, and size, stride, dtype
    cdef tuple steps
    cdef tuple outputs  # indices among `made`
    cdef bint single

    def __init__(self, tuple made, tuple steps, tuple outputs, bint single):
        self.made, self.steps, self.outputs, self.single = made, steps, outputs, single


@cython.final
@cython.freelist(16)
cdef class Call:
    """A planned call, and the addresses of its arguments."""

    cdef Plan plan
    cdef uint64_t[MOST_TENSORS] addresses


cdef class FastPath:
    """The planned calls of one operator.

    Parameters
    ----------
    slow : callable
        The operator of the dispatcher.
    compute : callable
        It gets the arguments and computes the operator without a plan.
    recorded : callable
        It gets a context of torch.autograd, how the operator is called, and the arguments; it computes and saves.
    learn : callable
        It gets the arguments of a call and returns its `Plan`, or None if there is none.
    own : threading.local
        Its attribute `stream` is the stream of a thread that has one.
    stream : callable
        It returns the stream of this thread, and makes one.
    aligns : tuple of int
        The alignments of the parameters.
    """

    cdef object slow
    cdef object compute
    cdef object recorded
    cdef public object record  # calls `forward` with a context, and records the call for gradients
    cdef tuple saved  # indices among arguments and outputs: tensors that the gradient takes
    cdef tuple kept  # numbers that it takes
    cdef tuple defaults
    cdef object learn
    cdef object own
    cdef object stream
    cdef tuple aligns
    cdef dict plans

    def __init__(self, slow, compute, recorded, learn, own, stream, tuple aligns):
        self.slow, self.compute, self.recorded, self.learn, self.own = slow, compute, recorded, learn, own
        self.saved = self.kept = self.defaults = ()
        self.stream, self.aligns = stream, aligns
        self.plans = {}

    def call(self, tuple args):
        """Call the operator."""
        if is_watched():
            return self.slow(*args)
        result = self.planned(args, _is_grad_enabled())
        return self.slow(*args) if result is NotImplemented else result

    def below(self, tuple args):
        """Compute the operator for the dispatcher, which has done everything else."""
        result = self.planned(args, False)
        return self.compute(args) if result is NotImplemented else result

    def save(self, tuple saved, tuple kept, tuple defaults):
        """Set what the gradient takes, as indices among arguments and outputs, and defaults of the arguments."""
        self.saved, self.kept, self.defaults = saved, kept, defaults

    def forward(self, ctx, how, *args):
        """Compute the operator, and save what its gradient takes."""
        if type(how) is not Call:
            return self.recorded(ctx, how, *args)
        result = self.run((<Call>how).plan, args, (<Call>how).addresses)
        if result is NotImplemented:
            result = self.compute(args)
        values = args + self.defaults[len(args) :]
        values = values + tuple(result) if isinstance(result, (tuple, list)) else values + (result,)
        ctx.save_for_backward(*[values[index] for index in self.saved])
        ctx.kept = [values[index] for index in self.kept]
        return result

    cdef object planned(self, tuple args, bint grad):
        """Return the outputs; NotImplemented if this is for the dispatcher, or the call fails."""
        cdef char key[MOST_KEY]
        cdef uint64_t addresses[MOST_TENSORS]
        cdef Py_ssize_t size
        cdef bint records = False
        if len(args) > MOST_TENSORS // 2 or len(args) > len(self.aligns) or _exchange == NULL:
            return NotImplemented
        size = self.read(args, key, addresses, &records)
        if size == 0:
            return NotImplemented
        found = PyBytes_FromStringAndSize(key, size)
        plan = self.plans.get(found, self)
        if plan is self:
            if len(self.plans) >= MOST_PLANS:
                self.plans.clear()
            plan = self.plans[found] = self.learn(args)
        if plan is None:
            return NotImplemented
        if grad and records:
            how = Call.__new__(Call)
            (<Call>how).plan = <Plan>plan
            memcpy((<Call>how).addresses, addresses, sizeof(addresses))
            return self.record(how, *args)
        return self.run(<Plan>plan, args, addresses)

    cdef Py_ssize_t read(self, tuple args, char* key, uint64_t* addresses, bint* records) except -1:
        """Write what a plan depends on into `key`, and addresses; return the size, 0 if there cannot be a plan.

        `records` becomes true if an argument requires a gradient.
        """
        cdef DLTensor tensor
        cdef Py_ssize_t size = 0
        cdef int index, tensors = 0
        cdef double real
        cdef int64_t whole
        for index in range(len(args)):
            arg = args[index]
            addresses[index] = 0
            if size > MOST_KEY - 600:
                return 0
            key[size] = b"n"
            size += 1
            if type(arg) is _Tensor or type(arg) is _Parameter:
                if arg.is_neg():
                    return 0
                records[0] = records[0] or arg.requires_grad
                try:
                    _exchange.tensor_of(<PyObject*>arg, &tensor)
                except Exception:
                    return 0
                if tensor.device.device_type != DL_CPU or tensor.dtype.code == DL_COMPLEX or tensor.ndim > 32:
                    return 0
                addresses[index] = <uint64_t><uintptr_t>tensor.data + tensor.byte_offset
                # Without data, it is empty or one of PyTorch's zero tensors, which the dispatcher makes real.
                if tensor.data == NULL or addresses[index] % <uint64_t>self.aligns[index]:
                    return 0
                key[size - 1] = b"t"
                memcpy(key + size, &tensor.dtype, 4)
                memcpy(key + size + 4, &tensor.ndim, 4)
                memcpy(key + size + 8, tensor.shape, 8 * tensor.ndim)
                memcpy(key + size + 8 + 8 * tensor.ndim, tensor.strides, 8 * tensor.ndim)
                size += 8 + 16 * tensor.ndim
                tensors += 1
            elif type(arg) is float:
                real = arg
                key[size - 1] = b"f"
                memcpy(key + size, &real, 8)
                size += 8
            elif type(arg) is int or type(arg) is bool:
                if not -(2**62) < arg < 2**62:
                    return 0
                whole = arg
                key[size - 1] = b"b" if type(arg) is bool else b"i"
                memcpy(key + size, &whole, 8)
                size += 8
            elif arg is not None:
                return 0
        return size if tensors else 0

    cdef object run(self, Plan plan, tuple args, uint64_t* addresses):
        """Allocate outputs, launch and wait."""
        cdef DLTensor tensor
        cdef cydriver.CUresult status = cydriver.CUDA_SUCCESS
        cdef int index, given = len(self.aligns)
        cdef Step step
        cdef list made = []
        cdef Stream stream = getattr(self.own, "stream", None)
        if stream is None:
            stream = self.stream()
        cdef cydriver.CUstream native = stream.open_handle()
        for index in range(len(args), given):
            addresses[index] = 0
        for index in range(len(plan.made)):
            like, shape, strides, dtype = <tuple>plan.made[index]
            new = _empty_like(args[like]) if like >= 0 else _empty_strided(shape, strides, dtype=dtype)
            made.append(new)
            _exchange.tensor_of(<PyObject*>new, &tensor)
            addresses[given + index] = <uint64_t><uintptr_t>tensor.data + tensor.byte_offset
        for step in plan.steps:
            status = step.run(addresses, stream)
            if status != cydriver.CUDA_SUCCESS:
                break
        if status == cydriver.CUDA_SUCCESS:
            stream.begin_use()
            with nogil:
                status = cydriver.cuStreamSynchronize(native)
            stream.end_use()
        if status != cydriver.CUDA_SUCCESS:
            return NotImplemented  # the general path raises the error with its explanation
        if plan.single:
            return made[plan.outputs[0]]
        return tuple([made[index] for index in plan.outputs])
