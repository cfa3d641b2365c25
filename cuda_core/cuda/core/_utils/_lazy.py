# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Lazy imports of a package's public names: module-level `__getattr__` and `__dir__` (PEP 562)."""

from __future__ import annotations

import importlib

TYPE_CHECKING = False  # importing typing would double the time that `import cuda.core` takes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any


def no_attribute(owner: str, name: str, known: Iterable[str]) -> AttributeError:
    """Return the error for a name that `owner` does not have, with the one that was probably meant."""
    advice = ""
    if not name.startswith("_"):  # the import system asks for __path__
        from cuda.core._utils._options import similar

        meant = similar(name, known)
        advice = f"; did you mean {meant!r}?" if meant else ""
    return AttributeError(f"{owner} has no attribute {name!r}{advice}", name=name, obj=None)  # Python adds nothing


def lazy_names(
    namespace: dict[str, Any], modules: dict[str, str], submodules: Iterable[str] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` for a module.

    Parameters
    ----------
    namespace : dict
        The module's `globals()`, in which imported names are stored.
    modules : dict
        Each public name with the module that defines it, relative to the package.
    submodules : iterable of str
        Public modules of the package.
    """
    package = namespace["__package__"]

    def __getattr__(name: str) -> Any:
        if name in modules:
            value = getattr(importlib.import_module(f"{package}.{modules[name]}"), name)
        elif name in submodules:
            value = importlib.import_module(f"{package}.{name}")
        else:
            raise no_attribute(f"module {namespace['__name__']!r}", name, [*modules, *submodules])
        namespace[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted({*(name for name in namespace if name.startswith("__")), *modules, *submodules})

    return __getattr__, __dir__


def names_within(modules: dict[str, str], package: str) -> dict[str, str]:
    """Return the entries of a table of names that one subpackage defines."""
    inside = f"{package.rpartition('.')[2]}."
    return {name: module.removeprefix(inside) for name, module in modules.items() if module.startswith(inside)}
