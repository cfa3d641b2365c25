# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Fixtures: a stream, device memory, a file with data, and handles of cuFile."""

from __future__ import annotations

import os

import pytest
from cufile_calls import DATA

from cuda.bindings import cufile
from cuda.core import Device


@pytest.fixture(scope="module")
def device():
    device = Device()
    device.set_current()
    return device


@pytest.fixture
def stream(device):
    with device.create_stream() as stream:
        yield stream


@pytest.fixture(autouse=True)
def opened():
    cufile.driver_open()
    yield
    while cufile.use_count():
        cufile.driver_close()


@pytest.fixture
def memory(device, stream):
    """Device memory, with access to its bytes."""
    with device.allocate(len(DATA), stream=stream) as buffer:
        stream.sync()
        yield int(buffer.handle)
        stream.sync()


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "data"
    path.write_bytes(DATA)
    return path


@pytest.fixture
def register():
    """A function from a path to a cuFile handle."""
    made = []

    def register(path, flags=os.O_RDWR):
        descriptor = os.open(path, flags | os.O_CREAT)
        given = cufile.Descr(type=cufile.FileHandleType.OPAQUE_FD)
        given.handle.fd = descriptor
        made.append(descriptor)
        return cufile.handle_register(given.ptr)

    yield register
    for descriptor in made:
        os.close(descriptor)
