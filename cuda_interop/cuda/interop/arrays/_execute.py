# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Launches on arrays of the host: in place where the device has access to all memory, on copies elsewhere."""

from __future__ import annotations

import collections
import contextlib
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np

from cuda.core import Device, Kernel, LaunchConfig, Stream, launch
from cuda.interop._errors import FAILURES, raise_named
from cuda.interop._kernels import Kernels
from cuda.interop.arrays._plan import ArrayIndex, Plan


def works_in_place(device: Device) -> bool:
    """Return whether kernels can use memory of the host that is not registered with CUDA."""
    return bool(device.properties.pageable_memory_access)


class Queue:
    """A stream on a device that is current, and whether it works on arrays in place."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self.ordinal: int = device.device_id
        self.stream: Stream = device.create_stream()
        self.in_place = works_in_place(device)


# By device, the queues that no call uses. They belong to no thread: one of XLA is a new thread to Python at each call.
_idle: collections.defaultdict[int, list[Queue]] = collections.defaultdict(list)


@contextlib.contextmanager
def queue() -> Iterator[Queue]:
    """Take a queue of this thread's current device; without one, device 0 becomes it."""
    device = Device()
    device.set_current()
    idle = _idle[device.device_id]
    try:
        found = idle.pop()  # other threads may do the same
    except IndexError:
        found = Queue(device)
    yield found
    idle.append(found)  # unless the call has failed


@contextlib.contextmanager
def on_device(ordinal: int) -> Iterator[None]:
    """Make a device current, and the one of before again."""
    before = Device()
    Device(ordinal).set_current()
    try:
        yield
    finally:
        if before.device_id != ordinal:
            before.set_current()


def execute(
    operator: str,
    kernels: Kernels,
    plan: Plan,
    inputs: Sequence[np.ndarray[Any, Any]],
    outputs: Sequence[np.ndarray[Any, Any]],
    changed: Collection[int] = (),
) -> None:
    """Carry out a plan on the current device and wait for it.

    Parameters
    ----------
    operator : str
        For messages.
    kernels : Kernels
        Compiles what is launched.
    plan : Plan
        What to launch.
    inputs, outputs : sequence of numpy.ndarray
        Contiguous arrays.
    changed : collection of int
        The inputs that kernels write to.
    """
    for spec, array in zip(plan.outputs, outputs, strict=True):
        if spec.is_zeroed:
            array[...] = 0
    if not plan.steps:
        return
    workspace = [(np.zeros if each.is_zeroed else np.empty)(each.shape, each.dtype) for each in plan.workspace]
    first = len(inputs)
    written = {*changed, *range(first, first + len(outputs))}
    with queue() as used:
        steps = [
            (each.kernel, kernel_of(operator, kernels, each.kernel, used.ordinal), each.config, each.arguments)
            for each in plan.steps
        ]
        run(operator, used, steps, [*inputs, *outputs, *workspace], written)


def kernel_of(operator: str, kernels: Kernels, name: str, ordinal: int) -> Kernel:
    """Return a kernel for a device, which is compiled at first use."""
    try:
        return kernels.get(name, ordinal)
    except FAILURES as error:
        raise_named(error, operator, name)


def run(
    operator: str,
    queue: Queue,
    steps: Sequence[tuple[str, Kernel, LaunchConfig, Sequence[Any]]],
    arrays: Sequence[np.ndarray[Any, Any]],
    written: Collection[int],
) -> None:
    """Launch kernels, in whose arguments a `ArrayIndex` stands for an array, and wait.

    Parameters
    ----------
    operator : str
        For messages.
    queue : Queue
        Where to.
    steps : sequence of tuple
        Kernels' names, kernels, their launches' shapes and arguments.
    arrays : sequence of numpy.ndarray
        The arrays in memory of the host.
    written : collection of int
        Those that kernels write to.
    """
    copies: list[Any] = []
    addresses: list[int | None]
    if queue.in_place:
        addresses = [each.ctypes.data if each.size else None for each in arrays]
    else:
        copies = [
            queue.device.to_device(each, stream=queue.stream, order="K") if each.size else None for each in arrays
        ]
        addresses = [None if each is None else each.ptr for each in copies]
    try:
        for _, kernel, config, arguments in steps:
            passed = [addresses[each.position] if type(each) is ArrayIndex else each for each in arguments]
            launch(queue.stream, config, kernel, *passed)
        for index in written if copies else ():
            if copies[index] is not None:
                copies[index].copy_to(arrays[index], stream=queue.stream)
        queue.stream.sync()
    except FAILURES as error:
        raise_named(error, operator, ", ".join(each[0] for each in steps))
