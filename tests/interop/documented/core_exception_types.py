# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The types of the exceptions that wrong arguments raise."""

from cuda.core import (
    Buffer,
    Device,
    DeviceMemoryResource,
    Event,
    LaunchConfig,
    Linker,
    Program,
    ProgramOptions,
    Stream,
    StreamOptions,
    TensorMapDescriptorOptions,
    launch,
)
from cuda.core.graph import GraphBuilder, GraphDefinition
from cuda.core.texture import TextureObjectOptions

device = Device(0)
device.set_current()
stream = device.create_stream()
buffer = device.allocate(64, stream=stream)
graph = GraphDefinition()
builder = device.create_graph_builder().begin_building()
config = LaunchConfig(grid=1, block=1)

CALLS = [
    lambda: graph.memcpy(buffer, buffer, -1),
    lambda: graph.memcpy(buffer, buffer, "3"),
    lambda: graph.memset(buffer, 0, -1),
    lambda: graph.memset(buffer, 0, 2**64),
    lambda: graph.memset(buffer, 0, "4"),
    lambda: graph.memset(buffer, 0, 4, height=-1),
    lambda: graph.memset(buffer, 0, 4, height=2, pitch=-1),
    lambda: graph.memset(buffer, 256, 4),
    lambda: graph.memset(buffer, b"abc", 4),
    lambda: graph.allocate(-1),
    lambda: graph.allocate(8, memory_type="gpu"),
    lambda: graph.deallocate("x"),
    lambda: graph.deallocate(-1),
    lambda: graph.join(3),
    lambda: graph.embed(3),
    lambda: graph.record(3),
    lambda: graph.if_then(3),
    lambda: graph.switch(graph.create_condition(), -1),
    lambda: graph.switch(graph.create_condition(), 2**32),
    lambda: graph.switch(graph.create_condition(), "2"),
    lambda: graph.create_condition(default_value=-1),
    lambda: graph.create_condition(default_value=2**40),
    lambda: builder.switch(builder.create_condition(), -1),
    lambda: builder.switch(builder.create_condition(), "2"),
    lambda: builder.create_condition(2**40),
    lambda: builder.embed(3),
    lambda: builder.split(1),
    lambda: GraphBuilder.join(builder),
    *[lambda grid=grid: LaunchConfig(grid=grid, block=1) for grid in ("1", b"1", 1.5, None, (1, "2"), 0, -1)],
    *[lambda block=block: LaunchConfig(grid=1, block=block) for block in ("1", 1.0, None, (1, 2, 3, 4), 0)],
    lambda: LaunchConfig(grid=1, block=1, cluster="1"),
    lambda: stream.wait(3),
    lambda: stream.wait("x"),
    lambda: stream.record(3),
    lambda: device.create_stream(options=StreamOptions(priority=99)),
    lambda: device.create_stream(3),
    lambda: Device(-1),
    lambda: Device(99),
    lambda: Device("0"),
    lambda: DeviceMemoryResource("x"),
    lambda: device.allocate(-1, stream=stream),
    lambda: device.allocate("1", stream=stream),
    lambda: device.allocate(1, stream=3),
    lambda: buffer.fill(256, stream=stream),
    lambda: buffer.fill("x", stream=stream),
    lambda: buffer.fill(b"abc", stream=stream),
    lambda: buffer.copy_to(device.allocate(8, stream=stream), stream=stream),
    lambda: Buffer.from_handle(0, -1),
    lambda: Stream.from_handle("x"),
    Stream,
    Event,
    Buffer,
    lambda: stream.record() - stream.record(),
    lambda: Program(3, "c++"),
    lambda: Program("", "java"),
    lambda: Program("", "c++").compile("exe"),
    lambda: Program("", "c++", ProgramOptions(max_register_count="x")).compile("ptx"),
    Linker,
    lambda: launch(3, config, None),
    *[lambda mode=mode: TextureObjectOptions(filter_mode=mode) for mode in ("x", 99, None)],
    lambda: TextureObjectOptions(read_mode="x"),
    lambda: TextureObjectOptions(mipmap_filter_mode=99),
    lambda: TensorMapDescriptorOptions(box_dim=(4,), interleave="x"),
    lambda: TensorMapDescriptorOptions(box_dim=(4,), swizzle=99),
]

for number, call in enumerate(CALLS):
    try:
        print(number, type(call()).__name__)
    except Exception as error:
        print(number, type(error).__name__)
