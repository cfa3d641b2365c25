# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A picture of many histories at once: a row per benchmark, a column per run, as a PNG without a library.

An image of one pixel per value, which the browser enlarges, opens at once where a hundred thousand SVG elements do not.
"""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Sequence

WORST = 0.2  # relative change with the strongest colour
MISSING = (128, 128, 128, 40)


def colour(ratio: float | None) -> tuple[int, int, int, int]:
    """Return the colour of a value relative to the level of its row: orange is slower, blue faster, clear the same."""
    if ratio is None:
        return MISSING
    strength = min(abs(ratio - 1) / WORST, 1.0)
    red, green, blue = (217, 83, 30) if ratio > 1 else (59, 130, 196)
    return red, green, blue, round(255 * strength)


def image(rows: Sequence[Sequence[float | None]]) -> str:
    """Return a data URI with a pixel for each ratio; the rows have the same length."""
    lines = b"".join(b"\0" + b"".join(bytes(colour(ratio)) for ratio in row) for row in rows)
    header = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 6, 0, 0, 0)  # 8 bits, RGBA
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(lines, 9)), (b"IEND", b""))
    data = b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
        for name, content in chunks
    )
    return "data:image/png;base64," + base64.b64encode(data).decode()
