# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Textures and surfaces: arrays whose layout is the hardware's own, read with filtering and written by coordinates.

Names are looked up on first use.
"""

from __future__ import annotations

import importlib

TYPE_CHECKING = False

# Public name -> module that defines it.
_HOME = {
    "MipmappedArray": "_array",
    "MipmappedArrayOptions": "_options",
    "OpaqueArray": "_array",
    "OpaqueArrayOptions": "_options",
    "ResourceDescriptor": "_resource",
    "SurfaceObject": "_object",
    "TextureObject": "_object",
    "TextureObjectOptions": "_options",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'cuda.core.texture' has no attribute {name!r}")
    value = globals()[name] = getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*(name for name in globals() if name.startswith("__")), *__all__})


if TYPE_CHECKING:
    from ._array import MipmappedArray as MipmappedArray
    from ._array import OpaqueArray as OpaqueArray
    from ._object import SurfaceObject as SurfaceObject
    from ._object import TextureObject as TextureObject
    from ._options import MipmappedArrayOptions as MipmappedArrayOptions
    from ._options import OpaqueArrayOptions as OpaqueArrayOptions
    from ._options import TextureObjectOptions as TextureObjectOptions
    from ._resource import ResourceDescriptor as ResourceDescriptor
