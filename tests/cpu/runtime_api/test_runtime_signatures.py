# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The runtime API's Python functions take what the C shell passes, under the header's names, and return what it stores.

Those that forward to the driver are the driver's own functions, with its names.
"""

from __future__ import annotations

import pytest

from cuda.cpu import driver, runtime_api
from cuda.cpu.runtime_api import same

pytest.importorskip("clang")

from support import shell_signatures

from codegen import write_cudart

ROWS = [row for text in (same.IN_CONTEXT, same.OF_KERNEL, same.WITH_DEVICES) for row in text.split("\n")[1:-1]]
SAME = {row.split()[0]: row.split()[1] if " " in row else row.replace("cuda", "cu", 1) for row in ROWS}
OWN = sorted(set(runtime_api.implemented()) - set(SAME))


@pytest.fixture(scope="module")
def expected():
    return shell_signatures.runtime()


@pytest.mark.parametrize("name", runtime_api.implemented())
def test_function_signature_matches_the_c_shell(name, expected):
    function = getattr(driver, SAME[name]) if name in SAME else getattr(runtime_api, name)
    assert len(shell_signatures.inputs(function)) == len(expected[name].inputs)
    assert shell_signatures.outputs(function) == expected[name].outputs


@pytest.mark.parametrize("name", OWN)
def test_parameter_names_match_the_header(name, expected):
    assert shell_signatures.inputs(getattr(runtime_api, name)) == expected[name].inputs


def test_error_strings_from_status_names():
    assert write_cudart.words("cudaErrorInvalidPc") == "invalid pc"
