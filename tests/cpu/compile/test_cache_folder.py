# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Folders of cache entries: what another user could do to them, and what is left when a disk is full."""

from __future__ import annotations

import contextlib
import errno
import grp
import os
import pwd
import resource
import shutil
import signal
import socket
import subprocess
import sys
import types
import warnings
from pathlib import Path

import pytest

from cuda.cpu import cache_folder
from cuda.cpu.cache_folder import CacheFolder, UnsafeFolderError, checked_path
from cuda.cpu.compile import cache

MAGIC = b"test0001"
OTHER = 12345  # a user id that is not ours
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can make files of other users")


@pytest.fixture
def folder(tmp_path: Path):
    opened = CacheFolder(str(tmp_path / "cache"), MAGIC)
    yield opened
    opened.close()


def test_a_folder_is_made_and_keeps_entries(folder: CacheFolder, tmp_path: Path) -> None:
    assert (tmp_path / "cache").stat().st_mode & 0o777 == 0o700
    folder.store("a", b"one")
    folder.store("a", b"two")
    assert (folder.find("a"), folder.find("b"), folder.names()) == (b"two", None, ["a"])
    assert (tmp_path / "cache" / "a").stat().st_mode & 0o777 == 0o600
    folder.remove("a")
    with pytest.raises(FileNotFoundError):
        folder.remove("a")


@pytest.mark.parametrize(("age", "noted"), [(0, False), (0.5, False), (2, True), (-2, True)])
def test_uses_within_a_tick_are_noted_once(
    folder: CacheFolder, tmp_path: Path, age: float, noted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.store("a", b"one")
    entry, now = tmp_path / "cache" / "a", 10**18
    before = now - int(age * cache_folder.TICK)
    os.utime(entry, ns=(before, before))
    monkeypatch.setattr(cache_folder, "time", types.SimpleNamespace(time_ns=lambda: now))
    assert folder.find("a") == b"one"
    assert (entry.stat().st_mtime_ns != before) == noted


def test_relative_paths_and_parents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert checked_path("a/.././/b/") == str(tmp_path / "b")
    (tmp_path / "b" / "c").mkdir()
    monkeypatch.chdir(tmp_path / "b" / "c")
    assert checked_path("../../d") == str(tmp_path / "d")
    if os.geteuid() == 0:
        assert checked_path("../" * 40) == "/"


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o1777])
@pytest.mark.parametrize("which", ["parent", "parent/cache"])
def test_a_component_that_others_may_write_to_is_refused(
    tmp_path: Path, which: str, mode: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "parent" / "cache").mkdir(parents=True, mode=0o700)
    (tmp_path / "parent").chmod(0o700)
    (tmp_path / which).chmod(mode)
    path = str(tmp_path / "parent" / "cache")
    if mode == 0o1777 and which == "parent" and os.geteuid() == 0:  # root's own sticky folder, as /tmp
        CacheFolder(path, MAGIC).close()
        return
    monkeypatch.setattr(grp, "getgrgid", lambda gid: grp.struct_group(("staff", "x", gid, ["somebody"])))
    who = f"its group {os.getegid()}" if mode == 0o770 else "all users"
    with pytest.raises(UnsafeFolderError, match=f"{who} may write to it by its mode {mode:04o}") as caught:
        CacheFolder(path, MAGIC)
    assert caught.value.filename == str(tmp_path / which)


