# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Check that a tag can be released: `python -m ci.release.check v0.1.0`.

The tag, the versions of both distributions and the newest entry of the changelog must agree, and the entry has a date.
With `--notes FILE`, the entry is written there, as the text of the release.
"""

from __future__ import annotations

import argparse
import datetime
import pathlib
import re
import sys
import tomllib
from collections.abc import Iterator

ROOT = pathlib.Path(__file__).parents[2]
PROJECTS = ("pyproject.toml", "cuda_cpu/pyproject.toml")
TAG = re.compile(r"v(\d+\.\d+\.\d+(?:(?:a|b|rc)\d+)?)")
HEADING = re.compile(r"^## (?P<version>\S+) \((?P<date>[^)]*)\)$", re.MULTILINE)
PRIVATE = "Private :: Do Not Upload"  # PyPI rejects it


def problems(root: pathlib.Path, tag: str) -> Iterator[str]:
    """Yield a sentence for each reason not to release."""
    named = TAG.fullmatch(tag)
    if named is None:
        yield f"the tag {tag!r} is not of the form v1.2.3 or v1.2.3rc1"
        return
    for path in PROJECTS:
        version = tomllib.loads((root / path).read_text())["project"]["version"]
        if version != named[1]:
            yield f"{path} has version {version}, the tag {named[1]}"
    for stand_in in sorted(root.glob("compat/*/pyproject.toml")):
        if PRIVATE not in tomllib.loads(stand_in.read_text())["project"]["classifiers"]:
            yield f"compat/{stand_in.parent.name} is named as a distribution of NVIDIA and lacks {PRIVATE!r}"
    yield from changelog_problems((root / "CHANGELOG.md").read_text(), named[1])


def changelog_problems(text: str, version: str) -> Iterator[str]:
    headings = list(HEADING.finditer(text))
    if not headings or headings[0]["version"] != version:
        newest = headings[0]["version"] if headings else "nothing"
        yield f"the newest entry of CHANGELOG.md is {newest}, the tag {version}"
        return
    try:
        if datetime.date.fromisoformat(headings[0]["date"]) > datetime.date.today():
            yield f"the entry {version} of CHANGELOG.md has a date in the future: {headings[0]['date']}"
    except ValueError:
        yield f"the entry {version} of CHANGELOG.md says ({headings[0]['date']}), not (YYYY-MM-DD)"
    if not re.search(r"^- ", notes(text, version), re.MULTILINE):
        yield f"the entry {version} of CHANGELOG.md lists no change"
    if len({heading["version"] for heading in headings}) < len(headings):
        yield "CHANGELOG.md has two entries of one version"


def notes(text: str, version: str) -> str:
    """Return the text of one version's entry."""
    for heading in HEADING.finditer(text):
        if heading["version"] == version:
            following = re.compile(r"^## ", re.MULTILINE).search(text, heading.end())
            return text[heading.end() : following.start() if following else None].strip() + "\n"
    return ""


def main(arguments: list[str] | None = None, root: pathlib.Path = ROOT) -> int:
    parser = argparse.ArgumentParser(prog="python -m ci.release.check", description=__doc__)
    parser.add_argument("tag")
    parser.add_argument("--notes", type=pathlib.Path)
    parsed = parser.parse_args(arguments)
    found = list(problems(root, parsed.tag))
    for problem in found:
        print(problem, file=sys.stderr)
    if parsed.notes and not found:
        parsed.notes.write_text(notes((root / "CHANGELOG.md").read_text(), parsed.tag.removeprefix("v")))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
