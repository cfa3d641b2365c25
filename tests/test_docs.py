# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""What the documentation says that the code can be asked about."""

import pathlib
import re

ROOT = pathlib.Path(__file__).parent.parent
SOURCES = ("cuda_bindings/cuda", "cuda_core/cuda", "cuda_cpu/cuda")


def test_every_environment_variable_is_documented():
    read = set()
    for folder in SOURCES:
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in (".py", ".pyx"):
                read |= set(re.findall(r"[\"'](CUDA_(?:CPU|PYTHON)_[A-Z_]+)[\"']", path.read_text()))
    documented = set(re.findall(r"`(CUDA_(?:CPU|PYTHON)_[A-Z_]+)`", (ROOT / "docs/cpu.md").read_text()))
    assert read == documented


def test_every_example_is_shown():
    shown = set(re.findall(r"\.\./examples/(\w+\.py)", (ROOT / "docs/examples.md").read_text()))
    assert shown == {path.name for path in (ROOT / "examples").glob("*.py")} - {"make_picture.py"}


def test_links_of_the_guides_lead_somewhere():
    docs = ROOT / "docs"
    pages = [*ROOT.glob("*.md"), *docs.glob("*.md"), *docs.glob("[!_]*/*.md"), *(ROOT / "ci").rglob("*.md")]
    dead = []
    for page in pages:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[\w-]*)?\)", re.sub(r"`[^`]*`", "", page.read_text())):
            if not (page.parent / target).exists():
                dead.append(f"{page.name}: {target}")
    assert dead == []
