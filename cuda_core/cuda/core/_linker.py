# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Linking of compiled code by nvJitLink."""

from __future__ import annotations

import dataclasses
import sys
from typing import Any

from cuda.core import _diagnostics
from cuda.core._compile_target import default_arch
from cuda.core._errors import NvJitLinkError, compiler_error
from cuda.core._linker_options import LinkerOptions
from cuda.core._module import ObjectCode
from cuda.core._options import as_options
from cuda.core.typing import CompilerBackendType

_INPUTS = {
    "ptx": "PTX",
    "cubin": "CUBIN",
    "ltoir": "LTOIR",
    "fatbin": "FATBIN",
    "object": "OBJECT",
    "library": "LIBRARY",
}


class Linker:
    """Link compiled code.

    Parameters
    ----------
    *object_codes : ObjectCode
        What to link.
    options : LinkerOptions, optional
        How to link it.
    """

    def __init__(self, *object_codes: ObjectCode, options: LinkerOptions | None = None) -> None:
        from cuda.bindings import nvjitlink

        self._handle: int | None = None
        self._logs = {"error": "", "info": ""}
        if not object_codes:
            raise ValueError("give one or more ObjectCodes to link")
        for code in object_codes:
            if not isinstance(code, ObjectCode):
                raise TypeError(f"what is linked must be an ObjectCode, not {type(code).__name__}")
        self._options = dataclasses.replace(as_options(LinkerOptions, options, "options"))
        self._options.arch = self._options.arch or default_arch()
        self._codes = object_codes
        flags = [flag.decode() for flag in self._options.as_bytes()]
        with self._errors("nvJitLinkCreate"):
            self._handle = nvjitlink.create(len(flags), flags)
        try:
            for code in object_codes:
                self._add(self._handle, code)
        except BaseException:
            self.close()
            raise

    def _add(self, handle: int, code: ObjectCode) -> None:
        from cuda.bindings import nvjitlink

        kind = getattr(nvjitlink.InputType, _INPUTS[code.code_type])
        data = code._bytes()
        if code.code_type == "ptx" and not data.endswith(b"\0"):
            data += b"\0"
        with self._errors("nvJitLinkAddData"):
            nvjitlink.add_data(handle, kind, data, len(data), code.name or code.code_type)

    def _errors(self, call: str) -> _Errors:
        return _Errors(self, call)

    def link(self, target_type: str) -> ObjectCode:
        """Link the inputs.

        Parameters
        ----------
        target_type : str
            ``"cubin"``, or with options `link_time_optimization` and `ptx` ``"ptx"``.

        Returns
        -------
        ObjectCode

        Raises
        ------
        NvJitLinkError
            If they do not link; `log` is what the linker wrote.
        """
        from cuda.bindings import nvjitlink

        target = str(target_type).lower()
        if target not in ("cubin", "ptx"):
            raise ValueError(f"target_type must be 'cubin' or 'ptx', not {target_type!r}")
        if target == "ptx" and not (self._options.ptx and self._options.link_time_optimization):
            raise ValueError("target_type 'ptx' needs LinkerOptions(link_time_optimization=True, ptx=True)")
        if self._handle is None:
            raise ValueError("this Linker is closed")
        with self._errors("nvJitLinkComplete"):
            nvjitlink.complete(self._handle)
            data = bytearray(getattr(nvjitlink, f"get_linked_{target}_size")(self._handle))
            getattr(nvjitlink, f"get_linked_{target}")(self._handle, data)
        self._read_logs()
        mapping: dict[str, str] = {}
        kinds: dict[str, str] = {}
        for code in self._codes:
            mapping.update(code.symbol_mapping)
            kinds.update(code._signatures())
        return ObjectCode._make(bytes(data), target, self._options.name or "", mapping, kinds)

    def _read_logs(self) -> None:
        from cuda.bindings import nvjitlink

        for kind in self._logs:
            log = bytearray(getattr(nvjitlink, f"get_{kind}_log_size")(self._handle))
            if log:
                getattr(nvjitlink, f"get_{kind}_log")(self._handle, log)
            self._logs[kind] = bytes(log).decode(errors="replace").strip("\0\n")

    def get_error_log(self) -> str:
        """Return the linker's errors."""
        if self._handle is not None:
            self._read_logs()
        return self._logs["error"]

    def get_info_log(self) -> str:
        """Return the linker's other messages."""
        if self._handle is not None:
            self._read_logs()
        return self._logs["info"]

    def close(self) -> None:
        """Let go of the linker. Closing twice does nothing; what was linked stays."""
        if self._handle is not None:
            from cuda.bindings import nvjitlink

            handle, self._handle = self._handle, None
            nvjitlink.destroy(handle)

    def __del__(self) -> None:
        # While Python exits nothing can be imported any more, and the process gives everything back anyway.
        if getattr(self, "_handle", None) is not None and not sys.is_finalizing():
            self.close()

    def __enter__(self) -> Linker:
        return self

    def __exit__(self, exc_type: object, exc_val: object, exc_tb: object) -> None:
        self.close()

    @property
    def handle(self) -> int | None:
        """Return the linker's handle, None once closed."""
        return self._handle

    @property
    def is_closed(self) -> bool:
        """Tell whether `close` was called."""
        return self._handle is None

    @classmethod
    def which_backend(cls) -> CompilerBackendType:
        """Return what links: nvJitLink."""
        return CompilerBackendType.NVJITLINK


class _Errors:
    """Turn what nvJitLink's binding raises into NvJitLinkError with the linker's log."""

    def __init__(self, linker: Linker, call: str) -> None:
        self.linker = linker
        self.call = call

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        from cuda.bindings.nvjitlink import nvJitLinkError

        if not isinstance(error, nvJitLinkError):
            return
        log = self.linker.get_error_log() if self.linker._handle is not None else ""
        text = log
        for code in self.linker._codes:
            if code.code_type == "ptx":
                text = _diagnostics.annotate(text, code._bytes().decode(errors="replace"), code.name)
        status = int(getattr(error, "status", 0))
        advice = text or f"The options were: {' '.join(f.decode() for f in self.linker._options.as_bytes())}"
        made = compiler_error(NvJitLinkError, str(error), status, self.call, advice)
        made.log = log
        raise made from None
