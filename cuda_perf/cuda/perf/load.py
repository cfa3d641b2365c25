# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Find the benchmarks of files, modules, and of the included suite."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
import pkgutil
import re
import sys
from collections.abc import Iterable
from types import ModuleType

from cuda.perf.define import Benchmark
from cuda.perf.errors import CommandError
from cuda.perf.model import Value, key_of

SUITE = "cuda.perf.suite"


def load(names: Iterable[str]) -> list[Benchmark]:
    """Return the benchmarks of files (paths), modules (dotted names) and `suite`, the included ones.

    Raises
    ------
    CommandError
        A file does not exist or has no benchmarks, or two benchmarks have the same name.
    """
    found: dict[str, Benchmark] = {}
    for name in names:
        benchmarks = [each for module in _modules(name) for each in _of_module(module)]
        if not benchmarks:
            raise CommandError(f"{name} has no benchmarks: functions with the decorator @benchmark of cuda.perf")
        for each in benchmarks:
            other = found.setdefault(each.definition.name, each)
            if other is not each:
                files = (
                    f"{other.definition.file}:{other.definition.line}, {each.definition.file}:{each.definition.line}"
                )
                raise CommandError(f"two benchmarks have the name {each.definition.name!r}: {files}")
    return list(found.values())


def _modules(name: str) -> list[ModuleType]:
    if name == "suite":
        package = importlib.import_module(SUITE)
        return [importlib.import_module(f"{SUITE}.{each.name}") for each in pkgutil.iter_modules(package.__path__)]
    if not name.endswith(".py") and not os.path.exists(name):
        if importlib.util.find_spec(name.partition(".")[0]) is None:
            raise CommandError(f"{name} is neither a file, nor a module, nor `suite`")
        return [importlib.import_module(name)]
    path = os.path.abspath(name)
    if not os.path.isfile(path):
        raise CommandError(f"{name} is not a file")
    module_name = f"_cuda_perf_{hashlib.sha256(path.encode()).hexdigest()[:12]}"
    if module_name not in sys.modules:
        spec = importlib.util.spec_from_file_location(module_name, path)
        assert spec is not None
        assert spec.loader is not None
        module = sys.modules[module_name] = importlib.util.module_from_spec(spec)
        sys.path.insert(0, os.path.dirname(path))  # as for `python FILE`
        spec.loader.exec_module(module)
    return [sys.modules[module_name]]


def _of_module(module: ModuleType) -> list[Benchmark]:
    """Return the benchmarks that a module defines, not those that it imports."""
    values = (value for value in vars(module).values() if getattr(value, "__module__", None) == module.__name__)
    return [value.__benchmark__ for value in values if hasattr(value, "__benchmark__")]


def select(benchmarks: Iterable[Benchmark]) -> dict[str, tuple[Benchmark, dict[str, Value]]]:
    """Return key -> benchmark and point, of all points."""
    return {key_of(each.definition.name, point): (each, point) for each in benchmarks for point in each.points()}


def matches(key: str, filters: list[str]) -> bool:
    """Return whether a key contains one of the filters, in which `*` is any text; without filters, True."""
    return not filters or any(re.search(".*".join(map(re.escape, each.split("*"))), key) for each in filters)
