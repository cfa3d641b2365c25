# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""NVIDIA's assembler of Tile IR for tests: that of this Python, or of the one that CUDA_CPU_PEER names."""

from __future__ import annotations

import functools
import json
import os
import pathlib
import subprocess
import sys

import pytest

PEER = os.environ.get("CUDA_CPU_PEER", "")


@functools.cache
def folder() -> str | None:
    """Return the folder with tileiras, None if it is not installed."""
    search = list(sys.path)
    if PEER:
        search += json.loads(subprocess.check_output([PEER, "-c", "import json, sys; print(json.dumps(sys.path))"]))
    folders = (pathlib.Path(each, "nvidia", "cu13", "bin") for each in search)
    return next((str(each) for each in folders if (each / "tileiras").exists()), None)


needs_tileiras = pytest.mark.skipif(
    folder() is None, reason="pip install nvidia-cuda-tileiras, or set CUDA_CPU_PEER to a Python that has it"
)


def add_to_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{os.environ['PATH']}{os.pathsep}{folder()}")


def bytecode(*sections: tuple[int, bytes], aligned: int = 0) -> bytes:
    """Return Tile IR bytecode of these sections: (kind, content)."""
    data = bytearray(b"\x7fTileIR\0\x0d\5\0\0")
    for kind, content in sections:
        data.append(kind | (0x80 if aligned else 0))
        data += varint(len(content))
        if aligned:
            data += varint(aligned)
            data += b"\xcb" * (-len(data) % aligned)
        data += content
    return bytes(data) + b"\0"


def varint(value: int) -> bytes:
    data = bytearray()
    while value > 127:
        data.append(value & 127 | 128)
        value >>= 7
    return bytes((*data, value))
