# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Exceptions and handle_return(), under the names that other packages import."""

import sys
from typing import Any

from cuda.core._errors import CUDAError, NVRTCError

__all__ = ["CUDAError", "NVRTCError", "handle_return"]


def _text(result: tuple) -> str:
    """Return the message for the status in a result of cuda.bindings."""
    return result[1].decode() if result[1] else "no description"


def handle_return(result: tuple, handle: Any = None) -> Any:
    """Return the values of a result of cuda.bindings without its status, or raise if that is an error.

    Parameters
    ----------
    result : tuple
        The result of a function of cuda.bindings.driver, runtime or nvrtc: the status and the values.
    handle : nvrtcProgram, optional
        The program whose compilation log is added to the error.

    Returns
    -------
    object
        None, the value, or a tuple of several values.

    Raises
    ------
    CUDAError, NVRTCError
        If the status is an error.
    """
    if not isinstance(result, tuple) or not result:
        raise TypeError(f"result must be a tuple that begins with a status, not {type(result).__name__}")
    status, *values = result
    if status:
        raise _error(status, handle)
    return None if not values else values[0] if len(values) == 1 else tuple(values)


def _error(status: Any, handle: Any) -> Exception:
    module = type(status).__module__.rpartition(".")[2]
    api = sys.modules.get(f"cuda.bindings.{module}")
    number, name = int(status), getattr(status, "name", str(status))
    if api is None or module not in ("driver", "runtime", "nvrtc"):
        return TypeError(f"result must begin with a status of driver, runtime or nvrtc, not {status!r:.80}")
    if module == "nvrtc":
        error = NVRTCError(f"{name}: {_text(api.nvrtcGetErrorString(status))}", name=name, status=number)
        error.log = _log(api, handle) if handle is not None else ""
        if error.log:
            error.args = (f"{error.args[0]}\n{error.log}",)
        return error
    describe = api.cuGetErrorString if module == "driver" else api.cudaGetErrorString
    return CUDAError(f"{name}: {_text(describe(status))}", name=name, status=number)


def _log(nvrtc: Any, program: Any) -> str:
    status, size = nvrtc.nvrtcGetProgramLogSize(program)
    log = bytearray(0 if status else size)
    if not log or nvrtc.nvrtcGetProgramLog(program, log)[0]:
        return ""
    return log.rstrip(b"\0").decode(errors="replace")
