# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Time the rows of tables in this process and print nanoseconds by name: python calls.py rows_bindings rows_core

A driver that does nothing leaves only the overhead of the package. With --settle the driver may be a real one: then no
call waits for earlier ones. A value is the minimum of several repetitions; `__main__` takes the median over processes.
"""

import importlib
import json
import sys
import timeit

REPETITIONS = 7
SECONDS = 3e-3  # of one repetition
BURST, BURSTS = 200, 30


def nanoseconds(statement, names, settle):
    if settle:  # bursts that fit into the driver's queue, so that no call waits
        timer = timeit.Timer(statement, names["SETTLE"], globals=names)
        timer.timeit(20)
        return min(timer.repeat(BURSTS, BURST)) / BURST * 1e9
    timer = timeit.Timer(statement, globals=names)
    timer.timeit(20)  # warms the caches of the interpreter and of the package
    number = max(int(100 * SECONDS / max(timer.timeit(100), 1e-7)), 1)
    return min(timer.repeat(REPETITIONS, number)) / number * 1e9


def measure(module, settle):
    """Return the times of the rows of a module, and the targets. A row that fails has its error instead of a time."""
    values, targets = {}, {}
    for name, target, statement in module.ROWS:
        targets[name] = target
        try:
            values[name] = nanoseconds(statement, vars(module), settle)
        except Exception as error:
            values[name] = f"{type(error).__name__}: {error}"
    for name, target, more, less, count in getattr(module, "SLOPES", []):
        targets[name] = target
        both = values[more], values[less]
        values[name] = next((value for value in both if isinstance(value, str)), None) or (both[0] - both[1]) / count
    return {"values": values, "targets": targets}


def main():
    settle = "--settle" in sys.argv
    found = {name: measure(importlib.import_module(name), settle) for name in sys.argv[1:] if name != "--settle"}
    if "floor" in sys.modules:
        found["loops"] = sys.modules["floor"].loops()
    print(json.dumps(found))


if __name__ == "__main__":
    main()
