# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The stubs say of each built module what is there: names, arguments, kinds of classes."""

import json
import pathlib
import subprocess
import sys

import pytest

NAMES = json.loads((pathlib.Path(__file__).parents[1] / "codegen" / "api_names.json").read_text())


def test_stubs_match_the_modules():
    pytest.importorskip("mypy")
    modules = [f"cuda.bindings.{name}" for name in NAMES]
    command = [sys.executable, "-m", "mypy.stubtest", "--concise", *modules]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    # Fields are descriptors, whose values have the stub's types; __all__ is made when it is asked for.
    known = ("differs from runtime type cuda.bindings._struct.Field", ".__all__ is not present in stub")
    lines = done.stdout.splitlines()
    assert [line for line in lines if not line.endswith(known)] == [], done.stderr
    assert len(lines) > 100  # it did compare
