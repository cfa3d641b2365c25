# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0

import os
import pathlib

import pytest

from cuda import pathfinder
from cuda.bindings import nvrtc
from cuda.core import Program, ProgramOptions
from cuda.core._program import _bundled_headers, _compiler_build

pytestmark = pytest.mark.of_nvrtc

SOURCE = '#include <cuda_fp16.h>\nextern "C" __global__ void f(__half *x) { *x = __float2half(1); }'


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path


@pytest.mark.needs_recent_nvrtc
def test_headers_are_unpacked_into_the_users_cache(cache, monkeypatch):
    monkeypatch.chdir(cache)
    Program(SOURCE, "c++", ProgramOptions(arch="sm_90", use_bundled_headers=True)).compile("ptx")
    (folder,) = (cache / "open-cuda-python").iterdir()
    assert (folder / "cuda_fp16.h").exists()
    assert folder.stat().st_mode & 0o777 == 0o700
    assert [entry.name for entry in cache.iterdir()] == ["open-cuda-python"]


@pytest.fixture
def old_nvrtc(monkeypatch):
    monkeypatch.setattr(nvrtc, "nvrtcVersion", lambda: (0, 13, 2))


def test_packages_have_the_headers_for_an_older_nvrtc(old_nvrtc):
    options = ProgramOptions(arch="sm_90", use_bundled_headers=True).as_bytes("NVRTC")
    folders = [pathlib.Path(os.fsdecode(option).removeprefix("--include-path=")) for option in options[1:]]
    assert (folders[0] / "cuda_fp16.h").exists()
    assert (folders[1] / "cuda/std/atomic").exists()


def test_an_older_nvrtc_without_packages(old_nvrtc, monkeypatch):
    monkeypatch.setattr(pathfinder, "find_nvidia_header_directory", lambda name: None)
    with pytest.raises(RuntimeError, match=r"NVRTC 13\.2 carries no headers, 13\.3 is the first that does; install"):
        ProgramOptions(arch="sm_90", use_bundled_headers=True).as_bytes("NVRTC")


def test_false_leaves_the_headers_out(cache):
    with pytest.raises(Exception, match=r"could not open source file \"cuda_fp16.h\""):
        Program(SOURCE, "c++", ProgramOptions(arch="sm_90", use_bundled_headers=False)).compile("ptx")


def test_a_folder_writable_by_others_is_refused(cache):
    path = pathlib.Path(_bundled_headers.folder())
    for folder in (path, path.parent):
        folder.chmod(0o777)
        with pytest.raises(RuntimeError, match=f"{folder}: .*may write to it by its mode .*, .*; set XDG_CACHE_HOME"):
            _bundled_headers.folder()
        folder.chmod(0o700)
    assert _bundled_headers.folder() == str(path)


def test_the_returned_path_has_no_symbolic_links(cache, monkeypatch):
    (cache / "data").mkdir()
    (cache / "link").symlink_to("data")
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache / "link"))
    assert _bundled_headers.folder().startswith(str(cache / "data"))


def test_each_compiler_build_has_its_own_folder(cache, monkeypatch):
    first = _bundled_headers.folder()
    monkeypatch.setattr(_compiler_build, "of", lambda api: "another")
    assert _bundled_headers.folder() != first


def test_the_error_names_a_folder_that_cannot_be_created(cache):
    (cache / "open-cuda-python").write_text("a file")
    with pytest.raises(RuntimeError, match="include_path"):
        _bundled_headers.folder()
