# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The build backend without building, and the lists of APIs, headers and versions that several files repeat."""

import base64
import hashlib
import importlib
import json
import os
import pathlib
import platform
import runpy
import subprocess
import sys
import sysconfig
import time
import tomllib

import pytest
import setuptools

import build_hooks
import cuda.bindings
from cuda.bindings import _loader, driver
from cuda.cpu.compile import machines

ROOT = pathlib.Path(__file__).parents[1]


@pytest.mark.parametrize(("system", "machine"), [("Windows", "AMD64"), ("Darwin", "arm64"), ("Linux", "riscv64")])
def test_other_systems_are_refused(monkeypatch, system, machine):
    monkeypatch.setattr(platform, "system", lambda: system)
    monkeypatch.setattr(platform, "machine", lambda: machine)
    with pytest.raises(SystemExit, match=rf"^open-cuda-python runs on Linux .+; this is {system} {machine}\.$"):
        build_hooks.get_requires_for_build_wheel()


@pytest.mark.parametrize("machine", [each.name for each in machines.MACHINES])
def test_supported_systems_are_accepted(monkeypatch, machine):
    monkeypatch.setattr(platform, "machine", lambda: machine)
    build_hooks.check_platform()


@pytest.mark.parametrize("ask", [build_hooks.get_requires_for_build_wheel, build_hooks.get_requires_for_build_editable])
def test_a_missing_compiler_is_reported_before_downloads(monkeypatch, ask):
    monkeypatch.setenv("CC", "no-such-cc -pthread")
    with pytest.raises(SystemExit, match=r"compiler 'no-such-cc' is not found; .*apt-get install gcc python3-dev"):
        ask()


def test_missing_python_headers_are_reported_before_downloads(monkeypatch, tmp_path):
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path))
    with pytest.raises(SystemExit, match=rf"Python.h of {tmp_path}; .*apt-get install gcc python3-dev(.|\n)*Python.h"):
        build_hooks.get_requires_for_build_wheel()


