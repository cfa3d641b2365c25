# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The dashboard: one HTML file that loads nothing from elsewhere.

The page shows changes, a heat map and a table at once; the charts of the benchmarks are texts in its data that become
elements when somebody opens them, so that a page of 1,000 benchmarks opens quickly.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from cuda.perf import change_points, charts, heat_map, peaks, suspects
from cuda.perf.change_points import Change
from cuda.perf.history import SECONDS, History, Point, Series
from cuda.perf.model import PRECISIONS, Run

MOST_CHANGES = 50
STYLE = """
:root { color-scheme: light dark; --line: #8884; }
body { font: 15px/1.45 system-ui, sans-serif; margin: 1.5rem auto; max-width: 80rem; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2.2rem; }
.scroll { overflow-x: auto; } svg { max-width: 100%; height: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; width: 100%; }
td, th { padding: .2rem .6rem; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--line); }
th { font-weight: 600; } td:first-child, th:first-child { text-align: left; }
td:first-child { white-space: normal; overflow-wrap: anywhere; min-width: 14rem; }
.facts { display: flex; flex-wrap: wrap; gap: .5rem 2rem; margin: 1rem 0; }
.facts b { font-size: 1.3rem; display: block; } .worse { color: #d9531e; } .better { color: #3b82c4; }
tr.open { cursor: pointer; } tr.open:hover, tr.open:focus { background: #8882; }
tr.chart td { white-space: normal; } #rows tr { content-visibility: auto; contain-intrinsic-size: auto 2rem; }
#heat { width: 100%; max-height: 32rem; min-height: 8rem; image-rendering: pixelated; border: 1px solid var(--line); }
#named { min-height: 1.5em; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
input { font: inherit; padding: .3rem .6rem; width: min(30rem, 100%); box-sizing: border-box; margin-bottom: .6rem; }
tr.chart svg { position: sticky; left: 0; max-width: min(100%, 92vw); }
@media (max-width: 40rem) {
  td, th { padding: .2rem .35rem; } td:first-child { min-width: 8rem; } td:has(svg[width="120"]) svg { width: 60px; }
}
pre { overflow-x: auto; padding: .8rem; background: #8881; font-size: 13px; }
"""
SCRIPT = """
let parsed;
const read = () => parsed ??= JSON.parse(document.getElementById("data").textContent);  // when first needed
const body = document.getElementById("rows");
function toggle(row) {
  const next = row.nextElementSibling;
  if (next && next.className === "chart") { next.remove(); return; }
  const chart = document.createElement("tr");
  chart.className = "chart";
  chart.innerHTML = `<td colspan="6">${read().charts[row.dataset.at]}</td>`;
  row.after(chart);
}
for (const table of document.querySelectorAll("tbody")) {
  table.addEventListener("click", event => { const row = event.target.closest("tr.open"); if (row) toggle(row); });
  table.addEventListener("keydown", event => {
    if (event.key === "Enter" && event.target.matches("tr.open")) toggle(event.target);
  });
}
document.getElementById("filter").addEventListener("input", event => {
  const words = event.target.value.toLowerCase().split(/\\s+/);
  for (const row of body.querySelectorAll("tr.chart")) row.remove();
  for (const row of body.rows) {
    const text = row.cells[0].textContent.toLowerCase();
    row.hidden = !words.every(word => text.includes(word));
  }
});
const heat = document.getElementById("heat");
if (heat) heat.addEventListener("mousemove", event => {
  const data = read(), box = heat.getBoundingClientRect();
  const run = Math.floor((event.clientX - box.left) / box.width * data.runs.length);
  const row = Math.floor((event.clientY - box.top) / box.height * data.heat.length);
  const known = data.heat[row] && data.runs[run];
  document.getElementById("named").textContent = known ? `${data.heat[row]}, ${data.runs[run]}` : "";
});
"""


