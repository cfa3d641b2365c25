# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""What a run of `python -m ci.wheels` has made, in a file, so that an interrupted run goes on where it stopped.

A wheel is built again if a source, the compiler or the file itself changed since.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import pathlib
import subprocess
import zipfile
from collections.abc import Iterator

TOOLS = ("ziglang", "setuptools", "Cython", "auditwheel")
HEADER = "| wheel | bytes | installed | build | smoke test |\n|---|---:|---:|---:|---|\n"


def source_key(root: pathlib.Path) -> str:
    """Return a digest of the commit, of changes that are not committed, and of the tools' versions."""
    digest = hashlib.sha256()
    for command in (["git", "rev-parse", "HEAD"], ["git", "diff", "HEAD"]):
        digest.update(subprocess.run(command, cwd=root, capture_output=True).stdout)
    for name in TOOLS:
        try:
            digest.update(f"{name} {importlib.metadata.version(name)}\n".encode())
        except importlib.metadata.PackageNotFoundError:
            digest.update(f"{name}\n".encode())
    return digest.hexdigest()


def sha256(path: pathlib.Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


class Progress:
    """The files made so far: name such as `cuda-cpu 3.14t aarch64` -> facts."""

    def __init__(self, file: pathlib.Path, out: pathlib.Path, key: str, fresh: bool = False) -> None:
        self.file, self.out, self.key = file, out, key
        self.made: dict[str, dict] = {}
        if file.exists() and not fresh:
            stored = json.loads(file.read_text())
            self.made = stored["made"] if stored["key"] == key else {}

    def find(self, name: str) -> pathlib.Path | None:
        """Return the file that was made under a name if it is unchanged."""
        facts = self.made.get(name)
        if not facts:
            return None
        path = self.out / facts["file"]
        return path if path.exists() and sha256(path) == facts["sha256"] else None

    def add(self, name: str, path: pathlib.Path, **facts) -> None:
        self.made[name] = {"file": path.name, "bytes": path.stat().st_size, "sha256": sha256(path), **facts}
        self.save()

    def note(self, name: str, **facts) -> None:
        self.made[name] |= facts
        self.save()

    def save(self) -> None:
        """Write the file in one step: an interrupted run leaves the old or the new one."""
        unfinished = self.file.with_suffix(".unfinished")
        unfinished.write_text(json.dumps({"key": self.key, "made": self.made}, indent=1))
        unfinished.replace(self.file)

    def table(self, names: list[str]) -> str:
        """Return a Markdown table of wheels."""
        return HEADER + "".join(self._rows(names))

    def _rows(self, names: list[str]) -> Iterator[str]:
        for name in names:
            if (facts := self.made.get(name)) is None:
                yield f"| {name} | not built | | | |\n"
                continue
            smoke = facts.get("smoke", "not run")
            if seconds := facts.get("smoke_seconds"):
                smoke += f", {seconds:.0f} s"
            yield (
                f"| {facts['file']} | {facts['bytes']:,} | {facts['installed']:,} "
                f"| {facts['seconds']:.0f} s | {smoke} |\n"
            )


def installed_size(wheel: pathlib.Path) -> int:
    with zipfile.ZipFile(wheel) as archive:
        return sum(entry.file_size for entry in archive.infolist())
