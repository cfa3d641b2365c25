# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Write files completely or not at all."""

from __future__ import annotations

import contextlib
import os
import pathlib
import tempfile
from collections.abc import Iterator
from typing import TextIO


@contextlib.contextmanager
def replaced(path: str | os.PathLike[str]) -> Iterator[TextIO]:
    """Open a temporary file beside `path` that replaces it at the end of the `with` statement, unless an error ends it.

    Other processes see the old or the new content, and so does whoever looks after a crash.
    """
    path = pathlib.Path(path)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", text=True)
    try:
        with open(descriptor, "w", encoding="utf-8") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
