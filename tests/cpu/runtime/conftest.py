# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Fixtures: the kernels of kernels.c, compiled once, a launcher and an arena."""

from __future__ import annotations

import pathlib

import pytest

runtime = pytest.importorskip("cuda.cpu.runtime._runtime", reason="the CPU device's runtime is not built")

from support.warp_kernels import WAIT, Launcher, compile_kernels  # noqa: E402

HERE = pathlib.Path(__file__).parent


def pytest_collection_modifyitems(items):
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.cpu_only)


@pytest.fixture(scope="session")
def image_file(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kernels")
    compile_kernels(folder)
    return folder / "kernels.o"


@pytest.fixture(scope="session")
def object_bytes(image_file):
    return image_file.read_bytes()


@pytest.fixture(scope="session")
def image(object_bytes):
    return runtime.Image(object_bytes)


@pytest.fixture
def device(image):
    launcher = Launcher(image)
    yield launcher
    launcher.queue.cancel()
    assert launcher.queue.wait(WAIT)
    launcher.queue.close()


@pytest.fixture
def arena():
    arena = runtime.Arena(1 << 28)
    yield arena
    arena.close()
