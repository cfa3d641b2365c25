# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The public names of cuda.core, each with its docstring and its signature from the stub or the source."""

from __future__ import annotations

import ast
import dataclasses
import functools
import importlib
import inspect
import pathlib
import re
import tomllib
import types
import typing
from collections.abc import Iterator

ROOT = pathlib.Path(__file__).parents[1]
SUBMODULES = ("graph", "texture", "utils", "checkpoint", "system", "typing", "system.typing")
MODULES = ("cuda.core", *(f"cuda.core.{name}" for name in SUBMODULES))
# Classes of private modules that public methods and properties return: name -> module.
_REFERENCE = tomllib.loads((pathlib.Path(__file__).parent / "core_reference.toml").read_text())
RETURNED: dict[str, str] = _REFERENCE["returned"]
CONSTANTS: dict[str, str] = _REFERENCE["constants"]  # name -> description
Definition = ast.FunctionDef | ast.AsyncFunctionDef
NAMED = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef, ast.AnnAssign, ast.Assign)


@dataclasses.dataclass
class Entry:
    """A public name: a class, a function, or a member of a class."""

    name: str  # qualified: cuda.core.Stream.record
    kind: str  # class, function, method, staticmethod, classmethod, property or data
    value: object
    module: str  # where it is defined
    owner: str  # name of the class that defines it, or ""
    nodes: list[ast.AST]  # its definitions: several for overloads
    attribute: str = ""  # the description of a field in the section Attributes of its class

    @property
    def doc(self) -> str:
        if isinstance(self.value, type):
            return inspect.cleandoc(self.value.__doc__ or "")  # not that of a base
        if self.kind == "data":
            return self.attribute
        return inspect.getdoc(self.value) or self.attribute

    @property
    def summary(self) -> str:
        """Return the first sentence of the docstring."""
        paragraph = self.doc.partition("\n\n")[0].replace("\n", " ")
        return re.split(r"(?<=[.:]) (?=[A-Z`])", paragraph)[0]

    @property
    def member(self) -> str:
        return self.name.rpartition(".")[2]


def public() -> Iterator[Entry]:
    """Yield the names of the public modules and `RETURNED`; the members of a class follow it."""
    for module in MODULES:
        exporter = importlib.import_module(module)
        for name in names_in(exporter):
            yield from entries(f"{module}.{name}", getattr(exporter, name))
    for name, module in RETURNED.items():
        yield from entries(f"cuda.core.{name}", returned_class(name, module))


def names_in(module: types.ModuleType) -> list[str]:
    """Return the public names of a module; cuda.core.system.typing has no list of them, only classes."""
    own = [name for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__]
    return getattr(module, "__all__", None) or [name for name in own if isinstance(vars(module)[name], type)]


def returned_class(name: str, module: str) -> type:
    return getattr(importlib.import_module(f"cuda.core.{module}"), name.rpartition(".")[2])


def entries(name: str, value: typing.Any) -> Iterator[Entry]:
    """Yield a class and its public members, a function, or a constant."""
    if isinstance(value, type):
        yield Entry(
            name, "class", value, value.__module__, value.__name__, definitions(value.__module__, [value.__name__])
        )
        yield from members(name, value)
    elif callable(value) and typing.get_origin(value) is None:
        yield Entry(name, "function", value, value.__module__, "", definitions(value.__module__, [value.__name__]))
    else:
        yield Entry(name, "data", value, "", "", [], CONSTANTS.get(name.removeprefix("cuda.core."), ""))


def members(name: str, kind: type) -> Iterator[Entry]:
    """Yield the public methods and properties of a class, with those that it inherits from private classes."""
    seen = set()
    fields_of = attributes(inspect.cleandoc(kind.__doc__ or ""))
    for base in own_bases(kind):
        for member, item in vars(base).items():
            if member in seen or member.startswith("_"):
                continue
            nodes = definitions_of_member(base, member)
            if is_property(item) and nodes:
                found = "property"
            elif isinstance(item, (classmethod, types.ClassMethodDescriptorType)):
                found, item = "classmethod", getattr(item, "__func__", item)
            elif isinstance(item, staticmethod):
                found, item = "staticmethod", item.__func__
            elif callable(item) and not isinstance(item, type):
                found = "method"
            else:
                continue  # a default of a field
            seen.add(member)
            described = fields_of.get(member, "")
            yield Entry(f"{name}.{member}", found, item, base.__module__, base.__name__, nodes, described)


