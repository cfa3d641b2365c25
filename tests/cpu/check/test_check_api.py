# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""cuda.cpu.check.Check and findings(): checks that a program asks for itself."""

from __future__ import annotations

import ctypes
import itertools
import json
import os
import re
from ctypes import c_uint64
from xml.etree import ElementTree

import pytest

pytest.importorskip("cuda.cpu.runtime._runtime", reason="the CPU device's runtime is not built")
pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from support.interleaving import meet

from cuda.cpu import abi, driver
from cuda.cpu.check import Check, Finding, Frame, findings
from cuda.cpu.driver.base import block
from cuda.cpu.driver.base.error import CudaError
from cuda.cpu.driver.memory import pool as pools
from cuda.cpu.runtime import _runtime

pytestmark = pytest.mark.cpu_only
HERE = os.path.dirname(driver.__file__)

HEAD = ".version 9.0\n.target sm_90\n.address_size 64\n"
STORE = """.visible .entry {name}(.param .u64 p) {{ .reg .b64 %d<2>;
 ld.param.u64 %d1, [p];
 st.global.u32 [%d1+64], 1;
 ret; }}
"""


@pytest.fixture
def program():
    """A context with a buffer of 64 bytes, of which the kernels `k` and `other` write the 17th word."""
    driver.cuInit(0)
    handle = driver.cuCtxCreate_v2(0, 0)
    yield Program()
    driver.cuCtxDestroy(handle)


class Program:
    def __init__(self):
        self.buffer = driver.cuMemAlloc(64)
        module = self.load(STORE.format(name="k") + STORE.format(name="other"))
        self.functions = {name: driver.cuModuleGetFunction(module, name.encode()) for name in ("k", "other")}

    def load(self, text):
        image = ctypes.create_string_buffer((HEAD + text).encode())
        return driver.cuModuleLoadData(ctypes.addressof(image))

    def start(self, name="k", count=1, block=1):
        value = c_uint64(self.buffer)
        values = (ctypes.c_void_p * 1)(ctypes.addressof(value))
        for _ in range(count):
            driver.cuLaunchKernel(self.functions[name], 1, 1, 1, block, 1, 1, 0, 0, ctypes.addressof(values), 0)


def test_findings_of_a_block(program):
    program.start()
    with Check("memcheck") as checked:
        program.start(count=2)
    program.start()
    driver.cuCtxSynchronize()  # the context has not failed
    first, second = checked.findings
    assert isinstance(first, Finding)
    assert (first.checker, first.kind, first.kernel, first.address) == ("memcheck", "outside", "k", program.buffer + 64)
    assert second.launch == first.launch + 1
    assert first.launch_stack[0] == Frame("Program.start", __file__, first.launch_stack[0].line)
    assert first.launch_stack[1].function == "test_findings_of_a_block"


ALLOCATIONS = [  # checks, the kernel's body, whether the message names the buffer
    ("memcheck", "st.global.u32 [%d1+2], 1;", False),  # misaligned
    ("memcheck", "st.global.u32 [%d1+64], 1;", True),
    ("memcheck", "mov.u64 %d1, 0; st.global.u32 [%d1], 1;", False),
    ("memcheck", "st.shared.u32 [s+8], 1;", False),
    ("memcheck", "st.local.u32 [l+4], 1;", False),
    ("racecheck", "st.global.u32 [%d1+4], %r1;", True),
    ("racecheck", "st.shared.u32 [s], %r1;", False),
    ("synccheck", "setp.eq.u32 %p1, %r1, 0; @%p1 bar.sync 0; mov.u32 %r1, 0;", False),
    ("initcheck", "ld.global.u32 %r2, [%d1+8];", True),
    ("initcheck", "ld.shared.u32 %r2, [s];", False),
]


@pytest.mark.parametrize(("checks", "body", "named"), ALLOCATIONS)
def test_the_allocation_that_a_message_names(program, checks, body, named):
    with Check(checks) as checked:
        program.buffer = driver.cuMemAlloc(64)
        module = program.load(f""".visible .entry k(.param .u64 p) {{
 .reg .b64 %d<2>; .reg .b32 %r<3>; .reg .pred %p<2>;
 .shared .b32 s[2]; .local .b32 l[1]; ld.param.u64 %d1, [p]; mov.u32 %r1, %tid.x; {body} ret; }}""")
        program.functions["k"] = driver.cuModuleGetFunction(module, b"k")
        program.start(block=2)
    (found,) = checked.findings
    assert (found.allocation_address, found.allocation_size) == ((program.buffer, 64) if named else (0, 0))
    assert (f"the allocation of 64 bytes at 0x{program.buffer:x} made by" in found.message) == named
    assert ("allocationAddress" in checked.to_xml()) == named
    (record,) = json.loads(checked.to_json())["findings"]
    assert record["allocation_address"] == found.allocation_address


def test_it_can_be_used_again_and_as_a_decorator(program):
    checked = Check("memcheck")
    for count in (1, 2):
        with checked:
            program.start(count=1)
        assert len(checked.findings) == count
    checked(program.start)(count=3)
    assert len(checked.findings) == 5


