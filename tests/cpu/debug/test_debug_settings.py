# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""When kernels are compiled for a debugger, and names of functions."""

import pytest

pytest.importorskip("cuda.cpu.runtime._runtime", reason="the CPU device's runtime is not built")

from cuda.cpu import debug
from cuda.cpu.compile import jit
from cuda.cpu.debug.symbols import readable

pytestmark = pytest.mark.cpu_only


@pytest.mark.parametrize(
    ("setting", "core", "expected"),
    [(None, None, False), ("1", None, True), ("0", "1", False), (None, "1", True), ("", "0", False)],
)
def test_when_kernels_are_for_a_debugger(monkeypatch, setting, core, expected):
    for name, value in (("CUDA_CPU_DEBUG", setting), ("CUDA_ENABLE_COREDUMP_ON_EXCEPTION", core)):
        monkeypatch.delenv(name, raising=False)
        if value is not None:
            monkeypatch.setenv(name, value)
    assert debug.active() is expected


def test_another_value_is_refused(monkeypatch):
    monkeypatch.setenv("CUDA_CPU_DEBUG", "yes")
    with pytest.raises(ValueError, match="CUDA_CPU_DEBUG is 'yes'; it must be 0 or 1"):
        jit.check_settings()


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("sums", "sums"),
        ("_Z6helperiP1P", "helper"),
        ("_ZN2ns5inner1fEi", "ns::inner::f"),
        ("_Z5scaleIfEvPT_S0_i", "_Z5scaleIfEvPT_S0_i"),
    ],
)
def test_readable_names(symbol, name):
    assert readable(symbol) == name
