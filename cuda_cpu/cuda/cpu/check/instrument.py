# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Emit the checks of memory accesses and barriers: a call of the runtime before each instruction that has some.

The runtime replaces a wrong address by a valid one; the emitter of the instruction gets it from
`emit.access.addresses.pointers`. Most of this file turns what `accesses.py` yields into arguments of check_access.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable

from cuda.cpu.check import (
    BASES,
    FREE,
    FRESH,
    INITCHECK,
    MEMCHECK,
    ORDERS,
    RACECHECK,
    READ,
    ROW,
    SIZED,
    SPACES,
    STEP,
    STRONG,
    SYNCCHECK,
    UNIFORM,
    VALUES,
    VARIABLE,
    WRITE,
    bounds,
)
from cuda.cpu.check.accesses import ACCESSES, Access
from cuda.cpu.check.arguments import MOST_ELEMENTS, NULL, site, site_number, stored, stored_bases, stored_rows
from cuda.cpu.check.barriers import (
    meet,
    report_barrier,
    report_bypassed,
    report_missed,
    report_stranded,
    report_warp_sync,
)
from cuda.cpu.check.unraced import unraced
from cuda.cpu.check.variables import Origins, source_name
from cuda.cpu.emit.access.addresses import advanced, pointers
from cuda.cpu.emit.llvm.slot import Slot
from cuda.cpu.emit.llvm.values import Shape, Value, constant
from cuda.cpu.emit.simt.frame import Frame
from cuda.cpu.emit.simt.function_facts import FunctionFacts
from cuda.cpu.emit.simt.instrumentation import Instrumentation
from cuda.cpu.passes.graph import Step
from cuda.cpu.passes.split_blocks import BARRIERS, COLLECTIVES
from cuda.cpu.ptx.instructions import Form
from cuda.cpu.ptx.syntax import Instruction

ROW_SIZES = (1, 2, 4, 8)  # of accesses that the runtime takes by rows; it finds reads of more by their addresses
SINGLY = 0  # in tests, ACCESS_SINGLY
ORIGINS: weakref.WeakKeyDictionary[FunctionFacts, Origins] = weakref.WeakKeyDictionary()


def surround(frame: Frame, step: Step, emit: Callable[[], None]) -> None:
    """Emit an instruction and its checks; where memcheck is enough, it calls the runtime in unusual cases only."""
    instruction, form = step.operation()
    accesses = list(ACCESSES.get(instruction.opcode, _none)(frame, instruction, form))
    checks = _needed(frame, step)
    if len(accesses) != 1 or not bounds.can_test(checks, accesses[0]):
        _before(frame, step, accesses, checks)
        emit()
        return
    (access,) = accesses
    pointer = pointers(frame, access.address, access.space)
    right = bounds.is_right(frame, access, pointer, _variable(frame, access), site_number(frame))
    frame.lanes()  # here, so that both branches may use them
    builder, results = frame.builder, [_result(frame, name) for name in step.writes]
    labels = [builder.new_label(stem) for stem in ("right", "doubtful", "accessed")]
    builder.branch(right, labels[0], labels[1], likely=True)
    for label, accesses_there in zip(labels, ([], accesses), strict=False):
        builder.label(label)
        with frame.aside():
            _before(frame, step, accesses_there, checks)
            emit()
            for name, result in zip(step.writes, results, strict=True):
                result.store(frame.get(name))
        frame.checked.clear()
        builder.jump(labels[2])
    builder.label(labels[2])
    for name, result in zip(step.writes, results, strict=True):
        frame.block.values[name] = result.load()


def _result(frame: Frame, register: str) -> Slot:
    shape = Shape.UNIFORM if frame.graph.is_uniform(register) else Shape.VECTOR
    return frame.builder.slot(frame.element_of(register), shape)


def _needed(frame: Frame, step: Step) -> int:
    """Return the checks of a step's accesses."""
    checks = frame.module.checks
    may_be_ordered = checks & RACECHECK and step.instruction.opcode in ("ld", "atom", "red")
    if may_be_ordered and unraced(frame.facts).is_ordered(step):
        return checks & ~RACECHECK
    return checks


def _before(frame: Frame, step: Step, accesses: list[Access], checks: int) -> None:
    instruction, form = step.operation()
    if instruction.opcode == "wmma" and frame.module.checks & RACECHECK:
        meet(frame)
    for access in accesses:
        if not _check_rows(frame, access, checks):
            _check(frame, access, checks)
    if (instruction.opcode in COLLECTIVES and "sync" in form.modifiers) or "warp" in form.modifiers:
        report_warp_sync(frame, instruction, form)
    if instruction.opcode in BARRIERS and "warp" not in form.modifiers:
        report_barrier(frame, instruction, form)
    if frame.module.checks & RACECHECK and (order := _order(instruction, form)) is not None:
        what, count = order
        frame.service("check_order", frame.mask, constant(ORDERS[what], "i32"), constant(count, "i32"))


