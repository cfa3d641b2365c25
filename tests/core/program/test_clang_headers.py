# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""What the device headers for clang refuse when a program is compiled."""

from __future__ import annotations

import pytest

from cuda.core import ClangError, Program, ProgramOptions
from cuda.core._program._clang import _find

if not _find.is_installed():
    pytest.skip("clang is not installed: pip install ziglang", allow_module_level=True)


@pytest.fixture(autouse=True)
def _folder(monkeypatch, tmp_path_factory):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "clang"))


GROUPS = "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;"
# Includes, statements of a kernel that gets int *p, and the message.
REFUSED = [
    (GROUPS, "*p = cg::tiled_partition<3>(cg::this_thread_block()).thread_rank();", "power of two up to 1024"),
    (GROUPS, "*p = cg::tiled_partition<2048>(cg::this_thread_block()).thread_rank();", "power of two up to 1024"),
    (
        GROUPS,
        "auto t = cg::tiled_partition<4>(cg::this_thread_block()); *p = cg::tiled_partition<8>(t).thread_rank();",
        "at most as large as its parent",
    ),
    (
        GROUPS,
        "struct Large { int x[9]; }; Large x{}; *p = cg::coalesced_threads().shfl(x, 0).x[0];",
        "have at most 32 bytes",
    ),
    (
        GROUPS,
        "struct Own { int x; __device__ Own(const Own &o) : x(o.x) {} };"
        "*p = cg::coalesced_threads().shfl(*(Own *)p, 0).x;",
        "must be trivially copyable",
    ),
    ("__global__ void f();", "f<<<1, 1>>>();", "requires relocatable device code|reference to __global__ function"),
    ("", "*p = tex2D<double>(0, 1.0f, 2.0f);", "undefined template '__open_cuda_texel<double>'"),
    ("", "*p = tex1Dfetch<int3>(0, 1).x;", "undefined template '__open_cuda_texel<int3>'"),
    ("", "*p = surf2Dread<int3>(0, 1, 2).x;", "undefined template '__open_cuda_surfel<12"),
]


@pytest.mark.parametrize(("first", "body", "message"), REFUSED, ids=range(len(REFUSED)))
def test_refused(first, body, message):
    source = f"{first}\n__global__ void k(int *p) {{ {body} }}"
    with pytest.raises(ClangError, match=message):
        Program(source, "c++", ProgramOptions(compiler="clang", arch="sm_90")).compile("ptx")
