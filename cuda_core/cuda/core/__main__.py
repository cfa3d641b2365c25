# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Report on the environment: `python -m cuda.core`, with ``--json`` for programs."""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from typing import Any


def _line(facts: dict[str, Any]) -> str:
    """Return a section's facts as one line."""
    if "error" in facts:
        return f"not available: {facts['error']}"
    details = [str(facts[key]) for key in ("path", "kind", "from") if facts.get(key)]
    archs = facts.get("architectures")
    if archs:
        details.append(f"for {archs[0]} to {archs[-1]}")
    return " ".join([facts["version"], f"({', '.join(details)})"]) if facts.get("version") else ", ".join(details)


def report(facts: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the lines of the report as name and value."""
    python, system = facts["python"], facts["system"]
    yield "cuda.core", facts["cuda.core"]
    yield (
        "python",
        f"{python['version']} ({python['executable']}{', free-threaded' if python['free_threaded'] else ''})",
    )
    yield "system", f"{system['name']} {system['release']}, {system['machine']}"
    for package, version in facts["packages"].items():
        yield package, version or "not installed"
    yield from facts["variables"].items()
    yield "driver", ("" if "error" in facts["driver"] else "CUDA ") + _line(facts["driver"])
    for name, library in facts["libraries"].items():
        yield name, _line(library)
    if not facts["devices"]:
        yield "devices", "not available: there is none"
    for device in facts["devices"]:
        yield (
            f"device {device['ordinal']}",
            f"{device['name']}, compute capability {device['compute_capability']}, "
            f"{device['multiprocessors']} multiprocessors, {device['pci_bus_id']}, uuid {device['uuid']}",
        )
    for problem in facts["problems"]:
        yield "PROBLEM", problem


def main() -> None:
    """Print the report."""
    parser = argparse.ArgumentParser(prog="python -m cuda.core", description="Report on the environment.")
    parser.add_argument("--json", action="store_true", help="print it as JSON")
    arguments = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # the report contains what the warnings would say
        from cuda.core._utils._environment import environment

        facts = environment()
    if arguments.json:
        import json

        print(json.dumps(facts, indent=2))
        return
    for name, value in report(facts):
        print(f"{name:22} {value}")


if __name__ == "__main__":
    main()
