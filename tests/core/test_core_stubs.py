# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The hand-written stubs of cuda.core agree with the compiled modules: names, arguments and defaults, by stubtest."""

import pathlib
import re
import subprocess
import sys

import pytest

import cuda.core

FOLDER = pathlib.Path(cuda.core.__file__).parent
MODULES = sorted(
    ".".join(["cuda.core", *path.relative_to(FOLDER).with_suffix("").parts]) for path in FOLDER.rglob("*.pyi")
)
# Attributes that Cython adds; classes constructed only by methods of others; Launcher is called by vectorcall.
EXPECTED = re.compile(
    r".*(\.__(test|pyx_capi|reduce_cython|setstate_cython)__ is not present in stub"
    r"|is a disjoint base at runtime, but isn't marked with @disjoint_base in the stub"
    r'|\.__init__ is inconsistent, stub does not have \*args parameter "args"'
    r"|_launcher\.Launcher\.__call__ is not present at runtime"
    r"|_event\.Event\.__rsub__ is not present in stub)"  # C has one slot for both operands
)


def reported(*arguments, cwd=None):
    command = [sys.executable, "-m", "mypy.stubtest", "--concise", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=cwd)


def is_private_function(message):
    """Stubs list the names that other modules import; names used only inside the module need not be in them."""
    name, _, rest = message.partition(" ")
    return rest == "is not present in stub" and name.rpartition(".")[0] in MODULES


def test_stubs_match_the_modules():
    pytest.importorskip("mypy")
    assert len(MODULES) > 22
    done = reported(*MODULES)
    messages = done.stdout.splitlines()
    assert [each for each in messages if not EXPECTED.fullmatch(each) and not is_private_function(each)] == []
    assert len(messages) > 50, done.stderr  # it did compare


def test_a_wrong_signature_is_detected(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "example.py").write_text("def f(size, *, stream): ...\n")
    (tmp_path / "example.pyi").write_text("def f(nbytes: int, *, stream: object) -> None: ...\n")
    assert "f is inconsistent" in reported("example", cwd=tmp_path).stdout
