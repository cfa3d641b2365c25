# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Reports of launches: text, JSON, HTML."""

from __future__ import annotations

import json
from collections.abc import Iterable

from cuda.cpu.profile import page as pages
from cuda.cpu.profile import text as texts
from cuda.cpu.profile.data import data_of
from cuda.cpu.profile.launch import LaunchProfile


def text(launches: Iterable[LaunchProfile]) -> str:
    return texts.report(data_of(launches))


def as_json(launches: Iterable[LaunchProfile]) -> str:
    return json.dumps(data_of(launches), indent=1)


def page(launches: Iterable[LaunchProfile]) -> str:
    return pages.page(data_of(launches))


def summary_html(launches: Iterable[LaunchProfile]) -> str:
    return pages.summary_html(data_of(launches))
