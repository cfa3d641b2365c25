# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Call every function of a library with invalid arguments, in a process that prints each call before making it.

Usage: python wrong_calls.py LIBRARY LIVE < plan, where LIVE is a module with `fresh()`, a context manager that gives
functions by kind which make a live handle. A line of the output is a call, `! ` and what was wrong with it, or `= ` and
the number of calls.
"""

from __future__ import annotations

import ctypes
import faulthandler
import importlib
import json
import sys
from collections.abc import Callable, Iterator
from typing import Any

GARBAGE, ONES, ROOM, SECONDS = 2**64 - 16, 2**64 - 1, 1 << 16, 20
REAL = {"float": ctypes.c_float, "double": ctypes.c_double}

# name: values of handles, integers and addresses, and content of the structures at addresses
MODES = {
    "nothing": ("null", 0, "null", 0, "null"),
    "all ones, no addresses": ("garbage", ONES, "null", 0, "null"),
    "ones for numbers, no addresses": ("live", ONES, "null", 0, "null"),
    "no addresses": ("live", 1, "null", 0, "null"),
    "zeros": ("live", 0, "room", 0, "null"),
    "small numbers": ("live", 1, "room", 1, "live"),
    "structures of ones": ("live", 1, "room", ONES, "garbage"),
    "garbage for handles": ("garbage", 1, "room", 1, "garbage"),
    "handles of another kind": ("other", 1, "room", 1, "other"),
}


class Caller:
    def __init__(self, library: Any, live: Any) -> None:
        self.library, self.live = library, live
        self.made: dict[str, Callable[[], int]] = {}
        self.count = 0
        self.current = ""
        sys.unraisablehook = lambda given: self.say(f"{type(given.exc_value).__name__}: {given.exc_value}")

    def say(self, text: str) -> None:
        print(f"! {self.current}: {text}".replace("\n", " "), flush=True)

    def handle(self, kind: str, how: str) -> int:
        if how == "other" and kind != "pointer":  # a pointer may be any of the host
            kind = "CUstream_st" if kind != "CUstream_st" else "CUevent_st"
        if how == "null" or kind not in self.made:
            return 0
        return GARBAGE if how == "garbage" else self.made[kind]()

    def room(self, behind: list, number: int, how: str, size: int) -> Any:
        """Return memory for several structures: their numbers are `number`, their addresses NULL."""
        memory = ctypes.create_string_buffer(ROOM)
        for start in range(0, min(8, ROOM // size) * size, size):
            for kind, detail, offset, width in behind:  # addresses last: they win in unions
                if kind in ("integer", "real", "handle"):
                    value = self.handle(detail, how) if kind == "handle" else number
                    memory[start + offset : start + offset + width] = (value & ONES).to_bytes(8, "little")[:width]
            for kind, _, offset, width in behind:
                if kind == "address":
                    memory[start + offset : start + offset + width] = bytes(width)
        return memory

    def argument(self, param: list, mode: tuple) -> Any:
        (kind, detail, size, behind), (handles, number, addresses, inner, inner_handles) = param, mode
        if kind == "handle":
            return ctypes.c_uint64(self.handle(detail, handles))
        if kind in ("integer", "count"):
            return ctypes.c_uint64(number)
        if kind == "real":
            return REAL[detail](-1.0)
        if kind == "function":
            return None
        if kind == "address":
            return None if addresses == "null" else self.room(behind, inner, inner_handles, size)
        by_value = type("ByValue", (ctypes.Structure,), {"_fields_": [("words", ctypes.c_uint64 * -(-size // 8))]})
        return by_value.from_buffer(self.room(behind, inner, inner_handles, size))

    def variants(self, params: list) -> Iterator[tuple[str, list]]:
        for name, mode in MODES.items():
            yield name, [mode] * len(params)
        usual = MODES["small numbers"]
        for at, (kind, _, _, behind) in enumerate(params):
            odd: list[tuple[str, tuple]] = []
            if kind == "handle":
                odd = [("garbage", ("garbage", *usual[1:])), ("NULL", ("null", *usual[1:]))]
            elif kind == "integer":
                odd = [(str(number), (usual[0], number, *usual[2:])) for number in (ONES, 2**31, 2**31 - 1, 97)]
            elif kind == "address":
                odd = [("NULL", (*usual[:2], "null", *usual[3:]))]
                if behind:
                    odd += [("of ones", (*usual[:3], ONES, "live")), ("with 97", (*usual[:3], 97, "live"))]
            for name, mode in odd:
                yield f"argument {at} {name}", [usual] * at + [mode] + [usual] * (len(params) - at - 1)

    def call(self, symbol: str, params: list) -> None:
        function = getattr(self.library, symbol, None)
        if function is None:
            return
        for name, modes in self.variants(params):
            self.current = f"{symbol}: {name}"
            print(self.current, flush=True)
            faulthandler.dump_traceback_later(SECONDS, exit=True)
            with self.live.fresh() as self.made:
                arguments = [self.argument(param, mode) for param, mode in zip(params, modes, strict=True)]
                status = function(*arguments)
                self.count += 1
                wild = any(param[0] == "handle" and mode[0] == "garbage" and param[1] in self.made
                           for param, mode in zip(params, modes, strict=True))  # fmt: skip
                if wild and status == 0:
                    self.say("a garbage handle was taken")


def main() -> None:
    faulthandler.enable()
    library, module = sys.argv[1:]
    caller = Caller(ctypes.CDLL(library), importlib.import_module(module))
    for symbol, params in json.load(sys.stdin):
        caller.call(symbol, params)
    faulthandler.cancel_dump_traceback_later()
    print("=", caller.count)


if __name__ == "__main__":
    main()
