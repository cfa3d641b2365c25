# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0

import pytest

from cuda.core import Program, ProgramOptions, _bundled_headers

pytestmark = pytest.mark.needs_nvrtc

SOURCE = '#include <cuda_fp16.h>\nextern "C" __global__ void f(__half *x) { *x = __float2half(1); }'


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    _bundled_headers.folder.cache_clear()
    yield tmp_path
    _bundled_headers.folder.cache_clear()


def test_headers_are_unpacked_into_the_users_cache(cache, monkeypatch):
    monkeypatch.chdir(cache)
    Program(SOURCE, "c++", ProgramOptions(arch="sm_90", use_bundled_headers=True)).compile("ptx")
    (folder,) = (cache / "open-cuda-python").iterdir()
    assert (folder / "cuda_fp16.h").exists()
    assert folder.stat().st_mode & 0o777 == 0o700
    assert [entry.name for entry in cache.iterdir()] == ["open-cuda-python"]


def test_false_leaves_the_headers_out(cache):
    with pytest.raises(Exception, match=r"could not open source file \"cuda_fp16.h\""):
        Program(SOURCE, "c++", ProgramOptions(arch="sm_90", use_bundled_headers=False)).compile("ptx")


def test_folder_that_others_may_write_is_refused(cache):
    from pathlib import Path

    path = Path(_bundled_headers.folder())
    _bundled_headers.folder.cache_clear()
    path.chmod(0o777)
    with pytest.raises(RuntimeError, match="others may write to"):
        _bundled_headers.folder()


def test_folder_that_cannot_be_made_is_named(cache):
    (cache / "open-cuda-python").write_text("a file")
    with pytest.raises(RuntimeError, match="include_path"):
        _bundled_headers.folder()
