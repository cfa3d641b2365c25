# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Barrier spill: arrays of the registers that live from one region to another, an element per SIMD group.

What can be recomputed behind a barrier (`find_recomputed`) has none. Converged SIMD groups spill only the bases of
affine registers, any other ones their vectors, too. Registers that never live at once share an array: kernels with many
barriers would else have more of them than the first-level cache holds.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Hashable, Iterable

from cuda.cpu.emit.access import affine
from cuda.cpu.emit.llvm.slot import Slot
from cuda.cpu.emit.llvm.values import Shape, Value, width_of
from cuda.cpu.emit.simt import converged
from cuda.cpu.emit.simt.frame import Frame
from cuda.cpu.emit.simt.frame_state import Copy
from cuda.cpu.passes.find_regions import Region
from cuda.cpu.passes.graph import RETURN, Step

MOST_WARPS = 32


def most_groups(frame: Frame) -> int:
    """Return how many SIMD groups the arrays have room for."""
    return MOST_WARPS * (32 // frame.width)


class BarrierSpill:
    """The arrays of a kernel's SIMD groups.

    Parameters
    ----------
    at : Slot
        With the number of the current SIMD group.
    resumed : set of int
        The basic blocks at whose beginning SIMD groups are restored.
    """

    def __init__(self, frame: Frame, at: Slot, emit_step: Callable[..., None], resumed: set[int]):
        self.frame, self.graph, self.builder = frame, frame.graph, frame.builder
        self._at, self._emit_step = at, emit_step
        self.base: Slot | None = None  # the element of a block's first SIMD group, with block fusion
        self._arrays: dict[Hashable, str] = {}
        self._alive = [frame.graph.live_in[number] for number in sorted(resumed)]
        self._owners: dict[str, dict[str, int]] = {}  # by type and array: the registers in it
        self._recomputed, self._apart = frame.facts.recomputed
        self._in_arrays = ~self._bits(self._recomputed)

    # --- arrays -----------------------------------------------------------------------------------------

    def element(
        self, key: Hashable, element: str, shape: Shape = Shape.UNIFORM, *, number: Value | None = None
    ) -> Slot:
        """Return the SIMD group's element of an array; `number` is `self.number()`, where it is loaded already."""
        builder, type_ = self.builder, self.builder.type(element, shape)
        if key not in self._arrays:
            self._arrays[key] = self._shared(key[0], type_) if isinstance(key, tuple) else self._new(type_)
        return Slot(builder, builder.element(type_, self._arrays[key], number or self.number()), element, shape)

    def _new(self, type_: str) -> str:
        # One element more than there are SIMD groups, so that the arrays do not all start in the same cache set.
        return self.builder.alloca(f"[{most_groups(self.frame) + 1} x {type_}]", 64)

    def _shared(self, name: str, type_: str) -> str:
        """Return an array for a register, that of others if none of them lives where this one does."""
        own = self._bits([name])
        besides = functools.reduce(operator.or_, (alive for alive in self._alive if alive & own), own)
        owners = self._owners.setdefault(type_, {})
        free = (array for array, registers in owners.items() if not registers & besides)
        array = next(free, "") or self._new(type_)
        owners[array] = owners.get(array, 0) | own
        return array

    def number(self) -> Value:
        """Return the number of the SIMD group's elements."""
        number = self._at.load()
        return self.builder.binary("add", number, self.base.load()) if self.base else number

    def write(self, key: Hashable, element: str, value: Value | int) -> None:
        """Store the SIMD group's element."""
        self.element(key, element).store(value)

    def read(self, key: Hashable, element: str) -> Value:
        return self.element(key, element).load()

    def _slots_of(self, registers: int, *, bases_only: bool) -> list[tuple[Hashable, Slot]]:
        """Return key and slot of each part of some registers that is spilled; other keys are no tuples."""
        frame = self.frame
        result: list[tuple[Hashable, Slot]] = []
        for name in converged.names_of(frame, registers):
            has_bases = self.graph.has_base(name)
            if has_bases:
                for segment in affine.stored_segments(frame, name)[: 1 if name in self._apart else None]:
                    result.append(((name, segment), affine.base_slot(frame, name, segment)))
            if not has_bases or not bases_only:
                result.append(((name, None), frame.slot(name)))
        return result

    # --- at barriers --------------------------------------------------------------------------------------

    def save(self, region: Region, barrier: int) -> None:
        """Spill what lives behind the barrier that ends the region, of a converged SIMD group or any."""
        self.spill_live(region, self._live_behind(barrier))

    def spill_live(self, region: Region, live: int) -> None:
        """Spill the registers that live where the SIMD group will go on, as far as the region may have changed them."""
        live &= self._in_arrays
        changed = live & region.written
        if not self.frame.copy.converged:
            changed |= self._bits(converged.live_affine(self.frame, live))
        number = self.number()
        for key, slot in self._slots_of(changed, bases_only=self.frame.copy.converged):
            self._copy(self.element(key, slot.element, slot.shape, number=number), slot)

    def restore(self, region: Region, lanes: Value, *, is_converged: bool) -> None:
        """Reload a SIMD group, converged or any, behind the barrier that the region begins at."""
        self.reload(region, self._live_behind(region.barrier), lanes, is_converged=is_converged)

    def reload(self, region: Region, live: int, lanes: Value, *, is_converged: bool) -> None:
        """Reload a SIMD group where the registers `live` are needed."""
        self._recompute(region, live, lanes, is_converged=is_converged)
        live &= self._in_arrays
        wanted = live & region.used | self._bits(converged.live_affine(self.frame, live))
        number = self.number()
        for key, slot in self._slots_of(wanted, bases_only=is_converged):
            self._copy(slot, self.element(key, slot.element, slot.shape, number=number))

    def _copy(self, to: Slot, of: Slot) -> None:
        """Copy a register; in quick code a long one by `memcpy`: selecting its loads and stores takes LLVM longer."""
        size = 0 if to.shape is Shape.UNIFORM else width_of(to.element) * self.frame.width // 8
        if size < 64 or not self.frame.module.settings.quick:
            to.store(of.load())
            return
        name, ends = "llvm.memcpy.p0.p0.i64", [f"ptr align 16 {slot.pointer}" for slot in (to, of)]
        self.frame.module.declare(name, "void", ["ptr", "ptr", "i64", "i1"])
        self.builder.call(name, "void", *ends, f"i64 {size}", "i1 false")

    def _recompute(self, region: Region, live: int, lanes: Value, *, is_converged: bool) -> None:
        """Recompute the registers that have no arrays, and the distances between the segments of those that have."""
        frame, bits = self.frame, self.graph.register_bits
        steps: dict[int, Step] = {}
        for found, wanted in ((self._recomputed, live & region.used), (self._apart, live)):
            for name, needed in found.items():
                if wanted >> bits[name] & 1:
                    steps |= {id(step): step for step in needed}
        frame.begin_block(region.start, lanes, alone=True)
        with frame.emitting(Copy(is_converged, is_converged, is_converged)):
            for step in steps.values():
                self._emit_step(frame, step, bases=True)
        frame.block.values.clear()

    def _bits(self, names: Iterable[str]) -> int:
        return sum(1 << self.graph.register_bits[name] for name in names)

    def _live_behind(self, barrier: int) -> int:
        """Return the registers that live behind a barrier, without its own result."""
        block = self.graph.blocks[barrier]
        if not block.end.targets or block.end.targets[0] == RETURN:
            return 0
        return self.graph.live_in[block.end.targets[0]] & ~self._bits(block.steps[0].writes)
