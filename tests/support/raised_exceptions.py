# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Exceptions that functions of cuda.core raise, and driver functions that they call, as their source text shows it.

Cython sources cannot be parsed by `ast`, so this reads lines and indentation. It follows calls within one module.
"""

import functools
import pathlib
import re

# How sources raise: text of a body -> exception.
IDIOMS = {
    r"\bcheck\(|\bcall\(|\bfail\(": "CUDAError",
    r"\bopen_handle\(|\bself\._open\(\)|\braise (?:not_open|closed)\(": "ClosedError",
    r"\bnvml\(\)\.": "NvmlError",
    r"\bneed\(|\bnot_closed\(": "ClosedError",
    r"\bneed\(": "RuntimeError",
    r"\bas_options\(|\bas_stream\(|\bto_stream\(": "TypeError",
    r"\braise unknown_option\(": "TypeError",
}
# Exceptions of private modules -> their public bases.
PUBLIC = {"UnsafeFolderError": "PermissionError"}
RAISED = re.compile(r"\braise (\w+)\(")
DRIVER = re.compile(r"\b(?:cydriver|driver)\.(cu[A-Z]\w+)")
HEAD = re.compile(r"( *)(?:cdef |final )*(class|def|cdef|cpdef|async def)\b (?:[\w.* ]+ )?(\w+)\b *(?:[(:]|$)")


@functools.cache
def bodies(path: pathlib.Path) -> dict[tuple[str, str], str]:
    """Return the code of each function of a file, by class and name, without docstrings and comments."""
    text = re.sub(r'[rR]?"""(?:.|\n)*?"""', "", path.read_text())
    found: dict[tuple[str, str], list[str]] = {}
    owner, owner_depth, name, depth = "", -1, "", -1
    for line in text.splitlines():
        line = re.sub(r"(^|\s)#.*", "", line)
        indentation = len(line) - len(line.lstrip())
        if not line.strip() or line.lstrip().startswith(")"):
            continue
        head = HEAD.match(line)
        if indentation <= depth:
            name, depth = "", -1
        if indentation <= owner_depth:
            owner, owner_depth = "", -1
        if head and head[2] == "class" and not name:
            owner, owner_depth = head[3], indentation
        elif head and not name and "(" in line:
            name, depth = head[3], indentation
            found.setdefault((owner, name), [])
        if name:
            found[owner, name].append(line)
    return {key: "\n".join(lines) for key, lines in found.items()}


def reached(path: pathlib.Path, owner: str, name: str) -> list[str]:
    """Return the code of a function and of the functions of the same file that it calls."""
    code, waiting, seen = [], [(owner, name)], set()
    while waiting:
        key = waiting.pop()
        if key in seen or key not in bodies(path):
            continue
        seen.add(key)
        code.append(bodies(path)[key])
        body = code[-1].partition("\n")[2]
        waiting += [(key[0], each) for each in re.findall(r"\b(?:self|cls)\.(\w+)\(", body)]
        waiting += [("", each) for each in re.findall(r"(?<![.\w])(\w+)\(", body)]
    return code


def raised(path: pathlib.Path, owner: str, name: str) -> set[str]:
    """Return the exceptions that a function raises, itself or in functions of the same file that it calls."""
    code = "\n".join(reached(path, owner, name))
    names = {exception for pattern, exception in IDIOMS.items() if re.search(pattern, code)}
    return names | {
        PUBLIC.get(each, each) for each in RAISED.findall(code) if each.endswith(("Error", "Timeout", "Exception"))
    }


def driver_functions(path: pathlib.Path, owner: str, name: str) -> set[str]:
    """Return the driver functions that a function calls itself."""
    return set(DRIVER.findall(bodies(path).get((owner, name), "")))
