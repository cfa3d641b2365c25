# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Types of the native runtime's bindings: device memory, queues, events, kernels. No driver semantics are in here.

Every call that can block releases the GIL. Addresses are host addresses as int.
"""

from collections.abc import Callable
from typing import Any, Final

ABI: Final[int]  # CPU_KERNEL_ABI

class Fault:
    """Why a launch ended early (enum cpu_fault), read once from the queue."""

    kind: int
    address: int
    pc: int  # of the instruction in machine code, 0 if unknown
    grid_id: int  # of the launch
    symbols: int  # address of the symbol table of the kernel's module
    callers: tuple[int, ...]  # possible return addresses, innermost call first
    kernel: str
    block: tuple[int, int, int]
    warp: int
    line: int  # of the PTX, 0 if unknown
    message: str  # of a failed assert
    found: bool  # checks have findings in the launch

class Arena:
    """A reserved address range in which allocations are made, each followed by a guard page."""

    def __init__(self, size: int, file: int = -1) -> None: ...  # descriptor of a file that backs the memory
    base: int
    size: int
    used: int
    def allocate(self, size: int) -> int:
        """Return a 256-byte aligned address; the end (rounded up) touches the guard page. MemoryError when full."""
    def free(self, address: int) -> None: ...
    def share(self, address: int, file: int) -> int | None:
        """Move the pages of an allocation into an empty file; return where in the file the allocation begins.

        Return None, and move nothing, while one of `queues` has work.
        """
    def find(self, address: int) -> tuple[int, int] | None:
        """Return (start, size) of the live allocation that holds `address`."""
    def close(self) -> None: ...

class Image:
    """An ELF object (ET_REL), loaded and relocated; undefined symbols are resolved in libc and libm only."""

    base: int
    size: int  # bytes, with all sections

    def __init__(self, data: bytes, debug: bool = False) -> None: ...
    def address(self, symbol: str) -> int: ...

class DeviceRuntime:
    """State of a context that kernels query through the device runtime, and its launch limits."""

    texts: tuple[int, int]  # address and size of the buffer with the names and texts of statuses

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
    """Descriptor of a kernel for launches by other kernels."""

    address: int  # the kernel's address in device code

    def __init__(
        self,
        max_threads: int,
        required_block: tuple[int, int, int] | None,
        cluster: tuple[int, int, int],
        shared: int,
    ) -> None: ...
    def fill(self, full_run: CompiledKernel, half_run: CompiledKernel, dynamic: int, facts: bytes) -> None:
        """Set the machine code, which makes the kernel launchable; `facts` is its cudaFuncAttributes."""

class CompiledKernel:
    """The properties of a kernel that all its launches share: machine code, sizes, parameter layout, checks."""

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
        layout: tuple[tuple[int, int], ...] = (),  # offset and size of each parameter, for launches with `gather`
        frames: int = 0,  # bytes of host stack if each function of the machine code has one frame
        checks: int = 0,  # enum cpu_check in check.h
        device_runtime: DeviceRuntime | None = None,  # of a kernel that may call the device runtime
        alignment: int = 64,  # greatest alignment of local, shared and parameter variables
        counters: int = 0,  # number of them, if the machine code counts, see counters.h
        token: int = 0,  # identifies the machine code in LaunchCounts
    ) -> None: ...
    def watch(self, nanoseconds: int) -> None:
        """Make the kernel hot once it has run for so many nanoseconds in total: see `is_hot`, `wait_hot`."""
    def is_hot(self) -> bool: ...
    def replace(self, entry: int) -> None:
        """Switch to other machine code of the same kernel; the owner keeps the old code, which may still run."""

def stamps(folder: str) -> bytes:
    """Return names, sizes and modification times of the Python files of a folder."""

def wait_hot(seen: int) -> int:
    """Wait until a watched kernel has become hot since the call that returned `seen`; return the next `seen`."""

SHARED_EVENT_BYTES: Final[int]

class Event:
    shared: bool  # it is an interprocess event
    order: Any  # of its latest record, see cuda/cpu/check/order.py

    def __init__(self, file: int = -1) -> None: ...  # descriptor of the file of an interprocess event
    def is_done(self) -> bool: ...
    def wait(self, timeout: float) -> bool: ...
    def time_ns(self) -> int: ...

class QueueClosed(ValueError):
    """A command was submitted to a closed queue."""

class DeviceStopped(RuntimeError):
    """A command was submitted after `shutdown`, by a thread that still runs while Python exits."""

class Queue:
    """A stream: commands run in order, on a native thread of its own or inline in the submitting thread.

    After a fault the commands that follow are dropped until `take_fault` is called; events still complete.
    """

    priority: int
    order: Any  # its position in happens-before order, see cuda/cpu/check/order.py

    def __init__(self, priority: int = 0, workers: int = 0) -> None: ...
    def launch(
        self,
        kernel: CompiledKernel,
        grid_dim: tuple[int, int, int],
        block_dim: tuple[int, int, int],
        cluster_dim: tuple[int, int, int],
        shared_dynamic: int,
        params: int,  # address of parameter_bytes bytes, copied before the call returns
        cooperative: bool,
        grid_id: int,
        gather: bool = False,  # params is the address of kernel_params: an array of pointers to the parameters
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
        """Call a C function void(void *) on the queue's thread; with `always` even after a fault."""
    def unmap(self, address: int, size: int) -> None: ...
    def choose(self, cell: int, kind: int, bodies: list[Sequence]) -> None: ...
    def branch(self, parts: list[tuple[Sequence, list[int]]]) -> None: ...
    def run(self, sequence: Sequence, run: GraphRun, last: bool) -> None: ...
    def decompress(self, batch: list[tuple[int, int, int, int, int, int]]) -> None:
        """Decompress each (source, its size, target, its capacity, address for the size written, algorithm)."""
    def free(self, arena: Arena, address: int) -> None: ...
    def write_value(self, address: int, value: int, width: int) -> None: ...
    def wait_value(self, address: int, value: int, width: int, condition: int) -> None: ...
    def is_idle(self) -> bool: ...
    def is_closed(self) -> bool: ...
    def wait(self, timeout: float) -> bool:
        """Wait until all commands submitted so far are done; return False after `timeout` seconds (< 0: no limit)."""
    def cancel(self) -> None:
        """End the running kernel at its next poll (CPU_FAULT_CANCELLED), and drop the commands queued behind it."""
    def take_fault(self) -> Fault | None: ...
    def take_interrupted(self) -> bool:
        """Return whether commands were cancelled since the last call."""
    def close(self) -> None:
        """Refuse further commands; those queued still run."""

