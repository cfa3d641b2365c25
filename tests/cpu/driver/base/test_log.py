# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import concurrent.futures
import contextlib
import ctypes

import pytest

from cuda.cpu import driver
from cuda.cpu.driver.base import log, unsupported
from cuda.cpu.driver.base.error import CudaError


def fail(ordinal: int) -> None:
    with contextlib.suppress(CudaError):
        driver.cuDeviceGet(ordinal)


def dump(room: int, iterator: ctypes.c_uint32 | None = None) -> bytes:
    buffer, size = ctypes.create_string_buffer(b"?" * room, room), ctypes.c_size_t(room)
    start = ctypes.addressof(iterator) if iterator is not None else 0
    driver.cuLogsDumpToMemory(start, ctypes.addressof(buffer), ctypes.addressof(size), 0)
    assert size.value == len(buffer.value)
    return buffer.value


def test_messages_since_an_iterator():
    mark = ctypes.c_uint32(driver.cuLogsCurrent(0))
    assert dump(1000, mark) == b""
    fail(70)
    fail(71)
    lines = dump(1000, mark).decode().splitlines()
    assert [line.split(" of ")[0] for line in lines] == ["error 101: device 70", "error 101: device 71"]
    assert dump(1000, mark) == b""


def test_a_small_buffer_gets_the_latest_messages():
    mark = ctypes.c_uint32(driver.cuLogsCurrent(0))
    fail(70)
    fail(71)
    length = len(driver.error.messages[-1]) + 1
    text = dump(length + len(log.LOST) + 2, mark).decode()
    assert text.splitlines()[0] == log.LOST
    assert "device 71" in text.splitlines()[1]


def test_a_buffer_too_small_for_any_message(refused):
    mark = ctypes.c_uint32(driver.cuLogsCurrent(0))
    fail(70)
    with refused("INVALID_VALUE", "do not hold one message"):
        dump(10, mark)


def test_messages_dropped_from_the_log_are_skipped():
    mark = ctypes.c_uint32(driver.cuLogsCurrent(0))
    for ordinal in range(100, 100 + driver.error.messages.maxlen + 1):
        fail(ordinal)
    assert dump(1 << 16, mark).startswith(log.LOST.encode() + b"\nerror 101: device 101 ")


def test_logging_to_a_file(tmp_path, refused):
    fail(70)
    driver.cuLogsDumpToFile(0, bytes(tmp_path / "log"), 0)
    assert "device 70" in (tmp_path / "log").read_text().splitlines()[-1]
    with refused("INVALID_VALUE", "No such file"):
        driver.cuLogsDumpToFile(0, bytes(tmp_path / "nowhere" / "log"), 0)


def test_callbacks(refused):
    seen = []
    kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_size_t)
    function = kind(lambda data, level, text, size: seen.append((data, level, text, size == len(text))))
    handle = driver.cuLogsRegisterCallback(ctypes.cast(function, ctypes.c_void_p).value, 5)
    fail(70)
    driver.cuLogsUnregisterCallback(handle)
    fail(71)
    assert [(data, level, sized) for data, level, _, sized in seen] == [(5, 0, True)]
    assert seen[0][2].startswith(b"error 101: device 70")
    with refused("INVALID_VALUE", "no registered callback"):
        driver.cuLogsUnregisterCallback(handle)


@pytest.mark.parametrize("call", [driver.cuLogsCurrent, lambda flags: driver.cuLogsDumpToFile(0, b"x", flags)])
def test_flags(refused, call):
    with refused("INVALID_VALUE", "must be 0"):
        call(1)


def test_profiler_start_and_stop_are_accepted(context):
    driver.cuProfilerStart()
    driver.cuProfilerStop()


def in_a_new_thread(function):
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        return pool.submit(function).result()


@pytest.mark.parametrize(
    "ask",
    [
        lambda: driver.cuPointerGetAttribute(ctypes.addressof(ctypes.c_int()), 2, 4096),
        lambda: driver.cuGetExportTable(0, 0),
        lambda: in_a_new_thread(driver.cuCtxGetDevice),
    ],
)
def test_routine_queries_are_not_logged(context, ask, capsys, monkeypatch):
    """Calls by which programs find out whether something is supported are not errors; CUDA_CPU_LOG=all prints them."""
    monkeypatch.setattr(unsupported, "report_runtime", lambda library: None)
    before = driver.cuLogsCurrent(0)
    for setting, printed in (("1", ""), ("all", "cuda.cpu: answer ")):
        monkeypatch.setenv("CUDA_CPU_LOG", setting)
        with pytest.raises(CudaError):
            ask()
        said = capsys.readouterr().err
        assert said.startswith(printed)
        assert bool(said) == bool(printed)
    assert driver.cuLogsCurrent(0) == before
