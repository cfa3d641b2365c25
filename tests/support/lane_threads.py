# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A plain interpreter of PTX: it runs one thread after the other, each until it has to wait.

It shares only the parser and the instruction table with the CPU device, and knows nothing of SIMD groups, masks or
regions: the CPU device must compute the same results. Threads are Python generators; what they wait for (a
barrier, the other lanes of a warp operation) they yield.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import product

import numpy as np
from support.lane_frame import LOCAL, SHARED, Frame, Wait, run_function
from support.lane_values import cut, signed

from cuda.cpu.compile.program import code_of
from cuda.cpu.ptx.program import Program
from cuda.cpu.ptx.syntax import Instruction


class Deadlock(Exception):
    """Threads wait for something that cannot happen: the program is wrong."""


class Memory:
    """The memory of the given arrays, at their own addresses."""

    def __init__(self, arrays: list[np.ndarray]):
        self.parts = [(array.ctypes.data, memoryview(array).cast("B")) for array in arrays]

    def find(self, address: int, size: int) -> memoryview:
        assert address % size == 0, f"{address:#x} is not aligned to {size}"
        for base, data in self.parts:
            if base <= address and address + size <= base + len(data):
                return data[address - base : address - base + size]
        raise AssertionError(f"{address:#x} is outside of all arrays")


