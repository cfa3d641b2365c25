# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The native half of the CPU device: memory, queues, events, grids. No driver semantics live here.

Every call that can wait releases the GIL. Addresses are host addresses as int.
"""

from typing import Final

ABI: Final[int]  # CPU_KERNEL_ABI

class Fault:
    """Why a launch ended early (enum cpu_fault), read once from the queue."""

    kind: int
    address: int
    pc: int  # of the instruction in machine code, 0 if unknown
    grid_id: int  # of the launch
    symbols: int  # address of those of the kernel's module
    callers: tuple[int, ...]  # what may be return addresses, the last call's first
    kernel: str
    block: tuple[int, int, int]
    warp: int
    line: int  # of the PTX, 0 if unknown
    message: str  # of an assert

class Arena:
    """Reserved address range; pages come and go inside it, each allocation followed by a guard page."""

    def __init__(self, size: int, file: int = -1) -> None: ...  # descriptor of a file that the memory is
    base: int
    size: int
    used: int
    def allocate(self, size: int) -> int:
        """Return a 256-byte aligned address whose end (rounded up to 256) touches the guard page. MemoryError when full."""
    def free(self, address: int) -> None: ...
    def share(self, address: int, file: int, queues: list[Queue]) -> int | None:
        """Move the pages of an allocation into an empty file; return where in the file the allocation begins.

        Return None, and move nothing, while one of `queues` has work or the list `copies` is not empty.
        """
    def find(self, address: int) -> tuple[int, int] | None:
        """Return (start, size) of the live allocation that holds `address`."""
    def close(self) -> None: ...

class Image:
    """An ELF object (ET_REL) loaded and relocated; undefined symbols come from libc and libm only."""

    base: int
    size: int  # bytes, with all sections

    def __init__(self, data: bytes) -> None: ...
    def address(self, symbol: str) -> int: ...

class DeviceRuntime:
    """What kernels can ask of their context, and how much they may launch."""

    texts: tuple[int, int]  # address and size of what the texts of statuses lie in

    def __init__(
        self,
        device: int,
        devices: int,
        version: int,
        attributes: dict[int, int],
        limits: dict[int, int],
        occupancy: tuple[int, int, int, int],  # shared memory, threads, blocks of a multiprocessor; reserved by a block
        statuses: list[tuple[int, str, str]],  # number, name and text of each cudaError_t
    ) -> None: ...
    def set_limit(self, which: int, value: int) -> None: ...

class DeviceKernel:
    """A kernel as other kernels see it."""

    address: int  # what the address of the kernel is in device code

    def __init__(
        self,
        max_threads: int,
        required_block: tuple[int, int, int] | None,
        cluster: tuple[int, int, int],
        shared: int,
    ) -> None: ...
    def fill(self, full_run: Grid, half_run: Grid, dynamic: int, facts: bytes) -> None:
        """Let it be launched; `facts` is its cudaFuncAttributes."""

class Grid:
    """Everything about a launch that does not change from one launch of the kernel to the next."""

    def __init__(
        self,
        entry: int,
        name: str,
        symbols: int,
        shared_static: int,
        local_bytes: int,
        parameter_bytes: int,
        path: int,
        owner: object,
        layout: tuple[tuple[int, int], ...] = (),  # offset and size of each parameter, for launches that gather
        frames: int = 0,  # bytes of stack for the machine code, where each function runs once
        checks: int = 0,  # enum cpu_check in check.h
        device_runtime: DeviceRuntime | None = None,  # of a kernel that may call the device runtime
        alignment: int = 64,  # the greatest of local, shared and parameter variables
    ) -> None: ...
    def watch(self, nanoseconds: int) -> None:
        """Ask for `is_hot` once the kernel has run so long; `wait_hot` returns then."""
    def is_hot(self) -> bool: ...
    def replace(self, entry: int) -> None:
        """Go on with other machine code of the same kernel; the owner has to keep the old code, which may still run."""

def stamps(folder: str) -> bytes:
    """Return what changes with the Python files of a folder: names, sizes, times."""

def wait_hot(seen: int) -> int:
    """Wait until a watched kernel gets hot after `seen` was returned; return what to wait with next."""

SHARED_EVENT_BYTES: Final[int]

class Event:
    def __init__(self, file: int = -1) -> None: ...  # descriptor of a file that other processes share
    def is_done(self) -> bool: ...
    def wait(self, timeout: float) -> bool: ...
    def time_ns(self) -> int: ...

class QueueClosed(ValueError):
    """A queue that was closed is given a command."""

class Queue:
    """A stream: commands run in order on a native thread of its own that starts with the first command.

    After a fault the commands that follow are dropped until `take_fault` is called; events still complete.
    """

    priority: int

    def __init__(self, priority: int = 0, workers: int = 0) -> None: ...
    def launch(
        self,
        grid: Grid,
        grid_dim: tuple[int, int, int],
        block_dim: tuple[int, int, int],
        cluster_dim: tuple[int, int, int],
        shared_dynamic: int,
        params: int,  # address of parameter_bytes bytes, copied before the call returns
        cooperative: bool,
        grid_id: int,
        gather: bool = False,  # params is the address of an array of pointers, one to each parameter
    ) -> None: ...
    def copy(self, destination: int, source: int, size: int) -> None: ...
    def copy_2d(
        self, destination: int, destination_pitch: int, source: int, source_pitch: int, width: int, height: int
    ) -> None: ...
    def fill(self, destination: int, value: int, width: int, count: int) -> None: ...
    def fill_2d(self, destination: int, pitch: int, value: int, width: int, columns: int, rows: int) -> None: ...
    def record(self, event: Event) -> None: ...
    def wait_event(self, event: Event) -> None: ...
    def call(self, function: int, user_data: int, always: bool = False) -> None:
        """Run the C function void(void*) on the queue's thread; after a fault too if `always`."""
    def unmap(self, address: int, size: int) -> None: ...
    def choose(self, cell: int, kind: int, bodies: list[Sequence]) -> None: ...
    def branch(self, parts: list[tuple[Sequence, list[int]]]) -> None: ...
    def run(self, sequence: Sequence, run: GraphRun, last: bool) -> None: ...
    def decompress(self, batch: list[tuple[int, int, int, int, int, int]]) -> None:
        """Decompress each (source, bytes of it, target, bytes at most, where to count those written, algorithm)."""
    def free(self, arena: Arena, address: int) -> None: ...
    def write_value(self, address: int, value: int, width: int) -> None: ...
    def wait_value(self, address: int, value: int, width: int, condition: int) -> None: ...
    def is_idle(self) -> bool: ...
    def wait(self, timeout: float) -> bool:
        """Wait until all commands submitted so far are done. False when `timeout` seconds (< 0: none) pass first."""
    def cancel(self) -> None:
        """End the running kernel at its next poll (CPU_FAULT_CANCELLED) and drop what is queued behind it."""
    def take_fault(self) -> Fault | None: ...
    def take_interrupted(self) -> bool:
        """Return whether commands were cancelled since this was asked last."""
    def close(self) -> None:
        """Take no more commands; those queued still run."""

