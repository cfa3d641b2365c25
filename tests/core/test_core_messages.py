# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Messages for common mistakes: each names the argument, its value, and a correct one."""

import importlib
import re

import numpy as np
import pytest

from cuda.core import (
    Buffer,
    EventOptions,
    LaunchConfig,
    LegacyPinnedMemoryResource,
    LinkerOptions,
    Module,
    Program,
    ProgramOptions,
    StreamOptions,
    launch,
)
from cuda.core._utils._options import closest
from cuda.core.utils import CopyOptions

ONE = LaunchConfig(grid=1, block=1)


@pytest.mark.parametrize(
    ("make", "given", "meant"),
    [
        (lambda: LaunchConfig(grid=1, block=1, shared=64), "shared", "shmem_size"),
        (lambda: LaunchConfig(blocks=1, threads=1), "blocks", "grid"),
        (lambda: LaunchConfig(grid=1, block=1, cooperative=True), "cooperative", "is_cooperative"),
        (lambda: StreamOptions(non_blocking=True), "non_blocking", "nonblocking"),
        (lambda: EventOptions(enable_timing=True), "enable_timing", "timing_enabled"),
        (lambda: ProgramOptions(architecture="sm_90"), "architecture", "arch"),
        (lambda: ProgramOptions(include_dirs="."), "include_dirs", "include_path"),
        (lambda: LinkerOptions(lto=True), "lto", "link_time_optimization"),
        (lambda: CopyOptions(access_order="any"), "access_order", "src_access_order"),
        (lambda: Program("", "c++", {"fast_math": True}), "fast_math", "use_fast_math"),
    ],
)
def test_a_misspelled_option_is_suggested(make, given, meant):
    with pytest.raises(TypeError, match=rf"^\w+ has no option '{given}': did you mean '{meant}'\?$"):
        make()


def test_an_unknown_option_lists_the_options():
    with pytest.raises(
        TypeError, match=r"^LaunchConfig has no option 'zzz': the options are grid, cluster, block, shmem_"
    ):
        LaunchConfig(grid=1, block=1, zzz=1)


def test_other_mistakes_with_options_keep_their_message():
    with pytest.raises(TypeError, match=r"takes from 1 to 3 positional arguments"):
        StreamOptions(1, 2, 3)
    assert closest("nonsense", ["arch", "std"]) == ""


def test_every_options_class_suggests_names():
    import dataclasses
    import pkgutil

    import cuda.core

    for found in pkgutil.walk_packages(cuda.core.__path__, "cuda.core."):
        if found.name.endswith(("__main__", ".ipython")) or ".system" in found.name:
            continue  # ipython needs IPython
        for name, value in vars(importlib.import_module(found.name)).items():
            if isinstance(value, type) and dataclasses.is_dataclass(value) and name.endswith("Options"):
                with pytest.raises(TypeError, match=f"^{name} has no option 'zzz': "):
                    value(zzz=1)


def test_the_second_positional_argument_of_launch_config_is_cluster():
    with pytest.raises(
        ValueError, match=r"^block must be given; .* is cluster: write LaunchConfig\(grid=1, block=\(32, 2\)\)$"
    ):
        LaunchConfig(1, (32, 2))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            lambda buffer: ((buffer, 1),),
            "but 1 was given; argument 1 is a tuple: pass its items, *arguments",
        ),
        (
            lambda buffer: ([buffer], 1),
            "1 of kernel 'add_one' is a list, .*: pass its items, *arguments; those",
        ),
        (
            lambda buffer: (True, 1),
            "1 of kernel 'add_one' is True, but the parameter is an integer or pointer",
        ),
        (
            lambda buffer: (np.zeros(1, "i4"), 1),
            "is a numpy.ndarray in memory of the host: copy it to the device",
        ),
    ],
)
def test_arguments_of_kernels(module, device, stream, arguments, message):
    with device.allocate(4, stream=stream) as buffer, pytest.raises(TypeError) as raised:
        launch(stream, ONE, module.add_one, *arguments(buffer))
    assert re.search(re.escape(message).replace(r"\.\*", ".*"), str(raised.value))


