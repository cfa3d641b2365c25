# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The version of PTX that clang writes, which must not depend on a CUDA toolkit of the machine."""

from __future__ import annotations

from cuda.core._program._clang._find import headers, major

_NEWEST = {18: 83, 19: 85, 20: 87, 21: 88}  # that a version of clang writes
_USUAL = 88  # of CUDA 12.9: has everything that the device headers use
_NEEDED = {"sm_110": 90, "sm_88": 90}  # by architectures that are newer


def without_toolkit() -> list[str]:
    """Return the options that keep clang from using a toolkit in the usual folders."""
    return [f"--cuda-path={headers()}", "-Wno-unknown-cuda-version"]  # there is none


def version_options(version: str, arch: str) -> list[str]:
    """Return the options for the version of PTX, with those of `without_toolkit`.

    By itself clang writes the PTX of the toolkit's version, which may not know `arch`, and clang 22 without a toolkit
    PTX 4.2.

    Parameters
    ----------
    version : str
        What clang says about its version.
    arch : str
        The architecture, such as "sm_90a".
    """
    wanted = _NEEDED.get(arch.rstrip("af"), _USUAL)
    number = min(wanted, _NEWEST.get(major(version), wanted))
    return [*without_toolkit(), f"--cuda-feature=+ptx{number}"]
