# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Programs that tests run in gdb: the source of a kernel, and a host part that compiles and launches it."""

from __future__ import annotations

import re

HOST = """
import numpy as np
from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch

device = Device()
device.set_current()
stream = device.create_stream()
buffer = device.allocate(1024, stream=stream)
code = Program(SOURCE, "{language}", {options}).compile("{target}")
launch(stream, LaunchConfig(grid={grid}, block={block}), code.get_kernel("{kernel}"), buffer{arguments})
stream.sync()
print("result", [int(each) for each in np.from_dlpack(buffer).view(np.int32)[:3]])
"""


def program(source: str, *, grid: int = 1, block: int = 32, arguments: str = "", options: str = "None") -> str:
    """Return a program that launches the kernel of a source, whose first line is the program's first one.

    The kernel gets an address of 1,024 bytes, and then the `arguments`.
    """
    found = re.search(r"(?:__global__ void|\.entry) (\w+)\(", source)
    assert found
    language, target = ("ptx", "ptx") if ".entry" in source else ("c++", "cubin")
    arguments = f", {arguments}" if arguments else ""
    host = HOST.format(language=language, target=target, options=options, kernel=found[1], grid=grid, block=block,
                       arguments=arguments)  # fmt: skip
    return f'SOURCE = r"""{source}"""\n{host}'
