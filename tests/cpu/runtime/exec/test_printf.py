# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Device printf and assert: formats, the packing of arguments, the order of output, and the time of flushes."""

import ctypes
import os
import struct
import subprocess
import sys
import tempfile

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.warp_kernels import KIND, WAIT

from cuda.cpu.runtime import _runtime as runtime

INTEGER, FLOAT = "diouxXc", "aAeEfFgG"


def pack(values):
    """Pack arguments as in CUDA's vprintf buffer: each aligned to its size, floats as doubles."""
    out = b""
    for kind, value in values:
        size = struct.calcsize(kind)
        out += bytes(-len(out) % size) + struct.pack(f"<{kind}", value)
    return out + bytes(16)


def flushed():
    """Flush with file descriptor 1 redirected, and return the output."""
    sys.stdout.flush()
    saved = os.dup(1)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 1)
        try:
            runtime.flush_printf()
        finally:
            os.dup2(saved, 1)
            os.close(saved)
        file.seek(0)
        return file.read().decode()


def show(device, form, *values, lanes=1, number_lanes=False):
    text, data = ctypes.create_string_buffer(form), ctypes.create_string_buffer(pack(values))
    result = np.full(32, -9, np.int32)
    where = result.ctypes.data if number_lanes else 0
    fault = device.run("print", 1, lanes, where, ctypes.addressof(text), ctypes.addressof(data), len(data))
    assert fault is None
    return flushed(), result


@pytest.mark.parametrize(
    ("form", "values", "text"),
    [
        (b"plain, 100%%\n", [], "plain, 100%\n"),
        (b"%d %i %u", [("i", -5), ("i", 7), ("I", 2**32 - 1)], "-5 7 4294967295"),
        (b"%ld|%lld|%lu|%zu", [("q", -(2**40)), ("q", 2**62), ("Q", 2**64 - 1), ("Q", 3)],
         "-1099511627776|4611686018427387904|18446744073709551615|3"),
        (b"%hd %hhd %hu", [("i", 65537), ("i", 257), ("I", 65535)], "1 1 65535"),
        (b"%d %f %d", [("i", 1), ("d", 2.5), ("i", 3)], "1 2.500000 3"),
        (b"%c%c|%5c|", [("i", 72), ("i", 105), ("i", 33)], "Hi|    !|"),
        (b"%08.3f|%-8d|%+d|% d|%#x", [("d", 3.14159), ("i", 42), ("i", 5), ("i", 5), ("I", 255)],
         "0003.142|42      |+5| 5|0xff"),
        (b"%*d|%.*f", [("i", 6), ("i", 42), ("i", 2), ("d", 1.239)], "    42|1.24"),
        (b"%p", [("Q", 0xDEAD)], "0xdead"),
        (b"%s", [("Q", 0)], "(null)"),
        (b"100%! %y %lq %", [], "100%! %y %lq %"),
        (b"%5000d", [("i", 1)], " " * 4999 + "1"),
    ],
)  # fmt: skip
def test_formats(device, form, values, text):
    assert show(device, form, *values)[0] == text


def test_strings(device):
    strings = [ctypes.create_string_buffer(b"x" * count) for count in (3, 2000)]
    addresses = [("Q", ctypes.addressof(string)) for string in strings]
    text, _ = show(device, b"[%s] [%.2s] [%5s] %s", addresses[0], addresses[0], addresses[0], addresses[1])
    assert text == "[xxx] [xx] [  xxx] " + "x" * 2000


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    flags=st.text("-+ #0", max_size=3),
    width=st.integers(0, 30) | st.none(),
    precision=st.integers(0, 20) | st.none(),
    value=st.integers(-(2**31), 2**31 - 1) | st.floats(),
    letter=st.data(),
)
def test_numbers_as_c_shows_them(device, flags, width, precision, value, letter):
    """Compared with the process's own C library."""
    whole = isinstance(value, int)
    form = f"%{flags}{'' if width is None else width}{'' if precision is None else f'.{precision}'}"
    form = (form + letter.draw(st.sampled_from(INTEGER.replace("c", "") if whole else FLOAT))).encode()
    form = form.replace(b"%0", b"%00") if width is not None and form.startswith(b"%0") else form
    wanted = ctypes.create_string_buffer(512)
    argument = ctypes.c_int(value) if whole else ctypes.c_double(value)
    ctypes.CDLL(None).snprintf(wanted, 512, form, argument)
    assert show(device, form, ("i" if whole else "d", value))[0] == wanted.value.decode()


