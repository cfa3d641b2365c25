# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""What the documentation says that the code can be asked about."""

import pathlib
import re

ROOT = pathlib.Path(__file__).parent.parent
SOURCES = ("cuda_bindings/cuda", "cuda_core/cuda", "cuda_cpu/cuda", "cuda_interop/cuda", "cuda_perf/cuda")


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


def pages():
    folders = (ROOT, ROOT / "docs", *(ROOT / "docs").glob("[!_]*/"), ROOT / "ci", ROOT / "ci/gpu", ROOT / "benchmarks")
    return [*(page for folder in folders for page in folder.glob("*.md")), ROOT / "cuda_cpu/cuda/cpu/README.md"]


def test_links_of_the_guides_lead_somewhere():
    dead = []
    for page in pages():
        for target in re.findall(r"\]\(([^)#:]+)(?:#[\w-]*)?\)", re.sub(r"`[^`]*`", "", page.read_text())):
            if "_generated/" not in target and not (page.parent / target).exists():  # Sphinx checks those
                dead.append(f"{page.name}: {target}")
    assert dead == []


def prose(text):
    """Yield the numbered lines of a page without code, tables and directives."""
    fence = ""
    for number, line in enumerate(text.splitlines(), 1):
        mark = re.match(r"\s*(`{3,}|:{3,})", line)
        if mark and (not fence or line.strip() == fence):
            fence = "" if fence else mark[1]
        elif not fence and not line.lstrip().startswith("|"):
            yield number, line


def test_lines_have_at_most_120_characters():
    assert list(prose("a\n```\nb\n```\n| c |\nd")) == [(1, "a"), (6, "d")]
    assert len(pages()) > 40
    long = []
    for page in pages():
        for number, line in prose(page.read_text()):
            if len(re.sub(r"https?://\S+", "", line)) > 120:
                long.append(f"{page.relative_to(ROOT)}:{number}")
    assert long == []


NAMED = re.compile(r"`([\w./]+/[\w.]+\.(?:py|pyx|pxd|c|h|md|toml|yml|json|txt))`")
WRITTEN = ("_generated/", "entry/_shell.c", "report/")  # by a build, by a program


def test_files_that_pages_name_exist():
    bases = [ROOT, ROOT / "cuda_cpu/cuda/cpu", ROOT / "cuda_core/cuda/core", ROOT / "cuda_bindings"]
    missing = []
    for page in pages():
        for path in NAMED.findall(page.read_text()):
            if not path.startswith(WRITTEN) and not any((base / path).exists() for base in (page.parent, *bases)):
                missing.append(f"{page.relative_to(ROOT)}: {path}")
    assert missing == []


def test_the_map_of_subsystems_names_what_the_files_contain():
    """In the rows "where ..." each `file` is followed by the names to look for in it."""
    wrong, found = [], 0
    for line in (ROOT / "docs/design/subsystems.md").read_text().splitlines():
        text = ""
        for name in re.findall(r"`([^`]+)`", line.split("|")[2]) if line.startswith("| where ") else ():
            file = next((base / name for base in (ROOT, ROOT / "cuda_cpu/cuda/cpu") if (base / name).is_file()), None)
            if file:
                text = file.read_text()
            elif text and not name.endswith((".pyx", "/")):
                found += 1
                wrong += [name] if name.rpartition(".")[2] not in text else []
    assert found > 10
    assert wrong == []


def test_pages_about_problems_name_the_report():
    for page in ("docs/install.md", "docs/errors.md", "SECURITY.md", ".github/ISSUE_TEMPLATE/bug_report.md"):
        assert "python -m cuda.core" in (ROOT / page).read_text(), page