def test_a_memoryview_of_pinned_memory_is_not_a_kernel_argument(module, stream):
    with LegacyPinnedMemoryResource().allocate(4) as pinned:
        view = np.asarray(pinned).view(np.int32)
        with pytest.raises(TypeError, match=r"ndarray of memory that the device can use: pass the Buffer"):
            launch(stream, ONE, module.add_one, view, 1)
        with pytest.raises(TypeError, match=r"memoryview of memory that the device can use: pass the Buffer"):
            launch(stream, ONE, module.add_one, memoryview(pinned), 1)
        del view


def test_calling_a_kernel_advises_launch(module):
    with pytest.raises(TypeError, match=r"^kernel 'add_one' is not called: use launch\(stream, LaunchConfig\("):
        module.add_one(None, 1)


@pytest.mark.parametrize(
    ("configuration", "expected"),
    [
        ((1, 64), "grid=1, block=64"),
        (3, "grid=3, block=64"),
        ((), "grid=1, block=64"),
        (((2, 2), 8, None), "grid=(2, 2), block=8"),
    ],
)
def test_indexing_a_kernel_advises_launch(module, configuration, expected):
    with pytest.raises(TypeError) as raised:
        module.add_one[configuration]
    assert str(raised.value) == (
        f"kernel 'add_one' is not indexed: use launch(stream, LaunchConfig({expected}), kernel, *args)"
    )


def test_waiting_for_a_wrong_object(stream):
    message = r"event_or_stream must be an Event, a Stream or an object with __cuda_stream__, not 3 \(int\)"
    with pytest.raises(ValueError, match=f"^{message}$"):
        stream.wait(3)


@pytest.mark.needs_nvrtc
def test_closed_modules(device):
    closed = Module.from_source('extern "C" __global__ void k() {}')
    closed.close()
    assert not hasattr(closed, "k")
    with pytest.raises(AttributeError, match=r"^this Module is closed: it has no kernel 'k' any more$"):
        _ = closed.k
    with pytest.raises(ValueError, match=r"^this Module is closed$"):
        closed.get_kernel("k")


@pytest.mark.parametrize("name", ["", ".graph", ".texture", ".system", ".utils", ".checkpoint", ".typing"])
def test_dir_lists_public_names_only(name):
    package = importlib.import_module(f"cuda.core{name}")
    parts = {
        "": {"checkpoint", "graph", "system", "texture", "typing", "utils"},
        ".system": {"exceptions", "typing"},
    }.get(name, set())
    assert {each for each in dir(package) if not each.startswith("__")} == {*package.__all__, *parts}


FAULT = '''
import sys
from cuda.core import *

device = Device()
device.set_current()
stream = device.create_stream()
module = None


def work(n):
    global module
    buffer = device.allocate(64, stream=stream)
    module = Module.from_source("""
template <typename T> __device__ void put(T *x, long long n) {
    x[n] = 1;
}
extern "C" __global__ void outside(int *x, long long n) { put(x, n); }
extern "C" __global__ void endless(int *x, long long n) { while (true) atomicAdd(x, 1); }
""")
    Module.from_source('extern "C" __global__ void other(int *x) { *x = 1; }')
    launch(stream, LaunchConfig(grid=1, block=1), getattr(module, sys.argv[1]), buffer, n)


work(1 << 40)
'''
FAULT_LINE = FAULT[1:].splitlines().index("    x[n] = 1;") + 1


def exit_of(path, *arguments):
    import subprocess
    import sys

    return subprocess.run([sys.executable, path, *arguments], capture_output=True, text=True, timeout=60)


@pytest.fixture
def fault(tmp_path):
    path = tmp_path / "fault.py"
    path.write_text(FAULT[1:])
    return path


@pytest.mark.cpu_only
@pytest.mark.needs_nvrtc
def test_an_unobserved_failure_is_reported_at_exit(fault):
    done = exit_of(fault, "outside")
    said = done.stderr[done.stderr.index("cuda.core:") :].splitlines()
    assert done.returncode == 0
    assert re.match(
        r"cuda.core: work failed that the program has not waited for; Stream.sync\(\) .*ILLEGAL_ADD", said[0]
    )
    assert said[-2:] == ["    3 |     x[n] = 1;", f"      --> {fault}:{FAULT_LINE}"]
    assert done.stderr.count("ILLEGAL_ADDRESS") == 1