@pytest.mark.parametrize("path", ["setup.py", "cuda_cpu/setup.py"])
def test_worker_processes_can_import_setup(path, monkeypatch):
    """Cython's workers import the main script if they are not forked (Python 3.14); they must not build, too."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr("setuptools.setup", lambda **_: pytest.fail("importing the script runs setup()"))
    runpy.run_path(str(ROOT / path), run_name="__mp_main__")


def test_an_sdist_needs_no_compiler(monkeypatch):
    monkeypatch.setenv("CC", "no-such-cc")
    build_hooks.get_requires_for_build_sdist()


def test_generated_sources_are_those_of_the_generator():
    main = pytest.importorskip("codegen.__main__")
    assert set(build_hooks.GENERATED) == set(main.generated())


def test_every_list_of_apis_is_the_generators(monkeypatch):
    apis = list(pytest.importorskip("codegen.apis").APIS)
    assert list(build_hooks.APIS) == apis
    assert json.loads((ROOT / "tests/codegen/api_names.json").read_text()).keys() == set(apis)
    assert _loader.OPENERS.keys() | _loader.COMPONENTS.keys() == set(apis)
    monkeypatch.syspath_prepend(ROOT / "docs")
    assert set(apis) <= importlib.import_module("bindings_pages").TITLES.keys()


def test_generated_sources_are_ignored_by_git():
    done = subprocess.run(["git", "check-ignore", *build_hooks.GENERATED], cwd=ROOT, capture_output=True, text=True)
    if "not a git repository" in done.stderr:
        pytest.skip("not a git checkout")
    assert sorted(done.stdout.splitlines()) == sorted(build_hooks.GENERATED)


def test_tests_use_the_headers_of_the_build():
    extra = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]["test"]
    assert set(build_hooks.HEADER_NEEDS) <= set(extra)


def test_bindings_have_the_version_of_the_headers():
    release = f"{driver.CUDA_VERSION // 1000}.{driver.CUDA_VERSION % 1000 // 10}"
    assert cuda.bindings.__version__.startswith(f"{release}.")
    # The header and runtime packages have CUDA's version, but for cuFile and what is no part of CUDA.
    needs = [need.partition("==")[::2] for need in build_hooks.HEADER_NEEDS]
    assert {version for name, version in needs if version and name != "nvidia-cufile"} == {f"{release}.*"}


def test_header_packages_are_required_only_for_the_headers_of_a_toolkit(monkeypatch, tmp_path):
    monkeypatch.setattr(build_hooks, "ROOT", tmp_path)
    assert build_hooks.get_requires_for_build_sdist() == []
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    assert any(need.startswith("libclang") for need in build_hooks.get_requires_for_build_sdist())
    for path in build_hooks.GENERATED:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("")
    assert build_hooks.get_requires_for_build_sdist() == []


def test_sources_are_written_without_headers_and_libclang():
    """In another process, which cannot import clang and finds no headers."""
    text = (
        "import sys; sys.modules['clang'] = None; from codegen import __main__ as it, apis; "
        "apis.include_path = list; print(len(it.generated()))"
    )
    folder = ROOT / "cuda_bindings"
    done = subprocess.run([sys.executable, "-c", text], cwd=folder, capture_output=True, text=True)
    assert done.stdout == f"{len(build_hooks.GENERATED)}\n", done.stderr


def test_cuda_is_a_namespace_package():
    found = build_hooks.packages()
    assert {"cuda.bindings", "cuda.core", "cuda.cpu"} <= set(found)
    assert "cuda" not in found
    assert not any(name.startswith(("codegen", "cuda.pathfinder")) for name in found)


def test_extensions_are_named_by_their_paths():
    for extension in build_hooks.extensions():
        folder, _, stem = extension.name.rpartition(".")
        suffix = "c" if extension.name == build_hooks.UTILITY else "pyx"  # one that Cython itself writes
        assert extension.sources[0] == f"{build_hooks.packages()[folder]}/{stem}.{suffix}"


def test_current_output_of_cython_is_used(monkeypatch, tmp_path):
    """Only if it is newer than all sources, and of the same version of Cython."""
    Cython = pytest.importorskip("Cython", reason="Cython is not installed")
    folder = tmp_path / "cuda_core" / "cuda"
    folder.mkdir(parents=True)
    for name in ("one.pyx", "two.pyx", "three.pxd"):
        (folder / name).touch()
    monkeypatch.setattr(build_hooks, "ROOT", tmp_path)
    modules = [setuptools.Extension(f"cuda.{name}", [f"cuda_core/cuda/{name}.pyx", "x.c"]) for name in ("one", "two")]
    assert build_hooks.written_sources(modules) == {}
    future = time.time() + 1000
    for name in ("one.c", "two.c"):
        (folder / name).write_text(f"/* Generated by Cython {Cython.__version__} */\n")
        os.utime(folder / name, (future, future))
    expected = {f"cuda.{name}": [f"cuda_core/cuda/{name}.c", "x.c"] for name in ("one", "two")}
    assert build_hooks.written_sources(modules) == expected
    os.utime(folder / "three.pxd", (future, future))
    assert build_hooks.written_sources(modules) == {}
    os.utime(folder / "three.pxd", (1, 1))
    (folder / "two.c").write_text("/* Generated by Cython 0.1 */\n")
    os.utime(folder / "two.c", (future, future))
    assert build_hooks.written_sources(modules) == {}


def test_the_runtime_is_rebuilt_when_its_headers_change():
    runtime = next(each for each in build_hooks.extensions() if each.name == "cuda.cpu.runtime._runtime")
    assert {f"{build_hooks.CPU}/runtime/{name}" for name in ("exec/worker.h", "_runtime.pxd")} <= set(runtime.depends)


def test_record_has_digest_and_size():
    digest = base64.urlsafe_b64encode(hashlib.sha256(b"abc").digest()).decode().rstrip("=")
    assert build_hooks.record({"a": b"abc"}, "own").decode() == f"a,sha256={digest},3\nown,,\n"
