# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Compilation: objects for any CPU, the disk cache, and what is said when something is missing."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from cuda.cpu.compile import cache, jit
from cuda.cpu.emit import Settings, emit_kernel
from cuda.cpu.ptx import program as ptx_program
from cuda.cpu.ptx.error import PtxError

HEAD = ".version 8.5\n.target sm_90\n.address_size 64\n"
STORE = (
    HEAD
    + """
.visible .entry k(.param .u64 p) {
    .reg .b64 %d<4>; .reg .b32 %r<3>;
    ld.param.u64 %d1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; add.s64 %d3, %d1, %d2;
    st.global.u32 [%d3], %r1;
    ret;
}
"""
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "kernels"
    monkeypatch.setenv("CUDA_CPU_CACHE", str(path))
    return path


def test_second_compilation_needs_no_llvm(folder: Path) -> None:
    pytest.importorskip("cuda.cpu.runtime._runtime")
    script = f"""
import sys
from cuda.cpu.compile import jit
from cuda.cpu.ptx import program
code = jit.compile_kernel(program.build([{STORE!r}]), "k")
print("llvmlite" in sys.modules, code.address != 0, code.path.name, code.local_bytes)
"""
    results = [
        subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True) for _ in range(2)
    ]
    assert [result.stdout.strip() for result in results] == ["True True BLOCKS 0", "False True BLOCKS 0"]
    assert len(list(folder.iterdir())) == 1


def test_the_first_launch_of_a_cached_kernel_imports_little(folder: Path) -> None:
    pytest.importorskip("cuda.core", reason="the object layer is not built")
    script = f"""
import sys
from cuda.core import Device, LaunchConfig, ObjectCode, launch
device = Device()
device.set_current()
stream = device.create_stream()
buffer = device.allocate(4, stream=stream)
kernel = ObjectCode.from_ptx({STORE!r}.encode()).get_kernel("k")
before = set(sys.modules)
launch(stream, LaunchConfig(grid=1, block=1), kernel, buffer)
stream.sync()
print(*sorted({{"llvmlite", "tempfile", "subprocess", "pathlib", "cuda.cpu.emit"}} & (set(sys.modules) - before)))
"""
    environment = os.environ | {"CUDA_PYTHON_DRIVER": "cpu"}
    results = [
        subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment)
        for _ in range(2)
    ]
    assert "llvmlite" in results[0].stdout
    assert results[1].stdout == "\n"


def test_what_the_quick_level_sets_in_llvm_is_not_left_behind() -> None:
    text = emit_kernel(ptx_program.build([STORE]).laid_out("k"), "k", Settings(width=8)).text
    before = jit.disassemble(text, jit.BEST)
    quick = jit.disassemble(text, jit.QUICK)
    assert jit.disassemble(text, jit.BEST) == before != quick


def test_damaged_entries_are_dropped(folder: Path) -> None:
    cache.store("ab", b"machine code")
    assert cache.find("ab") == b"machine code"
    assert (folder.stat().st_mode & 0o777, cache.find("cd")) == (0o700, None)
    (folder / "ab").write_bytes((folder / "ab").read_bytes()[:-1] + b"X")
    assert cache.find("ab") is None
    assert not (folder / "ab").exists()


def test_a_folder_that_others_may_write_to_is_not_used(folder: Path) -> None:
    folder.mkdir()
    folder.chmod(0o777)
    with pytest.warns(UserWarning, match="0700"):
        cache.store("ab", b"machine code")
    assert list(folder.iterdir()) == []
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # said once
        assert cache.find("ab") is None


def test_no_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CUDA_CPU_CACHE", "0")
    monkeypatch.chdir(tmp_path)
    cache.store("ab", b"machine code")
    assert cache.find("ab") is None
    assert list(tmp_path.iterdir()) == []


def test_the_oldest_entries_make_room(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "SIZE_LIMIT", 1000)
    for index in range(4):
        cache.store(f"{index}", bytes(400))
        os.utime(folder / f"{index}", (index, index))
    assert sorted(path.name for path in folder.iterdir()) == ["2", "3"]


