# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
import itertools

from cuda.perf import timing


def test_a_call_is_timed_by_the_given_clock():
    ticks = itertools.count(10.0, 2.5)
    assert timing.timed(lambda: None, lambda: next(ticks)) == 2.5


def test_the_first_call_warms_up():
    calls = []
    ticks = itertools.count()
    assert timing.repeated(lambda: calls.append(1), 3, lambda: next(ticks)) == [1, 1, 1]
    assert len(calls) == 4


def test_sides_alternate():
    order = []

    def side(name):
        return lambda: order.append(name) or float(len(order))

    found = timing.alternate({"a": side("a"), "b": side("b")}, 0, least=3)
    assert order == ["a", "b"] * 3
    assert found == {"a": [1, 3, 5], "b": [2, 4, 6]}
