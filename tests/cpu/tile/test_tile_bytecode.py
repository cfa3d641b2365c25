# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The reader and verifier of Tile IR: samples made by cuTile 1.7, damaged ones, and ones of our own writer."""

import contextlib
import pathlib
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.tile_writer import DYNAMIC, TOKEN, Kernel, partition_view, pointer, tensor_view, tile
from support.tileiras import bytecode as sections

from cuda.cpu.tile import bytecode, text, verify
from cuda.cpu.tile.arithmetic import EMITTERS
from cuda.cpu.tile.error import TileError, UnsupportedTileError
from cuda.cpu.tile.kernel import HANDLERS
from cuda.cpu.tile.operations import BY_OPCODE, ROWS
from cuda.cpu.tile.verify import RULES

pytestmark = pytest.mark.cpu_only

# Of the kernels in tests/interop/cutile_kernels.py, by CUDA_TILE_DUMP_BYTECODE, and one with loops and functions.
SAMPLES = {
    path.stem: path.read_bytes() for path in sorted(pathlib.Path(__file__).with_name("samples").glob("*.tileirbc"))
}


def read(data):
    module = bytecode.read(data)
    verify.verify(module)
    return module


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_are_read(name):
    module = read(SAMPLES[name])
    assert module.version == (13, 4)
    (function,) = module.functions.values()
    assert function.entry
    assert function.name.startswith(name)
    operations = list(function.body.walk())
    assert operations[-1].name == "return"
    # The first locations and the last ones are in the kernel.
    lines = [each.location.line for each in operations if each.location is not None]
    assert len(lines) > 0.9 * len(operations)
    assert max(lines) - min(lines) < 25
    assert all(each.location.file.endswith("_kernels.py") for each in operations if each.location is not None)


def test_text():
    shown = "\n".join(text.lines_of(read(SAMPLES["multiply"])))
    for part in ("mmaf %", "tensor_view<?x?xf16, strides=[?, 1]>", "cutile_kernels.py:80"):
        assert part in shown
    assert shown.count("= for %") == 1


def test_explain_prints_it(tmp_path):
    file = tmp_path / "kernel.tileirbc"
    file.write_bytes(SAMPLES["add"])
    command = [sys.executable, "-m", "cuda.cpu", "explain", str(file)]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert all(part in shown for part in ("## Tile IR", "load_view_tko", "addf"))


@pytest.mark.parametrize("name", ["attend", "notma"])
def test_truncated_bytecode_is_rejected(name):
    data = SAMPLES[name]
    for size in range(len(data)):
        with pytest.raises(TileError):
            read(data[:size])


@settings(max_examples=600)
@given(name=st.sampled_from(sorted(SAMPLES)), changes=st.lists(st.tuples(st.integers(0, 4000), st.integers(0, 255)),
                                                              min_size=1, max_size=4))  # fmt: skip
@example(name="sum_up", changes=[(211, 0)])  # a store without the token that is its result
def test_damaged_bytecode_is_read_or_rejected(name, changes):
    """Nothing but a TileError may come out."""
    data = bytearray(SAMPLES[name])
    for at, value in changes:
        data[at % len(data)] = value
    with contextlib.suppress(TileError):
        list(text.lines_of(read(bytes(data))))


@settings(max_examples=200)
@given(st.binary(max_size=300))
def test_foreign_bytes_are_rejected(content):
    with pytest.raises(TileError):
        read(b"\x7fTileIR\0\x0d\4\0\0" + content)


def test_unknown_versions_are_rejected_by_name():
    with pytest.raises(UnsupportedTileError, match=r"at byte 8: version 13\.9 is not supported; 13\.1, .*, 13\.5 are"):
        read(b"\x7fTileIR\0\x0d\x09\0\0\0")
    with pytest.raises(TileError, match="does not begin with its magic number"):
        read(b"\x7fELF")


def test_unknown_operations_are_rejected_by_opcode():
    kernel = Kernel()
    kernel.code += b"\xff\x01"
    with pytest.raises(UnsupportedTileError, match=r"at byte \d+: there is no operation with opcode 0xff"):
        read(kernel.bytecode())


