# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Faulty programs and correct look-alikes: operations of streams and graphs on the same memory.

    PYTHONPATH=tests python -m support.corpus_order   # how many of them racecheck reports, and what was missed

Of each entry of the table `@[faulty@|correct@]` makes two programs, as in check_corpus. They see the names of
`Program`: `a` and `b` are non-blocking streams, `c` is a blocking one, 0 the default stream, `mine` the per-thread one;
`x`, `y` and `z` are memory of the device, `h` is pinned.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

SIZE = 1024
WORDS = SIZE // 4

PTX = b""".version 9.0
.target sm_90
.address_size 64
"""


def _kernel(name: str, body: str) -> bytes:
    """Return a kernel of a thread for each word: %d1 and %d2 are the addresses of word `first + step * thread`."""
    return f""".visible .entry {name}(.param .u64 p, .param .u64 q, .param .u32 first, .param .u32 step) {{
 .reg .b32 %r<9>; .reg .b64 %d<9>;
 ld.param.u64 %d1, [p]; ld.param.u64 %d2, [q]; ld.param.u32 %r1, [first]; ld.param.u32 %r2, [step];
 mov.u32 %r3, %tid.x; mad.lo.u32 %r1, %r2, %r3, %r1; mul.wide.u32 %d3, %r1, 4;
 add.u64 %d1, %d1, %d3; add.u64 %d2, %d2, %d3;
 {body}
 ret; }}
""".encode()


PTX += _kernel("put", "st.global.u32 [%d1], 7;")
PTX += _kernel("get", "ld.global.u32 %r4, [%d1]; st.global.u32 [%d2], %r4;")
PTX += _kernel("add", "red.global.add.u32 [%d1], 1;")
PTX += _kernel("add_block", "red.relaxed.cta.global.add.u32 [%d1], 1;")
PTX += _kernel("count", "ld.global.u32 %r4, [%d1]; add.u32 %r4, %r4, 1; st.global.u32 [%d1], %r4;")


