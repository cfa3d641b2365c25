# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Caches of compiled programs, in memory or in a folder that processes share."""

from __future__ import annotations

import hashlib
import os
import re
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping

from cuda.bindings._signals import own
from cuda.core._program._cache_folder import CacheFolder, UnsafeFolderError
from cuda.core._program._module import ObjectCode

Value = bytes | bytearray | memoryview | ObjectCode

MAGIC = b"cudaprg1"  # the first bytes of a file; the digit is the version of the format
FILE_LIMIT = 1 << 30  # bytes: the default limit of a folder's total size
_ENTRY = re.compile(r"[0-9a-f]{64}")


def _key(key: object) -> bytes:
    if isinstance(key, str):
        return key.encode()
    if not isinstance(key, bytes):
        raise TypeError(f"key must be bytes or str, not {type(key).__name__}")
    return key


def _value(value: object) -> bytes:
    if isinstance(value, ObjectCode):
        return value._bytes()
    if not isinstance(value, (bytes, bytearray, memoryview)):
        raise TypeError(f"a cache keeps bytes or an ObjectCode, not {type(value).__name__}")
    return bytes(value)


def _limit(max_size_bytes: int | None) -> int | None:
    if max_size_bytes is None:
        return None
    if isinstance(max_size_bytes, bool) or not isinstance(max_size_bytes, int):
        raise TypeError(f"max_size_bytes must be an int or None, not {type(max_size_bytes).__name__}")
    if max_size_bytes < 1:
        raise ValueError(f"max_size_bytes must be at least 1, or None, not {max_size_bytes}")
    return max_size_bytes


class ProgramCacheResource(ABC):
    """Abstract base of caches for `Program.compile(cache=...)`: mappings from keys to compiled programs.

    A subclass defines ``__getitem__`` (which raises KeyError for a missing entry), ``__setitem__``,
    ``__delitem__``, ``__len__`` and `clear`. Keys are bytes, or str, which is encoded as UTF-8; entries are bytes. A
    cache may drop any entry at any time.

    Thread safety: that of the subclass; `Program.compile` calls it from any thread.

    Examples
    --------
    >>> class Dictionary(dict, ProgramCacheResource):
    ...     pass
    >>> Program(source, "c++", ProgramOptions(arch="sm_90")).compile("ptx", cache=Dictionary()).code_type
    'ptx'
    """

    @abstractmethod
    def __getitem__(self, key: bytes | str) -> bytes: ...

    @abstractmethod
    def __setitem__(self, key: bytes | str, value: Value) -> None: ...

    @abstractmethod
    def __delitem__(self, key: bytes | str) -> None: ...

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def clear(self) -> None:
        """Remove all entries. Subclasses implement this method.

        Examples
        --------
        >>> cache = InMemoryProgramCache()
        >>> cache["key"] = b"code"
        >>> cache.clear()
        >>> len(cache)
        0
        """

    # Without this, Python would evaluate `key in cache` by iterating over the keys 0, 1, 2 and so on.
    def __contains__(self, key: bytes | str) -> bool:
        return self.get(key) is not None

    __iter__ = None

    def get(self, key: bytes | str, default: bytes | None = None) -> bytes | None:
        """Return an entry, or `default` if there is none.

        Parameters
        ----------
        key : bytes or str
            The key.
        default : bytes, optional
            The result for a missing entry.

        Returns
        -------
        bytes or None
            The entry.

        Examples
        --------
        >>> cache = InMemoryProgramCache()
        >>> cache.get("key", b"nothing")
        b'nothing'
        """
        try:
            return self[key]
        except KeyError:
            return default

    def update(self, items: Mapping[bytes | str, Value] | Iterable[tuple[bytes | str, Value]], /) -> None:
        """Store several entries.

        Parameters
        ----------
        items : mapping, or iterable of pairs
            Keys with their values: bytes or an ObjectCode.

        Examples
        --------
        >>> cache = InMemoryProgramCache()
        >>> cache.update({"first": b"1", "second": b"2"})
        >>> len(cache)
        2
        """
        for key, value in items.items() if isinstance(items, Mapping) else items:
            self[key] = value

    def close(self) -> None:  # noqa: B027 - a subclass need not define it
        """Release the resources of the cache; the base class has none.

        Examples
        --------
        >>> cache = InMemoryProgramCache()
        >>> cache["key"] = b"code"
        >>> cache.close()
        >>> "key" in cache  # memory has nothing to release
        True
        """

    def __enter__(self) -> ProgramCacheResource:
        return self

    def __exit__(self, exc_type: object, exc_value: object, traceback: object) -> None:
        self.close()


