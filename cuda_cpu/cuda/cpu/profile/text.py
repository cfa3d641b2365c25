# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Profiles as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cuda.cpu.profile.advice import advice_of
from cuda.cpu.profile.data import Entry, lines_of, process_of
from cuda.cpu.profile.metrics import METRICS

HOT = 8  # lines with the most instructions that are shown


def report(data: dict[str, Any], metrics: list[str] | None = None) -> str:
    """Return a report of all launches: their metrics, hot lines and advice, or the given metrics only."""
    if not data["launches"]:
        return "No launch of a profiled kernel was recorded.\n"
    lines = [process] if (process := process_of(data)) else []
    return "\n".join([*lines, *(line for entry in data["launches"] for line in _launch(entry, metrics))]) + "\n"


def dimensions(of: list[int]) -> str:
    """Return the size of a grid or block: 128, or 32x4x1."""
    return str(of[0]) if of[1:] == [1, 1] else "x".join(map(str, of))


def title(entry: Entry) -> str:
    numbers = entry["numbers"]
    which = f"launch {numbers[0]}" if len(numbers) == 1 else f"{len(numbers)} launches like number {numbers[0]}"
    shared = f", {entry['shared_bytes']} bytes of shared memory" if entry["shared_bytes"] else ""
    fault = f", ended early: {entry['fault']}" if entry["fault"] else ""
    return f"{entry['kernel']}<<<{dimensions(entry['grid'])}, {dimensions(entry['block'])}>>>{shared} ({which}{fault})"


def number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"


def _launch(entry: Entry, metrics: list[str] | None) -> Iterator[str]:
    yield title(entry)
    if metrics is not None:
        width = max(map(len, metrics), default=0)
        for name in metrics:
            yield f"  {name:{width}}  {number(entry['metrics'][name])} {METRICS[name].unit}"
        yield ""
        return
    for name, text in summary(entry):
        yield f"  {name:16} {text}"
    lines = lines_of(entry)
    total = sum(line.warps for line in lines) or 1
    hot = sorted(lines, key=lambda line: -line.warps)[:HOT]
    advised = advice_of(entry, lines)
    shown = [line for line in lines if line in hot or line.key in advised]
    width = max((len(line.name_in(entry)) for line in shown), default=0)
    with_sectors = any(line.sectors_per_request for line in shown)
    yield f"  {'line':{width}} instructions   share" + ("  sectors/request" if with_sectors else "")
    for line in shown:
        sectors = f"{line.sectors_per_request or '':15}  " if with_sectors else ""
        share = f"{100 * line.warps / total:6.1f} %  "
        yield f"  {line.name_in(entry):{width}} {line.warps:12,} {share}{sectors}{line.text[:80]}"
        for text in advised.get(line.key, ()):
            yield f"  {'':{width}}   -> {text}"
    yield ""


def summary(entry: Entry) -> list[tuple[str, str]]:
    """Return names and texts of the values that matter most."""
    value = entry["metrics"]

    def sectors(kind: str) -> str:
        base = f"pipe_lsu_mem_global_op_{kind}"
        return (
            f"{number(value[f'l1tex__t_sectors_{base}.sum'])} sectors in "
            f"{number(value[f'l1tex__t_requests_{base}.sum'])} requests "
            f"({value[f'l1tex__average_t_sectors_per_request_{base}.ratio']:.1f} each)"
        )

    active = value["ptx__thread_inst_executed_per_inst_executed.ratio"]
    branches, divergent = value["ptx__inst_executed_op_branch.sum"], value["ptx__branch_divergent.sum"]
    found = [
        ("instructions", f"{number(value['ptx__inst_executed.sum'])} of warps, with {active:.1f} of 32 threads active"),
        ("branches", f"{number(branches)}, {number(divergent)} divergent"),
    ]
    for kind, name in (
        ("ld", "global loads"),
        ("st", "global stores"),
        ("atom", "global atomics"),
        ("red", "global red"),
    ):
        if value[f"l1tex__t_requests_pipe_lsu_mem_global_op_{kind}.sum"]:
            found.append((name, sectors(kind)))
    excess, requests = global_requests(entry)
    if requests:
        found.append(("uncoalesced", f"{number(excess)} of {number(requests)} global requests"))
    if value["ptx__requests_mem_shared.sum"]:
        found.append((
            "shared memory",
            f"{number(value['ptx__wavefronts_mem_shared.sum'])} passes for "
            f"{number(value['ptx__requests_mem_shared.sum'])} requests, "
            f"{number(value['l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum'])} by bank conflicts",
        ))  # fmt: skip
    for kind, name in (("ld", "TMA loads"), ("st", "TMA stores"), ("red", "TMA reductions")):
        if value.get(f"ptx__requests_tma_mem_global_op_{kind}.sum"):
            base = f"tma_mem_global_op_{kind}.sum"
            found.append((
                name,
                f"{number(value[f'ptx__sectors_{base}'])} sectors in {number(value[f'ptx__requests_{base}'])} copies, "
                f"{number(value[f'ptx__bytes_{base}'])} bytes",
            ))  # fmt: skip
    if value["ptx__flops.sum"]:
        found.append((
            "arithmetic",
            f"{number(value['ptx__flops.sum'])} floating-point operations, "
            f"{value['ptx__arithmetic_intensity.ratio']:.2f} per byte",
        ))  # fmt: skip
    full = entry["occupancy"]
    found.append((
        "occupancy",
        f"{100 * full['share']:.0f} % of {full['architecture']}, limited by {full['limiter']} (without registers)",
    ))  # fmt: skip
    return found


def global_requests(entry: Entry) -> tuple[int, int]:
    """Return how many requests of global memory are uncoalesced, and how many there are."""
    accesses = [
        access for each in entry["instructions"] for access in each["accesses"]
        if access["space"] == "global" and access["kind"] in ("ld", "st", "atom", "red")
    ]  # fmt: skip
    return sum(each["excess"] for each in accesses), sum(each["requests"] for each in accesses)


def difference(before: dict[str, Any], after: dict[str, Any]) -> str:
    """Return the metrics that differ between two profiles, by launch.

    Launches are compared by kernel, grid, block and position among those with the same: a change of a kernel often
    changes its shared memory.
    """
    old, new = _by_position(before), _by_position(after)
    out = []
    for key in dict.fromkeys([*old, *new]):
        if key not in old or key not in new:
            out += [f"{title(new.get(key) or old[key])}: only in the {'second' if key in new else 'first'} profile", ""]
            continue
        a, b = old[key]["metrics"], new[key]["metrics"]
        changed = [name for name in METRICS if a.get(name) != b.get(name)]
        out.append(f"{title(new[key])}: {'no difference' if not changed else ''}".rstrip(": "))
        for name in changed:
            ratio = f"  x {b[name] / a[name]:.3f}" if a.get(name) and name in b else ""
            out.append(f"  {name:64} {number(a.get(name, 0)):>16} -> {number(b.get(name, 0)):>16}{ratio}")
        out.append("")
    return "\n".join(out) + "\n"


def _by_position(data: dict[str, Any]) -> dict[tuple[Any, ...], Entry]:
    found: dict[tuple[Any, ...], Entry] = {}
    for entry in data["launches"]:
        configuration = entry["kernel"], *map(tuple, (entry["grid"], entry["block"]))
        position = sum(key[:-1] == configuration for key in found)
        found[*configuration, position] = entry
    return found
