# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The committed record of the instructions that tests run matches the instruction table and covers all of it."""

from __future__ import annotations

from support.instruction_record import name_of, recorded

from cuda.cpu.ptx.instructions import table

ADVICE = "run `nox -s instructions` and commit docs/instructions_run.txt"


def test_the_record_lists_the_rows_of_the_table():
    rows = {name_of(row) for rows in table().values() for row in rows if row.family}
    assert rows == set(recorded()), ADVICE


def test_every_supported_form_is_run_by_a_test():
    assert not [name for name, count in recorded().items() if count == 0], ADVICE


def test_unsupported_rows_are_not_in_the_record():
    refused = {name_of(row) for rows in table().values() for row in rows if not row.family}
    assert refused
    assert refused.isdisjoint(recorded())
