# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Faults are reported in threads whose alternate signal stack another library has removed or replaced."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest
from support.warp_kernels import KIND

PROGRAM = '''
import ctypes, mmap, sys
import numpy as np
from support.loaded import Loaded

class Stack(ctypes.Structure):
    _fields_ = [("memory", ctypes.c_void_p), ("flags", ctypes.c_int), ("size", ctypes.c_size_t)]

NONE = 2  # SS_DISABLE
libc, kept = ctypes.CDLL(None, use_errno=True), []

def none():
    assert libc.sigaltstack(ctypes.byref(Stack(0, NONE, 0)), None) == 0

def other():
    kept.append(ctypes.create_string_buffer(1 << 14))
    assert libc.sigaltstack(ctypes.byref(Stack(ctypes.addressof(kept[-1]), 0, 1 << 14)), None) == 0

PTX = b""".version 8.0
.target sm_80
.address_size 64
.func (.param .b32 r) deep(.param .align 4 .b8 n[4096]) {
  .reg .b32 %r<3>; .reg .pred %p<2>; ld.param.b32 %r1, [n]; setp.eq.u32 %p1, %r1, 0; @%p1 bra DONE;
  sub.u32 %r1, %r1, 1;
  { .param .align 4 .b8 m[4096]; .param .b32 s; st.param.b32 [m], %r1; call (s), deep, (m); ld.param.b32 %r1, [s]; }
  DONE: add.u32 %r1, %r1, 1; st.param.b32 [r], %r1; ret; }
.visible .entry k(.param .u64 p, .param .u32 n) {
  .reg .b32 %r<3>; .reg .u64 %rd<2>; ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n];
  { .param .align 4 .b8 m[4096]; .param .b32 s; st.param.b32 [m], %r1; call (s), deep, (m); ld.param.b32 %r1, [s]; }
  st.global.u32 [%rd1], %r1; ret; }
"""
out, nothing = np.zeros(1, np.uint32), mmap.mmap(-1, mmap.PAGESIZE)
where = np.frombuffer(nothing, np.uint8).ctypes.data
libc.mprotect(ctypes.c_void_p(where), mmap.PAGESIZE, 0)

def run(loaded, address, depth):
    fault = loaded.run("k", 1, 1, np.uint64(address), np.uint32(depth))
    return fault and fault.kind

def run_well(loaded):
    assert run(loaded, out.ctypes.data, 3) is None and out[0] == 4

both = [Loaded(PTX), Loaded(PTX)]
take = {"none": none, "other": other}[sys.argv[1]]
function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: take())
for loaded in both:
    if "queue" in sys.argv:
        loaded._queue.call(ctypes.cast(function, ctypes.c_void_p).value, 0)
    else:
        for _ in range(50):  # a brief kernel, which from then on runs in the thread that launches it
            run_well(loaded)
take()
print(run(both[0], where, 3), run(both[1], 0, 1 << 30))
for loaded in both:
    run_well(loaded)
'''


@pytest.mark.parametrize("thread", ["caller", "queue"])
@pytest.mark.parametrize("stack", ["none", "other"])
def test_faults_on_a_foreign_signal_stack(thread: str, stack: str) -> None:
    command = [sys.executable, "-c", PROGRAM, stack, thread]
    path = os.pathsep.join([str(pathlib.Path(__file__).parents[2]), *sys.path])
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=os.environ | {"PYTHONPATH": path})
    illegal, overflow = KIND.ILLEGAL_ADDRESS, KIND.STACK
    assert (done.stdout, done.returncode) == (f"{illegal} {overflow}\n", 0), done.stderr
