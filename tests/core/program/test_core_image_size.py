# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Damaged or truncated cubins and fatbins are rejected before the driver reads them without knowing their size."""

import struct

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cuda.core import Device, ObjectCode, Program, ProgramOptions
from cuda.core._program._image_size import check_image

pytestmark = pytest.mark.needs_nvrtc


@pytest.fixture(scope="module")
def cubin():
    source = 'extern "C" __global__ void k(int *x) { *x = 1; }'
    return Program(source, "c++", ProgramOptions(arch=f"sm_{Device().arch}", lineinfo=True)).compile("cubin").code


@pytest.fixture(scope="module")
def fatbin():
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, 40) + bytes(40)


def test_compiler_output_passes_the_size_check(cubin, device):
    check_image(cubin)
    check_image(cubin + b"more")
    assert ObjectCode.from_cubin(cubin).get_kernel("k").num_arguments == 1


def test_other_formats_are_not_checked():
    for code in (b"", b".version 8.0", b"\x7fEL", bytes(1000)):
        check_image(code)


def test_a_truncated_cubin_is_refused(cubin, device):
    for size in (4, 63, 64, 200, len(cubin) // 2, len(cubin) - 1):
        with pytest.raises(ValueError, match=rf"^module is damaged or cut off: .*, but it has {size} in all$"):
            ObjectCode.from_cubin(cubin[:size]).get_kernel("k")


def test_a_truncated_fatbin_is_refused(fatbin, device):
    check_image(fatbin)
    for size in (4, 15, 16, 55):
        with pytest.raises(
            ValueError, match=rf"^module is damaged or cut off: its fatbin.*, but it has {size} in all$"
        ):
            ObjectCode.from_fatbin(fatbin[:size]).get_kernel("k")


@pytest.mark.parametrize("value", [2**64 - 1, 1 << 63, 1 << 46])
@pytest.mark.parametrize("field", [0x18, 0x20], ids=["offset", "size"])
def test_a_section_beyond_the_end_is_refused(cubin, device, field, value):
    at = struct.unpack_from("<Q", cubin, 0x28)[0] + 2 * 64
    damaged = cubin[: at + field] + value.to_bytes(8, "little") + cubin[at + field + 8 :]
    with pytest.raises(ValueError, match=r"its section 2 has \d+ bytes from byte \d+ on, but it has \d+ in all$"):
        ObjectCode.from_cubin(damaged).get_kernel("k")


def test_a_pointer_is_not_code(device):
    wrapper = struct.pack("<IIQQ", 0x466243B1, 1, 1 << 46, 0)
    with pytest.raises(ValueError, match=r"^module is a fatbin's wrapper, which holds a pointer: pass the bytes of"):
        ObjectCode.from_fatbin(wrapper).get_kernel("k")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_random_damage_never_crashes(cubin, fatbin, device, data):
    code = data.draw(st.sampled_from([cubin, fatbin]))
    edges = [4, 8, 0x20, 0x28, 0x30, 0x36, 0x3A, struct.unpack_from("<Q", cubin, 0x28)[0] + 64 + 0x18]
    at = data.draw(st.sampled_from(edges) | st.integers(4, len(code) - 8))
    value = data.draw(
        st.sampled_from([0, 1, 2**16 - 1, 2**31, 2**63, 2**64 - 1, len(code)]) | st.integers(0, 2**64 - 1)
    )
    damaged = (code[:at] + value.to_bytes(8, "little") + code[at + 8 :])[: len(code)]
    try:
        ObjectCode.from_cubin(damaged).get_kernel("k")
    except Exception as error:
        assert isinstance(error, ValueError) or "CUDA_ERROR_UNKNOWN" not in str(error)  # noqa: PT017
