# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Commands of gdb for kernels on the CPU device, in the style of cuda-gdb. gdb loads this file by its `source`.

A thread of the process runs one warp at a time. Its frames of device code have the variable `cuda_lane`, the selected
lane, by which the debug information finds the variables of a thread.
"""

from __future__ import annotations

import re
import struct
from typing import Any

import gdb  # type: ignore[import-untyped, import-not-found, unused-ignore]

WARP = 32
AXES = ("x", "y", "z")
_INDEX = re.compile(r"\(?\s*(\d+)\s*(?:,\s*(\d+)\s*)?(?:,\s*(\d+)\s*)?\)?")


class Warp:
    """The warp that a thread of the process runs, by its innermost frame of device code."""

    def __init__(self, thread: Any, frames: list):
        self.thread = thread
        self.frames = frames
        state = frames[0].read_var("cuda_warp").dereference()
        self.number = int(state["warp_id"])
        self.lanes = int(state["lanes"])  # that exist
        self.active = int(frames[0].read_var("cuda_lanes"))
        self.block = _index_of(state["block_idx"])
        self.grid = _index_of(state["grid_dim"])
        self.shape = _index_of(state["block_dim"])
        self.kernel = frames[-1].name() or "?"
        self._threads = state["thread_idx"]

    def thread_of(self, lane: int) -> tuple:
        return tuple(int(self._threads[axis][lane]) for axis in range(3))

    def lane_of(self, index: tuple) -> int | None:
        """Return the lane that is a thread of the block, None if it is in another warp."""
        x, y, z = index
        if x >= self.shape[0] or y >= self.shape[1] or z >= self.shape[2]:
            raise gdb.GdbError(f"thread {_text(index)} is outside of the block, which has {_text(self.shape)} threads")
        number = x + self.shape[0] * (y + self.shape[1] * z)
        return number % WARP if number // WARP == self.number else None

    @property
    def lane(self) -> int:
        return int(self.frames[0].read_var("cuda_lane"))

    def select(self, lane: int) -> None:
        """Let the variables of all frames be those of a lane."""
        level = gdb.selected_frame().level()
        for frame in self.frames:
            address = int(frame.read_var("cuda_lane").address)
            if core_file():
                write_core(core_file(), address, lane)
            else:
                gdb.selected_inferior().write_memory(address, lane.to_bytes(8, "little"))
        if core_file():
            gdb.execute(f"core-file {core_file()}", to_string=True)
        gdb.execute("maintenance flush register-cache", to_string=True)  # frames show other arguments now
        self.frames = _device_frames()
        select_frame(level)

    def __str__(self) -> str:
        lane = self.lane
        state = "" if self.active >> lane & 1 else ", inactive"
        return (
            f"kernel {self.kernel}, grid {_text(self.grid)}, block {_text(self.block)}, "
            f"thread {_text(self.thread_of(lane))}, warp {self.number}, lane {lane}{state}"
        )


def core_file() -> str:
    """Return the name of the core dump that is open, "" for a running program."""
    match = re.search(r"core dump file:\s*`(.*)', file type", gdb.execute("info files", to_string=True))
    return match[1] if match else ""


def write_core(path: str, address: int, number: int) -> None:
    """Change a number of 8 bytes in a core dump, a copy of the user's: gdb itself cannot write to it."""
    with open(path, "r+b") as file:
        head = file.read(64)
        start, count = struct.unpack_from("<Q", head, 32)[0], struct.unpack_from("<H", head, 56)[0]
        for index in range(count):
            file.seek(start + 56 * index)
            kind, _, offset, base, _, size = struct.unpack("<IIQQQQ", file.read(40))
            if kind == 1 and base <= address < base + size:
                file.seek(offset + address - base)
                file.write(struct.pack("<Q", number))


def _index_of(value: Any) -> tuple:
    return tuple(int(value[axis]) for axis in range(3))


def _text(index: tuple) -> str:
    return "({})".format(",".join(map(str, index)))


