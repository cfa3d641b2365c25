# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The size of device memory: limits of containers and address space, and systems without /proc or sysinfo."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest
from test_device import in_new_process

from cuda.cpu import abi
from cuda.cpu.driver.base import host_memory
from cuda.cpu.driver.base.error import CudaError

TESTS = pathlib.Path(__file__).parents[3]
GIB = 1 << 30
NO_LIMIT_1 = 9223372036854771712  # the value for "no limit" in version 1 of control groups
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can hide /proc")


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """Return a function that makes the driver read a fake tree of control groups."""

    def make(*, groups: str, mounts: dict[str, str], limits: dict[str, object], memory_kib: int | None = None):
        files = {"proc/self/cgroup": groups, "proc/self/statm": "1000 1 1", **limits}
        files["proc/self/mountinfo"] = "".join(
            f"{number} 1 0:{number} {where} rw - {kind}\n" for number, (where, kind) in enumerate(mounts.items())
        )
        if memory_kib is not None:
            files["proc/meminfo"] = f"MemTotal:  {memory_kib} kB\nMemFree: 1 kB\n"
        for name, text in files.items():
            path = tmp_path / name.lstrip("/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{text}\n")
        monkeypatch.setattr(host_memory, "ROOT", str(tmp_path))
        return tmp_path

    return make


CASES = {
    "version 1": (
        "5:cpu:/\n4:cpuset,memory:/docker/abc\n0::/\n",
        {"/ /sys/fs/cgroup/memory": "cgroup cgroup rw,memory", "/ /sys/fs/cgroup/cpu": "cgroup cgroup rw,cpu"},
        {
            "/sys/fs/cgroup/memory/memory.limit_in_bytes": NO_LIMIT_1,
            "/sys/fs/cgroup/memory/docker/memory.limit_in_bytes": NO_LIMIT_1,
            "/sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes": GIB,
            "/sys/fs/cgroup/cpu/docker/abc/memory.limit_in_bytes": 5,
        },
        [GIB],
    ),
    "version 1, what is above is less": (
        "4:memory:/a/b/c\n",
        {"/ /sys/fs/cgroup/memory": "cgroup cgroup rw,memory"},
        {
            "/sys/fs/cgroup/memory/a/memory.limit_in_bytes": 2 * GIB,
            "/sys/fs/cgroup/memory/a/b/memory.limit_in_bytes": GIB,
            "/sys/fs/cgroup/memory/a/b/c/memory.limit_in_bytes": 3 * GIB,
        },
        [GIB, 2 * GIB, 3 * GIB],
    ),
    "version 1 in a container that sees the host's name of its group": (
        "4:memory:/docker/abc\n",
        {"/docker/abc /sys/fs/cgroup/memory": "cgroup cgroup ro,memory"},
        {"/sys/fs/cgroup/memory/memory.limit_in_bytes": GIB},
        [GIB],
    ),
    "version 2, nested": (
        "0::/user.slice/session.scope/inner\n",
        {"/ /sys/fs/cgroup": "cgroup2 cgroup2 rw,nsdelegate"},
        {
            "/sys/fs/cgroup/user.slice/memory.max": GIB,
            "/sys/fs/cgroup/user.slice/session.scope/memory.max": "max",
            "/sys/fs/cgroup/user.slice/session.scope/inner/memory.max": 2 * GIB,
        },
        [GIB, 2 * GIB],
    ),
    "version 2 in a namespace": (
        "0::/\n",
        {"/ /sys/fs/cgroup": "cgroup2 cgroup2 rw"},
        {"/sys/fs/cgroup/memory.max": GIB},
        [GIB],
    ),
    "version 2, a group outside of the namespace": (
        "0::/../other\n",
        {"/ /sys/fs/cgroup": "cgroup2 cgroup2 rw"},
        {"/sys/fs/cgroup/memory.max": GIB, "/sys/fs/other/memory.max": 5},
        [GIB],
    ),
    "both": (
        "3:memory:/a\n0::/b\n",
        {"/ /sys/fs/cgroup/memory": "cgroup x rw,memory", "/ /sys/fs/cgroup/unified": "cgroup2 x rw"},
        {"/sys/fs/cgroup/memory/a/memory.limit_in_bytes": 3 * GIB, "/sys/fs/cgroup/unified/b/memory.max": 2 * GIB},
        [2 * GIB, 3 * GIB],
    ),
    "blanks in a path": (
        "0::/my group\n",
        {"/ /my\\040groups": "cgroup2 cgroup2 rw"},
        {"/my groups/my group/memory.max": GIB},
        [GIB],
    ),
    "no /proc": ("", {}, {"/sys/fs/cgroup/memory.max": GIB}, [GIB]),
    "nothing": ("", {}, {}, []),
}


