# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Host addresses of PTX addresses in each state space: ISA manual 5.1."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cuda.cpu.emit.llvm.values import Value, constant
from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.syntax import Address, Operand, Register, Symbol
from cuda.cpu.runtime.abi import number

if TYPE_CHECKING:
    from cuda.cpu.emit.simt.frame import Frame
    from cuda.cpu.ptx.instructions import Form


CLUSTER_STRIDE = number("CLUSTER_STRIDE")


def space_of(form: Form) -> str:
    """Return the state space that an instruction names, "generic" if none, "cluster" for .shared::cluster."""
    return space_name(getattr(form, "space", None))


def space_name(space: str | None) -> str:
    return "cluster" if space == "shared::cluster" else (space or "generic").partition("::")[0]


def local_start(frame: Frame) -> Value:
    """Return the address of each lane's local memory (i64)."""
    builder = frame.builder
    stride = builder.broadcast(frame.warp_field("local_stride", "i64"))
    base = builder.cast("ptrtoint", frame.warp_field("local", "ptr"), "i64")
    numbers = builder.lane_numbers("i64")
    if frame.group.first_lane is not None:
        numbers = builder.binary("add", numbers, builder.resize(frame.group.first_lane, "i64"))
    return builder.binary("add", builder.binary("mul", stride, numbers), base)


def shared_start(frame: Frame) -> Value:
    return frame.builder.cast("ptrtoint", frame.warp_field("shared", "ptr"), "i64")


def offset_in_space(frame: Frame, base: Operand | None, offset: int) -> Value:
    """Return base + offset as it stands in its state space, i32 or i64."""
    builder = frame.builder
    match base:
        case None:
            return constant(offset, "i64")
        case Symbol(name, inner):
            return frame.address_of(name, inner + offset)
        case Register(name):
            value = frame.get(name)
            return value if offset == 0 else builder.binary("add", value, constant(offset, value.element))
    raise PtxError(f"{base!r} is no address", frame.line)


def pointers(frame: Frame, address: Address, space: str, extra: int = 0) -> Value:
    """Return the host address of each lane's access (ptr)."""
    builder = frame.builder
    checked = frame.checked.get((address, space))
    if checked is not None:
        return builder.advance(checked, extra)
    if space == "shared":
        return _shared_pointers(frame, address, extra)
    if space == "cluster":
        return cluster_pointers(frame, offset_in_space(frame, address.base, address.offset + extra))
    offset = offset_in_space(frame, address.base, address.offset + extra)
    if space == "param" and offset.element == "i32":
        offset = parameter_address(frame, offset)
    offset = builder.resize(offset, "i64")
    if space == "local":
        offset = builder.binary("add", local_start(frame), offset)
    return builder.cast("inttoptr", offset, "ptr")


def split_shared_address(frame: Frame, address: Address, extra: int = 0) -> tuple[Value, Value]:
    """Return a host address for all lanes and each lane's 32-bit offset from it, which is to be sign-extended.

    PTX cuts addresses to the width of their space (manual, 6.4.1). Offsets are below 2 GiB.
    """
    builder = frame.builder
    base, displacement = frame.warp_field("shared", "ptr").ref, address.offset + extra
    offset = builder.resize(offset_in_space(frame, address.base, 0), "i32")
    return Value(builder.offset(base, displacement), "ptr"), offset


def _shared_pointers(frame: Frame, address: Address, extra: int) -> Value:
    base, offset = split_shared_address(frame, address, extra)
    return frame.builder.advance(base, offset)


def cluster_start(frame: Frame) -> Value:
    """Return what a .shared::cluster address of another block is counted from, see kernel_abi.h."""
    first = frame.builder.cast("ptrtoint", frame.warp_field("cluster_shared", "ptr"), "i64")
    return frame.builder.binary("sub", first, constant(CLUSTER_STRIDE, "i64"))


def cluster_pointers(frame: Frame, offset: Value) -> Value:
    """Return the host address of a .shared::cluster address: the block's own, or one that `mapa` made."""
    builder = frame.builder
    offset = builder.resize(offset, "i64")
    own = builder.compare("icmp ult", offset, constant(CLUSTER_STRIDE, "i64"))
    base = builder.select(own, shared_start(frame), cluster_start(frame))
    return builder.cast("inttoptr", builder.binary("add", base, offset), "ptr")


def advanced(frame: Frame, address: Value, count: Value) -> Value:
    """Return addresses that are so many bytes further on."""
    builder = frame.builder
    address = builder.binary("add", builder.cast("ptrtoint", address, "i64"), builder.resize(count, "i64"))
    return builder.cast("inttoptr", address, "ptr")


def space_start(frame: Frame, space: str) -> Value | None:
    """Return what is added to an address of the space to make it generic; None: nothing."""
    if space == "shared":
        return shared_start(frame)
    return local_start(frame) if space == "local" else None


def parameter_address(frame: Frame, value: Value) -> Value:
    """Return the address of a kernel's parameter by its lower half: to LLVM 24, these have 32 bits."""
    builder = frame.builder
    start = builder.cast("ptrtoint", frame.warp_field("params", "ptr"), "i64")
    distance = builder.binary("sub", builder.resize(value, "i32"), builder.resize(start, "i32"))
    return builder.binary("add", start, builder.resize(distance, "i64", signed=True))