def own_bases(kind: type) -> Iterator[type]:
    """Yield a class and the private classes whose members it has, unless a public base has them."""
    public_bases = [base for base in kind.__mro__[1:] if id(base) in exported()]
    for base in kind.__mro__:
        if base.__module__.startswith("cuda.core") and not any(issubclass(each, base) for each in public_bases):
            yield base


def definitions_of_member(kind: type, member: str) -> list[ast.AST]:
    """Return the definitions of a member: a stub may have them only in a base."""
    for base in kind.__mro__:
        if found := definitions(base.__module__, [base.__name__, member]):
            return found
    return []


def is_property(item: object) -> bool:
    return isinstance(item, (property, functools.cached_property, types.GetSetDescriptorType))


@functools.cache
def exported() -> dict[int, str]:
    """Return the public name of each public class, by its id()."""
    names = {}
    for module in MODULES:
        exporter = importlib.import_module(module)
        for name in names_in(exporter):
            names.setdefault(id(getattr(exporter, name)), f"{module}.{name}")
    return names | {id(returned_class(name, module)): f"cuda.core.{name}" for name, module in RETURNED.items()}


@functools.cache
def tree(module: str) -> ast.Module:
    """Return the parsed stub of a module, or its source if it has none."""
    path = source(module)
    stub = path.with_suffix(".pyi")
    if path.suffix == ".pyx" and not stub.exists():
        return ast.Module([], [])  # classes that are only used in other compiled modules
    return ast.parse((stub if stub.exists() else path).read_text())


def source(module: str) -> pathlib.Path:
    """Return the .py or .pyx file of a module in the repository: an installed package has no .pyx files."""
    path = ROOT / "cuda_core" / module.replace(".", "/")
    candidates = (path.with_suffix(".pyx"), path.with_suffix(".py"), path / "__init__.py")
    return next(each for each in candidates if each.exists())


def definitions(module: str, names: list[str]) -> list[ast.AST]:
    """Return the definitions of a name in a module: of a function with overloads, these."""
    scope: list[ast.AST] = [tree(module)] if module.startswith("cuda.core") else []
    for name in names:
        inside = [node for each in scope for node in getattr(each, "body", ()) if isinstance(node, NAMED)]
        scope = [node for node in inside if name_of(node) == name]
    overloads = [node for node in scope if "overload" in map(ast.unparse, getattr(node, "decorator_list", ()))]
    return overloads or scope[:1]  # of a property, the getter


def name_of(node: ast.AST) -> str:
    if isinstance(node, (ast.AnnAssign, ast.Assign)):
        return ast.unparse(node.target if isinstance(node, ast.AnnAssign) else node.targets[0])
    return node.name


def parameters(entry: Entry) -> list[str]:
    """Return the names of the parameters that users pass, in the order of the signature, of all overloads."""
    names: dict[str, None] = {}
    for node in constructors(entry):
        for argument in arguments(node, entry.kind):
            names.setdefault(argument)
    return list(names)


def constructors(entry: Entry) -> list[Definition]:
    """Return the definitions that have an entry's parameters: of a class, that of `__init__`."""
    if entry.kind != "class":
        return typing.cast("list[Definition]", entry.nodes)
    for base in entry.value.__mro__:
        if base.__module__.startswith("cuda.core"):
            for name in ("__init__", "__new__"):
                if found := definitions(base.__module__, [base.__name__, name]):
                    return typing.cast("list[Definition]", found)
    return []


def arguments(node: Definition, kind: str) -> list[str]:
    """Return the names of a definition's arguments, without self."""
    given = node.args
    names = [each.arg for each in (*given.posonlyargs, *given.args)]
    names = names if kind in ("function", "staticmethod") else names[1:]
    names += [f"*{given.vararg.arg}"] if given.vararg else []
    names += [each.arg for each in given.kwonlyargs]
    return names + ([f"**{given.kwarg.arg}"] if given.kwarg else [])