class InMemoryProgramCache(ProgramCacheResource):
    """A cache of compiled programs in this process's memory; threads may share it.

    Thread safety: threads may share it; a lock guards the entries.

    Parameters
    ----------
    max_size_bytes : int, optional
        The maximum total size; the least recently used entries are dropped. None for no limit.

    Examples
    --------
    >>> cache = InMemoryProgramCache(max_size_bytes=10_000_000)
    >>> cache[b"key"] = b"code"
    >>> cache.get(b"key"), len(cache)
    (b'code', 1)
    """

    def __init__(self, *, max_size_bytes: int | None = None) -> None:
        self._limit = _limit(max_size_bytes)
        self._entries: dict[bytes, bytes] = {}  # ordered by last use
        self._size = 0
        self._lock = threading.Lock()

    def __getitem__(self, key: object) -> bytes:
        name = key if type(key) is bytes else _key(key)
        with self._lock:
            value = self._entries[name] = self._entries.pop(name)
            return value

    def get(self, key: bytes | str, default: bytes | None = None) -> bytes | None:
        """Return an entry, or `default` if there is none; the entry becomes the most recently used one.

        Parameters
        ----------
        key : bytes or str
            The key.
        default : bytes, optional
            The result for a missing entry.

        Returns
        -------
        bytes or None
            The entry.

        Raises
        ------
        TypeError
            If `key` is of another type.

        Examples
        --------
        >>> cache = InMemoryProgramCache()
        >>> cache[b"key"] = b"code"
        >>> cache.get(b"key"), cache.get(b"other")
        (b'code', None)
        """
        name = key if type(key) is bytes else _key(key)
        with self._lock:
            value = self._entries.pop(name, None)
            if value is None:
                return default
            self._entries[name] = value
            return value

    def __setitem__(self, key: object, value: Value) -> None:
        name, data = _key(key), _value(value)
        with self._lock:
            self._size += len(data) - len(self._entries.pop(name, b""))
            self._entries[name] = data
            while self._limit is not None and self._size > self._limit:
                oldest = next(iter(self._entries))
                self._size -= len(self._entries.pop(oldest))

    def __delitem__(self, key: object) -> None:
        name = _key(key)
        with self._lock:
            self._size -= len(self._entries.pop(name))

    def __len__(self) -> int:
        return len(self._entries)

    def clear(self) -> None:
        """Remove all entries.

        Examples
        --------
        >>> cache = InMemoryProgramCache()
        >>> cache["key"] = Program(source, "c++", ProgramOptions(arch="sm_90")).compile("ptx")
        >>> cache.clear()
        >>> cache.get("key") is None
        True
        """
        with self._lock:
            self._entries.clear()
            self._size = 0


