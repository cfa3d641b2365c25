# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The exceptions that docstrings name for wrong arguments are those that are raised."""

import functools
import uuid

import numpy as np
import pytest
from support.reference_rules import core_api

from cuda.core import (
    LEGACY_DEFAULT_STREAM,
    Buffer,
    ContextOptions,
    DeviceMemoryResource,
    DeviceMemoryResourceOptions,
    EventOptions,
    GraphMemoryResource,
    Kernel,
    LaunchConfig,
    LegacyPinnedMemoryResource,
    LinkerOptions,
    ManagedMemoryResource,
    Module,
    ObjectCode,
    Program,
    ProgramOptions,
    Stream,
    StreamOptions,
    VirtualMemoryResource,
    launch,
    system,
    utils,
)
from cuda.core.graph import GraphDefinition
from cuda.core.texture import ResourceDescriptor
from cuda.core.utils import StridedLayout, StridedMemoryView

SOURCE = 'extern "C" __global__ void scale(float *x, float factor, int count) { x[0] *= factor; }'
DOCUMENTED = {entry.name.removeprefix("cuda.core."): entry for entry in core_api.public()}
SHARED = DeviceMemoryResourceOptions(ipc_enabled=True)
F4 = np.dtype(np.float32)


class Things:
    """Objects for the calls below, each created when it is used first."""

    config = LaunchConfig(grid=1, block=1)

    def __init__(self, device, stream):
        self.device, self.stream = device, stream

    @functools.cached_property
    def kernel(self):
        return Module.from_source(SOURCE).scale

    @functools.cached_property
    def pinned(self):
        return LegacyPinnedMemoryResource().allocate(400, stream=self.stream)

    @functools.cached_property
    def memory(self):
        return self.device.allocate(400, stream=self.stream)

    @functools.cached_property
    def managed(self):
        return ManagedMemoryResource().allocate(4096, stream=self.stream)

    @functools.cached_property
    def pool(self):
        return DeviceMemoryResource(self.device, SHARED)

    @functools.cached_property
    def closed(self):
        buffer = self.device.allocate(16, stream=self.stream)
        buffer.close()
        return buffer

    @functools.cached_property
    def closed_stream(self):
        stream = self.device.create_stream()
        stream.close()
        return stream

    @functools.cached_property
    def closed_event(self):
        event = self.device.create_event()
        event.close()
        return event

    @functools.cached_property
    def graph(self):
        return GraphDefinition()

    @functools.cached_property
    def builder(self):
        return self.device.create_graph_builder()

    @functools.cached_property
    def capturing(self):
        return self.builder.begin_building()

    def close(self):
        """End the capture: until then, buffers of other closed streams cannot be freed."""
        if "builder" in vars(self):
            self.builder.close()

    @functools.cached_property
    def view(self):
        return StridedMemoryView.from_buffer(self.pinned, (10, 10), dtype=F4)

    layout = StridedLayout.dense((2, 3), 4)

    @functools.cached_property
    def system(self):
        return system.Device(0)


