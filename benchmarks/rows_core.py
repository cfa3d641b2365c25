# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Operations of cuda.core to time: name, target in nanoseconds (None: no target), statement."""

import atexit
import ctypes
import tempfile
from typing import ClassVar

import numpy as np

from cuda.core import (
    Device,
    EventOptions,
    Kernel,
    LaunchConfig,
    LegacyPinnedMemoryResource,
    ObjectCode,
    Program,
    ProgramOptions,
    launch,  # noqa: F401 - the statements use it
)
from cuda.core.graph import GraphDefinition
from cuda.core.utils import FileStreamProgramCache, InMemoryProgramCache, StridedMemoryView, make_program_cache_key

# The null driver derives the parameters of a kernel from its name, see null_driver.c.
KERNELS = {
    "mixed": [".f32", ".u64", ".u32", ".u32", ".u64", ".f32", ".u64", ".u64"],
    "words": [".u32"] * 8,
    "wide": [".u64"] * 8,
}
NAMES = ("mixed_0", "mixed_1", "mixed_3", "mixed_8", "mixed_16", "words_4", "words_12", "wide_4", "wide_12")


def _entry(name):
    kind, count = name.split("_")
    types = (KERNELS[kind] * 2)[: int(count)]
    return f".entry {name}({', '.join(f'.param {t} p{i}' for i, t in enumerate(types))}) {{ ret; }}\n"


PTX = ".version 8.0\n.target sm_90\n.address_size 64\n" + "".join(map(_entry, NAMES))

device = Device(0)
device.set_current()
stream = device.create_stream()
other_stream = device.create_stream()
event = device.create_event()
start, end = (stream.record(options=EventOptions(timing_enabled=True)) for _ in range(2))
module = ObjectCode.from_ptx(PTX.encode() + b"\0")
kernels = {name: module.get_kernel(name) for name in NAMES}
config = LaunchConfig(grid=16, block=256)
pool = device.memory_resource
pinned = LegacyPinnedMemoryResource()
buffer, second = (device.allocate(1024, stream=stream) for _ in range(2))

number, word, real, long = np.float32(2), ctypes.c_int32(3), ctypes.c_float(1.5), 1 << 40


graph = GraphDefinition().instantiate()


class OnDevice:
    """An array with only the CUDA Array Interface."""

    __cuda_array_interface__: ClassVar = {
        "shape": (16, 16),
        "typestr": "<f4",
        "data": (int(buffer.handle), False),
        "version": 3,
        "strides": None,
        "stream": None,
    }


on_device = OnDevice()
array = np.zeros((16, 16), np.float32)

_folder = tempfile.TemporaryDirectory()
atexit.register(_folder.cleanup)
in_memory, in_file = InMemoryProgramCache(), FileStreamProgramCache(_folder.name)
SOURCE = 'extern "C" __global__ void scale(float *x, float by) { x[blockIdx.x * blockDim.x + threadIdx.x] *= by; }'
options = ProgramOptions(arch="sm_90")
program = Program(SOURCE, "c++", options)
# Precompiled code: NVRTC does not work with the null driver.
_key = make_program_cache_key(code=SOURCE, code_type="c++", options=options, target_type="ptx")
for _cache in (in_memory, in_file):
    _cache[_key] = PTX.encode()
    assert program.compile("ptx", cache=_cache).code == PTX.encode()


def _launch(kernel, arguments):
    return f"launch(stream, config, {', '.join([kernel, *arguments])})"


if hasattr(Kernel, "prepare"):  # not in NVIDIA's package
    step = kernels["mixed_3"].prepare(config, stream)
_MIX = ("number", "buffer", "7", "word", "buffer", "real", "second", "long") * 2
ROWS = [
    ("launch, 0 arguments", 70, _launch("mixed_0", _MIX[:0])),
    ("launch, 1 argument", 100, _launch("mixed_1", _MIX[:1])),
    ("launch, 3 mixed arguments", 140, _launch("mixed_3", _MIX[:3])),
    ("launch, 8 mixed arguments", 230, _launch("mixed_8", _MIX[:8])),
    ("launch, 16 mixed arguments", 400, _launch("mixed_16", _MIX[:16])),
    ("prepared launch, 3 mixed arguments", 90, "step(number, buffer, 7)"),
    ("launch, 4 ctypes arguments", None, _launch("words_4", ["word"] * 4)),
    ("launch, 12 ctypes arguments", None, _launch("words_12", ["word"] * 12)),
    ("launch, 4 Buffers", None, _launch("wide_4", ["buffer"] * 4)),
    ("launch, 12 Buffers", None, _launch("wide_12", ["buffer"] * 12)),
    ("launch, 4 ints", None, _launch("words_4", ["7"] * 4)),
    ("launch, 12 ints", None, _launch("words_12", ["7"] * 12)),
    ("LaunchConfig()", 120, "LaunchConfig(grid=16, block=256)"),
    ("Device(0)", 50, "Device(0)"),
    ("Device().set_current()", 120, "Device().set_current()"),
    ("stream.handle", 45, "stream.handle"),
    ("create and close a stream", 140, "device.create_stream().close()"),
    ("create and close an event", 120, "device.create_event().close()"),
    ("create and close a pool buffer", 150, "pool.allocate(1024, stream=stream).close()"),
    ("create and close a pinned buffer", None, "pinned.allocate(1024, stream=stream).close()"),
    ("Buffer.copy_from", None, "buffer.copy_from(second, stream=stream)"),
    ("StridedMemoryView from DLPack", 200, "StridedMemoryView.from_dlpack(array, -1)"),
    ("StridedMemoryView from the CUDA array interface", 350, "from_cai(on_device, -1)"),
    ("StridedMemoryView from NumPy's array interface", 300, "StridedMemoryView.from_array_interface(array)"),
    ("Graph.launch", "no slower", "graph.launch(stream)"),
    ("get_kernel", 250, "module.get_kernel('mixed_3')"),
    ("program cache hit in memory", 1500, "program.compile('ptx', cache=in_memory)"),
    ("program cache hit in file", 12000, "program.compile('ptx', cache=in_file)"),
    ("stream.sync()", "no slower", "stream.sync()"),
    ("stream.wait(event)", "no slower", "stream.wait(event)"),
    ("stream.record(event)", "no slower", "stream.record(event)"),
    ("event.is_done", "no slower", "event.is_done"),
    ("event.sync()", "no slower", "event.sync()"),
    ("stream.is_done", "no slower", "stream.is_done"),
    ("event - event", "no slower", "end - start"),
]
SETTLE = "device.sync()"
# Name, target, and two rows: the result is their difference per additional argument.
SLOPES = [
    ("one more ctypes argument", 30, "launch, 12 ctypes arguments", "launch, 4 ctypes arguments", 8),
    ("one more Buffer", 10, "launch, 12 Buffers", "launch, 4 Buffers", 8),
    ("one more int", 6, "launch, 12 ints", "launch, 4 ints", 8),
]

from_cai = StridedMemoryView.from_cuda_array_interface
globals().update(kernels)
