# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The line that long compilations show on a terminal: NVRTC's in cuda.core, and those of the CPU device."""

import ast
import inspect
import os
import pty
import re
import subprocess
import sys
import textwrap

import pytest

from cuda.core._utils import _progress
from cuda.cpu.compile import progress

ERASE = "\r\x1b[K"
WAIT = r"""
    import time
    from cuda.core._utils import _progress
    _progress.DELAY = 0.05
    with _progress.Progress("compiling 'a\nb'"):
        time.sleep(SECONDS)
"""


def on_terminal(text, *, stderr_is_one=True, **variables):
    """Run a script and return what its standard error, by default a terminal, gets."""
    ours, theirs = pty.openpty()
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path), "TERM": "xterm"}
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", textwrap.dedent(text)],
        env=environment | variables,
        stdout=subprocess.PIPE,
        stderr=theirs if stderr_is_one else subprocess.PIPE,
    )
    os.close(theirs)
    out, error = process.communicate(timeout=100)
    shown = error or b""
    while True:
        try:
            data = os.read(ours, 4096)
        except OSError:  # the other end is closed
            break
        if not data:
            break
        shown += data
    os.close(ours)
    assert process.returncode == 0, shown
    return out.decode(), shown.decode()


def test_a_long_compilation_shows_a_line_and_erases_it():
    _, shown = on_terminal(WAIT.replace("SECONDS", "0.3"))
    assert shown == f"{ERASE}compiling 'a?b' (0 s){ERASE}"


def test_the_line_fits_into_the_terminal():
    script = WAIT.replace("SECONDS", "0.3").replace(r"a\nb", "x" * 300)
    narrow = "import os; os.get_terminal_size = lambda fd: os.terminal_size((20, 5))\n"
    _, shown = on_terminal(narrow + textwrap.dedent(script))
    assert shown == f"{ERASE}compiling 'xxxxxxxx{ERASE}"


@pytest.mark.parametrize(
    ("seconds", "settings"),
    [
        ("0", {}),  # a short one
        ("0.3", {"CUDA_PYTHON_PROGRESS": "0"}),
        ("0.3", {"TERM": "dumb"}),
        ("0.3", {"stderr_is_one": False}),
    ],
)
def test_nothing_is_shown(seconds, settings):
    assert on_terminal(WAIT.replace("SECONDS", seconds), **settings) == ("", "")


@pytest.mark.parametrize("replacement", ["None", "type('S', (), {'flush': lambda self: None})()", "io.StringIO()"])
def test_other_objects_in_place_of_stderr(replacement):
    script = f"import io, sys; sys.stderr = {replacement}\n" + textwrap.dedent(WAIT.replace("SECONDS", "0.2"))
    assert on_terminal(script) == ("", "")


def test_several_threads_show_one_line():
    script = """
        import threading, time
        from cuda.core._utils import _progress
        _progress.DELAY = 0.05
        def work(number):
            with _progress.Progress(f"compiling {number}"):
                time.sleep(0.4)
        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        with _progress.Progress("compiling again"):
            time.sleep(0.3)
        print(threading.active_count() <= 2)
    """
    out, shown = on_terminal(script)
    assert re.fullmatch(r"(\r\x1b\[K)compiling \d \(0 s\)\1\1compiling again \(0 s\)\1", shown)
    assert out.strip() == "True"


def test_fork_and_exit_during_a_compilation():
    script = """
        import os, threading, time
        from cuda.core._utils import _progress
        _progress.DELAY = 0.05
        def work():
            with _progress.Progress("compiling"):
                time.sleep(100)
        threading.Thread(target=work, daemon=True).start()
        time.sleep(0.3)
        child = os.fork()
        if child == 0:
            with _progress.Progress("in the child"):
                time.sleep(0.2)
            os._exit(0)
        print(os.waitpid(child, 0)[1])
    """
    out, shown = on_terminal(script)
    assert out.strip() == "0"
    assert shown.startswith(f"{ERASE}compiling (0 s)")


@pytest.mark.needs_nvrtc
@pytest.mark.cpu_only
def test_both_compilers_report(tmp_path):
    script = """
        from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch
        from cuda.core._utils import _progress
        from cuda.cpu.compile import progress
        _progress.DELAY = progress.DELAY = 0.001
        device = Device(0)
        device.set_current()
        stream = device.create_stream()
        source = 'extern "C" __global__ void long_one(float *x) { x[threadIdx.x] = sinf(x[0]) * powf(x[1], x[2]); }'
        kernel = Program(source, "c++", ProgramOptions(name="a.cu")).compile("ptx").get_kernel("long_one")
        launch(stream, LaunchConfig(grid=1, block=1), kernel, device.zeros(3, "f4"))
        stream.sync()
    """
    _, shown = on_terminal(script, CUDA_CPU_CACHE=str(tmp_path), CUDA_PYTHON_DRIVER="cpu")
    assert "compiling 'a.cu' (0 s)" in shown
    assert "compiling kernel 'long_one' for the CPU (0 s)" in shown
    assert shown.endswith(ERASE)


def test_the_two_copies_are_equal():
    def code(module):
        tree = ast.parse(inspect.getsource(module).replace("cuda.bindings._signals", "cuda.cpu.signals"))
        return ast.dump(ast.Module(tree.body[1:], []))  # without the docstring

    assert code(_progress) == code(progress)
