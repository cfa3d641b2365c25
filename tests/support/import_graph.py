# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The graph of our modules' imports, read from their sources: Python, and Cython's `import` and `cimport`.

Imports inside functions count like those of modules; imports for type checkers alone (`if TYPE_CHECKING:`) do not. Nor
do public names that are looked up through a package which imports them lazily: `from cuda.core import Device` is an
import of `cuda.core`, not of the module with the class.
"""

from __future__ import annotations

import ast
import pathlib
import re
from collections.abc import Iterable, Iterator

ROOT = pathlib.Path(__file__).parents[2]
SOURCE_ROOTS = ("cuda_bindings", "cuda_core", "cuda_cpu", "cuda_interop", "cuda_perf")
SUFFIXES = (".py", ".pyx", ".pxd")

# An import of a Cython source: these have forms that Python's parser does not know.
CYTHON_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+(?P<module>[\w.]+)[ \t]+c?import[ \t]+(?P<names>\([^)]*\)|[^\n#]+)"
    r"|c?import[ \t]+(?P<modules>[\w.]+(?:[ \t]*,[ \t]*[\w.]+)*))",
    re.MULTILINE,
)


def module_name(path: pathlib.PurePath) -> str:
    """Return the name of the module at `path`, relative to its source root."""
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def sources(root: pathlib.Path = ROOT) -> dict[str, list[pathlib.Path]]:
    """Return the source files of each module: a .pyx may have a .pxd beside it."""
    found: dict[str, list[pathlib.Path]] = {}
    for source_root in SOURCE_ROOTS:
        for path in sorted((root / source_root).rglob("*")):
            if path.suffix in SUFFIXES and "build" not in path.parts:
                found.setdefault(module_name(path.relative_to(root / source_root)), []).append(path)
    return found


def absolute(module: str, package: str) -> str:
    """Return the absolute name of `module`, which may begin with dots, as seen from `package`."""
    level = len(module) - len(module.lstrip("."))
    if level == 0:
        return module
    base = package.split(".")[: len(package.split(".")) - level + 1]
    return ".".join([*base, *filter(None, [module.lstrip(".")])])


def _for_type_checkers(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def _python_imports(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the module and the names of each import; without names for `import module`."""
    waiting: list[ast.AST] = [ast.parse(text)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or ""), [alias.name for alias in node.names]
        elif isinstance(node, ast.Import):
            yield from ((alias.name, []) for alias in node.names)
        waiting.extend(node.orelse if _for_type_checkers(node) else ast.iter_child_nodes(node))


def _cython_imports(text: str) -> Iterator[tuple[str, list[str]]]:
    for found in CYTHON_IMPORT.finditer(text):
        if found["modules"]:
            yield from ((name.strip(), []) for name in found["modules"].split(","))
        else:
            names = re.sub(r"#[^\n]*", "", found["names"]).strip("() \n").split(",")
            yield found["module"], [name.split()[0] for name in names if name.strip()]


def imports(path: pathlib.Path, module: str) -> Iterator[str]:
    """Yield the full name of everything that a file imports: modules, and names that may be modules."""
    package = module if path.stem == "__init__" else module.rpartition(".")[0]
    read = _python_imports if path.suffix == ".py" else _cython_imports
    text = path.read_text()
    included = re.findall(r'^include "(.+)"', text, re.MULTILINE)
    text = "\n".join([text, *(path.with_name(name).read_text() for name in included)])
    for name, names in read(text):
        target = absolute(name, package)
        yield from (f"{target}.{each}" for each in names) if names else [target]


def graph(root: pathlib.Path = ROOT) -> dict[str, set[str]]:
    """Return which of our modules each of them imports."""
    files = sources(root)
    edges: dict[str, set[str]] = {module: set() for module in files}
    for module, paths in files.items():
        for target in {name for path in paths for name in imports(path, module)}:
            known = target if target in files else target.rpartition(".")[0]
            if known in files and known != module:
                edges[module].add(known)
    return edges


def cycles(edges: dict[str, set[str]]) -> list[list[str]]:
    """Return the groups of modules that import each other, directly or by others (Tarjan's algorithm)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(module: str) -> None:
        index[module] = low[module] = len(index)
        stack.append(module)
        for target in sorted(edges[module]):
            if target not in index:
                visit(target)
                low[module] = min(low[module], low[target])
            elif target in stack:
                low[module] = min(low[module], index[target])
        if low[module] == index[module]:
            group = stack[stack.index(module) :]
            del stack[stack.index(module) :]
            if len(group) > 1:
                found.append(sorted(group))

    for module in sorted(edges):
        if module not in index:
            visit(module)
    return found


def layer(module: str, layers: Iterable[str]) -> str | None:
    """Return the most specific of `layers` that `module` belongs to."""
    fitting = [name for name in layers if module == name or module.startswith(f"{name}.")]
    return max(fitting, key=len, default=None)


def upward(edges: dict[str, set[str]], layers: list[str]) -> list[tuple[str, str]]:
    """Return the imports from a layer to one above it; `layers` are named from the lowest up."""
    height = {name: number for number, name in enumerate(layers)}
    found = []
    for module, targets in edges.items():
        own = layer(module, layers)
        for target in targets:
            other = layer(target, layers)
            if own is not None and other is not None and height[other] > height[own]:
                found.append((module, target))
    return sorted(found)
