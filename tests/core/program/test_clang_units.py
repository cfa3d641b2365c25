# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Relocatable device code of whole programs: the names of static variables."""

import pytest

from cuda.core._program._clang._units import unit_ptx


@pytest.mark.parametrize("identifier", ["0123456789abcdef"[:digits] for digits in (16, 15, 1)])
def test_static_variables_are_declared_by_their_unique_name(identifier):
    """clang writes the identifier of a file as a number, without leading zeros."""
    unique = f"_ZL5bytes__static__{identifier}"
    ptx = (
        ".extern .global .attribute(.managed) .align 1 .b8 _ZL5bytes[300];\n"
        f".visible .global .attribute(.managed) .align 1 .b8 {unique}[300];\n"
        "\tmov.u64 \t%rd1, _ZL5bytes;\n"
    )
    assert unit_ptx(ptx) == (
        f".visible .global .attribute(.managed) .align 1 .b8 {unique}[300];\n\tmov.u64 \t%rd1, {unique};\n"
    )
