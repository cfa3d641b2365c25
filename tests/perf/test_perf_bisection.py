# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cuda.perf import bisection
from cuda.perf.bisection import BisectionError, Skip


def noisy(culprit, effect=0.05, noise=0.02, seed=0, skipped=()):
    generator = random.Random(f"{culprit} {effect} {seed}")

    def measure(candidate):
        if candidate in skipped:
            raise Skip
        outlier = generator.random() < 0.05
        return (1 + effect * (candidate >= culprit)) * (generator.gauss(1, noise) + 0.3 * outlier)

    return measure


@given(st.data(), st.integers(1, 200))
def test_exact_values_need_a_plain_bisection(data, last):
    culprit = data.draw(st.integers(1, last))
    outcome = bisection.exact(last, lambda candidate: 100 + 7 * (candidate >= culprit))
    assert outcome.first == outcome.last == culprit
    assert outcome.measurements <= math.ceil(math.log2(last)) + 2
    assert (outcome.level(culprit - 1), outcome.level(culprit)) == (100, 107)


@given(st.data(), st.integers(2, 60))
def test_candidates_that_cannot_be_measured_widen_the_answer(data, last):
    culprit = data.draw(st.integers(1, last))
    skipped = data.draw(st.sets(st.integers(1, last - 1)))

    def measure(candidate):
        if candidate in skipped:
            raise Skip
        return candidate >= culprit

    outcome = bisection.exact(last, measure)
    assert outcome.first <= culprit <= outcome.last
    assert set(range(outcome.first, outcome.last)) <= skipped


@pytest.mark.parametrize("seed", range(20))
def test_noisy_values_of_64_candidates(seed):
    culprit = random.Random(seed).randint(1, 64)
    outcome = bisection.noisy(64, noisy(culprit, seed=seed))
    assert outcome.first == outcome.last == culprit
    assert outcome.probability >= 0.995
    assert 12 < outcome.measurements < 400


@pytest.mark.parametrize("culprit", [1, 2, 63, 64])
def test_culprits_at_the_ends(culprit):
    outcome = bisection.noisy(64, noisy(culprit))
    assert outcome.first == outcome.last == culprit


def test_faster_is_found_like_slower():
    outcome = bisection.noisy(20, noisy(7, effect=-0.1))
    assert outcome.first == outcome.last == 7


def test_noisy_values_with_gaps():
    outcome = bisection.noisy(16, noisy(9, 0.1, skipped={8, 9, 3}))
    assert (outcome.first, outcome.last) == (8, 10)
    assert outcome.probability >= 0.995


def test_values_without_noise_are_no_special_case():
    outcome = bisection.noisy(8, lambda candidate: 1.0 + (candidate >= 3))
    assert outcome.first == outcome.last == 3


def test_a_single_candidate():
    assert bisection.exact(1, float).first == bisection.noisy(1, float).first == 1


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 30))
def test_the_search_ends_undecided_at_the_limit(most):
    outcome = bisection.noisy(64, noisy(30, effect=0.02), most=most, batch=1)
    assert outcome.probability < 0.995
    assert 1 <= outcome.first <= outcome.last <= 64


def test_searches_that_cannot_begin():
    with pytest.raises(BisectionError, match="both ends have the value 1"):
        bisection.exact(8, lambda candidate: 1)
    with pytest.raises(BisectionError, match=r"cannot be told apart: .* after 204 measurements"):
        bisection.noisy(8, noisy(4, effect=0.001))
    with pytest.raises(BisectionError, match="the bad end cannot be measured"):
        bisection.exact(8, noisy(4, skipped={8}))
    with pytest.raises(BisectionError, match="the good end cannot be measured"):
        bisection.noisy(8, noisy(4, skipped={0}))
    with pytest.raises(BisectionError, match=r"error rate of 0\.0001 cannot be reached"):
        bisection.noisy(8, noisy(4), error=1e-4)