# Name -> calls with the exception of each.
CASES = {
    "Stream.from_handle": [(lambda n: Stream.from_handle("x"), TypeError)],
    "Stream.record": [
        (lambda n: n.stream.record(3), TypeError),
        (lambda n: n.stream.record(n.closed_event), "ClosedError"),
    ],
    "Stream.wait": [
        (lambda n: n.stream.wait(3), ValueError),
        (lambda n: n.stream.wait(n.closed_event), "ClosedError"),
    ],
    "Stream.sync": [(lambda n: n.closed_stream.sync(), "ClosedError")],
    "Stream.add_callback": [(lambda n: n.stream.add_callback(3), TypeError)],
    "Event.sync": [(lambda n: n.closed_event.sync(), "ClosedError")],
    "Device.create_stream": [
        (lambda n: n.device.create_stream(n.stream, options=StreamOptions()), ValueError),
        (lambda n: n.device.create_stream(options=StreamOptions(priority=99)), ValueError),
        (lambda n: n.device.create_stream(3), TypeError),
    ],
    "Device.create_event": [(lambda n: n.device.create_event(EventOptions(ipc_enabled=True)), TypeError)],
    "Device.allocate": [
        (lambda n: n.device.allocate("x", stream=n.stream), TypeError),
        (lambda n: n.device.allocate(-1, stream=n.stream), OverflowError),
        (lambda n: n.device.allocate(1 << 60, stream=n.stream), "CUDAError"),
    ],
    "Device.can_access_peer": [(lambda n: n.device.can_access_peer(1000), ValueError)],
    "Device.create_context": [
        (lambda n: n.device.create_context(None), ValueError),
        (lambda n: n.device.create_context(ContextOptions([])), ValueError),
        (lambda n: n.device.create_context(ContextOptions([3])), TypeError),
    ],
    "Device.create_opaque_array": [(lambda n: n.device.create_opaque_array(3), TypeError)],
    "Device.create_texture_object": [(lambda n: n.device.create_texture_object(resource=3), TypeError)],
    "Buffer.from_handle": [
        (lambda n: Buffer.from_handle(1, 1, mr=n.pool, owner=n), ValueError),
        (lambda n: Buffer.from_handle(1, -1), OverflowError),
        (lambda n: Buffer.from_handle("x", 1), TypeError),
        (lambda n: Buffer.from_handle(1, 1, stream=3), TypeError),
    ],
    "Buffer.set_deallocation_stream": [(lambda n: n.closed.set_deallocation_stream(n.stream), "ClosedError")],
    "Buffer.copy_to": [
        (lambda n: n.closed.copy_to(n.memory, stream=n.stream), "ClosedError"),
        (lambda n: n.memory.copy_to(3, stream=n.stream), TypeError),
        (lambda n: n.memory.copy_to(np.empty(2, F4), stream=n.stream), ValueError),
    ],
    "Buffer.copy_from": [(lambda n: n.memory.copy_from(np.empty(200, F4)[::2], stream=n.stream), ValueError)],
    "Buffer.fill": [
        (lambda n: n.pinned.fill(b"123", stream=n.stream), ValueError),
        (lambda n: n.pinned.fill(256, stream=n.stream), OverflowError),
        (lambda n: n.pinned.fill(1.5, stream=n.stream), TypeError),
    ],
    "DeviceMemoryResource.allocate": [(lambda n: n.pool.allocate(-1, stream=n.stream), OverflowError)],
    "DeviceMemoryResource.register": [
        (lambda n: n.pool.register("x"), TypeError),
        (lambda n: n.pool.register(uuid.uuid4()), ValueError),
    ],
    "DeviceMemoryResource.from_registry": [(lambda n: DeviceMemoryResource.from_registry(uuid.uuid4()), RuntimeError)],
    "DeviceMemoryResource.from_allocation_handle": [
        (lambda n: DeviceMemoryResource.from_allocation_handle(n.device, "x"), TypeError),
    ],
    "PeerAccess.add": [(lambda n: n.pool.peer_accessible_by.add(1000), ValueError)],
    "ManagedBuffer.prefetch": [(lambda n: n.managed.prefetch("x", stream=n.stream), TypeError)],
    "AccessedBy.add": [(lambda n: n.managed.accessed_by.add("x"), TypeError)],
    "LegacyPinnedMemoryResource.allocate": [(lambda n: LegacyPinnedMemoryResource().allocate(-1), OverflowError)],
    "LegacyPinnedMemoryResource.deallocate": [
        (lambda n: LegacyPinnedMemoryResource().deallocate("x", 1), TypeError),
        (lambda n: LegacyPinnedMemoryResource().deallocate(12345, 1), "CUDAError"),
    ],
    "GraphMemoryResource.allocate": [
        (lambda n: GraphMemoryResource(0).allocate(4, stream=n.stream), RuntimeError),
        (lambda n: GraphMemoryResource(0).allocate(-1, stream=n.stream), OverflowError),
    ],
    "VirtualMemoryResource.allocate": [(lambda n: VirtualMemoryResource(n.device).allocate(-(1 << 40)), OverflowError)],
    "VirtualMemoryResource.modify_allocation": [
        (lambda n: VirtualMemoryResource(n.device).modify_allocation(n.memory, 1000), ValueError),
    ],
    "utils.prefetch_batch": [
        (lambda n: utils.prefetch_batch(n.stream, [n.memory], n.device), ValueError),
        (lambda n: utils.prefetch_batch(n.stream, [n.managed], [n.device] * 2), ValueError),
    ],
    "utils.copy_batch": [
        (lambda n: utils.copy_batch(LEGACY_DEFAULT_STREAM, [n.memory], [n.pinned]), TypeError),
        (lambda n: utils.copy_batch(n.stream, [n.memory], []), ValueError),
        (lambda n: utils.copy_batch(n.stream, [n.closed], [n.memory]), "ClosedError"),
    ],
    "utils.make_fatbin": [(lambda n: utils.make_fatbin("x"), TypeError), (lambda n: utils.make_fatbin(), ValueError)],
    "ObjectCode.from_ptx": [
        (lambda n: ObjectCode.from_ptx("a\nb"), ValueError),
        (lambda n: ObjectCode.from_ptx(3), TypeError),
    ],
    "ObjectCode.get_module": [(lambda n: ObjectCode.from_ltoir(b"123").get_module(), "CUDAError")],
    "Module.get_global": [(lambda n: Module.from_source(SOURCE).get_global("absent"), "CUDAError")],
    "Program.compile": [
        (lambda n: Program(SOURCE, "c++").compile("exe"), ValueError),
        (lambda n: Program(SOURCE, "c++").compile("ptx", cache=3), TypeError),
    ],
    "ProgramOptions.as_bytes": [
        (lambda n: ProgramOptions().as_bytes("x"), ValueError),
        (lambda n: ProgramOptions(jump_table_density="x").as_bytes("NVRTC"), TypeError),
        (lambda n: ProgramOptions(define_macro=3).as_bytes("NVRTC"), TypeError),
        (lambda n: ProgramOptions(std="c++17").as_bytes("NVVM"), "CUDAError"),
    ],
    "LinkerOptions.as_bytes": [(lambda n: LinkerOptions(optimization_level=7).as_bytes(), ValueError)],
    "Kernel.from_handle": [(lambda n: Kernel.from_handle("x"), TypeError)],
    "Kernel.prepare": [
        (lambda n: n.kernel.prepare(3, n.stream), TypeError),
        (lambda n: n.kernel.prepare(n.config, n.closed_stream), "ClosedError"),
    ],
    "launch": [
        (lambda n: launch(n.stream, n.config, n.kernel, n.memory, 1.0), TypeError),
        (lambda n: launch(n.stream, n.config, n.kernel, n.memory, 1.0, 1.0), TypeError),
        (lambda n: launch(n.stream, n.config, n.kernel, n.memory, 1.0, 2**32), OverflowError),
        (lambda n: launch(n.stream, n.config, n.kernel, n.closed, 1.0, 1), "ClosedError"),
        (lambda n: launch(n.stream, LaunchConfig(grid=1, block=4096), n.kernel, n.memory, 1.0, 1), "CUDAError"),
    ],
    "KernelOccupancy.max_active_blocks_per_multiprocessor": [
        (lambda n: n.kernel.occupancy.max_active_blocks_per_multiprocessor(-1, 0), "CUDAError"),
    ],
    "KernelOccupancy.max_potential_cluster_size": [
        (lambda n: n.kernel.occupancy.max_potential_cluster_size(3), TypeError),
    ],
    "graph.GraphDefinition.memcpy": [
        (lambda n: n.graph.memcpy(n.memory, n.pinned, 4000), ValueError),
        (lambda n: n.graph.memcpy("x", n.pinned, 40), TypeError),
    ],
    "graph.GraphDefinition.memset": [
        (lambda n: n.graph.memset(n.pinned, b"123", 1), ValueError),
        (lambda n: n.graph.memset(n.pinned, 0, 4000), ValueError),
        (lambda n: n.graph.memset(n.pinned, 1.5, 4), TypeError),
    ],
    "graph.GraphDefinition.callback": [
        (lambda n: n.graph.callback(3), TypeError),
        (lambda n: n.graph.callback(print, user_data=3), ValueError),
    ],
    "graph.GraphDefinition.allocate": [
        (lambda n: n.graph.allocate(4, memory_type="x"), ValueError),
        (lambda n: n.graph.allocate(-1), OverflowError),
    ],
    "graph.GraphDefinition.deallocate": [
        (lambda n: n.graph.deallocate(12345), "CUDAError"),
        (lambda n: n.graph.deallocate("x"), TypeError),
    ],
    "graph.GraphDefinition.create_condition": [
        (lambda n: n.graph.create_condition(default_value=-1), OverflowError),
        (lambda n: n.graph.create_condition(default_value="x"), TypeError),
    ],
    "graph.GraphDefinition.switch": [(lambda n: n.graph.switch(n.graph.create_condition(), 0), ValueError)],
    "graph.GraphDefinition.if_then": [(lambda n: n.graph.if_then(3), TypeError)],
    "graph.GraphDefinition.join": [(lambda n: n.graph.join(GraphDefinition().empty()), ValueError)],
    "graph.GraphDefinition.record": [(lambda n: n.graph.record(n.closed_event), "ClosedError")],
    "graph.GraphDefinition.debug_dot_print": [
        (lambda n: n.graph.debug_dot_print(3), TypeError),
        (lambda n: n.graph.debug_dot_print("a\0b"), ValueError),
        (lambda n: n.graph.debug_dot_print("/absent/graph.dot"), "CUDAError"),
    ],
    "graph.AdjacencySet.add": [
        (lambda n: n.graph.empty().succ.add(3), TypeError),
        (lambda n: n.graph.empty().succ.add(GraphDefinition().empty()), ValueError),
    ],
    "graph.GraphBuilder.begin_building": [
        (lambda n: n.builder.begin_building("x"), ValueError),
        (lambda n: n.builder.begin_building(3), TypeError),
        (lambda n: n.capturing.begin_building(), RuntimeError),
    ],
    "graph.GraphBuilder.end_building": [(lambda n: n.builder.end_building(), RuntimeError)],
    "graph.GraphBuilder.split": [
        (lambda n: n.capturing.split("x"), TypeError),
        (lambda n: n.capturing.split(1), ValueError),
    ],
    "graph.GraphBuilder.embed": [
        (lambda n: n.capturing.embed(3), TypeError),
        (lambda n: n.builder.embed(n.graph), ValueError),
    ],
    "graph.Graph.launch": [(lambda n: n.graph.instantiate().launch(n.builder), TypeError)],
    "texture.ResourceDescriptor.from_linear": [
        (lambda n: ResourceDescriptor.from_linear(n.memory, format="x", num_channels=1), ValueError),
        (lambda n: ResourceDescriptor.from_linear(n.closed, format="float32", num_channels=1), "ClosedError"),
    ],
    "utils.StridedMemoryView.copy_from": [
        (lambda n: n.view.copy_from(np.empty((2, 2), F4), n.stream), ValueError),
        (lambda n: n.view.copy_from(3, n.stream), TypeError),
    ],
    "utils.StridedMemoryView.view": [
        (lambda n: n.view.view(StridedLayout.dense((1000,), 4)), ValueError),
        (lambda n: n.view.view(3), TypeError),
    ],
    "utils.StridedMemoryView.as_tensor_map": [(lambda n: n.view.as_tensor_map(), TypeError)],
    "utils.StridedMemoryView.from_any_interface": [
        (lambda n: StridedMemoryView.from_any_interface(3, -1), BufferError),
        (lambda n: StridedMemoryView.from_any_interface(n.memory), BufferError),
    ],
    "utils.StridedMemoryView.from_dlpack": [(lambda n: StridedMemoryView.from_dlpack(3, -1), AttributeError)],
    "utils.StridedMemoryView.from_array_interface": [
        (lambda n: StridedMemoryView.from_array_interface(3), AttributeError),
    ],
    "utils.StridedLayout.flattened": [
        (lambda n: n.layout.flattened(1, 0), ValueError),
        (lambda n: n.layout.flattened(5), ValueError),
        (lambda n: n.layout.flattened("x"), TypeError),
    ],
    "utils.StridedLayout.dense": [
        (lambda n: StridedLayout.dense((-1,), 4), ValueError),
        (lambda n: StridedLayout.dense("x", 4), TypeError),
    ],
    "utils.StridedLayout.repacked": [(lambda n: n.layout.repacked(8), ValueError)],
    "utils.StridedLayout.max_compatible_itemsize": [(lambda n: n.layout.max_compatible_itemsize(16, 7), ValueError)],
    "utils.StridedLayout.unsqueezed": [(lambda n: n.layout.unsqueezed("x"), TypeError)],
    "utils.log_driver_messages": [(lambda n: utils.log_driver_messages(3), TypeError)],
    "utils.InMemoryProgramCache.get": [(lambda n: utils.InMemoryProgramCache().get(3), TypeError)],
    "system.Device.get_cpu_affinity": [(lambda n: n.system.get_cpu_affinity("x"), ValueError)],
    "system.Device.get_clock": [(lambda n: n.system.get_clock("x"), ValueError)],
    "system.Device.register_events": [(lambda n: n.system.register_events("x"), ValueError)],
    "system.Device.get_field_values": [(lambda n: n.system.get_field_values(3), TypeError)],
    "system.Temperature.get_threshold": [(lambda n: n.system.temperature.get_threshold("x"), ValueError)],
    "system.get_process_name": [(lambda n: system.get_process_name(999_999_999), "NvmlError")],
    "system.get_p2p_status": [(lambda n: system.get_p2p_status(n.system, n.system, "read"), "NvmlError")],
}
ROWS = [(name, number) for name, calls in CASES.items() for number in range(len(calls))]


@pytest.mark.needs_nvrtc
@pytest.mark.parametrize(("name", "number"), ROWS)
def test_documented_exception_is_raised(name, number, device, stream, on_gpu):
    if on_gpu and name == "system.get_p2p_status":
        pytest.skip("NVML has a status of a GPU with itself")
    call, exception = CASES[name][number]
    with pytest.raises(Exception) as raised:
        call(Things(device, stream))
    expected = exception if isinstance(exception, str) else exception.__name__
    documented = core_api.named(core_api.sections(DOCUMENTED[name].doc).get("Raises", ""))
    assert expected in documented
    assert expected in [kind.__name__ for kind in type(raised.value).__mro__]
