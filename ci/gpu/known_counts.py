# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Launch the kernels of the tests whose memory accesses are known in closed form, for `compare_counts.py`.

A compiler removes loads whose results are not used. So the results are stored here, if a condition holds that is never
true.
"""

from __future__ import annotations

import pathlib
import re
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "tests"))

from support.profile_cases import CASES, Case

from cuda.core import Device, LaunchConfig, ObjectCode, launch

TO_WORD = {
    "r": "xor.b32 %all, %all, {0};",
    "f": "mov.b32 %word, {0}; xor.b32 %all, %all, %word;",
    "d": "mov.b64 {{%word, %high}}, {0}; xor.b32 %all, %all, %word; xor.b32 %all, %all, %high;",
    "h": "mov.b32 %word, {{{0}, {0}}}; xor.b32 %all, %all, %word;",
}


def with_used_results(case: Case) -> str:
    """Return the PTX of a kernel whose results a compiler cannot drop."""
    registers = dict.fromkeys(re.findall(r"%([rfdh])(\d+)\b", case.body))
    words = " ".join(TO_WORD[kind].format(f"%{kind}{number}") for kind, number in registers)
    used = (
        "{ .reg .b32 %all, %word, %high; .reg .pred %never; mov.u32 %all, 0;\n" + words + "\n"
        "setp.eq.u32 %never, %r1, 0x7FFFFFFE; @%never st.global.u32 [%rd0], %all; }"
    )
    return case._replace(body=f"{case.body}\n{used}").text


def main() -> None:
    device = Device()
    device.set_current()
    stream = device.create_stream()
    memory = device.allocate(1 << 20, stream=stream)
    memory.fill(0, stream=stream)
    for case in CASES:
        kernel = ObjectCode.from_ptx(with_used_results(case).encode()).get_kernel("k")
        launch(stream, LaunchConfig(grid=case.grid, block=case.block), kernel, memory)
    stream.sync()
    print(f"{len(CASES)} kernels on {device.name}")


if __name__ == "__main__":
    main()
