# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Precision and recall of change-point detection on synthetic histories: python -m benchmarks.change_points

Each family has histories of 150 durations with 2 % noise and known changes. A found point is right if it is within
five values of a change that no other point was assigned to; anywhere within a drift, which counts as one change. Beside
ours: Apache Otava (`pip install --no-deps apache-otava`; its pin of NumPy excludes the versions that we need) with its
defaults, and a plain threshold: a value 5 % from the median of the ten before.
"""

from __future__ import annotations

import argparse
import importlib.util
import statistics
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

COUNT, NOISE, TOLERANCE = 150, 0.02, 5


class History(NamedTuple):
    values: np.ndarray
    truth: list[tuple[int, int]]  # first and last position of each change


def _steps(random: np.random.Generator, number: int) -> tuple[np.ndarray, list[tuple[int, int]]]:
    """Return levels with changes of 2 to 10 % at least 20 values apart."""
    level, truth = np.zeros(COUNT), []
    positions: list[int] = (20 + 35 * np.arange(number) + random.integers(0, 15, number)).tolist()
    for position in positions:
        level[position:] += random.choice([-1, 1]) * random.uniform(0.02, 0.10)
        truth.append((position, position))
    return level, truth


def _noise(random: np.random.Generator) -> np.ndarray:
    return random.normal(0, NOISE, COUNT)


def quiet(random: np.random.Generator) -> History:
    return History(_noise(random), [])


def heavy_tails(random: np.random.Generator) -> History:
    return History(NOISE * random.standard_t(3, COUNT), [])


def steps(random: np.random.Generator) -> History:
    level, truth = _steps(random, int(random.integers(1, 4)))
    return History(level + _noise(random), truth)


def drift(random: np.random.Generator) -> History:
    first = int(random.integers(30, 80))
    last = first + int(random.integers(20, 40))
    level = np.interp(np.arange(COUNT), [first, last], [0, random.choice([-1, 1]) * random.uniform(0.05, 0.12)])
    return History(level + _noise(random), [(first, last)])


def _spikes(random: np.random.Generator) -> np.ndarray:
    return np.where(random.random(COUNT) < 0.05, random.uniform(0.1, 0.5, COUNT), 0)


def outliers(random: np.random.Generator) -> History:
    return History(_noise(random) + _spikes(random), [])


def outliers_and_steps(random: np.random.Generator) -> History:
    history = steps(random)
    return History(history.values + _spikes(random), history.truth)


def variance(random: np.random.Generator) -> History:
    first = int(random.integers(40, 90))
    return History(_noise(random) * np.where(np.arange(COUNT) < first, 1, 3), [])


def correlated(random: np.random.Generator) -> History:
    values = _noise(random)
    for index in range(1, COUNT):
        values[index] = 0.4 * values[index - 1] + values[index] * 0.9165
    return History(values, [])


FAMILIES = (quiet, heavy_tails, steps, drift, outliers, outliers_and_steps, variance, correlated)


def ours(values: np.ndarray) -> list[int]:
    from cuda.perf.change_points import change_points

    return [change.position for change in change_points(values.tolist())]


def with_otava(values: np.ndarray) -> list[int]:
    from cuda.perf.change_points import change_points

    return [change.position for change in change_points(values.tolist(), detector="otava")]


def otava(values: np.ndarray) -> list[int]:
    from otava.analysis import compute_change_points

    try:
        return [int(point.index) for point in compute_change_points(values.tolist())[0]]
    except ValueError:  # of 0.8.0, without a message, when two windows of a history find the same point
        return []


def threshold(values: np.ndarray) -> list[int]:
    found: list[int] = []
    for index in range(10, len(values)):
        ratio = values[index] / statistics.median(values[index - 10 : index])
        if abs(ratio - 1) > 0.05 and not (found and index - found[-1] < 10):
            found.append(index)
    return found


def methods() -> Iterator[tuple[str, Callable[[np.ndarray], list[int]]]]:
    yield "`cuda.perf`", ours
    if importlib.util.find_spec("otava"):
        yield "`cuda.perf` with Otava's proposals", with_otava
        yield "Otava", otava
    else:
        print("Otava is not installed: no rows for it")
    yield "threshold of 5 %", threshold


def right(found: list[int], truth: list[tuple[int, int]]) -> tuple[int, int]:
    """Return how many changes were found, and how many of the found points belong to no change."""
    used: set[int] = set()
    wrong = 0
    for point in found:
        near = [at for at, (first, last) in enumerate(truth) if first - TOLERANCE <= point <= last + TOLERANCE]
        fresh = [at for at in near if at not in used]
        if fresh:
            used.add(fresh[0])
        elif not any(truth[at][0] < truth[at][1] for at in near):
            wrong += 1
    return len(used), wrong


def _row(family: Callable[[np.random.Generator], History], detect: Callable, seeds: range) -> tuple[int, int, int]:
    hit = missed = wrong = 0
    for seed in seeds:
        history = family(np.random.default_rng([seed, FAMILIES.index(family)]))
        found, false = right(detect(100 * np.exp(history.values)), history.truth)
        hit, missed, wrong = hit + found, missed + len(history.truth) - found, wrong + false
    return hit, missed, wrong


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.3f}" if whole else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--histories", type=int, default=200, help="of each family")
    parser.add_argument("--first", type=int, default=1000, help="seed of the first")
    arguments = parser.parse_args()
    seeds = range(arguments.first, arguments.first + arguments.histories)
    print(
        "| family | method | changes | found | false | precision | recall | false per history |\n|---"
        + "|---" * 7
        + "|"
    )
    for name, detect in methods():
        total, start = np.zeros(3, dtype=int), time.process_time()
        for family in (*FAMILIES, None):
            row = np.array(_row(family, detect, seeds)) if family else total
            total = total + row if family else total
            hit, missed, wrong = (int(each) for each in row)
            title = family.__name__.replace("_", " ") if family else "all"
            rate = wrong / len(seeds) / (1 if family else len(FAMILIES))
            print(
                f"| {title} | {name} | {hit + missed} | {hit} | {wrong} | {_share(hit, hit + wrong)} | "
                f"{_share(hit, hit + missed)} | {rate:.3f} |",
                flush=True,
            )
        print(f"<!-- {name}: {time.process_time() - start:.0f} s -->")


if __name__ == "__main__":
    main()
