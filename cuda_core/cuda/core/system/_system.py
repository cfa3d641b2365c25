# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Functions about the whole system: versions, number of devices, process names, and driver events."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cuda.core._utils._call import call
from cuda.core.system._library import nvml

if TYPE_CHECKING:
    from cuda.core.system._events import RegisteredSystemEvents
    from cuda.core.system.typing import SystemEventType


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.sub(r"[^\d.].*", "", version).split(".") if number)


def get_user_mode_driver_version() -> tuple[int, ...]:
    """Return the CUDA version of the user-mode driver, such as (13, 5) (cuDriverGetVersion).

    Returns
    -------
    tuple of int
        Major and minor version.

    Raises
    ------
    CUDAError
        If there is no driver.

    Examples
    --------
    >>> system.get_user_mode_driver_version() >= (12, 0)
    True
    """
    from cuda.bindings import driver

    version = call(driver.cuDriverGetVersion)
    return version // 1000, version % 1000 // 10


def get_kernel_mode_driver_version() -> tuple[int, ...]:
    """Return the version of the kernel-mode driver, such as (580, 65, 6) (nvmlSystemGetDriverVersion).

    Returns
    -------
    tuple of int
        (0,) on the CPU device, which has no kernel module.

    Raises
    ------
    NvmlError
        If NVML cannot be initialised.

    Examples
    --------
    >>> version = system.get_kernel_mode_driver_version()
    >>> ".".join(map(str, version))
    '...'
    """
    return _numbers(nvml().system_get_driver_version())


def get_driver_branch() -> str:
    """Return the branch of the driver, such as ``"r580_00"`` (nvmlSystemGetDriverBranch).

    Returns
    -------
    str
        The branch.

    Raises
    ------
    NvmlError
        NotSupportedError on the CPU device, whose driver has no branch.

    Examples
    --------
    >>> try:
    ...     branch = system.get_driver_branch()
    ... except system.NotSupportedError:
    ...     branch = None
    """
    return nvml().system_get_driver_branch()


def get_nvml_version() -> tuple[int, ...]:
    """Return the version of NVML (nvmlSystemGetNVMLVersion).

    Returns
    -------
    tuple of int
        Such as (13, 580, 65, 6).

    Raises
    ------
    NvmlError
        If NVML cannot be initialised.

    Examples
    --------
    >>> system.get_nvml_version() >= (12,)
    True
    """
    return _numbers(nvml().system_get_nvml_version())


def get_num_devices() -> int:
    """Return the number of devices, including those not visible to CUDA (nvmlDeviceGetCount).

    Returns
    -------
    int
        As `Device.get_device_count`.

    Raises
    ------
    NvmlError
        If NVML cannot be initialised.

    Examples
    --------
    >>> system.get_num_devices() >= 1
    True
    """
    return int(nvml().device_get_count_v2())


def get_process_name(pid: int) -> str:
    """Return the name of a process that uses a device (nvmlSystemGetProcessName).

    Parameters
    ----------
    pid : int
        The process id.

    Returns
    -------
    str
        The path of the program.

    Raises
    ------
    NvmlError
        If there is no such process.

    Examples
    --------
    >>> for process in system.Device(0).compute_running_processes:
    ...     name = system.get_process_name(process.pid)
    """
    return nvml().system_get_process_name(pid)


def register_events(events: SystemEventType | str | list[SystemEventType | str]) -> RegisteredSystemEvents:
    """Register for events of the driver; return an object with which to wait for them.

    Parameters
    ----------
    events : SystemEventType or str, or a list of them
        The types of events: ``"bind"``, ``"unbind"``. The CPU device reports none, so that waits for it time out.

    Returns
    -------
    RegisteredSystemEvents
        Its `wait` returns the events; it is a context manager.

    Raises
    ------
    NotSupportedError
        If the driver does not support events.
    ValueError
        If a type is unknown.

    Examples
    --------
    >>> try:
    ...     with system.register_events("unbind") as events:
    ...         found = events.wait(timeout_ms=0)
    ... except system.NvmlError:
    ...     found = []
    """
    from cuda.core.system._events import RegisteredSystemEvents

    return RegisteredSystemEvents(events)
