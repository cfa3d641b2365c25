# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""CopyOptions: the options of `Buffer.copy_to`, `Buffer.copy_from` and `utils.copy_batch`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from cuda.core._utils._options import named_options

if TYPE_CHECKING:
    from cuda.core._device._device import Device
    from cuda.core._device._host import Host


class MemcpySrcAccessOrder(StrEnum):
    """When a copy may read its source."""

    STREAM = "stream"
    DURING_API_CALL = "during_api_call"
    ANY = "any"


class MemcpyOverlapMode(StrEnum):
    """Whether a copy should avoid the multiprocessors, so that it overlaps with kernels."""

    DEFAULT = "default"
    PREFER_OVERLAP_WITH_COMPUTE = "prefer_overlap_with_compute"


@named_options
@dataclass(frozen=True)
class CopyOptions:
    """Options of copies.

    Thread safety: immutable; threads may share it.

    Attributes
    ----------
    src_access_order : MemcpySrcAccessOrder or str
        When the source may be read: ``"stream"``, in the stream's order; ``"during_api_call"``, before the call
        returns, for a source that may be freed then; ``"any"``, at any time, for a source that does not change.
    src_location_hint, dst_location_hint : cuda.core.Device or Host, optional
        Hints on the location of managed and pageable memory, which the driver cannot determine itself.
    overlap_mode : MemcpyOverlapMode or str
        ``"prefer_overlap_with_compute"`` requests a copy that does not use the multiprocessors.

    Examples
    --------
    >>> from cuda.core.utils import CopyOptions
    >>> CopyOptions(src_access_order="any").overlap_mode
    <MemcpyOverlapMode.DEFAULT: 'default'>
    """

    src_access_order: MemcpySrcAccessOrder | str = "stream"
    src_location_hint: Device | Host | None = None
    dst_location_hint: Device | Host | None = None
    overlap_mode: MemcpyOverlapMode | str = "default"

    def __post_init__(self) -> None:
        for name, kind in (("src_access_order", MemcpySrcAccessOrder), ("overlap_mode", MemcpyOverlapMode)):
            value = getattr(self, name)
            try:
                object.__setattr__(self, name, kind(value))
            except ValueError:
                choices = ", ".join(repr(str(member)) for member in kind)
                raise ValueError(f"{name} must be one of {choices}, not {value!r}") from None
        for name in ("src_location_hint", "dst_location_hint"):
            _check_location(name, getattr(self, name))


def _check_location(name: str, value: object) -> None:
    if value is None:
        return
    from cuda.core import Device
    from cuda.core._device._host import Host

    if not isinstance(value, (Device, Host)):
        raise TypeError(f"{name} must be a Device, a Host or None, not {type(value).__name__}")
