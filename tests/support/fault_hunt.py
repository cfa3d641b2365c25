# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Plant faults in the compiler, one at a time, and tell which of them random kernels find.

`python -m support.fault_hunt [--kernels N] [--seconds S] [AREA or NUMBER ...]`, in the folder tests. Each fault is
planted in a process of its own, which compares random kernels with the plain interpreter until one differs, faults,
or cannot be compiled. What the interpreter makes of the kernels is computed once.
"""

from __future__ import annotations

import argparse
import importlib.machinery
import os
import pickle
import resource
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from random import Random

from support.planted_faults import FAULTS

Fault = tuple[str, str, str]
EVERY = [(area, fault) for area, faults in FAULTS.items() for fault in faults]
# Packet width, for which blocks, whether the CPU has gathers, rounds of a turn in a loop; see test_differential.py.
WAYS = [("32", 32, True, 2), ("32", 16, True, 8), ("32", 32, False, 8)]
TESTS = Path(__file__).parent.parent
PACE = 10  # kernels of which each way has tried as many before the next ones are


def plant(fault: Fault) -> Path:
    """Let the file of a fault be loaded with the fault in it; return its path. It must not be loaded yet."""
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


def corpus(count: int) -> list[tuple[object, tuple]]:
    """Return so many kernels with what the interpreter makes of them: two thirds short ones, then others in turn."""
    from support.random_even import tiled
    from support.random_focus import focused
    from support.random_jumps import unstructured
    from support.random_ptx import streaming, structured

    others, short = (structured, tiled, unstructured, streaming), count * 2 // 3
    cases = [focused(Random(seed)) for seed in range(short)]
    cases += [others[seed % len(others)](Random(seed)) for seed in range(count - short)]
    return [(case, case.interpreted()) for case in cases]


def hunt(cases: list[tuple[object, tuple]], seconds: float) -> str:
    """Compare kernels with what is expected of them; say what is wrong first, "" if nothing is."""
    from support.loaded import Loaded

    from cuda.cpu.compile import jit
    from cuda.cpu.emit.simt import interleaving

    until, far = time.process_time() + seconds, interleaving.FAR
    native = jit._has_gathers()
    for first in range(0, len(cases), PACE):
        for way in WAYS:
            width, row, gathers, rounds = way
            os.environ["CUDA_CPU_WIDTH"] = width
            interleaving.ITERATIONS, interleaving.FAR = rounds, 256 if rounds == 2 else far
            jit._has_gathers = lambda gathers=gathers: gathers and native
            for number, (case, expected) in enumerate(cases[first : first + PACE], first):
                if time.process_time() > until:
                    return ""
                try:
                    case.check(Loaded(case.text.encode(), row), expected, str(way))
                except Exception as error:
                    return f"kernel {number}, {way}: {' '.join(str(error).split())[:90] or type(error).__name__}"
    return ""


def child(number: int, file: str, seconds: float) -> None:
    """Plant one fault, hunt, and print what is wrong."""
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 20, int(seconds) + 25))
    plant(EVERY[number][1])
    with open(file, "rb") as stored:
        cases = pickle.load(stored)
    print("FOUND " + found if (found := hunt(cases, seconds)) else "MISSED", flush=True)
    os._exit(0)


def try_fault(number: int, file: str, seconds: float) -> tuple[int, bool, str, float]:
    """Run the process for a fault; return the number, whether it was found, how, and the seconds it took."""
    environment = os.environ | {
        "CUDA_CPU_CACHE": "0", "CUDA_CPU_LEVEL": "0", "CUDA_CPU_WORKERS": "1", "CUDA_PYTHON_DRIVER": "cpu",
    }  # fmt: skip
    command = [sys.executable, "-m", "support.fault_hunt", "--child", str(number), file, str(seconds)]
    begun = time.monotonic()
    done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=TESTS)
    took, lines = time.monotonic() - begun, done.stdout.strip().splitlines()
    if done.returncode < 0:  # LLVM ended the process, or a kernel did not end
        return number, True, f"signal {-done.returncode}", took
    if done.returncode or not lines:
        raise RuntimeError(f"fault {number} could not be tried: {done.stderr}")
    return number, lines[-1] != "MISSED", lines[-1].removeprefix("FOUND "), took


def select(wanted: list[str]) -> list[int]:
    """Return the numbers of faults by area or number; all without any."""
    chosen = [number for number, (area, _) in enumerate(EVERY) if area in wanted or str(number) in wanted]
    return chosen if wanted else list(range(len(EVERY)))


def main() -> None:
    if sys.argv[1:2] == ["--child"]:
        child(int(sys.argv[2]), sys.argv[3], float(sys.argv[4]))
    parser = argparse.ArgumentParser(prog="python -m support.fault_hunt")
    parser.add_argument("--kernels", type=int, default=120, help="how many random kernels there are")
    parser.add_argument("--seconds", type=float, default=60, help="of the processor that one fault may take")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("which", nargs="*", help="areas or numbers of faults; all without")
    options = parser.parse_args()
    numbers = select(options.which)
    Random(1).shuffle(numbers)  # so that a run that is cut short tells about all areas
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "corpus")
        with open(file, "wb") as stored:
            pickle.dump(corpus(options.kernels), stored)
        with ThreadPoolExecutor(options.processes) as pool:
            results = []
            tried = [pool.submit(try_fault, number, file, options.seconds) for number in numbers]
            for future in as_completed(tried):
                result = future.result()
                results.append(result)
                number, found, how, seconds = result
                verdict = "found " if found else "MISSED"
                print(f"{number:4} {EVERY[number][0]:12} {verdict} {seconds:5.0f} s  {how}", flush=True)
    print("\narea           planted  found")
    for area in FAULTS:
        of_area = [found for number, found, _, _ in results if EVERY[number][0] == area]
        if of_area:
            print(f"{area:14} {len(of_area):7} {sum(of_area):6}")
    count = sum(found for _, found, _, _ in results)
    print(f"{'all':14} {len(results):7} {count:6}  {100 * count / len(results):.0f} of 100")


if __name__ == "__main__":
    main()
