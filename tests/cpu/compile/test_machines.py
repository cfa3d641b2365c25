# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The table of machines: lookups, and what its functions read from machine code that LLVM generates."""

from __future__ import annotations

import os
import re

import llvmlite.binding as llvm
import pytest

from cuda.cpu.compile import identity, jit, machines
from cuda.cpu.ptx.image import elf

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
    for values in (machine.widths, machine.prefetch):
        assert [feature for feature, _ in values].index("") == len(values) - 1  # the default comes last
    assert {width for _, width in machine.widths} <= {1, 2, 4, 8, 16, 32}
    assert machine.system_calls.keys() == {"sysinfo", "clone", "clone3"}
    header = os.path.join(identity.PACKAGE, "runtime", "arch", f"{machine.name}.h")
    with open(header) as file:
        assert re.search(rf"^#define CPU_ELF_MACHINE EM_{machine.name.upper()}$", file.read(), re.MULTILINE)


@pytest.mark.parametrize(
    ("flags", "width", "gathers"),
    [
        ("avx2", {"x86_64": 8}, False),
        ("avx2 avx512f", {"x86_64": 16}, False),
        ("avx2 avx512f cx16", {"x86_64": 16}, True),
        ("", {}, False),
    ],
)
@pytest.mark.parametrize("machine", machines.MACHINES, ids=lambda machine: machine.name)
def test_features_of_one_machine_do_not_count_on_another(flags, width, gathers, machine, monkeypatch) -> None:
    """An emulator of user processes shows the /proc/cpuinfo of the machine that it runs on."""
    monkeypatch.setattr(machines, "host", lambda: machine)
    monkeypatch.setattr(identity, "cpu_has", flags.split().__contains__)
    monkeypatch.setenv("CUDA_CPU_WIDTH", "native")
    assert jit._width() == width.get(machine.name, 4)
    assert jit._has_gathers() == (gathers and machine.name == "x86_64")
