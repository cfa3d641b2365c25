# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Linker: one namespace for the functions and variables of all units. Linking directives: PTX ISA manual, 11.6."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TypeGuard

from cuda.cpu.ptx import device_runtime
from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.references import rename
from cuda.cpu.ptx.syntax import Function, Module, Variable

# Functions that the runtime implements (kernel_abi.h).
RUNTIME = frozenset({
    "vprintf", "malloc", "free", "__assertfail", "cudaGraphSetConditional", "cudaGraphLaunch",
    *(f"cudaGraphKernelNode{action}" for action in ("SetParam", "SetEnabled", "SetGridDim", "UpdatesApply")),
    *device_runtime.NATIVE,
})  # fmt: skip

_STATIC = ("global", "const", "shared")


@dataclass(slots=True)
class Linked:
    """The definitions of all units by linked name, and the unit of each."""

    functions: dict[str, Function]
    variables: dict[str, Variable]
    unit: dict[str, Module]


def link(modules: list[Module]) -> Linked:
    """Link parsed units.

    A name without a linking directive is local to its unit: if several units define it, the later ones are renamed to
    `name@unitN`. The units' functions are changed in place.

    Parameters
    ----------
    modules : list of Module

    Returns
    -------
    Linked
        `functions` also has declarations without a body (the runtime's functions among them) and aliases.

    Raises
    ------
    PtxError
        A name has several strong definitions, or is a variable here and a function there.
    """
    for number, module in enumerate(modules, 1):
        _hoist_statics(module)
        _separate_local_names(module, number, modules)
    linked = Linked({}, {}, {})
    for module in modules:
        for variable in module.variables.values():
            _merge(linked.variables, variable, module, linked.unit)
        for function in module.functions.values():
            _merge(linked.functions, function, module, linked.unit)
    for name in linked.functions.keys() & linked.variables.keys():
        module = linked.unit[name]
        raise PtxError(f"{name} is both a function and a variable", linked.functions[name].line, module.name)
    for module in modules:
        for alias, target in module.aliases.items():
            if target not in linked.functions or linked.functions[target].body is None:
                raise PtxError(f".alias {alias}: function {target} is not defined", 0, module.name)
            linked.functions[alias] = linked.functions[target]
    return linked


def _hoist_statics(module: Module) -> None:
    """Move .global, .const and .shared variables declared inside functions to the module."""
    for function in module.functions.values():
        static = [variable for variable in function.variables.values() if variable.space in _STATIC]
        names = {}
        for variable in static:
            name = variable.name
            del function.variables[name]
            known = module.variables.get(name) or module.functions.get(name)
            if known is not None and not (_is_dynamic_shared(variable) and _is_dynamic_shared(known)):
                names[name] = variable.name = f"{name}@{function.name}"
            module.variables[variable.name] = variable
        rename(function, names)


def _is_local(definition: Function | Variable) -> bool:
    return not definition.linkage and not (isinstance(definition, Function) and definition.entry)


def _separate_local_names(module: Module, number: int, modules: list[Module]) -> None:
    names = {}
    definitions: list[Function | Variable] = [*module.functions.values(), *module.variables.values()]
    for definition in definitions:
        if _is_local(definition) and _taken(definition.name, module, modules, number):
            names[definition.name] = f"{definition.name}@unit{number}"
    if not names:
        return
    module.functions = {names.get(name, name): function for name, function in module.functions.items()}
    module.variables = {names.get(name, name): variable for name, variable in module.variables.items()}
    module.aliases = {names.get(alias, alias): names.get(name, name) for alias, name in module.aliases.items()}
    for name, function in module.functions.items():
        function.name = name
        rename(function, names)
    for name, variable in module.variables.items():
        variable.name = name
        if variable.initializer is not None:
            relocations = (replace(r, symbol=names.get(r.symbol, r.symbol)) for r in variable.initializer.relocations)
            variable.initializer.relocations = tuple(relocations)


def _taken(name: str, module: Module, modules: list[Module], number: int) -> bool:
    """Return whether a name is taken: by any name of an earlier unit, or by a global name of a later one."""
    for position, other in enumerate(modules, 1):
        found = other.functions.get(name) or other.variables.get(name)
        if other is not module and found is not None and (position < number or not _is_local(found)):
            return True
    return False


def _rank(definition: Function | Variable) -> int:
    """Return how strong a definition is: 0 a declaration, 1 common, 2 weak, 3 strong.

    An extern shared variable with a size is like a common one: if no unit defines it, ptxas ignores .extern with a
    warning. LLVM emits such variables (Taichi's shared arrays), and NVRTC for `extern __shared__ float x[64]`.
    """
    if _is_extern_shared(definition) and definition.size:
        return 1
    if definition.linkage == "extern" and not _is_dynamic_shared(definition):
        return 0
    if isinstance(definition, Function) and definition.body is None:
        return 0
    return {"common": 1, "weak": 2}.get(definition.linkage, 3)


def _is_extern_shared(definition: Function | Variable) -> TypeGuard[Variable]:
    return isinstance(definition, Variable) and definition.space == "shared" and definition.linkage == "extern"


def _is_dynamic_shared(definition: Function | Variable) -> TypeGuard[Variable]:
    return _is_extern_shared(definition) and not definition.size


def _merge(definitions: dict, new: Function | Variable, module: Module, units: dict[str, Module]) -> None:
    name = new.name
    known = definitions.get(name)
    if known is None:
        definitions[name] = new
        units[name] = module
        return
    if isinstance(new, Variable) and new.space != known.space:
        raise PtxError(
            f"{name} is in .{known.space} in {units[name].name} and in .{new.space} here", new.line, module.name
        )
    if _is_dynamic_shared(new) and _is_dynamic_shared(known):
        known.align = max(known.align, new.align)
    elif _rank(new) == 3 == _rank(known):
        raise PtxError(f"{name} is defined twice: also in {units[name].name}", new.line, module.name)
    elif _rank(new) > _rank(known) or (_rank(new) == 1 == _rank(known) and _size(new) > _size(known)):
        definitions[name] = new
        units[name] = module


def _size(definition: Function | Variable) -> int:
    return definition.size if isinstance(definition, Variable) else 0


def unresolved(names: Iterable[tuple[str, int]], linked: Linked) -> list[tuple[str, int]]:
    """Return those of the (name, line) pairs that neither a unit nor the runtime defines."""
    missing = []
    for name, line in names:
        definition = linked.functions.get(name) or linked.variables.get(name)
        if name not in RUNTIME and (definition is None or _rank(definition) == 0):
            missing.append((name, line))
    return missing
