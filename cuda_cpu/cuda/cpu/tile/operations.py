# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The operations of Tile IR, one row each, with what the binary format says about them.

Opcodes, operands and attributes are those of BytecodeOpcodes.td and Ops.td in NVIDIA/cuda-tile (release 13.3), whose
encoding section 5.7 of the specification describes ("Operation Encoding"). Those of 13.4 are described in chapter 9 of
its version 13.4; NVIDIA's assembler accepts them as they are here.
"""

from __future__ import annotations

from typing import NamedTuple

ROUNDINGS = ("nearest_even", "zero", "negative_inf", "positive_inf", "approx", "full", "nearest_int_to_zero")
OVERFLOWS = ("none", "no_signed_wrap", "no_unsigned_wrap", "no_wrap")
SIGNEDNESS = ("unsigned", "signed")
PREDICATES = ("equal", "not_equal", "less_than", "less_than_or_equal", "greater_than", "greater_than_or_equal")
ORDERINGS = ("unordered", "ordered")
MODES = ("and", "or", "xor", "add", "addf", "max", "min", "umax", "umin", "xchg")
SCOPES = ("tl_blk", "device", "sys")
MEMORY_ORDERINGS = ("weak", "relaxed", "acquire", "release", "acq_rel")

# Encodings of attributes: a tuple is an enumeration, of which the number is stored.
KINDS: dict[str, tuple[str, ...] | str] = {
    "rounding": ROUNDINGS,
    "overflow": OVERFLOWS,
    "signed": SIGNEDNESS,
    "predicate": PREDICATES,
    "ordering": ORDERINGS,
    "mode": MODES,
    "scope": SCOPES,
    "semantics": MEMORY_ORDERINGS,
    "unit": "",  # present or not
    "integer": "varint",
    "string": "string",
    "bool": "byte",
    "integers": "i32 array",
    "bools": "byte array",
    "constant": "constant",
    "array": "array",
    "hints": "dictionary",
    "tagged": "tagged",
}


class Field(NamedTuple):
    """An attribute or operand of a row. `kind`: for an attribute a key of KINDS, for operands "", "?" or "*"."""

    name: str
    kind: str
    optional: bool = False
    since: tuple[int, int] = (13, 1)


class Row(NamedTuple):
    """One operation.

    `segments`: optional operands have a flag, and variadic ones a count each; without it, one count is stored for all
    operands if any is variadic. `results` is the number of results, or -1 if it is stored.
    """

    opcode: int
    name: str
    attributes: tuple[Field, ...]
    operands: tuple[Field, ...]
    results: int
    regions: int
    segments: bool
    since: tuple[int, int]
    terminator: bool

    @property
    def variadic(self) -> bool:
        return self.results < 0 or any(operand.kind == "*" for operand in self.operands)

    @property
    def flags(self) -> tuple[Field, ...]:
        """The fields that have a flag, by the number of its bit: older ones first, then attributes, then operands."""
        found = [field for field in self.attributes if field.optional]
        found += [field for field in self.operands if field.kind == "?"] if self.segments else []
        return tuple(sorted(found, key=lambda field: field.since))


def _attribute(text: str) -> Field:
    """Read "name:kind", "name:kind?" (optional) and "name:kind@13.3" (since a version)."""
    text, _, since = text.partition("@")
    name, _, kind = text.partition(":")
    optional = kind.endswith("?") or kind == "unit"
    version = tuple(map(int, since.split("."))) if since else (13, 1)
    return Field(name, kind.removesuffix("?"), optional, version)  # type: ignore[arg-type]


def _operand(text: str) -> Field:
    text, _, since = text.partition("@")
    name = text.rstrip("?*")
    version = tuple(map(int, since.split("."))) if since else (13, 1)
    return Field(name, text[len(name) :], text.endswith("?"), version)  # type: ignore[arg-type]


def _row(opcode: int, name: str, operands: str, attributes: str = "", *, results: int = 1, regions: int = 0,
         segments: bool = False, since: tuple[int, int] = (13, 1), terminator: bool = False) -> Row:  # fmt: skip
    return Row(
        opcode, name, tuple(map(_attribute, attributes.split())), tuple(map(_operand, operands.split())), results,
        regions, segments, since, terminator,
    )  # fmt: skip


_MEMORY = "semantics:semantics scope:scope"
_FLOAT = "rounding:rounding flush_to_zero:unit"
_LOAD = "semantics:semantics scope:scope? hints:hints?"
_VIEW = f"{_LOAD} in_bounds:bools@13.4"  # a flag for each dimension, seen in bytecode of cuTile 1.7

ROWS = (
    _row(0x00, "absf", "source"),
    _row(0x01, "absi", "source"),
    _row(0x02, "addf", "lhs rhs", _FLOAT),
    _row(0x03, "addi", "lhs rhs", "overflow:overflow"),
    _row(0x04, "andi", "lhs rhs"),
    _row(0x05, "assert", "condition", "message:string", results=0),
    _row(0x06, "assume", "value", "predicate:tagged"),
    _row(0x07, "atomic_cas_tko", "pointers cmp val mask? token?", _MEMORY, results=2, segments=True),
    _row(0x08, "atomic_rmw_tko", "pointers arg mask? token?", f"{_MEMORY} mode:mode", results=2, segments=True),
    _row(0x09, "bitcast", "source"),
    _row(0x0A, "break", "operands*", results=0, terminator=True),
    _row(0x0B, "broadcast", "source"),
    _row(0x0C, "cat", "lhs rhs", "dim:integer"),
    _row(0x0D, "ceil", "source"),
    _row(0x0E, "cmpf", "lhs rhs", "predicate:predicate ordering:ordering"),
    _row(0x0F, "cmpi", "lhs rhs", "predicate:predicate signedness:signed"),
    _row(0x10, "constant", "", "value:constant"),
    _row(0x11, "continue", "operands*", results=0, terminator=True),
    _row(0x12, "cos", "source"),
    _row(0x13, "cosh", "source"),
    _row(0x14, "divf", "lhs rhs", _FLOAT),
    _row(0x15, "divi", "lhs rhs", "signedness:signed rounding:rounding"),
    _row(0x17, "exp", "source", "rounding:rounding@13.3"),
    _row(0x18, "exp2", "source", "flush_to_zero:unit"),
    _row(0x25, "exti", "source", "signedness:signed"),
    _row(0x26, "extract", "source indices*"),
    _row(0x27, "floor", "source"),
    _row(0x28, "fma", "lhs rhs acc", _FLOAT),
    _row(0x29, "for", "lower upper step initial*", "unsigned:unit@13.2", results=-1, regions=1),
    _row(0x2A, "ftof", "source", "rounding:rounding"),
    _row(0x2B, "ftoi", "source", "signedness:signed rounding:rounding saturate:unit@13.4"),
    _row(0x2C, "get_global", "", "symbol:string"),
    _row(0x2D, "get_index_space_shape", "source", results=-1),
    _row(0x2E, "get_num_tile_blocks", "", results=3),
    _row(0x2F, "get_tensor_shape", "source", results=-1),
    _row(0x30, "get_tile_block_id", "", results=3),
    _row(0x32, "if", "condition", results=-1, regions=2),
    _row(0x33, "int_to_ptr", "source"),
    _row(0x3A, "iota", ""),
    _row(0x3B, "itof", "source", "signedness:signed rounding:rounding"),
    _row(0x3C, "join_tokens", "tokens*"),
    _row(0x3D, "load_ptr_tko", "source mask? padding? token?", _LOAD, results=2, segments=True),
    _row(0x3E, "load_view_tko", "view index* token?", _VIEW, results=2, segments=True),
    _row(0x3F, "log", "source"),
    _row(0x40, "log2", "source"),
    _row(0x41, "loop", "initial*", results=-1, regions=1),
    _row(0x42, "make_partition_view", "tensor"),
    _row(0x43, "make_tensor_view", "base shape* strides*", segments=True),
    _row(0x44, "make_token", ""),
    _row(0x45, "maxf", "lhs rhs", "propagate_nan:unit flush_to_zero:unit"),
    _row(0x46, "maxi", "lhs rhs", "signedness:signed"),
    _row(0x47, "minf", "lhs rhs", "propagate_nan:unit flush_to_zero:unit"),
    _row(0x48, "mini", "lhs rhs", "signedness:signed"),
    _row(0x49, "mmaf", "lhs rhs acc", "fast_acc:unit@13.3"),
    _row(0x4A, "mmai", "lhs rhs acc", "signedness_lhs:signed signedness_rhs:signed"),
    _row(0x4C, "mulf", "lhs rhs", _FLOAT),
    _row(0x4D, "mulhii", "lhs rhs"),
    _row(0x4E, "muli", "lhs rhs", "overflow:overflow"),
    _row(0x4F, "negf", "source"),
    _row(0x50, "negi", "source", "overflow:overflow@13.2"),
    _row(0x51, "offset", "pointer offset"),
    _row(0x52, "ori", "lhs rhs"),
    _row(0x53, "permute", "source", "permutation:integers"),
    _row(0x54, "pow", "source exponent"),
    _row(0x55, "print_tko", "args* token?@13.2", "text:string", segments=True),
    _row(0x56, "ptr_to_int", "source"),
    _row(0x57, "ptr_to_ptr", "source"),
    _row(0x58, "reduce", "operands*", "dim:integer identities:array", results=-1, regions=1),
    _row(0x59, "remf", "lhs rhs"),
    _row(0x5A, "remi", "lhs rhs", "signedness:signed"),
    _row(0x5B, "reshape", "source"),
    _row(0x5C, "return", "operands*", results=0, terminator=True),
    _row(0x5D, "rsqrt", "source", "flush_to_zero:unit"),
    _row(0x5E, "scan", "operands*", "dim:integer reverse:bool identities:array", results=-1, regions=1),
    _row(0x5F, "select", "condition lhs rhs"),
    _row(0x60, "shli", "lhs rhs", "overflow:overflow"),
    _row(0x61, "shri", "lhs rhs", "signedness:signed"),
    _row(0x62, "sin", "source"),
    _row(0x63, "sinh", "source"),
    _row(0x64, "sqrt", "source", _FLOAT),
    _row(0x65, "store_ptr_tko", "pointers value mask? token?", _LOAD, segments=True),
    _row(0x66, "store_view_tko", "tile view index* token?", _VIEW, segments=True),
    _row(0x67, "subf", "lhs rhs", _FLOAT),
    _row(0x68, "subi", "lhs rhs", "overflow:overflow"),
    _row(0x69, "tan", "source"),
    _row(0x6A, "tanh", "source", "rounding:rounding@13.2"),
    _row(0x6B, "trunci", "source", "overflow:overflow"),
    _row(0x6C, "xori", "lhs rhs"),
    _row(0x6D, "yield", "operands*", results=0, terminator=True),
    _row(0x6E, "atan2", "lhs rhs", since=(13, 2)),
    _row(0x6F, "pack", "source", since=(13, 3)),
    _row(0x70, "unpack", "source", since=(13, 3)),
    _row(0x71, "alloca", "", "elements:integer alignment:integer global:unit", since=(13, 3)),
    _row(0x72, "mmaf_scaled", "lhs rhs acc lhs_scale rhs_scale", since=(13, 3)),
    _row(0x73, "make_gather_scatter_view", "tensor", since=(13, 3)),
    _row(0x74, "make_strided_view", "tensor", since=(13, 3)),
    _row(0x76, "insert", "source dest indices*", since=(13, 4)),
    _row(0x77, "gdc_launch_dependents_tko", "token?", segments=True, since=(13, 4)),
    _row(0x78, "gdc_wait_tko", "token?", segments=True, since=(13, 4)),
    _row(0x79, "fpowi", "source exponent", since=(13, 4)),
    _row(0x7A, "memory_fence_alias_tko", "token", since=(13, 4)),
    _row(0x75, "atomic_red_view_tko", "view index* value token?", f"{_MEMORY} mode:mode", segments=True, since=(13, 3)),
)  # fmt: skip
BY_OPCODE = {row.opcode: row for row in ROWS}
BY_NAME = {row.name: row for row in ROWS}
