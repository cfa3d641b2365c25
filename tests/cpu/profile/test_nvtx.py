# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""NVTX ranges and driver calls in timelines.

`Program` is what the headers of NVTX 3 put into a program: tables of pointers to its functions.
"""

import ctypes
import json
import os
import subprocess
import sys
import threading

import pytest

pytest.importorskip("cuda.cpu.runtime._runtime", reason="the CPU device's runtime is not built")

import cuda.cpu
from cuda.cpu.counters import host_spans, spans
from cuda.cpu.profile import Timeline

CORE, CORE2 = 1, 5
GET_TABLE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_uint))
GET_EXPORT = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_uint32)


class Attributes(ctypes.Structure):
    """nvtxEventAttributes_t."""

    _fields_ = (
        ("version", ctypes.c_uint16), ("size", ctypes.c_uint16), ("category", ctypes.c_uint32),
        ("colorType", ctypes.c_int32), ("color", ctypes.c_uint32), ("payloadType", ctypes.c_int32),
        ("reserved0", ctypes.c_int32), ("payload", ctypes.c_uint64), ("messageType", ctypes.c_int32),
        ("message", ctypes.c_void_p),
    )  # fmt: skip


class Callbacks(ctypes.Structure):
    _fields_ = (("size", ctypes.c_size_t), ("table_of", GET_TABLE))


class Program:
    def __init__(self):
        self.slots = {module: (ctypes.c_void_p * 16)() for module in (CORE, CORE2)}
        self.tables = {
            module: (ctypes.c_void_p * 16)(*(ctypes.addressof(slots) + 8 * index for index in range(16)))
            for module, slots in self.slots.items()
        }
        self.callbacks = Callbacks(ctypes.sizeof(Callbacks), GET_TABLE(self._table_of))
        export = GET_EXPORT(lambda table: ctypes.addressof(self.callbacks) if table == 1 else None)
        self.accepted = ctypes.CDLL(os.environ[host_spans.NVTX]).InitializeInjectionNvtx2(export)

    def _table_of(self, module, table, size):
        if module not in self.tables:
            return 0
        table[0], size[0] = ctypes.addressof(self.tables[module]), 16
        return 1

    def call(self, module, number, result, *arguments):
        types = [ctypes.c_void_p if isinstance(each, int | bytes | type(None)) else type(each) for each in arguments]
        return ctypes.CFUNCTYPE(result, *types)(self.slots[module][number])(*arguments)


@pytest.fixture
def program():
    with Timeline() as timeline:
        found = Program()
        found.timeline = timeline
        yield found


def ended(program):
    """Return the events of NVTX, after the timeline."""
    program.timeline.__exit__()
    events = [event for event in program.timeline.events if event.category.startswith("NVTX")]
    program.timeline.__enter__()
    return events


def test_nested_ranges_and_marks(program):
    assert program.accepted == 1
    assert program.call(CORE, 9, ctypes.c_int, b"outer") == 0
    assert program.call(CORE, 9, ctypes.c_int, b"inner") == 1
    program.call(CORE, 2, None, b"here")
    assert program.call(CORE, 11, ctypes.c_int) == 1
    assert program.call(CORE, 11, ctypes.c_int) == 0
    assert program.call(CORE, 11, ctypes.c_int) == -1  # one pop too many
    outer, inner, mark = ended(program)
    assert [(each.name, each.category) for each in (outer, inner, mark)] == [
        ("outer", "NVTX range"), ("inner", "NVTX range"), ("here", "NVTX mark")
    ]  # fmt: skip
    assert outer.begin <= inner.begin <= mark.begin <= mark.end <= inner.end <= outer.end
    assert outer.row == threading.current_thread().name


def test_domains_have_stacks_of_their_own(program):
    domain = program.call(CORE2, 12, ctypes.c_void_p, b"solver")
    text = program.call(CORE2, 10, ctypes.c_void_p, domain, b"step")
    given = Attributes(3, ctypes.sizeof(Attributes), messageType=3, message=text)
    assert program.call(CORE2, 4, ctypes.c_int, domain, ctypes.pointer(given)) == 0
    assert program.call(CORE, 9, ctypes.c_int, b"plain") == 0
    assert program.call(CORE2, 5, ctypes.c_int, domain) == 0
    program.call(CORE, 11, ctypes.c_int)
    step, plain = ended(program)
    assert (step.name, step.details) == ("step", {"domain": "solver"})
    assert (plain.name, plain.details) == ("plain", {})


def test_categories_have_names(program):
    """Names count from when they are given on, for ranges before, too; a domain has its own."""
    domain = program.call(CORE2, 12, ctypes.c_void_p, b"named")
    wide = ctypes.create_unicode_buffer("wide")
    for number, text in ((71, b"one"), (72, b"old"), (72, b"two")):
        program.call(CORE, 12, None, ctypes.c_uint32(number), text)
    program.call(CORE, 13, None, ctypes.c_uint32(73), ctypes.addressof(wide))
    program.call(CORE2, 8, None, domain, ctypes.c_uint32(71), b"of the domain")
    program.call(CORE2, 9, None, domain, ctypes.c_uint32(73), ctypes.addressof(wide))
    for number in (71, 72, 73, 74):
        given = Attributes(3, ctypes.sizeof(Attributes), category=number)
        program.call(CORE, 1, None, ctypes.pointer(given))
        program.call(CORE2, 1, None, domain, ctypes.pointer(given))
    found = [each.details for each in ended(program)]
    assert [each["category"] for each in found if "domain" not in each] == ["one", "two", "wide", "74"]
    assert [each["category"] for each in found if "domain" in each] == ["of the domain", "72", "wide", "74"]
    entries = json.loads(program.timeline.to_json())["traceEvents"]
    assert {"category": "of the domain", "domain": "named"} in [each["args"] for each in entries]
    assert "domain named, category of the domain" in program.timeline.to_html()


def test_threads_have_names(program):
    """Also where Python knows another name of the thread, and for driver calls."""
    wide = ctypes.create_unicode_buffer("named wide")
    library = ctypes.CDLL(cuda.cpu.library_path())

    def work(number, name):
        program.call(CORE, number, None, ctypes.c_uint32(threading.get_native_id()), name)
        program.call(CORE, 2, None, b"here")
        with spans.span("k", "compile"):
            library.cuDriverGetVersion(ctypes.byref(ctypes.c_int()))
        arrived.wait()  # until the timeline is read
        left.wait()

    arrived, left = threading.Barrier(3), threading.Barrier(3)
    threads = [
        threading.Thread(target=work, args=each) for each in ((14, b"solver"), (15, ctypes.addressof(wide)))
    ]  # fmt: skip
    for thread in threads:
        thread.start()
    arrived.wait()
    program.timeline.__exit__()
    left.wait()
    for thread in threads:
        thread.join()
    for row in ("solver", "named wide"):
        found = {each.category for each in program.timeline.events if each.row == row}
        assert found == {"NVTX mark", "driver call", "compile"}
    program.timeline.__enter__()


def test_ranges_end_in_another_thread(program):
    wide = ctypes.create_unicode_buffer("w\u00efde")
    first = program.call(CORE, 5, ctypes.c_uint64, b"process range")
    second = program.call(CORE, 6, ctypes.c_uint64, ctypes.addressof(wide))
    thread = threading.Thread(target=lambda: [program.call(CORE, 7, None, each) for each in (first, second)])
    thread.start()
    thread.join()
    found = ended(program)
    assert [each.name for each in found] == ["process range", "w?de"]
    assert {each.row for each in found} == {threading.current_thread().name}


def test_nothing_is_recorded_outside(program):
    program.timeline.__exit__()
    program.call(CORE, 9, ctypes.c_int, b"outside")
    program.call(CORE, 11, ctypes.c_int)
    program.timeline.__enter__()
    assert ended(program) == []


def test_driver_calls_are_recorded():
    library = ctypes.CDLL(cuda.cpu.library_path())
    pointer = ctypes.c_uint64()
    library.cuInit(0)
    device, context = ctypes.c_int(), ctypes.c_void_p()
    library.cuDeviceGet(ctypes.byref(device), 0)
    library.cuDevicePrimaryCtxRetain(ctypes.byref(context), device)
    library.cuCtxSetCurrent(context)
    with Timeline() as timeline:
        assert library.cuMemAlloc_v2(ctypes.byref(pointer), ctypes.c_size_t(64)) == 0
        assert library.cuMemFree_v2(pointer) == 0
        library.cuStreamSynchronize(None)
    library.cuMemFree_v2(None)
    library.cuCtxSetCurrent(None)
    library.cuDevicePrimaryCtxRelease_v2(device)
    calls = [(each.name, each.category) for each in timeline.events if each.category.endswith("call")]
    assert calls == [
        ("cuMemAlloc", "memory call"), ("cuMemFree", "memory call"), ("cuStreamSynchronize", "driver call")
    ]  # fmt: skip
    host = str(timeline).partition("host ")[2]
    assert all(name in host for name, _ in calls)


def test_child_processes_do_not_inherit_what_was_recorded():
    script = f"""
import ctypes, os
from cuda.cpu.counters import host_spans
host_spans.switch(True)
ctypes.CDLL({cuda.cpu.library_path()!r}).cuDriverGetVersion(ctypes.byref(ctypes.c_int()))
child = os.fork()
if child:
    os.wait()
print("parent" if child else "child", [each.name for each in host_spans.take()], flush=True)
os._exit(0)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout.splitlines() == ["child []", "parent ['cuDriverGetVersion']"], done.stderr


def test_ranges_of_the_package_nvtx(tmp_path):
    pytest.importorskip("nvtx", reason="the package nvtx is not installed")
    script = "import nvtx\nwith nvtx.annotate('mine', domain='d'): pass\nfrom cuda.cpu import driver\ndriver.cuInit(0)"
    output = tmp_path / "trace.json"
    command = [sys.executable, "-m", "cuda.cpu", "timeline", "-o", str(output), "-c", script]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "NVTX range mine" in done.stderr
    assert '"domain": "d"' in output.read_text()
