# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The build backend, as far as it can be tried without building."""

import base64
import hashlib
import platform
import sysconfig

import pytest

import build_hooks


@pytest.mark.parametrize(("system", "machine"), [("Windows", "AMD64"), ("Darwin", "arm64"), ("Linux", "riscv64")])
def test_other_systems_are_refused_in_one_sentence(monkeypatch, system, machine):
    monkeypatch.setattr(platform, "system", lambda: system)
    monkeypatch.setattr(platform, "machine", lambda: machine)
    with pytest.raises(SystemExit, match=rf"^open-cuda-python runs on Linux .+; this is {system} {machine}\.$"):
        build_hooks.get_requires_for_build_wheel()


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_our_systems_are_accepted(monkeypatch, machine):
    monkeypatch.setattr(platform, "machine", lambda: machine)
    build_hooks.check_platform()


@pytest.mark.parametrize("ask", [build_hooks.get_requires_for_build_wheel, build_hooks.get_requires_for_build_editable])
def test_a_missing_compiler_stops_the_build_before_downloads(monkeypatch, ask):
    monkeypatch.setenv("CC", "no-such-cc -pthread")
    with pytest.raises(SystemExit, match=r"compiler 'no-such-cc' is not found; .*apt-get install gcc python3-dev"):
        ask()


def test_missing_headers_of_python_stop_the_build_before_downloads(monkeypatch, tmp_path):
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path))
    with pytest.raises(SystemExit, match=rf"Python.h of {tmp_path}; .*apt-get install gcc python3-dev(.|\n)*Python.h"):
        build_hooks.get_requires_for_build_wheel()


def test_an_sdist_needs_no_compiler(monkeypatch):
    monkeypatch.setenv("CC", "no-such-cc")
    build_hooks.get_requires_for_build_sdist()


def test_the_list_of_generated_sources_is_the_generators():
    main = pytest.importorskip("codegen.__main__")
    assert set(build_hooks.GENERATED) == set(main.generated())


def test_headers_are_asked_for_only_where_sources_are_absent(monkeypatch, tmp_path):
    monkeypatch.setattr(build_hooks, "ROOT", tmp_path)
    assert any(need.startswith("libclang") for need in build_hooks.get_requires_for_build_sdist())
    for path in build_hooks.GENERATED:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("")
    assert build_hooks.get_requires_for_build_sdist() == []


def test_packages_leave_the_namespace_to_nobody():
    found = build_hooks.packages()
    assert {"cuda.bindings", "cuda.core", "cuda.cpu"} <= set(found)
    assert "cuda" not in found
    assert not any(name.startswith(("codegen", "cuda.pathfinder")) for name in found)


def test_every_extension_is_named_by_its_place():
    for extension in build_hooks.extensions():
        folder, _, stem = extension.name.rpartition(".")
        suffix = "c" if extension.name == build_hooks.UTILITY else "pyx"  # one that Cython itself writes
        assert extension.sources[0] == f"{build_hooks.packages()[folder]}/{stem}.{suffix}"


def test_the_runtime_is_built_anew_for_its_headers():
    runtime = next(each for each in build_hooks.extensions() if each.name == "cuda.cpu.runtime._runtime")
    assert {f"{build_hooks.CPU}/runtime/{name}" for name in ("exec/worker.h", "_runtime.pxd")} <= set(runtime.depends)


def test_record_has_digest_and_size():
    digest = base64.urlsafe_b64encode(hashlib.sha256(b"abc").digest()).decode().rstrip("=")
    assert build_hooks.record({"a": b"abc"}, "own").decode() == f"a,sha256={digest},3\nown,,\n"
