# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Properties common to all public objects: weak references, equality, hash, repr, copies, attributes."""

import copy
import pickle
import weakref

import numpy as np
import pytest

import cuda.core as core
from cuda.core import graph, texture, typing, utils

pytestmark = pytest.mark.needs_nvrtc

SOURCE = 'extern "C" __global__ void one(int *p) { *p = 1; } extern "C" __global__ void two(int *p) { *p = 2; }'
IMAGE = {"shape": (8, 4), "format": typing.ArrayFormatType.FLOAT32, "num_channels": 1}


class Makers:
    """Functions that make objects, one per class: the first two objects are equal, the third differs."""

    def __init__(self, device, stream):
        self.device, self.stream = device, stream
        self.code = core.Program(SOURCE, "c++").compile("ptx")
        self.array = device.create_opaque_array(texture.OpaqueArrayOptions(**IMAGE, is_surface_load_store=True))
        self.resource = texture.ResourceDescriptor.from_opaque_array(self.array)
        self.definition = graph.GraphDefinition()

    def finished(self):
        builder = self.device.create_graph_builder().begin_building()
        return builder.end_building().complete()


# Constructor, part of the repr, and the result of copying: "equal", "other" (not equal) or None (an error).
OBJECTS = {
    "Device": (lambda m: core.Device(0), "Device 0", "equal"),
    "DeviceArray": (lambda m: m.device.empty((2, 3), np.float32), "(2, 3) float32", None),
    "DeviceProperties": (lambda m: m.device.properties, "device 0", None),
    "Stream": (lambda m: m.device.create_stream(), "0x", None),
    "Event": (lambda m: m.device.create_event(), "0x", None),
    "Buffer": (lambda m: m.device.allocate(64, stream=m.stream), "64 bytes", None),
    "Context": (lambda m: m.device.context, "device 0", None),
    "DeviceMemoryResource": (lambda m: core.DeviceMemoryResource(0), "device 0", None),
    "PinnedMemoryResource": (lambda m: core.PinnedMemoryResource(), "host", None),
    "ManagedMemoryResource": (lambda m: core.ManagedMemoryResource(), "ManagedMemoryResource", None),
    "LegacyPinnedMemoryResource": (lambda m: core.LegacyPinnedMemoryResource(), "LegacyPinned", "other"),
    "VirtualMemoryResource": (lambda m: core.VirtualMemoryResource(m.device), "device 0", "other"),
    "GraphMemoryResource": (lambda m: core.GraphMemoryResource(m.device), "device 0", "equal"),
    "PoolAttributes": (lambda m: m.device.memory_resource.attributes, "used_mem_current", None),
    "Program": (lambda m: core.Program(SOURCE, "c++"), "default_program", None),
    "ObjectCode": (lambda m: m.code, "ptx", "other"),
    "Kernel": (lambda m: m.code.get_kernel("one"), "'one'", None),
    "KernelAttributes": (lambda m: m.code.get_kernel("one").attributes, "'one'", None),
    "KernelOccupancy": (lambda m: m.code.get_kernel("one").occupancy, "'one'", None),
    "Linker": (lambda m: core.Linker(m.code), "1 code", None),
    "LaunchConfig": (lambda m: core.LaunchConfig(grid=2, block=32), "grid=(2, 1, 1)", "equal"),
    "Host": (lambda m: core.Host(), "Host()", "equal"),
    "DeviceResources": (lambda m: m.device.resources, "device 0", None),
    "SMResource": (lambda m: m.device.resources.sm, "SMResource", None),
    "WorkqueueResource": (lambda m: m.device.resources.workqueue, "WorkqueueResource", None),
    "StreamOptions": (lambda m: core.StreamOptions(priority=-1), "priority=-1", "equal"),
    "EventOptions": (lambda m: core.EventOptions(timing_enabled=True), "timing_enabled=True", "equal"),
    "DeviceMemoryResourceOptions": (lambda m: core.DeviceMemoryResourceOptions(max_size=5), "max_size=5", "equal"),
    "PinnedMemoryResourceOptions": (lambda m: core.PinnedMemoryResourceOptions(max_size=5), "max_size=5", "equal"),
    "ManagedMemoryResourceOptions": (lambda m: core.ManagedMemoryResourceOptions(), "preferred_location", "equal"),
    "ProgramOptions": (lambda m: core.ProgramOptions(arch="sm_90"), "sm_90", "equal"),
    "LinkerOptions": (lambda m: core.LinkerOptions(arch="sm_90"), "sm_90", "equal"),
    "GraphBuilder": (lambda m: m.device.create_graph_builder(), "GraphBuilder", None),
    "Graph": (lambda m: m.finished(), "0x", None),
    "GraphDefinition": (lambda m: m.definition, "GraphDefinition", None),
    "GraphCondition": (lambda m: m.definition.create_condition(1), "GraphCondition", None),
    "OpaqueArrayOptions": (lambda m: texture.OpaqueArrayOptions(**IMAGE), "(8, 4)", "equal"),
    "OpaqueArray": (lambda m: m.array, "(8, 4)", None),
    "ResourceDescriptor": (lambda m: m.resource, "ResourceDescriptor", None),
    "TextureObjectOptions": (lambda m: texture.TextureObjectOptions(), "address_mode", "equal"),
    "TextureObject": (lambda m: m.device.create_texture_object(resource=m.resource), "0x", None),
    "SurfaceObject": (lambda m: m.device.create_surface_object(resource=m.resource), "0x", None),
    "StridedMemoryView": (lambda m: utils.StridedMemoryView.from_any_interface(np.zeros(4), -1), "(4,)", None),
    "CopyOptions": (lambda m: utils.CopyOptions(), "src_access_order", "equal"),
    "IPCEventDescriptor": (lambda m: m.stream.record(options={"ipc_enabled": True}).ipc_descriptor, "-", "equal"),
}
UNHASHABLE = {name for name in OBJECTS if name.endswith("Options")} - {"CopyOptions"}
# Classes whose attributes can also be set in NVIDIA's package; in all others every assignment is an error.
OPEN = {
    "GraphMemoryResource",
    "IPCEventDescriptor",
    "VirtualMemoryResource",
    "ProgramOptions",
    "LinkerOptions",
    "OpaqueArrayOptions",
    "TextureObjectOptions",
}