def _device_frames() -> list:
    """Return the frames of device code of the selected thread, the innermost first."""
    found = []
    frame = gdb.newest_frame()
    while frame is not None:
        try:
            frame.read_var("cuda_lane")
            found.append(frame)
        except (ValueError, RuntimeError, gdb.error):
            if found:
                break
        frame = frame.older() if len(found) < 1000 else None
    return found


def select_frame(level: int) -> None:
    """Select a frame of the selected thread by its number."""
    frame = gdb.newest_frame()
    while frame.level() < level and frame.older() is not None:
        frame = frame.older()
    frame.select()


def current() -> Warp | None:
    """Return the warp of the selected thread, None if it runs no device code."""
    thread = gdb.selected_thread()
    frames = _device_frames() if thread is not None else []
    return Warp(thread, frames) if frames else None


def needed() -> Warp:
    found = current()
    if found is None:
        raise gdb.GdbError("the selected thread runs no kernel; `info cuda blocks` lists those that do")
    return found


def warps() -> list:
    """Return all warps that run, and select the thread that was selected."""
    before, found = gdb.selected_thread(), []
    level = gdb.selected_frame() if before is not None else None
    for thread in sorted(gdb.selected_inferior().threads(), key=lambda each: each.num):
        thread.switch()
        warp = current()
        if warp is not None:
            found.append(warp)
    if before is not None:
        before.switch()
        if level is not None and level.is_valid():
            level.select()
    return found


class Focus:
    """The thread that the user has selected, as (block, thread), or None."""

    selected: tuple | None = None

    @classmethod
    def choose(cls, warp: Warp, lane: int) -> None:
        warp.select(lane)
        cls.selected = (warp.block, warp.thread_of(lane))
        print(f"[Switching focus to CUDA {warp}]")

    @classmethod
    def stopped(cls, event: Any) -> None:
        """Select the user's lane if its warp has stopped and runs it, else the first lane that runs."""
        try:
            warp = current()
            if warp is None:
                return
            gdb.execute("set scheduler-locking step", to_string=True)  # other threads do not stop meanwhile
            if warp.frames[0].level():  # a fault in a function of the compiler or the runtime
                warp.frames[0].select()
                gdb.execute("frame")
            lane = next((lane for lane in range(WARP) if warp.active >> lane & 1), warp.lane)
            if cls.selected is not None and cls.selected[0] == warp.block:
                wanted = warp.lane_of(cls.selected[1])
                lane = lane if wanted is None or not warp.active >> wanted & 1 else wanted
            focus = (warp.block, warp.thread_of(lane))
            if lane != warp.lane:
                warp.select(lane)
            if focus != cls.selected:
                cls.selected = focus
                print(f"[Switching focus to CUDA {warp}]")
        except gdb.error as error:
            print(f"cuda: {error}")


def _numbers(text: str) -> tuple:
    """Read an index: N, or (X,Y,Z) with one to three numbers."""
    match = _INDEX.fullmatch(text.strip())
    if match is None:
        raise gdb.GdbError(f"{text.strip()!r} must be a number, or (X,Y,Z)")
    return tuple(int(each or 0) for each in match.groups())


class Cuda(gdb.Command):
    """Select and show threads of kernels on the CPU device.

    cuda                           show the selected thread
    cuda block (X,Y,Z)             select a block that runs
    cuda thread (X,Y,Z)            select a thread of the block
    cuda block (..) thread (..)    both
    cuda lane N                    select a lane of the warp"""

    def __init__(self) -> None:
        super().__init__("cuda", gdb.COMMAND_RUNNING, gdb.COMPLETE_NONE, True)

    def invoke(self, argument: str, from_tty: bool) -> None:
        words = re.findall(r"(block|thread|lane)\s+(\([^)]*\)|\d+)", argument)
        if argument.strip() and (not words or re.sub(r"(block|thread|lane)\s+(\([^)]*\)|\d+)|\s", "", argument)):
            raise gdb.GdbError(f"cuda {argument}: give block, thread or lane with a number or (X,Y,Z)")
        given = dict(words)
        if not given:
            warp = needed()
            print(f"[Current focus is CUDA {warp}]")
            if gdb.selected_frame().level() < warp.frames[0].level():
                warp.frames[0].select()
            return
        warp = _find(given)
        lane: int | None
        if "lane" in given:
            lane = int(given["lane"])
            if lane >= WARP or not warp.lanes >> lane & 1:
                raise gdb.GdbError(f"the warp has no lane {lane}")
        else:
            lane = warp.lane_of(_numbers(given["thread"])) if "thread" in given else warp.lane
        if lane is not None:
            Focus.choose(warp, lane)


