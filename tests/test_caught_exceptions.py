# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Code that catches OSError or Exception lets the exceptions of signal handlers pass, by `own` of cuda.cpu.signals.

Python runs the program's handlers in the middle of our code. A handler may raise a TimeoutError, which is an OSError.
"""

import ast
import builtins
import os
import pathlib
import signal
import threading

import pytest

from cuda.bindings import driver
from cuda.cpu import cache_folder, signals

ROOT = pathlib.Path(__file__).parents[1]
FOLDERS = ["cuda_bindings/cuda", "cuda_core/cuda", "cuda_cpu/cuda"]
BROAD = {"Exception"} | {
    name for name, kind in vars(builtins).items() if isinstance(kind, type) and issubclass(kind, OSError)
}
# File -> (handlers, reason)
OTHERS = {
    "cuda_bindings/cuda/bindings/_conflicts.py": (1, "checks errno, to import nothing"),
    "cuda_core/cuda/core/_program/_clang/_whole.py": (1, "the command `cc` is the program"),
    "cuda_core/cuda/core/_program/_clang/_whole_words.py": (1, "the same"),
    "cuda_core/cuda/core/_program/_program.py": (1, "asks of_program, except for a cache of the program"),
    "cuda_core/cuda/core/_utils/_driver_log.py": (1, "in a thread, where no handlers run"),
    "cuda_core/cuda/core/_utils/_environment.py": (1, "facts of the report `python -m cuda.core`"),
    "cuda_cpu/cuda/cpu/__main__.py": (1, "the command is the program"),
    "cuda_cpu/cuda/cpu/cache_folder.py": (7, "_let_pass: cuda.core has this file, too"),
    "cuda_cpu/cuda/cpu/driver/code/image.py": (1, "asks is_of_program"),
}


# Folders of commands, which are programs of their own.
COMMANDS = ("cuda_cpu/cuda/cpu/debug/session.py", "cuda_cpu/cuda/cpu/programs/")


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


needs_handlers = pytest.mark.skipif(
    threading.current_thread() is not threading.main_thread(), reason="signal handlers run in the main thread"
)


@pytest.fixture
def handled():
    """Return a function that makes SIGALRM raise an exception, by a function or another callable."""
    before = signal.getsignal(signal.SIGALRM)

    def set_(raised, wrap=lambda function: function):
        def handler(number, frame):
            raise raised

        signal.signal(signal.SIGALRM, wrap(handler))

    yield set_
    signal.signal(signal.SIGALRM, before)


@needs_handlers
@pytest.mark.parametrize("raised", [TimeoutError("late"), TimeoutError(110, "late"), ValueError("late"), KeyError("k")])
def test_the_exceptions_of_handlers_pass(raised, handled):
    handled(raised)
    with pytest.raises(type(raised)) as caught:
        namespace["ask"](__file__, signal.SIGALRM)
    assert caught.value is raised


@needs_handlers
@pytest.mark.parametrize("raised", [FileNotFoundError(2, "late"), TimeoutError(110, "late"), FileExistsError("late")])
@pytest.mark.parametrize("call", ["open", "mkdir", "stat"])
def test_folders_of_the_cache_let_them_pass(raised, call, handled, tmp_path, monkeypatch):
    """Whatever they are: the class and the number of an error do not tell who has raised it."""
    folder = cache_folder.CacheFolder(str(tmp_path / "cache"), b"magic")
    folder.store("entry", b"code")
    handled(raised)
    original = getattr(os, call, None)

    def interrupted(*arguments, **names):
        signal.raise_signal(signal.SIGALRM)
        return original(*arguments, **names)

    def use():
        if call == "stat":
            folder.trim(0, bool)
        else:
            cache_folder.CacheFolder(str(tmp_path / "new"), b"magic")

    with monkeypatch.context() as patch:
        if call == "stat":
            patch.setattr(os, "scandir", lambda handle: Entries(interrupted))
        else:
            patch.setattr(os, call, interrupted)
        with pytest.raises(type(raised)) as caught:
            use()
    assert caught.value is raised
    folder.close()


class Entries:
    """What os.scandir returns, with one entry whose status is asked for by a function."""

    name = "entry"

    def __init__(self, stat):
        self.stat = stat

    def __enter__(self):
        return iter([self])

    def __exit__(self, *reason):
        pass


class Spelt:
    """An object whose repr runs a function, as an argument that is of no use."""

    def __init__(self, spell):
        self.spell = spell

    def __repr__(self):
        return self.spell()


def failing():
    raise ValueError("no text")


@needs_handlers
@pytest.mark.parametrize("wrap", [lambda function: function, lambda function: Handlers(function).handle])
def test_messages_let_them_pass(handled, wrap):
    """A repr that fails is replaced in messages; an exception of a handler meanwhile is the program's."""
    with pytest.raises(TypeError, match=r"not Spelt \(a Spelt\)"):
        driver.cuMemAlloc(Spelt(failing))
    handled(TimeoutError("late"), wrap)
    with pytest.raises(TimeoutError, match="late"):
        driver.cuMemAlloc(Spelt(lambda: signal.raise_signal(signal.SIGALRM)))


class Handlers:
    def __init__(self, function):
        self.function = function

    def handle(self, number, frame):
        self.function(number, frame)
