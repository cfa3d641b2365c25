# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Addresses of shared memory in 64-bit registers, which some versions of NVRTC write, others never."""

from __future__ import annotations

import re
from random import Random

SHARE = 0.2  # of the kernels
ACCESS = re.compile(r"((?:@!?%\w+\s+)?\b(?:ld|st|atom|red)(?:\.\w+)*\.shared(?:\.\w+)*\s[^;\[]*)\[(%(?![dq]\d)\w+)")
BEGIN = re.compile(r"(\.entry k\([^)]*\)[^{]*\{)")  # of the kernel, which is behind all functions


def widened(text: str) -> str:
    """Return the text with 64-bit registers for the kernel's addresses of shared memory."""
    count = 0

    def access(match: re.Match) -> str:
        nonlocal count
        count += 1
        return f"cvt.u64.u32 %wide{count}, {match[2]}; {match[1]}[%wide{count}"

    functions, head, body = BEGIN.split(text)
    body = ACCESS.sub(access, body)
    return f"{functions}{head} .reg .b64 %wide<{count + 1}>;{body}" if count else text


def sometimes_widened(text: str) -> str:
    """Widen the addresses of some kernels, always of the same ones; no other random choice changes by it."""
    return widened(text) if Random(text).random() < SHARE else text
