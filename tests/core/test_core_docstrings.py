# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Every public name has a docstring, and the examples in docstrings run.

They may use the names listed at the top of the reference: numpy as np, all of cuda.core, its `system`, a device
that is current, a stream of it, the source of a kernel `scale(float *x, float factor, int count)`, the kernel and a
config for it, and a pinned buffer of 100 floats. Skipped are those that need OpenGL or NVIDIA's driver.
"""

import doctest
import enum
import importlib
import inspect
import types
import typing

import numpy as np
import pytest

from cuda.core import LaunchConfig, LegacyPinnedMemoryResource, Module

MODULES = tuple(f"cuda.core{name}" for name in ("", ".checkpoint", ".graph", ".texture", ".typing", ".utils"))
SYSTEM = "cuda.core.system"  # written with its name, because it also has a Device
SOURCE = r"""
extern "C" __global__ void scale(float *x, float factor, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        x[i] *= factor;
}
"""


def public():
    """Yield the qualified name and the object of each public name, members of classes included."""
    for module in (*MODULES, SYSTEM):
        for name in importlib.import_module(module).__all__:
            value = getattr(importlib.import_module(module), name)
            if typing.get_origin(value) is not None or not callable(value):
                continue
            yield f"{module}.{name}", value
            if isinstance(value, type) and not issubclass(value, enum.Enum):
                for member, item in vars(value).items():
                    if not member.startswith("_") and not isinstance(item, types.MemberDescriptorType):
                        yield f"{module}.{name}.{member}", item


NAMES = dict(public())
EXAMPLES = {name: inspect.getdoc(item) for name, item in NAMES.items() if ">>>" in (inspect.getdoc(item) or "")}


def described(name, item):
    """Return whether a name has a docstring, or for a field of a dataclass a line in that of its class."""
    plain = isinstance(item, (str, int, float, type(None), tuple))  # a field's default
    if plain or isinstance(item, types.GetSetDescriptorType):
        owner, _, field = name.rpartition(".")
        if field in (inspect.getdoc(NAMES[owner]) or ""):
            return True
    return not plain and bool((inspect.getdoc(item) or "").strip())


def test_every_public_name_is_described():
    assert len(NAMES) > 400
    assert [name for name, item in NAMES.items() if not described(name, item)] == []


def made_by_users(item):
    """Return whether users make or call an object by its name; some classes are only returned by methods."""
    if not isinstance(item, type):
        return True
    if issubclass(item, (BaseException, enum.Enum)):
        return False
    try:
        item()
    except RuntimeError:
        return False
    except (TypeError, ValueError):
        return True
    return True


def test_every_user_facing_class_and_function_has_an_example():
    lacking = []
    for module in (*MODULES, SYSTEM):
        for name in importlib.import_module(module).__all__:
            full = f"{module}.{name}"
            with_examples = full in EXAMPLES or any(other.startswith(f"{full}.") for other in EXAMPLES)
            if full in NAMES and module != "cuda.core.typing" and not with_examples and made_by_users(NAMES[full]):
                lacking.append(full)
    assert lacking == []


@pytest.mark.needs_nvrtc
@pytest.mark.parametrize("name", EXAMPLES)
def test_example_runs(name, device, stream, tmp_path, monkeypatch, request):
    if "Workqueue" in name:
        request.getfixturevalue("since_13_1")
    monkeypatch.chdir(tmp_path)
    names = {"system": importlib.import_module(SYSTEM)}
    for module in map(importlib.import_module, MODULES):
        names |= {name: getattr(module, name) for name in module.__all__}
    kernel = Module.from_source(SOURCE).scale
    names |= {"np": np, "device": device, "stream": stream, "kernel": kernel, "source": SOURCE}
    buffer = LegacyPinnedMemoryResource().allocate(400, stream=stream)
    np.frombuffer(buffer, np.float32)[:] = 1
    names["buffer"], names["config"] = buffer, LaunchConfig(grid=1, block=128)
    example = doctest.DocTestParser().get_doctest(EXAMPLES[name], names, name, None, None)
    report = []
    failed, _ = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE).run(
        example, out=report.append
    )
    assert example.examples
    assert not failed, "".join(report)
