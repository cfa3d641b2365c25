# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Where `cc -fopenmp` finds LLVM's OpenMP library."""

import sys

import pytest

from cuda.core._program._clang import _openmp


@pytest.fixture
def add(tmp_path, monkeypatch):
    """Return a function that adds a file to a system without OpenMP, and returns its path."""
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "environment"))
    monkeypatch.setattr(sys, "base_prefix", str(tmp_path / "environment"))

    def add(name: str) -> str:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        return str(path)

    return add


def find(tmp_path, folders=(), library_folders=()):
    return _openmp.find(list(folders), list(library_folders), str(tmp_path / "usr"))


def test_the_newest_package_of_the_system_is_taken(add, tmp_path):
    assert find(tmp_path) is None
    add("usr/lib/llvm-9/lib/libomp.so")
    add("usr/lib/llvm-9/lib/clang/9/include/omp.h")
    header = add("usr/lib/llvm-19/lib/clang/19/include/omp.h")
    library = add("usr/lib/llvm-19/lib/libomp.so")
    assert find(tmp_path) == (header, library)


@pytest.mark.parametrize("folder", ["lib", "lib64", "lib/x86_64-linux-gnu"])
def test_folders_of_distributions(add, tmp_path, folder):
    header = add("usr/lib/clang/21/include/omp.h")
    assert find(tmp_path) is None
    library = add(f"usr/{folder}/libomp.so")
    assert find(tmp_path) == (header, library)


def test_the_environment_of_python_comes_first(add, tmp_path):
    add("usr/lib/llvm-19/lib/libomp.so")
    add("usr/lib/llvm-19/lib/clang/19/include/omp.h")
    header, library = add("environment/include/omp.h"), add("environment/lib/libomp.so")
    assert find(tmp_path) == (header, library)


def test_options_name_folders(add, tmp_path):
    library, header = add("there/libomp.so"), add("here/omp.h")
    assert find(tmp_path, [tmp_path / "here"]) is None
    assert find(tmp_path, [tmp_path, tmp_path / "here"], [tmp_path / "there"]) == (header, library)
    add("usr/lib/libomp.so")
    other = add("usr/include/omp.h")
    assert find(tmp_path, [], [tmp_path / "there"]) == (other, library)
