# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The kinds of instructions in `python -m benchmarks.cpu_kernels --only samples`."""

from __future__ import annotations

import pytest

from benchmarks.cpu_kernels import samples

KINDS = {
    "vpgatherdd zmm1{k1},DWORD PTR [rax+zmm2*4]": "gathers, scatters",
    "vscatterqps YMMWORD PTR [zmm2*1+0x0]{k1},ymm1": "gathers, scatters",
    "lock cmpxchg DWORD PTR [rax],ecx": "locked",
    "vpextrq rcx,xmm0,0x1": "single lanes",
    "vmovdqu64 ZMMWORD PTR [rsp+0x40],zmm0": "spills",
    "vfmadd231ps zmm2,zmm0,ZMMWORD PTR [r10+rsi*1+0xc]": "loads, stores",
    "prefetcht1 BYTE PTR [rdx+0x400]": "loads, stores",
    "vpermt2d zmm6,zmm10,zmm3": "shuffles",
    "vbroadcastss zmm0,xmm1": "shuffles",
    "kmovd k1,edi": "masks",
    "vpcmpeqq k0,zmm9,zmm10": "masks",
    "vpaddd zmm0,zmm2,zmm1": "arithmetic",
    "mov rax,QWORD PTR [rsp+0x78]": "scalar",
}


@pytest.mark.parametrize(("instruction", "kind"), KINDS.items())
def test_instructions_have_a_kind(instruction, kind):
    assert samples.kind_of(instruction) == kind


def test_samples_count_for_the_instruction_before(monkeypatch):
    code = [(16, "vpgatherdd zmm1{k1},DWORD PTR [rax+zmm2*4]"), (24, "kmovd k1,edi"), (28, "vpaddd zmm0,zmm2,zmm1")]
    monkeypatch.setattr(samples, "code_in_memory", lambda: [(0, 8), (16, 32)])
    monkeypatch.setattr(samples, "disassembled", lambda low, high: code)
    found = samples.count_kinds([24, 24, 28, 16, 99])
    assert found == {"gathers, scatters": 3, "masks": 1, samples.OUTSIDE: 1}
