# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Command line of the generator: read the headers, write the sources, check that they are current, report.

python -m codegen facts     read the headers, and write what they declare into facts/
python -m codegen write     write every generated file
python -m codegen check     fail if the facts, the committed report, or an existing generated file are not current
python -m codegen report    write report.md
python -m codegen roles     print the parameters of every function with their roles, to compare two releases
"""

from __future__ import annotations

import argparse
import importlib
import pathlib
import sys

from codegen import facts, report, roles
from codegen.model import HeaderError
from codegen.versions import VersionError

ROOT = pathlib.Path(__file__).parents[2]
REPORT = "cuda_bindings/codegen/report.md"
# Each has `files(libraries) -> {path below the repository: text}`.
WRITERS: tuple[str, ...] = (
    "write_shell",
    "write_abi",
    "write_cudart",
    "write_host_headers",
    "write_nvml",
    "write_cython",
    "write_python",
    "write_stubs",
)


def generated() -> dict[str, str]:
    """Return the text of every generated file by its path."""
    libraries = roles.libraries()
    files: dict[str, str] = {}
    for writer in WRITERS:
        files.update(importlib.import_module(f"codegen.{writer}").files(libraries))
    return files


def read_facts() -> dict[str, str]:
    """Return the text of every file of facts by its path."""
    return {str(facts.FOLDER.relative_to(ROOT) / name): text for name, text in facts.texts().items()}


def _put(files: dict[str, str]) -> int:
    for path, text in files.items():
        target = ROOT / path
        target.parent.mkdir(exist_ok=True)
        # Unchanged files keep their modification time, so that they are not compiled again.
        if not target.is_file() or target.read_text() != text:
            target.write_text(text)
    return 0


def write() -> int:
    return _put(generated())


def write_facts() -> int:
    return _put(read_facts())


def check() -> int:
    found = read_facts()
    stale_facts = [path for path, text in found.items() if (ROOT / path).read_text() != text]
    expected = generated()
    stale = [path for path, text in expected.items() if (ROOT / path).is_file() and (ROOT / path).read_text() != text]
    if not (ROOT / REPORT).is_file() or (ROOT / REPORT).read_text() != report.render(roles.libraries()):
        stale.append(REPORT)
    for path in stale_facts + stale:
        command = "facts" if path in found else "report" if path == REPORT else "write"
        print(f"{path} does not match the headers; run: python -m codegen {command}", file=sys.stderr)
    return 1 if stale_facts + stale else 0


def write_report() -> int:
    (ROOT / REPORT).write_text(report.render(roles.libraries()))
    return 0


def print_roles() -> int:
    print(report.functions(roles.libraries()), end="")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m codegen", description=__doc__.splitlines()[0])
    commands = {"facts": write_facts, "write": write, "check": check, "report": write_report, "roles": print_roles}
    parser.add_argument("command", choices=commands)
    command = commands[parser.parse_args().command]
    try:
        return command()
    except (HeaderError, VersionError, roles.RoleError) as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
