# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Profiles as one self-contained HTML page: summary, heat map of the lines, roofline, comparison with another run."""

from __future__ import annotations

import math
from collections.abc import Iterator
from html import escape
from typing import Any, NamedTuple

from cuda.cpu.profile.advice import advice_of
from cuda.cpu.profile.data import Entry, Line, lines_of, process_of
from cuda.cpu.profile.document import document
from cuda.cpu.profile.metrics import METRICS
from cuda.cpu.profile.text import number, summary, title


class Gpu(NamedTuple):
    """Peak rates by the data sheets: single precision without tensor cores, and memory."""

    tflops: float  # 10**12 operations per second
    bandwidth: float  # 10**9 bytes per second


GPUS = {
    "A100": Gpu(19.5, 1555), "H100": Gpu(66.9, 3350), "H200": Gpu(66.9, 4800), "L4": Gpu(30.3, 300),
    "RTX4090": Gpu(82.6, 1008), "T4": Gpu(8.1, 320),
}  # fmt: skip
DEFAULT_GPU = "H100"
MOST_TEXT = 70  # characters of a line

NOTHING = "<p>No launch of a profiled kernel was recorded.</p>"
STYLE = """
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2.2rem; overflow-wrap: anywhere; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
td, th { padding: .15rem .6rem; text-align: right; white-space: nowrap; border-bottom: 1px solid #8884; }
th { font-weight: 600; } td.text, th.text { text-align: left; }
table.facts td { white-space: normal; }
td.code { text-align: left; font-family: ui-monospace, monospace; font-size: 13px; white-space: pre; }
td.advice { text-align: left; white-space: normal; max-width: min(60rem, 85vw); }
tr.note td { border-bottom: none; padding-bottom: .5rem; max-width: none; }
tr.note div { position: sticky; left: .6rem; max-width: min(60rem, 85vw); width: max-content; }
svg { max-width: 100%; height: auto; }
summary { cursor: pointer; margin: .6rem 0; }
"""
COLUMNS = (
    ("instructions", lambda line: line.warps),
    ("threads each", lambda line: round(line.threads / line.warps, 1) if line.warps else 0),
    ("divergent", lambda line: line.divergent),
    ("global sectors", lambda line: _sum(line, "sectors", "global")),
    ("per request", lambda line: line.sectors_per_request),
    ("bank conflicts", lambda line: _sum(line, "conflicts", "shared")),
    ("collisions", lambda line: _sum(line, "collisions", "global") + _sum(line, "collisions", "shared")),
    ("flops", lambda line: line.flops),
)


def page(data: dict[str, Any], *, gpu: str = DEFAULT_GPU, baseline: dict[str, Any] | None = None) -> str:
    """Return the page; with a baseline, each metric has a column for its value there."""
    body = "".join(_launch(entry, gpu, _like(entry, baseline)) for entry in data["launches"])
    about = (
        "<p>Exact counts of PTX instructions on the CPU device. Bytes and sectors are those that the kernel requests, "
        "without any cache.</p>"
    )
    about += f"<p>{escape(process)}</p>" if (process := process_of(data)) else ""
    return document("Kernel profile", STYLE, about + (body or NOTHING))


def summary_html(data: dict[str, Any]) -> str:
    """Return a table of the launches and their most important values."""
    left, rows = ' style="text-align: left"', ""
    for entry in data["launches"]:
        values = "<br>".join(escape(f"{name}: {text}") for name, text in summary(entry))
        rows += f"<tr><td{left}>{escape(title(entry))}</td><td{left}>{values}</td></tr>"
    return f"<table>{rows or '<tr><td>no launch of a profiled kernel</td></tr>'}</table>"


def _like(entry: Entry, baseline: dict[str, Any] | None) -> Entry | None:
    """Return the launch of the baseline that has the same kernel, grid and block, with the same shared memory first."""
    entries = [
        each
        for each in (baseline["launches"] if baseline else [])
        if all(each[name] == entry[name] for name in ("kernel", "grid", "block"))
    ]
    return min(entries, key=lambda each: each["shared_bytes"] != entry["shared_bytes"], default=None)


def _launch(entry: Entry, gpu: str, before: Entry | None) -> str:
    facts = "".join(
        f'<tr><th class="text">{escape(name)}</th><td class="text">{escape(text)}</td></tr>'
        for name, text in summary(entry)
    )
    return (
        f'<h2>{escape(title(entry))}</h2><div class="scroll"><table class="facts">{facts}</table></div>'
        f"{_roofline(entry, gpu)}{''.join(_heat_map(entry))}{_metrics(entry, before)}"
    )


