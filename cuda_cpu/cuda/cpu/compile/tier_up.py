# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Tier-up: compile hot kernels again, with all of LLVM's passes, while they run.

The first compilation of a kernel is a quick one. The runtime adds up the time of its launches. Above a threshold, a
thread translates the kernel again, with all copies of its blocks, and a process of low priority compiles it at level 3;
blocks that start later run the new code.

A process is used because llvmlite compiles one module at a time, so that the first launch of another kernel would wait,
and because a thread in LLVM could not be stopped at exit. The process ends when its input pipe is closed.
"""

from __future__ import annotations

import os
import select
import sys
import threading
import weakref
import zlib
from typing import IO, TYPE_CHECKING

from cuda.cpu.compile import cache, identity
from cuda.cpu.compile.frames import COMMON, stack_of
from cuda.cpu.compile.jit import BEST, assemble, pack
from cuda.cpu.runtime import _runtime
from cuda.cpu.signals import own

if TYPE_CHECKING:
    import subprocess

    from cuda.cpu.compile.code import MachineCode

ENOUGH = 100_000_000  # nanoseconds of launches from which on optimised code is worth its compilation
ENOUGH_BRIEF = ENOUGH // 3  # of brief code, which takes three times as long to run
NICE = 10
PATIENCE = 60.0  # seconds for one kernel, as others wait; after that its code is not replaced

# The process runs only Python's own library, cuda.cpu and llvmlite: no code from the current folder, PYTHON* variables
# (-I) or site-packages (-S). The folders of cuda.cpu and llvmlite come last on sys.path, after Python's library.
ISOLATED = ("-I", "-S", "-B", "-c")
SERVE = "import sys; sys.path += sys.argv[1:]; from cuda.cpu.compile.tier_up import serve; serve()"

_lock = threading.Lock()
_watched: list[tuple[weakref.ref[_runtime.CompiledKernel], MachineCode, str]] = []
_thread: threading.Thread | None = None


def watch(kernel: _runtime.CompiledKernel, machine: MachineCode, name: str) -> None:
    """Replace the code of a kernel by optimised code once it is hot."""
    global _thread
    if machine.translate is None or not _has_interpreter():
        return
    with _lock:
        _watched[:] = [item for item in _watched if item[0]() is not None]
        _watched.append((weakref.ref(kernel), machine, name))
        if _thread is None:
            thread = threading.Thread(target=_work, name="cuda-tier-up", daemon=True)
            try:
                thread.start()
            except RuntimeError:  # no more threads are allowed: retried at the next kernel
                return
            _thread = thread
    kernel.watch(ENOUGH_BRIEF if machine.most_threads else ENOUGH)


def _has_interpreter() -> bool:
    """Return whether this process runs a Python interpreter, not a program that embeds one."""
    name = sys.executable or ""
    return os.path.isabs(name) and os.path.basename(name).startswith(("python", "pypy"))


def _roots() -> list[str]:
    """Return the folders, by absolute paths, from which cuda.cpu and llvmlite are imported."""
    roots = [os.path.dirname(os.path.dirname(identity.PACKAGE))]
    llvmlite = identity.find_llvmlite()
    if llvmlite is not None:
        roots.append(os.path.dirname(llvmlite))
    return roots


def _work() -> None:
    compiler, seen = None, 0
    while True:
        for kernel, machine, name in _hot():
            if machine.translate is not None:
                compiler = compiler or _Compiler()
                _tier_up(machine, name, compiler)
            kernel.replace(machine.address)
            del kernel, machine
        seen = _runtime.wait_hot(seen)


def _hot() -> list[tuple[_runtime.CompiledKernel, MachineCode, str]]:
    """Remove the hot kernels from the list and return them."""
    found = []
    with _lock:
        for item in list(_watched):
            reference, machine, name = item
            kernel = reference()
            if kernel is None or kernel.is_hot():
                _watched.remove(item)
            if kernel is not None and kernel.is_hot():
                found.append((kernel, machine, name))
    return found


def _tier_up(machine: MachineCode, name: str, compiler: _Compiler) -> None:
    """Replace a kernel's code by optimised code; without a compiler it stays as it is."""
    translate, machine.translate = machine.translate, None
    assert translate is not None
    text = translate()
    data = compiler.compile(zlib.compress(text.encode(), 1))
    if data is None or stack_of(data) > max(machine.frames, COMMON):  # running launches have allocated their stacks
        return
    image = _runtime.Image(data)
    machine.image = (machine.image, image)  # the old code may still run
    machine.address = image.address(name)
    cache.store(machine.key, pack(data, machine.path, machine.local_bytes, machine.frames, quick=False))
    if os.environ.get("CUDA_CPU_EXPLAIN") == "1":
        note = f"is hot: compiled again at level {BEST} ({len(text)} bytes of IR)"
        print(f"cuda.cpu: kernel {name} {note}", file=sys.stderr)


class _Compiler:
    """The process that compiles; messages on its pipes are a length and bytes."""

    def __init__(self) -> None:
        self._process = self._start()

    def _start(self) -> subprocess.Popen | None:
        import subprocess  # importing it takes longer than the first launch of a cached kernel

        try:
            return subprocess.Popen(
                [sys.executable, *ISOLATED, SERVE, *_roots()],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                process_group=0,  # so that Ctrl-C does not reach it
            )  # fmt: skip
        except own(OSError):
            return None

    def compile(self, ir: bytes) -> bytes | None:
        """Return the object, or None if the process could not be started or has failed."""
        if self._process is None:
            return None
        pipe_in, pipe_out = self._process.stdin, self._process.stdout
        assert pipe_in is not None
        assert pipe_out is not None
        try:
            write(pipe_in, ir)
            if select.select([pipe_out], [], [], PATIENCE)[0]:
                return read(pipe_out)
            with self._process as late:  # closes its pipes, and waits
                late.kill()
            self._process = self._start()
            return None
        except own(OSError):
            self._process = None
            return None


def write(pipe: IO[bytes], data: bytes) -> None:
    pipe.write(len(data).to_bytes(8, "little") + data)
    pipe.flush()


def read(pipe: IO[bytes]) -> bytes | None:
    """Return the next message, None at the end."""
    head = pipe.read(8)
    if len(head) < 8:
        return None
    size = int.from_bytes(head, "little")
    data = pipe.read(size)
    return data if len(data) == size else None


def serve() -> None:
    """Compile each message of standard input until it ends: the main function of the process."""
    os.nice(NICE)
    while (ir := read(sys.stdin.buffer)) is not None:
        write(sys.stdout.buffer, assemble(zlib.decompress(ir).decode(), BEST))
