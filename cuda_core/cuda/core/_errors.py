# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The exceptions of cuda.core, with advice for the statuses behind them."""

from __future__ import annotations

import os
import sys
from typing import Any


class CUDAError(RuntimeError):
    """Report that a call of the CUDA driver failed.

    Attributes
    ----------
    name : str
        The status by its name in the C API, such as ``CUDA_ERROR_INVALID_VALUE``.
    status : int
        The status by its number.
    call : str
        The C function that returned it.
    """

    def __init__(self, message: str = "", *, name: str = "", status: int = 0, call: str = "") -> None:
        super().__init__(message)
        self.name = name
        self.status = status
        self.call = call

    def __reduce__(self):
        return _rebuild, (type(self), self.args, self.__dict__)


class ClosedError(ValueError, RuntimeError):
    """Report the use of an object that was closed.

    It is a ValueError, as Python's closed files raise, and a RuntimeError, as NVIDIA's cuda.core raises.
    """


class OptionError(TypeError, RuntimeError):
    """Report an option of a wrong type.

    It is a TypeError, as Python's functions raise, and a RuntimeError, as NVIDIA's cuda.core raises.
    """


class StreamProtocolError(TypeError, ValueError, RuntimeError):
    """Report a `__cuda_stream__` that does not follow the protocol, in all classes that NVIDIA's cuda.core raises."""


class NotHostError(BufferError, TypeError):
    """Report that device memory was used as host memory.

    It is a BufferError, as exporters of buffers raise, and a TypeError: objects without buffers raise that.
    """


class NVRTCError(CUDAError):
    """Report that NVRTC failed; `log` is the compiler's log."""

    log: str = ""


class ClangError(NVRTCError):
    """Report that clang failed or is not installed; `log` has its messages.

    It is an NVRTCError, since the environment may select the compiler of a program that was written for NVRTC.
    """


class NvJitLinkError(CUDAError):
    """Report that nvJitLink failed; `log` is the linker's log."""

    log: str = ""


class NvFatbinError(CUDAError):
    """Report that nvFatbin failed; `log` holds the details."""

    log: str = ""


class NVVMError(CUDAError):
    """Report that libNVVM failed; `log` is the compiler's log."""

    log: str = ""


class TileError(CUDAError):
    """Report that tileiras, the assembler of Tile IR, failed or is not installed; `log` has its messages."""

    log: str = ""


def _rebuild(kind, args, state):
    error = kind(*args)
    error.__dict__.update(state)
    return error


_PROCESS = os.getpid()
_FORKED = "CUDA cannot be used in a forked child process; use the spawn start method"

# Asynchronous errors: a kernel caused them, and a later, unrelated call may return them.
ASYNCHRONOUS = frozenset(
    "CUDA_ERROR_" + name
    for name in (
        "ASSERT",
        "CONTAINED",
        "ECC_UNCORRECTABLE",
        "EXTERNAL_DEVICE",
        "HARDWARE_STACK_ERROR",
        "ILLEGAL_ADDRESS",
        "ILLEGAL_INSTRUCTION",
        "INVALID_ADDRESS_SPACE",
        "INVALID_PC",
        "LAUNCH_FAILED",
        "LAUNCH_TIMEOUT",
        "MISALIGNED_ADDRESS",
        "NVLINK_UNCORRECTABLE",
        "TENSOR_MEMORY_LEAK",
    )
)

LATER = "The cause may be a kernel or copy started earlier; no further work is possible in this context."

