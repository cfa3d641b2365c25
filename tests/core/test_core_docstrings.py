# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The docstrings of the public names are complete, by the rules of `support.reference_rules`, and their examples run.

Examples may use the names listed in docs/core_pages.py: numpy as np, all of cuda.core, its `system`, a device that is
current, a stream of it, the source of a kernel `scale(float *x, float factor, int count)`, the kernel and a config for
it, and a pinned buffer of 100 floats.
"""

import doctest
import functools
import importlib
import pathlib

import numpy as np
import pytest
from support import raised_exceptions
from support.reference_rules import core_api, violations

from cuda.core import LaunchConfig, LegacyPinnedMemoryResource, Module

SYSTEM = "cuda.core.system"  # written with its name, because it also has a Device
SOURCE = r"""
extern "C" __global__ void scale(float *x, float factor, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        x[i] *= factor;
}
"""
# Class or function -> why a part of its examples cannot run here.
SKIPPED = {
    "cuda.core.Event.from_ipc_descriptor": "the other process's part",
    "cuda.core.GraphicsResource": "needs OpenGL",
    "cuda.core.checkpoint.Process": "needs NVIDIA's driver",
    "cuda.core.system.ClockInfo": "the CPU device has a frequency, but no boost and no performance states",
    "cuda.core.system.FanInfo": "the CPU device has no fans",
    "cuda.core.system.InforomInfo": "the CPU device has no information ROM",
    "cuda.core.system.MigInfo": "the CPU device has no MIG devices",
    "cuda.core.system.Temperature": "the CPU device has no thermal sensors",
}

ENTRIES = {entry.name: entry for entry in core_api.public()}
CLASSES = {name: entry for name, entry in ENTRIES.items() if entry.kind in ("class", "function", "data")}
EXAMPLES = {entry.doc: name for name, entry in reversed(ENTRIES.items()) if ">>>" in entry.doc}  # inherited ones once


@pytest.mark.parametrize("name", CLASSES)
def test_docstrings_are_complete(name):
    members = [entry for entry in ENTRIES.values() if entry.name == name or entry.name.rpartition(".")[0] == name]
    assert [f"{entry.name}: {each}" for entry in members for each in violations(entry)] == []


def test_the_rules_see_all_public_names():
    kinds = [entry.kind for entry in ENTRIES.values()]
    assert len(CLASSES) > 150
    assert kinds.count("method") + kinds.count("classmethod") + kinds.count("staticmethod") > 220
    assert kinds.count("property") > 280


class Documented:
    """Example of a class for the tests of the rules."""

    def wait(self, timeout: float, *names: str) -> int:
        """Waits for something."""
        if timeout < 0:
            raise ValueError("timeout must be at least 0")
        return len(names)


def test_violations_are_found(monkeypatch):
    monkeypatch.setattr(core_api, "source", lambda module: pathlib.Path(__file__))
    module, owner = __name__, "Documented"
    nodes = [core_api.ast.parse("def wait(self, timeout: float, *names: str) -> int: ...").body[0]]
    entry = core_api.Entry("Documented.wait", "method", Documented.wait, module, owner, nodes)
    assert list(violations(entry)) == [
        "begins with 'Waits', not with a known imperative",
        "Parameters are [], the signature's ['timeout', '*names']",
        "no Returns, but it returns int",
        "Raises lacks ValueError",
        "no Examples",
    ]


def test_exceptions_of_called_functions_count(tmp_path):
    source = tmp_path / "example.pyx"
    source.write_text(
        "cdef class A:\n"
        "    def f(self):\n        '''No raise here.'''\n        return self.g(1)\n"
        "    cdef int g(self, int x) except -1:\n        check(cydriver.cuInit(x), b'cuInit')\n        return h(x)\n"
        "    def other(self):\n        raise KeyError(1)\n"
        "cdef int h(int x) except -1:\n    raise ValueError(x)  # raise TypeError()\n"
    )
    assert raised_exceptions.raised(source, "A", "f") == {"CUDAError", "ValueError"}
    assert raised_exceptions.driver_functions(source, "A", "g") == {"cuInit"}


def test_parts_of_examples_are_skipped_for_a_reason():
    skipped = [name for doc, name in EXAMPLES.items() if "+SKIP" in doc]
    assert skipped
    assert [name for name in skipped if not any(name.startswith(known) for known in SKIPPED)] == []


@functools.cache
def names():
    found = {"np": np, "source": SOURCE, "system": importlib.import_module(SYSTEM)}
    for module in map(importlib.import_module, core_api.MODULES):
        if not module.__name__.startswith(SYSTEM):
            found |= {name: getattr(module, name) for name in module.__all__}
    return found | {"kernel": Module.from_source(SOURCE).scale, "config": LaunchConfig(grid=1, block=128)}


# What examples need beside a compiler, or what they are about.
NEEDED = {
    "cuda.core.Linker": pytest.mark.needs_nvjitlink,
    "cuda.core.Linker.get_info_log": pytest.mark.needs_nvjitlink,
    "cuda.core.Linker.which_backend": pytest.mark.needs_nvjitlink,
    "cuda.core.ObjectCode.from_fatbin": pytest.mark.needs_nvfatbin,
    "cuda.core.ObjectCode.from_library": pytest.mark.needs_nvjitlink,
    "cuda.core.ObjectCode.from_object": pytest.mark.needs_nvjitlink,
    "cuda.core.Program.compile": pytest.mark.of_nvrtc,
    "cuda.core.utils.make_fatbin": pytest.mark.needs_nvfatbin,
}
# Why examples run on the CPU device only.
OF_POOLS = "driver 580 takes no advice for memory of pools"
OF_LINKS = "a GPU without NVLink has no such field"
ON_CPU = {
    "cuda.core.AccessedBy.add": OF_POOLS,
    "cuda.core.AccessedBy.discard": OF_POOLS,
    "cuda.core.GraphMemoryResource": "a GPU counts the memory of all graphs that exist, of other tests as well",
    "cuda.core.ManagedBuffer": OF_POOLS,
    "cuda.core.ManagedMemoryResource": OF_POOLS,
    "cuda.core.system.Device.clear_field_values": "resets a counter of errors of the GPU",
    "cuda.core.system.Device.get_field_values": OF_LINKS,
    "cuda.core.system.FieldValues.get_all_values": OF_LINKS,
    "cuda.core.system.FieldValues.validate": OF_LINKS,
}


@pytest.mark.needs_nvrtc
@pytest.mark.parametrize(
    ("name", "doc"),
    [pytest.param(name, doc, id=name, marks=NEEDED.get(name, ())) for doc, name in EXAMPLES.items()],
)
def test_example_runs(name, doc, device, stream, tmp_path, monkeypatch, request, on_gpu):
    if on_gpu and name in ON_CPU:
        pytest.skip(ON_CPU[name])
    if "Workqueue" in name:
        request.getfixturevalue("since_13_1")
    monkeypatch.chdir(tmp_path)
    buffer = LegacyPinnedMemoryResource().allocate(400, stream=stream)
    np.frombuffer(buffer, np.float32)[:] = 1
    scope = names() | {"device": device, "stream": stream, "buffer": buffer}
    example = doctest.DocTestParser().get_doctest(doc, scope, name, None, None)
    report = []
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    failed, _ = doctest.DocTestRunner(optionflags=flags).run(example, out=report.append)
    device.sync()  # before `buffer` is freed, which some examples still use
    assert example.examples
    assert not failed, "".join(report)
