# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The builder of LLVM IR checks the types of operands when an instruction is made, not when LLVM reads the text."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cuda.cpu.emit.llvm.builder import Builder
from cuda.cpu.emit.llvm.entry import EntryBuilder
from cuda.cpu.emit.llvm.module import Module, Settings
from cuda.cpu.emit.llvm.values import Part, Shape, Value, constant

BIT, INT, LONG = Value("%bit", "i1"), Value("%int", "i32"), Value("%long", "i64")
INTS, BITS = Value("%ints", "i32", Shape.VECTOR), Value("%bits", "i1", Shape.VECTOR)


@pytest.fixture
def builder() -> Builder:
    return Builder(Module(Settings(width=8), ("k",), frozenset(), has_barriers=False, has_clusters=False))


WRONG: dict[str, Callable[[Builder], object]] = {
    "binary": lambda builder: builder.binary("add", INT, LONG),
    "compare": lambda builder: builder.compare("icmp eq", LONG, INT),
    "select": lambda builder: builder.select(BIT, INT, LONG),
    "select by a number": lambda builder: builder.select(INT, LONG, LONG),
    "branch on a number": lambda builder: builder.branch(INT, "a", "b"),
    "branch on a vector": lambda builder: builder.branch(BITS, "a", "b"),
    "switch on a vector": lambda builder: builder.switch(INTS, [(0, "a")], "b"),
    "store of another type": lambda builder: builder.slot("i32").store(LONG),
    "store of another shape": lambda builder: builder.slot("i32").store(INTS),
    "shuffle of two types": lambda builder: builder.shuffle(Part("%a", "i32", 4), [0], Part("%b", "i32", 8)),
    "a part in place of all lanes": lambda builder: builder.group(Part("%a", "i32", 4)),
    "a scalar in place of a vector": lambda builder: builder.part(INT),
    "a value in place of its name": lambda builder: builder.assign(f"add i32 {INT}, 1"),
}


@pytest.mark.parametrize("what", WRONG)
def test_operands_of_wrong_types_are_rejected(builder: Builder, what: str) -> None:
    with pytest.raises(TypeError):
        WRONG[what](builder)
    assert not builder.lines


def test_numbers_are_constants_of_the_other_operand_s_type(builder: Builder) -> None:
    builder.binary("add", LONG, -1)
    builder.select(BIT, INT, 0)
    slot = builder.slot("i1")
    slot.store(1)
    assert builder.lines == [
        "  %t1 = add i64 %long, -1",
        "  %t2 = select i1 %bit, i32 %int, i32 0",
        f"  store i1 true, ptr {slot.pointer}",
    ]


def test_scalars_are_broadcast_where_they_meet_vectors(builder: Builder) -> None:
    assert builder.binary("add", INTS, constant(1, "i32")).shape is Shape.VECTOR
    assert builder.lines == ["  %t1 = add <8 x i32> %ints, splat (i32 1)"]


def test_fold_asks_for_each_value_when_it_is_needed(builder: Builder) -> None:
    builder.fold("or", (builder.binary("shl", INT, number) for number in range(3)))
    assert [line.split()[2] for line in builder.lines] == ["shl", "shl", "or", "shl", "or"]


def test_an_entry_builder_writes_each_instruction_once(builder: Builder) -> None:
    entry = EntryBuilder(builder)
    assert entry.binary("add", INT, 1) == entry.binary("add", INT, 1)
    assert entry.binary("add", INT, 2) != entry.binary("add", INT, 1)
    assert len(builder.allocas) == 2
    assert not builder.lines
