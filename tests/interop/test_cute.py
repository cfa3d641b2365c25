# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The PTX of the CuTe DSL, launched by cuda.core: it compiles on the CPU device, but launches by NVIDIA's libcudart."""

import re

import numpy as np
import pytest
from support import programs

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