def _none(frame: Frame, instruction: Instruction, form: Form) -> tuple[Access, ...]:
    return ()


def _order(instruction: Instruction, form: Form) -> tuple[str, int] | None:
    """Return what an instruction orders (enum cpu_order), and how many groups of copies may still be under way."""
    modifiers = form.modifiers
    if instruction.opcode in ("membar", "fence"):
        return ("fence_block" if "cta" in modifiers else "fence"), 0
    if instruction.opcode != "cp" or instruction.operands[1:] or "mbarrier" in modifiers:
        return None
    bulk = "_bulk" if "bulk" in modifiers else ""
    if "commit_group" in modifiers:
        return f"commit{bulk}", 0
    if "wait_all" in modifiers:
        return "wait_all", 0
    if "wait_group" in modifiers:
        return f"wait{bulk}{'_read' if 'read' in modifiers else ''}", instruction.immediate(0)
    return None


def _check_rows(frame: Frame, access: Access, checks: int) -> bool:
    """Check an access by rows of lanes, which a shorter function of the runtime records in the usual case."""
    is_plain = access.kind in (READ, WRITE) and access.size in ROW_SIZES
    if checks & ~SYNCCHECK != RACECHECK or not is_plain or SINGLY:
        return False
    bases = bounds.bases_of(frame, access)
    if not bases:
        return False
    assert isinstance(access.size, int)
    what = SPACES[access.space] | checks << 4 | access.kind | (access.size.bit_length() - 1) << STEP
    what |= ROW if len(bases) == 1 else 0
    builder = frame.builder
    found = frame.query("check_rows", "i32", frame.mask, site(frame), constant(what, "i32"), bases[0], bases[-1])
    others, after = builder.new_label("others"), builder.new_label("recorded")
    builder.branch(builder.is_zero(found), others, after, likely=False)
    builder.label(others)
    with frame.aside():
        _check(frame, access, checks)
    builder.jump(after)
    builder.label(after)
    return True