def _find(given: dict) -> Warp:
    """Return the warp with a block and thread, and select its thread of the process."""
    block = _numbers(given["block"]) if "block" in given else needed().block
    index = _numbers(given["thread"]) if "thread" in given else None
    found = [warp for warp in warps() if warp.block == block]
    if not found:
        raise gdb.GdbError(f"block {_text(block)} does not run now; `info cuda blocks` lists those that do")
    own = current()
    found.sort(key=lambda warp: own is None or warp.thread.num != own.thread.num)
    suitable = [warp for warp in found if index is None or warp.lane_of(index) is not None]
    if not suitable:
        wanted, runs = _text(index or ()), found[0].number
        raise gdb.GdbError(f"the warp of thread {wanted} does not run now: the block runs warp {runs}")
    suitable[0].thread.switch()
    return needed()


class Print(gdb.Command):
    """Print an expression in all lanes of the warp: cuda print EXPRESSION

    A PTX register is written as in PTX: cuda print %r1"""

    def __init__(self) -> None:
        super().__init__("cuda print", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument: str, from_tty: bool) -> None:
        warp = needed()
        print(table(warp, lambda: str(evaluated(argument))))


def evaluated(text: str) -> Any:
    """Return the value of an expression, which may be a PTX register, in the selected frame and lane."""
    if register := re.fullmatch(r"\s*%(\w+)\s*", text):
        value = gdb.parse_and_eval(f"ptx->{register[1]}")
        return value[needed().lane] if value.type.strip_typedefs().code == gdb.TYPE_CODE_ARRAY else value
    return gdb.parse_and_eval(text)


def table(warp: Warp, value_of: Any) -> str:
    """Return what `value_of` returns for each lane that exists; lanes with the same value share a row."""
    before = warp.lane
    values: dict = {}
    try:
        for lane in range(WARP):
            if warp.lanes >> lane & 1:
                warp.select(lane)
                values[lane] = value_of()
    finally:
        warp.select(before)
    rows, start = [], 0
    lanes = sorted(values)
    while start < len(lanes):
        end = start
        while end + 1 < len(lanes) and _joins(warp, values, lanes[start], lanes[end + 1]):
            end += 1
        first, last = lanes[start], lanes[end]
        which = f"lane {first}" if first == last else f"lanes {first}-{last}"
        state = "" if warp.active >> first & 1 else "  (inactive)"
        rows.append(f"{which:12} {values[first]}{state}")
        start = end + 1
    return "\n".join(rows)


def _joins(warp: Warp, values: dict, a: int, b: int) -> bool:
    return values[a] == values[b] and (warp.active >> a & 1) == (warp.active >> b & 1)


class Backtrace(gdb.Command):
    """Print the call stack of the selected thread on the device: cuda backtrace"""

    def __init__(self) -> None:
        super().__init__("cuda backtrace", gdb.COMMAND_STACK)

    def invoke(self, argument: str, from_tty: bool) -> None:
        warp = needed()
        gdb.execute(f"backtrace {warp.frames[-1].level() + 1}")


class InfoCuda(gdb.Command):
    """Show what runs on the CPU device: info cuda kernels|blocks|warps|lanes|threads"""

    def __init__(self) -> None:
        super().__init__("info cuda", gdb.COMMAND_STATUS, gdb.COMPLETE_NONE, True)


