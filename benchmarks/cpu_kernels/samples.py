# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Where kernels on the CPU device spend their time, by samples: on x86-64, with `perf` and `objdump`.

Virtual machines often have no hardware counters, so the samples are of a clock. Each is attributed to the kind of the
instruction before the one at which the clock interrupted: that one was waited for.
"""

from __future__ import annotations

import collections
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.cpu_kernels.__main__ import Bench
    from benchmarks.cpu_kernels.cases import Case

FREQUENCY = 4000  # samples per second
# Kinds of instructions, by the first pattern that fits a line of objdump in Intel's syntax.
KINDS = {
    "gathers, scatters": r"v?p?(gather|scatter)",
    "locked": r"lock |xchg ",
    "single lanes": r"vp?(extr|insr)|vextract(i|f)128|vmov[dq] ",
    "spills": r"v\S+ .*\[r[bs]p",
    "loads, stores": r"(v\S+|prefetch\S*) .*\[|call ",
    "shuffles": r"v(p?(perm|shuf|unpck|align|broadcast|insert|extract|compress|expand|blend)|ppack|pmov)",
    "masks": r"k\w+ |vptest|vp?cmp|vpmovm2|vpmov.2m",
    "arithmetic": r"v",
    "scalar": r"",
}
OUTSIDE = "runtime, launch"


def kind_of(instruction: str) -> str:
    """Return the kind of a disassembled instruction."""
    return next(kind for kind, pattern in KINDS.items() if re.match(pattern, instruction))


def samples_table(bench: Bench, cases: list[Case], seconds: float) -> None:
    """Print the shares of the kinds in the time of each case."""
    columns = [*KINDS, OUTSIDE]
    print(f"\n| workload | {' | '.join(columns)} |\n|---|{'---|' * len(columns)}")
    for case in cases:
        bench.allocate(case)
        run, _ = bench.launches(case)
        run(3)
        found = count_kinds(sampled(run, seconds))
        total = sum(found.values())
        shares = [f"{100 * found[kind] / total:.0f}%" if found[kind] * 200 >= total else "" for kind in columns]
        print(f"| {case.name} | {' | '.join(shares)} |", flush=True)


def sampled(run: Callable[[int], None], seconds: float) -> list[int]:
    """Return the addresses at which a clock interrupted the runs of this process."""
    with tempfile.TemporaryDirectory() as folder:
        data = str(Path(folder, "samples"))
        command = ["perf", "record", "-q", "-e", "cpu-clock", "-F", str(FREQUENCY), "-o", data, "-p", str(os.getpid())]
        recording = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        time.sleep(0.5)  # until it has begun
        if recording.poll() is not None:
            sys.exit(f"perf cannot record samples: {recording.communicate()[1].strip()}")
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            run(10)
        recording.send_signal(signal.SIGINT)
        recording.wait()
        script = subprocess.run(
            ["perf", "script", "-i", data, "-F", "ip"], capture_output=True, text=True, check=True
        ).stdout
    return [int(line.split()[0], 16) for line in script.splitlines() if line.strip()]


def count_kinds(addresses: list[int]) -> collections.Counter[str]:
    """Return how many of the addresses in machine code of kernels follow an instruction of each kind."""
    found: collections.Counter[str] = collections.Counter()
    counted = 0
    for low, high in code_in_memory():
        inside = collections.Counter(address for address in addresses if low <= address < high)
        if not inside:
            continue
        counted += inside.total()
        before = ""
        for address, text in disassembled(low, high):
            if count := inside.get(address):
                found[kind_of(before or text)] += count
            before = text
    found[OUTSIDE] = len(addresses) - counted
    return found


def code_in_memory(file: str = "") -> list[tuple[int, int]]:
    """Return the ranges of executable memory that are of a file, by default of none."""
    found = []
    for line in Path("/proc/self/maps").read_text().splitlines():
        bounds, access, _, _, _, *name = line.split()
        if "x" in access and "".join(name) == file:
            low, high = (int(each, 16) for each in bounds.split("-"))
            found.append((low, high))
    return found


def disassembled(low: int, high: int) -> list[tuple[int, str]]:
    """Return the addresses and the texts of the instructions in a range of memory."""
    with tempfile.NamedTemporaryFile() as file, open("/proc/self/mem", "rb") as memory:
        memory.seek(low)
        file.write(memory.read(high - low))
        file.flush()
        command = ["objdump", "-D", "-b", "binary", "-m", "i386:x86-64", "-M", "intel", "--no-show-raw-insn"]
        text = subprocess.run(
            [*command, f"--adjust-vma={low:#x}", file.name], capture_output=True, text=True, check=True
        ).stdout
    found = re.findall(r"^\s*([0-9a-f]+):\s+(.*)$", text, re.MULTILINE)
    return [(int(address, 16), instruction) for address, instruction in found]
