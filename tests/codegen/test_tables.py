# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The compact tables of structures and enumerations that the generated modules contain."""

from types import SimpleNamespace

import pytest

pytest.importorskip("clang")

from codegen import roles, tables
from codegen.model import Enum, Enumerator


def test_a_union_by_an_enumerator_that_the_headers_lack(monkeypatch):
    entry = {"tag": "kind", "prefix": "XY_", "one": ["ONE"], "two": ["GONE"]}
    monkeypatch.setattr(roles, "unions", lambda: {"xy": {"xyParams.value": entry}})
    enum = Enum("xyKind", (Enumerator("XY_ONE", 1),))
    names = SimpleNamespace(library=SimpleNamespace(name="xy", enums={"xyKind": enum}))
    with pytest.raises(roles.RoleError, match=r"unions\.toml: xyParams\.value, two: the headers have no XY_GONE"):
        tables.unions(names)
    del entry["two"]
    assert tables.unions(names) == ["xyParams.value union kind 1=one"]
