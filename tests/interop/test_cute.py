# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The PTX of the CuTe DSL, launched by cuda.core: it compiles on the CPU device, but launches by NVIDIA's libcudart."""

import pathlib
import re
import subprocess

import numpy as np
import pytest
from support import programs

import cuda.bindings
from cuda.core import LaunchConfig, ObjectCode, launch

pytestmark = [pytest.mark.cpu_only, programs.needs("cutlass.cute", "nvidia-cutlass-dsl")]


def test_a_kernel(device, stream, tmp_path):
    done = programs.run("cute_kernels.py", str(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    text = done.stdout.rstrip().rstrip("\0")
    (name,) = re.findall(r"\.entry (\w+)", text)
    x = device.to_device(np.arange(256, dtype=np.float32))
    launch(stream, LaunchConfig(grid=4, block=64), ObjectCode.from_ptx(text.encode()).get_kernel(name), x, 200)
    stream.sync()
    expected = np.arange(256, dtype=np.float32)
    expected[:200] = 2 * expected[:200] + 1
    np.testing.assert_array_equal(x.to_host(), expected)


FILES = """
import os, pathlib, sys
for name in ("nvidia_cutlass_dsl/cu13/lib/libcuda_dialect_runtime_static.a", "nvidia/cu13/lib/libcudart.so.13"):
    print(*(path for entry in sys.path if (path := pathlib.Path(entry or ".") / name).exists()))
"""


def test_its_launcher_with_the_shared_runtime_library(tmp_path):
    """Its own runtime library contains libcudart; the archive for programs in C links with the shared one."""
    found = subprocess.run([programs.python(), "-c", FILES], capture_output=True, text=True, check=True).stdout
    archive, runtime = (line.split(" ")[0] for line in found.splitlines())
    if not (archive and runtime):
        pytest.skip("nvidia-cutlass-dsl[cu13] or nvidia-cuda-runtime is not installed")
    library = str(tmp_path / "libcute_dsl_runtime.so")
    parts = ["-Wl,--whole-archive", archive, "-Wl,--no-whole-archive", runtime]
    subprocess.run(["gcc", "-shared", "-o", library, *parts], check=True)
    done = programs.run(
        "cute_launches.py", str(pathlib.Path(cuda.bindings.__file__).parents[2]),
        variables={"CUTE_DSL_LIBS": library, "CUTE_DSL_LINEINFO": "1", "CUTE_DSL_ARCH": "sm_90a"},
    )  # fmt: skip
    assert programs.right(done) == ["launch"]
