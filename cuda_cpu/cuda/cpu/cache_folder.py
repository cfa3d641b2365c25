# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Folders of cache entries that no other user can change.

cuda.cpu and cuda.core each have this module, as one file, since neither imports the other.

A folder is opened component by component from the root. Each component must belong to the user or to root, and nobody
else may be able to write to it, except that root's sticky folders (/tmp) may be open to all. With the umask 002 of some
systems folders are writable by their group, which is the owner's private one: that is nobody else. A symbolic link is
followed if it belongs to the user or to root: it lies in a folder that has passed, so that nobody else can exchange it.
The resulting descriptor stays open, and all access is relative to it (openat): what a path means later
does not matter.

An entry is raw bytes behind a header with a format version and a SHA-256 of the bytes; nothing is unpickled. It appears
complete or not at all. The first launch of a kernel imports this: without pathlib and tempfile, which take longer than
to find an entry and run it.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import stat
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

PART = ".new-"  # prefix of a file that is being written
ABANDONED = 3600  # seconds after which nobody writes to such a file any more
TICK = 10_000_000  # nanoseconds: uses this close together are one, as by the coarse clocks of file systems
MOST_LINKS = 40  # symbolic links on one path, as in Linux
OTHERS = stat.S_IWGRP | stat.S_IWOTH
_STEP = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC
# Without O_NOATIME each read would write the access time, which takes as long as the read; `find` notes uses itself.
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC | os.O_NOATIME
_MAKE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class UnsafeFolderError(PermissionError):
    """Report a component of a path that somebody else owns or may write to."""


def _refuse(path: str, why: str) -> UnsafeFolderError:
    return UnsafeFolderError(errno.EPERM, f"{why}, so others can put code there", path)


def _writers(status: os.stat_result) -> str:
    """Return who besides the owner may write to a folder by its mode, "" if nobody."""
    mode = f"by its mode {stat.S_IMODE(status.st_mode):04o}"
    if status.st_mode & stat.S_IWOTH:
        return f"all users may write to it {mode}"
    if status.st_mode & stat.S_IWGRP and not _is_private(status.st_gid, status.st_uid):
        return f"its group {status.st_gid} may write to it {mode}"
    return ""


def _is_private(gid: int, uid: int) -> bool:
    """Return whether a group is a user's private one: the primary group of that user alone, without other members."""
    import grp
    import pwd

    try:
        owner, group = pwd.getpwuid(uid), grp.getgrgid(gid)
    except KeyError:
        return False
    members = {*group.gr_mem, *(each.pw_name for each in pwd.getpwall() if each.pw_gid == gid)}
    return owner.pw_gid == gid and members <= {owner.pw_name}


def _check(status: os.stat_result, path: str) -> None:
    """Check the owner and mode of a component; the root's owner decides everything anyway (containers map it)."""
    if path != "/" and status.st_uid not in (0, os.geteuid()):
        raise _refuse(path, "it belongs to somebody else")
    if stat.S_ISLNK(status.st_mode):
        return  # a link's mode means nothing
    if not stat.S_ISDIR(status.st_mode):
        raise FileExistsError(errno.EEXIST, "it is not a folder", path)
    if status.st_uid == 0 and status.st_mode & stat.S_ISVTX:
        return
    if writers := _writers(status):
        raise _refuse(path, writers)


def _step(folder: int, name: str, path: str, make: bool) -> tuple[int, os.stat_result]:
    """Open one component, whatever it is, and make it as a folder where it is not there; return its status, too."""
    try:
        handle = os.open(name, _STEP, dir_fd=folder)
    except FileNotFoundError as error:
        _let_pass(error)
        if not make:
            raise
        try:
            os.mkdir(name, 0o700, dir_fd=folder)
        except FileExistsError as error:  # another process was faster
            _let_pass(error)
        handle = os.open(name, _STEP, dir_fd=folder)
    try:
        status = os.fstat(handle)
        _check(status, path)
    except BaseException:
        os.close(handle)
        raise
    return handle, status


def _walk(path: str, make: bool) -> tuple[int, str]:
    """Return a descriptor (O_PATH) of a folder whose path has passed, and that path without symbolic links."""
    todo = os.path.join(os.getcwd(), path).split("/")[::-1]  # the next component is the last
    folder, status = _step(-1, "/", "/", False)
    resolved: list[str] = []
    links = 0
    try:
        while todo:
            name = todo.pop()
            if name in ("", "."):
                continue
            below = resolved[:-1] if name == ".." else [*resolved, name]
            handle, status = _step(folder, name, "/" + "/".join(below), make)
            if stat.S_ISLNK(status.st_mode):
                with contextlib.closing(_Handle(handle)):
                    target = os.readlink("", dir_fd=handle)  # of the very link that was checked
                links += 1
                if links > MOST_LINKS:
                    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
                todo += target.split("/")[::-1]
                if not target.startswith("/"):
                    continue
                handle, status = _step(-1, "/", "/", False)
                below = []
            os.close(folder)
            folder, resolved = handle, below
        if status.st_uid != os.geteuid():
            raise _refuse("/" + "/".join(resolved), "it belongs to somebody else")
        if writers := _writers(status):
            raise _refuse("/" + "/".join(resolved), writers)
    except BaseException:
        os.close(folder)
        raise
    return folder, "/" + "/".join(resolved)