@pytest.fixture(scope="module")
def makers():
    device = core.Device(0)
    device.set_current()
    stream = device.create_stream()
    yield Makers(device, stream)
    stream.close()


@pytest.fixture
def thing(request, makers, device):
    if request.param == "WorkqueueResource":
        request.getfixturevalue("since_13_1")
    made = OBJECTS[request.param][0](makers)
    yield made
    if hasattr(made, "close") and request.param not in ("Context", "OpaqueArray"):
        made.close()


names = pytest.mark.parametrize(("name", "thing"), [(name, name) for name in OBJECTS], indirect=["thing"], ids=OBJECTS)


@names
def test_weak_references(name, thing):
    assert weakref.ref(thing)() is thing


@names
def test_equality_and_hash(name, thing):
    same = thing
    assert thing == same
    assert (thing != same) is False
    assert thing != 3
    assert thing != "text"
    assert thing is not None
    if name in UNHASHABLE:
        with pytest.raises(TypeError, match="unhashable"):
            hash(thing)
    else:
        assert hash(thing) == hash(thing)
        assert {thing: 1}[thing] == 1


@names
def test_repr_shows_the_attributes(name, thing):
    assert OBJECTS[name][1] in repr(thing)


@names
def test_copies(name, thing):
    copies = OBJECTS[name][2]
    if copies is None:
        for make in (copy.copy, pickle.dumps):
            if (name, make) != ("ResourceDescriptor", copy.copy):
                with pytest.raises((TypeError, RuntimeError)):
                    make(thing)
        return
    for made in (copy.copy(thing), pickle.loads(pickle.dumps(thing))):
        assert type(made) is type(thing)
        assert (made == thing) is (copies == "equal")


@names
def test_attributes(name, thing):
    if name not in OPEN:
        with pytest.raises(AttributeError):
            thing.no_such_attribute = 1
    if name.endswith("Options") or name in ("LaunchConfig", "IPCEventDescriptor"):
        return  # attributes meant to be set
    for member in dir(type(thing)):
        found = getattr(type(thing), member)
        if member.startswith("_") or callable(found) or getattr(found, "fset", None) is not None:
            continue
        if name == "Device" and member == "memory_resource":
            continue
        with pytest.raises(AttributeError):
            setattr(thing, member, None)
