# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The guide "Catch a regression": a planted regression is detected, bisected and reported by the guide's commands."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest
from support.consoles import FENCE, commands, matches, write_files

from benchmarks import planted_regression

pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")
pytest.importorskip("scipy", reason="the extra `perf` is not installed")

pytestmark = [
    pytest.mark.needs_nvrtc,
    pytest.mark.cpu_only,
    pytest.mark.skipif(shutil.which("git") is None, reason="Git is not installed"),
]

PAGE = pathlib.Path(__file__).parent.parent / "docs/guides/catch_a_regression.md"


def run(command, folder):
    bare = re.sub(r"(^|\")python\b", lambda found: found[1] + sys.executable, command)
    search = os.pathsep.join([str(folder / "scratch"), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        bare, shell=True, cwd=folder, capture_output=True, text=True, timeout=300,
        env=os.environ | {"CUDA_PYTHON_DRIVER": "cpu", "PYTHONPATH": search},
    )  # fmt: skip
    return done.stdout + done.stderr


@pytest.mark.timeout(600)
def test_the_guide_does_what_it_says(tmp_path):
    text = PAGE.read_text()
    write_files(text, tmp_path)
    planted_regression.make(tmp_path / "scratch")
    ran = []
    for language, console in FENCE.findall(text):
        if language == "console":
            for command, shown in commands(console):
                printed = run(command, tmp_path)
                assert matches(shown, printed), f"{command} prints:\n{printed}\ninstead of:\n{shown}"
                ran.append(command)
    assert len(ran) >= 12
    (planted,) = re.findall(r"```diff\n(.*)\n```", text)
    assert planted in (tmp_path / "report.md").read_text()
    steps = [step for step in re.findall(r"- run: (.*)", text) if not step.startswith("pip ")]
    assert steps
    assert set(steps) <= set(ran)


def test_the_guide_names_the_commands():
    from cuda.perf.__main__ import COMMANDS

    text = PAGE.read_text()
    assert all(f"`{name}`" in text for name in COMMANDS if name != "environment")