class _Handle:
    def __init__(self, number: int) -> None:
        self.number = number

    def close(self) -> None:
        os.close(self.number)


def checked_path(path: str) -> str:
    """Return the path of a folder without symbolic links, made if need be, for a library that takes only a path.

    Nobody but the user and root can put another folder in its place: no component lets them.

    Raises
    ------
    UnsafeFolderError
        A component belongs to somebody else, or others may write to it.
    OSError
        The folder cannot be made.
    """
    handle, resolved = _walk(path, True)
    os.close(handle)
    return resolved


class CacheFolder:
    """A folder of entries, made with mode 0700 if need be, and open until `close`.

    Parameters
    ----------
    path : str
        The folder.
    magic : bytes
        What entries begin with: a version of their form.

    Raises
    ------
    UnsafeFolderError
        A component of the path belongs to somebody else, or others may write to it.
    OSError
        The folder cannot be made or opened.
    """

    def __init__(self, path: str, magic: bytes) -> None:
        self._magic = magic
        self.header = len(magic) + hashlib.sha256().digest_size  # bytes of an entry's file before the entry
        self._handle = -1
        handle, self.path = _walk(path, True)
        try:
            self._handle = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=handle)
        finally:
            os.close(handle)
        status = os.fstat(self._handle)
        self._identity = status.st_dev, status.st_ino

    def is_there(self) -> bool:
        """Return whether the folder still exists, and the descriptor is still its (a program may close all it has)."""
        try:
            status = os.fstat(self._handle)
        except OSError as error:
            _let_pass(error)
            return False
        return (status.st_dev, status.st_ino) == self._identity and status.st_nlink > 0

    def find(self, name: str) -> bytes | None:
        """Return an entry and note its use; None if there is none, or one that is damaged, which is removed."""
        try:
            handle = os.open(name, _READ, dir_fd=self._handle)
        except OSError as error:
            _let_pass(error)
            if error.errno in (errno.ELOOP, errno.ENXIO, errno.EPERM):  # a symbolic link, a socket, a file of others
                self._remove(name)
            return None
        try:
            status = os.fstat(handle)
            data = _content(handle, status)
            entry = data[self.header :]
            if data[: self.header] == self._magic + hashlib.sha256(entry).digest():
                if not 0 <= time.time_ns() - status.st_mtime_ns < TICK:
                    _note_use(handle)
                return entry
        finally:
            os.close(handle)
        self._remove(name)
        return None

    def store(self, name: str, entry: bytes) -> None:
        """Keep an entry, complete or not at all.

        Raises
        ------
        OSError
            It cannot be written; what was there before is still there.
        """
        part = PART + os.urandom(8).hex()
        handle = os.open(part, _MAKE, 0o600, dir_fd=self._handle)
        try:
            with contextlib.closing(_Handle(handle)):
                _write(handle, self._magic + hashlib.sha256(entry).digest())
                _write(handle, entry)
            os.replace(part, name, src_dir_fd=self._handle, dst_dir_fd=self._handle)
        except BaseException:
            self._remove(part)
            raise

    def remove(self, name: str) -> None:
        """Remove an entry.

        Raises
        ------
        FileNotFoundError
            There is none.
        """
        os.unlink(name, dir_fd=self._handle)

    def _remove(self, name: str) -> None:
        try:
            self.remove(name)
        except OSError as error:
            _let_pass(error)

    def names(self) -> list[str]:
        """Return the names of all files of the folder."""
        return os.listdir(self._handle)

    def trim(self, limit: int, is_entry: Callable[[str], bool]) -> None:
        """Remove what a process that broke off left, then the entries not used for longest, until all fit `limit`."""
        entries = []
        with os.scandir(self._handle) as found:
            for file in found:
                try:
                    status = file.stat(follow_symlinks=False)
                except FileNotFoundError as error:  # another process removed it
                    _let_pass(error)
                    continue
                if file.name.startswith(PART):
                    if status.st_mtime < time.time() - ABANDONED:
                        self._remove(file.name)
                elif is_entry(file.name):
                    entries.append((status.st_mtime_ns, file.name, status.st_size))
        size = sum(entry[2] for entry in entries)
        for _, name, length in sorted(entries):
            if size <= limit:
                break
            self._remove(name)
            size -= length

    def close(self) -> None:
        """Close the descriptor, if it is still that of the folder."""
        if self._handle >= 0 and self.is_there():
            os.close(self._handle)
        self._handle = -1

    def __del__(self) -> None:
        self.close()


def _let_pass(error: OSError) -> None:
    """Raise what a signal handler of the program has raised: the calls that fail here are this module's own."""
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    if last is None or last.tb_frame.f_globals.get("__name__") not in (__name__, "os"):
        raise error


def _note_use(handle: int) -> None:
    try:
        os.utime(handle)
    except OSError as error:
        _let_pass(error)  # a read-only file system


def _content(handle: int, status: os.stat_result) -> bytes:
    """Return what is in a file of the user's own, nothing of any other file."""
    if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & OTHERS:
        return b""
    left = status.st_size
    parts = []
    while left > 0 and (part := os.read(handle, left)):  # one read returns 2 GiB at most
        parts.append(part)
        left -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _write(handle: int, data: bytes) -> None:
    """Write all of it: on a full disk the rest of a write that was cut short fails."""
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]
