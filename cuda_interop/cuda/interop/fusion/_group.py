# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A group of operations that become one kernel.

All of them are on one domain: rows of equally many columns, where the rows may have several axes. A value has an
element for each row and column, or one for each row (`per_row`), as the results of reductions do. In a group that
reduces its rows (`by_columns`), these have one for each column.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Literal:
    """A number in the source."""

    value: float | int | bool


@dataclass(frozen=True)
class Scalar:
    """A number that is a kernel argument, of type `long long` or `double`."""

    name: str
    type: str


@dataclass(frozen=True)
class Input:
    """A tensor that the kernel loads: its name, its type in memory, and how the domain's axes step through it.

    `rows` is "none" (the same elements for all rows), "stride" (one stride for all rows) or "axes" (a stride for each
    axis of the rows); `columns` is "none", "unit" (consecutive elements) or "stride". Strides are kernel arguments.
    """

    name: str
    memory_type: str
    rows: str
    columns: str


@dataclass(frozen=True)
class Value:
    """A result of an operation: an entry of `ELEMENTWISE` or `REDUCTIONS`, "cast", or "column" (the column's number).

    `type` is the type of the result; `operand_type` that to which the operands are converted first. `comment` is the
    line of the front-end's graph.
    """

    name: str
    operation: str
    operands: tuple[str | Literal, ...]
    type: str
    operand_type: str
    per_row: bool
    comment: str = ""


@dataclass(frozen=True)
class Output:
    """A value that the kernel stores, to a contiguous tensor."""

    value: str
    memory_type: str


@dataclass
class Group:
    """The operations of a kernel, in an order in which each follows its operands.

    If `flat`, all tensors are contiguous and of the domain's shape, or have one element: one thread per element.
    `row_axes` is the number of axes that the rows have. If `by_columns`, the outputs are reductions of all rows, and no
    other value is a reduction.
    """

    inputs: list[Input] = field(default_factory=list)
    scalars: list[Scalar] = field(default_factory=list)
    values: list[Value] = field(default_factory=list)
    outputs: list[Output] = field(default_factory=list)
    row_axes: int = 1
    flat: bool = False
    by_columns: bool = False
