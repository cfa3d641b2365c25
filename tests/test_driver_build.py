# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The build backend of the distribution `cuda-cpu`, without building."""

import pathlib
import sys
import tomllib

import pytest

ROOT = pathlib.Path(__file__).parents[1]


@pytest.fixture(scope="module")
def driver_build():
    sys.path.insert(0, str(ROOT / "cuda_cpu"))
    try:
        import driver_build
    finally:
        sys.path.remove(str(ROOT / "cuda_cpu"))
    return driver_build


def test_paths_are_relative_to_cuda_cpu(driver_build):
    hooks = driver_build.here()
    assert [extension.name for extension in hooks.extensions()] == ["cuda.cpu.runtime._runtime"]
    assert set(hooks.packages()) == {name for name in driver_build.project.packages() if name.startswith("cuda.cpu")}
    assert "cuda/cpu/entry/libcuda.so.1" in hooks.LIBRARIES
    for patterns in hooks.LIBRARIES.values():
        assert any((ROOT / "cuda_cpu").glob(patterns[0])), patterns


def test_files_of_the_project_are_copied_and_removed(driver_build):
    with driver_build.prepared():
        for name in driver_build.SHARED:
            assert (ROOT / "cuda_cpu" / name).read_bytes() == (ROOT / name).read_bytes()
    assert not any((ROOT / "cuda_cpu" / name).exists() for name in driver_build.SHARED)


def test_both_distributions_have_one_version():
    versions = {
        tomllib.loads((ROOT / folder / "pyproject.toml").read_text())["project"]["version"]
        for folder in (".", "cuda_cpu")
    }
    assert len(versions) == 1


def test_a_missing_compiler_is_reported_before_downloads(driver_build, monkeypatch):
    monkeypatch.setenv("CC", "no-such-cc")
    with pytest.raises(SystemExit, match="compiler 'no-such-cc' is not found"):
        driver_build.get_requires_for_build_wheel()
