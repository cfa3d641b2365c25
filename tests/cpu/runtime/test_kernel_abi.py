# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The offsets and constants that Python gets from the runtime's headers: all members, and the same struct layouts."""

import ctypes
import pathlib
import re

import pytest

pytest.importorskip("cuda.cpu.runtime._runtime", reason="the CPU device's runtime is not built")

from cuda.cpu.driver.array import tensor_map, texture
from cuda.cpu.ptx import device_runtime
from cuda.cpu.runtime import _runtime, abi
from cuda.cpu.runtime.kernel_abi import (
    FULL_RUN,
    HALF_ROW,
    HALF_RUN,
    PADDED_ROW,
    PADDED_RUN,
    QUARTER_ROW,
    QUARTER_RUN,
    WHOLE_RUN,
)

RUNTIME = pathlib.Path(__file__).parents[3] / "cuda_cpu/cuda/cpu/runtime"  # wheels have no headers

pytestmark = pytest.mark.cpu_only


def body(header: str, struct: str) -> str:
    """Return the text between the braces of a struct or enum, without comments."""
    text = re.sub(r"/\*.*?\*/", "", (RUNTIME / header).read_text(), flags=re.DOTALL)
    return re.search(rf"{struct} \{{(.*?)\n?\}};", text, re.DOTALL)[1]


def members(header: str, struct: str) -> list[str]:
    text = body(header, f"struct {struct}")
    return re.findall(r"\(\*(\w+)\)\(", text) or re.findall(r"\b(\w+)(?:\[[^;,]*)?[,;]", text)


def test_displacements_cover_every_member():
    assert list(abi.WARP) == members("exec/kernel_abi.h", "cpu_warp")
    assert list(abi.SERVICES) == members("exec/kernel_abi.h", "cpu_runtime")


@pytest.mark.parametrize(
    ("layout", "header", "struct"),
    [
        (texture.Layout, "texture/texture.h", "cpu_texture"),
        (texture.Level, "texture/texture.h", "cpu_level"),
        (tensor_map.Map, "texture/tensor.h", "cpu_tensor_map"),
    ],
)
def test_layouts_match_the_compiler(layout, header, struct):
    assert [name for name, *_ in layout._fields_] == members(header, struct)
    offsets = abi.numbers({"cpu_texture": "texture.", "cpu_level": "level.", "cpu_tensor_map": "map."}[struct])
    assert offsets == {name: getattr(layout, name).offset for name in offsets}


def test_a_tensor_map_has_the_size_of_cudas():
    assert ctypes.sizeof(tensor_map.Map) == 128


def test_every_function_of_the_device_runtime_has_a_number():
    assert list(abi.DEVICE_CALLS) == list(device_runtime.FUNCTIONS)
    assert sorted(abi.DEVICE_CALLS.values()) == list(range(len(device_runtime.FUNCTIONS)))


def test_every_finding_has_a_description():
    from cuda.cpu.check import report

    kinds = re.findall(r"CPU_FOUND_(\w+)", body("check/check.h", "enum cpu_finding_kind"))
    assert list(report.FOUND) == kinds
    assert set(report.KINDS) == set(report.FOUND.values())


@pytest.mark.parametrize(
    ("run", "blocks"),
    [
        (WHOLE_RUN, [(32, 1, 1), (32, 4, 1), (96, 2, 2)]),
        (FULL_RUN, [(1, 1, 1), (8, 1, 1), (12, 1, 1), (33, 1, 1)]),
        (HALF_RUN, [(48, 1, 2), (7, 5, 2), (1, 9, 1)]),
        (HALF_ROW, [(16, 16, 1), (16, 1, 2)]),
        (PADDED_RUN, [(33, 2, 1), (40, 1, 3), (9, 65, 1), (15, 1, 68)]),
        (PADDED_ROW, [(12, 12, 1), (15, 64, 1), (9, 2, 3)]),
        (QUARTER_RUN, [(24, 1, 3), (24, 2, 1)]),
        (QUARTER_ROW, [(8, 8, 1), (8, 1, 2), (8, 128, 1)]),
    ],
)
def test_which_code_a_block_runs(run, blocks):
    """Only rows that the runtime may pad have the code for them, which is slower in all other blocks."""
    assert [_runtime.lane_run(block) for block in blocks] == [run] * len(blocks)
