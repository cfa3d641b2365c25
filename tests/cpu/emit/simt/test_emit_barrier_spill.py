# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Registers that live behind barriers, in arrays with an element for each SIMD group."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from support.loaded import Loaded
from support.warps import HEAD

pytestmark = pytest.mark.cpu_only

NAMED = """
.visible .entry k(.param .u64 data)
{
    .reg .b32 NAME, %r<9>; .reg .b64 %d<9>; .reg .pred %p<3>;
    ld.param.u64 %d1, [data]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; add.u64 %d3, %d1, %d2;
    ld.global.u32 NAME, [%d3]; setp.gt.u32 %p1, %r1, 60;
    bar.sync 0;
    @%p1 bra END;
    bar.sync 0;
    add.u32 NAME, NAME, 1;
    bar.sync 0;
    st.global.u32 [%d3], NAME;
END:
    ret;
}
"""


@pytest.mark.parametrize("name", ["%lanes", "lanes", "kind", "resume_at"])
@pytest.mark.parametrize("threads", [64, 70, 100])
def test_registers_may_have_any_name(name, threads):
    """Also those of arrays for the state of SIMD groups."""
    data = np.arange(threads, dtype=np.uint32) * 1000
    expected = np.where(np.arange(threads) > 60, data, data + 1)
    Loaded((HEAD + NAMED.replace("NAME", name)).encode()).launch("k", 1, threads, data)
    np.testing.assert_array_equal(data, expected)
