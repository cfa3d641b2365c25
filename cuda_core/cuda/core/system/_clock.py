# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""ClockInfo: frequencies and offsets of a device's clocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cuda.core.system._codes import number
from cuda.core.system._info import ClockOffsets, _NvmlQueries
from cuda.core.system._library import nvml
from cuda.core.system.typing import ClockId, ClockType

if TYPE_CHECKING:
    from cuda.core.system._device import Device


class ClockInfo(_NvmlQueries):
    """One of a device's clocks; frequencies are in MHz.

    Thread safety: threads may share it; each access asks NVML.
    """

    __slots__ = ("_which",)

    def __init__(self, device: Device, clock_type: ClockType | str) -> None:
        super().__init__(device)
        self._which = number(ClockType, clock_type, "clock_type")

    def get_current_mhz(self, clock_id: ClockId | str = ClockId.CURRENT) -> int:
        """Return the current frequency, or a limit (nvmlDeviceGetClock).

        Parameters
        ----------
        clock_id : ClockId or str
            ``"current"`` or ``"customer_boost_max"``.

        Returns
        -------
        int
            MHz.

        Raises
        ------
        ValueError
            If `clock_id` is unknown.
        NvmlError
            If the query fails.

        Examples
        --------
        >>> system.Device(0).get_clock("sm").get_current_mhz() > 0
        True
        """
        return int(nvml().device_get_clock(self._handle, self._which, number(ClockId, clock_id, "clock_id")))

    def get_max_mhz(self) -> int:
        """Return the maximum frequency (nvmlDeviceGetMaxClockInfo).

        Returns
        -------
        int
            MHz.

        Raises
        ------
        NvmlError
            If the query fails.

        Examples
        --------
        >>> clock = system.Device(0).get_clock("sm")
        >>> clock.get_max_mhz() > 0
        True
        """
        return int(nvml().device_get_max_clock_info(self._handle, self._which))

    def get_max_customer_boost_mhz(self) -> int:
        """Return the customer-defined maximum boost frequency (nvmlDeviceGetMaxCustomerBoostClock).

        Returns
        -------
        int
            MHz.

        Raises
        ------
        NvmlError
            If the device has none, such as the CPU device.

        Examples
        --------
        >>> system.Device(0).get_clock("graphics").get_max_customer_boost_mhz()  # doctest: +SKIP
        1980
        """
        return int(nvml().device_get_max_customer_boost_clock(self._handle, self._which))

    def get_min_max_clock_of_pstate_mhz(self, pstate: int) -> tuple[int, int]:
        """Return the lowest and highest frequency in a performance state (nvmlDeviceGetMinMaxClockOfPState).

        Parameters
        ----------
        pstate : int
            The performance state, 0 (fastest) to 15.

        Returns
        -------
        tuple of int
            MHz.

        Raises
        ------
        TypeError
            If `pstate` is not an int.
        ValueError
            If it is out of range.
        NvmlError
            If the device does not support the query, such as the CPU device.

        Examples
        --------
        >>> system.Device(0).get_clock("graphics").get_min_max_clock_of_pstate_mhz(0)  # doctest: +SKIP
        (210, 1980)
        """
        low, high = nvml().device_get_min_max_clock_of_p_state(self._handle, self._which, _checked(pstate))
        return int(low), int(high)

    def get_offsets(self, pstate: int) -> ClockOffsets:
        """Return the offset of the clock in a performance state, and its range (nvmlDeviceGetClockOffsets).

        Parameters
        ----------
        pstate : int
            The performance state, 0 (fastest) to 15.

        Returns
        -------
        ClockOffsets
            `clock_offset_mhz`, `min_offset_mhz` and `max_offset_mhz`.

        Raises
        ------
        TypeError
            If `pstate` is not an int.
        ValueError
            If it is out of range.
        NvmlError
            If the device does not support the query, such as the CPU device.

        Examples
        --------
        >>> system.Device(0).get_clock("graphics").get_offsets(0).clock_offset_mhz  # doctest: +SKIP
        0
        """
        return ClockOffsets(nvml().device_get_clock_offsets(self._handle, self._which, _checked(pstate)))


def _checked(pstate: int) -> int:
    if isinstance(pstate, bool) or not isinstance(pstate, int):
        raise TypeError(f"pstate must be an int, not {type(pstate).__name__}")
    if not 0 <= pstate <= 15:
        raise ValueError(f"pstate must be from 0 (fastest) to 15, not {pstate}")
    return pstate
