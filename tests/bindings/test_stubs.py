# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The stubs of the built modules, generated and hand-written: names, arguments, kinds of classes, by stubtest."""

import pathlib
import re
import subprocess
import sys

import pytest

import cuda.bindings

FOLDER = pathlib.Path(cuda.bindings.__file__).parent
# Fields are descriptors, whose values have the stub's types; __all__ is created when it is read; the rest is of Cython.
EXPECTED = re.compile(
    r".*( differs from runtime type cuda\.bindings\._struct\.Field|\.__all__ is not present in stub"
    r"|\.__(test|pyx_capi|reduce_cython|setstate_cython)__ is not present in stub"
    r"|is a disjoint base at runtime, but isn't marked with @disjoint_base in the stub)"
)


def test_stubs_match_the_modules():
    pytest.importorskip("mypy")
    modules = sorted(f"cuda.bindings.{path.stem}" for path in FOLDER.glob("*.pyi"))
    assert {"cuda.bindings.driver", "cuda.bindings._struct"} <= set(modules)
    command = [sys.executable, "-m", "mypy.stubtest", "--concise", *modules]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    reported = done.stdout.splitlines()
    assert [message for message in reported if not EXPECTED.fullmatch(message)] == [], done.stderr
    assert len(reported) > 100  # it did compare