def signatures(entry: Entry) -> list[str]:
    """Return the signatures with types, one for each overload; without parentheses for a property."""
    if entry.kind == "data" or entry.name.removeprefix("cuda.core.") in RETURNED:
        return []
    if entry.kind == "property":
        return [f": {returns(entry)}"]
    if dataclasses.is_dataclass(entry.value):
        return [fields(entry.value)]
    return [signature(node, entry) for node in constructors(entry)]


def signature(node: Definition, entry: Entry) -> str:
    text = ", ".join(formatted(node.args, 0 if entry.kind in ("function", "staticmethod") else 1))
    result = annotation(node.returns, entry)
    return f"({text})" if entry.kind == "class" or not result else f"({text}) -> {result}"


def formatted(given: ast.arguments, first: int) -> Iterator[str]:
    """Yield the parameters of a definition from the first that users pass, with types and defaults."""
    listed = [*given.posonlyargs, *given.args]
    defaults = [None] * (len(listed) - len(given.defaults)) + given.defaults
    for number in range(first, len(listed)):
        yield one(listed[number], defaults[number])
        if number + 1 == len(given.posonlyargs):
            yield "/"
    if given.vararg:
        yield "*" + one(given.vararg, None)
    elif given.kwonlyargs:
        yield "*"
    yield from map(one, given.kwonlyargs, given.kw_defaults)
    if given.kwarg:
        yield "**" + one(given.kwarg, None)


def one(argument: ast.arg, default: ast.expr | None) -> str:
    text = argument.arg + (f": {unquoted(argument.annotation)}" if argument.annotation else "")
    return text + (f" = {ast.unparse(default)}" if default else "")


def unquoted(node: ast.expr | None) -> str:
    text = ast.unparse(node) if node else ""
    return text[1:-1] if text[:1] in "\"'" else text


def annotation(node: ast.expr | None, entry: Entry) -> str:
    return re.sub(r"\b(typing\.)?Self\b", entry.name.split(".")[-2 if entry.kind != "class" else -1], unquoted(node))


def returns(entry: Entry) -> str:
    """Return the type of a result or property, "" if the definition does not say it."""
    found = dict.fromkeys(annotation(type_of(node), entry) for node in entry.nodes)
    return " | ".join(found)


def type_of(node: ast.AST) -> ast.expr | None:
    if isinstance(node, ast.AnnAssign):
        return node.annotation
    if isinstance(node, ast.Assign):  # _field(name, description, type) of cuda.core.system
        given = node.value.args if isinstance(node.value, ast.Call) else []
        return given[2] if len(given) > 2 else ast.Name("int")
    return getattr(node, "returns", None)


def fields(kind: type) -> str:
    """Return the signature of a dataclass."""
    listed = [field for field in dataclasses.fields(kind) if field.init and not field.name.startswith("_")]
    texts = [f"{field.name}: {field.type}" + default(field) for field in listed]
    return f"({', '.join(texts)})"


def default(field: dataclasses.Field) -> str:
    if field.default_factory is not dataclasses.MISSING:
        return f" = {field.default_factory.__name__}()"
    value = field.default
    return "" if value is dataclasses.MISSING else f" = {value if isinstance(value, type) else shown(value)}"


def shown(value: object) -> str:
    return f"{type(value).__name__}.{value.name}" if hasattr(value, "name") and hasattr(value, "value") else repr(value)


def sections(doc: str) -> dict[str, str]:
    """Return the sections of a NumPy-style docstring by their titles, the text before them as ""."""
    parts = re.split(r"^([A-Z][A-Za-z ]+)\n-{3,}$", doc, flags=re.MULTILINE)
    titled = zip(parts[1::2], parts[2::2], strict=True)
    return {"": parts[0].strip()} | {title: text.strip("\n") for title, text in titled}


def attributes(doc: str) -> dict[str, str]:
    """Return the descriptions in the section Attributes of a class: C-level fields have no docstrings of their own."""
    found: dict[str, str] = {}
    names: list[str] = []
    for line in sections(doc).get("Attributes", "").splitlines():
        if line[:1].strip():
            names = named(line)
        else:
            found |= {name: f"{found.get(name, '')} {line.strip()}".strip() for name in names}
    return found


def named(section: str) -> list[str]:
    """Return the names that a section of parameters or exceptions describes."""
    heads = [line.partition(" : ")[0] for line in section.splitlines() if line and not line.startswith(" ")]
    return [name.strip() for head in heads for name in head.split(",")]
