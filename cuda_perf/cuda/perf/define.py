# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Define benchmarks: the decorator, and the state that their functions get.

The names of `State` and `Launch` are those of NVIDIA's `cuda.bench`, where its public examples have them.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, overload

from cuda.perf.model import PRECISIONS, Axis, Definition, Value, Work, key_of

if TYPE_CHECKING:
    from cuda.core import Device, Stream

F = TypeVar("F", bound=Callable[..., Any])


class Skip(Exception):
    """Raised by `State.skip`; the message is the reason."""


@dataclass
class Benchmark:
    """A function with its axes and settings."""

    function: Callable[..., Any]
    definition: Definition
    flush_l2: bool = False  # evict the L2 cache before each sample, which then is one call
    graph: bool = False  # time launches of a graph with the calls of a sample; GPUs only

    def points(self) -> Iterator[dict[str, Value]]:
        """Yield every combination of the axes' values, the last axis the fastest."""
        axes = self.definition.axes
        for values in itertools.product(*(each.values for each in axes)):
            yield dict(zip((each.name for each in axes), values, strict=True))

    def prepare(self, state: State) -> None:
        """Call the function, which registers what is to be timed.

        Raises
        ------
        Skip
            The benchmark skips this point.
        ValueError
            The function does not call `state.exec`.
        """
        parameters = list(inspect.signature(self.function).parameters)[1:]
        self.function(state, **{name: state.axes[name] for name in parameters})
        if state.launcher is None:
            raise ValueError(f"{self.definition.name} does not call state.exec()")


@overload
def benchmark(function: F) -> F: ...
@overload
def benchmark(*, name: str = ..., owner: str = ..., flush_l2: bool = ..., graph: bool = ...) -> Callable[[F], F]: ...
def benchmark(
    function: Any = None, *, name: str = "", owner: str = "", flush_l2: bool = False, graph: bool = False
) -> Any:
    """Make a function a benchmark; it stands above the decorators of the axes.

    Parameters
    ----------
    name : str, optional
        By default that of the function.
    owner : str, optional
        Who is told of regressions.
    flush_l2 : bool, optional
        Evict the L2 cache before each sample, which then is a single call.
    graph : bool, optional
        On a GPU, time the launch of a graph with the calls of a sample, without the cost of launching each.

    Raises
    ------
    TypeError
        The function has no parameter for the state, or one that is not the name of an axis.
    """

    def decorate(function: F) -> F:
        axes: list[Axis] = list(function.__dict__.get("__axes__", []))
        parameters = list(inspect.signature(function).parameters)
        if not parameters:
            raise TypeError(f"benchmark {function.__name__} needs a parameter for the state")
        unknown = [each for each in parameters[1:] if each not in {axis.name for axis in axes}]
        if unknown:
            raise TypeError(f"parameter {unknown[0]!r} of benchmark {function.__name__} is not the name of an axis")
        code = function.__code__
        definition = Definition(name or function.__name__, code.co_filename, code.co_firstlineno, axes, owner)
        function.__dict__["__benchmark__"] = Benchmark(function, definition, flush_l2, graph)
        return function

    return decorate if function is None else decorate(function)


@dataclass
class Launch:
    """What a launcher gets."""

    stream: Stream

    def get_stream(self) -> Stream:
        return self.stream


class State:
    """A benchmark at one point of its axes.

    Attributes
    ----------
    axes : dict
        Axis -> value.
    device, stream : cuda.core.Device, cuda.core.Stream
        Where it runs; the device is current.
    on_cpu : bool
        Whether the device is the CPU device.
    work : Work
        What one call of the launcher does.
    """

    def __init__(self, name: str, axes: dict[str, Value], device: Device, stream: Stream, on_cpu: bool = True) -> None:
        self.name, self.axes, self.device, self.stream, self.on_cpu = name, axes, device, stream, on_cpu
        self.work = Work()
        self.launcher: Callable[[Launch], Any] | None = None
        self.check: Callable[[], Any] | None = None

    def __getitem__(self, axis: str) -> Value:
        if axis not in self.axes:
            raise KeyError(f"{self.name} has no axis {axis!r}; there are {', '.join(self.axes) or 'none'}")
        return self.axes[axis]

    def get_int64(self, axis: str) -> int:
        return int(self[axis])

    def get_float64(self, axis: str) -> float:
        return float(self[axis])

    def get_string(self, axis: str) -> str:
        return str(self[axis])

    def add_element_count(self, count: float) -> None:
        """Add to the elements that one call processes."""
        self.work.elements += count

    def add_global_memory_reads(self, size: float) -> None:
        """Add to the bytes that one call has to read."""
        self.work.bytes_read += size

    def add_global_memory_writes(self, size: float) -> None:
        """Add to the bytes that one call has to write."""
        self.work.bytes_written += size

    def add_flops(self, count: float, precision: str = "f32") -> None:
        """Add to the floating-point operations of one call.

        Parameters
        ----------
        count : float
            The operations; a multiply-add counts as two.
        precision : str
            With which peak they are compared: "f64", "f32", "f16", or of tensor cores "tensor_tf32", "tensor_f16" (also
            for bf16) or "tensor_f8". All operations of a benchmark have the same.
        """
        if precision not in PRECISIONS:
            raise ValueError(f"precision must be one of {', '.join(PRECISIONS)}, not {precision!r}")
        if self.work.flops and self.work.precision != precision:
            raise ValueError(f"precision is {precision!r}, but earlier operations are {self.work.precision!r}")
        self.work.precision = precision
        self.work.flops += count

    def skip(self, reason: str) -> NoReturn:
        """Skip this point, by raising `Skip`."""
        raise Skip(reason)

    def exec(self, launcher: Callable[[Launch], Any], *, check: Callable[[], Any] | None = None) -> None:
        """Register what is timed: a function that submits the work to `launch.stream`.

        Parameters
        ----------
        launcher : callable
            Is called with a `Launch` as often as needed, so a call must not depend on the number of calls before.
        check : callable, optional
            Is called after the first call has completed. Results are wrong if it raises an AssertionError or returns
            False.
        """
        if self.launcher is not None:
            raise ValueError(f"{key_of(self.name, self.axes)} calls state.exec() twice")
        self.launcher, self.check = launcher, check