def _check(frame: Frame, access: Access, checks: int) -> None:
    builder = frame.builder
    if not checks or (checks == SYNCCHECK and not (access.mbarrier or access.kind & STRONG)):
        return
    has_bases = not checks & (MEMCHECK | INITCHECK) and not access.kind & STRONG and access.size in ROW_SIZES
    bases = bounds.bases_of(frame, access) if has_bases else []
    pointer = pointers(frame, access.address, access.space)
    if access.skipped is not None:
        pointer = advanced(frame, pointer, access.skipped)
    what = SPACES[access.space] | checks << 4 | access.kind | SINGLY
    rows: tuple[Value, ...] = ()
    size = access.size
    if isinstance(size, Value):
        rows, what, size = (size,), what | SIZED, 0
    elif access.values and checks & RACECHECK:
        step = (size // len(access.values)).bit_length() - 1
        rows, what = access.values, what | VALUES | step << STEP
    what |= access.mbarrier
    if access.mbarrier and checks & SYNCCHECK:
        rows = access.operands
    variable = _variable(frame, access)
    what |= VARIABLE if variable else 0
    values = _operands(frame, variable, rows)
    what |= UNIFORM if pointer.uniform else ROW if bounds.is_row(frame, access) else 0
    if bases:
        what |= BASES
        buffer = stored_bases(frame, bases)
    else:
        buffer = stored(frame, builder.cast("ptrtoint", pointer, "i64"))
    lanes = frame.mask
    if access.lanes != -1:
        lanes = builder.binary("and", lanes, access.lanes)
    frame.service("check_access", lanes, site(frame), constant(what, "i32"), constant(size, "i32"), buffer, values)
    if not checks & MEMCHECK:
        return  # the others replace no address
    shape = Shape.UNIFORM if pointer.uniform else Shape.VECTOR
    found = builder.load("i64", buffer.ref, shape=shape, align=8 if pointer.uniform else 64)
    if access.skipped is not None:
        found = builder.binary("sub", found, builder.resize(access.skipped, "i64"))
    frame.checked[access.address, access.space] = builder.cast("inttoptr", found, "ptr")


def _variable(frame: Frame, access: Access) -> tuple[Value, ...] | None:
    """Return struct cpu_variable for the variable that an address is computed from; None: it is not known."""
    if not frame.module.checks & MEMCHECK or access.space not in ("shared", "local", "generic", "global"):
        return None
    if pointers := unraced(frame.facts).pointers_of(access.address):
        return _pointers(frame, pointers)
    if access.space == "global":
        return None
    if (origins := ORIGINS.get(frame.facts)) is None:
        program, function = frame.facts.program, frame.facts.function
        shared = {name: program.variables[name] for name in program.shared if name in program.variables}
        local = {each.name: each for each in function.variables.values() if each.space in ("local", "shared")}
        origins = ORIGINS[frame.facts] = Origins(frame.graph, shared | local)
    found = origins.of(access.address)
    if found is None:
        return None
    variable, start, end = found
    text = source_name(variable.name)[:63].replace("%", "_")
    name = f"@variable.{text}"
    frame.module.constant(name, f"[{len(text) + 1} x i8]", f'c"{text}\\00"')
    offset = frame.address_of(variable.name, start)
    size, space = constant(end - start, "i64"), constant(SPACES[variable.space], "i64")
    return offset, size, space, Value(name, "ptr", literal=True)


def _pointers(frame: Frame, offsets: tuple[int, ...]) -> tuple[Value, ...]:
    """Return struct cpu_variable for an address that is computed from some parameters."""
    name = f"@pointers.{'.'.join(map(str, offsets))}"
    frame.module.constant(name, f"[{len(offsets)} x i32]", f"[{', '.join(f'i32 {each}' for each in offsets)}]")
    count, space = constant(len(offsets), "i64"), constant(SPACES["global"], "i64")
    return constant(0, "i64"), count, space, Value(name, "ptr", literal=True)


def _operands(frame: Frame, variable: tuple[Value, ...] | None, rows: tuple[Value, ...]) -> Value:
    """Store what check_access gets in `values`: if the variable is known, it has the first row."""
    if variable is None:
        return stored_rows(frame, MOST_ELEMENTS, rows) if rows else NULL
    if not rows and all(each.literal for each in variable):
        text = ", ".join(frame.builder.typed(each) for each in variable)
        name = f"@within.{'.'.join(each.ref.removeprefix('@') for each in variable)}"
        frame.module.constant(name, "{ i64, i64, i64, ptr }", f"{{ {text} }}")
        return Value(name, "ptr", literal=True)
    buffer = stored_rows(frame, MOST_ELEMENTS + 1, (constant(0, "i64"), *rows))
    for number, each in enumerate(variable):
        frame.builder.store(each, frame.builder.offset(buffer.ref, 8 * number), align=8)
    return buffer


def allocated(frame: Frame, size: Value) -> None:
    """Report that local memory of the lanes was allocated, which ends at `local_top`."""
    if not frame.module.checks & INITCHECK:
        return
    what = SPACES["local"] | INITCHECK << 4 | FRESH
    lanes, size = constant(-1, frame.builder.mask_type), frame.builder.resize(size, "i32")
    frame.service("check_access", lanes, site(frame), constant(what, "i32"), size, NULL, NULL)


def reading(frame: Frame, pointer: Value, size: int) -> Value:
    """Check reads of shared memory by a descriptor; return the addresses that are right."""
    if not (checks := frame.module.checks & (MEMCHECK | INITCHECK)):
        return pointer
    what = SPACES["shared"] | checks << 4 | READ
    buffer = stored(frame, frame.builder.cast("ptrtoint", pointer, "i64"))
    frame.service("check_access", frame.mask, site(frame), constant(what, "i32"), constant(size, "i32"), buffer, NULL)
    found = frame.builder.load("i64", buffer.ref, shape=Shape.VECTOR, align=64)
    return frame.builder.cast("inttoptr", found, "ptr")


def copying(frame: Frame, what: int, operands: Value) -> None:
    """Check the bounds of a tensor copy."""
    if frame.module.checks & MEMCHECK:
        frame.service("check_bulk", frame.mask, site(frame), constant(what, "i32"), operands)


def freeing(frame: Frame, pointers: Value) -> None:
    """Check what is to be freed by free(), a row of addresses, in which the runtime replaces wrong ones by 0."""
    if frame.module.checks & MEMCHECK:
        what = constant(SPACES["global"] | MEMCHECK << 4 | FREE, "i32")
        frame.service("check_access", frame.mask, site(frame), what, constant(0, "i32"), pointers, NULL)


def report_written(frame: Frame) -> None:
    """Report the parameters through which the kernel writes global memory, if all of them are known."""
    if not frame.module.checks & RACECHECK or (offsets := unraced(frame.facts).parameters) is None:
        return
    name = "@written"
    text = ", ".join(f"i32 {offset}" for offset in (*offsets, 0))
    frame.module.constant(name, f"[{len(offsets) + 1} x i32]", f"[{text}]")
    frame.service("check_written", Value(name, "ptr", literal=True), constant(len(offsets), "i32"))


class Checks(Instrumentation):
    """Adds the checks that a kernel is compiled with."""

    keeps_addresses = True

    def __init__(self, checks: int):
        self.checks = checks
        self.replaces_addresses = bool(checks & MEMCHECK)
        self.has_converged = not checks & ~(MEMCHECK | RACECHECK)
        self.needs_fibers = bool(checks & ~(MEMCHECK | RACECHECK))
        self.tracks_barriers = bool(checks & SYNCCHECK)

    surround = staticmethod(surround)
    allocated = staticmethod(allocated)
    copying = staticmethod(copying)
    freeing = staticmethod(freeing)
    reading = staticmethod(reading)
    entered = staticmethod(report_written)
    report_missed = staticmethod(report_missed)
    report_stranded = staticmethod(report_stranded)
    report_bypassed = staticmethod(report_bypassed)
