# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The counts of instructions in `python -m benchmarks.cpu_kernels --only counters`."""

from __future__ import annotations

import concurrent.futures
import ctypes
import platform
import shutil
import subprocess
import sys
from collections import Counter

import pytest

from benchmarks.cpu_kernels import counters, samples
from benchmarks.cpu_kernels.workloads.cases import workloads

ROUNDS = 5000
LOOP = """
int loop(int rounds)
{
    int sum = 0;
    __asm__ volatile("1: lock incl %1; vpaddd %%xmm0, %%xmm0, %%xmm1; dec %0; jnz 1b"
                     : "+r"(rounds), "+m"(sum)::"xmm1", "cc");
    return sum;
}
"""
LANES = {
    "vpgatherdd zmm1{k1},DWORD PTR [rax+zmm2*4]": 16,
    "vgatherqps ymm1{k1},DWORD PTR [rax+zmm2*4]": 8,
    "vpgatherdd ymm1,DWORD PTR [rax+ymm2*4],ymm3": 8,
    "vpscatterdd DWORD PTR [rax+zmm2*4]{k1},zmm1": 16,
    "vscatterdpd QWORD PTR [rax+ymm2*8]{k1},zmm1": 8,
    "vpgatherqq ymm1{k1},QWORD PTR [ymm2*1+0x0]": 4,
}
able = sys.platform == "linux" and platform.machine() == "x86_64" and all(map(shutil.which, ("gcc", "objdump")))
steps = pytest.mark.skipif(not able, reason="steps x86-64 code on Linux, with gcc and objdump")


@pytest.fixture(scope="module")
def loop(tmp_path_factory):
    folder = tmp_path_factory.mktemp("loop")
    (folder / "loop.c").write_text(LOOP)
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-o", folder / "loop.so", folder / "loop.c"], check=True)
    return ctypes.CDLL(str(folder / "loop.so"))


@steps
def test_each_instruction_of_a_loop_is_counted(loop):
    counts = counters.counted(lambda: loop.loop(ROUNDS))
    kinds = counters.count_kinds(counts, loop._name)
    assert (kinds["locked"], kinds["arithmetic"]) == (ROUNDS, ROUNDS)
    assert ROUNDS < kinds["branches"] <= ROUNDS + 2  # and the return, and a test before the loop of some compilers
    assert 2 * ROUNDS < kinds["scalar"] < 2 * ROUNDS + 20  # and the rest of the function
    assert kinds[samples.OUTSIDE] == counts.total() - sum(kinds[kind] for kind in samples.KINDS) > 0


@steps
def test_instructions_of_other_threads_are_counted(loop):
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        pool.submit(int).result()  # the thread exists from now on
        counts = counters.counted(lambda: pool.submit(loop.loop, ROUNDS).result())
    assert counters.count_kinds(counts, loop._name)["locked"] == ROUNDS


@steps
def test_a_run_goes_on_at_the_limit_and_after_an_exception(loop):
    results = []
    assert counters.counted(lambda: results.append(loop.loop(ROUNDS)), limit=1000).total() == 1000
    assert results == [ROUNDS]
    with pytest.raises(ZeroDivisionError):
        counters.counted(lambda: 1 / 0)
    counts = counters.counted(lambda: None)
    loop.loop(ROUNDS)  # counts nowhere
    assert not counters.count_kinds(counts, loop._name)["locked"]


@pytest.mark.parametrize(("instruction", "lanes"), LANES.items())
def test_gathers_and_scatters_have_lanes(instruction, lanes):
    assert counters.lanes_of(instruction) == lanes


def test_lanes_and_parts_of_what_is_scalar_are_no_further_instructions(monkeypatch):
    code = ["vpgatherdd ymm1,DWORD PTR [rax+ymm2*4],ymm3", "jae 0x8", "mov rax,QWORD PTR [rsp]", "lea rax,[rax+8]"]
    monkeypatch.setattr(counters, "code_in_memory", lambda file: [(0, 4)])
    monkeypatch.setattr(counters, "disassembled", lambda low, high: enumerate(code))
    kinds = counters.count_kinds(Counter({0: 1, 1: 2, 2: 3, 3: 4, 9: 5}), "")
    expected = {"gathers, scatters": 1, "their lanes": 8, "scalar": 9, "branches": 2, "scalar memory": 3}
    assert kinds == expected | {samples.OUTSIDE: 5}


def test_a_row_is_relative_to_c():
    counts, of_c = Counter({"scalar": 1500, "masks": 1500, samples.OUTSIDE: 9000}), Counter(scalar=2000)
    number, ratio, rate, *cells = counters.cells_of(counts, of_c, 16, 32e-6)
    assert (number, ratio, rate, cells.pop()) == ("48 thousand", "1.50", "1.50", "9")
    shares = {kind: cell for kind, cell in zip(counters.COLUMNS, cells, strict=True) if cell}
    assert shares == {"masks": "75", "scalar": "75"}


def test_runs_that_were_not_counted_have_empty_cells():
    assert not any(counters.cells_of(Counter(), Counter(scalar=1), 1, 1))


def test_parts_of_workloads_have_their_part_of_the_blocks():
    whole, parts = workloads(), workloads(counters.PARTS_OF_DATA)
    scales = {case.name: counters.blocks(case) / counters.blocks(part) for case, part in zip(whole, parts, strict=True)}
    assert [case.name for case in parts] == list(scales)
    images = {"conv5x5", "jacobi", "sobel", "life", "stencil27"}
    assert {name for name, scale in scales.items() if scale != 16} == images | {"wmma", "binomial"}


@pytest.mark.parametrize(("module", "name", "value", "message"), [
    (platform, "machine", "aarch64", "on x86-64 Linux only"), (shutil, "which", None, "without gcc"),
])  # fmt: skip
def test_what_is_missing_is_named(monkeypatch, module, name, value, message):
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(module, name, lambda *_: value)
    with pytest.raises(SystemExit, match=message):
        counters.stepper.__wrapped__()
