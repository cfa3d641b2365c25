# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Make a repository with a regression of the code generator: python -m benchmarks.planted_regression FOLDER

It has a copy of the package cuda.cpu and 64 more commits. One of them tidies up a table and loses an entry: addresses
that are computed by `shl` are then no longer known to be consecutive, so that kernels access memory lane by lane. The
others change nothing. The guide "Catch a regression" follows this case.
"""

from __future__ import annotations

import argparse
import pathlib
import re
import shutil
import subprocess

TABLE = re.compile(r"^SIMPLE = \{\n(?:.*\n)*?\}\n", re.MULTILINE)
IDENTITY = ("-c", "user.name=Somebody", "-c", "user.email=somebody@example.org", "-c", "commit.gpgsign=false")


def git(folder: pathlib.Path, *arguments: str) -> None:
    subprocess.run(["git", *IDENTITY, *arguments], cwd=folder, check=True)


def tidied(text: str) -> str:
    """Return the source of find_affine.py with its table on one line, without `shl`."""
    table = TABLE.search(text)
    assert table is not None, "find_affine.py has no table SIMPLE"
    words = [word for word in re.findall(r'"(\w+)"', table[0]) if word != "shl"]
    return text.replace(table[0], f'SIMPLE = set("{" ".join(words)}".split())\n')


def make(folder: pathlib.Path, commits: int = 64, culprit: int = 37) -> None:
    """Create the repository with its branch main."""
    import cuda.cpu

    package = folder / "cuda/cpu"
    shutil.copytree(pathlib.Path(cuda.cpu.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / ".gitignore").write_text("__pycache__/\n")
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A", "-f", "cuda", ".gitignore")
    git(folder, "commit", "-qm", "cpu: begin with a copy of the package")
    sources = sorted([*(package / "passes").glob("*.py"), *(package / "emit").rglob("*.py")])
    for number in range(1, commits + 1):
        if number == culprit:
            path, subject = package / "passes/find_affine.py", "passes: write the table of simple opcodes on one line"
            path.write_text(tidied(path.read_text()))
        else:
            path = sources[number % len(sources)]
            subject = f"{path.parent.name}: note revision {number} of {path.stem}"
            path.write_text(f"{path.read_text()}# revision {number}\n")
        git(folder, "commit", "-qam", subject)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path, help="is created")
    parser.add_argument("--commits", type=int, default=64)
    options = parser.parse_args()
    make(options.folder, options.commits, min(37, options.commits))


if __name__ == "__main__":
    main()
