# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""synccheck of mbarriers: their state, their arrivals, and waits that never end; and correct uses."""

from __future__ import annotations

import re
from ctypes import c_uint64

import pytest

from cuda.cpu import abi, driver

pytestmark = [pytest.mark.cpu_only, pytest.mark.parametrize("checked", ["synccheck", "all"], indirect=True)]

NAMES = {  # what programs are written with: {init} and others
    "init": "mbarrier.init.shared.b64 [bar], 64;",
    "one": "mbarrier.init.shared.b64 [bar], 1;",
    "inval": "mbarrier.inval.shared.b64 [bar];",
    "arrive": "mbarrier.arrive.shared.b64 %d1, [bar];",
    "wait": "{L}: mbarrier.try_wait.shared.b64 %p3, [bar], %d1;\n @!%p3 bra {L};",
    "even": "{L}: mbarrier.try_wait.parity.shared.b64 %p3, [bar], 0;\n @!%p3 bra {L};",
    "odd": "{L}: mbarrier.try_wait.parity.shared.b64 %p3, [bar], 1;\n @!%p3 bra {L};",
    "all": "bar.sync 0;",
}
START = "@%p1 {init}\n {all}\n "


def kernel(program: str) -> str:
    """Return a kernel with %r1: thread, %p1: thread 0, %p2: thread < 32, %p5: thread < 16."""
    labels = iter(range(99))
    body = re.sub(r"\{(\w+)\}", lambda name: NAMES[name[1]].replace("{L}", f"WAIT{next(labels)}"), program)
    body = re.sub(r"\{(\w+)\}", lambda name: NAMES[name[1]], body)
    return f""".visible .entry k(.param .u64 p) {{
 .reg .b32 %r<20>; .reg .pred %p<9>; .reg .b64 %d<9>;
 .shared .align 8 .b64 bar[2];
 mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0; setp.lt.u32 %p2, %r1, 32; setp.lt.u32 %p5, %r1, 16;
 {body}
 ret; }}"""


def found(checked, program: str, **launch) -> list[str]:
    handle = driver.cuCtxCreate_v2(0, 0)
    try:
        checked.launch(kernel(program), c_uint64(0), **({"block": 64} | launch))
        return checked.lines(abi.CUDA_ERROR_LAUNCH_FAILED)
    finally:
        driver.cuCtxDestroy(handle)


RIGHT = {
    "arrive and wait": START + "{arrive}\n {wait}",
    "three phases": START + "{arrive}\n {wait}\n {arrive}\n {wait}\n {arrive}\n {wait}",
    "parities": START + "{arrive}\n {even}\n {arrive}\n {odd}\n {arrive}\n {even}",
    "the phase before the first": START + "{odd}\n {arrive}\n {even}",
    "only some wait": START + "{arrive}\n @!%p2 bra END;\n {wait}\nEND:",
    "nobody waits": START + "{arrive}",
    "invalidated and used again": START + "{arrive}\n {wait}\n {all}\n @%p1 {inval}\n @%p1 {init}\n {all}\n"
    " {arrive}\n {wait}",
    "a count": START + "@%p5 mbarrier.arrive.shared.b64 %d1, [bar], 4;\n {even}",
    "one thread alone": "@!%p1 bra END;\n {one}\n {arrive}\n {wait}\n {arrive}\n {arrive}\nEND:",
    "a barrier between the phases": START + "{arrive}\n {all}\n {arrive}\n {all}\n {arrive}",
    "some drop out": START + "@!%p2 mbarrier.arrive_drop.shared.b64 %d1, [bar];\n @!%p2 ret;\n {arrive}\n {wait}\n"
    " {arrive}\n {wait}",
    "expected bytes": START.replace("init", "one") + "@!%p1 bra B;\n"
    " mbarrier.arrive.expect_tx.shared.b64 %d1, [bar], 16;\n"
    " mbarrier.complete_tx.shared.b64 [bar], 16;\nB: {even}",
    "a thread of a warp is late": START + "@%p1 bra B;\n {arrive}\n {even}\n bra END;\nB: {arrive}\nEND:",
}


@pytest.mark.parametrize("name", RIGHT)
def test_correct_uses(checked, name):
    assert found(checked, RIGHT[name], grid=2) == []


