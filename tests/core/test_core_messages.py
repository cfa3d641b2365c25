# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""What beginners get wrong: each message names the argument, its value, and what would be right."""

import importlib
import re

import numpy as np
import pytest

from cuda.core import (
    EventOptions,
    LaunchConfig,
    LegacyPinnedMemoryResource,
    LinkerOptions,
    Module,
    Program,
    ProgramOptions,
    StreamOptions,
    launch,
)
from cuda.core._option_names import closest
from cuda.core.utils import CopyOptions

ONE = LaunchConfig(grid=1, block=1)


@pytest.mark.parametrize(
    ("make", "given", "meant"),
    [
        (lambda: LaunchConfig(grid=1, block=1, shared=64), "shared", "shmem_size"),
        (lambda: LaunchConfig(blocks=1, threads=1), "blocks", "grid"),
        (lambda: LaunchConfig(grid=1, block=1, cooperative=True), "cooperative", "is_cooperative"),
        (lambda: StreamOptions(non_blocking=True), "non_blocking", "nonblocking"),
        (lambda: EventOptions(enable_timing=True), "enable_timing", "timing_enabled"),
        (lambda: ProgramOptions(architecture="sm_90"), "architecture", "arch"),
        (lambda: ProgramOptions(include_dirs="."), "include_dirs", "include_path"),
        (lambda: LinkerOptions(lto=True), "lto", "link_time_optimization"),
        (lambda: CopyOptions(access_order="any"), "access_order", "src_access_order"),
        (lambda: Program("", "c++", {"fast_math": True}), "fast_math", "use_fast_math"),
    ],
)
def test_options_by_a_wrong_name(make, given, meant):
    with pytest.raises(TypeError, match=rf"^\w+ has no option '{given}': did you mean '{meant}'\?$"):
        make()


def test_options_by_a_name_like_no_other():
    with pytest.raises(
        TypeError, match=r"^LaunchConfig has no option 'zzz': the options are grid, cluster, block, shmem_"
    ):
        LaunchConfig(grid=1, block=1, zzz=1)


def test_other_mistakes_of_options_keep_their_message():
    with pytest.raises(TypeError, match=r"takes from 1 to 3 positional arguments"):
        StreamOptions(1, 2, 3)
    assert closest("nonsense", ["arch", "std"]) == ""


def test_every_class_of_options_knows_its_names():
    import dataclasses
    import pkgutil

    import cuda.core

    for found in pkgutil.walk_packages(cuda.core.__path__, "cuda.core."):
        if found.name.endswith("__main__") or ".system" in found.name:
            continue
        for name, value in vars(importlib.import_module(found.name)).items():
            if isinstance(value, type) and dataclasses.is_dataclass(value) and name.endswith("Options"):
                with pytest.raises(TypeError, match=f"^{name} has no option 'zzz': "):
                    value(zzz=1)


def test_the_second_positional_argument_of_launch_config_is_cluster():
    with pytest.raises(
        ValueError, match=r"^block must be given; .* is cluster: write LaunchConfig\(grid=1, block=\(32, 2\)\)$"
    ):
        LaunchConfig(1, (32, 2))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            lambda buffer: ((buffer, 1),),
            "but 1 was given; argument 1 is a tuple: pass its items, *arguments",
        ),
        (
            lambda buffer: ([buffer], 1),
            "1 of kernel 'add_one' is a list, .*: pass its items, *arguments; those",
        ),
        (
            lambda buffer: (True, 1),
            "1 of kernel 'add_one' is True, but the parameter is an integer or pointer",
        ),
        (
            lambda buffer: (np.zeros(1, "i4"), 1),
            "is a numpy.ndarray in memory of the host: allocate a Buffer",
        ),
    ],
)
def test_arguments_of_kernels(module, device, stream, arguments, message):
    with device.allocate(4, stream=stream) as buffer, pytest.raises(TypeError) as raised:
        launch(stream, ONE, module.add_one, *arguments(buffer))
    assert re.search(re.escape(message).replace(r"\.\*", ".*"), str(raised.value))


def test_a_view_of_pinned_memory_is_no_argument(module, stream):
    with LegacyPinnedMemoryResource().allocate(4) as pinned:
        view = np.asarray(pinned).view(np.int32)
        with pytest.raises(TypeError, match=r"ndarray of memory that the device can use: pass the Buffer"):
            launch(stream, ONE, module.add_one, view, 1)
        with pytest.raises(TypeError, match=r"memoryview of memory that the device can use: pass the Buffer"):
            launch(stream, ONE, module.add_one, memoryview(pinned), 1)
        del view


def test_a_kernel_is_not_called(module):
    with pytest.raises(TypeError, match=r"^kernel 'add_one' is not called: use launch\(stream, LaunchConfig\("):
        module.add_one(None, 1)


@pytest.mark.parametrize(
    ("wait", "message"),
    [
        (3, r"event_or_stream must be an Event, a Stream or an object with __cuda_stream__, not 3 \(int\)"),
        (None, r"event_or_stream must be an Event, a Stream .*, not None \(NoneType\)"),
    ],
)
def test_waiting_for_something_else(stream, wait, message):
    with pytest.raises(TypeError, match=f"^{message}$"):
        stream.wait(wait)


@pytest.mark.needs_nvrtc
def test_closed_modules(device):
    closed = Module.from_source('extern "C" __global__ void k() {}')
    closed.close()
    assert not hasattr(closed, "k")
    with pytest.raises(AttributeError, match=r"^this Module is closed: it has no kernel 'k' any more$"):
        _ = closed.k
    with pytest.raises(ValueError, match=r"^this Module is closed$"):
        closed.get_kernel("k")


@pytest.mark.parametrize("name", ["", ".graph", ".texture", ".system", ".utils", ".checkpoint", ".typing"])
def test_dir_lists_public_names_only(name):
    package = importlib.import_module(f"cuda.core{name}")
    parts = set() if name else {"checkpoint", "graph", "system", "texture", "typing", "utils"}
    assert {each for each in dir(package) if not each.startswith("__")} == {*package.__all__, *parts}
