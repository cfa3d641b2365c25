# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Faulty kernels and correct look-alikes, by class, and how many of them the checks report.

    PYTHONPATH=tests python -m support.check_corpus   # the rates of docs/guides/checking.md, and what was missed

Each entry of the tables is the body of a kernel, of which `@[faulty@|correct@]` makes two. They follow the rules of the
CUDA programming guide and of the PTX manual. A kernel gets arrays of 256 numbers, exactly: `p` and `q` are zero, `r`
was never written; `n` is 256, `T` the thread, `I` the thread in the grid.
"""

from __future__ import annotations

import contextlib
import ctypes
import io
import os
import re
import tempfile
from collections.abc import Iterator
from typing import NamedTuple

from support import corpus_memory, corpus_patterns, corpus_races, corpus_synchronisation

CLASSES = {  # name: the check that is to report it, the table
    "global memory": ("memcheck", corpus_memory.GLOBAL),
    "shared memory": ("memcheck", corpus_memory.SHARED),
    "local memory": ("memcheck", corpus_memory.LOCAL),
    "races in shared memory": ("racecheck", corpus_races.SHARED),
    "races in a warp": ("racecheck", corpus_races.WARP),
    "races in global memory": ("racecheck", corpus_races.GLOBAL),
    "asynchronous copies": ("racecheck", corpus_races.COPIES),
    "barriers of the block": ("synccheck", corpus_synchronisation.BLOCK),
    "operations of the warp": ("synccheck", corpus_synchronisation.WARP),
    "mbarriers": ("synccheck", corpus_synchronisation.MBARRIER),
    "exchange of data": ("racecheck", corpus_patterns.BY_HAND),
    "exchange by libraries": ("racecheck", corpus_patterns.BY_LIBRARIES),
    "unwritten memory": ("initcheck", corpus_memory.UNWRITTEN),
}
SHAPE = {"grid": 4, "block": 64, "shared": 0}

PRELUDE = r"""
typedef unsigned long long u64;
#define T int(threadIdx.x)
#define I int(blockIdx.x * blockDim.x + threadIdx.x)
__device__ unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void bar(int id, int count) { asm volatile("bar.sync %0, %1;" :: "r"(id), "r"(count) : "memory"); }
__device__ void arrive_bar(int id, int count) { asm volatile("bar.arrive %0, %1;" :: "r"(id), "r"(count) : "memory"); }
__device__ void copy4(void *to, const void *from) {
    u64 source = __cvta_generic_to_global(from);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(at(to)), "l"(source) : "memory");
}
__device__ void copy_wait() { asm volatile("cp.async.wait_all;" ::: "memory"); }
__device__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int N> __device__ void wait_groups() { asm volatile("cp.async.wait_group %0;" :: "n"(N) : "memory"); }
__device__ void init(u64 *b, int n) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" :: "r"(at(b)), "r"(n) : "memory");
}
__device__ void inval(u64 *b) { asm volatile("mbarrier.inval.shared.b64 [%0];" :: "r"(at(b)) : "memory"); }
__device__ void arrive_count(u64 *b, int n) {
    u64 s; asm volatile("mbarrier.arrive.shared.b64 %0, [%1], %2;" : "=l"(s) : "r"(at(b)), "r"(n) : "memory");
}
__device__ void arrive(u64 *b) {
    u64 s; asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(s) : "r"(at(b)) : "memory");
}
__device__ void expect(u64 *b, int n) {
    u64 s; asm volatile("mbarrier.arrive.expect_tx.shared.b64 %0, [%1], %2;" : "=l"(s) : "r"(at(b)), "r"(n) : "memory");
}
__device__ void complete(u64 *b, int n) {
    asm volatile("mbarrier.complete_tx.shared.b64 [%0], %1;" :: "r"(at(b)), "r"(n) : "memory");
}
__device__ bool test(u64 *b, int parity) {
    int done; asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
                           : "=r"(done) : "r"(at(b)), "r"(parity) : "memory");
    return done;
}
__device__ void wait(u64 *b, int parity) { while (!test(b, parity)); }
__device__ void bulk(void *to, const void *from, int size, u64 *b) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 :: "r"(at(to)), "l"(__cvta_generic_to_global(from)), "r"(size), "r"(at(b)) : "memory");
}
__device__ void bulk_load(const int *p, int size, int *q) {
    __shared__ __align__(16) int s[512]; __shared__ u64 b;
    if (T == 0) { init(&b, 1); expect(&b, size); bulk(s, p, size, &b); }
    __syncthreads(); wait(&b, 0); q[I] = s[I];
}
__device__ __noinline__ void put(int *a, int k) { a[k] = 7; }
__device__ __noinline__ void meet() { __syncthreads(); }
"""


class Case(NamedTuple):
    group: str
    name: str
    check: str
    faulty: bool
    body: str
    shape: dict[str, int]


def cases() -> Iterator[Case]:
    for group, (check, table) in CLASSES.items():
        for name, entry in table.items():
            body, shape = entry if isinstance(entry, tuple) else (entry, {})
            for number, faulty in ((1, True), (2, False)):
                one = re.sub(r"@\[(.*?)@\|(.*?)@\]", lambda found, n=number: found[n], body, flags=re.DOTALL)
                yield Case(group, name, check, faulty, one, SHAPE | shape)


def compiled(chosen: list[Case]) -> Iterator[tuple[Case, bytes]]:
    """Return the PTX of each kernel: all are compiled at once, then each becomes a module of its own."""
    from support.compilers import compile_cuda, include_option

    headers, options = "", ["-arch=sm_90", "-lineinfo"]
    if chosen[0].group == "exchange by libraries":
        headers = corpus_patterns.HEADERS
        options += ["-std=c++17", include_option(), include_option("cccl")]
    kernels = "".join(
        f'extern "C" __global__ void k{number}(int *p, int *q, int *r, int n) {{ {case.body} }}\n'
        for number, case in enumerate(chosen)
    )
    text = compile_cuda(headers + PRELUDE + kernels, *options).decode()
    head, *parts = re.split(r"(?m)^(?=\t// \.globl|\.(?:visible|weak|func|extern))", text)
    parts = [re.sub(r"\t// \.globl.*\n", "", part) for part in parts]
    common = [part for part in parts if ".entry" not in part.split("(")[0] and "@[" not in part]
    entries = {found[1]: part for part in parts if (found := re.search(r"\.entry (\w+)\(", part))}
    tail = re.search(r"(?m)^\t\.file[\s\S]*", text)
    for number, case in enumerate(chosen):
        entry = entries[f"k{number}"]
        used = "".join(part for part in common if not tail or part not in tail[0])
        lines = (head + used + entry).replace(tail[0] if tail else "", "") + (tail[0] if tail else "")
        yield case, lines.encode() + b"\0"


def launch(case: Case, ptx: bytes) -> list[str]:
    """Launch a kernel in a context of its own; return what the checks report."""
    from cuda.cpu import driver
    from cuda.cpu.driver.base.error import CudaError

    context = driver.cuCtxCreate_v2(0, 0)
    try:
        image = ctypes.create_string_buffer(ptx)
        function = driver.cuModuleGetFunction(driver.cuModuleLoadData(ctypes.addressof(image)), _name(ptx))
        arrays = [ctypes.c_uint64(driver.cuMemAlloc(1024)) for _ in range(3)]
        for each in arrays[:2]:
            driver.cuMemsetD32(each.value, 0, 256)
        values = [*arrays, ctypes.c_int(256)]
        pointers = (ctypes.c_void_p * 4)(*[ctypes.addressof(each) for each in values])
        shape = (case.shape["grid"], 1, 1, case.shape["block"], 1, 1, case.shape["shared"])
        driver.cuLaunchKernel(function, *shape, 0, ctypes.addressof(pointers), 0)
        driver.cuCtxSynchronize()
    except CudaError as error:
        return error.args[1].splitlines()
    finally:
        driver.cuCtxDestroy(context)
    return []


def _name(ptx: bytes) -> bytes:
    found = re.search(rb"\.entry (\w+)\(", ptx)
    assert found
    return found[1]


def reported(chosen: list[Case]) -> Iterator[tuple[Case, list[str]]]:
    """Run kernels with the checks of CUDA_CPU_CHECK."""
    for case, ptx in compiled(chosen):
        with contextlib.redirect_stderr(io.StringIO()):  # where checks print
            lines = launch(case, ptx)
        yield case, [line for line in lines if re.match(r"(mem|race|sync|init)check: ", line)]


def rates(group: str) -> tuple[int, int, list[str], list[str]]:
    """Return how many faulty kernels of a class are reported, their number, those missed, and the false alarms."""
    chosen = [case for case in cases() if case.group == group]
    missed, false, found = [], [], 0
    for case, lines in reported(chosen):
        if not case.faulty:
            false += [f"{case.name}: {lines[0]}"] if lines else []
        elif any(line.startswith(f"{case.check}: ") for line in lines):
            found += 1
        else:
            missed.append(case.name)
    return found, len(chosen) // 2, missed, false


def checks_of(group: str) -> str:
    """Return CUDA_CPU_CHECK for a class: all kernels are to pass all checks, but initcheck is not among them."""
    return "initcheck" if CLASSES[group][0] == "initcheck" else "all"


def main() -> None:
    from cuda.cpu import driver

    os.environ["CUDA_CPU_CACHE"] = tempfile.mkdtemp()
    driver.cuInit(0)
    total = [0, 0, 0]
    for group, (check, _) in CLASSES.items():
        os.environ["CUDA_CPU_CHECK"] = checks_of(group)
        found, faulty, missed, false = rates(group)
        total = [sum(pair) for pair in zip(total, (found, faulty, len(false)), strict=True)]
        print(f"{check:10} {group:24} {found:3} of {faulty:3}  {', '.join(missed)}", flush=True)
        for line in false:
            print(f"  false alarm: {line}")
    print(f"{total[0]} of {total[1]} faulty kernels found; {total[2]} false alarms")


if __name__ == "__main__":
    main()
