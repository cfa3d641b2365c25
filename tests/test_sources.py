# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""What holds for every file of the project."""

import ast
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parent.parent
CODE = {".py", ".pyi", ".pyx", ".pxd", ".pxi", ".c", ".h", ".S", ".toml", ".sh", ".yml"}
WITHOUT_LICENCE = {"pyproject.toml"}  # read by tools; its `license` field says it


def committed_files():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode != 0:
        pytest.skip("not a git checkout")
    return [ROOT / line for line in listed.stdout.splitlines() if (ROOT / line).exists()]


def test_every_source_file_has_an_spdx_header():
    def lacks(path):
        text = path.read_text()
        head = "\n".join(text.splitlines()[:4])
        named = "SPDX-FileCopyrightText: 2026" in head and "SPDX-License-Identifier: Apache-2.0" in head
        return bool(text.strip()) and not named

    sources = [path for path in committed_files() if path.suffix in CODE and path.name not in WITHOUT_LICENCE]
    assert sources
    assert [str(path.relative_to(ROOT)) for path in sources if lacks(path)] == []


def test_no_generated_file_is_committed():
    import build_hooks

    committed = {str(path.relative_to(ROOT)) for path in committed_files()}
    assert committed.isdisjoint(build_hooks.GENERATED)


def test_nothing_is_put_off():
    word = "TO" + "DO"
    put_off = [path for path in committed_files() if path.suffix in CODE and word in path.read_text().split()]
    assert put_off == []


def test_possessive_groups_are_not_used():
    """Python before 3.11.5 matches `(?:...)*+` and `(?>...)` wrongly where the group has alternatives."""

    def patterns(path):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value

    sources = [path for path in committed_files() if path.suffix == ".py" and path != pathlib.Path(__file__)]
    wrong = [
        (str(path.relative_to(ROOT)), pattern)
        for path in sources
        for pattern in patterns(path)
        if re.search(r"\(\?[:>P=!<]", pattern) and re.search(r"\(\?>|(?<!\\)\)[*+?]\+|(?<!\\)\)\{[\d,]+\}\+", pattern)
    ]
    assert wrong == []
