# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The driver's Python functions take what the C shell passes, under cuda.h's names, and return what it stores."""

from __future__ import annotations

import pathlib

import pytest

from cuda.cpu import driver

pytest.importorskip("clang")

from support import shell_signatures

EXCEPTIONS = pathlib.Path(__file__).with_name("renamed_parameters.txt")


@pytest.fixture(scope="module")
def expected():
    return shell_signatures.driver()


@pytest.mark.parametrize("name", driver.implemented())
def test_function_fits_the_shell(name, expected):
    function = getattr(driver, name)
    assert name in expected, "no symbol of libcuda calls this function"
    assert len(shell_signatures.inputs(function)) == len(expected[name].inputs)
    assert shell_signatures.outputs(function) == expected[name].outputs


@pytest.mark.parametrize("name", driver.implemented())
def test_parameters_have_the_names_of_the_header(name, expected):
    shell_signatures.check_names(name, getattr(driver, name), expected[name], EXCEPTIONS)


def test_exceptions_are_functions():
    assert set(shell_signatures.listed(EXCEPTIONS)) <= set(driver.implemented())