class Program:
    """What a program of the corpus can use, in a context of its own."""

    def __init__(self) -> None:
        from cuda.cpu import driver

        self.driver: Any = driver
        self.context = driver.cuCtxCreate_v2(0, 0)
        self.a, self.b = driver.cuStreamCreate(1), driver.cuStreamCreate(1)
        self.c, self.mine = driver.cuStreamCreate(0), 2
        self.x, self.y, self.z = (driver.cuMemAlloc(SIZE) for _ in range(3))
        self.h = driver.cuMemAllocHost(SIZE)
        self.kept: list[Any] = [ctypes.create_string_buffer(PTX + b"\0")]
        module = driver.cuModuleLoadData(ctypes.addressof(self.kept[0]))
        self.functions = {
            name: driver.cuModuleGetFunction(module, name.encode())
            for name in ("put", "get", "add", "add_block", "count")
        }
        self.one, self.other = driver.cuEventCreate(2), driver.cuEventCreate(2)
        driver.cuCtxSynchronize()

    def end(self) -> None:
        self.driver.cuCtxSynchronize()
        self.driver.cuCtxDestroy(self.context)

    def _params(self, p: int, q: int, first: int, step: int) -> int:
        values = [ctypes.c_uint64(p), ctypes.c_uint64(q), ctypes.c_uint32(first), ctypes.c_uint32(step)]
        pointers = (ctypes.c_void_p * 4)(*[ctypes.addressof(each) for each in values])
        self.kept += [values, pointers]
        return ctypes.addressof(pointers)

    def run(
        self, name: str, stream: int, p: int, q: int = 0, first: int = 0, step: int = 1, count: int = WORDS
    ) -> None:
        params = self._params(p, q or p, first, step)
        self.driver.cuLaunchKernel(self.functions[name], 1, 1, 1, count, 1, 1, 0, stream, params, 0)

    def put(self, stream: int, p: int, **how: int) -> None:
        self.run("put", stream, p, **how)

    def get(self, stream: int, p: int, q: int, **how: int) -> None:
        self.run("get", stream, p, q, **how)

    def order(self, first: int, then: int) -> None:
        """Let stream `then` wait for stream `first`."""
        self.driver.cuEventRecord(self.one, first)
        self.driver.cuStreamWaitEvent(then, self.one, 0)

    # Graphs.

    def graph(self) -> int:
        return self.driver.cuGraphCreate(0)

    def node(self, graph: int, name: str, p: int, q: int = 0, after: tuple[int, ...] = ()) -> int:
        from cuda.cpu.abi import CUDA_KERNEL_NODE_PARAMS

        given = CUDA_KERNEL_NODE_PARAMS(self.functions[name], 1, 1, 1, WORDS, 1, 1, 0, self._params(p, q or p, 0, 1))
        return self.driver.cuGraphAddKernelNode(graph, *self._after(after), ctypes.addressof(given))

    def _after(self, nodes: tuple[int, ...]) -> tuple[int, int]:
        handles = (ctypes.c_uint64 * max(len(nodes), 1))(*nodes)
        self.kept.append(handles)
        return ctypes.addressof(handles), len(nodes)

    def fill_node(self, graph: int, p: int, after: tuple[int, ...] = ()) -> int:
        from cuda.cpu.abi import CUDA_MEMSET_NODE_PARAMS

        given = CUDA_MEMSET_NODE_PARAMS(p, 0, 3, 4, WORDS, 1)
        return self.driver.cuGraphAddMemsetNode(graph, *self._after(after), ctypes.addressof(given), self.context)

    def child(self, graph: int, inner: int, after: tuple[int, ...] = ()) -> int:
        return self.driver.cuGraphAddChildGraphNode(graph, *self._after(after), inner)

    def conditional(self, graph: int, kind: int, value: int, after: tuple[int, ...] = ()) -> tuple[int, int]:
        """Add a conditional node; return it and the graph of its body."""
        from cuda.cpu.abi import CU_GRAPH_NODE_TYPE_CONDITIONAL, CUgraphNodeParams

        given = CUgraphNodeParams(type=CU_GRAPH_NODE_TYPE_CONDITIONAL)
        inner = given.conditional
        inner.handle = self.driver.cuGraphConditionalHandleCreate(graph, self.context, value, 1)
        inner.type, inner.size, inner.ctx = kind, 1, self.context
        nodes, count = self._after(after)
        made = self.driver.cuGraphAddNode(graph, nodes, 0, count, ctypes.addressof(given))
        body = ctypes.c_uint64.from_address(ctypes.cast(inner.phGraph_out, ctypes.c_void_p).value or 0).value
        return made, body

    def launch(self, graph: int, stream: int) -> int:
        made = self.driver.cuGraphInstantiate(graph, 0)
        self.driver.cuGraphLaunch(made, stream)
        return made


