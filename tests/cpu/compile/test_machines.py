# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The table of machines: lookups, and what its functions read from machine code that LLVM generates."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys

import llvmlite.binding as llvm
import pytest

from cuda.cpu.compile import identity, jit, machines
from cuda.cpu.ptx.image import elf

RUNTIME = pathlib.Path(__file__).parents[3] / "cuda_cpu/cuda/cpu/runtime"  # wheels have no headers

# The callee is internal: calls of it have no relocations.
CALLS = """
define internal void @callee() {
  ret void
}
define void @caller() {
  call void @callee()
  call void @callee()
  ret void
}
"""


@pytest.mark.parametrize("machine", machines.MACHINES, ids=lambda machine: machine.name)
def test_calls_are_read_from_machine_code(machine: machines.Machine) -> None:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple(f"{machine.name}-unknown-linux-gnu")
    target = target.create_target_machine(opt=0, reloc="pic", codemodel="small")
    module = llvm.parse_assembly(CALLS)
    module.triple = target.triple
    data = target.emit_object(module)
    assert int.from_bytes(data[18:20], "little") == machine.elf
    sections = dict(elf.Sections(data))
    code, functions = sections[".text"], elf.functions(sections)
    found = [
        end
        for end in range(functions["caller"].start + machine.call_size, functions["caller"].stop + 1)
        if (offset := machine.call_offset(code[end - machine.call_size : end])) is not None
        and end + offset == functions["callee"].start
    ]
    assert len(found) == 2


# As NVRTC compiles `for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) y[i] = a * x[i] + y[i];`.
LOOP = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry loop(.param .f64 a, .param .u64 x, .param .u64 y, .param .u64 n)
{
    .reg .pred %p<3>; .reg .b32 %r<5>; .reg .f64 %f<5>; .reg .b64 %d<14>;
    ld.param.f64 %f1, [a]; ld.param.u64 %d1, [x]; ld.param.u64 %d2, [y]; ld.param.u64 %d3, [n];
    mov.u32 %r1, %ntid.x; cvt.u64.u32 %d4, %r1;
    mov.u32 %r2, %ctaid.x; mul.wide.u32 %d5, %r2, %r1;
    mov.u32 %r3, %tid.x; cvt.u64.u32 %d6, %r3;
    add.s64 %d7, %d5, %d6;
    setp.ge.u64 %p1, %d7, %d3;
    @%p1 bra end;
    mov.u32 %r4, %nctaid.x; cvt.u64.u32 %d8, %r4;
    mul.lo.s64 %d9, %d8, %d4;
again:
    shl.b64 %d10, %d7, 3;
    add.s64 %d11, %d1, %d10; ld.global.f64 %f2, [%d11];
    add.s64 %d12, %d2, %d10; ld.global.f64 %f3, [%d12];
    fma.rn.f64 %f4, %f2, %f1, %f3;
    st.global.f64 [%d12], %f4;
    add.s64 %d7, %d7, %d9;
    setp.lt.u64 %p2, %d7, %d3;
    @%p2 bra again;
end:
    ret;
}
"""
COMPILE = """
import sys
import llvmlite.binding as llvm
from cuda.cpu.compile import jit, machines
from cuda.cpu.ptx.program import build

name, level, ptx = sys.argv[1:]
llvm.initialize_all_targets()
llvm.initialize_all_asmprinters()
target = llvm.Target.from_triple(f"{name}-unknown-linux-gnu")
target = target.create_target_machine(opt=int(level), reloc="pic", codemodel="small")
row = machines.named(name)
machines.host = lambda: row
jit._target_machine = lambda level: target
jit._has_gathers = lambda: False
text, _, _ = jit.emit(build([ptx]), "loop", quick=level == "0")
print(jit.assemble(text, int(level))[18])
"""


@pytest.mark.parametrize("level", [jit.QUICK, jit.BEST])
@pytest.mark.parametrize("machine", machines.MACHINES, ids=lambda machine: machine.name)
def test_a_loop_is_compiled_for_every_machine(machine: machines.Machine, level: int) -> None:
    """In a process of its own: LLVM aborts if the scheduler does not suit the machine."""
    command = [sys.executable, "-c", COMPILE, machine.name, str(level), LOOP]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, f"{machine.elf}\n"), done.stderr[-500:]


def test_lookups() -> None:
    assert machines.host().name == os.uname().machine
    for machine in machines.MACHINES:
        assert machines.named(machine.name) is machines.of_elf(machine.elf) is machine
    shown = r"has no row in MACHINES of cuda/cpu/compile/machines\.py, which has x86_64 \(62\), .*'Add a target CPU'"
    with pytest.raises(NotImplementedError, match="^machine 'riscv64' " + shown):
        machines.named("riscv64")
    with pytest.raises(NotImplementedError, match="^ELF machine 243 " + shown):
        machines.of_elf(243)


@pytest.mark.parametrize("machine", machines.MACHINES, ids=lambda machine: machine.name)
def test_rows_are_complete(machine: machines.Machine) -> None:
    for values in (machine.widths, machine.prefetch, machine.vectors):
        assert [feature for feature, _ in values].index("") == len(values) - 1  # the default comes last
    assert {width for _, width in machine.widths} <= {1, 2, 4, 8, 16, 32}
    assert machine.system_calls.keys() == {"sysinfo", "clone", "clone3"}
    header = (RUNTIME / "arch" / f"{machine.name}.h").read_text()
    assert re.search(rf"^#define CPU_ELF_MACHINE EM_{machine.name.upper()}$", header, re.MULTILINE)


@pytest.mark.parametrize(
    ("flags", "width", "gathers", "dots", "vector_bytes"),
    [
        ("avx2", {"x86_64": 8}, False, False, 32),
        ("avx2 avx512f", {"x86_64": 16}, False, False, 32),
        ("avx2 avx512f cx16", {"x86_64": 16}, True, False, 64),
        ("avx2 avx512f cx16 avx512_vnni", {"x86_64": 16}, True, True, 64),
        ("", {}, False, False, 0),
    ],
)
@pytest.mark.parametrize("machine", machines.MACHINES, ids=lambda machine: machine.name)
def test_features_of_one_machine_do_not_count_on_another(
    flags, width, gathers, dots, vector_bytes, machine, monkeypatch
) -> None:
    """An emulator of user processes shows the /proc/cpuinfo of the machine that it runs on."""
    monkeypatch.setattr(machines, "host", lambda: machine)
    monkeypatch.setattr(identity, "cpu_has", flags.split().__contains__)
    monkeypatch.setenv("CUDA_CPU_WIDTH", "native")
    assert jit._width() == width.get(machine.name, 4)
    assert jit._has_gathers() == (gathers and machine.name == "x86_64")
    assert jit._has_dots() == (dots and machine.name == "x86_64")
    assert jit._vector_bytes() == (vector_bytes if machine.name == "x86_64" else 0)