def _metrics(entry: Entry, before: Entry | None) -> str:
    rows = []
    for name, value in entry["metrics"].items():
        old = before["metrics"].get(name, 0) if before else None
        if not value and not old:
            continue
        cell = "" if old is None else f"<td>{number(old)}</td><td>{_change(old, value)}</td>"
        meaning = METRICS[name].meaning if name in METRICS else ""
        rows.append(
            f'<tr><td class="text">{escape(name)}</td>{cell}<td>{number(value)}</td>'
            f'<td class="advice">{escape(meaning)}</td></tr>'
        )
    heads = "<th>before</th><th>ratio</th>" if before else ""
    return (
        f'<details{" open" if before else ""}><summary>All metrics</summary><div class="scroll"><table><tr>'
        f'<th class="text">metric</th>{heads}<th>value</th><th class="text">meaning</th></tr>{"".join(rows)}</table>'
        f"</div></details>"
    )


def _change(old: float, new: float) -> str:
    return "" if old == new else f"{new / old:.3f}" if old else "new"


def _heat_map(entry: Entry) -> Iterator[str]:
    lines = lines_of(entry)
    most = max((line.warps for line in lines), default=0) or 1
    columns = [(name, value) for name, value in COLUMNS if any(map(value, lines))]
    heads = "".join(f"<th>{name}</th>" for name, _ in columns)
    advised = advice_of(entry, lines)
    yield f'<h3>Lines</h3><div class="scroll"><table><tr><th class="text">line</th><th class="text">text</th>{heads}'
    for line in lines:
        shade = f"background: rgba(220, 80, 30, {0.55 * line.warps / most:.3f})"
        cells = "".join(f"<td>{_cell(value(line))}</td>" for _, value in columns)
        yield f'</tr><tr style="{shade}"><td class="text">{escape(line.name_in(entry))}</td>'
        yield f'<td class="code">{escape(line.text[:MOST_TEXT])}</td>{cells}'
        for text in advised.get(line.key, ()):
            yield f'</tr><tr class="note"><td class="advice" colspan="{len(columns) + 2}">'
            yield f"<div>&rarr; {escape(text)}</div></td>"
    yield "</tr></table></div>"


def _cell(value: float) -> str:
    return f"{value:,}" if value else ""


def _sum(line: Line, field: str, space: str) -> int:
    return sum(getattr(counts, field) for (of, _), counts in line.accesses.items() if of == space)


def _roofline(entry: Entry, gpu: str) -> str:
    """Return a drawing of a GPU's peak rates, with the kernel's arithmetic intensity; "" without floating point."""
    intensity = entry["metrics"].get("ptx__arithmetic_intensity.ratio", 0)
    if not intensity:
        return ""
    peak = GPUS[gpu]
    ridge = peak.tflops * 1e12 / (peak.bandwidth * 1e9)
    reachable = min(peak.tflops, intensity * peak.bandwidth / 1000)
    left, right = min(0.01, intensity / 4), max(1000.0, intensity * 4)
    low, high = left * peak.bandwidth / 1000, peak.tflops * 2

    def x(value: float) -> float:
        return 60 + 560 * math.log(value / left) / math.log(right / left)

    def y(value: float) -> float:
        return 230 - 200 * math.log(value / low) / math.log(high / low)

    bound = "memory bandwidth" if intensity < ridge else "arithmetic"
    label = f"{intensity:.3g} operations per byte: at most {reachable:.3g} TFLOP/s, limited by {bound}"
    return (
        f'<h3>Roofline of {gpu}</h3><svg viewBox="0 0 640 275" width="640" role="img" aria-label="{escape(label)}">'
        f'<polyline fill="none" stroke="currentColor" stroke-width="2" points="{x(left):.1f},{y(low):.1f} '
        f'{x(ridge):.1f},{y(peak.tflops):.1f} {x(right):.1f},{y(peak.tflops):.1f}"/>'
        f'<line x1="{x(intensity):.1f}" x2="{x(intensity):.1f}" y1="30" y2="230" stroke="#d9531e" '
        f'stroke-dasharray="4 3"/>'
        f'<circle cx="{x(intensity):.1f}" cy="{y(reachable):.1f}" r="5" fill="#d9531e"/>'
        f'<line x1="60" x2="620" y1="230" y2="230" stroke="currentColor"/>'
        f'<text x="60" y="246">{left:.2g}</text><text x="590" y="246">{right:.4g}</text>'
        f'<text x="60" y="266">{escape(label)}</text><text x="64" y="22">{peak.tflops} TFLOP/s fp32, '
        f"{peak.bandwidth:g} GB/s (data sheet); logarithmic axes</text></svg>"
    )
