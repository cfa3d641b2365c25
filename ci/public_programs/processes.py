# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Run a program with a limit of time, and return what it prints."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import tempfile
import time


def output(
    argv: list[str], folder: pathlib.Path, variables: dict[str, str], limit: float, until: str = "", times: int = 1
) -> tuple[str, str, int | None]:
    """Return a program's output, its errors, and its status (None: its time is over; 0: it printed `until`)."""
    with tempfile.TemporaryFile("w+", errors="replace") as out, tempfile.TemporaryFile("w+", errors="replace") as wrong:
        child = subprocess.Popen(argv, cwd=folder, env=variables, stdout=out, stderr=wrong, start_new_session=True)
        end, status = time.monotonic() + limit, None
        try:
            while (status := child.poll()) is None and time.monotonic() < end:
                time.sleep(0.2)
                so_far = os.pread(out.fileno(), 1 << 22, 0).decode(errors="replace")
                if until and so_far.count(until) >= times:
                    status = 0
                    break
        finally:
            if child.poll() is None:
                os.killpg(child.pid, signal.SIGTERM)
                child.wait()
        out.seek(0)
        wrong.seek(0)
        return out.read(), wrong.read(), status
