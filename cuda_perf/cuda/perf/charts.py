# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Drawings as inline SVG: the history of a benchmark, a small one for tables, a roofline.

They need no style sheet: colours that suit light and dark pages are in each drawing.
"""

from __future__ import annotations

import datetime
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from html import escape
from typing import NamedTuple

from cuda.perf.change_points import Change

BLUE, ORANGE, GREY = "#3b82c4", "#d9531e", "#888"
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 240, 74, 14, 30, 34
FAR = 6  # scales of the noise from the level; values farther away are drawn at the edge
UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


Scale = Callable[[float], float]  # a value -> a coordinate


class Value(NamedTuple):
    """A point of a history."""

    started: float
    revision: str
    value: float
    low: float
    high: float


def seconds(value: float) -> str:
    """Return a time with its unit."""
    size, unit = next((each for each in UNITS if abs(value) >= each[0]), UNITS[-1])
    return f"{value / size:.4g} {unit}"


def count(value: float) -> str:
    """Return a count with separators."""
    return f"{value:,.0f}" if value == int(value) else f"{value:,.4g}"


def number(metric: str, value: float) -> str:
    """Return a value of a metric as text."""
    return seconds(value) if metric == "seconds" else count(value)


def percent(effect: float) -> str:
    """Return a relative change as text."""
    return f"{effect:+.1%}" if math.isfinite(effect) else "from 0"


def day(moment: float) -> str:
    return datetime.datetime.fromtimestamp(moment, datetime.UTC).strftime("%Y-%m-%d")


def history(title: str, metric: str, values: Sequence[Value], changes: Sequence[Change]) -> str:
    """Return the history of a benchmark with its change points, and the 95 % band of each level."""
    low, high = _range(values, changes)
    span = max(len(values) - 1, 1)

    def x(at: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * at / span

    def y(value: float) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * (high - min(max(value, low), high)) / (high - low)

    parts = [_ticks(metric, low, high, y)]
    parts += _segments(values, changes, x, y)
    dots = "".join(f"M{x(at):.1f} {y(each.value):.1f}h0" for at, each in enumerate(values))
    bars = "".join(
        f"M{x(at):.1f} {y(each.low):.1f}V{y(each.high):.1f}" for at, each in enumerate(values) if each.high > each.low
    )
    parts.append(f'<path d="{bars}" stroke="{GREY}" stroke-width="1" opacity=".5"/>')
    parts.append(f'<path d="{dots}" stroke="{BLUE}" stroke-width="4.5" stroke-linecap="round"/>')
    first, last = day(values[0].started), day(values[-1].started)
    parts.append(_text(LEFT, HEIGHT - 12, f"{first} {values[0].revision[:10]}"))
    parts.append(_text(WIDTH - RIGHT, HEIGHT - 12, f"{last} {values[-1].revision[:10]}", "end"))
    return _svg(title, WIDTH, HEIGHT, [_text(LEFT, 16, title, weight="600"), *parts])


def _range(values: Sequence[Value], changes: Sequence[Change]) -> tuple[float, float]:
    """Return what the vertical axis shows: outliers far from all levels would leave no room for the rest."""
    borders = [0, *(change.position for change in changes), len(values)]
    found = []
    for first, end in itertools.pairwise(borders):
        part = [each.value for each in values[first:end]]
        level, half = _level(part)
        reach = FAR * max(half * math.sqrt(len(part)) / 1.96, abs(level) * 0.01)
        found += [min(max(each, level - reach), level + reach) for each in part]
    low, high = min(found), max(found)
    margin = (high - low) * 0.08 or abs(high) * 0.05 or 1
    return low - margin, high + margin


def _segments(values: Sequence[Value], changes: Sequence[Change], x: Scale, y: Scale) -> Iterator[str]:
    """Yield the level of each segment with its band, and a line with a label for each change."""
    borders = [0, *(change.position for change in changes), len(values)]
    for first, end in itertools.pairwise(borders):
        level, half = _level([each.value for each in values[first:end]])
        left, right = x(max(first - 0.5, 0)), x(min(end - 0.5, len(values) - 1))
        top, bottom = y(level + half), y(level - half)
        yield (f'<rect x="{left:.1f}" y="{top:.1f}" width="{max(right - left, 1):.1f}" '
               f'height="{max(bottom - top, 0.5):.1f}" fill="{BLUE}" opacity=".22"/>')  # fmt: skip
        yield f'<path d="M{left:.1f} {y(level):.1f}H{right:.1f}" stroke="{BLUE}" stroke-width="1.5"/>'
    for change in changes:
        at = x(change.position - 0.5)
        anchor = "end" if at > WIDTH * 0.7 else "start"
        label = f"{percent(change.effect)} at {values[change.position].revision[:10] or 'unknown'}"
        yield (f'<path d="M{at:.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="{ORANGE}" stroke-width="1.5" '
               'stroke-dasharray="5 3"/>')  # fmt: skip
        yield _text(at + (-5 if anchor == "end" else 5), TOP + 9, label, anchor, ORANGE)


def _level(values: Sequence[float]) -> tuple[float, float]:
    """Return the median and the half-width of its 95 % interval, by the median absolute deviation."""
    ordered = sorted(values)
    middle = (ordered[(len(values) - 1) // 2] + ordered[len(values) // 2]) / 2
    deviations = sorted(abs(value - middle) for value in values)
    scale = 1.4826 * deviations[len(values) // 2]
    return middle, 1.96 * scale * math.sqrt(math.pi / 2 / len(values))


def small(values: Sequence[float]) -> str:
    """Return a history without axes, for tables."""
    low, high = min(values), max(values)
    span, step = (high - low) or 1, 118 / max(len(values) - 1, 1)
    path = "".join(
        f"{'L' if at else 'M'}{1 + at * step:.1f} {25 - 22 * (value - low) / span:.1f}"
        for at, value in enumerate(values)
    )
    return (f'<svg viewBox="0 0 120 28" width="120" height="28" aria-hidden="true"><path d="{path}" fill="none" '
            f'stroke="{BLUE}" stroke-width="1.5"/></svg>')  # fmt: skip


class Peak(NamedTuple):
    """The most that a device can do."""

    flops: dict[str, float]  # operations per second by precision
    bandwidth: float  # bytes per second
    device: str


class Kernel(NamedTuple):
    """A benchmark in a roofline."""

    name: str
    intensity: float  # operations per byte
    flops: float  # operations per second


def roofline(kernels: Sequence[Kernel], peak: Peak) -> str:
    """Return a roofline (Williams, Waterman, Patterson, "Roofline", CACM 52, 2009) with logarithmic axes."""
    highest = max(peak.flops.values())
    ridge = highest / peak.bandwidth
    left = min(ridge / 30, *(each.intensity / 2 for each in kernels))
    right = max(ridge * 30, *(each.intensity * 2 for each in kernels))
    high = max(highest, *(each.flops for each in kernels)) * 2
    low = min(each.flops for each in kernels) / 2
    width, height = WIDTH, 330

    def x(value: float) -> float:
        return LEFT + (width - LEFT - RIGHT) * math.log(value / left) / math.log(right / left)

    def y(value: float) -> float:
        clipped = min(max(value, low), high)
        return TOP + (height - TOP - BOTTOM) * math.log(high / clipped) / math.log(high / low)

    begin = max(left, low / peak.bandwidth)
    roof = 'fill="none" stroke="currentColor" stroke-width="2"/>'
    parts = [
        f'<path d="M{x(begin):.1f} {y(begin * peak.bandwidth):.1f}L{x(ridge):.1f} {y(highest):.1f}" {roof}',
        f'<path d="M{LEFT} {height - BOTTOM}H{width - RIGHT}M{LEFT} {TOP}V{height - BOTTOM}" stroke="{GREY}"/>',
    ]
    for name, flops in peak.flops.items():
        parts.append(f'<path d="M{x(flops / peak.bandwidth):.1f} {y(flops):.1f}H{width - RIGHT}" {roof}')
        parts.append(_text(width - RIGHT, y(flops) - 6, name, "end"))
    for each in kernels:
        label = f"{each.name}: {each.intensity:.3g} operations per byte, {each.flops / 1e9:.4g} GFLOP/s"
        parts.append(f'<circle cx="{x(each.intensity):.1f}" cy="{y(each.flops):.1f}" r="4" fill="{ORANGE}" '
                     f'fill-opacity=".75"><title>{escape(label)}</title></circle>')  # fmt: skip
    for power in range(math.ceil(math.log10(left)), math.floor(math.log10(right)) + 1):
        parts.append(_text(x(10.0**power), height - 18, f"{10.0**power:g}", "middle"))
    for power in range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1):
        parts.append(_text(LEFT - 6, y(10.0**power) + 4, f"{10.0**power / 1e9:g}", "end"))
    parts.append(_text(LEFT, height - 4, "operations per byte; vertical: GFLOP/s"))
    title = f"Roofline: {peak.device}"
    return _svg(title, width, height, [_text(LEFT, 16, title, weight="600"), *parts])


def _ticks(metric: str, low: float, high: float, y: Scale) -> str:
    lines = []
    step = _round((high - low) / 4)
    for at in range(math.ceil(low / step), math.floor(high / step) + 1):
        value = at * step
        lines.append(f'<path d="M{LEFT} {y(value):.1f}H{WIDTH - RIGHT}" stroke="{GREY}" opacity=".25"/>')
        lines.append(_text(LEFT - 6, y(value) + 4, number(metric, value), "end"))
    return "".join(lines)


def _round(step: float) -> float:
    """Return a number near `step` of the form 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(step))
    return power * next(each for each in (1, 2, 5, 10) if each * power >= step * 0.999)


def _text(x: float, y: float, text: str, anchor: str = "start", colour: str = "", weight: str = "") -> str:
    style = (f' fill="{colour}"' if colour else "") + (f' font-weight="{weight}"' if weight else "")
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{style}>{escape(text)}</text>'


def _svg(title: str, width: int, height: int, parts: Sequence[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-label="{escape(title)}" font-family="system-ui, sans-serif" font-size="12" '
        f'fill="currentColor">{"".join(parts)}</svg>'
    )
