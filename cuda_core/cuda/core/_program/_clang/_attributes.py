# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Attributes that clang has no code for: __maxnreg__, __cluster_dims__ and __block_size__ of kernels, __managed__.

The device headers make annotations of them (`open_cuda/attributes.h`), which clang writes to its LLVM IR, and
which become directives of the PTX here.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from cuda.core._errors import ClangError, compiler_error

# Options with which clang writes the annotations of a program, and does nothing else with it.
ANNOTATIONS = ["-S", "-emit-llvm", "-Xclang", "-disable-llvm-passes"]

_MARK = re.compile(r"^\.(?:visible|weak) \.global [^;\n]*__open_cuda_annotatedI\w*4markE[^;\n]*;\n", re.MULTILINE)
_NAME = r'@(?:"([^"]+)"|([\w$.-]+))'
_TABLE = re.compile(r"^@llvm\.global\.annotations = .*$", re.MULTILINE)
_ANNOTATED = rf"ptr (?:addrspacecast \(ptr addrspace\(1\) )?{_NAME}(?: to ptr\))?"
_ANNOTATION = re.compile(rf"\{{ {_ANNOTATED}, ptr (@[\w.]+), ptr @[\w.]+, i32 \d+, ptr (@[\w.]+) \}}")
_KIND = re.compile(r'^(@[\w.]+) = .* c"open_cuda\.(maxnreg|cluster|block|managed)\\00"', re.MULTILINE)
_VALUES = re.compile(r'^(@[\w.]+) = .* constant \{[^}]*\} (\{.*\}), section "llvm\.metadata"', re.MULTILINE)
_NUMBER = re.compile(r"\bi(?:32|64) (-?\d+)")
_ENTRY = re.compile(r"^(\.(?:visible|weak) \.entry ([^(;{\s]+)\s*\([^)]*\))([^{;]*)(?=\{)", re.MULTILINE)
_LIMIT = re.compile(r"^\.maxntid .*\n", re.MULTILINE)  # of __launch_bounds__
_CLUSTER = re.compile(r"\.reqnctapercluster .*\n")
_MAXIMUM = re.compile(r"^\.maxclusterrank \d+.*\n", re.MULTILINE)
_VARIABLE = re.compile(r"^((?:\.(?:visible|weak) )?\.global )((?:\.\w+ (?:\d+ )?)*([\w$]+)(?=[\[; ]))", re.MULTILINE)
# clang declares a kernel that something refers to, such as an annotation, before it defines it.
_DECLARED = re.compile(r"^\.(?:visible|weak) \.entry ([^(;{\s]+)\s*\([^)]*\)\s*;\n", re.MULTILINE)


def with_attributes(ptx: str, annotations: Callable[[], str]) -> str:
    """Return the PTX of a program with the directives of its attributes.

    `annotations` returns the LLVM IR of the program. It is only called if something has such attributes.

    Raises
    ------
    ClangError
        The attributes of a kernel contradict each other; `log` names it.
    """
    if "__open_cuda_annotated" not in ptx:
        return ptx
    found = _directives(annotations())
    ptx = _DECLARED.sub(lambda match: "" if match[1] in found else match[0], _MARK.sub("", ptx))
    ptx = _VARIABLE.sub(lambda match: _variable(match, found.get(match[3], {})), ptx)
    return _ENTRY.sub(lambda match: _entry(match, found.get(match[2], {})), ptx)


def with_register_limit(ptx: str, limit: int) -> str:
    """Return PTX whose kernels use no more than `limit` registers; those with limits of their own keep them."""

    def entry(match: re.Match[str]) -> str:
        own = ".maxnreg" in match[3] or ".maxntid" in match[3]
        return match[0] if own else f"{match[1]}{match[3]}.maxnreg {limit}\n"

    return _ENTRY.sub(entry, ptx)


def _directives(ir: str) -> dict[str, dict[str, str]]:
    """Return the directives of each kernel and variable, by the kind of annotation."""
    kinds = {match[1]: match[2] for match in _KIND.finditer(ir)}
    values = {match[1]: [int(number) for number in _NUMBER.findall(match[2])] for match in _VALUES.finditer(ir)}
    table = _TABLE.search(ir)
    found: dict[str, dict[str, str]] = {}
    for match in _ANNOTATION.finditer(table[0] if table else ""):
        kind = kinds.get(match[3])
        if kind:
            name = re.sub("[.@]", "_$_", match[1] or match[2])  # as clang spells it in PTX
            found.setdefault(name, {})[kind] = _directive(kind, values[match[4]])
    return found


def _directive(kind: str, values: list[int]) -> str:
    if kind == "maxnreg":
        return f".maxnreg {values[0]}\n"
    if kind == "managed":
        return ".attribute(.managed) "
    if kind == "block":
        block, cluster = (", ".join(map(str, part)) for part in (values[:3], values[3:6]))
        return f".blocksareclusters\n.reqntid {block}\n.reqnctapercluster {cluster}\n"
    return ".explicitcluster\n" + (f".reqnctapercluster {', '.join(map(str, values))}\n" if values[0] else "")


def _variable(match: re.Match[str], directives: dict[str, str]) -> str:
    return match[1] + directives.get("managed", "") + match[2]


def _entry(match: re.Match[str], directives: dict[str, str]) -> str:
    own = match[3]
    if "maxnreg" in directives and ".maxntid" in own:
        message = f"error: kernel {match[2]} has __launch_bounds__ and __maxnreg__: remove one of them"
        raise compiler_error(ClangError, "CLANG_ERROR_COMPILATION", 1, "clang", message)
    if "block" in directives:
        own = _LIMIT.sub("", own)
        if cluster := _CLUSTER.search(directives.get("cluster", "")):  # as NVRTC: that of __cluster_dims__
            directives = directives | {"block": _CLUSTER.sub(cluster[0], directives["block"]), "cluster": ""}
    if "cluster" in directives:  # PTX takes no maximum beside the size
        own = _MAXIMUM.sub("", own)
    return match[1] + own + "".join(directives.values())
