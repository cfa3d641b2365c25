# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Launches from C, which need no GIL, while the memory that they write moves to a file for another process."""

import shutil

import pytest
from support.scripts import run_checked

LAUNCHING = '''
import ctypes, pathlib, subprocess, sys, threading, time
from cuda.bindings import _loader, driver
from cuda.core import Device, ObjectCode

folder = pathlib.Path(sys.argv[1])
(folder / "loop.c").write_text("""
typedef unsigned u;
typedef int launch(void *, u, u, u, u, u, u, u, void *, void **, void **);
int repeat(launch *call, void *function, void *stream, void **params, volatile long *left)
{
    int status = 0;
    for (; *left > 0 && !status; --*left)
        status = call(function, 1, 1, 1, 1, 1, 1, 0, stream, params, 0);
    return status;
}
""")
subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-o", folder / "loop.so", folder / "loop.c"], check=True)
PTX = b""".version 8.0
.target sm_80
.address_size 64
.visible .entry count(.param .u64 at) {
  .reg .b64 %d; .reg .b32 %r;
  ld.param.u64 %d, [at];
  ld.global.u32 %r, [%d];
  add.u32 %r, %r, 1;
  st.global.u32 [%d], %r;
  ret;
}
"""
SIZE, COUNT = 1 << 25, 300_000
device = Device()
device.set_current()
stream = device.create_stream()
kernel = ObjectCode.from_ptx(PTX).get_kernel("count")
repeat = ctypes.CDLL(folder / "loop.so").repeat
launch = ctypes.CDLL(_loader.driver_path()).cuLaunchKernel
for _ in range(6):
    memory = driver.cuMemAlloc(SIZE)[1]
    address, left = ctypes.c_uint64(int(memory)), ctypes.c_long(COUNT)
    driver.cuMemsetD8(memory, 0, SIZE)
    device.sync()
    params = (ctypes.c_void_p * 1)(ctypes.addressof(address))

    def work():
        device.set_current()
        handles = (ctypes.c_void_p(int(each.handle)) for each in (kernel, stream))
        assert repeat(launch, *handles, params, ctypes.byref(left)) == 0

    thread = threading.Thread(target=work)
    thread.start()
    while left.value > COUNT - 1000:
        time.sleep(0.001)
    assert driver.cuIpcGetMemHandle(memory)[0] == 0
    thread.join()
    stream.sync()
    value = ctypes.c_uint32()
    driver.cuMemcpyDtoH(ctypes.addressof(value), memory, 4)
    print(left.value, COUNT - value.value)
'''


@pytest.mark.cpu_only
@pytest.mark.skipif(shutil.which("gcc") is None, reason="the loop of launches is written in C")
def test_no_write_is_lost_while_memory_moves(tmp_path):
    said = run_checked(f"import sys; sys.argv[1:] = [{str(tmp_path)!r}]\n{LAUNCHING}")
    assert said.split() == ["0", "0"] * 6
