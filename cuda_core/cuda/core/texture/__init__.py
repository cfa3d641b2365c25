# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""CUDA arrays, textures and surfaces.

Names are looked up on first use.
"""

from __future__ import annotations

from cuda.core._utils._lazy import lazy_names

TYPE_CHECKING = False

# Public name -> module that defines it.
_MODULES = {
    "MipmappedArray": "_array",
    "MipmappedArrayOptions": "_options",
    "OpaqueArray": "_array",
    "OpaqueArrayOptions": "_options",
    "ResourceDescriptor": "_resource",
    "SurfaceObject": "_object",
    "TextureObject": "_object",
    "TextureObjectOptions": "_options",
}

__all__ = sorted(_MODULES)
__getattr__, __dir__ = lazy_names(globals(), _MODULES)


if TYPE_CHECKING:
    from ._array import MipmappedArray as MipmappedArray
    from ._array import OpaqueArray as OpaqueArray
    from ._object import SurfaceObject as SurfaceObject
    from ._object import TextureObject as TextureObject
    from ._options import MipmappedArrayOptions as MipmappedArrayOptions
    from ._options import OpaqueArrayOptions as OpaqueArrayOptions
    from ._options import TextureObjectOptions as TextureObjectOptions
    from ._resource import ResourceDescriptor as ResourceDescriptor
