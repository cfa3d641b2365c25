# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Types of Tile IR (specification 13.4, chapter 6, "Type System")."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

DYNAMIC = -(1 << 63)  # a size or stride that is known at run time only
MOST_ELEMENTS = 1 << 24  # of a tile
PADDINGS = ("zero", "neg_zero", "nan", "pos_inf", "neg_inf")


@dataclass(frozen=True, slots=True)
class Scalar:
    """An element type: `kind` is "i" (integer) or "f" (floating point)."""

    name: str
    kind: str
    bits: int

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Pointer:
    pointee: Scalar

    def __str__(self) -> str:
        return f"ptr<{self.pointee}>"


@dataclass(frozen=True, slots=True)
class Tile:
    """A value: an array with a static shape, whose sizes are powers of two."""

    element: Scalar | Pointer
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        return prod(self.shape)

    def __str__(self) -> str:
        return f"tile<{''.join(f'{size}x' for size in self.shape)}{self.element}>"


@dataclass(frozen=True, slots=True)
class TensorView:
    """An array in memory; DYNAMIC sizes and strides are operands of make_tensor_view."""

    element: Scalar
    shape: tuple[int, ...]
    strides: tuple[int, ...]

    def __str__(self) -> str:
        sizes = "".join(f"{_shown(size)}x" for size in self.shape)
        return f"tensor_view<{sizes}{self.element}, strides=[{', '.join(map(_shown, self.strides))}]>"


@dataclass(frozen=True, slots=True)
class PartitionView:
    """A grid of tiles over an array: a partition_view, a strided_view or a gather_scatter_view.

    `dim_map` has the array's dimension for each dimension of a tile, `steps` the elements from tile to tile.
    Along `sparse` (-1: none), each index of a tile has an index of its own.
    """

    tile_shape: tuple[int, ...]
    tensor: TensorView
    dim_map: tuple[int, ...]
    padding: str | None
    steps: tuple[int, ...]
    sparse: int = -1
    name: str = "partition_view"

    def __str__(self) -> str:
        padding = f", padding_value={self.padding}" if self.padding else ""
        steps = f", traversal_strides={list(self.steps)}" if self.steps != self.tile_shape else ""
        sparse = f", sparse_dim={self.sparse}" if self.sparse >= 0 else ""
        shape = "x".join(map(str, self.tile_shape))
        return f"{self.name}<tile=({shape}){steps}, {self.tensor}, dim_map={list(self.dim_map)}{sparse}{padding}>"


@dataclass(frozen=True, slots=True)
class Token:
    def __str__(self) -> str:
        return "token"


@dataclass(frozen=True, slots=True)
class FunctionType:
    inputs: tuple[Type, ...]
    results: tuple[Type, ...]

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.inputs))}) -> ({', '.join(map(str, self.results))})"


Type = Scalar | Pointer | Tile | TensorView | PartitionView | Token | FunctionType

# By the tags of the binary format (section 5.4, "Type Section").
SCALARS = {
    0: Scalar("i1", "i", 1), 1: Scalar("i8", "i", 8), 2: Scalar("i16", "i", 16), 3: Scalar("i32", "i", 32),
    4: Scalar("i64", "i", 64), 5: Scalar("f16", "f", 16), 6: Scalar("bf16", "f", 16), 7: Scalar("f32", "f", 32),
    8: Scalar("tf32", "f", 32), 9: Scalar("f64", "f", 64), 10: Scalar("f8E4M3FN", "f", 8),
    11: Scalar("f8E5M2", "f", 8), 18: Scalar("f8E8M0FNU", "f", 8), 19: Scalar("f4E2M1FN", "f", 4),
    22: Scalar("i4", "i", 4),
}  # fmt: skip
BY_NAME = {each.name: each for each in SCALARS.values()}


def _shown(size: int) -> str:
    return "?" if size == DYNAMIC else str(size)