@needs_root
def test_another_group_than_the_owner_s_is_refused(tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    os.chown(tmp_path / "cache", -1, OTHER)
    (tmp_path / "cache").chmod(0o770)
    with pytest.raises(UnsafeFolderError, match=f"its group {OTHER} may write to it"):
        CacheFolder(str(tmp_path / "cache"), MAGIC)


@pytest.mark.parametrize("umask", [0o002, 0o007, 0o022, 0o077])
def test_folders_made_with_any_umask_are_accepted(tmp_path: Path, umask: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the umask 002, what other programs made is writable by the user's private group; what we make is not."""
    user, group = pwd.getpwuid(os.geteuid()), os.getegid()
    monkeypatch.setattr(pwd, "getpwuid", lambda uid: pwd.struct_passwd((*user[:3], group, *user[4:])))
    monkeypatch.setattr(pwd, "getpwall", lambda: [user])
    monkeypatch.setattr(grp, "getgrgid", lambda gid: grp.struct_group((user.pw_name, "x", gid, [])))
    before = os.umask(umask)
    try:
        (tmp_path / ".cache").mkdir()
        opened = CacheFolder(str(tmp_path / ".cache" / "a" / "b"), MAGIC)
        opened.store("c", b"1")
    finally:
        os.umask(before)
    with contextlib.closing(opened):
        assert opened.find("c") == b"1"
    assert (tmp_path / ".cache").stat().st_mode & 0o777 == 0o777 & ~umask
    for made in (".cache/a", ".cache/a/b"):
        assert (tmp_path / made).stat().st_mode & 0o777 == 0o700
    assert (tmp_path / ".cache/a/b/c").stat().st_mode & 0o777 == 0o600


@needs_root
@pytest.mark.parametrize("which", ["parent", "parent/cache"])
def test_a_component_of_somebody_else_is_refused(tmp_path: Path, which: str) -> None:
    (tmp_path / "parent" / "cache").mkdir(parents=True)
    os.chown(tmp_path / which, OTHER, OTHER)
    with pytest.raises(UnsafeFolderError, match="belongs to somebody else") as caught:
        CacheFolder(str(tmp_path / "parent" / "cache"), MAGIC)
    assert caught.value.filename == str(tmp_path / which)


@needs_root
@pytest.mark.parametrize("own", [True, False])
def test_links_are_followed_if_nobody_else_could_have_made_them(tmp_path: Path, own: bool) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "link").symlink_to("data")
    (tmp_path / "absolute").symlink_to(tmp_path / "link")
    if not own:
        os.chown(tmp_path / "link", OTHER, OTHER, follow_symlinks=False)
        with pytest.raises(UnsafeFolderError, match=r"belongs to somebody else.*/link'$"):
            checked_path(str(tmp_path / "absolute" / "cache"))
    else:
        assert checked_path(str(tmp_path / "absolute" / "cache")) == str(tmp_path / "data" / "cache")


def test_links_in_a_ring_end(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(OSError, match="symbolic links") as caught:
        checked_path(str(tmp_path / "a"))
    assert caught.value.errno == errno.ELOOP


def test_a_file_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in ("file", "file/cache"):
        with pytest.raises(FileExistsError):
            checked_path(str(tmp_path / path))


AS_OTHER = """
import os, sys
from cuda.cpu.cache_folder import CacheFolder, UnsafeFolderError
os.seteuid({user})
try:
    print(CacheFolder({path!r}, b"test0001").find("a"))
except UnsafeFolderError as error:
    print(error.filename)
"""


@needs_root
def test_a_user_trusts_root_but_not_another_user(tmp_path: Path) -> None:
    """With a user's rights: root's folders above are fine, those of the user's own, too, those of a third one not."""
    home = Path("/tmp") / f"cuda-cpu-test-{os.getpid()}"  # tmp_path lets nobody but us in
    try:
        for user in (OTHER, OTHER + 1):
            (home / str(user) / "cache").mkdir(parents=True)
            for path in (home / str(user), home / str(user) / "cache"):
                os.chown(path, user, user)
        for user, path in ((OTHER, home / str(OTHER)), (OTHER, home / str(OTHER + 1)), (OTHER, home)):
            script = AS_OTHER.format(user=user, path=str(path))
            done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
            assert done.stdout == ("None\n" if path.name == str(user) else f"{path}\n")
    finally:
        shutil.rmtree(home)


@needs_root
def test_a_user_removes_an_entry_of_somebody_else(tmp_path: Path) -> None:
    """With a user's rights: only the owner of a file may open it by O_NOATIME."""
    home = Path("/tmp") / f"cuda-cpu-test-{os.getpid()}"
    try:
        opened = CacheFolder(str(home), MAGIC)
        opened.store("a", b"theirs")
        opened.close()
        os.chown(home, OTHER, OTHER)
        os.chown(home / "a", OTHER + 1, OTHER + 1)
        (home / "a").chmod(0o644)
        script = AS_OTHER.format(user=OTHER, path=str(home))
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
        assert done.stdout == "None\n"
        assert os.listdir(home) == []
    finally:
        shutil.rmtree(home)


def test_exchanging_the_path_changes_nothing(folder: CacheFolder, tmp_path: Path) -> None:
    """A link that is exchanged between the check and the use leads nobody elsewhere."""
    folder.store("a", b"mine")
    (tmp_path / "cache").rename(tmp_path / "away")
    (tmp_path / "attacker").mkdir()
    planted = CacheFolder(str(tmp_path / "attacker"), MAGIC)
    planted.store("a", b"planted")
    planted.store("b", b"planted")
    (tmp_path / "cache").symlink_to("attacker")
    assert (folder.find("a"), folder.find("b")) == (b"mine", None)
    folder.store("c", b"more")
    folder.trim(1 << 20, lambda name: True)
    assert sorted(os.listdir(tmp_path / "away")) == ["a", "c"]
    assert sorted(os.listdir(tmp_path / "attacker")) == ["a", "b"]


def test_exchanging_a_folder_during_the_walk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is opened is what was checked: the folder is exchanged for a link after its status was taken."""
    (tmp_path / "victim").mkdir()
    (tmp_path / "attacker").mkdir()
    plain = cache_folder._check

    def exchange(status, path):
        plain(status, path)
        if path == str(tmp_path / "victim"):
            (tmp_path / "victim").rename(tmp_path / "away")
            (tmp_path / "victim").symlink_to("attacker")

    monkeypatch.setattr(cache_folder, "_check", exchange)
    opened = CacheFolder(str(tmp_path / "victim"), MAGIC)
    opened.store("a", b"1")
    assert (os.listdir(tmp_path / "away"), os.listdir(tmp_path / "attacker")) == (["a"], [])


@pytest.mark.parametrize("kind", ["link", "fifo", "folder", "socket", "foreign", "writable", "cut", "changed"])
def test_what_is_no_entry_of_ours_is_not_read(folder: CacheFolder, tmp_path: Path, kind: str) -> None:
    folder.store("good", b"code")
    entry, good = tmp_path / "cache" / "a", tmp_path / "cache" / "good"
    if kind == "foreign" and os.geteuid() != 0:
        pytest.skip("only root can make files of other users")
    if kind == "link":
        entry.symlink_to("good")
    elif kind == "fifo":
        os.mkfifo(entry)
    elif kind == "folder":
        entry.mkdir()
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(str(entry))
    else:
        entry.write_bytes(good.read_bytes()[: -1 if kind == "cut" else None])
        entry.chmod(0o666 if kind == "writable" else 0o600)
        if kind == "foreign":
            os.chown(entry, OTHER, OTHER)
        if kind == "changed":
            entry.write_bytes(entry.read_bytes()[:-1] + b"X")
    assert folder.find("a") is None
    assert entry.is_dir() == entry.exists() == (kind == "folder")
    if kind != "folder":
        folder.store("a", b"new")
        assert folder.find("a") == b"new"
    else:
        with pytest.raises(IsADirectoryError):
            folder.store("a", b"new")
    assert folder.find("good") == b"code"
    assert [name for name in folder.names() if name.startswith(cache_folder.PART)] == []


def test_a_full_disk_leaves_no_half_entries(folder: CacheFolder) -> None:
    folder.store("a", b"old")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, before[1]))
        for name in ("a", "b"):
            with pytest.raises(OSError, match="too large"):
                folder.store(name, bytes(20_000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert (folder.names(), folder.find("a")) == (["a"], b"old")


def test_the_kernel_cache_does_without_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_CPU_CACHE", str(tmp_path))

    def full(handle, data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    # As if of the module os: an exception from code of the program would be that of a signal handler.
    system = types.FunctionType(full.__code__, {"__name__": "os", "OSError": OSError, "errno": errno, "os": os})
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", system)
        cache.store("ab", b"machine code")
    assert os.listdir(tmp_path) == []
    assert cache.find("ab") is None


def test_a_removed_folder_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_CPU_CACHE", str(tmp_path / "kernels"))
    cache.store("ab", b"one")
    shutil.rmtree(tmp_path / "kernels")
    assert cache.find("ab") is None
    cache.store("ab", b"two")
    assert cache.find("ab") == b"two"
    os.close(cache.folder()._handle)  # as a program that becomes a daemon
    with open(os.devnull) as other:  # has the number
        assert cache.find("ab") == b"two"
        assert other.fileno() not in (-1, cache.folder()._handle)


def test_the_kernel_cache_names_the_component(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o707)
    monkeypatch.setenv("CUDA_CPU_CACHE", str(tmp_path / "open" / "kernels"))
    with pytest.warns(UserWarning, match=rf"cached: {tmp_path}/open: all users may write to it.* 0700, or set CUDA"):
        assert cache.find("ab") is None
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # said once
        cache.store("ab", b"1")
    assert os.listdir(tmp_path / "open") == []


def test_what_a_process_left_behind_goes(folder: CacheFolder, tmp_path: Path) -> None:
    for name, age in ((".new-old", 7200), (".new-fresh", 0)):
        (tmp_path / "cache" / name).touch()
        os.utime(tmp_path / "cache" / name, (os.stat(tmp_path).st_mtime - age,) * 2)
    folder.trim(0, lambda name: True)
    assert folder.names() == [".new-fresh"]
