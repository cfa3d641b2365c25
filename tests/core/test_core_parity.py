# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Names, members, signatures and defaults match NVIDIA's cuda.core 1.2 (api_names.json), with listed exceptions.

Inherited members are listed with the base class only.
"""

import importlib
import inspect
import json
import pathlib

import pytest

HERE = pathlib.Path(__file__).parent
NAMES = json.loads((HERE / "api_names.json").read_text())
EVERY = [(module, name) for module, names in NAMES.items() for name in names]

# Our signatures that differ from the listed ones, with the reason.
DIFFERENT = {
    "cuda.core.Linker": ("(*object_codes, options=None)", "its own documentation and programs put the objects first"),
    "cuda.core.Event.sync": ("(self, timeout=None)", "takes more"),
    "cuda.core.Stream.sync": ("(self, timeout=None)", "takes more"),
}
# Our additional fields after theirs, None by default if not written otherwise.
ADDED = {
    "cuda.core.ProgramOptions": (
        "warning_as_error",
        "warn_reorder",
        "warn_conversion",
        "device_stack_protector",
        "jump_table_density",
        "modify_stack_limit",
        "enable_tile",
        "tile_only",
        "tile_as_default_execution_space",
        "compiler",
    ),
    "cuda.core.LaunchConfig": ("host_arrays=False",),
    "cuda.core.LinkerOptions": ("relocatable",),
}
# Our additional members of enumerations: the form of programs that is Tile IR, and a compiler.
ADDED_MEMBERS = {"CLANG", "TILE", "TILE_IR", "TILEIRAS"}
ABSENT = object()


def find(module, name):
    try:
        return getattr(importlib.import_module(module), name, ABSENT)
    except ModuleNotFoundError:
        return ABSENT


def render(function, *, bound):
    """Return a signature without annotations; that of a bound method includes the first parameter, as in the list."""
    signature = inspect.signature(function)
    plain = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
    text = str(signature.replace(parameters=plain, return_annotation=signature.empty))
    return text.replace("(", f"({bound}, ", 1).replace(", )", ")") if bound else text


def refused(member):
    """Return whether a member exists only to raise an error that it is not supported."""
    return (inspect.getdoc(member) or "").startswith("Raise NotImplementedError")


def difference(path, value, member, listed):
    """Return the difference of a member, or an empty string."""
    if member == "__hash__":
        return "" if value.__hash__ is None else "is hashable"
    found = inspect.getattr_static(value, member, ABSENT)
    if found is ABSENT:
        return "is not there"
    if refused(found if isinstance(found, property) else getattr(value, member)):
        return "raises NotImplementedError"
    kind, _, signature = listed.partition(" ")
    if kind not in ("method", "static", "class"):
        if callable(found):
            return "is no property or field"
        return "" if kind == "property" or type(found).__name__ in (kind, "member_descriptor") else f"is no {kind}"
    if not signature or (kind == "method" and type(found).__name__ == "wrapper_descriptor"):  # a slot of a C type
        return "" if callable(getattr(value, member)) else "cannot be called"
    signature = DIFFERENT.get(path, (signature,))[0]
    # Access through the object binds `self` or `cls`, which the signature then omits.
    taken = "cls" if kind == "class" else ""
    ours = render(getattr(value, member), bound=taken)
    same = ours.replace("(self, /", "(self") == signature.replace("(self, /", "(self")
    return "" if same else f"is {ours}, not {signature}"


def call_difference(path, name, value, facts):
    text = facts.get("function") or facts.get("class")
    if not text or text == "()":
        return ""
    text = DIFFERENT.get(path, (text,))[0]
    made_by_new = path == "cuda.core.Device"
    ours = render(value.__new__, bound="").replace("(cls, ", "(") if made_by_new else render(value, bound="")
    ours = ours.replace("".join(f", {field if '=' in field else field + '=None'}" for field in ADDED.get(path, ())), "")
    return "" if ours == text else f"is {ours}, not {text}"


def differences(module, name):
    """Yield the path and the difference of a name and of its members."""
    path, facts, value = f"{module}.{name}", NAMES[module][name], find(module, name)
    if value is ABSENT:
        yield path, "is not there"
        return
    members = {key: member.value for key, member in getattr(value, "__members__", {}).items()}
    if "enum" in facts and {key: members[key] for key in members.keys() - ADDED_MEMBERS} != facts["enum"]:
        yield path, "has other members"
    members = (
        {key: int(member) for key, member in getattr(value, "__members__", {}).items()}
        if "header_enum" in facts
        else {}
    )
    if lacking := facts.get("header_enum", {}).items() - members.items():  # a newer header has more
        yield path, f"lacks members {lacking}"
    if text := call_difference(path, name, value, facts):
        yield path, text
    bases = {base.__name__ for base in getattr(value, "__mro__", ())}
    if missing := set(facts.get("bases", ())) - bases:
        yield path, f"is not derived from {missing}"
    for member, listed in facts.get("members", {}).items():
        if text := difference(f"{path}.{member}", value, member, listed):
            yield f"{path}.{member}", text


@pytest.mark.parametrize(("module", "name"), EVERY, ids=lambda value: value)
def test_name_and_members(module, name):
    assert dict(differences(module, name)) == {}
