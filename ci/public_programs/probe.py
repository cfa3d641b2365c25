# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Run a module as a program, unchanged, and print figures of the arrays that it leaves: `probe.py MODULE ARGUMENTS`.

Random numbers of Python and NumPy are seeded, so that two back-ends get the same.

`probe.py --measured FILE ARGUMENTS` runs a program of Triton up to its benchmarks.

A page of documentation, `probe.py PAGE.md`, is run cell by cell (cells.py). `probe.py --frames N MODULE` closes
Taichi's windows after some frames, and reports what there is then (windows.py).

For tinygrad, whose documentation consists of the docstrings of its modules, the program is the code that its site runs
(blocks marked `exec="true"`).
"""

from __future__ import annotations

import importlib.util
import pathlib
import random
import re
import runpy
import sys
from typing import Any

import numpy as np

BLOCK = re.compile(r'^( *)```python exec="true"[^\n]*\n(.*?)^ *```', re.M | re.S)
MARK = "array"
MEASURED = "the benchmarks begin"


def host(value: Any) -> Any:
    """Return an array of Warp or Taichi as one of NumPy, None for other objects."""
    module = type(value).__module__.partition(".")[0]
    convert = {"warp": "numpy", "taichi": "to_numpy"}.get(module)
    if convert is None or not callable(getattr(value, convert, None)):
        return None
    try:
        found = getattr(value, convert)()
    except (AttributeError, RuntimeError):  # a field of Taichi that has no memory, such as the gradient of another
        return None
    return found if getattr(found, "dtype", None) is not None and found.dtype.kind in "fiub" else None


def report(variables: dict[str, Any]) -> None:
    """Print size, mean and deviation of each array among variables and among their objects' attributes."""
    arrays = {}
    for name, value in variables.items():
        owned = vars(value) if hasattr(value, "__dict__") and not isinstance(value, type) else {}
        for path, each in [(name, value), *((f"{name}.{key}", item) for key, item in owned.items())]:
            if not name.startswith("__") and (found := host(each)) is not None and found.size:
                arrays[path] = found
    for path, found in sorted(arrays.items()):
        values = found.astype("f8")
        print(MARK, path, found.shape, f"{values.mean():.9g} {values.std():.9g}")


def run_docstrings(module: str) -> None:
    """Run the blocks of a module's docstrings one after another."""
    spec = importlib.util.find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(
        "import math; import numpy as np; from tinygrad import *; import tinygrad.nn as nn; Tensor.manual_seed(42)",
        names,
    )
    for indent, code in BLOCK.findall(pathlib.Path(spec.origin).read_text()):
        exec("\n".join(line.removeprefix(indent) for line in code.splitlines()), names)


def run_to_benchmarks(file: str) -> None:
    """Run a program of Triton up to its first benchmark."""
    import triton.testing

    def begin(*_: Any, **__: Any) -> None:
        print(MEASURED)
        raise SystemExit(0)

    triton.testing.Mark.run = begin
    sys.path.insert(0, str(pathlib.Path(file).parent))
    runpy.run_path(file, run_name="__main__")


if __name__ == "__main__":
    if sys.argv[1] == "--measured":
        sys.argv = sys.argv[2:]
        run_to_benchmarks(sys.argv[0])
        raise SystemExit(f"{sys.argv[0]} has no benchmark")
    if sys.argv[1] == "--frames":
        from windows import close_windows

        close_windows(int(sys.argv[2]), report)
        del sys.argv[1:3]
    module = sys.argv[1]
    sys.argv = sys.argv[1:]
    random.seed(1)
    np.random.seed(1)
    if module.endswith(".md"):
        from cells import run_cells

        run_cells(module)
    elif module.startswith("tinygrad."):
        run_docstrings(module)
    else:
        report(runpy.run_module(module, run_name="__main__", alter_sys=True))
