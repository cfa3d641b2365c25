# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Restrict the calling process as sandboxes do: system calls, threads, /proc. For child processes only."""

from __future__ import annotations

import ctypes
import errno
import os
import struct

from cuda.cpu.compile import machines

CLONE_NEWNS, MS_REC, MS_PRIVATE = 0x20000, 0x4000, 1 << 18
NO_NEW_PRIVILEGES, SET_SECCOMP, FILTER = 38, 22, 2
_libc = ctypes.CDLL(None, use_errno=True)


def deny(*calls: int, error: int = errno.EPERM) -> None:
    """Make system calls fail (seccomp), for this process and its children."""
    program = struct.pack("=HBBI", 0x20, 0, 0, 0)  # load the number of the call
    for index, number in enumerate(calls):
        program += struct.pack("=HBBI", 0x15, len(calls) - index, 0, number)  # if equal, jump to the last instruction
    program += struct.pack("=HBBI", 0x06, 0, 0, 0x7FFF0000)  # allow
    program += struct.pack("=HBBI", 0x06, 0, 0, 0x00050000 | error)
    code = ctypes.create_string_buffer(program)
    filled = struct.pack("@HP", len(program) // 8, ctypes.addressof(code))
    assert _libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) == 0
    assert _libc.prctl(SET_SECCOMP, FILTER, filled, 0, 0) == 0


def deny_sysinfo() -> None:
    deny(machines.host().system_calls["sysinfo"])


def deny_threads() -> None:
    """Make starting threads and processes fail."""
    numbers = machines.host().system_calls
    deny(numbers["clone"], numbers["clone3"], error=errno.EAGAIN)


def hide_proc() -> None:
    """Replace /proc by an empty folder; needs root."""
    for status in (
        _libc.unshare(CLONE_NEWNS),
        _libc.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None),
        _libc.mount(b"none", b"/proc", b"tmpfs", 0, None),
    ):
        if status:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
