# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A profiled launch: its counts and metrics."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from cuda.cpu.profile.metrics import find
from cuda.cpu.profile.occupancy import DEFAULT, Occupancy, occupancy_of
from cuda.cpu.profile.results import LaunchResults

if TYPE_CHECKING:
    from cuda.cpu.counters.layout import Layout
    from cuda.cpu.runtime._runtime import LaunchCounts


class LaunchProfile(LaunchResults):
    """A launch of a profiled kernel.

    Attributes
    ----------
    number : int
        Position among the profiled launches, from 1, in the order in which they began.
    kernel : str
        The kernel's name in PTX.
    grid, block, cluster : tuple of int
        The configuration.
    shared_bytes : int
        Static and dynamic shared memory of a block.
    fault : str
        What ended the launch early ("illegal_address", ...), "" if it completed. The counts are then those of the
        blocks that had run, and a basic block counts as a whole.
    instructions : list of InstructionCounts
        All instructions of the kernel and of the functions that it calls, in the order of the text.
    """

    def __repr__(self) -> str:
        return f"<LaunchProfile {self.number} of {self.kernel!r}, grid {self.grid}, block {self.block}>"

    def metric(self, name: str) -> int | float:
        """Return the value of a metric (see `METRICS`).

        Raises
        ------
        KeyError
            There is no such metric; the message names similar ones.
        """
        return find(name).value(self)

    def occupancy(self, architecture: str = DEFAULT, registers: int | None = None) -> Occupancy:
        """Return the theoretical occupancy on a GPU, and what limits it.

        Parameters
        ----------
        architecture : str, optional
            Such as "sm_90".
        registers : int, optional
            Registers per thread; by default they are no limit, since PTX does not determine them.

        Raises
        ------
        ValueError
            `architecture` or `registers` is not possible.
        """
        return occupancy_of(self, architecture, registers)


def launches_of(completed: Iterable[tuple[Layout, LaunchCounts]], first: int = 1) -> list[LaunchProfile]:
    """Return launches with numbers from `first` on."""
    return [LaunchProfile(number, layout, counts) for number, (layout, counts) in enumerate(completed, first)]
