# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Names of types and functions of kernels, with clang's device headers.

`device_names.txt` has the names of the CUDA Math API, of small floats, and of the language's types and functions: those
that NVRTC 13.5 knows for sm_90, without `cuda*` and what begins with an underscore and is not documented.
"""

from __future__ import annotations

import pathlib
import re

import numpy as np
import pytest

pytest.importorskip("cuda.cpu.runtime._runtime", reason="the CPU device's runtime is not built")
pytest.importorskip("cuda.core", reason="cuda.core is not installed")

from support.loaded import Loaded

from cuda.core import Program, ProgramOptions
from cuda.core._program._clang import _find

if not _find.is_installed():
    pytest.skip("clang is not installed: pip install ziglang", allow_module_level=True)
MISSING = "ue5m3"  # a format of scale factors
HEAD = "".join(f"#include <cuda_{name}.h>\n" for name in ("fp16", "bf16", "fp8", "fp6", "fp4"))


def unknown(names: list[str]) -> list[str]:
    """Return the names that clang does not know as those of types or functions."""
    lines = "".join(f"using ::{name};\n" for name in names)
    options = ProgramOptions(name="names", compiler="clang", arch="sm_90")
    try:
        Program(f"{HEAD}namespace all {{\n#line 1\n{lines}}}", "c++", options).compile("ptx")
    except RuntimeError as error:
        message = str(error)
        rows = re.findall(r"^names\((\d+)\): error", message, re.MULTILINE)
        return [names[int(row) - 1] for row in rows] or [message]
    return []


def test_names_of_the_documentation():
    names = (pathlib.Path(__file__).parent / "device_names.txt").read_text().split()
    assert len(names) > 1000
    assert [name for name in unknown(names) if MISSING not in name] == []
    assert unknown(["__nothing_of_this_name", "sinf"]) == ["__nothing_of_this_name"]


def test_functions_of_few_programs():
    """Barriers by number, fences of clusters, and sines of turns."""
    source = """extern "C" __global__ void k(const float *x, float *o, const __grid_constant__ int n) {
        int t = threadIdx.x; __shared__ float s[64]; s[t] = x[t]; __barrier_sync(1); o[t] = __sin2pif(s[63 - t]);
        __barrier_sync_count(2, 64); o[64 + t] = __cos2pif(x[t]); __threadfence_cluster(); float a, b;
        __sincos2pif(x[t], &a, &b); o[128 + t] = a + 10 * b;
        o[192 + t] = n + __isnanf(x[t]) + __finitef(x[t]); }"""
    code = Program(source, "c++", ProgramOptions(compiler="clang", arch="sm_90")).compile("ptx").code
    x, out = np.linspace(-2, 2, 64, dtype=np.float32), np.zeros((4, 64), np.float32)
    Loaded(bytes(code)).launch("k", 1, 64, x, out, np.int32(41))
    turns = 2 * np.pi * x.astype(float)
    np.testing.assert_allclose(out[0], np.sin(turns)[::-1], atol=1e-6)
    np.testing.assert_allclose(out[1], np.cos(turns), atol=1e-6)
    np.testing.assert_allclose(out[2], np.sin(turns) + 10 * np.cos(turns), atol=1e-5)
    assert (out[3] == 42).all()
