# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Theoretical occupancy: the share of an SM's warps that blocks of a launch can fill, and what limits it."""

from __future__ import annotations

import re
from math import prod
from typing import NamedTuple

from cuda.cpu.driver.code.occupancy import GRANULARITY
from cuda.cpu.driver.device import device_attribute
from cuda.cpu.profile.results import LaunchResults

WARP = 32
REGISTERS = 65536  # of an SM
REGISTER_UNIT = 256  # in which registers are given to a warp
DEFAULT = "sm_90"


class Occupancy(NamedTuple):
    blocks: int  # that an SM holds at once
    warps: int  # of these
    share: float  # of the warps that an SM can hold, from 0 to 1
    limiter: str  # warps, blocks, shared memory or registers


def limits_of(architecture: str) -> tuple[tuple[int, int], int, int, int]:
    """Return the capability of an architecture, its KiB of shared memory, threads and blocks of an SM.

    Raises
    ------
    ValueError
        There is no such architecture.
    """
    found = re.fullmatch(r"sm_(\d+)(\d)[af]?", architecture)
    if not found or (int(found[1]), int(found[2])) < min(device_attribute.ARCHITECTURE):
        least = "".join(map(str, min(device_attribute.ARCHITECTURE)))
        raise ValueError(f"architecture is {architecture!r}; it must be sm_{least} or newer, such as {DEFAULT!r}")
    capability = int(found[1]), int(found[2])
    shared, _, threads, blocks = device_attribute.architecture(capability)
    return capability, shared, threads, blocks


def occupancy_of(launch: LaunchResults, architecture: str = DEFAULT, registers: int | None = None) -> Occupancy:
    """Return the theoretical occupancy of a launch.

    Parameters
    ----------
    architecture : str
        Such as "sm_90". Of one that is not known, the limits of the next older one are taken.
    registers : int, optional
        Registers per thread, which only the compiler to machine code decides; by default they are no limit.

    Raises
    ------
    ValueError
        `architecture` is not of that form, or `registers` is not between 1 and 255.
    """
    if registers is not None and not 0 < registers <= 255:
        raise ValueError(f"registers is {registers}; a thread has 1 to 255")
    capability, shared_per_sm, threads, most_blocks = limits_of(architecture)
    warps = -(-prod(launch.block) // WARP)
    shared = -(-launch.shared_bytes // GRANULARITY) * GRANULARITY + device_attribute.reserved_shared(capability)
    limits = {"warps": threads // WARP // warps, "blocks": most_blocks}
    if shared:
        limits["shared memory"] = (shared_per_sm << 10) // shared
    if registers is not None:
        of_warp = -(-registers * WARP // REGISTER_UNIT) * REGISTER_UNIT
        limits["registers"] = REGISTERS // of_warp // warps
    limiter = min(limits, key=lambda name: limits[name])
    blocks = limits[limiter]
    return Occupancy(blocks, blocks * warps, blocks * warps * WARP / threads, limiter)