def test_keys_do_not_run_together() -> None:
    assert cache.key_of(b"ab", b"c") != cache.key_of(b"a", b"bc")


def test_an_old_llvmlite_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Environments of numba before 0.62 have it, and it cannot read our LLVM IR."""
    monkeypatch.setattr("llvmlite.binding.llvm_version_info", (15, 0, 7))
    jit._llvm.cache_clear()
    with pytest.raises(ImportError, match=r"too old for the CPU device: pip install 'llvmlite>=0\.45'"):
        jit._llvm()
    monkeypatch.undo()
    assert jit._llvm()


def test_missing_llvmlite_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "llvmlite.binding", None)
    jit._llvm.cache_clear()
    try:
        with pytest.raises(ImportError, match=r"open-cuda-python\[cpu\]"):
            jit._llvm()
    finally:
        jit._llvm.cache_clear()


@pytest.mark.parametrize("name", ["%smid_of_nothing", "%pm8"])
def test_what_is_not_supported_is_named_with_its_line(name: str) -> None:
    text = STORE.replace("%tid.x", name)
    with pytest.raises(PtxError, match=name):
        emit_kernel(ptx_program.build([text]), "k")


def test_code_for_a_cpu_without_gathers(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same kernel for an older CPU: no masked gathers, scatters by a loop over the lanes."""
    program = ptx_program.build([STORE])
    text = emit_kernel(program, "k", Settings(native_gather=False)).text
    assert "masked.scatter" not in text
    assert "masked.scatter" in emit_kernel(program, "k", Settings(native_gather=True)).text


def test_explanation_of_a_kernel(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
    text = STORE.replace("    ret;", "    ld.global.u64 %d0, [%d3]; st.global.u32 [%d0], 1; bar.sync 0;\n    ret;")
    monkeypatch.setenv("CUDA_CPU_EXPLAIN", "1")
    jit.build_object(ptx_program.build([text]), "k")
    lines = capsys.readouterr().err.splitlines()
    assert "1 by rows, 2 by lanes; SIMD groups of 32 lanes; 1 regions, each for all warps" in lines[0]
    assert lines[1].endswith("line 9: ld.global.u64 goes lane by lane: its addresses are 4 bytes apart")
    assert "st.global.u32 goes lane by lane: its addresses follow no rule" in lines[2]
    monkeypatch.delenv("CUDA_CPU_EXPLAIN")
    jit.build_object(ptx_program.build([text]), "k")
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("chosen", "may_carry"), [("%r2, %r3", False), ("1, 0", True)])
def test_only_code_of_a_kernel_that_makes_numbers_of_bits_may_have_carries(chosen: str, may_carry: bool) -> None:
    body = f"""mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ctaid.z; mov.u32 %r4, %tid.y; mov.u32 %r5, %tid.z;
    setp.lt.u32 %p1, %r2, %r3; selp.b32 %r2, {chosen}, %p1; add.u32 %r3, %r3, %r2;
    setp.lt.u32 %p2, %r1, %r4; @%p2 bra SKIP; add.u32 %r1, %r1, %r5; SKIP: bar.sync 0; add.u32 %r1, %r1, %r3;
    st.global"""
    text = STORE.replace("%r<3>;", "%r<6>; .reg .pred %p<3>;").replace("st.global", body)
    emitted = emit_kernel(ptx_program.build([text]).laid_out("k"), "k", Settings(quick=True))
    assert emitted.path is jit.Path.BLOCKS
    assert bool(re.search(jit.CARRY, emitted.text)) == may_carry


def test_the_code_of_kernels_in_the_cache_is_dumped_too(tmp_path, monkeypatch):
    program = ptx_program.build([STORE])
    jit.compile_kernel(program, "k")
    folder = tmp_path / "made" / "here"
    monkeypatch.setenv("CUDA_CPU_DUMP", str(folder))
    jit.compile_kernel(program, "k")
    assert "define" in (folder / "k.ll").read_text()