class Thread:
    """One thread: its indices in the grid, its local memory, and its generator."""

    def __init__(self, block: Block, index: tuple[int, int, int], linear: int):
        self.block, self.index, self.linear = block, index, linear
        self.lane, self.warp = linear % 32, linear // 32
        self.local = bytearray(1 << 14)
        self.local_top = 0  # what its calls have of it
        self.steps = 0
        self.waits: Wait | None = None
        self.answer: object = None
        self.run: Iterator | None = None

    def special(self, name: str) -> int:
        grid = self.block.grid
        vectors = {"tid": self.index, "ntid": grid.block_dim, "ctaid": self.block.index, "nctaid": grid.grid_dim}
        base, _, axis = name[1:].partition(".")
        if base in vectors:
            return vectors[base]["xyz".index(axis)]
        bit, warps = 1 << self.lane, -(-math.prod(grid.block_dim) // 32)
        return {"laneid": self.lane, "warpid": self.warp, "nwarpid": warps, "lanemask_lt": bit - 1, "lanemask_eq": bit,
                "lanemask_le": 2 * bit - 1, "lanemask_gt": -2 * bit & 0xFFFFFFFF,
                "lanemask_ge": -bit & 0xFFFFFFFF}[base]  # fmt: skip

    # --- memory -----------------------------------------------------------------------------------

    def bytes_at(self, space: str, address: int, size: int) -> memoryview:
        """Return the bytes of an access."""
        if space == "generic":
            space = "shared" if SHARED <= address < LOCAL else "local" if address >= LOCAL else "global"
            address -= {"shared": SHARED, "local": LOCAL}.get(space, 0)
        if space in ("shared", "local"):
            data = self.block.shared if space == "shared" else self.local
            assert address % size == 0, f"{space} address {address} is not aligned to {size}"
            assert 0 <= address <= len(data) - size, f"{space} address {address} of {len(data)}"
            return memoryview(data)[address : address + size]
        return self.block.grid.memory.find(address, size)


class Block:
    """The threads of a block, which run one at a time."""

    def __init__(self, grid: Grid, index: tuple[int, int, int]):
        self.grid, self.index = grid, index
        self.shared = bytearray(grid.program.shared_static + grid.shared)
        x, y, z = grid.block_dim
        indices = product(range(z), range(y), range(x))
        self.arrived: list[tuple[int, int]] = []  # barrier and count, for each thread that did not wait
        self.threads = [Thread(self, index[::-1], linear) for linear, index in enumerate(indices)]

    def run(self) -> None:
        for thread in self.threads:
            thread.run = run_function(thread, self.grid.program.functions[self.grid.name], {}, dict(self.grid.params))
        live = list(self.threads)
        while live:
            for thread in live:
                if thread.waits is None:
                    self._advance(thread)
            live = [thread for thread in live if thread.run is not None]
            if live and not any(thread.waits is None for thread in live):
                self._release(live)

    def _advance(self, thread: Thread) -> None:
        try:
            answer, thread.answer = thread.answer, None
            thread.waits = thread.run.send(answer)
        except StopIteration:
            thread.run = None

    def _release(self, live: list[Thread]) -> None:
        """Resume one group of waiting threads: lanes of a warp operation first, then a complete barrier."""
        for thread in live:
            kind, instruction, *values = thread.waits
            if kind == "warp":
                members = values[-1]
                lanes = [t for t in live if t.warp == thread.warp and members >> t.lane & 1]
                # Lanes may wait for another operation with its own mask.
                same = all(t.waits[1] is instruction and t.waits[-1] == members for t in lanes)
                if same and sum(1 << t.lane for t in lanes) == members:
                    return answer_warp(lanes, instruction)
        at = {thread.waits[2] for thread in live if thread.waits[0] == "barrier"}
        for number in at:
            here = [thread for thread in live if thread.waits[0] == "barrier" and thread.waits[2] == number]
            expected = {thread.waits[3] for thread in here}
            assert len(expected) == 1, "threads of one barrier expect different counts"
            arrived = [one for one in self.arrived if one[0] == number]
            if len(here) + len(arrived) == (expected.pop() or len(live)):
                self.arrived = [one for one in self.arrived if one[0] != number]
                return answer_barrier(here)
        raise Deadlock([thread.waits for thread in live][:4])


class Grid:
    """A launch. Arrays are passed by address and changed in place."""

    def __init__(self, program: Program, name: str, grid_dim: tuple, block_dim: tuple, args: tuple, shared: int = 0):
        self.program, self.name, self.shared = program.laid_out(name), name, shared
        self.grid_dim, self.block_dim = grid_dim, block_dim
        variables, self.symbols, self.function_at = place_symbols(self.program)
        self.memory = Memory([arg for arg in args if isinstance(arg, np.ndarray) and arg.ndim] + variables)
        self.plans: dict[int, Callable[[Frame], None]] = {}  # of instructions, by their identity
        self.labels: dict[str, dict[str, int]] = {}
        parameters = self.program.functions[name].parameters
        self.params = {
            parameter.name: bytearray(
                np.uint64(arg.ctypes.data).tobytes() if np.ndim(arg) else np.asarray(arg).tobytes()
            )
            for parameter, arg in zip(parameters, args, strict=True)
        }

    def run(self) -> None:
        x, y, z = self.grid_dim
        for index in product(range(z), range(y), range(x)):
            Block(self, index[::-1]).run()


def place_symbols(program: Program) -> tuple[list[np.ndarray], dict[str, int], dict[int, str]]:
    """Return memory for the program's variables, the addresses of all symbols, and the functions by address."""
    stored = code_of(program).variables
    memory = {name: np.zeros(variable.size, np.uint8) for name, variable in stored.items()}
    functions = {16 * (number + 1): name for number, name in enumerate(program.functions)}
    addresses = {name: address for address, name in functions.items()}
    addresses |= {name: data.ctypes.data for name, data in memory.items()}
    for name, variable in stored.items():
        memory[name][: len(variable.data)] = np.frombuffer(variable.data, np.uint8)
        for offset, width, symbol, addend, shift in variable.relocations:
            value = (addresses[symbol] + addend >> shift).to_bytes(8, "little")[:width]
            memory[name][offset : offset + width] = np.frombuffer(value, np.uint8)
    return list(memory.values()), addresses, functions


# --- what waiting threads get ------------------------------------------------------------------------


def answer_warp(lanes: list[Thread], instruction: Instruction) -> None:
    values = {thread.lane: thread.waits[2] for thread in lanes}
    mode = set(instruction.modifiers)
    for thread in lanes:
        if instruction.opcode == "shfl":
            thread.answer = _shuffled(thread, values, next(m for m in ("up", "down", "bfly", "idx") if m in mode))
        elif instruction.opcode == "vote":
            ballot = sum(1 << lane for lane, value in values.items() if value)
            all_, none = all(values.values()), not any(values.values())
            answers = {"ballot": ballot, "all": all_, "any": not none, "uni": all_ or none}
            thread.answer = int(next(answer for name, answer in answers.items() if name in mode))
        elif instruction.opcode == "match":
            same = sum(1 << lane for lane, value in values.items() if value == thread.waits[2])
            whole = same == thread.waits[-1]
            thread.answer = same if "any" in mode else (same if whole else 0, int(whole))
        elif instruction.opcode == "redux":
            thread.answer = _reduced(list(values.values()), mode)
    for thread in lanes:
        thread.waits = None


def _shuffled(thread: Thread, values: dict[int, int], mode: str) -> tuple[int, int]:
    """shfl (9.7.9.6): the value of another lane, or the own one if that lane is outside the segment."""
    _, _, own, b, c, _ = thread.waits
    clamp, segment, lane = c & 31, c >> 8 & 31, thread.lane
    most = (lane & segment) | (clamp & ~segment & 31)
    least = lane & segment
    if mode == "up":
        other, good = lane - (b & 31), lane - (b & 31) >= most
    elif mode == "down":
        other, good = lane + (b & 31), lane + (b & 31) <= most
    elif mode == "bfly":
        other, good = lane ^ (b & 31), (lane ^ (b & 31)) <= most
    else:
        other = least | (b & 31 & ~segment)
        good = other <= most
    assert not good or other in values, "a lane reads from one that takes no part"
    return (values[other] if good else own), int(good)


def _reduced(values: list[int], mode: set[str]) -> int:
    if "s32" in mode:
        values = [signed(value, 32) for value in values]
    operations = {"add": sum, "min": min, "max": max}
    for name, function in operations.items():
        if name in mode:
            return cut(function(values), 32)
    function = next(f for name, f in {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}.items()
                    if name in mode)  # fmt: skip
    return int(function.reduce(np.array(values, np.uint32)))


def answer_barrier(here: list[Thread]) -> None:
    holds = [thread.waits[4] for thread in here if thread.waits[4] is not None]
    for thread in here:
        mode = thread.waits[1].modifiers
        if "red" in mode:
            thread.answer = sum(holds) if "popc" in mode else int(all(holds) if "and" in mode else any(holds))
        thread.waits = None
