# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Mutation testing of the compiler: plant faults one at a time and report which of them random kernels detect.

`python -m support.fault_hunt [--kernels N] [--seconds S] [AREA or NUMBER ...]`, in the folder tests. Each fault is
planted in a process of its own, which compiles random kernels and runs those whose code the fault changes, until a
result differs from the plain interpreter's, a kernel faults, or one cannot be compiled. The interpreter's results, and
the code without a fault, are computed once. A first run without any fault must detect nothing.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import functools
import hashlib
import importlib.machinery
import os
import pickle
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from random import Random
from types import FrameType
from typing import NamedTuple

from support.planted_faults import FAULTS

Fault = tuple[str, str, str]
EVERY = [(area, fault) for area, faults in FAULTS.items() for fault in faults]
# SIMD width, lane run, whether the CPU has gathers, iterations of an interleaved slice; see test_differential.py.
WAYS = [("32", 64, True, 2), ("32", 16, True, 8), ("32", 32, False, 8)]
PACE = 25  # kernels tried with each setting before the next ones
TESTS = Path(__file__).parent.parent
ENVIRONMENT = {
    "CUDA_CPU_CACHE": "0", "CUDA_CPU_LEVEL": "0", "CUDA_CPU_WORKERS": "1", "CUDA_PYTHON_DRIVER": "cpu",
}  # fmt: skip
HANG = 20.0  # seconds after which a kernel counts as hanging: all take a small fraction of one
SHORT = 4  # kernels of short statements for each of the other kinds


class Kernel(NamedTuple):
    """A random kernel, its results in the interpreter, and per setting the hash of its code and the faults reached."""

    case: object
    expected: tuple
    codes: list[bytes]
    reached: list[set[int]]  # faults whose statements run when it is compiled, for each setting


class Result(NamedTuple):
    found: bool
    how: str  # the error, or how many kernels' code the fault changed and how many of them were run
    seconds: float


def plant(fault: Fault) -> Path:
    """Make the import of a fault's file load it with the fault; return its path. It must not be imported yet."""
    import cuda.cpu

    file, text, replacement = fault
    path = Path(cuda.cpu.__file__).parent / file
    source = path.read_text()
    assert text in source, f"{file} has no {text!r}"
    assert "cuda.cpu." + file.removesuffix(".py").replace("/", ".") not in sys.modules
    code = compile(source.replace(text, replacement, 1), str(path), "exec")
    loader, get_code = importlib.machinery.SourceFileLoader, importlib.machinery.SourceFileLoader.get_code

    def load(self: importlib.machinery.SourceFileLoader, name: str) -> object:
        return code if self.path == str(path) else get_code(self, name)

    loader.get_code = load
    return path


@contextlib.contextmanager
def compiled_by(way: tuple) -> Iterator[None]:
    """Compile kernels with a setting."""
    from cuda.cpu.compile import jit
    from cuda.cpu.emit.simt import interleaving

    before = interleaving.ITERATIONS, interleaving.FAR, jit._has_gathers
    width, _, gathers, rounds = way
    os.environ["CUDA_CPU_WIDTH"] = width
    interleaving.ITERATIONS, interleaving.FAR = rounds, 256 if rounds == 2 else interleaving.FAR
    jit._has_gathers = lambda native=before[2]: gathers and native()
    try:
        yield
    finally:
        interleaving.ITERATIONS, interleaving.FAR, jit._has_gathers = before


def hash_of(text: str, way: tuple, block: tuple[int, int, int] = (1, 1, 1)) -> bytes:
    """Return a hash of the compiler's output for a kernel with a setting."""
    from support.loaded import run_of

    from cuda.cpu.compile import jit
    from cuda.cpu.compile.program import code_of
    from cuda.cpu.ptx.program import build

    program = build([text])
    with compiled_by(way):
        kernel = jit.kernel_text(program, "k", run_of(block, way[1]))
    code = code_of(program)
    facts = (kernel.text, kernel.path, kernel.local_bytes, code.kernels, code.variables)
    return hashlib.sha256(repr(facts).encode()).digest()


