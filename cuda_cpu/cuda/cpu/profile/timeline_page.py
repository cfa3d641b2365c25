# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A timeline as one self-contained HTML page: a row per stream and thread, a rectangle per event."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

from cuda.cpu.profile.document import document

if TYPE_CHECKING:
    from cuda.cpu.profile.timeline import Event, PoolSize

WIDTH, ROW, BAR = 1200, 34, 22
MOST = 20_000  # events that are drawn
COLORS = {
    "kernel": "#3a7bd5", "copy": "#3aa76d", "fill": "#8bbf3f", "compile": "#d9531e", "host callback": "#9b59b6",
    "driver call": "#b0b0b0", "memory call": "#c9a227", "NVTX range": "#5fb3c9",
}  # fmt: skip
OTHER, POOL = "#8a8a8a", "#c9a227"
LEVEL, LOWEST = 4, 4  # an event within another one is so much lower, down to this height
STYLE = "svg { min-width: 60rem; width: 100%; height: auto; } rect:hover { stroke: currentColor; }"


def page(events: list[Event], summary: str, sizes: list[PoolSize] | None = None) -> str:
    """Return the page; of more than `MOST` events, the longest are drawn."""
    drawn = sorted(
        sorted(events, key=lambda event: -event.duration)[:MOST], key=lambda event: (event.begin, -event.end)
    )
    note = f"<p>The {MOST:,} longest of {len(events):,} events are drawn.</p>" if len(events) > MOST else ""
    drawing = f'<div class="scroll">{_drawing(drawn, sizes or [])}</div>'
    return document("Timeline", STYLE, f'{note}{drawing}<div class="scroll"><pre>{escape(summary)}</pre></div>')


def _drawing(events: list[Event], sizes: list[PoolSize]) -> str:
    if not events and not sizes:
        return "<p>Nothing was recorded.</p>"
    rows = {row: number for number, row in enumerate(dict.fromkeys(event.row for event in events))}
    pools = dict.fromkeys(size.pool for size in sizes)
    total = max([event.end for event in events] + [size.time for size in sizes]) or 1
    height = ROW * (len(rows) + len(pools)) + 24
    label = f"Timeline of {len(rows)} rows and {len(pools)} memory pools"
    parts = [f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{label}">']
    for number, pool in enumerate(pools, len(rows)):
        parts += _pool([size for size in sizes if size.pool == pool], ROW * number, total)
    for row, number in rows.items():
        parts.append(f'<text x="0" y="{number * ROW + 12}">{escape(row)}</text>')
    for event, depth in zip(events, _depths(events), strict=True):
        x, width = WIDTH * event.begin / total, max(WIDTH * event.duration / total, 0.5)
        details = ", ".join(f"{name} {value}" for name, value in event.details.items())
        title = f"{event.category}: {event.name}, {event.duration / 1000:,.1f} us {details}"
        parts.append(
            f'<rect x="{x:.2f}" y="{rows[event.row] * ROW + 16}" width="{width:.2f}" '
            f'height="{max(BAR - 6 - LEVEL * depth, LOWEST)}" '
            f'fill="{COLORS.get(event.category, OTHER)}"><title>{escape(title)}</title></rect>'
        )
    kinds = [kind for kind in COLORS if any(event.category == kind for event in events)]
    parts += [
        f'<rect x="{40 + 120 * number}" y="{height - 14}" width="10" height="10" fill="{COLORS[kind]}"></rect>'
        f'<text x="{54 + 120 * number}" y="{height - 4}">{kind}</text>'
        for number, kind in enumerate(kinds)
    ]
    parts.append(f'<text x="0" y="{height - 4}">0</text>')
    parts.append(f'<text x="{WIDTH}" y="{height - 4}" text-anchor="end">{total / 1e6:,.3f} ms</text></svg>')
    return "".join(parts)


def _pool(sizes: list[PoolSize], top: int, total: int) -> Iterator[str]:
    """Yield the drawing of a pool's size: an area for what is in use, a line for what the pool holds."""
    most, used = max(size.reserved for size in sizes) or 1, max(size.used for size in sizes)
    text = f"{sizes[0].pool}: at most {used:,} bytes in use (area), {most:,} bytes reserved (line)"
    yield f'<text x="0" y="{top + 12}">{escape(text)}</text>'
    ends = [*(size.time for size in sizes[1:]), total]
    for field, style in (("used", f'fill="{POOL}" fill-opacity="0.4"'), ("reserved", f'fill="none" stroke="{POOL}"')):
        y = top + 16 + BAR - 6
        points = [f"M{WIDTH * sizes[0].time / total:.2f},{y}"]
        for size, end in zip(sizes, ends, strict=True):
            height = y - (BAR - 7) * getattr(size, field) / most
            points.append(f"V{height:.2f}H{WIDTH * end / total:.2f}")
        yield f'<path d="{"".join(points)}V{y}" {style}></path>'


def _depths(events: list[Event]) -> Iterator[int]:
    """Yield in how many events of its row each one is; they are in the order of their beginnings, longer ones first."""
    around: dict[str, list[int]] = {}
    for event in events:
        ends = around.setdefault(event.row, [])
        while ends and ends[-1] <= event.begin:
            ends.pop()
        yield len(ends)
        ends.append(event.end)