@pytest.mark.parametrize("case", CASES)
def test_the_lowest_limit_of_a_container_counts(tree, case):
    groups, mounts, limits, found = CASES[case]
    tree(groups=groups, mounts=mounts, limits=limits)
    assert sorted(host_memory.container_limits()) == found
    assert host_memory.physical() == min([*found, *host_memory._machine()])


def test_allocations_stay_below_the_limit_of_a_container(tree):
    folder = tree(
        groups="0::/outer/inner",
        mounts={"/ /sys/fs/cgroup": "cgroup2 cgroup2 rw"},
        limits={"/sys/fs/cgroup/outer/memory.max": 700 << 20, "/sys/fs/cgroup/outer/inner/memory.max": "max"},
    )
    code = f"""
from cuda.cpu.driver.base import host_memory
host_memory.ROOT = {str(folder)!r}
driver.cuInit(0); driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0))
found = []
for _ in range(8):
    try:
        found.append(bool(driver.cuMemAlloc(256 << 20)))
    except CudaError as error:
        found.append(error.status)
free, total = driver.cuMemGetInfo()
print(found, free >> 20, total >> 20, driver.cuDeviceTotalMem(0) >> 20)
"""
    out = abi.CUDA_ERROR_OUT_OF_MEMORY
    assert in_new_process(code) == f"{[True, True, *[out] * 6]} 188 700 700"


def test_memory_size_without_sysinfo_or_meminfo(tree, monkeypatch):
    class Denied:
        sysinfo = staticmethod(lambda info: -1)

    monkeypatch.setattr(host_memory.ctypes, "CDLL", lambda name: Denied)
    tree(groups="", mounts={}, limits={}, memory_kib=2 << 20)
    assert host_memory.physical() == 2 * GIB
    (pathlib.Path(host_memory.ROOT) / "proc/meminfo").unlink()
    with pytest.raises(CudaError, match="set CUDA_CPU_MEMORY"):
        host_memory.physical()


LIMITED = """
import ctypes, resource, sys
resource.setrlimit(resource.RLIMIT_AS, ({limit}, resource.RLIM_INFINITY))
from cuda.cpu import driver
driver.cuInit(0); driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0))
free, total = driver.cuMemGetInfo()
memory, pinned = driver.cuMemAlloc(1 << 20), driver.cuMemAllocHost(1 << 20)
image = ctypes.create_string_buffer({text!r})
function = driver.cuModuleGetFunction(driver.cuModuleLoadData(ctypes.addressof(image)), b"k")
driver.cuLaunchKernel(function, 4, 1, 1, 32, 1, 1, 0, 0, 0, 0)
driver.cuMemcpyDtoH(pinned, memory, 1 << 20)
large = driver.cuMemAlloc(total // 2)
driver.cuMemFree(large)
print(total < {limit} // 2)
"""
EMPTY = b".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }\n"


@pytest.mark.parametrize("gib", [1, 2, 16])
@pytest.mark.parametrize("memory", [None, "64G"])
def test_a_limited_address_space(gib, memory):
    pytest.importorskip("llvmlite")
    code = LIMITED.format(limit=gib << 30, text=EMPTY)
    if memory:
        code = code.replace("total // 2", "1 << 20").replace("total <", "0 <")
    variables = {"CUDA_CPU_CACHE": "0"} | ({"CUDA_CPU_MEMORY": memory} if memory else {})
    assert in_new_process(code, **variables) == "True"


def test_an_address_space_without_room_for_the_compiler():
    pytest.importorskip("llvmlite")
    code = LIMITED.format(limit=250 << 20, text=EMPTY).replace("driver.cuLaunch", "try:\n    driver.cuLaunch")
    code = code.partition("driver.cuMemcpyDtoH")[0] + "except driver.error.CudaError as error:\n    print(error)"
    said = in_new_process(code, CUDA_CPU_CACHE="0")
    assert said.startswith(
        f"({abi.CUDA_ERROR_JIT_COMPILER_NOT_FOUND}, \"the CPU device's compiler, llvmlite, cannot be"
    )