def abi_table() -> dict[str, tuple[int, str, int]]:
    """Return the numbers of exec/abi_table.c: name -> (value, code of the type or "", count of elements)."""

class Finding:
    """What a check has found: an instruction's errors of one kind in one launch, the first one of them."""

    kind: int  # enum cpu_finding_kind in check.h
    site: int  # the function's number, 32 bits, and the PTX line
    what: int  # bits of the access
    count: int
    address: int
    size: int
    offset: int  # in the state space
    block: tuple[int, int, int]
    thread: tuple[int, int, int]
    relation: int  # enum cpu_relation: where the address lies from the allocation
    start: int
    bytes: int
    origin: str
    other_site: int  # of the access before, in a race
    other_block: tuple[int, int, int]
    other_thread: tuple[int, int, int]

def take_findings(grid_id: int) -> list[Finding]:
    """Return what checks have found in a launch, once, in the order of threads."""

def table_add(start: int, size: int, id: int, joins: bool, origin: str) -> None:
    """Let checked kernels access a range; `joins`: accesses may go on in the one that begins where it ends."""

def table_remove(id: int) -> None:
    """Let them access it no more."""

def table_clear() -> None: ...

TABLE_REMOVE: Final[int]  # address of what removes the range whose id is its argument, for Queue.call

FAST_PATH: Final[int]  # address of what libcuda.so.1 calls without Python, see fast_path.h

def set_attribute(device: int, attribute: int, value: int) -> None: ...
def fast_path_epoch() -> int:
    """Return the epoch of the fast path, which `invalidate_fast_path` changes."""

def invalidate_fast_path() -> None:
    """Start a new epoch: cached entries of all threads are invalid, and the next call of each kind is served by Python."""

def set_current_context(context: int) -> None:
    """Set the current context of this thread."""

def set_deferred_work(some: bool) -> None:
    """Set whether synchronize must also run deferred host work."""

def cache_wait(epoch: int, stream: int, queue: Queue, awaited: list[Queue]) -> None:
    """Cache a fast path for this thread's waits for a stream, which wait for `queue` and `awaited`, if the epoch is current."""

def cache_launch(
    epoch: int,
    function: int,
    stream: int,
    queue: Queue,
    awaited: list[Queue],
    grid: Grid,
    half_run: bool,
    max_threads: int,
    max_shared: int,
    required_block: tuple[int, int, int] | None,
) -> None:
    """Cache a fast path for this thread's launches of a function in a stream, taken while `awaited` are idle."""

class Sequence(Queue):
    """Takes commands like a queue, and keeps them, so that they can be run as one and again."""

    def updatable(self, node: int, token: int) -> None: ...
    def publish(self, handle: int) -> None:
        """Let kernels launch the sequence by this handle."""

class GraphRun:
    """One launch of a graph; `handle` is what its kernels see as the current graph, 0 for none."""

    def __init__(self, handle: int) -> None: ...

def new_node() -> int: ...
def withdraw(handle: int) -> None: ...
def set_workers(count: int) -> None: ...
def workers() -> int: ...
def flush_printf() -> None:
    """Write what device printf has buffered to the process's stdout (the C stream and Python's both see the order)."""

def set_printf_size(size: int) -> None: ...
def printf_count() -> int: ...
def set_heap_size(size: int) -> None: ...
def reset_heap() -> None: ...
def set_stack_size(size: int) -> None: ...
def shutdown() -> None:
    """Stop all threads; called at exit and never after."""
