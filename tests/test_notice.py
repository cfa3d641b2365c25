# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""NOTICE lists what the extras `all` and `open` install, with the licences of the packages."""

from __future__ import annotations

import importlib.metadata
import pathlib
import re
import tomllib

import pytest

ROOT = pathlib.Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
ROWS = re.findall(r"^\| ([\w-]+) \| ([\w, ]+) \| ([^|]+) \|$", (ROOT / "NOTICE").read_text(), re.MULTILINE)
LICENCES = {name: licence for name, _, licence in ROWS if name != "package"}


def required(extra: str) -> set[str]:
    """Return the packages of an extra, and of the extras of this project that it names."""
    found = set()
    for requirement in PROJECT["optional-dependencies"][extra]:
        own = re.fullmatch(rf"{PROJECT['name']}\[(.+)\]", requirement)
        found |= set().union(*map(required, own[1].split(","))) if own else {name_of(requirement)}
    return found


def name_of(requirement: str) -> str:
    return re.match(r"[\w-]+", requirement)[0]


def test_the_packages_are_those_of_the_extras():
    expected = {name_of(requirement): ["always"] for requirement in PROJECT["dependencies"]}
    for extra in ("all", "open"):
        for name in required(extra):
            expected.setdefault(name, []).append(extra)
    assert {name: extras.split(", ") for name, extras, _ in ROWS if name != "package"} == expected


@pytest.mark.parametrize("name", LICENCES)
def test_the_licences_are_those_of_the_packages(name):
    try:
        metadata = importlib.metadata.metadata(name)
    except importlib.metadata.PackageNotFoundError:
        pytest.skip(f"{name} is not installed")
    stated = metadata.get("License-Expression")
    if stated is None:
        pytest.skip(f"{name} {metadata['Version']} does not state its licence as an expression")
    assert LICENCES[name] == stated


@pytest.mark.parametrize("name", LICENCES)
def test_the_packages_require_nothing_that_is_not_listed(name):
    try:
        needed = importlib.metadata.requires(name) or []
    except importlib.metadata.PackageNotFoundError:
        pytest.skip(f"{name} is not installed")
    assert {name_of(each) for each in needed if "extra ==" not in each} <= LICENCES.keys()