def test_missing_sections_are_named():
    with pytest.raises(TileError, match="there is no section of strings"):
        read(sections((5, b"\0\0\0\0")).replace(b"\x0d\5", b"\x0d\4"))


F32, VIEW = tile("f32", 8), tensor_view("f32", (8,), (1,))
WRONG = {
    "addf: the types differ": lambda k, x: k.op("addf", [x, k.constant([1.0] * 8)], [F32], rounding="zero"),
    "addi: it has elements of type f32": lambda k, x: k.op("addi", [x, x], [F32]),
    "reshape: tile<8xf32> to tile<4xf32>": lambda k, x: k.op("reshape", [x], [tile("f32", 4)]),
    "broadcast: tile<8xf32> to tile<16xf32>": lambda k, x: k.op("broadcast", [x], [tile("f32", 16)]),
    "permute: ": lambda k, x: k.op("permute", [x], [F32], permutation=(1,)),
    "cmpf: its result is": lambda k, x: k.op("cmpf", [x, x], [F32], predicate="equal", ordering="ordered"),
    "exti: tile<8xf32> to tile<8xi64>": lambda k, x: k.op("exti", [x], [tile("i64", 8)], signedness="signed"),
    "mmaf: ": lambda k, x: k.op("mmaf", [x, x, x], [F32]),
    "reduce: there is no dimension 3": lambda k, x: k.op(
        "reduce", [[x]], [tile("f32")], [((), lambda: k.op("yield", [[]]))], dim=3, identities=[]
    ),
    "continue: it is not at the end": lambda k, x: k.op("continue", [[]]),
    "if: its condition is": lambda k, x: k.op("if", [x], [], [((), lambda: k.op("yield", [[]]))]),
    "make_tensor_view: its base is": lambda k, x: k.op("make_tensor_view", [x, [], []], [VIEW]),
    "load_ptr_tko: its pointers are": lambda k, x: k.op("load_ptr_tko", [x], [F32, TOKEN]),
    "yield: ": lambda k, x: k.op("yield", [[]]),
}  # fmt: skip


@pytest.mark.parametrize("message", WRONG)
def test_wrong_operations_are_named_with_their_byte(message):
    kernel = Kernel()
    value = kernel.op("bitcast", [kernel.op("iota", [], [tile("i32", 8)])], [F32])
    WRONG[message](kernel, value)
    with pytest.raises(TileError) as caught:
        read(kernel.bytecode())
    assert f": {message}" in str(caught.value)
    assert caught.value.offset > 0


@pytest.mark.parametrize("version", [(13, 1), (13, 2), (13, 3), (13, 4), (13, 5)])
def test_versions(version):
    kernel = Kernel(pointer("f32"), tile("i32"), version=version)
    base, size = kernel.values
    view = kernel.op("make_tensor_view", [base, [size], []], [tensor_view("f32", (DYNAMIC,), (1,))])
    parts = kernel.op("make_partition_view", [view], [partition_view(view.kind, (8,), padding=2)])
    zero = kernel.constant(np.int32(0))
    value, _ = kernel.op("load_view_tko", [parts, [zero]], [F32, TOKEN], semantics="weak", in_bounds=(0,))
    kernel.op("exp", [value], [F32], rounding="full")
    kernel.op("negi", [size], [tile("i32")], overflow="none")
    kernel.op("for", [zero, size, size, []], [], [((tile("i32"),), lambda i: kernel.op("continue", [[]]))])
    module = read(kernel.bytecode())
    names = [each.name for each in module.functions["kernel"].body.walk()]
    assert names[-5:] == ["exp", "negi", "for", "continue", "return"]
    assert "padding_value=nan" in str(module.functions["kernel"].body.operations[1].result.type)


def test_each_operation_has_a_rule_and_is_compiled():
    assert {row.name for row in ROWS} == set(RULES) == set(HANDLERS) | set(EMITTERS)
    assert len(BY_OPCODE) == len(ROWS)
