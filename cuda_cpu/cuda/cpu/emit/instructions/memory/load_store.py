# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Loads, stores and address conversion: ISA manual 9.7.9."""

from __future__ import annotations

from cuda.cpu.emit.access import (
    adjacent,
    adjacent_stores,
    affine,
    clamped,
    indexed,
    interleaved,
    patterns,
    strided,
    strong_vectors,
)
from cuda.cpu.emit.access.addresses import (
    CLUSTER_STRIDE,
    cluster_pointers,
    cluster_start,
    local_start,
    parameter_address,
    pointers,
    shared_start,
    space_of,
    space_start,
    split_shared_address,
)
from cuda.cpu.emit.access.gather_scatter import load, load_contiguous, store, store_contiguous
from cuda.cpu.emit.instructions.memory import masked_stores
from cuda.cpu.emit.instructions.memory.async_copies import clear
from cuda.cpu.emit.instructions.memory.mbarrier import complete_bytes
from cuda.cpu.emit.llvm.registry import emits
from cuda.cpu.emit.llvm.values import ELEMENTS, Value, constant, integer_of, width_of
from cuda.cpu.emit.simt.frame import Frame
from cuda.cpu.emit.simt.parameters import Storage
from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.instructions import Form
from cuda.cpu.ptx.syntax import Address, Instruction, Operand, Register, Symbol, Vector, elements_of

ORDERS = {
    None: "",
    "weak": "",
    "volatile": "monotonic",
    "relaxed": "monotonic",
    "acquire": "acquire",
    "release": "release",
}


# --- load and store -----------------------------------------------------------------------------------


def _is_strong_vector(operand: Operand, step: int) -> bool:
    """Return whether a strong access covers all elements of a vector at once."""
    return isinstance(operand, Vector) and 8 * step * len(operand.elements) <= strong_vectors.MOST_BITS


def is_parameter(address: Address, space: str) -> bool:
    """Return whether an address names a .param variable."""
    return space == "param" and isinstance(address.base, Symbol)


def _parameter(frame: Frame, address: Address, space: str) -> Storage | int | None:
    """Return a .param variable: SIMD groups, or the offset in the kernel's parameter buffer."""
    if space != "param" or not isinstance(address.base, Symbol):
        return None
    name, facts = address.base.name, frame.facts
    found = frame.variables.get(name) or facts.parameter_offsets.get(name)
    if found is None:
        raise PtxError(f"parameter {name!r} is not declared", frame.line)
    return found


def _parameter_offset(address: Address) -> int:
    """Return the offset in the .param variable that an address names."""
    return address.offset + _symbol(address).offset


def _symbol(address: Address) -> Symbol:
    assert isinstance(address.base, Symbol)
    return address.base


@emits("ld", "ldu")
def emit_load(frame: Frame, instruction: Instruction, form: Form) -> None:
    destination, address = instruction.operands[0], instruction.address(1)
    space, type_ = space_of(form), form.type
    element = integer_of(ELEMENTS[type_])
    order = ORDERS[getattr(form, "sem", None)]
    parameter = _parameter(frame, address, space)
    step = width_of(element) // 8
    strong = None
    if order and parameter is None and _is_strong_vector(destination, step):
        count = len(elements_of(destination))
        strong = strong_vectors.load(frame, pointers(frame, address, space), element, count, order)
    for position, target in enumerate(elements_of(destination)):
        if target is None:
            continue
        extra = position * step
        if strong:
            value = strong[position]
        elif isinstance(parameter, Storage):
            value = parameter.read(_parameter_offset(address) + extra, element, frame.line)
        elif parameter is not None:
            start = frame.warp_field("params", "ptr").ref
            offset = parameter + _parameter_offset(address) + extra
            value = frame.fixed_load(start, offset, element, step)
        else:
            value = _load_element(frame, instruction, form, position, element)
        if isinstance(target, Register):
            indexed.loaded(frame, target.name, value, signed=type_.startswith("s"))
            value = frame.builder.resize(value, frame.element_of(target.name), signed=type_.startswith("s"))
        frame.write(target, value)


def _load_element(frame: Frame, instruction: Instruction, form: Form, position: int, element: str) -> Value:
    """Load an element of a vector, or the only one, in the way that suits the lanes' addresses."""
    address, step = instruction.address(1), width_of(element) // 8
    order, extra = ORDERS[getattr(form, "sem", None)], position * step
    access = affine.contiguous_access(frame, instruction, form, address, extra, step)
    if access is not None:
        return load_contiguous(frame, access, element)
    found = None if order else interleaved.load(frame, instruction, form, position)
    found = patterns.load(frame, instruction, form) if found is None else found
    if found is not None:
        return found
    if not order:
        found = clamped.load(
            frame, instruction, form, position, element, lambda: _gather(frame, instruction, form, position, element)
        )
    return _gather(frame, instruction, form, position, element) if found is None else found


