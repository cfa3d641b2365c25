# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Objects that live until the interpreter is finalised: their destructors run when the modules' names are None.

Attributes of `sys` live longer than the modules of cuda.core and cuda.bindings.
"""

import pytest
from support.scripts import run_script

pytestmark = pytest.mark.needs_nvrtc

OBJECTS = """
import logging, sys
import numpy as np
from cuda.core import (
    ContextOptions, Device, EventOptions, DeviceMemoryResource, LaunchConfig, LegacyPinnedMemoryResource,
    Linker, LinkerOptions, ManagedMemoryResource, Module, Program, ProgramOptions, VirtualMemoryResource, launch,
)
from cuda.core.graph import GraphDefinition
from cuda.core.system import Device as SystemDevice
from cuda.core.texture import ResourceDescriptor
from cuda.core.utils import DriverLog, StridedMemoryView

device = Device()
device.set_current()
stream = device.create_stream()
module = Module.from_source('extern "C" __global__ void f(int *x) { x[0] = 7; }')
code = Program('extern "C" __global__ void g() {}', "c++", ProgramOptions(arch="sm_90")).compile("cubin")
pool = DeviceMemoryResource(device)
target = device.allocate(64, stream=stream)


def graph_parts():
    definition = GraphDefinition()
    node = definition.memset(device.allocate(64, stream=stream), 0, 4).callback(print)
    return definition, node, definition.instantiate()


def consumed(kind):
    pinned = LegacyPinnedMemoryResource().allocate(16)
    return kind(pinned)


def unfinished_builder():
    builder = device.create_graph_builder().begin_building()
    launch(builder, LaunchConfig(grid=1, block=1), module.f, target)
    return builder


def texture():
    array = device.create_opaque_array({"shape": (4, 4), "format": "float32", "num_channels": 1})
    return device.create_texture_object(resource=ResourceDescriptor.from_opaque_array(array))


def surface():
    options = {"shape": (4, 4), "format": "float32", "num_channels": 1, "is_surface_load_store": True}
    array = device.create_opaque_array(options)
    return device.create_surface_object(resource=ResourceDescriptor.from_opaque_array(array))


MAKE = {
    "buffer": lambda: device.allocate(64, stream=stream),
    "buffer_of_a_pool": lambda: pool.allocate(64, stream=stream),
    "buffer_of_a_closed_stream": lambda: device.allocate(64, stream=device.create_stream()),
    "pinned": lambda: LegacyPinnedMemoryResource().allocate(16),
    "managed": lambda: ManagedMemoryResource().allocate(16, stream=stream),
    "virtual": lambda: VirtualMemoryResource(device).allocate(1 << 21),
    "array": lambda: consumed(np.from_dlpack),
    "frombuffer": lambda: consumed(lambda memory: np.frombuffer(memory, np.uint8)),
    "capsule": lambda: consumed(lambda memory: memory.__dlpack__()),
    "view": lambda: consumed(lambda memory: StridedMemoryView.from_any_interface(memory, stream_ptr=-1)),
    "device_array": lambda: device.to_device(np.arange(4.0), stream=stream),
    "stream": device.create_stream,
    "event": stream.record,
    "event_to_share": lambda: stream.record(options=EventOptions(ipc_enabled=True)),
    "pool": lambda: DeviceMemoryResource(device),
    "module": lambda: Module.from_source('extern "C" __global__ void h() {}'),
    "kernel": lambda: code.get_kernel("g"),
    "program": lambda: Program('extern "C" __global__ void h() {}', "c++", ProgramOptions(arch="sm_90")),
    "linker": lambda: Linker(code, options=LinkerOptions(arch="sm_90")),
    "launcher": lambda: module.f.prepare(LaunchConfig(grid=1, block=1), stream),
    "definition": lambda: graph_parts()[0],
    "node": lambda: graph_parts()[1],
    "graph": lambda: graph_parts()[2],
    "opaque_array": lambda: device.create_opaque_array({"shape": (4, 4), "format": "float32", "num_channels": 1}),
    "texture": texture,
    "surface": surface,
    "green_context": lambda: device.create_context(ContextOptions([device.resources.sm])),
    "events_of_nvml": lambda: SystemDevice(0).register_events("xid_critical_error"),
    "log": lambda: DriverLog(logging.getLogger("cuda")),
    "builder": unfinished_builder,
}
"""
NAMES = [line.split('"')[1] for line in OBJECTS.split("MAKE = {")[1].splitlines() if line.startswith('    "')]
KEEP = """
for name in sys.argv[1:]:
    setattr(sys, f"kept_{name}", MAKE[name]())
print("made")
"""


@pytest.mark.needs_nvjitlink
@pytest.mark.parametrize("names", [[name for name in NAMES if name != "builder"], ["builder"]], ids=["all", "builder"])
def test_nothing_is_printed_for_objects_alive_at_exit(names):
    """An unfinished builder has a process of its own: the driver logs what other objects do during its capture."""
    done = run_script(f"{OBJECTS}\nsys.argv[1:] = {names}{KEEP}")
    assert (done.returncode, done.stdout, done.stderr) == (0, "made\n", "")


USER_RESOURCE = """
import sys
from cuda.core import Buffer, Device, MemoryResource

device = Device()
device.set_current()


class Mine(MemoryResource):
    is_device_accessible, is_host_accessible, device_id = True, False, 0

    def allocate(self, size, *, stream=None):
        return Buffer.from_handle(ptr=4096, size=size, mr=self)

    def deallocate(self, ptr, size, *, stream=None, write=sys.stdout.write):
        write(f"freed {size}")


buffer = Mine().allocate(3)
"""


def test_a_resource_of_the_user_gets_its_memory_back_at_exit():
    done = run_script(USER_RESOURCE)
    assert (done.returncode, done.stdout, done.stderr) == (0, "freed 3", "")
