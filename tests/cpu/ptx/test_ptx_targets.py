# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The compute capabilities on which PTX targets and cubins run."""

from __future__ import annotations

import pytest
from test_ptx_image import TEXT, UNIT, elf_file, nul_lines

from cuda.cpu.ptx import targets
from cuda.cpu.ptx.error import NoPtxError, PtxError, VersionError
from cuda.cpu.ptx.image import elf
from cuda.cpu.ptx.image.image import CubinText, ptx_of

NEWEST = (9, 5)


@pytest.mark.parametrize(
    ("target", "runs", "refused"),
    [
        ("sm_75", (75, 90, 121), (70,)),
        ("sm_90", (90, 100, 120), (75, 89)),
        ("compute_90", (90, 100), (89,)),
        ("sm_90a", (90,), (89, 100, 120)),
        ("sm_100a", (100,), (90, 103, 120)),
        ("sm_100f", (100, 103), (90, 110, 120)),
        ("sm_120f", (120, 121), (100, 90)),
        ("sm_103f", (103,), (100, 120)),
        ("sm_80, texmode_independent", (80, 90), (75,)),
        ("texmode_independent, sm_80", (80, 90), (75,)),
        ("debug", (50, 90), ()),
    ],
)
def test_targets_run_on_the_devices_of_the_manual(target, runs, refused):
    text = TEXT.replace("sm_75", target)
    for capability in runs:
        assert targets.misfit(text, capability) == ""
        targets.check(text, capability, NEWEST)
    for capability in refused:
        with pytest.raises(PtxError, match=r"^\.target \w+ runs on devices of compute capability .*; this one has"):
            targets.check(text, capability, NEWEST)
    assert targets.misfit(text, None) == ""


def test_the_error_names_the_devices_of_a_target():
    said = {target: targets.misfit_of(target, 75) for target in ("sm_90", "sm_90a", "sm_100f")}
    assert said == {
        "sm_90": ".target sm_90 runs on devices of compute capability 9.0 or later; this one has 7.5",
        "sm_90a": ".target sm_90a runs on devices of compute capability 9.0 alone; this one has 7.5",
        "sm_100f": ".target sm_100f runs on devices of compute capability 10.0 to 10.9; this one has 7.5",
    }


@pytest.mark.parametrize("version", ["9.6", "10.0", "99.9", "9" * 5000 + ".9", "9." + "9" * 5000])
def test_ptx_of_a_later_version_is_refused(version):
    with pytest.raises(VersionError, match=r"this driver knows up to 9\.5"):
        targets.check(TEXT.replace("8.5", version), 90, NEWEST)


@pytest.mark.parametrize("version", ["1.0", "6.4", "9.5", "09.05"])
def test_ptx_of_earlier_versions_runs(version):
    targets.check(TEXT.replace("8.5", version), 90, NEWEST)


def cubin(target: str, flags: int, abi: int = 8) -> bytes:
    data = bytearray(elf_file({UNIT: nul_lines(TEXT.replace("sm_75", target))}))
    data[8], data[0x30:0x34] = abi, flags.to_bytes(4, "little")
    return bytes(data)


@pytest.mark.parametrize(
    ("flags", "abi", "arch"), [(0x9005A04, 8, 90), (0x9007802, 8, 120), (0x5A055A, 7, 90), (0, 8, 0)]
)
def test_the_architecture_of_a_cubin(flags, abi, arch):
    assert elf.architecture(cubin("sm_75", flags, abi)) == arch


def test_a_cubin_runs_only_on_its_major_version():
    data = cubin("sm_80", 80 << 8)
    for capability in (80, 86, 89, None):
        (text,) = ptx_of(data, capability=capability)
        assert isinstance(text, CubinText)
    for capability in (75, 90, 120):
        with pytest.raises(NoPtxError, match=r"^the cubin is for sm_80, which a device of compute capability"):
            ptx_of(data, capability=capability)
    assert ptx_of(cubin("compute_75", 90 << 8), capability=90)  # PTX may be of an earlier target than the cubin
    with pytest.raises(
        NoPtxError, match=r"^the cubin's PTX: \.target sm_100a runs on .* 10\.0 alone; this one has 10\.3$"
    ):
        ptx_of(cubin("sm_100a", 100 << 8), capability=103)