class Shown(NamedTuple):
    """A series as the dashboard shows it."""

    series: Series
    points: list[Point]
    changes: list[Change]

    @property
    def name(self) -> str:
        metric = "" if self.series.metric == SECONDS else f" {self.series.metric}"
        return self.series.benchmark + metric

    @property
    def latest(self) -> Change | None:
        return self.changes[-1] if self.changes else None

    @property
    def regressed(self) -> bool:
        return bool(self.latest and suspects.worse(self.series.metric, self.latest.before, self.latest.after))

    def chart(self) -> str:
        values = [charts.Value(*point[:5]) for point in self.points]
        return charts.history(self.name, self.series.metric, values, self.changes)


def shown(history: History, last: int, detector: str = "scipy") -> list[Shown]:
    """Return all series of times, and those of counts that changed among the last runs."""
    found = []
    for series in history.series():
        points = history.points(series)[-last:]
        values = [point.value for point in points]
        if series.metric == SECONDS:
            found.append(Shown(series, points, change_points.change_points(values, detector=detector)))
        elif changes := change_points.exact_changes(values):
            found.append(Shown(series, points, changes))
    return found


def page(
    history: History, *, last: int = 100, latest: Run | None = None, report: str = "", detector: str = "scipy"
) -> str:
    """Return the page.

    Parameters
    ----------
    history : History
        What is shown.
    last : int
        Runs of each series.
    latest : Run, optional
        For the roofline: its benchmarks with operations and bytes.
    report : str
        The latest report, in Markdown.
    detector : str, optional
        Of `change_points.DETECTORS`.
    """
    rows = shown(history, last, detector)
    runs = history.runs()[-last:]
    by_change = sorted(rows, key=lambda row: -row.changes[-1].effect if row.changes else 0.0)
    data = {
        "charts": [row.chart() for row in rows],
        "runs": [f"{charts.day(run['started'])} {run['revision'][:12]}" for run in runs],
        "heat": [row.name for row in by_change],
    }
    parts = [
        _facts(history, rows, runs),
        _changes(rows),
        _heat(by_change, runs),
        _roofline(latest),
        f"<h2>Latest report</h2><pre>{escape(report)}</pre>" if report else "",
        _failures(history, runs),
        _table(rows),
    ]
    embedded = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")  # cannot end the script element
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Benchmarks</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{STYLE}</style></head>'
        f'<body><h1>Benchmarks</h1>{"".join(parts)}<script type="application/json" id="data">{embedded}</script>'
        f"<script>{SCRIPT}</script></body></html>\n"
    )


def _facts(history: History, rows: Sequence[Shown], runs: Sequence[dict]) -> str:
    regressed = sum(row.regressed for row in rows)
    failed = len(history.failures(runs[-1]["id"])) if runs else 0
    facts = [
        (len({row.series.benchmark for row in rows}), "benchmarks", ""),
        (len(runs), "runs", ""),
        (regressed, "worse after their latest change", "worse" if regressed else ""),
        (sum(bool(row.changes) and not row.regressed for row in rows), "better", "better"),
        (failed, "without values in the latest run", "worse" if failed else ""),
    ]
    cells = "".join(f'<div><b class="{style}">{value:,}</b>{text}</div>' for value, text, style in facts)
    return f'<div class="facts">{cells}</div>'


def _changes(rows: Sequence[Shown]) -> str:
    recent = [(at, row) for at, row in enumerate(rows) if row.changes]
    recent.sort(key=lambda each: (not each[1].regressed, -abs(each[1].changes[-1].effect)))
    heads = "<th>history</th><th>before</th><th>after</th><th>change</th><th>since</th>"
    body = "".join(_change_row(at, row) for at, row in recent[:MOST_CHANGES])
    more = f"<p>{len(recent) - MOST_CHANGES} more changed.</p>" if len(recent) > MOST_CHANGES else ""
    empty = "" if body else "<p>No level changed.</p>"
    return f"<h2>Latest changes</h2>{empty}{_scroll(heads, body) if body else ''}{more}"


def _scroll(heads: str, body: str, name: str = "") -> str:
    return (f'<div class="scroll"><table><thead><tr><th>benchmark</th>{heads}</tr></thead>'
            f'<tbody{name}>{body}</tbody></table></div>')  # fmt: skip