def test_lanes_print_in_order_and_count_their_arguments(device):
    text, result = show(device, b"lane %d of %s\n", ("i", 0), ("Q", 0), lanes=20, number_lanes=True)
    assert text == "".join(f"lane {lane} of (null)\n" for lane in range(20))
    assert result.tolist() == [2] * 20 + [-9] * 12


def test_text_waits_for_the_flush_unless_the_buffer_is_full(device, capfd):
    capfd.readouterr()
    form = ctypes.create_string_buffer(b"0123456789")
    runtime.set_printf_size(100)
    try:
        for _ in range(12):
            assert device.run("print", 1, 1, 0, ctypes.addressof(form), ctypes.addressof(form), 0) is None
            runtime_out = capfd.readouterr().out
            if runtime_out:
                assert runtime_out == "0123456789" * 11
        runtime.flush_printf()
        assert capfd.readouterr().out == "0123456789"
    finally:
        runtime.set_printf_size(1 << 20)
    runtime.flush_printf()
    assert capfd.readouterr().out == ""


def test_text_keeps_its_place_among_python_output(image_file):
    script = """
import ctypes, numpy as np, pathlib, sys
from cuda.cpu.runtime import _runtime as runtime
image, queue = runtime.Image(pathlib.Path(sys.argv[1]).read_bytes()), runtime.Queue()
text = ctypes.create_string_buffer(b"kernel ")
params = np.array([0, ctypes.addressof(text), ctypes.addressof(text), 0], np.uint64)
grid = runtime.CompiledKernel(image.address("print"), "print", 0, 0, 0, 32, False, image)
ctypes.CDLL(None).printf(b"C ")
print("before", end=" ")
queue.launch(grid, (1, 1, 1), (1, 1, 1), (1, 1, 1), 0, params.ctypes.data, False, 1)
queue.wait(-1)
runtime.flush_printf()
print("after")
queue.launch(grid, (1, 1, 1), (1, 1, 1), (1, 1, 1), 0, params.ctypes.data, False, 1)
queue.wait(-1)
"""
    done = subprocess.run([sys.executable, "-c", script, image_file], capture_output=True, text=True, timeout=WAIT)
    assert done.stderr == ""
    first, second = done.stdout.splitlines()
    assert sorted(first.split()[:2]) == ["C", "before"]
    assert first.split()[2:] == ["kernel", "after"]
    assert second == "kernel "  # text that was not flushed appears at exit


def test_bad_string_is_a_fault(device, arena):
    form, data = ctypes.create_string_buffer(b"%s"), ctypes.create_string_buffer(pack([("Q", arena.base)]))
    fault = device.run("print", 1, 1, 0, ctypes.addressof(form), ctypes.addressof(data), len(data))
    assert (fault.kind, fault.address) == (KIND.ILLEGAL_ADDRESS, arena.base)


def test_assert_names_the_thread(device, capfd):
    fault = device.run("fail_assert", 1, 32)
    assert fault.kind == KIND.ASSERT
    assert fault.message == ("kernel.cu:12: void f(int): block: [0,0,0], thread: [1,0,0] Assertion `x > 0` failed.")
    assert capfd.readouterr().err.splitlines() == [fault.message, fault.message.replace("[1,", "[2,")]