class FileStreamProgramCache(ProgramCacheResource):
    """A cache of compiled programs in a folder, which threads and processes may share.

    Each entry is a file that is created atomically. A damaged file counts as a missing entry and is removed. Cached
    data is never unpickled or executed as Python.

    Thread safety: threads and processes may share it.

    Parameters
    ----------
    path : str or path, optional
        The folder, created with mode 0700 if it does not exist; by default ``open-cuda-python/programs`` in the user's
        cache folder (``XDG_CACHE_HOME``, else ``~/.cache``).
    max_size_bytes : int, optional
        The maximum total size; the least recently used files are removed. None for 1 GiB.

    Raises
    ------
    PermissionError
        If the folder or one of its parents belongs to another user (except root), or other users may write to it: they
        could inject code. Parents may be world-writable with the sticky bit if root owns them, as ``/tmp``.
    OSError
        If it cannot be created.

    Notes
    -----
    The folder is opened once and accessed by its descriptor until `close`, even if its path is renamed meanwhile.
    Symbolic links on the path are followed if they belong to the user or to root. Uses of an entry within 10 ms count
    as one.

    Examples
    --------
    >>> with FileStreamProgramCache("cache") as cache:
    ...     program = Program(source, "c++", ProgramOptions(arch="sm_90"))
    ...     program.compile("ptx", cache=cache).code_type
    'ptx'
    """

    def __init__(self, path: str | os.PathLike[str] | None = None, *, max_size_bytes: int | None = None) -> None:
        self._limit = _limit(max_size_bytes) or FILE_LIMIT
        given = _default_folder() if path is None else os.fspath(path)
        self._opened = _open(given if isinstance(given, str) else os.fsdecode(given))

    def _folder(self) -> CacheFolder:
        """Return the folder, created again if it was removed."""
        if not self._opened.is_there():
            self._opened = _open(self._opened.path)
        return self._opened

    def __getitem__(self, key: object) -> bytes:
        entry = self.get(key)  # type: ignore[arg-type]
        if entry is None:
            raise KeyError(key)
        return entry

    def get(self, key: bytes | str, default: bytes | None = None) -> bytes | None:
        """Return an entry, or `default` if there is none.

        Parameters
        ----------
        key : bytes or str
            The key.
        default : bytes, optional
            The result for a missing entry.

        Returns
        -------
        bytes or None
            The entry; None, too, for a damaged file, which is removed.

        Raises
        ------
        TypeError
            If `key` is of another type.
        PermissionError
            If the folder was replaced by one that other users may write to.

        Examples
        --------
        >>> with FileStreamProgramCache("cache") as cache:
        ...     cache["key"] = b"code"
        >>> FileStreamProgramCache("cache").get("key")
        b'code'
        """
        entry = self._folder().find(_name(key))
        return default if entry is None else entry

    def __setitem__(self, key: object, value: Value) -> None:
        name, entry = _name(key), _value(value)
        folder = self._folder()
        folder.store(name, entry)
        folder.trim(self._limit, _is_entry)

    def __delitem__(self, key: object) -> None:
        try:
            self._folder().remove(_name(key))
        except own(FileNotFoundError):
            raise KeyError(key) from None

    def __len__(self) -> int:
        return sum(map(_is_entry, self._folder().names()))

    def clear(self) -> None:
        """Remove all entries; other files in the folder stay.

        Raises
        ------
        PermissionError
            If the folder was replaced by one that other users may write to.

        Examples
        --------
        >>> cache = FileStreamProgramCache("cache")
        >>> cache["key"] = b"code"
        >>> cache.clear()
        >>> len(cache)
        0
        """
        folder = self._folder()
        for name in filter(_is_entry, folder.names()):
            try:
                folder.remove(name)
            except own(FileNotFoundError):
                pass  # another process was faster

    def close(self) -> None:
        """Close the folder; it is opened again when the cache is used again.

        Examples
        --------
        >>> cache = FileStreamProgramCache("cache")
        >>> cache.close()
        >>> cache.get("key") is None  # opens the folder again
        True
        """
        self._opened.close()


def _name(key: object) -> str:
    return hashlib.sha256(_key(key)).hexdigest()


def _is_entry(name: str) -> bool:
    return _ENTRY.fullmatch(name) is not None


def _default_folder() -> str:
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "open-cuda-python", "programs")


def _open(path: str) -> CacheFolder:
    try:
        return CacheFolder(path, MAGIC)
    except UnsafeFolderError as error:
        raise UnsafeFolderError(
            error.errno, f"path: {error.strerror}: take a folder of yours with mode 0700", error.filename
        ) from None