def _change_row(at: int, row: Shown) -> str:
    change = row.changes[-1]
    metric, style = row.series.metric, "worse" if row.regressed else "better"
    revision = row.points[change.position].revision[:10]
    return (
        f'<tr class="open" tabindex="0" data-at="{at}"><td>{escape(row.name)}</td>'
        f"<td>{charts.small([point.value for point in row.points])}</td>"
        f"<td>{charts.number(metric, change.before)}</td><td>{charts.number(metric, change.after)}</td>"
        f'<td class="{style}">{charts.percent(change.effect)}</td><td>{escape(revision)}</td></tr>'
    )


def _heat(rows: Sequence[Shown], runs: Sequence[dict]) -> str:
    if not rows or not runs:
        return ""
    columns = {run["id"]: at for at, run in enumerate(runs)}
    cells: list[list[float | None]] = []
    for row in rows:
        middle = statistics.median(point.value for point in row.points)
        line: list[float | None] = [None] * len(runs)
        for point in row.points:
            if point.run in columns:
                line[columns[point.run]] = point.value / middle if middle else 1.0 + point.value
        cells.append(line)
    return (
        "<h2>All benchmarks by run</h2><p>A row per benchmark, those that became worse first; a column per run. "
        "Relative to the row's median: "
        '<span class="worse">orange is more</span>, <span class="better">blue is less</span>, full colour from '
        f'{heat_map.WORST:.0%}.</p><img id="heat" alt="Heat map of {len(rows)} series in {len(runs)} runs" '
        f'src="{heat_map.image(cells)}"><div id="named"></div>'
    )


def _roofline(run: Run | None) -> str:
    kernels, precisions = [], set()
    for result in run.results if run else []:
        moved, seconds = result.work.bytes_read + result.work.bytes_written, result.seconds()
        if moved and result.work.flops and seconds:
            flops = result.work.flops / statistics.median(seconds)
            kernels.append(charts.Kernel(result.key, result.work.flops / moved, flops))
            precisions.add(result.work.precision)
    if run is None or not kernels:
        return ""
    device, known = run.environment.device or "this device", peaks.known(run.environment)
    rates = {
        operations: known.get(peaks.FLOPS[name], 0.0) for name, operations in PRECISIONS.items() if name in precisions
    }
    if known.get(peaks.BYTES) and any(rates.values()):
        roofs, bandwidth = {name: rate for name, rate in rates.items() if rate}, known[peaks.BYTES]
    else:
        roofs = {"the best of this run": max(each.flops for each in kernels)}
        bandwidth = max(each.flops / each.intensity for each in kernels)
    return f"<h2>Roofline of the latest run</h2>{charts.roofline(kernels, charts.Peak(roofs, bandwidth, device))}"


def _failures(history: History, runs: Sequence[dict]) -> str:
    failed = history.failures(runs[-1]["id"]) if runs else {}
    body = "".join(
        f"<tr><td>{escape(name)}</td><td>{escape(status)}</td><td>{escape(message)}</td></tr>"
        for name, (status, message) in failed.items()
    )
    heads = "<th>status</th><th>message</th>"
    return f"<h2>Without values in the latest run</h2>{_scroll(heads, body)}" if body else ""


def _table(rows: Sequence[Shown]) -> str:
    body = []
    for at, row in enumerate(rows):
        metric, values = row.series.metric, [point.value for point in row.points]
        noise = f"{change_points.noise(values):.2%}" if metric == SECONDS else "exact"
        change = row.latest
        style = "worse" if row.regressed else "better"
        cell = f'<td class="{style}">{charts.percent(change.effect)}</td>' if change else "<td></td>"
        body.append(
            f'<tr class="open" tabindex="0" data-at="{at}"><td>{escape(row.name)}</td>'
            f"<td>{charts.number(metric, values[-1])}</td>{cell}<td>{noise}</td><td>{len(values)}</td>"
            f"<td>{escape(row.series.machine)}</td></tr>"
        )
    heads = "<th>latest</th><th>last change</th><th>noise</th><th>runs</th><th>machine</th>"
    field = '<input id="filter" type="search" placeholder="Filter by name" aria-label="Filter by name">'
    table = _scroll(heads, "".join(body), ' id="rows"')
    return f"<h2>Benchmarks</h2><p>Click a row for its history.</p>{field}{table}"
