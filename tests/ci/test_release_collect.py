# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""What a release consists of: completeness, hashes, the conda recipe and what it says about dependencies."""

import hashlib
import pathlib
import re
import shutil
import subprocess
import tomllib

import pytest

collect = pytest.importorskip("ci.release.collect", reason="runs in a checkout")
ROOT = pathlib.Path(__file__).parents[2]
RECIPE = (ROOT / "ci/conda/recipe.yaml").read_text()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


@pytest.fixture
def dist(tmp_path):
    """Return a folder with the (empty) files of a complete release 1.2.0."""
    for name in ("open_cuda_python", "cuda_cpu"):
        (tmp_path / f"{name}-1.2.0.tar.gz").touch()
        for python in ("cp311-cp311", "cp312-cp312", "cp313-cp313", "cp314-cp314", "cp314-cp314t"):
            for machine in ("x86_64", "aarch64"):
                (tmp_path / f"{name}-1.2.0-{python}-manylinux_2_27_{machine}.whl").touch()
    return tmp_path


def test_a_complete_release(dist):
    assert len(list(dist.iterdir())) == 22
    assert collect.missing(dist, "1.2.0") == []


@pytest.mark.parametrize(
    ("file", "missing"),
    [
        ("cuda_cpu-1.2.0.tar.gz", "cuda_cpu-1.2.0.tar.gz"),
        ("cuda_cpu-1.2.0-cp313-cp313-manylinux_2_27_x86_64.whl", "cuda_cpu-1.2.0-cp313-cp313-*x86_64.whl"),
        ("cuda_cpu-1.2.0-cp314-cp314t-manylinux_2_27_aarch64.whl", "cuda_cpu-1.2.0-cp314-cp314t-*aarch64.whl"),
    ],
)
def test_a_missing_file(dist, file, missing):
    (dist / file).unlink()
    assert collect.missing(dist, "1.2.0") == [missing]
    assert collect.main([str(dist), str(dist / "other"), "--tag", "v1.2.0"]) == 1
    assert not (dist / "other").exists()


def test_two_wheels_for_one_python(dist):
    (dist / "cuda_cpu-1.2.0-cp311-cp311-manylinux_2_28_x86_64.whl").touch()
    assert collect.missing(dist, "1.2.0") == ["cuda_cpu-1.2.0-cp311-cp311-*x86_64.whl"]


@pytest.mark.skipif(shutil.which("sha256sum") is None, reason="needs sha256sum")
def test_the_hashes_are_those_of_sha256sum(tmp_path):
    (tmp_path / "a.whl").write_bytes(b"one")
    (tmp_path / "b.whl").write_bytes(b"two")
    (tmp_path / "SHA256SUMS").write_text(collect.sums([tmp_path / "b.whl", tmp_path / "a.whl"]))
    command = ["sha256sum", "--check", "--strict", "SHA256SUMS"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env={"LC_ALL": "C"})
    assert done.stdout == "a.whl: OK\nb.whl: OK\n"


def test_the_recipe_of_a_release(tmp_path):
    (tmp_path / "sdist.tar.gz").write_bytes(b"sources")
    text = collect.recipe(RECIPE, "1.2.0", tmp_path / "sdist.tar.gz")
    assert '  version: "1.2.0"\n' in text
    assert "  version: ${{ version }}\n" in text
    assert f"  sha256: {hashlib.sha256(b'sources').hexdigest()}\n" in text
    changed = [new for old, new in zip(RECIPE.splitlines(), text.splitlines(), strict=True) if old != new]
    assert len(changed) == 2


def requirements(section):
    """Return the requirements of a section of the recipe, as pyproject.toml writes them."""
    block = RECIPE.partition(f"  {section}:\n")[2]
    lines = re.match(r"(?: {4}.*\n)+", block)[0].splitlines()
    items = [line.partition("#")[0].strip().removeprefix("- ").replace(" ", "") for line in lines]
    return {item for item in items if item not in ("", "python", "pip")}


def test_the_recipe_has_the_requirements_of_pyproject():
    project = PROJECT["project"]
    assert requirements("run") == {*project["dependencies"], *project["optional-dependencies"]["cpu"]}
    assert requirements("host") == {each.lower() for each in PROJECT["build-system"]["requires"]}
    assert f'  version: "{project["version"]}"\n' in RECIPE
    assert f'match(python, "<{project["requires-python"].removeprefix(">=")}")' in RECIPE
    assert f"  summary: {project['description'].partition(':')[0]}\n" in RECIPE
    assert all(f"    - {licence}\n" in RECIPE for licence in project["license-files"])


def test_the_wheels_of_containers_are_those_of_the_command():
    """cibuildwheel's settings, of both distributions, and `python -m ci.wheels` name the same Pythons."""
    toolchain = pytest.importorskip("ci.wheels.toolchain")
    expected = [f"cp{version.replace('.', '')}-*" for version in toolchain.VERSIONS]
    for path in ("pyproject.toml", "cuda_cpu/pyproject.toml"):
        settings = tomllib.loads((ROOT / path).read_text())["tool"]["cibuildwheel"]
        assert settings["build"] == expected
        for machine in toolchain.MACHINES:
            assert settings[f"manylinux-{machine}-image"] == "manylinux_{}_{}".format(*toolchain.GLIBC)
