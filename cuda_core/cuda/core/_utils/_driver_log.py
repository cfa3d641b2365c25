# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The driver's log (cuLogs...) in Python's logging."""

from __future__ import annotations

import atexit
import logging
import os
import struct
import threading
import time
import weakref

from cuda.bindings._signals import own
from cuda.core._utils._call import call

LOGGER = "cuda.core.driver"

_HEAD = struct.Struct("II")  # level and length, see _log_pipe.pyx
_FLUSH = 0xFFFFFFFF  # not a CUlogLevel: the record is a flush request with its number
_LEVELS = (logging.ERROR, logging.WARNING)  # by CUlogLevel
_MOST = 25600  # bytes of a dump: the driver's limit
_TIMEOUT = 10.0  # seconds that a flush waits for the logger's handlers


class DriverLog:
    """Forwards messages of the driver's log to a logger; `log_driver_messages` creates it.

    A separate thread passes the messages on, so that the driver never waits for handlers and these may call CUDA.

    Thread safety: threads may share it; a thread of its own passes messages to the logger.

    Parameters
    ----------
    logger : logging.Logger
        The logger.

    Raises
    ------
    TypeError
        If `logger` is no logger.
    RuntimeError
        If the driver has no log: it must be of CUDA 12.9 or newer, or the CPU device.

    Examples
    --------
    >>> log = log_driver_messages()
    >>> log.flush()
    >>> log.lost
    0
    >>> log.close()
    """

    def __init__(self, logger: logging.Logger) -> None:
        if not isinstance(logger, logging.Logger):
            text = "" if not isinstance(logger, str) else "; log_driver_messages also takes a name"
            raise TypeError(f"DriverLog: logger must be a logging.Logger, not {type(logger).__name__}{text}")
        from cuda.core._utils._log_pipe import LogPipe

        self._logger = logger
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._flushed: dict[int, threading.Event] = {}
        self._number = 0
        self._reader, self._writer = os.pipe()
        os.set_blocking(self._writer, False)
        try:
            self._pipe = LogPipe(self._writer)
        except BaseException:
            os.close(self._reader)
            os.close(self._writer)
            raise
        self._thread = threading.Thread(target=_deliver, args=(weakref.ref(self), self._reader, logger), daemon=True)
        self._thread.name = "cuda.core driver log"
        self._thread.start()
        _open.add(self)

    @property
    def is_closed(self) -> bool:
        """Return whether `close` was called."""
        return self._writer < 0

    @property
    def lost(self) -> int:
        """Return the number of messages dropped because they came faster than the logger took them."""
        return self._pipe.lost

    def flush(self) -> None:
        """Wait until the logger has received all messages of calls that have returned, at most some seconds.

        Examples
        --------
        >>> with log_driver_messages("example") as log:
        ...     log.flush()
        ...     log.lost
        0
        """
        if threading.current_thread() is self._thread or self._process != os.getpid():
            return
        done = threading.Event()
        with self._lock:
            if self.is_closed:
                return
            self._number += 1
            number = self._number
            self._flushed[number] = done
            if not self._write(_HEAD.pack(_FLUSH, 4) + struct.pack("I", number)):
                return
        done.wait(_TIMEOUT)

    def _write(self, record: bytes) -> bool:
        """Write into the pipe, which must not block the driver's callbacks either; False if it stays full."""
        end = time.monotonic() + _TIMEOUT
        while time.monotonic() < end:
            try:
                os.write(self._writer, record)
            except own(BlockingIOError):
                time.sleep(0.001)
            else:
                return True
        return False

    def close(self) -> None:
        """Stop forwarding, after the pending messages. Closing twice does nothing.

        Examples
        --------
        >>> log = log_driver_messages("example")
        >>> log.close()
        >>> log.is_closed
        True
        """
        with self._lock:
            writer, self._writer = self._writer, -1
        if writer < 0:
            return
        _open.discard(self)
        if self._process != os.getpid():  # a forked child has neither the thread nor the driver
            os.close(writer)
            os.close(self._reader)
            return
        try:
            self._pipe.unregister()
        finally:
            os.close(writer)  # the thread reads to the end, and closes the other side
        if threading.current_thread() is not self._thread:
            self._thread.join(_TIMEOUT)

    def __enter__(self) -> DriverLog:
        return self

    def __exit__(self, exc_type: object, exc_val: object, exc_tb: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<DriverLog to logger {self._logger.name!r}{', closed' if self.is_closed else ''}>"


# Open logs are kept alive: the driver calls back until the callback is unregistered.
_open: set[DriverLog] = set()


@atexit.register
def _close_all() -> None:
    for each in list(_open):
        each.close()


def _deliver(owner: weakref.ref[DriverLog], reader: int, logger: logging.Logger) -> None:
    data = b""
    while part := os.read(reader, 65536):
        data += part
        while len(data) >= _HEAD.size:
            level, length = _HEAD.unpack_from(data)
            if len(data) < _HEAD.size + length:
                break
            body, data = data[_HEAD.size : _HEAD.size + length], data[_HEAD.size + length :]
            if level == _FLUSH:
                _note_flush(owner(), struct.unpack("I", body)[0])
            else:
                _log(logger, level, body.decode(errors="replace").rstrip("\0\n"))
    os.close(reader)


def _note_flush(log: DriverLog | None, number: int) -> None:
    if log is not None and (done := log._flushed.pop(number, None)) is not None:
        done.set()


def _log(logger: logging.Logger, level: int, text: str) -> None:
    try:
        logger.log(_LEVELS[level] if level < len(_LEVELS) else logging.INFO, "%s", text)
    except Exception:  # an error of a filter or handler must not stop later messages
        logging.lastResort.handle(  # type: ignore[union-attr]
            logging.LogRecord(LOGGER, logging.ERROR, __file__, 0, "a handler of %s failed", (logger.name,), None)
        )


def log_driver_messages(logger: str | logging.Logger = LOGGER) -> DriverLog:
    """Forward the driver's messages about failing calls to Python's `logging` (cuLogsRegisterCallback).

    Errors have level ``ERROR``, warnings ``WARNING``. A message arrives a little after its call; `DriverLog.flush`
    waits for pending ones. No callback is registered before this is called.

    Parameters
    ----------
    logger : str or logging.Logger
        The logger or its name; ``"cuda.core.driver"`` by default.

    Returns
    -------
    DriverLog
        Forwards until its `close`, the end of a ``with`` statement, or the end of the process.

    Raises
    ------
    TypeError
        If `logger` is neither a name nor a logger.
    RuntimeError
        If the driver has no log: it must be of CUDA 12.9 or newer, or the CPU device.

    Examples
    --------
    >>> import logging
    >>> logging.basicConfig()
    >>> with log_driver_messages() as log:  # messages go to the logger "cuda.core.driver"
    ...     log.is_closed
    False
    """
    if isinstance(logger, str):
        logger = logging.getLogger(logger)
    if not isinstance(logger, logging.Logger):
        raise TypeError(f"logger must be a name or a logging.Logger, not {type(logger).__name__}")
    return DriverLog(logger)


def driver_messages() -> list[str]:
    """Return the messages in the driver's log buffer, oldest first (cuLogsDumpToMemory).

    Returns
    -------
    list of str
        A line for each message; empty if no call has failed.

    Raises
    ------
    RuntimeError
        If the driver has no log: it must be of CUDA 12.9 or newer, or the CPU device.
    CUDAError
        If the driver cannot be initialised.

    Examples
    --------
    >>> from cuda.bindings import driver
    >>> driver.cuMemAlloc(0)[0].name
    'CUDA_ERROR_INVALID_VALUE'
    >>> "cuMemAlloc" in driver_messages()[-1]
    True
    """
    from cuda.bindings import driver

    call(driver.cuInit, 0)
    text = bytearray(_MOST)
    _, size = call(driver.cuLogsDumpToMemory, None, text, len(text), 0)
    return bytes(text[:size]).decode(errors="replace").rstrip("\0").splitlines()
