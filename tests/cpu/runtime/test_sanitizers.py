# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The native runtime's C under AddressSanitizer, UndefinedBehaviorSanitizer and ThreadSanitizer (see stress.c).

CUDA_CPU_STRESS_ROUNDS sets the number of rounds; `nox -s threads` runs more than the suite.
"""

import os
import subprocess

import pytest
from support.warp_kernels import COMPILER, INCLUDE, KERNELS, WAIT

SOURCES = [
    KERNELS,
    *(KERNELS.with_name(name) for name in ("stress.c", "stress_shared.c", "stress_helpers.c")),
    *sorted(INCLUDE.glob("*/*.c")),
]
ROUNDS = int(os.environ.get("CUDA_CPU_STRESS_ROUNDS", "3"))
MOST_ROUNDS = 3  # of one process: ThreadSanitizer counts all its threads, and stops at 8,128
WRAPPED = ("cpu_fiber_prepare", "cpu_fiber_switch", "cpu_fiber_jump")
# AddressSanitizer does not track the stacks of fibers, and faults are handled by the runtime.
OWN_STACKS = ["--param", "asan-stack=0", "-Dnoreturn="]
OWN_FAULTS = ":".join(f"handle_{name}=0" for name in ("segv", "sigbus", "sigfpe", "sigill"))
SANITIZERS = {
    "memory": (["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined", *OWN_STACKS], OWN_FAULTS),
    "races": (["-fsanitize=thread", *(f"-Wl,--wrap={name}" for name in WRAPPED)], ""),
}


@pytest.mark.timeout(WAIT * (4 + ROUNDS))
@pytest.mark.parametrize("kind", SANITIZERS)
def test_stress(tmp_path, kind):
    flags, options = SANITIZERS[kind]
    sources = [str(path) for path in SOURCES]
    if COMPILER is None:
        pytest.skip("no C compiler: the sanitizers are its own")
    program = tmp_path / "stress"
    flags = [*flags, "-O1", "-g", "-DREFUSED=1", "-I", str(INCLUDE)]  # often without locks, see sole_worker.c
    build = [COMPILER, *flags, *sources, "-o", str(program), "-lm", "-ldl", "-lpthread"]
    built = subprocess.run(build, capture_output=True, text=True)
    if built.returncode and "san" in built.stderr and "cannot find" in built.stderr:
        pytest.skip("the C compiler came without its sanitizers")
    assert built.returncode == 0, built.stderr
    environment = os.environ | {"ASAN_OPTIONS": f"detect_stack_use_after_return=0:{options}"}
    for first in range(0, ROUNDS, MOST_ROUNDS):
        command = [program, str(min(ROUNDS - first, MOST_ROUNDS))]
        done = subprocess.run(command, capture_output=True, text=True, timeout=WAIT * (2 + ROUNDS), env=environment)
        if "unexpected memory mapping" in done.stderr:
            pytest.skip("this ThreadSanitizer does not know how this system lays out memory (vm.mmap_rnd_bits)")
        assert (done.stdout, done.returncode) == ("fine\n", 0), done.stderr[-4000:]