STREAMS = {
    "no wait": "put(a, x); @[@|order(a, b);@] get(b, x, y)",
    "two writers": "put(a, x); @[@|order(a, b);@] put(b, x)",
    "overwritten while read": "get(a, x, y); @[@|order(a, b);@] put(b, x)",
    "event of the wrong stream": "put(a, x); order(@[c@|a@], b); get(b, x, y)",
    "event recorded before the kernel": (
        "@[cuEventRecord(one, a); put(a, x)@|put(a, x); cuEventRecord(one, a)@]; cuStreamWaitEvent(b, one, 0); "
        "get(b, x, y)"),
    "waits before the record": (
        "put(a, x); @[cuStreamWaitEvent(b, one, 0); cuEventRecord(one, a)@|cuEventRecord(one, a); "
        "cuStreamWaitEvent(b, one, 0)@]; get(b, x, y)"),
    "event of the step before": (
        "put(a, x); cuEventRecord(one, a); put(a, z); cuEventRecord(other, a); "
        "cuStreamWaitEvent(b, @[one@|other@], 0); get(b, z, y)"),
    "event recorded again elsewhere": (
        "put(a, x); cuEventRecord(one, a); put(c, z); @[cuEventRecord(one, c)@|cuEventRecord(other, c)@]; "
        "cuStreamWaitEvent(b, one, 0); get(b, x, y)"),
    "the wrong stream waits": "put(a, x); order(a, @[c@|b@]); get(b, x, y)",
    "chain of three": "put(a, x); order(a, c); @[@|order(c, b);@] get(b, x, y)",
    "host waits for the wrong stream": "put(a, x); cuStreamSynchronize(@[c@|a@]); get(b, x, y)",
    "host waits for the wrong event": (
        "cuEventRecord(other, a); put(a, x); cuEventRecord(one, a); cuEventSynchronize(@[other@|one@]); get(b, x, y)"),
    "destroyed, not waited for": (
        "s = cuStreamCreate(1); put(s, x); @[@|cuStreamSynchronize(s);@] cuStreamDestroy(s); get(b, x, y)"),
    "non-blocking stream and default stream": "put(0, x); get(@[a@|c@], x, y)",
    "default stream after a non-blocking stream": "put(@[a@|c@], x); get(0, x, y)",
    "per-thread default stream": "put(mine, x); get(@[a@|0@], x, y)",
    "blocking streams": "put(c, x); @[@|cuMemsetD8(z, 0, 4);@] s = cuStreamCreate(0); get(s, x, y)",
    "overlapping halves": "put(a, x, count=128); put(b, x, first=@[127@|128@], count=128)",
    "every other word": "put(a, x, step=2, count=128); put(b, x, first=@[2@|1@], step=2, count=64)",
    "counted without atomics": "run(@['count'@|'add'@], a, x); run(@['count'@|'add'@], b, x)",
    "atomics of the block": "run(@['add_block'@|'add'@], a, x); run('add', b, x)",
    "atomics and a read": "run('add', a, x); @[@|order(a, b);@] get(b, x, y)",
    "double buffer": (
        "put(a, x); cuEventRecord(one, a); put(a, z); cuEventRecord(other, a); cuStreamWaitEvent(b, one, 0); "
        "get(b, x, y); @[@|cuStreamWaitEvent(b, other, 0);@] get(b, z, y)"),
    "query": "put(a, x); @[idle(c)@|idle(a)@]; get(b, x, y)",
}  # fmt: skip

COPIES = {
    "copied to, read in another stream": "cuMemcpyHtoDAsync(x, h, 1024, a); @[@|order(a, b);@] get(b, x, y)",
    "pageable source": "cuMemcpyHtoDAsync(x, buffer(), 1024, a); @[@|order(a, b);@] get(b, x, y)",
    "copied back too early": "put(a, x); @[@|order(a, b);@] cuMemcpyDtoHAsync(h, x, 1024, b)",
    "source reused": "cuMemcpyHtoDAsync(x, h, 1024, a); @[@|order(a, b);@] cuMemcpyDtoHAsync(h, y, 1024, b)",
    "one target of two copies": "cuMemcpyDtoHAsync(h, x, 1024, a); cuMemcpyDtoHAsync(h + 512, y, 512, @[b@|a@])",
    "pageable target read again": (
        "p = buffer(); cuMemcpyDtoHAsync(p, x, 1024, a); @[@|cuStreamSynchronize(a);@] cuMemcpyHtoD(y, p, 1024)"),
    "pageable target of two copies": (
        "p = buffer(); cuMemcpyDtoHAsync(p, x, 1024, a); cuMemcpyDtoHAsync(p + 512, y, 512, @[b@|a@])"),
    "copy within the device": "cuMemcpyDtoD(x, z, 1024); @[@|cuStreamSynchronize(0);@] get(a, x, y)",
    "fill in the default stream": "cuMemsetD8(x, 0, 1024); get(@[a@|c@], x, y)",
    "fill in another stream": "cuMemsetD32Async(x, 0, 256, a); @[@|order(a, b);@] run('add', b, x)",
    "between devices": "cuMemcpyPeerAsync(x, context, z, context, 1024, a); @[@|order(a, b);@] get(b, x, y)",
    "columns of rows": (
        "cuMemsetD2D8Async(x, 64, 0, 32, 16, a); cuMemsetD2D8Async(x + @[16@|32@], 64, 1, 32, 16, b)"),
    "kernel reads pinned memory": "get(a, h, x); @[@|order(a, b);@] cuMemcpyDtoHAsync(h, y, 1024, b)",
}  # fmt: skip