def corpus(count: int) -> list[Kernel]:
    """Return `count` kernels: most of short statements, of each family in turn, and some of the other kinds in turn."""
    from support.random_focus import TURNS, focused
    from support.random_jumps import unstructured
    from support.random_ptx import streaming, structured
    from support.random_uniform_tile import tiled

    others = (structured, tiled, unstructured, streaming)

    def case(number: int) -> object:
        turn, rest = divmod(number, SHORT + 1)
        if rest == SHORT:
            return others[turn % len(others)](Random(turn))
        seed = SHORT * turn + rest
        return focused(Random(seed), TURNS[seed % len(TURNS)])

    return [prepared(case(number)) for number in range(count)]


def prepared(case: object) -> Kernel:
    codes, reached = [], []
    for way in WAYS:
        with reach() as found:
            codes.append(hash_of(case.text, way, case.block))
        reached.append(found)
    return Kernel(case, case.interpreted(), codes, reached)


@contextlib.contextmanager
def reach() -> Iterator[set[int]]:
    """Collect the faults whose statements run; those outside functions run at import."""
    found = {number for number, (_, first, _) in enumerate(statements()) if not first}
    inside: dict[str, list[tuple[int, int, int]]] = {}
    for number, (path, first, last) in enumerate(statements()):
        inside.setdefault(path, []).append((first, last, number))
    watched: dict[int, list[tuple[int, int, int]]] = {}  # keyed by the id() of code objects, which live as long as this

    def called(frame: FrameType, event: str, argument: object) -> Callable | None:
        code = frame.f_code
        if id(code) not in watched:
            of_code = [line for _, _, line in code.co_lines() if line] or [0]
            lines = range(min(of_code), max(of_code) + 1)
            watched[id(code)] = [each for each in inside.get(code.co_filename, ()) if each[0] and each[0] in lines]
        return ran if watched[id(code)] else None

    def ran(frame: FrameType, event: str, argument: object) -> Callable:
        for first, last, number in watched[id(frame.f_code)]:
            if first <= frame.f_lineno <= last:
                found.add(number)
        return ran

    sys.settrace(called)
    try:
        yield found
    finally:
        sys.settrace(None)


@functools.cache
def statements() -> list[tuple[str, int, int]]:
    """Return file, first and last line of the statement that contains each fault; 0 and 0 outside functions."""
    import cuda.cpu

    result = []
    for _, (file, text, _) in EVERY:
        path = Path(cuda.cpu.__file__).parent / file
        source = path.read_text()
        begin = source[: source.index(text)].count("\n") + 1
        end = begin + text.rstrip("\n").count("\n")
        tree = ast.parse(source)
        functions = [each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)]
        if not any(each.body[0].lineno <= begin <= each.end_lineno for each in functions):
            result.append((str(path), 0, 0))
            continue
        around = [each for each in ast.walk(tree) if isinstance(each, ast.stmt)]
        inner = max((each for each in around if each.lineno <= begin <= each.end_lineno), key=lambda each: each.lineno)
        last = inner.end_lineno if not hasattr(inner, "body") else inner.body[0].lineno
        result.append((str(path), inner.lineno, max(last, end)))
    return result


def hunt(kernels: list[Kernel], seconds: float, number: int) -> Result:
    """Run the kernels whose code a fault changes (all, if the number is negative) until a result is wrong."""
    from support import loaded

    loaded.WAIT = HANG
    begun, changed = time.process_time(), 0
    pairs = [(each, way) for first in range(0, len(kernels), PACE) for way in range(len(WAYS))
             for each in range(first, min(first + PACE, len(kernels)))]  # fmt: skip
    pairs = [(each, way) for each, way in pairs if number < 0 or number in kernels[each].reached[way]]
    for each, which in pairs:
        kernel, way = kernels[each], WAYS[which]
        if time.process_time() - begun > seconds:
            break
        try:
            if number >= 0 and hash_of(kernel.case.text, way, kernel.case.block) == kernel.codes[which]:
                continue
            changed += 1
            with compiled_by(way):
                kernel.case.check(loaded.Loaded(kernel.case.text.encode(), way[1]), kernel.expected, str(way))
        except Exception as error:
            message = " ".join(str(error).split())[:90] or type(error).__name__
            return Result(True, f"kernel {each}, {way}: {message}", time.process_time() - begun)
    return Result(False, f"{changed} of {len(pairs)} codes run", time.process_time() - begun)