@pytest.mark.cpu_only
@pytest.mark.needs_nvrtc
@pytest.mark.parametrize(
    ("more", "kernel", "status"),
    [
        ("try: stream.sync()\nexcept CUDAError: pass\n", "outside", 0),  # the program knows
        ("stream.sync()\n", "outside", 1),
        ("", "endless", 0),  # it has not failed
    ],
)
def test_only_unobserved_failures_are_reported_at_exit(fault, more, kernel, status):
    with fault.open("a") as file:
        file.write(more)
    done = exit_of(fault, kernel)
    assert done.returncode == status
    assert "not waited for" not in done.stderr


@pytest.mark.cpu_only
@pytest.mark.needs_nvrtc
def test_a_fault_names_the_line_of_the_python_file(fault):
    with fault.open("a") as file:
        file.write("stream.sync()\n")
    assert f"    3 |     x[n] = 1;\n      --> {fault}:{FAULT_LINE}\n" in exit_of(fault, "outside").stderr


SOURCES = [
    ("a.cu", "void first() {\n}\nvoid twice() {}"),
    ("a.cu", "void second() {\n  x = 1;\n}\nvoid twice() {}"),
]


@pytest.mark.parametrize(
    ("message", "added"),
    [
        ("kernel 'second', block 0 (/tmp/a.cu line 2): trap", "\n    2 |   x = 1;"),
        ("kernel '_Z6secondPi', block 0 (a.cu line 2): trap", "\n    2 |   x = 1;"),
        ("kernel '_ZN6second1fEv', block 0 (a.cu line 9): trap", ""),  # no such line
        ("kernel 'twice', block 0 (/tmp/a.cu line 2): trap", ""),  # ambiguous: defined in two programs
        ("kernel 'second', block 0 (/tmp/b.cu line 2): trap", ""),
        ("no fault", ""),
    ],
)
def test_source_lines_of_faults(monkeypatch, message, added):
    from cuda.core._program import _diagnostics

    monkeypatch.setattr(_diagnostics, "_sources", type(_diagnostics._sources)(maxlen=2))
    for name, text in SOURCES:
        _diagnostics.remember(name, text.encode())
    _diagnostics.remember("large", bytes(_diagnostics.MOST_CODE + 1))
    assert len(_diagnostics._sources) == 2
    assert _diagnostics.locate(message) == message + added


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda d, s, m: LaunchConfig(grid=1, block=1, shmem_size="a"),
            r"shmem_size must be an int .* not 'a'$",
        ),
        (
            lambda d, s, m: LaunchConfig(grid=1, block=1, shmem_size=1.5),
            r"shmem_size must be an int .* not 1\.5$",
        ),
        (lambda d, s, m: launch(s, (1, 32), m.empty), r"not tuple: make one, LaunchConfig\(grid=\.\.\., block="),
        (lambda d, s, m: launch(s, m.empty, ONE), r"not Kernel; launch takes stream, config, kernel in this order$"),
        (
            lambda d, s, m: launch(s, ONE, m),
            r"not Module: call get_kernel\(name\) of this Module$",
        ),
        (lambda d, s, m: d.allocate("64", stream=s), r"size must be an int \(bytes\), not '64' \(str\)$"),
        (
            lambda d, s, m: Buffer.from_handle("a", 64),
            r"ptr must be an address as int, .*, not 'a'$",
        ),
        (lambda d, s, m: d.create_stream(StreamOptions()), r"; give options by name: options=StreamOptions\(\.\.\.\)$"),
        (lambda d, s, m: launch(1 << 40, ONE, m.empty), r"not int; Stream\.from_handle wraps an address$"),
    ],
)
def test_wrong_types(device, stream, module, call, message):
    with pytest.raises(TypeError, match=message):
        call(device, stream, module)
