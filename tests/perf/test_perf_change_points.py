# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
import importlib.machinery
import math
import sys
import types

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cuda.perf.change_points import change_points, exact_changes, noise

pytest.importorskip("scipy", reason="the extra `perf` is not installed")


def noisy(levels, seed=0, scale=0.01):
    return np.asarray(levels) * np.exp(np.random.default_rng(seed).normal(0, scale, len(levels)))


@pytest.mark.parametrize("seed", range(5))
def test_steps_are_found_with_their_sizes(seed):
    first, second = change_points(noisy([1.0] * 40 + [1.1] * 30 + [1.02] * 40, seed))
    assert abs(first.position - 40) <= 1
    assert abs(second.position - 70) <= 1
    assert first.low < 0.10 < first.high
    assert first.effect == pytest.approx(0.1, abs=0.01)
    assert second.effect < 0
    assert max(first.p, second.p) < 1e-3


def test_a_step_at_the_end_is_found_after_some_values():
    assert [change.position for change in change_points(noisy([1.0] * 40 + [1.2] * 5))] == [40]


@pytest.mark.parametrize("seed", range(5))
def test_outliers_and_noisier_periods_are_no_changes(seed):
    spikes = noisy([1.0] * 100, seed)
    spikes[[10, 40, 41, 80]] *= 1.5
    assert change_points(spikes) == []
    assert change_points(np.concatenate([noisy([1.0] * 50, seed), noisy([1.0] * 50, seed + 100, 0.04)])) == []


def test_small_changes_can_be_left_out():
    values = noisy([1.0] * 40 + [1.05] * 40)
    assert len(change_points(values)) == 1
    assert change_points(values, least=0.08) == []


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 1000), st.floats(1e-9, 1e9))
def test_the_unit_does_not_matter(seed, unit):
    values = noisy([1.0] * 20 + [1.07] * 20, seed)
    assert [each.position for each in change_points(values * unit)] == [each.position for each in change_points(values)]


@settings(max_examples=25, deadline=None)
@given(st.lists(st.floats(0.5, 2), max_size=60))
def test_any_history_has_ordered_changes_of_levels_that_differ(values):
    found = change_points(values)
    assert [each.position for each in found] == sorted({each.position for each in found})
    assert all(0 < each.position < len(values) and each.before != each.after for each in found)


@pytest.mark.parametrize("wrong", [0.0, -1.0, math.nan, math.inf])
def test_values_that_are_no_times_are_refused(wrong):
    with pytest.raises(ValueError, match="positive and finite"):
        change_points([1.0] * 10 + [wrong])


def test_exact_values():
    changes = exact_changes([5, 5, 7, 7, 0, 0, 3])
    assert [(each.position, each.before, each.after) for each in changes] == [(2, 5, 7), (4, 7, 0), (6, 0, 3)]
    assert changes[0].effect == pytest.approx(0.4)
    assert changes[2].effect == math.inf
    assert [each.position for each in change_points([2.0] * 10 + [3.0] * 10)] == [10]  # without noise


def test_noise_is_that_of_the_values_not_of_steps_and_outliers():
    values = noisy([1.0] * 200 + [2.0] * 200, scale=0.02)
    values[::20] *= 3
    assert noise(values) == pytest.approx(0.02, rel=0.25)
    assert noise([1.0, 1.1]) == 0


@pytest.fixture
def stand_in(monkeypatch):
    """Put a module in the place of Apache Otava that proposes given positions."""

    def put(positions):
        def compute_change_points(values):
            if positions is None:
                raise ValueError
            return [types.SimpleNamespace(index=np.int64(at)) for at in positions], None

        module = types.ModuleType("otava.analysis")
        module.compute_change_points = compute_change_points
        package = types.ModuleType("otava")
        package.__spec__ = importlib.machinery.ModuleSpec("otava", None)
        monkeypatch.setitem(sys.modules, "otava", package)
        monkeypatch.setitem(sys.modules, "otava.analysis", module)

    return put


LEVELS = [1.0] * 40 + [1.1] * 40


def test_what_otava_proposes_is_tested(stand_in):
    stand_in([2, 20, 39, 60])  # of which only 39 separates levels
    assert [each.position for each in change_points(noisy(LEVELS), detector="auto")] == [39]
    assert [each.position for each in change_points(noisy(LEVELS), detector="otava")] == [39]
    assert [each.position for each in change_points(noisy(LEVELS), detector="scipy")] == [40]


def test_the_partition_replaces_an_otava_that_fails(stand_in):
    stand_in(None)
    assert [each.position for each in change_points(noisy(LEVELS), detector="auto")] == [40]


@pytest.mark.parametrize("seed", range(3))
def test_apache_otava(seed):
    pytest.importorskip("otava", reason="Apache Otava is not installed")
    assert [each.position for each in change_points(noisy(LEVELS, seed), detector="otava")] == [40]
    assert change_points(noisy([1.0] * 80, seed), detector="otava") == []


def test_a_detector_that_is_not_installed(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert [each.position for each in change_points(noisy(LEVELS), detector="auto")] == [40]
    with pytest.raises(ImportError, match="Apache Otava is not installed: pip install"):
        change_points(noisy(LEVELS), detector="otava")
