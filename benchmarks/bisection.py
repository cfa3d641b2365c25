# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""How often the search of `cuda.perf bisect` finds the culprit, and its cost: python -m benchmarks.bisection

Each trial has 65 commits, one of which slows a benchmark down. Measurements have noise of 2 % (Student's distribution
with three degrees of freedom), one in 20 is 10 to 50 % longer, and the code of each commit is laid out differently,
which changes its time by up to 0.3 %. Beside: `git bisect` with one measurement and with the median of five.
"""

from __future__ import annotations

import argparse
import random
import statistics
from collections.abc import Callable

from cuda.perf import bisection

COMMITS, NOISE, LAYOUT = 64, 0.02, 0.003


def commits(seed: str, effect: float) -> tuple[int, Callable[[int], float]]:
    """Return the culprit and a function that measures a commit."""
    generator = random.Random(seed)
    culprit = generator.randint(1, COMMITS)
    layout = [generator.uniform(-LAYOUT, LAYOUT) for _ in range(COMMITS + 1)]

    def measure(commit: int) -> float:
        student = generator.gauss(0, 1) / (generator.gammavariate(1.5, 2) / 3) ** 0.5
        outlier = generator.uniform(0.1, 0.5) if generator.random() < 0.05 else 0
        return (1 + effect * (commit >= culprit)) * (1 + layout[commit]) * (1 + NOISE * student + outlier)

    return culprit, measure


def plain(measure: Callable[[int], float], repetitions: int) -> tuple[int, int]:
    """Search as `git bisect` does with a limit half-way between the ends; return the culprit and the cost."""

    def value(commit: int) -> float:
        return statistics.median(measure(commit) for _ in range(repetitions))

    limit = (value(0) + value(COMMITS)) / 2
    low, high, cost = 0, COMMITS, 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high, cost = (low, middle, cost + 1) if value(middle) > limit else (middle, high, cost + 1)
    return high, cost * repetitions


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=100)
    trials = parser.parse_args().trials
    heads = ("slow-down", "method", "found", "measurements: median", "most", "checkouts: median", "most")
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for effect in (0.02, 0.05, 0.10):
        right, costs, visits = 0, [], []
        for trial in range(trials):
            culprit, measure = commits(f"{effect} {trial}", effect)
            outcome = bisection.noisy(COMMITS, measure, batch=5)
            right += outcome.first == outcome.last == culprit
            costs.append(outcome.measurements)
            visits.append(outcome.visits)
        cells = (statistics.median(costs), max(costs), statistics.median(visits), max(visits))
        print(f"| {effect:.0%} | `bisect` | {right} of {trials} | {' | '.join(f'{each:.0f}' for each in cells)} |")
        for repetitions in (1, 5):
            right, costs = 0, []
            for trial in range(trials):
                culprit, measure = commits(f"{effect} {trial}", effect)
                found, cost = plain(measure, repetitions)
                right += found == culprit
                costs.append(cost)
            print(
                f"| {effect:.0%} | plain, median of {repetitions} | {right} of {trials} | "
                f"{statistics.median(costs):.0f} | {max(costs)} | 8 | 8 |"
            )
    culprit, measure = commits("counts", 0)
    outcome = bisection.exact(COMMITS, lambda commit: 1000 + (commit >= culprit))
    cost = outcome.measurements
    print(f"| any | exact counts | {outcome.first == culprit:d} of 1 | {cost} | {cost} | {outcome.visits} | {cost} |")


if __name__ == "__main__":
    main()
