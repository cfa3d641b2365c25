# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The contract between machine code and runtime is stated twice, in C and in Python: both must say the same."""

import ctypes
import pathlib
import re

import pytest

from cuda.cpu.driver.array import tensor_map, texture
from cuda.cpu.emit.simt import frame

runtime = pytest.importorskip("cuda.cpu.runtime._runtime", reason="the CPU device's runtime is not built")
HEADER = pathlib.Path(frame.__file__).parents[2] / "runtime/exec/kernel_abi.h"

pytestmark = pytest.mark.cpu_only


def test_offsets():
    stated = {f"warp.{name}": offset for name, offset in frame.WARP.items()}
    stated |= {f"runtime.{name}": offset for name, offset in frame.SERVICES.items()}
    for prefix, layout in (("texture", texture.Layout), ("level", texture.Level), ("map", tensor_map.Map)):
        stated |= {f"{prefix}.{name}": getattr(layout, name).offset for name, *_ in layout._fields_}
    assert stated == runtime.abi_offsets()


def test_every_member_is_compared():
    text = re.sub(r"/\*.*?\*/", "", HEADER.read_text(), flags=re.DOTALL)
    members = set()
    for struct, prefix in (("cpu_warp", "warp"), ("cpu_runtime", "runtime")):
        body = re.search(rf"struct {struct} \{{(.*?)\n\}};", text, re.DOTALL)[1]
        names = re.findall(r"\(\*(\w+)\)\(", body) or re.findall(r"(\w+)(?:\[[^;]*)?;", body)
        members |= {f"{prefix}.{name}" for name in names}
    tables = tuple(f"{prefix}." for prefix in ("warp", "runtime"))
    assert members == {name for name in runtime.abi_offsets() if name.startswith(tables)}


def test_every_member_of_a_texture_is_compared():
    files = [(HEADER.parents[1] / "texture" / name).read_text() for name in ("texture.h", "tensor.h")]
    text = re.sub(r"/\*.*?\*/", "", "".join(files), flags=re.DOTALL)
    for struct, prefix in (("cpu_texture", "texture."), ("cpu_level", "level."), ("cpu_tensor_map", "map.")):
        body = re.search(rf"struct {struct} \{{(.*?)\n\}};", text, re.DOTALL)[1]
        names = {prefix + name for name in re.findall(r"\b(\w+)(?:\[\w+\])?[,;]", body)}
        assert names == {name for name in runtime.abi_offsets() if name.startswith(prefix)}
    assert int(re.search(r"CPU_MAX_LEVELS (\d+)", text)[1]) == texture.MOST_LEVELS
    kinds = [int(value, 16) for value in re.findall(r"_KIND (0x\w+)u", text)]
    assert kinds == [texture.TEXTURE_KIND, texture.SURFACE_KIND]
    assert int(re.search(r"CPU_TENSOR_MAP (0x\w+)u", text)[1], 16) == tensor_map.KIND
    assert ctypes.sizeof(tensor_map.Map) == 128


def test_faults_and_version():
    text = HEADER.read_text()
    kinds = {name.lower(): int(value) for name, value in re.findall(r"CPU_FAULT_(\w+) = (\d+)", text)}
    assert frame.FAULTS.items() <= kinds.items()
    assert int(re.search(r"define CPU_KERNEL_ABI (\d+)", text)[1]) == frame.ABI == runtime.ABI
