# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The native runtime's C under AddressSanitizer, UndefinedBehaviorSanitizer and ThreadSanitizer (see stress.c)."""

import os
import subprocess

import pytest
from support.warp_kernels import COMPILER, INCLUDE, KERNELS, WAIT

SOURCES = [KERNELS, KERNELS.with_name("stress.c"), *sorted(INCLUDE.glob("*/*.c"))]
WRAPPED = ("cpu_fiber_prepare", "cpu_fiber_switch", "cpu_fiber_jump")
# AddressSanitizer does not track the stacks of fibers, and faults are handled by the runtime.
OWN_STACKS = ["--param", "asan-stack=0", "-Dnoreturn="]
OWN_FAULTS = ":".join(f"handle_{name}=0" for name in ("segv", "sigbus", "sigfpe", "sigill"))
SANITIZERS = {
    "memory": (["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined", *OWN_STACKS], OWN_FAULTS),
    "races": (["-fsanitize=thread", *(f"-Wl,--wrap={name}" for name in WRAPPED)], ""),
}


@pytest.mark.parametrize("kind", SANITIZERS)
def test_stress(tmp_path, kind):
    flags, options = SANITIZERS[kind]
    sources = [str(path) for path in SOURCES]
    if COMPILER is None:
        pytest.skip("no C compiler: the sanitizers are its own")
    program = tmp_path / "stress"
    flags = [*flags, "-O1", "-g", "-I", str(INCLUDE)]
    build = [COMPILER, *flags, *sources, "-o", str(program), "-lm", "-ldl", "-lpthread"]
    built = subprocess.run(build, capture_output=True, text=True)
    if built.returncode and "san" in built.stderr and "cannot find" in built.stderr:
        pytest.skip("the C compiler came without its sanitizers")
    assert built.returncode == 0, built.stderr
    environment = os.environ | {"ASAN_OPTIONS": f"detect_stack_use_after_return=0:{options}"}
    done = subprocess.run([program], capture_output=True, text=True, timeout=2 * WAIT, env=environment)
    if "unexpected memory mapping" in done.stderr:
        pytest.skip("this ThreadSanitizer does not know how this system lays out memory (vm.mmap_rnd_bits)")
    assert (done.stdout, done.returncode) == ("fine\n", 0), done.stderr[-4000:]
