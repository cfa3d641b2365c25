# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The driver's log (cuLogsCurrent and its kin): messages of failed calls."""

from __future__ import annotations

import ctypes
import os

from cuda.cpu.driver.base import error
from cuda.cpu.driver.base.error import invalid
from cuda.cpu.driver.base.handle import Table
from cuda.cpu.signals import own

callbacks = Table("log callback")
_callback_type = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_size_t)

LOST = "(older messages were dropped)"


def cuLogsRegisterCallback(callbackFunc: int, userData: int) -> int:
    if not callbackFunc:
        raise invalid("cuLogsRegisterCallback: callbackFunc is NULL")
    call = _callback_type(callbackFunc)

    def report(text: str, level: int) -> None:
        data = text.encode()
        call(userData, level, data, len(data))

    handle = callbacks.add(call)
    error.listeners[handle] = report
    return handle


def cuLogsUnregisterCallback(callback: int) -> None:
    if callback not in callbacks:
        raise invalid(f"cuLogsUnregisterCallback: 0x{callback:x} is no registered callback")
    del callbacks[callback], error.listeners[callback]


def _check_flags(call: str, flags: int) -> None:
    if flags:
        raise invalid(f"{call}: flags is {flags}, must be 0")


def cuLogsCurrent(flags: int) -> int:
    _check_flags("cuLogsCurrent", flags)
    return error.written & 0xFFFFFFFF


def _since(iterator: int) -> list[str]:
    """Return the messages from a CUlogIterator on (NULL: all stored ones) and advance it past them."""
    texts = list(error.messages)
    if not iterator:
        return ([LOST] if error.written > len(texts) else []) + texts
    position = ctypes.c_uint32.from_address(iterator)
    count = (error.written - position.value) & 0xFFFFFFFF
    position.value = error.written & 0xFFFFFFFF
    return [LOST, *texts] if count > len(texts) else texts[len(texts) - count :]


def cuLogsDumpToFile(iterator: int, pathToFile: bytes | None, flags: int) -> None:
    _check_flags("cuLogsDumpToFile", flags)
    if not pathToFile:
        raise invalid("cuLogsDumpToFile: pathToFile is NULL or empty")
    try:
        with open(os.fsdecode(pathToFile), "w") as file:
            file.writelines(f"{text}\n" for text in _since(iterator))
    except own(OSError) as failure:
        raise invalid(f"cuLogsDumpToFile: {failure}") from None


def cuLogsDumpToMemory(iterator: int, buffer: int, size: int, flags: int) -> None:
    """Write as many of the latest messages as fit, each with a newline, and their size without the NUL."""
    _check_flags("cuLogsDumpToMemory", flags)
    if not buffer or not size:
        raise invalid("cuLogsDumpToMemory: buffer or size is NULL")
    length = ctypes.c_size_t.from_address(size)
    found, room = [text.encode() + b"\n" for text in _since(iterator)], length.value
    fitting: list[bytes] = []
    left = room - 1 - len(LOST) - 1 if sum(map(len, found)) > room - 1 else room - 1
    for text in reversed(found):
        if len(text) > left:
            break
        left -= len(text)
        fitting.insert(0, text)
    length.value = 0
    if found and not fitting:
        raise invalid(f"cuLogsDumpToMemory: {room} bytes do not hold one message")
    if len(fitting) < len(found):
        fitting.insert(0, LOST.encode() + b"\n")
    data = b"".join(fitting)
    if room:
        ctypes.memmove(buffer, data + b"\0", len(data) + 1)
    length.value = len(data)


def forget_after_fork() -> None:
    callbacks.clear()
    error.listeners.clear()
