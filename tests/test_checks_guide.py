# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Guides of commands: their files and commands in their order, as a reader would follow them."""

import os
import pathlib
import re
import subprocess
import sys

import pytest
from support.consoles import FENCE, FILE, commands, matches

pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

pytestmark = [pytest.mark.needs_nvrtc, pytest.mark.cpu_only]

GUIDES = pathlib.Path(__file__).parent.parent / "docs/guides"
PLUGIN = "-c /dev/null --rootdir . -p no:cacheprovider -p cuda.cpu.pytest_plugin"  # whether or not it is installed


def run(command, folder):
    command = re.sub(r"\bpytest -q", f"{sys.executable} -m pytest -q {PLUGIN}", command)
    command = re.sub(r"(^|(?<= ))python\b", sys.executable, command)
    variables = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    done = subprocess.run(
        command, shell=True, cwd=folder, capture_output=True, text=True, timeout=110,
        env=variables | {"CUDA_PYTHON_DRIVER": "cpu", "COLUMNS": "80"},
    )  # fmt: skip
    return done.stdout + done.stderr


@pytest.mark.parametrize(("name", "count"), [("checks_in_ci.md", 7), ("perf.md", 3)])
def test_the_guide_does_what_it_says(tmp_path, name, count):
    if name == "perf.md":
        pytest.importorskip("scipy", reason="cuda.perf's statistics need SciPy, of the extra perf")
    page, ran = (GUIDES / name).read_text(), []
    for language, text in FENCE.findall(page):
        named = FILE.match(text)
        if language == "console":
            for command, shown in commands(text):
                printed = run(command, tmp_path)
                assert matches(shown, printed), f"{command} prints:\n{printed}\ninstead of:\n{shown}"
                ran.append(command)
        elif named:
            (tmp_path / named[1]).write_text(text.partition("\n")[2])
    assert len(ran) >= count
    steps = [step for step in re.findall(r"- run: (.*)", page) if not step.startswith("pip ")]
    assert steps
    assert all(any(command.partition(";")[0].endswith(step) for command in ran) for step in steps)


def test_matching():
    assert matches("a ... c\n", "a b\n c")
    assert not matches("a ... c", "a b d")
