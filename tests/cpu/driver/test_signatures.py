# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The driver's Python functions take what the C shell passes, under cuda.h's names, and return what it stores."""

from __future__ import annotations

import pytest

from cuda.cpu import driver

pytest.importorskip("clang")

from support import shell_signatures


@pytest.fixture(scope="module")
def expected():
    return shell_signatures.driver()


@pytest.mark.parametrize("name", driver.implemented())
def test_function_signature_matches_the_c_shell(name, expected):
    function = getattr(driver, name)
    assert name in expected, "no symbol of libcuda calls this function"
    assert len(shell_signatures.inputs(function)) == len(expected[name].inputs)
    assert shell_signatures.outputs(function) == expected[name].outputs


@pytest.mark.parametrize("name", driver.implemented())
def test_parameter_names_match_the_header(name, expected):
    assert shell_signatures.inputs(getattr(driver, name)) == expected[name].inputs
