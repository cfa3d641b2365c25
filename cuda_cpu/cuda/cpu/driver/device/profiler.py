# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Profiler control (cuProfilerStart): accepted, without effect."""

from __future__ import annotations

from cuda.cpu.driver.device import context


def cuProfilerStart() -> None:
    context.current()


def cuProfilerStop() -> None:
    context.current()
