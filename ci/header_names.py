# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""List what each device header declares: `python -m ci.header_names` writes _clang/_header_names.py.

clang itself lists the declarations and macros of cuda_runtime.h, for several options. Programs that include nothing get
the headers that declare what they name.
"""

from __future__ import annotations

import collections
import json
import pathlib
import re
import subprocess
import tempfile
import textwrap
from collections.abc import Collection, Iterator
from typing import Any

from cuda.core import ProgramOptions
from cuda.core._program._clang import _find, _options

TABLE = pathlib.Path(_options.__file__).with_name("_header_names.py")
VARIANTS: list[dict[str, Any]] = [
    {"arch": "sm_75"},
    {"arch": "sm_120a", "relocatable_device_code": True},
    {"arch": "sm_90", "use_fast_math": True},
]
INTERNAL = re.compile(r"__(?:open_cuda|oc)_|__OPEN_CUDA")
LINE = re.compile(r'# \d+ "([^"]+)"')
INCLUDE = re.compile(r'#include "([^"]+)"')
MACRO = re.compile(r"#define (\w+)")
HEAD = '''# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The device headers in the order of cuda_runtime.h; made by `python -m ci.header_names`."""

# Header -> its size when it is preprocessed, in units of 10,000 characters, what it includes, and what it declares.
DECLARED = {
'''


def _clang(variant: dict[str, Any], *arguments: str) -> str:
    command, version = _find.find()
    options = _options.language_options(ProgramOptions(compiler="clang", **variant), version)
    with tempfile.TemporaryDirectory() as work:
        source = pathlib.Path(work, "program.cu")
        source.write_text('#include "cuda_runtime.h"\n')
        whole = [*command, *options, "-w", *arguments, str(source)]
        return subprocess.run(whole, check=True, capture_output=True, text=True, env=_find.ENVIRONMENT).stdout


def _name_of(path: str) -> str:
    """Return the path of a header below the folder of the device headers, "" for other files."""
    path, folder = str(pathlib.Path(path).resolve()), _find.headers()
    return path.removeprefix(f"{folder}/") if path.startswith(f"{folder}/") else ""


def _declarations(variant: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the header and the name of each declaration outside of classes and functions.

    In clang's tree of a program, a location has a file only if it is another one than that of the location before.
    """
    file = ""

    def follow(node: Any) -> None:
        nonlocal file
        for key, value in node.items():
            if key == "file":
                file = value
            elif isinstance(value, dict) and key != "includedFrom":
                follow(value)

    def visit(node: dict[str, Any], outside: bool) -> Iterator[tuple[str, str]]:
        follow({key: value for key, value in node.items() if key in ("loc", "range")})
        kind, own = node.get("kind", ""), file
        if outside and kind.endswith("Decl") and "name" in node and not node.get("isImplicit"):
            yield own, node["name"]
        inside = outside and kind in ("TranslationUnitDecl", "LinkageSpecDecl", "EnumDecl")
        for each in node.get("inner", ()):
            yield from visit(each, inside)

    yield from visit(json.loads(_clang(variant, "-fsyntax-only", "-Xclang", "-ast-dump=json")), True)


def _macros(variant: dict[str, Any]) -> Iterator[tuple[str, str]]:
    file = ""
    for line in _clang(variant, "-E", "-dD").splitlines():
        if found := LINE.match(line):
            file = found[1]
        elif found := MACRO.match(line):
            yield file, found[1]


def _sizes(variant: dict[str, Any]) -> dict[str, int]:
    """Return the sizes of the preprocessed headers, in the order in which they begin."""
    sizes: dict[str, int] = {}
    file = ""
    for line in _clang(variant, "-E").splitlines():
        if found := LINE.match(line):
            file = _name_of(found[1])
            sizes.setdefault(file, 0)
        else:
            sizes[file] += len(line)
    return sizes


def _included(file: str, files: Collection[str]) -> list[str]:
    """Return the headers that a header includes."""
    folder = pathlib.Path(_find.headers())
    found = INCLUDE.findall((folder / file).read_text())
    paths = [_name_of(str(folder / pathlib.Path(file).parent / path)) for path in found]
    return [path for path in paths if path in files]


def declared() -> dict[str, tuple[int, list[str], list[str]]]:
    """Return the size of each header, what it includes, and the names of it that programs may use."""
    names: dict[str, set[str]] = collections.defaultdict(set)
    for variant in VARIANTS:
        for path, name in (*_declarations(variant), *_macros(variant)):
            if not INTERNAL.match(name) and re.fullmatch(r"\w+", name):
                names[_name_of(path)].add(name)
    sizes = _sizes(VARIANTS[1])
    sizes = {file: size for file, size in sizes.items() if file and file != "cuda_runtime.h"}
    return {file: (round(size / 10_000), _included(file, sizes), sorted(names[file])) for file, size in sizes.items()}


def text() -> str:
    """Return the module."""
    lines = [HEAD]
    for file, (size, included, names) in declared().items():
        lines.append(f'    "{file}": (\n        {size},\n{_wrapped(included)},\n{_wrapped(names)},\n    ),\n')
    return "".join(lines) + "}\n"


def _wrapped(words: list[str]) -> str:
    """Return the lines of a literal with words."""
    parts = textwrap.wrap(" ".join(words), 108) or [""]
    return "\n".join(f'        "{part}{" " * (part is not parts[-1])}"' for part in parts)


if __name__ == "__main__":
    TABLE.write_text(text())
