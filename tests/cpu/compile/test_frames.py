# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""How much stack machine code needs is read from it, and kernels get it."""

from __future__ import annotations

import llvmlite.binding as llvm
import numpy as np
import pytest
from support.loaded import Loaded
from support.warp_kernels import KIND

from cuda.cpu.compile import machines
from cuda.cpu.compile.frames import stack_of

OBJECT = """
declare void @use(ptr)
define void @near(ptr %p) nounwind {{
  %small = alloca i32
  call void @use(ptr %small)
  ret void
}}
define void @far(ptr %p) nounwind {{
  %large = alloca [{size} x i8], align {align}
  call void @use(ptr %large)
  ret void
}}
"""


@pytest.mark.parametrize("machine", [each.name for each in machines.MACHINES])
@pytest.mark.parametrize("align", [4, 64])
@pytest.mark.parametrize("size", [4, 5000, 1 << 20, 20_000_000, 300_000_000])
def test_frames_are_read_from_machine_code(machine: str, align: int, size: int) -> None:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple(f"{machine}-unknown-linux-gnu")
    target = target.create_target_machine(opt=0, reloc="pic", codemodel="small")
    module = llvm.parse_assembly(OBJECT.format(size=size, align=align))
    module.triple = target.triple
    found = stack_of(target.emit_object(module))
    assert max(size - 256, 0) <= found <= size + 512


def test_unknown_machines_are_named() -> None:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple("riscv64-unknown-linux-gnu").create_target_machine()
    module = llvm.parse_assembly(OBJECT.format(size=4, align=4))
    with pytest.raises(NotImplementedError, match=r"ELF machine 243 has no row in MACHINES of .*machines\.py"):
        stack_of(target.emit_object(module))


# A parameter of 4,096 bytes takes 128 KiB for 32 lanes: a large frame, as kernels with many live values have, and soon
# compiled.
CALL = """{{ .param .align 4 .b8 a[4096]; .param .b32 r;
  st.param.b32 [a], %r1; call (r), {name}, (a); ld.param.b32 %r1, [r]; }}
"""
FUNCTION = """.func (.param .b32 r) {name}(.param .align 4 .b8 a[4096]) {{
  .reg .b32 %r<2>; .reg .pred %p<2>; ld.param.b32 %r1, [a];
  {body}
  add.u32 %r1, %r1, 1; st.param.b32 [r], %r1; ret; }}
"""
KERNEL = """.version 8.0\n.target sm_80\n.address_size 64\n{functions}
.visible .entry k(.param .u64 p) {{
  .reg .b32 %r<4>; .reg .u64 %rd<3>; ld.param.u64 %rd1, [p];
  mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r2, %r2, %r3, %r1;
  mad.wide.u32 %rd1, %r2, 4, %rd1;
  ld.global.u32 %r1, [%rd1];
  {body}
  st.global.u32 [%rd1], %r1; ret; }}
"""


@pytest.mark.parametrize("path", ["region", "fiber"])
def test_kernels_with_frames_of_many_megabytes(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_CPU_PATH", path)
    many, few = (CALL.format(name="f") * count for count in (200, 100))  # 25 MiB; and of the function, 12.5
    functions = FUNCTION.format(name="f", body="") + FUNCTION.format(name="g", body=few)
    text = KERNEL.format(functions=functions, body=many + CALL.format(name="g"))
    values = np.arange(5 * 96, dtype=np.uint32)
    Loaded(text.encode()).launch("k", 5, 96, values)
    np.testing.assert_array_equal(values, np.arange(5 * 96) + 301)


@pytest.mark.parametrize("path", ["region", "fiber"])
def test_recursion_with_large_frames_ends_in_the_guard(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_CPU_PATH", path)
    body = "setp.eq.u32 %p1, %r1, 0; @%p1 bra DONE; sub.u32 %r1, %r1, 1;\n" + CALL.format(name="f") * 20 + "DONE:"
    loaded = Loaded(KERNEL.format(functions=FUNCTION.format(name="f", body=body), body=CALL.format(name="f")).encode())
    values = np.zeros(64, np.uint32)
    loaded.launch("k", 1, 64, values)
    assert (values == 1).all()
    assert loaded.run("k", 1, 64, np.full(64, 1 << 20, np.uint32)).kind == KIND.STACK