WRONG = {
    "not initialised": ("{arrive}", "arrive.shared", "byte 0 of shared memory was never initialised"),
    "waited for, not initialised": ("{even}", "try_wait", "byte 0 of shared memory was never initialised"),
    "the next one": (START + "mbarrier.arrive.shared.b64 %d1, [bar+8];", "arrive", "byte 8 of shared memory was never"),
    "arrive after inval": (START + "@%p1 {inval}\n {all}\n {arrive}", "arrive", "byte 0 of shared memory was inv"),
    "inval twice": (START + "@%p1 {inval}\n @%p1 {inval}", "inval", "was invalidated"),
    "inval of nothing": ("@%p1 {inval}", "inval", "was never initialised"),
    "initialised by all threads": ("{init}", "init", "is initialised while it is in use"),
    "initialised again": (START + "{arrive}\n {wait}\n {all}\n @%p1 {init}", "init", "initialised while it is in use"),
    "no arrivals": ("@%p1 mov.u32 %r2, 0;\n @%p1 mbarrier.init.shared.b64 [bar], %r2;", "init", "must be 1 to 1048575"),
    "a count beyond the phase's": (START + "@%p1 mbarrier.arrive.shared.b64 %d1, [bar], 65;", "arrive",
        "65 arrivals on the mbarrier at byte 0 of shared memory, which waits for 64"),
    "twice as many threads": (START.replace("init", "one") + "{arrive}", "arrive",
        "more than the 1 arrivals that the mbarrier at byte 0 of shared memory expects: nothing orders this one after"),
    "all arrive twice": (START + "{arrive}\n {arrive}", "arrive", "more than the 64 arrivals"),
    "an old state": (START + "{arrive}\n {all}\n mov.u64 %d2, %d1;\n {arrive}\n {all}\n {arrive}\n {all}\n"
        " mbarrier.test_wait.shared.b64 %p3, [bar], %d2;", "test_wait", "that ended"),
    "half of the arrivals": (START + "@!%p2 bra END;\n {arrive}\n {wait}\nEND:", "try_wait",
        "lanes 0-31 wait for ever at the mbarrier at byte 0 of shared memory: 32 of its 64 arrivals are missing"),
    "a lane does not arrive": (START + "@!%p1 {arrive}\n {even}", "try_wait", "1 of its 64 arrivals are missing"),
    "the wrong parity": (START + "{arrive}\n {wait}\n {odd}", "try_wait", "64 of its 64 arrivals are missing"),
    "missing bytes": (START.replace("init", "one") + "@%p1 mbarrier.arrive.expect_tx.shared.b64 %d1, [bar], 16;\n"
        " {even}", "try_wait", "16 bytes are missing"),
    "others are at the barrier of the block": (START + "@!%p2 bra B;\n {arrive}\n {wait}\nB: {all}", "try_wait",
        "lanes 0-31 wait for ever"),
    "lanes of the warp are there": (START + "@!%p5 bra B;\n {arrive}\n {wait}\nB: {all}", "try_wait",
        "lanes 0-15 wait for ever"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_wrong_uses(checked, name):
    program, instruction, message = WRONG[name]
    lines = found(checked, program, grid=2)
    lines = [line for line in lines if line.startswith("synccheck: ") and message in line]
    assert lines
    assert instruction in lines[0].split("`")[1]


CLUSTER = """
 mov.u32 %r2, bar; mov.u32 %r3, %cluster_ctarank; xor.b32 %r4, %r3, 1; mapa.shared::cluster.u32 %r5, %r2, %r4;
 @%p1 {init}
 barrier.cluster.arrive; barrier.cluster.wait;
 SOME mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r5];
 {even}
 barrier.cluster.arrive; barrier.cluster.wait;"""
CLUSTERS = {
    "correct": (CLUSTER.replace("SOME", ""), ""),
    "not initialised": (CLUSTER.replace("SOME", "").replace("@%p1 {init}", ""), "was never initialised"),
    "too few arrive": (CLUSTER.replace("SOME", "@!%p2"), "32 of its 64 arrivals are missing"),
}


@pytest.mark.parametrize("name", CLUSTERS)
def test_mbarriers_of_another_block_of_the_cluster(checked, name):
    program, message = CLUSTERS[name]
    head = "k(.param .u64 p) .explicitcluster .reqnctapercluster 2 {"
    checked.launch(kernel(program).replace("k(.param .u64 p) {", head), c_uint64(0), block=64, grid=4)
    lines = checked.lines(abi.CUDA_ERROR_LAUNCH_FAILED)
    assert any(message in line for line in lines) if message else lines == []
