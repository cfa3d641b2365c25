# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Linking by nvJitLink."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cuda.bindings import nvjitlink
from cuda.core._errors import NvJitLinkError as _NvJitLinkError

if TYPE_CHECKING:
    from cuda.core._program._linker_options import LinkerOptions
    from cuda.core._program._module import ObjectCode

_INPUTS = {
    "ptx": nvjitlink.InputType.PTX,
    "cubin": nvjitlink.InputType.CUBIN,
    "ltoir": nvjitlink.InputType.LTOIR,
    "fatbin": nvjitlink.InputType.FATBIN,
    "object": nvjitlink.InputType.OBJECT,
    "library": nvjitlink.InputType.LIBRARY,
}


class NvJitLinkError(_NvJitLinkError, nvjitlink.nvJitLinkError):
    """The error of cuda.core that is also the exception of the bindings, which NVIDIA's cuda.core lets pass."""


class NvJitLink:
    """An nvJitLink handle. Its methods raise nvJitLinkError; `logs` returns the linker's messages."""

    def __init__(self, options: LinkerOptions) -> None:
        self.handle: Any = None
        flags = [flag.decode() for flag in options.as_bytes()]
        self.handle = nvjitlink.create(len(flags), flags)

    def add(self, code: ObjectCode) -> None:
        """Add an input."""
        if isinstance(code.code, str):
            nvjitlink.add_file(self.handle, _INPUTS[code.code_type], code.code)
            return
        data = code.code
        if code.code_type == "ptx" and not data.endswith(b"\0"):
            data += b"\0"
        nvjitlink.add_data(self.handle, _INPUTS[code.code_type], data, len(data), code.name or code.code_type)

    def complete(self, target: str) -> bytes:
        """Link, and return the cubin or PTX."""
        nvjitlink.complete(self.handle)
        data = bytearray(getattr(nvjitlink, f"get_linked_{target}_size")(self.handle))
        getattr(nvjitlink, f"get_linked_{target}")(self.handle, data)
        return bytes(data)

    def logs(self) -> tuple[str, str]:
        """Return the errors and the other messages."""
        return self._log("error"), self._log("info")

    def _log(self, kind: str) -> str:
        log = bytearray(getattr(nvjitlink, f"get_{kind}_log_size")(self.handle))
        if log:
            getattr(nvjitlink, f"get_{kind}_log")(self.handle, log)
        return bytes(log).decode(errors="replace").strip("\0\n")

    def close(self) -> None:
        handle, self.handle = self.handle, None
        if handle is not None:
            nvjitlink.destroy(handle)
