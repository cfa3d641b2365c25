# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The data model of performance runs: what a result file contains, and nothing else.

`files` reads and writes it as JSON lines, `run` makes it; `compare`, `watch`, `explain` and `show` read it. Times are
seconds, sizes bytes, frequencies Hz, temperatures degrees Celsius, moments seconds since 1970.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from enum import StrEnum

VERSION = 1  # of the schema; a change that older readers cannot ignore increases it

Value = int | float | str  # of an axis


class Status(StrEnum):
    """How the measurement of a benchmark at one point of its axes ended."""

    OK = "ok"
    SKIPPED = "skipped"  # by a rule of the benchmark; the message is its reason
    FAILED = "failed"  # an exception or a crash
    WRONG = "wrong"  # the result check failed
    TIMEOUT = "timeout"  # it ran past the time limit and was ended
    NO_SAMPLES = "no samples"  # the budget was spent before its first sample


@dataclass
class Axis:
    """The values that a benchmark runs with; `kind` is "size", "type" or "variant"."""

    name: str
    values: list[Value]
    kind: str = "size"


@dataclass
class Definition:
    """A benchmark, as its file defines it."""

    name: str
    file: str
    line: int
    axes: list[Axis] = field(default_factory=list)
    owner: str = ""  # who is told of regressions


@dataclass
class Environment:
    """Where a run took place. Runs whose `machine_id` differs cannot be compared by their times."""

    device: str = ""
    device_kind: str = "cpu"  # "gpu", or "cpu": the CPU device
    compute_capability: str = ""
    driver: str = ""  # version, or that of cuda.cpu
    compiler: str = ""  # NVRTC's version
    host: str = ""
    processor: str = ""
    cores: int = 0
    system: str = ""
    python: str = ""
    packages: dict[str, str] = field(default_factory=dict)  # name -> version
    commit: str = ""  # of the Git checkout with the benchmarks, "" if there is none
    modified: bool = False  # the checkout has changes that are not committed
    clocks: dict[str, float] = field(default_factory=dict)  # name -> Hz, as set: "sm", "memory", "cpu max"
    peaks: dict[str, float] = field(default_factory=dict)  # highest rates of the device, per second; see `peaks`
    settings: dict[str, str] = field(default_factory=dict)  # of the CPU device and the system: governor, turbo, ...

    @property
    def machine_id(self) -> str:
        """A digest of the device and the processor."""
        facts = (self.device, self.device_kind, self.compute_capability, self.processor, str(self.cores))
        return hashlib.sha256("\n".join(facts).encode()).hexdigest()[:12]


@dataclass
class Noise:
    """What else the machine did while samples were taken; None where it cannot be read."""

    load: float | None = None  # runnable threads, mean of a minute
    others: float | None = None  # processor time of other processes, in cores
    stolen: float | None = None  # time taken by the hypervisor, in cores
    frequency: float | None = None
    temperature: float | None = None
    throttled: bool | None = None
    waited: int | None = None  # involuntary context switches of the measuring process


@dataclass
class Samples:
    """Times taken in one uninterrupted block by one process."""

    process: int  # position of the process in the run, from 0
    block: int  # position of the block in the run, from 0: the order in which blocks ran
    started: float
    batch: int  # launches per sample
    seconds: list[float]  # per launch, one entry per sample
    timer: str = "host"  # "host", "cpu", "events" or "graph"
    side: str = ""  # of duet runs: "base" or "new"
    noise: Noise = field(default_factory=Noise)
    wall: float = 0  # duration of the block with its warm-up


@dataclass
class LineCounts:
    """Exact counts of one source line of a kernel."""

    kernel: str
    file: str
    line: int
    text: str
    counts: dict[str, int]


@dataclass
class Counters:
    """Exact counts of one call of a benchmark on the CPU device: the same in every run of the same code."""

    metrics: dict[str, int] = field(default_factory=dict)  # sum over the launches; those that are 0 are absent
    lines: list[LineCounts] = field(default_factory=list)


PRECISIONS = {
    "f64": "double-precision operations",
    "f32": "single-precision operations",
    "f16": "half-precision operations",
    "tensor_tf32": "tf32 tensor operations",
    "tensor_f16": "half-precision tensor operations",
    "tensor_f8": "8-bit floating-point tensor operations",
}


@dataclass
class Work:
    """What one call has to do at least, for throughput and share of peak."""

    bytes_read: float = 0
    bytes_written: float = 0
    flops: float = 0
    precision: str = "f32"  # of the operations, in PRECISIONS
    elements: float = 0


@dataclass
class Result:
    """A benchmark at one point of its axes."""

    benchmark: str
    axes: dict[str, Value] = field(default_factory=dict)
    status: Status = Status.OK
    message: str = ""
    owner: str = ""
    work: Work = field(default_factory=Work)
    counters: Counters | None = None  # None: not counted, as on GPUs
    samples: list[Samples] = field(default_factory=list)

    @property
    def key(self) -> str:
        """The name with the point: `gemm[m=128,type=f32]`."""
        return key_of(self.benchmark, self.axes)

    def seconds(self, side: str = "") -> list[float]:
        """Return all sample times, in the order of their blocks."""
        blocks = sorted((each for each in self.samples if each.side == side), key=lambda each: each.block)
        return [value for each in blocks for value in each.seconds]


@dataclass
class Run:
    """All results of one execution of the command `run`."""

    started: float = 0
    label: str = ""  # given by the user: a branch, "nightly"
    environment: Environment = field(default_factory=Environment)
    results: list[Result] = field(default_factory=list)
    complete: bool = False  # False: interrupted; the results are those up to then
    version: int = VERSION

    def by_key(self) -> dict[str, Result]:
        return {result.key: result for result in self.results}


def key_of(benchmark: str, axes: dict[str, Value]) -> str:
    """Return the name of a benchmark at a point of its axes."""
    point = ",".join(f"{name}={value}" for name, value in axes.items())
    return f"{benchmark}[{point}]" if point else benchmark