def _gather(frame: Frame, instruction: Instruction, form: Form, position: int, element: str) -> Value:
    """Load an element by a vector of addresses."""
    address, space, step = instruction.address(1), space_of(form), width_of(element) // 8
    order, extra = ORDERS[getattr(form, "sem", None)], position * step
    value = _load_lanes(frame, instruction, form, position)
    if value is None and (element, order) == ("i32", ""):
        lanes = strided.find(frame, Address(address.base, address.offset + extra), space)
        value = None if lanes is None else strided.load(frame, lanes, 1)[0]
    if value is None and (element, order) == ("i32", "") and space in ("global", "generic", "const"):
        value = indexed.gather(frame, address, extra)
    elif value is None and (order, space) == ("", "shared") and not frame.checked:
        value = indexed.gather_shared(frame, address, extra, element)
    return load(frame, pointers(frame, address, space, extra), element, order) if value is None else value


def _scatter(frame: Frame, address: Address, space: str, extra: int, value: Value, order: str) -> None:
    """Store an element by a vector of addresses."""
    found = None
    if (value.element, order) == ("i32", ""):
        lanes = strided.find(frame, Address(address.base, address.offset + extra), space)
        if lanes is not None:
            strided.store(frame, lanes, [value])
            return
    if not order and not frame.checked and width_of(value.element) <= 8 * indexed.WORD_BYTES:
        if space == "shared":
            base, offset = split_shared_address(frame, address, extra)
            found = base, indexed.Indexed(offset, signed=True)
        elif value.element == "i32" and space in ("global", "generic"):
            found = indexed.split(frame, address, extra)
    if found is None or not indexed.scatter(frame, *found, value):
        store(frame, pointers(frame, address, space, extra), value, order)


def _load_lanes(frame: Frame, instruction: Instruction, form: Form, position: int) -> Value | None:
    """Return an element of a combined load of adjacent elements, emitted at the first of them."""
    key = id(instruction), position
    if key not in frame.block.loaded:
        together = adjacent.find(frame, instruction, form, position)
        if not together:
            return None
        base = instruction.address(1).base
        values = adjacent.load_at(frame, Address(base, together[0][1]), space_of(form), len(together))
        if values is None:
            return None
        frame.block.loaded.update(zip((key for key, _ in together), values, strict=True))
    return frame.block.loaded[key]


@emits("st")
def emit_store(frame: Frame, instruction: Instruction, form: Form) -> None:
    if form.bulk:
        clear(frame, instruction, form)
        return
    address, source = instruction.address(0), instruction.operands[1]
    space, builder = space_of(form), frame.builder
    order = ORDERS[getattr(form, "sem", None)]
    element = integer_of(ELEMENTS[form.type])
    parameter = _parameter(frame, address, space)
    step = width_of(element) // 8
    strong = order and parameter is None and _is_strong_vector(source, step)
    if strong:
        elements = [builder.bits(frame.read(each, form.type)) for each in elements_of(source)]
        strong_vectors.store(frame, pointers(frame, address, space), elements, order)
    elif parameter is None and (
        _store_interleaved(frame, instruction, form)
        or patterns.store(frame, instruction, form)
        or _store_lanes(frame, instruction, form)
    ):
        return
    for position, each in enumerate(() if strong else elements_of(source)):
        value = builder.bits(frame.read(each, form.type))
        extra = position * step
        if parameter is None:
            access = affine.contiguous_access(frame, instruction, form, address, extra, step)
            if access is None:
                _scatter(frame, address, space, extra, value, order)
            elif masked_stores.is_worth_it(frame, access, element):
                masked_stores.store(frame, access, builder.broadcast(value))
            else:
                store_contiguous(frame, access, value if access.stride == 0 else builder.broadcast(value))
        elif isinstance(parameter, Storage):
            # Inactive lanes, which wait at another block or have returned a result, keep their value.
            results = [result.name for result in frame.facts.function.results]
            returned = len(frame.graph.blocks) > 1 and parameter.name in results
            lanes = frame.lanes() if frame.block.waiting or returned else None
            parameter.write(_parameter_offset(address) + extra, value, frame.line, lanes)
        else:
            raise PtxError(f"store to kernel parameter {_symbol(address).name!r}", frame.line)
    if form.mbarrier_complete_tx_bytes:  # st.async is performed synchronously
        complete_bytes(frame, instruction.address(2), form.space, step * len(elements_of(source)))


