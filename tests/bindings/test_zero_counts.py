# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Functions that query a count first, on a library that returns zero for every count."""

import os

from support.echo import compile_c
from support.scripts import run_checked

from codegen import facts

CALLS = """
import inspect
from cuda.bindings import nvml

lists = 0
for name, function in list(vars(nvml).items()):
    if inspect.isroutine(function) and "_get_" in name and "Returns\\n" in (function.__doc__ or ""):
        number = len(inspect.signature(function).parameters)
        try:
            found = function(*[0] * number)
        except (nvml.NvmlError, TypeError, ValueError):
            continue
        kind = function.__doc__.partition("Returns\\n-------\\n")[2].partition("\\n")[0]
        if "list of nvmlDevice_t" in kind or name.endswith("processes_v3"):
            assert len(found) == 0, (name, found)
            lists += 1
print(lists)
"""


def test_count_zero_returns_an_empty_list(tmp_path):
    """None of them crashes, which a list that was never made once did."""
    names = facts.nvml_functions()
    source = "\n".join(f"EXPORT int {name}(void) {{ return 0; }}" for name in sorted(names))
    built = compile_c('#define EXPORT __attribute__((visibility("default")))\n' + source, tmp_path / "all.so")
    os.rename(built, tmp_path / "libnvidia-ml.so.1")
    said = run_checked(CALLS, CUDA_PYTHON_DRIVER="nvidia", LD_LIBRARY_PATH=str(tmp_path))
    assert int(said) >= 5
