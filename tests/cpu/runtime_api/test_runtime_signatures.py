# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The functions of the runtime API take and return just what the C shell passes and stores."""

from __future__ import annotations

import inspect
import typing

import pytest

from cuda.cpu import driver, runtime_api
from cuda.cpu.runtime_api import same

pytest.importorskip("clang")

from codegen import roles, write_cudart
from codegen.model import Role

ROWS = [row for text in (same.IN_CONTEXT, same.OF_KERNEL, same.WITH_DEVICES) for row in text.split("\n")[1:-1]]
SAME = {row.split()[0]: row.split()[1] if " " in row else row.replace("cuda", "cu", 1) for row in ROWS}


@pytest.fixture(scope="module")
def expected():
    """Name -> (number of inputs, of outputs) of the shell's call."""
    found = {}
    for function in roles.libraries()["runtime"].functions.values():
        outputs = sum(param.role in (Role.OUT, Role.OUT_VIEW) for param in function.params)
        found[function.name] = (len(function.params) - outputs, outputs)
    return found


@pytest.mark.parametrize("name", runtime_api.implemented())
def test_function_fits_the_shell(name, expected):
    function = getattr(driver, SAME[name]) if name in SAME else getattr(runtime_api, name)
    hint = typing.get_type_hints(function)["return"]
    outputs = 0 if hint is type(None) else len(typing.get_args(hint)) if typing.get_origin(hint) is tuple else 1
    assert (len(inspect.signature(function).parameters), outputs) == expected[name]


def test_words_of_a_status():
    assert write_cudart.words("cudaErrorInvalidPc") == "invalid pc"
