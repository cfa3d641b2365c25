# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The contract between machine code and runtime is stated twice, in C and in Python: both must say the same."""

import pathlib
import re

import pytest

from cuda.cpu.emit import frame

runtime = pytest.importorskip("cuda.cpu.runtime._runtime", reason="the CPU device's runtime is not built")
HEADER = pathlib.Path(frame.__file__).parent.parent / "runtime/kernel_abi.h"

pytestmark = pytest.mark.cpu_only


def test_offsets():
    stated = {f"warp.{name}": offset for name, offset in frame.WARP.items()}
    stated |= {f"runtime.{name}": offset for name, offset in frame.SERVICES.items()}
    assert stated == runtime.abi_offsets()


def test_every_member_is_compared():
    text = re.sub(r"/\*.*?\*/", "", HEADER.read_text(), flags=re.DOTALL)
    members = set()
    for struct, prefix in (("cpu_warp", "warp"), ("cpu_runtime", "runtime")):
        body = re.search(rf"struct {struct} \{{(.*?)\n\}};", text, re.DOTALL)[1]
        names = re.findall(r"\(\*(\w+)\)\(", body) or re.findall(r"(\w+)(?:\[[^;]*)?;", body)
        members |= {f"{prefix}.{name}" for name in names}
    assert members == set(runtime.abi_offsets())


def test_faults_and_version():
    text = HEADER.read_text()
    kinds = {name.lower(): int(value) for name, value in re.findall(r"CPU_FAULT_(\w+) = (\d+)", text)}
    assert frame.FAULTS.items() <= kinds.items()
    assert int(re.search(r"define CPU_KERNEL_ABI (\d+)", text)[1]) == frame.ABI == runtime.ABI
