# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Variables have their declared alignment in every state space, for every lane, warp and block."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("cuda.cpu.runtime._runtime", reason="the CPU device's runtime is not built")
pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from support.loaded import Loaded

from cuda.cpu.ptx.error import PtxError

HEAD = ".version 9.0\n.target sm_90\n.address_size 64\n"
THREADS = 96
OF = {  # how the generic address of `x` is taken
    "local": "mov.u64 %d5, x; cvta.local.u64 %d5, %d5;",
    "shared": "mov.u64 %d5, x; cvta.shared.u64 %d5, %d5;",
    "global": "mov.u64 %d5, x; cvta.global.u64 %d5, %d5;",
    "const": "mov.u64 %d5, x; cvta.const.u64 %d5, %d5;",
    "param": "mov.b64 %d5, x; cvta.param.u64 %d5, %d5;",
}
STORE = """
    ld.param.u64 %d1, [data]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r1, %r2, 96, %r1;
    mul.wide.u32 %d2, %r1, 8; add.s64 %d3, %d1, %d2; st.global.u64 [%d3], %d5;
"""


def kernel(body: str, *, module: str = "", parameters: str = "") -> str:
    registers = ".reg .b32 %r<9>; .reg .b64 %d<9>;"
    entry = f".visible .entry k({parameters}.param .u64 data) {{ {registers}"
    return f"{HEAD}{module}\n{entry} {body} {STORE} ret; }}\n"


def addresses(text: str, *args: object, shared: int = 0) -> np.ndarray:
    data = np.zeros(2 * THREADS, np.uint64)
    Loaded(text.encode()).launch("k", 2, THREADS, *args, data, shared=shared)
    assert data.all()
    return data


@pytest.mark.parametrize("align", [128, 256, 1024, 4096])
@pytest.mark.parametrize("space", OF)
def test_variables(space: str, align: int, on_gpu: bool) -> None:
    if on_gpu and align > {"global": 256, "shared": 1024}.get(space, align):
        pytest.skip("NVIDIA's driver does not give variables such an alignment")
    variables = f".{space} .align 4 .b8 before[4]; .{space} .align {align} .b8 x[{align + 4}];"
    if space == "param":
        parameters = f".param .u32 before, .param .align {align} .b8 x[{align}], "
        args = (np.uint32(7), np.zeros(align, np.uint8))
        text = kernel(OF[space], parameters=parameters)
        found = addresses(text, args[0], np.frombuffer(args[1].tobytes(), f"V{align}")[0])
    elif space in ("local", "shared"):
        use = "st.local.u32 [before], 1;" if space == "local" else "st.shared.u32 [before], 1;"
        found = addresses(kernel(f"{variables} {use} {OF[space]}"))
    else:
        found = addresses(kernel(OF[space], module=variables))
    assert not np.any(found % align)
    if space == "local" and not on_gpu:  # there, threads have the same generic addresses for memory of their own
        assert len(np.unique(found[:THREADS])) == THREADS
        assert np.diff(np.sort(found[:THREADS])).min() >= align + 4


@pytest.mark.parametrize("static", ["", ".shared .align 4 .b8 before[20]; st.shared.u32 [before], 1;"])
def test_dynamic_shared_memory(static: str) -> None:
    text = kernel(static + OF["shared"], module=".extern .shared .align 1024 .b8 x[];")
    assert not np.any(addresses(text, shared=333) % 1024)


@pytest.mark.parametrize("ask", ["alloca.u64 %d5, 40, 512;", "alloca.u64 %d6, 24; alloca.u64 %d5, 40, 512;"])
def test_memory_on_the_stack(ask: str) -> None:
    assert not np.any(addresses(kernel(f"{ask} cvta.local.u64 %d5, %d5;")) % 512)


def test_local_variables_of_functions(on_gpu: bool) -> None:
    """They begin where the caller's end, which must not be overwritten; a thousand calls use as much stack as one."""
    functions = """
.func (.param .b64 out) f(.param .b32 n) {
    .local .align 256 .b8 x[256]; .reg .b64 %d<3>; .reg .b32 %r<3>;
    ld.param.u32 %r1, [n]; st.local.u32 [x], %r1; st.local.u32 [x+252], %r1;
    mov.u64 %d1, x; cvta.local.u64 %d1, %d1; st.param.b64 [out], %d1; ret;
}
"""
    body = """
    .local .align 16 .b8 own[48]; .reg .pred %p1;
    mov.u32 %r3, 1000; st.local.u32 [own+44], 77; st.local.u32 [own], 78;
AGAIN:
    { .param .b32 a; .param .b64 o; st.param.b32 [a], %r3; call (o), f, (a); ld.param.b64 %d5, [o]; }
    sub.u32 %r3, %r3, 1; setp.ne.u32 %p1, %r3, 0; @%p1 bra AGAIN;
    ld.local.u32 %r4, [own+44]; ld.local.u32 %r5, [own]; setp.ne.u32 %p1, %r4, 77; @%p1 trap;
    setp.ne.u32 %p1, %r5, 78; @%p1 trap;
"""
    found = addresses(kernel(body, module=functions))
    assert not np.any(found % 256)
    assert len(np.unique(found[:THREADS])) == (1 if on_gpu else THREADS)


@pytest.mark.parametrize(
    ("body", "module", "message"),
    [
        (".local .align 8192 .b8 x[4];", "", r"\.align 8192 is not supported by the CPU device; at most 4096 is"),
        ("", ".global .align 8192 .b8 x[4];", r"\.align 8192 is not supported by the CPU device; at most 4096 is"),
        ("alloca.u64 %d5, 40, 8192;", "", "alignment of 8192 is not supported by the CPU device; at most 4096 is"),
    ],
)
def test_invalid_alignments_are_refused(body: str, module: str, message: str) -> None:
    with pytest.raises(PtxError, match=message):
        Loaded(kernel(body, module=module).encode()).grid("k")