class Info(gdb.Command):
    """One of the tables of `info cuda`."""

    def __init__(self, name: str, rows: Any):
        self.__doc__ = f"Show the {name} that run on the CPU device."
        super().__init__(f"info cuda {name}", gdb.COMMAND_STATUS)
        self._rows = rows

    def invoke(self, argument: str, from_tty: bool) -> None:
        rows = self._rows()
        if len(rows) < 2:
            print("No kernel runs now.")
            return
        widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
        for row in rows:
            print("  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip())  # noqa: B905


def _mark(chosen: bool) -> str:
    return "*" if chosen else " "


def _where(warp: Warp) -> str:
    line = warp.frames[0].find_sal()
    return f"{line.symtab.filename.rpartition('/')[2]}:{line.line}" if line.symtab else "?"


def _kernels() -> list:
    rows = [["  kernel", "grid", "block", "blocks now"]]
    own = current()
    found: dict = {}
    for warp in warps():
        found.setdefault((warp.kernel, warp.grid, warp.shape), []).append(warp)
    for (kernel, grid, shape), these in found.items():
        chosen = own is not None and own.kernel == kernel
        blocks = " ".join(sorted({_text(warp.block) for warp in these}))
        rows.append([f"{_mark(chosen)} {kernel}", _text(grid), _text(shape), blocks])
    return rows


def _blocks() -> list:
    rows = [["  block", "warp", "active lanes", "kernel", "at"]]
    own = current()
    for warp in warps():
        chosen = own is not None and own.thread.num == warp.thread.num
        active = f"{warp.active:#010x}"
        rows.append([f"{_mark(chosen)} {_text(warp.block)}", str(warp.number), active, warp.kernel, _where(warp)])
    return rows


def _lanes() -> list:
    rows = [["  lane", "thread", "state"]]
    warp = current()
    if warp is None:
        return rows
    for lane in range(WARP):
        if warp.lanes >> lane & 1:
            state = "active" if warp.active >> lane & 1 else "inactive"
            rows.append([f"{_mark(lane == warp.lane)} {lane}", _text(warp.thread_of(lane)), state])
    return rows


def _threads() -> list:
    rows = [["  block", "from thread", "to thread", "count", "state", "at"]]
    own = current()
    for warp in warps():
        lanes = [lane for lane in range(WARP) if warp.lanes >> lane & 1]
        start = 0
        for number, lane in enumerate(lanes):
            here = warp.active >> lane & 1
            if number + 1 < len(lanes) and warp.active >> lanes[number + 1] & 1 == here:
                continue
            run = lanes[start : number + 1]
            chosen = own is not None and own.thread.num == warp.thread.num and own.lane in run
            rows.append([
                f"{_mark(chosen)} {_text(warp.block)}", _text(warp.thread_of(run[0])), _text(warp.thread_of(lane)),
                str(len(run)), "active" if here else "inactive", _where(warp),
            ])  # fmt: skip
            start = number + 1
    return rows


class AnyLane(gdb.Function):
    """Return whether an expression, a string, is true in an active lane: break FILE:LINE if $cuda_any("i == 7")

    The thread of the first such lane is then selected."""

    def __init__(self) -> None:
        super().__init__("cuda_any")

    def invoke(self, expression: Any) -> bool:
        warp = current()
        if warp is None:
            return False
        before = warp.lane
        for lane in range(WARP):
            if warp.active >> lane & 1:
                warp.select(lane)
                if evaluated(expression.string()):
                    Focus.selected = (warp.block, warp.thread_of(lane))
                    return True
        warp.select(before)
        return False


def install() -> None:
    Cuda()
    Print()
    Backtrace()
    InfoCuda()
    for name, rows in (
        ("kernels", _kernels), ("blocks", _blocks), ("warps", _blocks), ("lanes", _lanes), ("threads", _threads),
    ):  # fmt: skip
        Info(name, rows)
    AnyLane()
    gdb.events.stop.connect(Focus.stopped)


install()
