# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Graphics resources: the errors where OpenGL is missing. Sharing itself needs a GPU and a window system."""

import pytest

from cuda.core import CUDAError, GraphicsResource

NEEDS = "takes a GPU of NVIDIA whose OpenGL context is current"


def test_graphics_resources_without_opengl(device, stream):
    with pytest.raises(CUDAError, match=NEEDS):
        GraphicsResource.from_gl_buffer(1)
    with pytest.raises(CUDAError, match=NEEDS):
        GraphicsResource.from_gl_buffer(1, flags=("read_only",), stream=stream)
    with pytest.raises(CUDAError, match=NEEDS):
        GraphicsResource.from_gl_image(1, 0x0DE1, flags="write_discard")


def test_wrong_use(device):
    with pytest.raises(ValueError, match=r"flags must be among none, read_only, .*, not 'fast'"):
        GraphicsResource.from_gl_buffer(1, flags="fast")
    with pytest.raises(TypeError, match="stream must be a Stream"):
        GraphicsResource.from_gl_buffer(1, stream=3)
    with pytest.raises(OverflowError):
        GraphicsResource.from_gl_image(-1, 0)
    with pytest.raises(RuntimeError, match="a GraphicsResource is not made directly"):
        GraphicsResource()


def test_a_resource_that_was_never_registered(device, stream):
    resource = GraphicsResource.__new__(GraphicsResource)
    assert resource.is_closed
    assert not resource.is_mapped
    assert (resource.handle, resource.resource_handle) == (None, 0)
    resource.close()
    resource.unmap()
    with pytest.raises(ValueError, match="this GraphicsResource is closed"):
        resource.map(stream=stream)
    with pytest.raises(ValueError, match="this GraphicsResource is closed"):
        resource.__enter__()