MEMORY = {
    "freed while in use": (
        "m = cuMemAllocAsync(1024, a); order(a, b); put(b, m); @[@|order(b, a);@] cuMemFreeAsync(m, a)"),
    "freed too early": "m = cuMemAllocAsync(1024, a); order(a, b); @[cuMemFreeAsync(m, b); put(a, m)@|put(a, m); "
                       "order(a, b); cuMemFreeAsync(m, b)@]",
    "allocated in another stream": (
        "m = cuMemAllocAsync(1024, a); @[@|order(a, b);@] put(b, m); order(b, a); cuMemFreeAsync(m, a)"),
    "freed by the host": (
        "m = cuMemAllocAsync(1024, a); put(a, m); @[@|cuStreamSynchronize(a);@] cuMemFree(m)"),
    "pinned memory freed": (
        "m = cuMemAllocHost(1024); cuMemcpyDtoHAsync(m, x, 1024, a); @[@|cuStreamSynchronize(a);@] cuMemFreeHost(m)"),
    "reused": (
        "m = cuMemAllocAsync(1024, a); order(a, b); put(b, m); @[@|order(b, a);@] cuMemFreeAsync(m, a); "
        "n = cuMemAllocAsync(1024, a); put(a, n); cuMemFreeAsync(n, a)"),
    "reused in another stream": (
        "m = cuMemAllocAsync(1024, a); put(a, m); cuMemFreeAsync(m, a); n = cuMemAllocAsync(1024, b); "
        "put(b, n); @[put(a, n)@|order(b, a); put(a, n)@]; order(a, b); cuMemFreeAsync(n, b)"),
}  # fmt: skip

GRAPHS = {
    "no edge": "g = graph(); p = node(g, 'put', x); node(g, 'get', x, y, after=(@[@|p,@])); launch(g, a)",
    "no edge to a fill": "g = graph(); p = fill_node(g, x); node(g, 'add', x, after=(@[@|p,@])); launch(g, a)",
    "a path past the node": (
        "g = graph(); p = node(g, 'put', z); q = node(g, 'put', x, after=(p,)); node(g, 'get', x, y, "
        "after=(@[p@|q@],)); launch(g, a)"),
    "a branch that is not joined": (
        "g = graph(); p = node(g, 'put', x); q = node(g, 'put', z); node(g, 'get', z, y, after=(@[p@|p, q@],)); "
        "launch(g, a)"),
    "child graph": (
        "i = graph(); node(i, 'put', x); g = graph(); p = child(g, i); node(g, 'get', x, y, after=(@[@|p,@])); "
        "launch(g, a)"),
    "within a child graph": (
        "i = graph(); p = node(i, 'put', x); node(i, 'get', x, y, after=(@[@|p,@])); g = graph(); child(g, i); "
        "launch(g, a)"),
    "conditional node": (
        "g = graph(); p, body = conditional(g, 0, 1); node(body, 'put', x); "
        "node(g, 'get', x, y, after=(@[@|p,@])); launch(g, a)"),
    "within a conditional node": (
        "g = graph(); p, body = conditional(g, 0, 1); p = node(body, 'put', x); "
        "node(body, 'get', x, y, after=(@[@|p,@])); launch(g, a)"),
    "graph and stream": "g = graph(); node(g, 'put', x); launch(g, a); @[@|order(a, b);@] get(b, x, y)",
    "two graphs": (
        "g = graph(); node(g, 'put', x); i = graph(); node(i, 'get', x, y); launch(g, a); @[@|order(a, b);@] "
        "launch(i, b)"),
    "one graph in two streams": (
        "g = graph(); node(g, 'put', x); e = launch(g, a); @[launch(g, b)@|cuGraphLaunch(e, b)@]"),
    "captured, event too early": (
        "cuStreamBeginCapture(a, 0); @[cuEventRecord(one, a); put(a, x)@|put(a, x); cuEventRecord(one, a)@]; "
        "cuStreamWaitEvent(b, one, 0); get(b, x, y); order(b, a); g = cuStreamEndCapture(a); launch(g, a)"),
    "captured, joined too late": (
        "cuStreamBeginCapture(a, 0); put(a, z); order(a, b); put(b, x); @[get(a, x, y); order(b, a)@|order(b, a); "
        "get(a, x, y)@]; g = cuStreamEndCapture(a); launch(g, a)"),
}  # fmt: skip

