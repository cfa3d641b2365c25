# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Rules for all source files: licence headers, generated files, sizes, constructs that must not be used."""

import ast
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parent.parent
CODE = {".py", ".pyi", ".pyx", ".pxd", ".pxi", ".c", ".h", ".S", ".toml", ".sh", ".yml"}
# Paths whose files have at most MOST_LINES lines, and whose functions at most MOST_LINES_OF_A_FUNCTION.
SIZED = (
    "cuda_bindings",
    "cuda_core",
    "cuda_cpu",
    "cuda_interop",
    "cuda_perf",
    "tests",
    "build_hooks.py",
    "setup.py",
)
MOST_LINES, MOST_LINES_OF_A_FUNCTION = 500, 60
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


def test_test_files_have_different_names():
    """pytest imports them by name: a second one of a name stops the whole run."""
    names = [path.name for path in committed_files() if path.name.startswith("test_") and path.suffix == ".py"]
    assert len(names) > 300
    assert sorted(name for name in set(names) if names.count(name) > 1) == []


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


def functions(path):
    """Yield the name and the first and last line of each function of a file."""
    if path.suffix == ".py":
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield node.name, node.lineno, node.end_lineno
        return
    # C and Cython: a body ends where a line has the indentation of the head again.
    head = (
        r"( *)(?:cp?def|def) (?!class\b|extern\b).*\b(\w+)\("
        if path.suffix in (".pyx", ".pxd")
        else r"()[a-zA-Z_].*?\b(\w+)\("
    )
    name, start, last, depth, inside = "", 0, 0, 0, False
    for number, line in enumerate(path.read_text().splitlines(), 1):
        indentation = len(line) - len(line.lstrip())
        if inside and line.strip() and indentation <= depth and not line.strip().startswith((")", "{")):
            yield name, start, number if line == "}" else last
            inside = False
        if not inside and (match := re.match(head, line)) and not line.rstrip().endswith(";"):
            name, start, depth, inside = match[2], number, len(match[1]), True
        last = number if line.strip() else last
    if inside:
        yield name, start, last


def docstring_lines(path):
    """Return the numbers of the lines of docstrings of Python and Cython: literals that begin a line with three quotes.

    They are the reference of the API and make no code harder to read, so that they do not count.
    """
    inside, docstring, found = False, False, set()
    if path.suffix in (".py", ".pyi", ".pyx", ".pxd"):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            docstring = docstring if inside else bool(re.match(r'\s*[rR]?"""', line))
            if docstring:
                found.add(number)
            inside ^= line.count('"""') % 2 == 1
    return found


def test_files_and_functions_are_short():
    files = [
        path
        for path in committed_files()
        if path.suffix in {".py", ".pyi", ".pyx", ".pxd", ".c", ".h"} and str(path.relative_to(ROOT)).startswith(SIZED)
    ]
    assert len(files) > 100
    lengths = {}
    for path in files:
        documented = docstring_lines(path)
        length = len(path.read_text().splitlines()) - len(documented)
        if length > MOST_LINES:
            lengths[str(path.relative_to(ROOT))] = length
        for name, first, last in functions(path):
            length = len(set(range(first, last + 1)) - documented)
            if length > MOST_LINES_OF_A_FUNCTION:
                lengths[f"{path.relative_to(ROOT)}:{first} {name}"] = length
    assert lengths == {}


def test_docstrings_do_not_count(tmp_path):
    text = '"""Module."""\n\ndef f():\n    r"""One.\n\n    Two.\n    """\n    x = """\n"""\n    y = 1\n'
    (tmp_path / "a.pyx").write_text(text)
    assert docstring_lines(tmp_path / "a.pyx") == {1, 4, 5, 6, 7}


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.py", "def f(\n    a,\n):\n    return 1\n\n\nx = 1\n", [("f", 1, 4)]),
        ("a.pyx", "cdef int f(int a,\n           int b) except -1:\n    return 1\n\n\nx = 1\n", [("f", 1, 3)]),
        ("a.pyx", "cdef class A:\n    def g(self):\n        pass\n\n    x = 1\n", [("g", 2, 3)]),
        ("a.c", "static int f(int a)\n{\n    return g(a);\n}\nint h(void);\n", [("f", 1, 4)]),
    ],
)
def test_functions_are_measured(tmp_path, name, text, expected):
    (tmp_path / name).write_text(text)
    assert list(functions(tmp_path / name)) == expected


MOST_HELPERS_AS_TEXT = 16  # functions of LLVM IR that are written as text: this number only shrinks


def test_llvm_ir_is_made_by_typed_operations():
    """Outside of `emit/llvm`, instructions are made by the builder's operations, which check types."""
    package = ROOT / "cuda_cpu" / "cuda" / "cpu"
    files = [
        path
        for folder in ("emit", "check", "counters")
        for path in package.glob(f"{folder}/**/*.py")
        if not path.is_relative_to(package / "emit" / "llvm")
    ]
    assert len(files) > 60
    texts = {str(path.relative_to(package)): path.read_text() for path in files}
    raw = {name: re.findall(r".*\.(?:line|assign)\(.*", text) for name, text in texts.items()}
    assert {name: lines for name, lines in raw.items() if lines} == {}
    assert sum(len(re.findall(r"\.define\(", text)) for text in texts.values()) <= MOST_HELPERS_AS_TEXT
