# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Names, enumerations and codes of `cuda.core.system`."""

from enum import StrEnum

import pytest

from cuda.bindings import nvml
from cuda.core import system
from cuda.core.system import _codes, typing


def test_every_public_name_exists():
    for name in system.__all__:
        assert hasattr(system, name)
    assert issubclass(system.NotFoundError, system.NvmlError)
    assert system.typing is typing
    with pytest.raises(AttributeError, match=r"^module 'cuda.core.system' has no attribute 'Devise'; did"):
        system.Devise  # noqa: B018


def test_enumeration_values_match_the_header():
    other = {
        ("ClockType", "MEMORY"): "MEM",
        ("FanControlPolicy", "TEMPERATURE_CONTROLLED"): "TEMPERATURE_CONTINUOUS_SW",
        ("SystemEventType", "BIND"): "GPU_DRIVER_BIND",
        ("SystemEventType", "UNBIND"): "GPU_DRIVER_UNBIND",
    }
    headers = {"AddressingMode": "DeviceAddressingModeType"}
    for kind in vars(typing).values():
        if not (isinstance(kind, type) and issubclass(kind, StrEnum) and kind is not StrEnum):
            continue
        header = getattr(nvml, headers.get(kind.__name__, kind.__name__))
        for member in kind:
            name = other.get((kind.__name__, member.name), member.name)
            options = [name, f"EVENT_REASON_{name}", f"THROTTLE_REASON_{name}"]
            found = next(header[option] for option in options if option in header.__members__)
            assert _codes.number(kind, member, "x") == int(found), (kind, member)
            assert _codes.number(kind, str(member), "x") == int(found)
    assert {member.name: member.value for member in typing.DeviceArch}.items() <= {
        name: int(value) for name, value in nvml.DeviceArch.__members__.items()
    }.items()


def test_codes():
    reasons = typing.ClocksEventReasons
    assert _codes.members(reasons, 0b1001) == [reasons.GPU_IDLE, reasons.HW_SLOWDOWN]
    assert _codes.mask(typing.EventType, ["clock", typing.EventType.PSTATE], "events") == 16 | 4
    assert _codes.member(typing.ThermalController, -1) == "unknown"
    with pytest.raises(ValueError, match=r"^level must be one of 'internal', .*, 'system', not 'near'$"):
        _codes.number(typing.GpuTopologyLevel, "near", "level")
    with pytest.raises(RuntimeError, match=r"^the driver answers 77, which GpuP2PStatus does not know$"):
        _codes.member(typing.GpuP2PStatus, 77)
    assert _codes.mask(typing.EventType, [], "events") == 0
    assert [_codes.brand(number) for number in (0, 5, 20, -1)] == ["Unknown", "GeForce", "Unknown", "Unknown"]
    assert len(_codes._BRANDS) == int(nvml.BrandType.BRAND_COUNT)