def test_kernels_are_selected(program):
    with Check("memcheck", "^oth") as checked:
        program.start()
        program.start("other")
    assert [each.kernel for each in checked.findings] == ["other"]


def test_an_exception_does_not_lose_findings(program):
    checked = Check("memcheck")

    @checked
    def fail():
        program.start()
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert len(checked.findings) == 1
    with Check("memcheck"):
        pass


def test_nothing_is_printed_but_on_demand(program, capfd):
    with Check("memcheck") as checked:
        program.start()
        assert [each.kind for each in findings()] == ["outside"]
    assert capfd.readouterr().err == ""
    assert re.match("memcheck: kernel 'k'.*\n    launched by .*test_check_api.py", str(checked))
    assert json.loads(checked.to_json())["findings"][0]["kernel"] == "k"
    assert ElementTree.fromstring(checked.to_xml()).findtext("record/where/func") == "k"


def test_a_module_that_is_unloaded_at_once(program):
    with Check("memcheck") as checked:
        module = program.load(STORE.format(name="gone"))
        program.functions["gone"] = driver.cuModuleGetFunction(module, b"gone")
        program.start("gone")
        driver.cuModuleUnload(module)
    assert checked.findings[0].instruction == "st.global.u32 [%d1+64], 1;"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("memchek",), "^checks is 'memchek'; did you mean memcheck"),
        (("all,racechek",), "^checks has 'racechek'; did you mean racecheck"),
        (("leakcheck",), "^checks is 'leakcheck': .* end of a context"),
        (("",), "^checks is '', which names no check; it takes memcheck, "),
        (("all", "("), r"^kernels is '\(', which is no regular expression: .*unterminated"),
    ],
)
def test_wrong_arguments(arguments, expected):
    with pytest.raises(ValueError, match=expected):
        Check(*arguments)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((None,), "checks is None, must be a string"),
        ((["memcheck"],), r"checks is \['memcheck'\], must be a string"),
        (("all", 3), "kernels is 3, must be a regular expression"),
    ],
)
def test_arguments_of_wrong_types(arguments, expected):
    with pytest.raises(TypeError, match=expected):
        Check(*arguments)


def test_one_at_a_time():
    with Check(), pytest.raises(RuntimeError, match="other checks are active"):
        Check().__enter__()


def test_graphs(program):
    """Launches of a graph that was instantiated while checks were active."""
    with Check("memcheck") as checked:
        stream = driver.cuStreamCreate(1)
        driver.cuStreamBeginCapture(stream, 0)
        value = c_uint64(program.buffer)
        values = (ctypes.c_void_p * 1)(ctypes.addressof(value))
        driver.cuLaunchKernel(program.functions["k"], 1, 1, 1, 1, 1, 1, 0, stream, ctypes.addressof(values), 0)
        graph = driver.cuStreamEndCapture(stream)
        executable = driver.cuGraphInstantiate(graph, 0)
        driver.cuGraphLaunch(executable, stream)
        driver.cuGraphLaunch(executable, stream)
    (found,) = checked.findings  # the launches of a node have one number until its findings are collected
    assert (found.kernel, found.count) == ("k", 2)
    assert found.launch_stack[0].function == "test_graphs"
    driver.cuStreamDestroy(stream)


def test_checks_end_while_a_green_context_exists(program):
    resource = abi.CUdevResource()
    driver.cuDeviceGetDevResource(0, ctypes.addressof(resource), abi.CU_DEV_RESOURCE_TYPE_SM)
    description = driver.cuDevResourceGenerateDesc(ctypes.addressof(resource), 1)
    green = driver.cuGreenCtxCreate(description, 0, abi.CU_GREEN_CTX_DEFAULT_STREAM)
    with Check("racecheck") as checked:
        driver.cuMemFree(driver.cuMemAlloc(64))
    driver.cuGreenCtxDestroy(green)
    assert checked.findings == []


def test_frees_in_a_stream_that_another_thread_ends_lose_no_memory(program):
    """Checked programs remove allocations from their table in stream order: work that the stream may not accept."""
    pool, context = driver.cuDeviceGetDefaultMemPool(0), driver.cuCtxGetCurrent()
    before = pools.pools[pool].used
    outcomes = []
    with Check("memcheck"):
        for at in itertools.count(1):
            stream = driver.cuStreamCreate(1)
            pointer = driver.cuMemAllocAsync(64, stream)
            met = meet(
                lambda: driver.cuCtxSetCurrent(context),
                lambda: driver.cuMemFreeAsync(pointer, stream),  # noqa: B023 - called in this round
                lambda: driver.cuStreamDestroy(stream),  # noqa: B023
                at,
                HERE,
            )
            if met.other is None:
                break
            outcomes.append(met.held.error)
            if met.held.error is not None:  # the stream had ended before the free began
                assert isinstance(met.held.error, CudaError), met.held.text
                driver.cuMemFree(pointer)
            assert pools.pools[pool].used == before
    assert None in outcomes
    assert len(outcomes) > 10


def test_a_block_of_an_ended_stream_has_no_last_use():
    class Ended:
        def queue_after_waits(self):
            raise _runtime.QueueClosed("the queue is closed")

    assert block.last_use(Ended()) is None