_ADVICE = {
    "CUDA_ERROR_ILLEGAL_ADDRESS": "A kernel used memory that is not allocated: check its indices.",
    "CUDA_ERROR_MISALIGNED_ADDRESS": "A kernel used an address that is not a multiple of the size of what is there.",
    "CUDA_ERROR_ASSERT": "An assert() in a kernel failed.",
    "CUDA_ERROR_INVALID_CONTEXT": "This thread has no current device: call Device().set_current() on it first.",
    "CUDA_ERROR_CONTEXT_IS_DESTROYED": "The device's context is gone: it was reset or destroyed.",
    "CUDA_ERROR_NO_BINARY_FOR_GPU": "The code is for another architecture: compile for f'sm_{device.arch}', or to PTX.",
    "CUDA_ERROR_UNSUPPORTED_PTX_VERSION": "The PTX is newer than the driver: update the driver or use an older NVRTC.",
    "CUDA_ERROR_INVALID_PTX": "The driver could not compile the PTX.",
    "CUDA_ERROR_OUT_OF_MEMORY": "Close buffers that are no longer needed, or allocate less.",
    "CUDA_ERROR_NO_DEVICE": "Look at CUDA_VISIBLE_DEVICES; CUDA_PYTHON_DRIVER=cpu selects the CPU device.",
    "CUDA_ERROR_INVALID_DEVICE": "There is no such device: see Device.get_all_devices().",
    "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES": "Use a smaller block: this one needs more than there is.",
    "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE": "A cooperative grid must fit on the device at once: use fewer blocks.",
    "CUDA_ERROR_NOT_READY": "The work is not finished: sync() first.",
    "CUDA_ERROR_NOT_SUPPORTED": "This driver or device does not offer that.",
    "CUDA_ERROR_INVALID_HANDLE": "The object was closed, or belongs to another context.",
    "NVRTC_ERROR_INVALID_OPTION": "Look at the ProgramOptions: the log names the option.",
    "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE": "libnvrtc-builtins, which comes with NVRTC, was not found beside it.",
}


class Reported:
    """Count of asynchronous failures that calls have raised; if it is 0, a failure is reported at exit."""

    failures = 0


def _advice(name: str) -> str:
    """Return the advice for a status; a current context may be an invalid one for other reasons than its absence."""
    if name == "CUDA_ERROR_INVALID_CONTEXT":
        from cuda.bindings import driver

        if int(driver.cuCtxGetCurrent()[1] or 0):
            return ""
    return _ADVICE.get(name, "")


def driver_error(name: str, description: str, status: int, call: str, advice: str = "") -> CUDAError:
    """Return the exception for a CUresult."""
    parts = [f"{name}: {description} ({call})"]
    if shown := advice or _advice(name):
        parts.append(shown)
    if name in ASYNCHRONOUS:
        Reported.failures += 1
        parts.append(LATER)
    # The CPU device has a more specific message than the status; so has the caller if `advice` is given.
    # CUDA_ERROR_UNKNOWN is an internal error of the CPU device, which it has printed on stderr.
    cpu = None if advice or name == "CUDA_ERROR_UNKNOWN" else sys.modules.get("cuda.cpu")
    if name == "CUDA_ERROR_NOT_INITIALIZED" and os.getpid() != _PROCESS:
        parts.append(_FORKED)
    elif cpu is not None and (detail := getattr(cpu, "last_error_message", lambda: None)()):
        from cuda.core._program._diagnostics import locate

        parts.append(locate(detail))
    return CUDAError("\n".join(parts), name=name, status=status, call=call)


def compiler_error(kind: Any, name: str, status: int, call: str, log: str, summary: str = "") -> Any:
    """Return the exception for a status of a compiler or linker, with its log, or with advice if that is empty."""
    first = f"{name}: {summary} ({call})" if summary else f"{name} ({call})"
    text = "\n".join(part for part in (first, log or _ADVICE.get(name, "")) if part)
    error = kind(text, name=name, status=status, call=call)
    error.log = log
    return error


def wrong_protocol(message: str) -> StreamProtocolError:
    """Return the error for an object whose `__cuda_stream__` is wrong."""
    return StreamProtocolError(message)


def wrong_option(message: str) -> OptionError:
    """Return the error for an option of a wrong type."""
    return OptionError(message)


_INSTEAD_OF_PICKLING = {
    "DeviceArray": "; use to_host() for its values, or send a Buffer of a memory resource with ipc_enabled=True and "
    "call DeviceArray.from_buffer() there",
    "Kernel": "; send its ObjectCode, and call get_kernel() there",
}


def not_pickled(obj: Any) -> TypeError:
    """Return the error for pickling or copying an object that belongs to one process."""
    name = type(obj).__name__
    article = "an" if name[0] in "AEIOU" else "a"
    return TypeError(
        f"{article} {name} belongs to this process: it can be neither pickled nor copied"
        + _INSTEAD_OF_PICKLING.get(name, "")
    )