def abi_table() -> dict[str, tuple[int, str, int]]:
    """Return the numbers of exec/abi_table.c: name -> (value, type code of `struct` or "", number of elements)."""

class Finding:
    """Errors of one kind of one instruction in one launch: the details of the first error, and their number."""

    kind: int  # enum cpu_finding_kind in check.h
    site: int  # the function's number in the high 32 bits, the PTX line in the low ones
    flags: int  # bits CPU_ACCESS_* or CPU_MEETING_* of check.h
    count: int
    address: int
    size: int
    offset: int  # in the state space
    block: tuple[int, int, int]
    thread: tuple[int, int, int]
    relation: int  # enum cpu_relation: of the address to the allocation
    start: int
    bytes: int
    origin: str
    other_site: int  # of the earlier access, in a race
    other_block: tuple[int, int, int]
    other_thread: tuple[int, int, int]
    ends: bool  # a warp had made so many illegal accesses that it ended the launch
    grid_id: int
    symbols: int  # address of the kernel's module's symbols, which identifies it
    kernel: str
    allocation: int  # id in the table, 0: none

def take_findings(grid_id: int) -> list[Finding]:
    """Remove and return the findings of a launch, in the order of threads; 0: of all that have ended."""

def record_findings(on: bool) -> None:
    """Let launches with findings complete without a fault, unless the kernel cannot continue."""

def findings_pending() -> bool:
    """Return whether there are findings of launches that completed without a fault."""

def track_heap(on: bool) -> None:
    """Note allocations of malloc in kernels from now on."""

def take_heap_leaks() -> list[tuple[int, str, int]]:
    """Remove the notes of live allocations of malloc in kernels; return (grid_id, kernel, size) of each."""

launch_hook: Callable[[int, str], None] | None

def on_launch(hook: Callable[[int, str], None] | None) -> None:
    """Call `hook(grid_id, kernel)` before each launch, or no longer for None; no launch takes the fast path then."""

class Operation:
    """What an operation of a stream, or a node of a graph that is part of it, has accessed."""

    number: int
    node: int  # of a graph, or 0
    round: int  # of the loop that the node is in
    grid_id: int
    symbols: int  # as in Finding; 0: no kernel
    kernel: str
    grid_dim: tuple[int, int, int]
    block_dim: tuple[int, int, int]
    ranges: int

    def allocations(self) -> set[int]: ...
    def conflicts(
        self, other: Operation
    ) -> list[tuple[int, int, int, int, tuple[int, int, int, int], tuple[int, int, int, int]]]: ...

command_hook: Any

def on_command(hook: Any) -> None:
    """Tell `hook` of operations, event records and waits from now on, or nothing any more for None."""

