# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""What keeps a tag from being released: small trees with one flaw each."""

import pathlib

import pytest

check = pytest.importorskip("ci.release.check", reason="runs in a checkout")
ROOT = pathlib.Path(__file__).parents[2]
CHANGELOG = """\
# Changelog

## 1.2.0 (2026-03-04)

### Added

- A thing.

## 1.1.0 (2026-01-02)

- Another thing.
"""
PROJECT = '[project]\nversion = "1.2.0"\nclassifiers = ["Private :: Do Not Upload"]\n'


@pytest.fixture
def tree(tmp_path):
    """Return a tree that can be released as v1.2.0."""
    for path in ("pyproject.toml", "cuda_cpu/pyproject.toml", "compat/cuda-core/pyproject.toml"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(PROJECT)
    (tmp_path / "CHANGELOG.md").write_text(CHANGELOG)
    return tmp_path


def test_a_good_tree(tree):
    assert list(check.problems(tree, "v1.2.0")) == []


@pytest.mark.parametrize("tag", ["1.2.0", "v1.2", "v1.2.0-rc1", "v1.2.0.dev0", "main"])
def test_other_tags(tree, tag):
    assert list(check.problems(tree, tag)) == [f"the tag {tag!r} is not of the form v1.2.3 or v1.2.3rc1"]


@pytest.mark.parametrize(
    ("path", "old", "new", "problem"),
    [
        ("pyproject.toml", "1.2.0", "1.3.0", "pyproject.toml has version 1.3.0, the tag 1.2.0"),
        ("cuda_cpu/pyproject.toml", "1.2.0", "1.1.0", "cuda_cpu/pyproject.toml has version 1.1.0, the tag 1.2.0"),
        (
            "compat/cuda-core/pyproject.toml",
            "Private :: Do Not Upload",
            "Typing :: Typed",
            "compat/cuda-core is named as a distribution of NVIDIA and lacks 'Private :: Do Not Upload'",
        ),
        ("CHANGELOG.md", "## 1.2.0", "## 1.2.1", "the newest entry of CHANGELOG.md is 1.2.1, the tag 1.2.0"),
        ("CHANGELOG.md", "## 1", "# 1", "the newest entry of CHANGELOG.md is nothing, the tag 1.2.0"),
        (
            "CHANGELOG.md",
            "2026-03-04",
            "unreleased",
            "the entry 1.2.0 of CHANGELOG.md says (unreleased), not (YYYY-MM-DD)",
        ),
        (
            "CHANGELOG.md",
            "2026-03-04",
            "9000-01-01",
            "the entry 1.2.0 of CHANGELOG.md has a date in the future: 9000-01-01",
        ),
        ("CHANGELOG.md", "- A thing.\n", "", "the entry 1.2.0 of CHANGELOG.md lists no change"),
        ("CHANGELOG.md", "## 1.1.0", "## 1.2.0", "CHANGELOG.md has two entries of one version"),
    ],
)
def test_one_flaw(tree, path, old, new, problem):
    (tree / path).write_text((tree / path).read_text().replace(old, new))
    assert list(check.problems(tree, "v1.2.0")) == [problem]


def test_the_command_writes_the_notes(tree, capsys):
    notes = tree / "notes.md"
    assert check.main(["v1.2.0", "--notes", str(notes)], root=tree) == 0
    assert notes.read_text() == "### Added\n\n- A thing.\n"
    notes.unlink()
    assert check.main(["v1.3.0", "--notes", str(notes)], root=tree) == 1
    assert not notes.exists()
    assert "pyproject.toml has version 1.2.0, the tag 1.3.0" in capsys.readouterr().err


def test_this_tree_is_consistent():
    """All but the date, which is written when a version is released."""
    version = check.HEADING.search((ROOT / "CHANGELOG.md").read_text())["version"]
    remaining = [problem for problem in check.problems(ROOT, f"v{version}") if "unreleased" not in problem]
    assert remaining == []