def test_a_full_address_space_is_reported():
    def full(size):
        raise MemoryError("cannot reserve")

    with pytest.raises(CudaError, match=r"cannot reserve: the address space is full; see ulimit -v") as caught:
        host_memory.reserve(1 << 40, full)
    assert caught.value.status == abi.CUDA_ERROR_OUT_OF_MEMORY


SANDBOXED = """
import ctypes, os, sys
sys.path.insert(0, {tests!r})
from support import sandbox
from cuda.bindings import driver as d
for step in {steps!r}:
    getattr(sandbox, step)() if step.isidentifier() else exec(step)
def name(result):
    return result[0].name.removeprefix("CUDA_") if result[0] else result[-1]
image = {text!r}
print(d.cuInit(0)[0].name, end=" ")
context = name(d.cuDevicePrimaryCtxRetain(0)); d.cuCtxSetCurrent(context)
function = name(d.cuModuleGetFunction(name(d.cuModuleLoadData(image)), b"k"))
print(d.cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, 0, 0, 0)[0].name, d.cuCtxSynchronize()[0].name, end=" ")
memory = name(d.cuMemAlloc(64))
print(d.cuMemsetD32(memory, 5, 4)[0].name, d.cuDeviceGetName(100, 0)[0].name)
"""


def sandboxed(*steps: str) -> str:
    code = SANDBOXED.format(tests=str(TESTS), steps=steps, text=EMPTY)
    environment = os.environ | {"CUDA_PYTHON_DRIVER": "cpu", "CUDA_CPU_CACHE": "0"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


GOOD = " ".join(["CUDA_SUCCESS"] * 5)


def test_sysinfo_denied():
    pytest.importorskip("llvmlite")
    assert sandboxed("deny_sysinfo") == GOOD


@needs_root
def test_without_proc():
    pytest.importorskip("llvmlite")
    assert sandboxed("hide_proc") == GOOD


@needs_root
def test_sharing_between_processes_needs_proc():
    code = f"""
import ctypes, os, sys
sys.path.insert(0, {str(TESTS)!r})
from support import sandbox
sandbox.hide_proc()
driver.cuInit(0); driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0))
memory, handle = driver.cuMemAlloc(64), ctypes.create_string_buffer(64)
driver.cuIpcGetMemHandle(ctypes.addressof(handle), memory)
handle[8:12] = (1).to_bytes(4, "little")  # of another process
for call in (
    lambda: driver.cuIpcOpenMemHandle(handle.raw, 1),
    lambda: driver.cuMemPoolImportFromShareableHandle(1, 1, 0),
    lambda: driver.cuMemImportFromShareableHandle(1, 1),
):
    try:
        call()
    except CudaError as error:
        print(error.status, error.message)
"""
    told = f"{abi.CUDA_ERROR_OPERATING_SYSTEM} sharing between processes needs /proc, which is not mounted here"
    assert in_new_process(code).splitlines() == [told] * 3


@needs_root
def test_without_proc_and_sysinfo():
    said = sandboxed("hide_proc", "deny_sysinfo", "os.environ.update(CUDA_CPU_MEMORY='1G')")
    assert said == GOOD
    code = SANDBOXED.format(tests=str(TESTS), steps=("hide_proc", "deny_sysinfo"), text=EMPTY).partition("context =")[0]
    code += "\nimport cuda.cpu; print(cuda.cpu.last_error_message())"
    environment = os.environ | {"CUDA_PYTHON_DRIVER": "cpu"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert done.stdout.startswith("CUDA_ERROR_OPERATING_SYSTEM neither sysinfo() nor /proc/meminfo"), done.stderr


def test_worker_threads_denied():
    """Streams need threads; the background compiler of hot kernels is optional."""
    pytest.importorskip("llvmlite")
    start = "name = d.cuInit(0); c = d.cuDevicePrimaryCtxRetain(0)[1]; d.cuCtxSetCurrent(c); d.cuMemsetD32("
    start += "d.cuMemAlloc(64)[1], 5, 4)"
    assert sandboxed(start, "deny_threads") == GOOD
    out = "CUDA_ERROR_OUT_OF_MEMORY"
    assert sandboxed("deny_threads") == f"CUDA_SUCCESS {out} CUDA_SUCCESS {out} CUDA_SUCCESS"
