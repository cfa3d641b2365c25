# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Process: CUDA checkpoint and restore (cuCheckpointProcess...); Linux and GPU drivers only."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from cuda.core._utils._call import call

if TYPE_CHECKING:
    from cuda.core.typing import ProcessStateType

__all__ = ["Process"]


class Process:
    """A process on this machine whose GPU state can be checkpointed and restored.

    The order is `lock`, `checkpoint`, `restore`, `unlock`. While checkpointed, the process holds no GPU memory, so that
    tools such as CRIU can save it.

    Thread safety: threads may share it; one at a time should change the state, which belongs to the whole process.

    Parameters
    ----------
    pid : int
        The process id; `os.getpid` returns that of the caller.

    Examples
    --------
    >>> process = Process(pid)  # doctest: +SKIP
    >>> process.lock(timeout_ms=1000)  # doctest: +SKIP
    >>> process.checkpoint()  # doctest: +SKIP
    >>> process.state  # doctest: +SKIP
    'checkpointed'
    >>> process.restore()  # doctest: +SKIP
    >>> process.unlock()  # doctest: +SKIP
    """

    __slots__ = ("_pid",)

    def __init__(self, pid: int) -> None:
        if isinstance(pid, bool) or not isinstance(pid, int):
            raise TypeError(f"pid must be an int, not {type(pid).__name__}")
        if pid < 1:
            raise ValueError(f"pid must be at least 1, not {pid}")
        self._pid = pid

    @property
    def pid(self) -> int:
        """Return the process id."""
        return self._pid

    @property
    def state(self) -> ProcessStateType:
        """Return ``"running"``, ``"locked"``, ``"checkpointed"`` or ``"failed"``."""
        driver = _driver()
        state = call(driver.cuCheckpointProcessGetState, self._pid)
        # During a transition, report the state before it.
        names: dict[str, ProcessStateType] = {
            "CU_PROCESS_STATE_RUNNING": "running",
            "CU_PROCESS_STATE_LOCKED": "locked",
            "CU_PROCESS_STATE_CHECKPOINTED": "checkpointed",
            "CU_PROCESS_STATE_FAILED": "failed",
            "CU_PROCESS_STATE_CHECKPOINTING": "locked",
            "CU_PROCESS_STATE_RESTORING": "checkpointed",
        }
        if (name := getattr(state, "name", None)) not in names:
            raise RuntimeError(f"the driver tells a state of process {self._pid} that is unknown here: {state!r}")
        return names[name]

    @property
    def restore_thread_id(self) -> int:
        """Return the id of the thread in which the driver restores the process."""
        return call(_driver().cuCheckpointProcessGetRestoreThreadId, self._pid)

    def lock(self, timeout_ms: int = 0) -> None:
        """Stop the process from submitting work, and wait until its submitted work is finished
        (cuCheckpointProcessLock).

        Parameters
        ----------
        timeout_ms : int
            The longest time to wait, in milliseconds; 0 is no limit. If it expires, the process continues.

        Raises
        ------
        TypeError
            If `timeout_ms` is not an int.
        ValueError
            If it is negative or does not fit in 32 bits.
        CUDAError
            If the time limit expires, or the process uses no GPU; the CPU device does not support checkpoints.

        Examples
        --------
        >>> process.lock(timeout_ms=1000)  # doctest: +SKIP
        >>> process.state  # doctest: +SKIP
        'locked'
        """
        if isinstance(timeout_ms, bool) or not isinstance(timeout_ms, int):
            raise TypeError(f"timeout_ms must be an int, not {type(timeout_ms).__name__}")
        if not 0 <= timeout_ms < 1 << 32:
            raise ValueError(f"timeout_ms must be from 0 to {(1 << 32) - 1}, not {timeout_ms}")
        driver = _driver()
        arguments = driver.CUcheckpointLockArgs()
        arguments.timeoutMs = timeout_ms
        call(driver.cuCheckpointProcessLock, self._pid, arguments)

    def checkpoint(self) -> None:
        """Move the GPU memory of the locked process to host memory, and release the GPU
        (cuCheckpointProcessCheckpoint).

        Raises
        ------
        CUDAError
            If the process is not locked.

        Examples
        --------
        >>> process.checkpoint()  # doctest: +SKIP
        >>> process.state  # doctest: +SKIP
        'checkpointed'
        """
        driver = _driver()
        call(driver.cuCheckpointProcessCheckpoint, self._pid, driver.CUcheckpointCheckpointArgs())

    def restore(self, gpu_mapping: Mapping[Any, Any] | None = None) -> None:
        """Acquire the GPU again and move the memory back (cuCheckpointProcessRestore); the process stays locked.

        Parameters
        ----------
        gpu_mapping : mapping, optional
            The replacement of each GPU: from old to new, each a Device or its UUID (str, `uuid.UUID` or
            `CUuuid`). It must contain every GPU that the process used; by default they stay the same.

        Raises
        ------
        TypeError
            If `gpu_mapping` is no mapping of devices or UUIDs.
        CUDAError
            If the process is not checkpointed.

        Examples
        --------
        >>> process.restore({Device(0): Device(1), Device(1): Device(0)})  # doctest: +SKIP
        >>> process.state  # doctest: +SKIP
        'locked'
        """
        driver = _driver()
        arguments = driver.CUcheckpointRestoreArgs()
        if gpu_mapping is not None:
            if not isinstance(gpu_mapping, Mapping):
                raise TypeError(f"gpu_mapping must be a mapping, not {type(gpu_mapping).__name__}")
            pairs = []
            for old, new in gpu_mapping.items():
                pair = driver.CUcheckpointGpuPair()
                pair.oldUuid.bytes, pair.newUuid.bytes = _uuid(old), _uuid(new)
                pairs.append(pair)
            if pairs:
                arguments.gpuPairs = pairs
            arguments.gpuPairsCount = len(pairs)
        call(driver.cuCheckpointProcessRestore, self._pid, arguments)

    def unlock(self) -> None:
        """Let the process submit work again (cuCheckpointProcessUnlock).

        Raises
        ------
        CUDAError
            If the process is not locked.

        Examples
        --------
        >>> process.unlock()  # doctest: +SKIP
        >>> process.state  # doctest: +SKIP
        'running'
        """
        driver = _driver()
        call(driver.cuCheckpointProcessUnlock, self._pid, driver.CUcheckpointUnlockArgs())

    def __repr__(self) -> str:
        return f"<Process {self._pid}>"


def _driver() -> Any:
    from cuda.bindings import driver

    call(driver.cuInit, 0)
    return driver


def _uuid(gpu: Any) -> bytes:
    """Return the 16 bytes of a GPU's UUID."""
    text = getattr(gpu, "uuid", gpu)
    if isinstance(text, str):
        text = uuid.UUID(text.removeprefix("GPU-"))
    value = getattr(text, "bytes", None)
    if not isinstance(value, (bytes, bytearray)) or len(value) != 16:
        raise TypeError(f"gpu_mapping: {gpu!r} must be a Device or a UUID")
    return bytes(value)


def __dir__() -> list[str]:
    return sorted({*(name for name in globals() if name.startswith("__")), *__all__})
