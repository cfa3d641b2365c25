# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Functions of CUDA's headers that the CPU device has not: each has its reason, and says it."""

import pathlib
import re

import pytest

from cuda.cpu import driver, runtime_api
from cuda.cpu.driver import unsupported

ROOT = pathlib.Path(__file__).parents[3] / "cuda_cpu/cuda/cpu"  # the shells' sources, written by the build


def exported(folder):
    """Return the functions of CUDA that a shell exports."""
    return set(re.findall(r'struct shell_entry entry = {"(\w+)"', (ROOT / folder / "_shell.c").read_text()))


@pytest.mark.parametrize(
    ("folder", "implemented", "reason_of"),
    [
        ("entry", driver.implemented(), unsupported.reason_of),
        ("runtime_api", runtime_api.implemented(), runtime_api.reason_of),
    ],
)
def test_every_function_is_here_or_has_a_reason(folder, implemented, reason_of):
    names = exported(folder)
    assert len(names) > 300
    assert set(implemented) <= names
    assert [name for name in sorted(names - set(implemented)) if not reason_of(name)] == []


def test_no_reason_is_for_nothing():
    missing = (exported("entry") | exported("runtime_api")) - set(driver.implemented())
    for pattern, _ in (*unsupported.REASONS, *runtime_api.REASONS):
        assert any(re.fullmatch(pattern, name) for name in missing), pattern


def test_a_call_says_why(refused):
    with refused("NOT_SUPPORTED", "has no cuCoredumpSetAttribute: a fault of a kernel is an error"):
        driver.cuCoredumpSetAttribute(1, 2, 3)
    with refused("NOT_SUPPORTED", "nvcc has compiled"):
        runtime_api.cudaMemcpyToSymbol(0, 0, 0, 0, 0)
    with pytest.raises(AttributeError, match="no attribute 'cuNothing'"):
        driver.cuNothing  # noqa: B018
    with pytest.raises(AttributeError, match="no attribute 'cudaNothing'"):
        runtime_api.cudaNothing  # noqa: B018
