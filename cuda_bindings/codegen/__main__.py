# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Command line of the generator: write the sources, check that they are current, report what is bound.

python -m codegen write     write every generated file
python -m codegen check     fail if the committed report, or an existing generated file, is not current
python -m codegen report    write report.md
python -m codegen roles     print the parameters of every function with their roles, to compare two releases
"""

from __future__ import annotations

import argparse
import importlib
import pathlib
import sys

from codegen import report, roles
from codegen.declarations import HeaderError
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


def write() -> int:
    for path, text in generated().items():
        target = ROOT / path
        # Unchanged files keep their modification time, so that they are not compiled again.
        if not target.is_file() or target.read_text() != text:
            target.write_text(text)
    return 0


def check() -> int:
    expected = generated()
    stale = [path for path, text in expected.items() if (ROOT / path).is_file() and (ROOT / path).read_text() != text]
    if not (ROOT / REPORT).is_file() or (ROOT / REPORT).read_text() != report.render(roles.libraries()):
        stale.append(REPORT)
    for path in stale:
        command = "report" if path == REPORT else "write"
        print(f"{path} does not match the headers; run: python -m codegen {command}", file=sys.stderr)
    return 1 if stale else 0


def write_report() -> int:
    (ROOT / REPORT).write_text(report.render(roles.libraries()))
    return 0


def print_roles() -> int:
    print(report.functions(roles.libraries()), end="")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m codegen", description=__doc__.splitlines()[0])
    commands = {"write": write, "check": check, "report": write_report, "roles": print_roles}
    parser.add_argument("command", choices=commands)
    command = commands[parser.parse_args().command]
    try:
        return command()
    except (HeaderError, VersionError, roles.RoleError) as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
