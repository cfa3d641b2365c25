# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Set every field of every struct to values of all kinds, fill structs with any bytes, read and print them.

Runs in a process of its own, which a wrong pointer would end: struct_misuse.py FILE. FILE always names what is tried;
problems are printed, one a line.
"""

import array
import ctypes
import mmap
import os
import random
import sys

import numpy as np

from cuda.bindings import cufile, driver, nvml, nvrtc, runtime
from cuda.bindings._record import Record
from cuda.bindings._struct import Struct

MODULES = (driver, runtime, nvrtc, nvml, cufile)
PATTERNS = {
    "ones": lambda size: b"\xff" * size,
    "fives": lambda size: (5).to_bytes(8, "little") * (size // 8 + 1),
    "counts": lambda size: b"\xff\xff\xff\x7f" * (size // 4 + 1),
    "random": random.Random(1).randbytes,
    "addresses": lambda size: (id(MODULES)).to_bytes(8, "little") * (size // 8 + 1),
}


class Index:
    def __index__(self):
        return 5


class Broken:
    def __len__(self):
        return 3

    def __getitem__(self, index):
        raise ValueError("broken")

    def __repr__(self):
        raise ValueError("no repr")


def closed():
    memory = mmap.mmap(-1, 4096)
    memory.close()
    return memory


def released():
    view = memoryview(bytearray(8))
    view.release()
    return view


VALUES = {
    "numbers": [5, -1, 0, 1 << 64, (1 << 64) - 1, 10**5000, True, 1.0, 1.5, float("nan"), float("inf"), 1j],
    "NumPy": [np.int64(5), np.zeros(4, "u1"), np.arange(200), np.ones(3), np.zeros((3, 3)), np.array(["a", None])],
    "text": [b"abc", b"", b"x" * 5000, bytearray(b"abcd"), memoryview(b"abcd"), "text", "y" * 5000, "a\0b"],
    "sequences": [
        [1, 2, 3],
        [],
        [1, "x", None],
        [-1] * 3,
        list(range(3000)),
        (1, 2),
        ((1, 2),),
        [[1, 2], [3]],
        range(5),
    ],
    "others": [None, {}, {"a": 1}, {1, 2}, object(), int, len, ..., Index(), Broken(), array.array("i", [1, 2])],
    "ctypes": [
        ctypes.c_int(5),
        ctypes.c_void_p(5),
        ctypes.c_void_p(),
        (ctypes.c_int * 3)(),
        ctypes.pointer(ctypes.c_int()),
    ],
    "ours": [driver.CUstream(5), driver.CUdeviceptr(5), driver.CUresult(1), driver.CUuuid(), [nvml.PciInfo()] * 2],
    "records": [nvml.PciInfo(), nvml.PciInfo(3), nvml.PciInfo(0), nvml.PciInfo(3)[3:], cufile.Descr()],
    "unusable": [driver.CUuuid.__new__(driver.CUuuid), nvml.PciInfo.__new__(nvml.PciInfo), closed(), released()],
}


class Trial:
    """Tries things, and remembers what went wrong."""

    def __init__(self, path):
        self.file = os.open(path, os.O_WRONLY | os.O_CREAT)
        self.problems = []

    def run(self, label, action, *words):
        """Return the result; an exception must be of Python's kinds for wrong values, and have the words."""
        os.pwrite(self.file, label.ljust(200).encode(), 0)
        try:
            return action()
        except (TypeError, ValueError, OverflowError, MemoryError) as error:
            if not all(word in str(error) for word in words):
                self.problems.append(f"{label}: {type(error).__name__}: {error} (lacks {words})")
        except Exception as error:
            self.problems.append(f"{label}: {type(error).__name__}: {error}")
        return None

    def read(self, label, made):
        """Read every field of a struct and show all of it."""
        for field in made._fields_:
            self.run(
                f"{label}: read {field}", lambda field=field: getattr(made, field), f"{type(made).__name__}.{field}"
            )
        text = self.run(f"{label}: repr", lambda: repr(made))
        if not isinstance(text, str):
            self.problems.append(f"{label}: no repr")


def fields(trial, cls):
    for field in cls._fields_:
        for kind, values in VALUES.items():
            for number, value in enumerate(values):
                for made in (cls(), cls(2)) if issubclass(cls, Record) else (cls(),):
                    label = f"{cls.__module__}.{cls.__name__}.{field} = {kind} {number}"
                    before = made._bytes(0, cls._kind_.size)
                    trial.run(label, lambda made=made, value=value, field=field: setattr(made, field, value), field)
                    if made._bytes(0, cls._kind_.size) != before:
                        trial.run(f"{label}: read", lambda made=made, field=field: getattr(made, field), field)
                        trial.run(f"{label}: repr", lambda made=made: repr(made))


def constructors(trial, cls):
    ways = {"constructor": cls}
    if issubclass(cls, Record):
        ways |= {name: getattr(cls, name) for name in ("from_data", "from_buffer", "from_ptr")}
        ways["item"] = lambda value: cls(2).__setitem__(0, value)
    for way, make in ways.items():
        for kind, values in VALUES.items():
            for number, value in enumerate(values):
                label = f"{cls.__module__}.{cls.__name__} {way} {kind} {number}"
                made = trial.run(label, lambda make=make, value=value: make(value))
                if isinstance(made, Struct) and (not isinstance(made, Record) or len(made) <= 1):
                    trial.read(label, made)


def patterns(trial, cls):
    for name, pattern in PATTERNS.items():
        made = cls()
        ctypes.memmove(made.getPtr(), pattern(cls._kind_.size), cls._kind_.size)
        trial.read(f"{cls.__module__}.{cls.__name__} of {name}", made)
    made = cls()
    for tag in {part.tag for part in cls._plan() if part.tag}:  # each member of a union in use, of wild contents
        for value in next(part.members for part in cls._plan() if part.tag == tag):
            ctypes.memmove(made.getPtr(), PATTERNS["fives"](cls._kind_.size), cls._kind_.size)
            setattr(made, tag, value)
            trial.read(f"{cls.__module__}.{cls.__name__} of fives, {tag} = {value}", made)


def main(path):
    trial = Trial(path)
    number = 0
    for module in MODULES:
        for name in dir(module):
            cls = getattr(module, name)
            if isinstance(cls, type) and issubclass(cls, Struct) and cls._kind_ is not None and cls.__name__ == name:
                fields(trial, cls)
                constructors(trial, cls)
                patterns(trial, cls)
                number += 1
    print(number)
    print(*trial.problems, sep="\n")


if __name__ == "__main__":
    main(sys.argv[1])
