# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Exchange histories as JSON lines: one object for each row, runs before what belongs to them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

from cuda.perf.atomic import replaced
from cuda.perf.history import History, HistoryError

# Tables and their columns; "run" is exchanged as the digest of the run.
TABLES = {
    "runs": ("digest", "started", "revision", "label", "machine", "environment", "source"),
    "points": ("benchmark", "metric", "run", "value", "low", "high", "number"),
    "failures": ("run", "benchmark", "status", "message"),
    "lines": ("run", "benchmark", "counts"),
    "verdicts": ("benchmark", "metric", "machine", "revision", "verdict", "details"),
}


def export(history: History, path: str | os.PathLike[str]) -> int:
    """Write all rows to a file, which is replaced when all are written; return their number."""
    number = 0
    with replaced(path) as file:
        for table, row in _rows(history):
            file.write(json.dumps({"table": table, **row}, allow_nan=False) + "\n")
            number += 1
    return number


def _rows(history: History) -> Iterator[tuple[str, dict[str, Any]]]:
    for table, columns in TABLES.items():
        names = ", ".join("runs.digest" if name == "run" else f"{table}.{name}" for name in columns)
        joined = " JOIN runs ON run = runs.id" if "run" in columns else ""
        for row in history.rows(f"SELECT {names} FROM {table}{joined}"):
            yield table, dict(zip(columns, row, strict=True))


def load(history: History, path: str | os.PathLike[str]) -> int:
    """Add the rows of a file that the history lacks, in one transaction; return how many runs were new.

    Raises
    ------
    HistoryError
        A line is damaged; nothing is added.
    """
    with open(path, encoding="utf-8") as file, history.transaction():
        known = {digest for (digest,) in history.rows("SELECT digest FROM runs")}
        fresh: dict[str, int] = {}
        for number, line in enumerate(file, 1):
            try:
                row = json.loads(line)
                columns = TABLES[row.pop("table")]
                if set(row) != set(columns):
                    raise ValueError(f"has the columns {', '.join(row)} instead of {', '.join(columns)}")
                _add(history, columns, row, known, fresh)
            except (ValueError, KeyError, TypeError, AttributeError, UnicodeDecodeError) as error:
                raise HistoryError(f"{path}, line {number} is no row of a history: {error}") from None
    return len(fresh)


def _add(
    history: History, columns: tuple[str, ...], row: dict[str, Any], known: set[str], fresh: dict[str, int]
) -> None:
    table = next(name for name, each in TABLES.items() if each == columns)
    digest = row.get("digest", row.get("run"))
    if digest in known:
        return
    if "run" in columns:
        row["run"] = fresh[row["run"]]  # KeyError: a run that the file does not have
    history.insert(f"{table} ({', '.join(columns)})", [tuple(row[name] for name in columns)])
    if table == "runs":
        fresh[row["digest"]] = history.rows("SELECT id FROM runs WHERE digest = ?", row["digest"])[0][0]
