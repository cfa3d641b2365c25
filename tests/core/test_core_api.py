# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The public names and signatures are those of cuda.core 1.2, as listed in api_names.json."""

import importlib
import inspect
import json
import pathlib
import re

import pytest
from support.scripts import run_checked

NAMES = json.loads((pathlib.Path(__file__).parent / "api_names.json").read_text())
MODULES = tuple(NAMES)
PRESENT = [(module, name) for module, names in NAMES.items() for name, facts in names.items() if facts]
ABSENT = [(module, name) for module, names in NAMES.items() for name, facts in names.items() if not facts]

# Where the list has a signature that its own documentation and programs contradict: the objects come first.
DIFFERENT = {"Linker": "(*object_codes, options=None)"}
# Members of ours that take more than the list's.
LONGER = {("Stream", "sync"): "(self, timeout=None)", ("Event", "sync"): "(self, timeout=None)"}
# Python's own protocol, whose type slot has a signature of its own from 3.12 on.
SLOTS = {"__buffer__"}


def parsed(text):
    """Return the signature that a listed text spells, without annotations."""
    body = text[text.index("(") :]
    body = re.sub(r"\b(?:int|bool) (\w+):", r"\1:", body)  # Cython's C types
    body = re.sub(r"<[^<>]*>", "'default'", body) if "=<" in body or "= <" in body else body
    space = {}
    exec(f"from __future__ import annotations\ndef function{body}: ...", space)
    return own(inspect.signature(space["function"]))


def own(signature):
    """Return name, kind and default of each parameter but the object or class itself."""
    return [(p.name, p.kind, p.default) for p in signature.parameters.values() if p.name not in ("self", "cls")]


def members(module, name):
    yield from NAMES[module][name].get("members", {}).items()


@pytest.mark.parametrize(("module", "name"), PRESENT, ids=lambda value: value)
def test_name_is_there(module, name):
    facts = NAMES[module][name]
    value = getattr(importlib.import_module(module), name)
    for member, text in members(module, name):
        assert hasattr(value, member), f"{name}.{member}"
        found = inspect.getattr_static(value, member)
        if text == "property":
            assert not callable(found), f"{name}.{member} is a property or field"
        elif text.startswith(("method", "static", "class")) and member not in SLOTS:
            text = LONGER.get((name, member), text)
            assert own(inspect.signature(getattr(value, member))) == parsed(text), f"{name}.{member}"
    if "enum" in facts:
        assert {key: member.value for key, member in value.__members__.items()} == facts["enum"]


def call_text(module, name):
    """Return the listed signature of a call, an empty string if the list has none."""
    text = NAMES[module][name].get("function") or NAMES[module][name].get("class") or ""
    return "" if "(" not in text or "*args, **kwargs" in text or text.startswith("()") else text


@pytest.mark.parametrize(("module", "name"), [item for item in PRESENT if call_text(*item)], ids=lambda value: value)
def test_call_signature(module, name):
    text = call_text(module, name)
    value = getattr(importlib.import_module(module), name)
    expected = parsed(DIFFERENT.get(name, text))
    function = value.__new__ if name == "Device" else value
    found = own(inspect.signature(function))
    assert [(n, k, listed(d)) for n, k, d in found] == [(n, k, listed(d)) for n, k, d in expected]


def listed(default):
    """Return a default as it compares: the list shows a cython.bint, and an enumeration's member, as text."""
    return default if isinstance(default, (int, str, type(None))) else "default"


@pytest.mark.parametrize(("module", "name"), ABSENT, ids=lambda value: value)
def test_absent_name_says_so(module, name):
    with pytest.raises(AttributeError, match=f"{name} is part of the API .* not yet of this version$"):
        getattr(importlib.import_module(module), name)


def test_unknown_name():
    import cuda.core

    with pytest.raises(AttributeError, match=r"^module 'cuda.core' has no attribute 'Devise'$"):
        cuda.core.Devise  # noqa: B018
    assert not hasattr(cuda.core, "texture")


def test_dir_lists_every_name():
    import cuda.core

    assert {name for module, name in PRESENT if module == "cuda.core"} <= set(dir(cuda.core))
    assert set(cuda.core.__all__) <= set(dir(cuda.core))


def test_import_loads_neither_driver_nor_numpy():
    text = "import sys, cuda.core; print(sorted({'numpy', 'cuda.bindings.driver', 'cuda.cpu'} & set(sys.modules)))"
    assert run_checked(text).strip() == "[]"


def test_version():
    import cuda.core

    assert cuda.core.__version__ == "1.2.2"