def _store_interleaved(frame: Frame, instruction: Instruction, form: Form) -> bool:
    """Store all elements by vectors, if that is possible; return whether it was."""
    stride = interleaved.stride_of(frame, instruction, form)
    if stride is None or form.mbarrier_complete_tx_bytes:
        return False
    return interleaved.store(frame, instruction, form, stride)


def _store_lanes(frame: Frame, instruction: Instruction, form: Form) -> bool:
    """Store two or four words for each lane at once, if that is possible; return whether it was."""
    address, values = instruction.address(0), elements_of(instruction.operands[1])
    order, plain = ORDERS[getattr(form, "sem", None)], not form.mbarrier_complete_tx_bytes
    if len(values) == 1 and adjacent_stores.store(frame, instruction, form):
        return True
    if order or integer_of(ELEMENTS[form.type]) != "i32" or len(values) not in (2, 4) or not plain:
        return False
    if not adjacent.is_possible(frame) or affine.contiguous_access(frame, instruction, form, address, 0, 4) is not None:
        return False
    words = [frame.builder.bits(frame.read(each, form.type)) for each in values]
    return adjacent.store_at(frame, address, space_of(form), words)


# --- address conversion -------------------------------------------------------------------------------


@emits("cvta")
def emit_cvta(frame: Frame, instruction: Instruction, form: Form) -> None:
    builder = frame.builder
    type_ = form.type
    value = frame.read(instruction.operands[1], type_)
    # Programs also use cvta.to.shared for addresses in another block, which are .shared::cluster.
    if space_of(form) == "cluster" or (form.to and space_of(form) == "shared" and frame.module.has_clusters):
        convert = _to_cluster if form.to else cluster_pointers
        value = builder.cast("ptrtoint", convert(frame, builder.resize(value, "i64")), "i64")
        frame.write(instruction.operands[0], builder.resize(value, ELEMENTS[type_]))
        return
    start = space_start(frame, space_of(form))
    if start is not None:
        value = builder.binary("sub" if form.to else "add", builder.resize(value, "i64"), start)
    elif space_of(form) == "param" and not form.to:
        value = parameter_address(frame, value)
    frame.write(instruction.operands[0], builder.resize(value, ELEMENTS[type_]))


def _to_cluster(frame: Frame, address: Value) -> Value:
    """Return a generic address as one of .shared::cluster."""
    builder = frame.builder
    offset = builder.binary("sub", address, shared_start(frame))
    own = builder.compare("icmp ult", offset, constant(CLUSTER_STRIDE, "i64"))
    offset = builder.select(own, offset, builder.binary("sub", address, cluster_start(frame)))
    return builder.cast("inttoptr", offset, "ptr")


@emits("isspacep")
def emit_isspacep(frame: Frame, instruction: Instruction, form: Form) -> None:
    builder, space = frame.builder, space_of(form)
    address = frame.read(instruction.operands[1], "u64")

    def within_cluster() -> Value:
        distance = builder.binary("sub", address, cluster_start(frame))
        rank = builder.binary("lshr", distance, constant(CLUSTER_STRIDE.bit_length() - 1, "i64"))
        exists = builder.compare("icmp ult", builder.binary("sub", rank, constant(1, "i64")), _cluster_blocks(frame))
        inside = builder.binary("and", distance, constant(CLUSTER_STRIDE - 1, "i64"))
        size = builder.resize(frame.warp_field("shared_size", "i32"), "i64")
        return builder.binary("and", exists, builder.compare("icmp ult", inside, size))

    def within(which: str) -> Value:
        size = frame.warp_field(*(("shared_size", "i32") if which == "shared" else ("local_stride", "i64")))
        start = shared_start(frame) if which == "shared" else local_start(frame)
        distance = builder.binary("sub", address, start)
        return builder.compare("icmp ult", distance, builder.resize(size, "i64"))

    if space in ("shared", "local"):
        result = within(space)
    elif space == "cluster":
        result = within_cluster()
    elif space == "global":
        result = builder.complement(builder.binary("or", within_cluster(), within("local")))
    else:
        result = constant(0, "i1")  # .const and .param variables lie in global memory here
    frame.write(instruction.operands[0], result)


def _cluster_blocks(frame: Frame) -> Value:
    builder = frame.builder
    x, y, z = (frame.warp_field("cluster_dim", "i32", extra) for extra in (0, 4, 8))
    return builder.resize(builder.binary("mul", builder.binary("mul", x, y), z), "i64")


# --- hints ------------------------------------------------------------------------------------------


@emits("prefetch", "prefetchu", "applypriority", "discard", "createpolicy")
def emit_hint(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Emit nothing for cache hints. The result of createpolicy is never read."""
    if form.opcode == "createpolicy":
        frame.write(instruction.operands[0], constant(0, "i64"))