def take_operations() -> list[Operation]:
    """Remove and return what was recorded of operations that have ended, in any order."""

def new_operation(number: int, start: int, size: int, allocation: int) -> Operation:
    """Return an operation that writes a range."""

class LaunchCounts:
    """A completed launch of a profiled kernel: its configuration, the fault that ended it (0: none), its counters."""

    token: int  # of the kernel's machine code
    order: int  # of the beginnings of launches
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    cluster: tuple[int, int, int]
    fault: int
    shared_bytes: int
    counters: bytes  # unsigned 64-bit integers in the byte order of the machine

def timeline_switch(on: bool) -> None:
    """Begin or end to record when commands run."""

def take_timeline() -> list[tuple[str, str, int, int, int, int, tuple[int, int, int], tuple[int, int, int]]]:
    """Remove and return the spans recorded so far, in any order.

    Each is (kind, kernel or "", number of the queue, begin, end, bytes, grid, block); times are those of
    time.monotonic_ns.
    """

def take_profiles() -> list[LaunchCounts]:
    """Remove and return the completed launches of profiled kernels, in any order."""

def table_add(start: int, size: int, id: int, joins: bool, origin: str) -> None:
    """Add a range that checked kernels may access; `joins`: an access may extend into the range behind it."""

def table_remove(id: int) -> None:
    """Remove a range from the table, by its id."""

def table_clear() -> None: ...

TABLE_REMOVE: Final[int]  # C function for Queue.call: removes the range whose id is its argument

def init_mark(start: int, size: int, written: bool) -> None:
    """Let initcheck regard memory as written, or as not written."""

def init_range(start: int, size: int) -> int:
    """Return an argument for INIT_BEGIN, which frees it."""

INIT_BEGIN: Final[int]  # C function for Queue.call: marks a range as not written

FAST_PATH: Final[int]  # address of the functions that libcuda.so.1 calls without Python, see fast_path.h

def set_attribute(device: int, attribute: int, value: int) -> None: ...
def fast_path_epoch() -> int:
    """Return the epoch of the fast path, which `invalidate_fast_path` changes."""

def invalidate_fast_path() -> None:
    """Start a new epoch: cached entries of all threads are invalid; the next call of each kind is served by Python."""

def set_current_context(context: int) -> None:
    """Set the current context of this thread."""

def set_deferred_work(some: bool) -> None:
    """Set whether synchronize must also run deferred host work."""

def cache_wait(epoch: int, stream: int, queue: Queue, awaited: list[Queue]) -> None:
    """Cache a fast path for this thread's waits for a stream, if `epoch` is current: wait for `queue` and `awaited`."""

def lane_run(block: tuple[int, int, int]) -> int:
    """Return which runs of lanes blocks of this shape have: FULL_RUN, HALF_RUN or PADDED_RUN."""

def cache_launch(
    epoch: int,
    function: int,
    stream: int,
    queue: Queue,
    awaited: list[Queue],
    kernel: CompiledKernel,
    lane_run: int,
    max_threads: int,
    max_shared: int,
    required_block: tuple[int, int, int] | None,
    tile_block: tuple[int, int, int] | None = None,
    most_threads: int = 0,
) -> None:
    """Cache a fast path for this thread's launches of a function in a stream; it is taken while `awaited` are idle."""

class Sequence(Queue):
    """A reusable list of commands: recorded like those of a queue, then executed as a unit any number of times."""

    node: int  # number that racecheck has given to the node whose commands are added

    def updatable(self, node: int, token: int) -> None: ...
    def publish(self, handle: int) -> None:
        """Let kernels launch the sequence by this handle; replaces a sequence published under it before."""

class GraphRun:
    """One launch of a graph; its kernels see `handle` as the current graph (0: not for device launch)."""

    def __init__(self, handle: int) -> None: ...

def new_node() -> int: ...
def withdraw(handle: int) -> None: ...
def set_workers(count: int) -> None: ...
def workers() -> int: ...
def share_memory() -> None:
    """Make atomic operations safe beside those of other processes, for the rest of this process."""

def flush_printf() -> None:
    """Write the buffered output of device printf to stdout, in order with the C stream's and Python's own output."""

def set_printf_size(size: int) -> None: ...
def printf_count() -> int: ...
def set_heap_size(size: int) -> None: ...
def reset_heap() -> None: ...
def set_stack_size(size: int) -> None: ...
def shutdown() -> None:
    """Stop all threads; called once, at exit."""

def enable_snapshots(enabled: bool) -> None: ...
def take_snapshot() -> tuple[bytes, list[tuple[int, bytes]]] | None: ...
def announced_objects() -> list[bytes]: ...
