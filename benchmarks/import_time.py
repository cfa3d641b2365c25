# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Time imports, and the way from import to first launch, in fresh processes on the driver that does nothing."""

import subprocess
import sys

import pyperf

FIRST_LAUNCH = r"""
from cuda.core import Device, LaunchConfig, ObjectCode, launch
device = Device()
device.set_current()
stream = device.create_stream()
ptx = b".version 8.0\n.target sm_90\n.address_size 64\n.entry takes_0() { ret; }\0"
kernel = ObjectCode.from_ptx(ptx).get_kernel("takes_0")
launch(stream, LaunchConfig(grid=1, block=1), kernel)
"""
STATEMENTS = {
    "import cuda.core": "import cuda.core",
    "import cuda.bindings.driver": "import cuda.bindings.driver",
    "import to first launch": FIRST_LAUNCH,
}


def seconds(loops, statement):
    program = f"import time; start = time.perf_counter()\n{statement}\nprint(time.perf_counter() - start)"
    command = [sys.executable, "-c", program]
    return sum(float(subprocess.check_output(command).split()[-1]) for _ in range(loops))


if __name__ == "__main__":
    runner = pyperf.Runner(values=3, processes=3, loops=1, warmups=1)
    for name, statement in STATEMENTS.items():
        runner.bench_time_func(name, seconds, statement)
