# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
import os
import shutil
import time
from importlib import import_module
from pathlib import Path

import pytest
from support.scripts import run_checked

from cuda.core import ObjectCode
from cuda.core._program._program_cache import _name
from cuda.core.utils import FileStreamProgramCache, InMemoryProgramCache, ProgramCacheResource

HEADER = 40  # bytes of a file before its entry


def path_of(cache: FileStreamProgramCache, key: str) -> Path:
    return Path(cache._opened.path) / _name(key)


@pytest.fixture(params=["memory", "file"])
def cache(request, tmp_path):
    with (
        InMemoryProgramCache() if request.param == "memory" else FileStreamProgramCache(tmp_path / "new" / "c") as made
    ):
        yield made


def test_get_set_and_delete_entries(cache):
    assert isinstance(cache, ProgramCacheResource)
    cache["a"] = b"one"
    cache[b"b"] = ObjectCode.from_cubin(b"two")
    cache.update({"c": memoryview(b"three"), b"empty": bytearray()})
    cache.update([("a", b"four")])
    assert (cache[b"a"], cache["b"], cache["c"], cache["empty"]) == (b"four", b"two", b"three", b"")
    assert len(cache) == 4
    assert "a" in cache
    assert "d" not in cache
    assert cache.get("d") is None
    assert cache.get("d", b"default") == b"default"
    del cache["a"]
    for use in (lambda: cache["a"], lambda: cache.__delitem__("a")):
        with pytest.raises(KeyError):
            use()
    cache.clear()
    assert len(cache) == 0
    assert cache.get("b") is None


def test_wrong_arguments(cache, tmp_path):
    with pytest.raises(TypeError, match=r"^key must be bytes or str, not int$"):
        cache[1] = b""
    with pytest.raises(TypeError, match=r"^a cache keeps bytes or an ObjectCode, not str$"):
        cache["a"] = "text"
    with pytest.raises(TypeError, match="not iterable"):
        list(cache)
    assert len(cache) == 0
    for kind in (InMemoryProgramCache, lambda **size: FileStreamProgramCache(tmp_path / "x", **size)):
        with pytest.raises(ValueError, match=r"^max_size_bytes must be at least 1, or None, not 0$"):
            kind(max_size_bytes=0)
        with pytest.raises(TypeError, match=r"^max_size_bytes must be an int or None, not bool$"):
            kind(max_size_bytes=True)
    assert not (tmp_path / "x").exists()


def test_the_least_recently_used_entries_are_evicted(tmp_path):
    for cache, each in (
        (InMemoryProgramCache(max_size_bytes=30), 0),
        (FileStreamProgramCache(tmp_path, max_size_bytes=30 + 3 * HEADER), HEADER),
    ):
        for number, name in enumerate("abc"):
            cache[name] = bytes(10)
            if each:  # the clock of a file system may be coarse
                os.utime(path_of(cache, name), (number, number))
        assert cache["a"] == bytes(10)
        cache["d"] = bytes(10)
        assert [name for name in "abcd" if name in cache] == ["a", "c", "d"]
        cache["large"] = bytes(31 + 3 * each)
        assert len(cache) == 0


def test_a_damaged_file_counts_as_missing(tmp_path):
    cache = FileStreamProgramCache(tmp_path)
    for damage in (
        lambda data: data[:-1] + b"X",
        lambda data: data[:5],
        lambda data: b"",
        lambda data: b"V" + data[1:],
    ):
        cache["a"] = b"code"
        path = path_of(cache, "a")
        path.write_bytes(damage(path.read_bytes()))
        assert cache.get("a") is None
        assert not path.exists()


def test_the_folder_must_be_private(tmp_path, monkeypatch):
    cache = FileStreamProgramCache(tmp_path / "made")
    cache["a"] = b"1"
    assert (tmp_path / "made").stat().st_mode & 0o777 == 0o700
    assert path_of(cache, "a").stat().st_mode & 0o777 == 0o600
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o707)
    with pytest.raises(PermissionError, match=r"path: .*may write to it by its mode .*, .* with mode 0700: '.*/open'$"):
        FileStreamProgramCache(tmp_path / "open")
    (tmp_path / "file").touch()
    with pytest.raises(FileExistsError):
        FileStreamProgramCache(tmp_path / "file")
    (tmp_path / "above").mkdir()
    (tmp_path / "above").chmod(0o707)
    with pytest.raises(PermissionError, match=r"may write to it by its mode .*, .*/above'$"):
        FileStreamProgramCache(tmp_path / "above" / "cache")
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    with pytest.raises(PermissionError, match=r"belongs to somebody else"):
        FileStreamProgramCache(tmp_path / "made")


def test_a_closed_cache_or_removed_folder_is_reopened(tmp_path):
    cache = FileStreamProgramCache(tmp_path / "c")
    cache["a"] = b"1"
    cache.close()
    assert cache["a"] == b"1"
    shutil.rmtree(tmp_path / "c")
    assert cache.get("a") is None
    cache["a"] = b"2"
    assert cache["a"] == b"2"


def test_replacing_a_symbolic_link_does_not_redirect_the_cache(tmp_path):
    for name in ("mine", "planted"):
        FileStreamProgramCache(tmp_path / name)["a"] = name.encode()
    (tmp_path / "link").symlink_to("mine")
    cache = FileStreamProgramCache(tmp_path / "link")
    (tmp_path / "link").unlink()
    (tmp_path / "link").symlink_to("planted")
    assert cache["a"] == b"mine"


def test_both_packages_have_the_same_folders():
    """Neither package imports the other, so each contains the module, which is one file in the source tree."""
    own, other = import_module("cuda.core._program._cache_folder"), pytest.importorskip("cuda.cpu.cache_folder")
    assert Path(own.__file__).read_bytes() == Path(other.__file__).read_bytes()


def test_default_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    FileStreamProgramCache()["a"] = b"1"
    assert len(FileStreamProgramCache(tmp_path / "open-cuda-python" / "programs")) == 1


def test_clear_removes_abandoned_temporary_files_only(tmp_path):
    cache = FileStreamProgramCache(tmp_path)
    for name, age in ((".new-old", 7200), (".new-fresh", 0), ("mine.txt", 7200)):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (time.time() - age,) * 2)
    cache["a"] = b"1"
    cache.clear()
    assert sorted(os.listdir(tmp_path)) == [".new-fresh", "mine.txt"]


def test_a_failed_write_leaves_no_temporary_file(tmp_path, monkeypatch):
    cache = FileStreamProgramCache(tmp_path)
    cache["a"] = b"old"

    def full(*names, **folders):
        raise OSError("no space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="no space"):
        cache["a"] = b"new"
    assert cache["a"] == b"old"
    assert len(os.listdir(tmp_path)) == 1


WORK = """
    import sys
    from cuda.core.utils import FileStreamProgramCache
    cache = FileStreamProgramCache(sys.argv[1], max_size_bytes=20_000)
    for turn in range(150):
        for name in "abcdefgh":
            cache[name] = (name * 1000 + str(turn)).encode()
            found = cache.get("hgfedcba"[turn % 8])
            assert found is None or found[:1000] == found[:1] * 1000
    print("done")
"""


def test_processes_share_a_folder(tmp_path):
    from concurrent.futures import ThreadPoolExecutor

    text = WORK.replace("sys.argv[1]", repr(str(tmp_path)))
    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(run_checked, [text] * 3)) == ["done\n"] * 3
    assert all(not name.startswith(".new-") for name in os.listdir(tmp_path))
