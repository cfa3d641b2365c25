# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
import math

import numpy as np
import pytest

pytest.importorskip("scipy", reason="cuda.perf's statistics need SciPy, of the extra perf")

from cuda.perf import statistics
from cuda.perf.model import Result, Samples


def block(process, seconds, **fields):
    return Samples(process, process, float(process), 1, seconds, **fields)


def test_a_unit_is_a_quantile_of_a_process():
    times = [float(value) for value in range(1, 22)]
    samples = [block(1, times[16:]), block(0, [4.0]), block(1, times[:16])]
    assert statistics.units(Result("a", samples=samples)) == pytest.approx(np.log([4, 2]))
    for each in samples:
        each.timer = "events"
    assert statistics.units(Result("a", samples=samples)) == pytest.approx(np.log([4, 11]))


def test_disturbed_samples_do_not_move_the_unit():
    quiet, disturbed = [1.0] * 10, [1.0] * 3 + [7.0] * 7
    assert statistics.units(Result("a", samples=[block(0, quiet), block(1, disturbed)])) == pytest.approx([0, 0])


def test_units_of_duets_are_differences():
    samples = [
        block(process, [factor * (1 + process)] * 3, side=side)
        for process in range(3)
        for side, factor in (("base", 1.0), ("new", 1.1))
    ]
    samples.append(block(3, [1.0], side="base"))  # interrupted before the new side
    assert statistics.paired_units(Result("a", samples=samples)) == pytest.approx([math.log(1.1)] * 3)


def test_neighbouring_blocks_of_duets_share_the_state_of_the_machine():
    """A machine that becomes slower, and another program during one pair, do not change the unit."""
    order = ["base", "new", "new", "base"] * 2 + ["base", "new"]
    samples = [
        Samples(0, number, 0.0, 1, [(1.05 if side == "new" else 1.0) * 1.02**number * (7 if number == 9 else 1)] * 3,
                side=side)
        for number, side in enumerate(order)
    ]  # fmt: skip
    assert statistics.paired_units(Result("a", samples=samples[:8])) == pytest.approx([math.log(1.05)])
    (unit,) = statistics.paired_units(Result("a", samples=samples))
    assert abs(unit - math.log(1.05)) <= math.log(1.021)


# Neighbours have opposite signs: there is no positive correlation to correct for.
VALUES = 0.02 + 0.01 * np.array([1, -1, 2, -2, 3, -3, 1, -1, 2, -2, 3, -3])
OTHERS = 0.02 * np.array([2.0, -1, 1, -2, 4, -3, 1, -2, 9, -4, 1])


@pytest.mark.parametrize(("count", "trim"), [(7, 0), (11, 0.2)])
def test_estimates_agree_with_scipy(count, trim):
    from scipy import stats

    values, others = VALUES[:count], OTHERS[:count]
    found = statistics.difference(others, values, 0.99)
    expected = stats.ttest_ind(values, others, equal_var=False, trim=trim)
    assert found.value == pytest.approx(stats.trim_mean(values, trim) - stats.trim_mean(others, trim))
    assert found.p == pytest.approx(expected.pvalue)
    if not trim:
        assert found.value - found.half_width == pytest.approx(expected.confidence_interval(0.99).low)
        found, expected = statistics.mean(values, 0.99), stats.ttest_1samp(values, 0)
        assert (found.value, found.p) == pytest.approx((values.mean(), expected.pvalue))
        assert found.value + found.half_width == pytest.approx(expected.confidence_interval(0.99).high)


def test_a_disturbed_process_does_not_count():
    values = VALUES.copy()
    values[3] = 5.0
    from scipy import stats

    assert stats.ttest_1samp(values, 0).pvalue > 0.2
    assert statistics.mean(values).p < 0.05
    assert statistics.mean(values).ratio == pytest.approx(statistics.mean(VALUES).ratio, abs=0.01)


def false_alarms(make, rounds=400, level=0.05):
    random = np.random.default_rng(2)
    return sum(statistics.mean(make(random)).p < level for _ in range(rounds)) / rounds


def test_correlated_units_do_not_give_false_alarms():
    def walk(random):
        values = np.zeros(40)
        for number in range(1, 40):
            values[number] = 0.6 * values[number - 1] + random.normal()
        return values

    from scipy import stats

    random = np.random.default_rng(2)
    plain = sum(stats.ttest_1samp(walk(random), 0).pvalue < 0.05 for _ in range(400)) / 400
    assert plain > 0.2  # what a test gives that takes them for independent
    assert false_alarms(walk) < 0.12
    assert false_alarms(lambda random: random.normal(size=12)) < 0.07


def test_few_or_equal_units():
    assert statistics.mean([0.5]).p == 1
    assert statistics.mean([0.5]).half_width == math.inf
    assert statistics.mean([0.0, 0.0, 0.0]).p == 1
    assert statistics.mean([0.5, 0.5, 0.5]).p == 0
    assert statistics.difference(np.ones(3), np.ones(3)).p == 1


def test_units_needed_grow_with_the_square():
    estimate = statistics.Estimate(0.0, 0.04, 1.0, 10)
    assert statistics.units_needed(estimate, 0.02) == 40
    assert statistics.units_needed(estimate, 1e-6) == statistics.MOST_UNITS


def test_quantiles_are_those_of_numpy():
    values = [float(value) for value in np.random.default_rng(3).normal(size=17)]
    for count in (1, 2, 17):
        for share in (0.0, 0.05, 0.5, 1.0):
            assert statistics._quantile(values[:count], share) == pytest.approx(np.quantile(values[:count], share))


def test_corrections():
    from scipy.stats import false_discovery_control

    values = np.random.default_rng(3).uniform(size=40) ** 3
    assert statistics.adjust(values, "bh") == pytest.approx(false_discovery_control(values))
    p = [0.01, 0.04, 0.03, 0.005]
    assert statistics.adjust(p, "none") == pytest.approx(p)
    assert statistics.adjust(p, "holm") == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert statistics.adjust(p, "bh") == pytest.approx([0.02, 0.04, 0.04, 0.02])
    assert len(statistics.adjust([], "bh")) == 0