# Correct programs without a faulty counterpart.
CORRECT = {
    "flag in memory": "put(a, x); cuStreamWriteValue32(a, z, 1, 0); cuStreamWaitValue32(b, z, 1, 0); get(b, x, y)",
    "host function": "put(a, x); cuLaunchHostFunc(a, function(), 0); finished(); get(b, x, y)",
    "free of the host waits": "m = cuMemAlloc(1024); put(a, m); cuMemFree(m)",
    "free of the host is a wait": "m = cuMemAlloc(1024); put(a, x); cuMemFree(m); get(b, x, y)",
    "pageable source written again": (
        "p = buffer(); cuMemcpyHtoDAsync(x, p, 1024, a); cuMemcpyDtoHAsync(p, y, 1024, b); cuStreamSynchronize(b)"
    ),
    "pageable memory side by side": (
        "p = buffer(); cuMemcpyDtoHAsync(p, x, 512, a); cuMemcpyDtoHAsync(p + 512, y, 512, b)"
    ),
    "only reads": "get(a, x, y); get(b, x, z)",
    "context waited for": "put(a, x); cuCtxSynchronize(); get(b, x, y)",
    "copy that waits": "put(c, x); cuMemcpyDtoH(h, x, 1024); get(b, x, y)",
    "event waited for by its query": "put(a, x); cuEventRecord(one, a); complete(one); get(b, x, y)",
}

TABLES = {"streams": STREAMS, "copies": COPIES, "memory": MEMORY, "graphs": GRAPHS}


class Case(NamedTuple):
    name: str
    faulty: bool
    text: str


def cases() -> Iterator[Case]:
    for group, table in TABLES.items():
        for name, text in table.items():
            for number, faulty in ((1, True), (2, False)):
                one = re.sub(r"@\[(.*?)@\|(.*?)@\]", lambda found, n=number: found[n], text)
                yield Case(f"{group}: {name}", faulty, one)
    for name, text in CORRECT.items():
        yield Case(f"correct: {name}", False, text)


def _until_idle(program: Program, query: Any, handle: int) -> None:
    from cuda.cpu.driver.base.error import CudaError

    while True:
        try:
            query(handle)
        except CudaError:
            continue
        return


def found(case: Case) -> list[Any]:
    """Run a program and return what racecheck finds."""
    import threading

    from cuda.cpu.check import Check

    program = Program()
    ended = threading.Event()
    names: dict[str, Any] = {name: getattr(program, name) for name in dir(program) if not name.startswith("_")}
    names |= {name: getattr(program.driver, name) for name in re.findall(r"\bcu[A-Z]\w+", case.text)}

    def buffer() -> int:
        program.kept.append(ctypes.create_string_buffer(SIZE))
        return ctypes.addressof(program.kept[-1])

    def function() -> int:
        program.kept.append(ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: ended.set()))
        return ctypes.cast(program.kept[-1], ctypes.c_void_p).value or 0

    names |= {
        "buffer": buffer,
        "function": function,
        "finished": lambda: ended.wait(60),
        "idle": lambda stream: _until_idle(program, program.driver.cuStreamQuery, stream),
        "complete": lambda event: _until_idle(program, program.driver.cuEventQuery, event),
    }
    try:
        with Check("racecheck") as checked:
            exec(compile(case.text, case.name, "exec"), names)
            program.driver.cuCtxSynchronize()
    finally:
        program.end()
    return list(checked.findings)


if __name__ == "__main__":
    from cuda.cpu import driver

    driver.cuInit(0)
    wrong = 0
    for each in cases():
        findings = found(each)
        if bool(findings) is not each.faulty:
            wrong += 1
            print("missed" if each.faulty else "false alarm", each.name, *[str(one) for one in findings], sep="\n  ")
    every = list(cases())
    faulty = sum(each.faulty for each in every)
    print(f"{faulty} faulty and {len(every) - faulty} correct programs, {wrong} wrong verdicts")
