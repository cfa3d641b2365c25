# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The list of what device headers declare."""

from __future__ import annotations

import pytest

from cuda.core._program._clang import _find

if not _find.is_installed():
    pytest.skip("clang is not installed: pip install ziglang", allow_module_level=True)

from ci import header_names


def test_the_list_is_that_of_the_headers():
    assert header_names.TABLE.read_text() == header_names.text(), "run python -m ci.header_names"
