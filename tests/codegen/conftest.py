# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the generator's tests: models of NVIDIA's headers, and of headers that tests write."""

import pytest

from codegen import apis, facts, headers, roles


@pytest.fixture(scope="session")
def libraries():
    """The model of every API, with roles."""
    return roles.libraries()


@pytest.fixture(scope="session")
def every_symbol():
    """The driver's exported symbols, with roles."""
    return roles.assign_forms(facts.read(facts.EVERY_VERSION))


@pytest.fixture
def read(tmp_path):
    """Return a function that reads a header of the test's own: prefix xy, result type xyResult."""

    def read(text, typedefs="", **changes):
        (tmp_path / "xy.h").write_text(f"#pragma once\n{text}")
        (tmp_path / "xyTypedefs.h").write_text(f"#include <xy.h>\n{typedefs}\n")
        row = {"name": "xy", "headers": ("xy.h",), "prefix": "xy", "status": "xyResult"} | changes
        return headers.read(apis.Api(**row), include=(tmp_path,))

    return read
