# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Code that catches OSError or Exception lets the exceptions of signal handlers pass, by `own` of cuda.cpu.signals.

Python runs the program's handlers in the middle of our code. A handler may raise a TimeoutError, which is an OSError.
"""

import ast
import os
import pathlib
import signal
import threading

import pytest

from cuda.cpu import signals

ROOT = pathlib.Path(__file__).parents[1]
FOLDERS = ["cuda_bindings/cuda", "cuda_core/cuda", "cuda_cpu/cuda"]
BROAD = {"OSError", "Exception", "EnvironmentError", "IOError"}
# File -> (handlers, reason)
OTHERS = {
    "cuda_bindings/cuda/bindings/_conflicts.py": (1, "checks errno, to import nothing"),
    "cuda_core/cuda/core/_program/_program.py": (1, "asks of_program, except for a cache of the program"),
    "cuda_core/cuda/core/_utils/_driver_log.py": (1, "in a thread, where no handlers run"),
    "cuda_core/cuda/core/_utils/_environment.py": (1, "facts of the report `python -m cuda.core`"),
    "cuda_cpu/cuda/cpu/__main__.py": (1, "the command is the program"),
    "cuda_cpu/cuda/cpu/cache_folder.py": (4, "checks errno: cuda.core has this file, too"),
    "cuda_cpu/cuda/cpu/driver/code/image.py": (1, "asks is_of_program"),
}


# Folders of commands, which are programs of their own.
COMMANDS = ("cuda_cpu/cuda/cpu/debug/", "cuda_cpu/cuda/cpu/programs/")


def broad(handler):
    kinds = handler.elts if isinstance(handler, ast.Tuple) else [handler]
    return any(isinstance(kind, ast.Name) and kind.id in BROAD for kind in kinds)


def found():
    counts = {}
    for path in (path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py") if not path.is_symlink()):
        for node in ast.walk(ast.parse(path.read_text())):
            caught = isinstance(node, ast.ExceptHandler) and broad(node.type) and ast.unparse(node.body[-1]) != "raise"
            suppressed = isinstance(node, ast.Call) and ast.unparse(node.func).endswith("suppress")
            if caught or (suppressed and any(map(broad, node.args))):
                name = str(path.relative_to(ROOT))
                counts[name] = counts.get(name, 0) + 1
    return {name: count for name, count in counts.items() if not name.startswith(COMMANDS)}


def test_broad_handlers_use_own():
    assert found() == {name: count for name, (count, _) in OTHERS.items()}


namespace = {"__name__": "cuda.example", "own": signals.own, "os": os, "signal": signal}
exec(
    """
def ask(path, number=None):
    try:
        if number is not None:
            signal.raise_signal(number)
        return os.stat(path).st_size
    except own(OSError, ValueError) as error:
        return str(error)
""",
    namespace,
)


def test_our_own_errors_are_caught():
    assert namespace["ask"]("/nowhere").startswith("[Errno 2]")
    assert namespace["ask"]("\0") == "embedded null byte"
    assert namespace["ask"](__file__) > 0


@pytest.mark.skipif(
    threading.current_thread() is not threading.main_thread(), reason="signal handlers run in the main thread"
)
@pytest.mark.parametrize("raised", [TimeoutError("late"), TimeoutError(110, "late"), ValueError("late"), KeyError("k")])
def test_the_exceptions_of_handlers_pass(raised):
    def handler(number, frame):
        raise raised

    before = signal.signal(signal.SIGALRM, handler)
    try:
        with pytest.raises(type(raised)) as caught:
            namespace["ask"](__file__, signal.SIGALRM)
        assert caught.value is raised
    finally:
        signal.signal(signal.SIGALRM, before)
