# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The functions of the Python half take and return just what the C shell passes and stores."""

from __future__ import annotations

import inspect
import typing

import pytest

from cuda.cpu import driver

pytest.importorskip("clang")

from codegen import apis, headers, roles, write_shell
from codegen.model import Role


@pytest.fixture(scope="module")
def expected():
    """Python name -> (number of inputs, of outputs) of the shell's call."""
    every = roles.assign_forms(headers.read_every_version(apis.APIS["driver"]))
    public = roles.libraries()["driver"]
    found = {}
    for function in every.functions.values():
        outputs = sum(param.role in (Role.OUT, Role.OUT_VIEW) for param in function.params)
        name = write_shell.python_name(public, every, function)
        found.setdefault(name, (len(function.params) - outputs, outputs))
    return found


def returned(function) -> int:
    hint = typing.get_type_hints(function)["return"]
    if hint is type(None):
        return 0
    return len(typing.get_args(hint)) if typing.get_origin(hint) is tuple else 1


@pytest.mark.parametrize("name", driver.implemented())
def test_function_fits_the_shell(name, expected):
    function = getattr(driver, name)
    assert name in expected, "no symbol of libcuda calls this function"
    assert (len(inspect.signature(function).parameters), returned(function)) == expected[name]
