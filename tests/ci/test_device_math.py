# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The polynomials of the device math library are those that their generator computes, and close to their functions."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import pytest

mpmath = pytest.importorskip("mpmath", reason="mpmath is not installed: pip install mpmath")

from ci import device_math  # noqa: E402

ROOT = pathlib.Path(__file__).parents[2]
# Largest error of each polynomial relative to the largest value of its function, in bits; of single precision 20.
LEAST_BITS = {"double": 51, "float": 23}


@pytest.mark.parametrize("kind", device_math.HEADERS)
def test_the_header_is_what_the_generator_writes(kind):
    """In another process: mpmath keeps values that other tests have computed, with fewer digits."""
    program = f"from ci import device_math; print(device_math.text({kind!r}), end='')"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert device_math.HEADERS[kind].read_text() == done.stdout


def test_a_changed_table_would_be_noticed(monkeypatch):
    kind, function, low, high, degree = device_math.TABLE["exp"]
    monkeypatch.setitem(device_math.TABLE, "exp", (kind, function, low, high, degree - 1))
    assert device_math.HEADERS["double"].read_text() != device_math.text("double")


@pytest.mark.parametrize("name", device_math.TABLE)
def test_errors(name):
    kind, function, low, high, degree = device_math.TABLE[name]
    with mpmath.workdps(60):
        low, high = mpmath.mpf(low), mpmath.mpf(high)
        coefficients = device_math.interpolate(function, low, high, degree)
        points = [low + (high - low) * i / 41 for i in range(1, 41)]
        values = [function(x) for x in points]
        found = [mpmath.fsum(c * x**i for i, c in enumerate(coefficients)) for x in points]
        errors = [abs(p - y) for p, y in zip(found, values, strict=True)]
        assert max(errors) < max(map(abs, values)) * mpmath.mpf(2) ** -LEAST_BITS[kind]