def child(number: int, file: str, seconds: float) -> None:
    """Plant one fault (none if the number is negative), hunt, and print the result."""
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 20, int(seconds) + 25))
    if number >= 0:
        plant(EVERY[number][1])
    with open(file, "rb") as stored:
        kernels = pickle.load(stored)
    found, how, took = hunt(kernels, seconds, number)
    print("FOUND" if found else "MISSED", f"{took:.1f}", how, flush=True)
    os._exit(0)


def try_fault(number: int, file: str, seconds: float) -> Result:
    """Run the process for one fault."""
    command = [sys.executable, "-m", "support.fault_hunt", "--child", str(number), file, str(seconds)]
    done = subprocess.run(command, env=os.environ | ENVIRONMENT, capture_output=True, text=True, cwd=TESTS)
    lines = done.stdout.strip().splitlines()
    if done.returncode < 0:  # LLVM ended the process, or a kernel did not end
        return Result(True, f"signal {-done.returncode}", 0)
    if done.returncode or not lines:
        raise RuntimeError(f"fault {number} could not be tried: {done.stderr}")
    verdict, took, how = lines[-1].split(maxsplit=2)
    return Result(verdict == "FOUND", how, float(took))


def select(wanted: list[str]) -> list[int]:
    """Return the numbers of the faults selected by area or number; all without a selection."""
    chosen = [number for number, (area, _) in enumerate(EVERY) if area in wanted or str(number) in wanted]
    return chosen if wanted else list(range(len(EVERY)))


def report(results: dict[int, Result]) -> str:
    """Return a table of the results by area."""
    lines = ["", "area           planted  found"]
    for area in FAULTS:
        found = [result.found for number, result in results.items() if EVERY[number][0] == area]
        lines += [f"{area:14} {len(found):7} {sum(found):6}"] * bool(found)
    count = sum(result.found for result in results.values())
    return "\n".join([*lines, f"{'all':14} {len(results):7} {count:6}  {100 * count / len(results):.0f} of 100"])


def main() -> None:
    if sys.argv[1:2] == ["--child"]:
        child(int(sys.argv[2]), sys.argv[3], float(sys.argv[4]))
    parser = argparse.ArgumentParser(prog="python -m support.fault_hunt")
    parser.add_argument("--kernels", type=int, default=400, help="how many random kernels there are")
    parser.add_argument("--seconds", type=float, default=60, help="of the processor that one fault may take")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("which", nargs="*", help="areas or numbers of faults; all without")
    options = parser.parse_args()
    os.environ |= ENVIRONMENT
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "corpus")
        with open(file, "wb") as stored:
            pickle.dump(corpus(options.kernels), stored)
        control = try_fault(-1, file, options.seconds)
        print(f"no fault: {control.how}, {control.seconds:.0f} s", flush=True)
        if control.found:
            sys.exit(1)
        results = {}
        with ThreadPoolExecutor(options.processes) as pool:
            tried = {pool.submit(try_fault, each, file, options.seconds): each for each in select(options.which)}
            for future in as_completed(tried):
                number, result = tried[future], future.result()
                results[number] = result
                verdict = "found " if result.found else "MISSED"
                print(f"{number:4} {EVERY[number][0]:12} {verdict} {result.seconds:5.0f} s  {result.how}", flush=True)
    print(report(results))


if __name__ == "__main__":
    main()
