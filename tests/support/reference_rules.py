# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Rules for the docstrings of cuda.core's public names: `violations` returns which of them an entry violates.

The rule for exceptions: "Raises" names every exception type that the body raises, itself or through functions of the
same file, as `raised_exceptions` reads the source. It may name more. A body that raises nothing needs no section.
A class says what several threads may do with its instances.
"""

import builtins
import dataclasses
import enum
import importlib
import pathlib
import re
import sys
from collections.abc import Iterator

from support import raised_exceptions

sys.path.append(str(pathlib.Path(__file__).parents[2] / "docs"))

import core_api

SECTIONS = ["Parameters", "Attributes", "Returns", "Yields", "Raises", "Notes", "Examples"]
IMPERATIVE = re.compile(
    r"(Acquire|Add|Allocate|Begin|Call|Change|Close|Combine|Compile|Copy|Create|Decorate|"
    r"Describe|Destroy|Disable|Discard|Do|Enable|End|Enlarge|Export|Fill|Fork|Forward|Free|"
    r"Instantiate|Join|Launch|Let|Link|Lock|Make|Map|Move|Open|Parse|Prefetch|Prepare|Raise|"
    r"Read|Record|Register|Release|Remove|Replace|Report|Reset|Restore|Restrict|Return|Set|"
    r"Split|Stop|Store|Unload|Unlock|Unmap|Unregister|Update|Upload|View|Wait|Wrap|Write|"
    r"Yield)\b"
)
# Parts of the names of properties that are quantities, and the units of which their description names one.
UNITS = {
    r"(^|_)(size|bytes|bytesize|pitch|offset)(_|$)": "byte|multiple|element|number of|multiprocessor|MHz",
    r"temperature": "degree|Celsius",
    r"power": "watt",
    r"(^|_)(width|height)$": "element|byte|pixel|row|block|number of",
}


def violations(entry: core_api.Entry) -> Iterator[str]:
    """Yield the rules that an entry's docstring violates, each with what is missing or wrong."""
    sections = core_api.sections(entry.doc)
    if not entry.summary:
        yield "no docstring"
        return
    if not entry.summary.rstrip("`)").endswith((".", ":")):
        yield f"the first sentence has no end: {entry.summary[:60]!r}"
    titles = [title for title in sections if title]
    if titles != sorted(titles, key=SECTIONS.index if set(titles) <= set(SECTIONS) else str):
        yield f"sections {titles}: known ones are {SECTIONS}, in this order"
    if entry.kind == "data":
        return
    if entry.kind == "class":
        yield from _of_class(entry, sections)
    elif entry.kind == "property":
        yield from _of_property(entry)
    else:
        yield from _of_function(entry, sections)


def _of_class(entry: core_api.Entry, sections: dict[str, str]) -> Iterator[str]:
    kind = entry.value
    if dataclasses.is_dataclass(kind):
        fields = [field.name for field in dataclasses.fields(kind) if not field.name.startswith("_")]
        documented = core_api.named(sections.get("Attributes", "")) or core_api.named(sections.get("Parameters", ""))
        if sorted(documented) != sorted(fields):
            yield f"Attributes are {documented}, fields {fields}"
    elif (
        not issubclass(kind, (BaseException, enum.Enum))
        and entry.name.removeprefix("cuda.core.") not in core_api.RETURNED
    ):
        parameters = [name for name in core_api.parameters(entry) if not name.startswith("*")]
        documented = [name for name in core_api.named(sections.get("Parameters", "")) if not name.startswith("*")]
        if documented != parameters:
            yield f"Parameters are {documented}, the constructor's {parameters}"
    if needs_example(entry) and "Examples" not in sections:
        yield "no Examples"
    if has_state(kind) and not re.search(r"^Thread safety: \w", sections[""], re.MULTILINE):
        yield "no sentence 'Thread safety: ...' in the description"


def has_state(kind: type) -> bool:
    """Return whether threads can share instances that change: not enumerations, exceptions, tuples and protocols."""
    return not issubclass(kind, (BaseException, enum.Enum, tuple)) and not getattr(kind, "_is_protocol", False)


def needs_example(entry: core_api.Entry) -> bool:
    """Return whether users meet a class by its name: not enumerations, exceptions, protocols and what calls return."""
    kind = entry.value
    if entry.name.removeprefix("cuda.core.") in core_api.RETURNED:
        return False
    return not issubclass(kind, (BaseException, enum.Enum)) and not getattr(kind, "_is_protocol", False)


def _of_property(entry: core_api.Entry) -> Iterator[str]:
    if not core_api.returns(entry):
        yield "no type in the stub or the annotation"
    if not IMPERATIVE.match(entry.summary) and not entry.attribute:
        yield f"begins with {entry.summary.split()[0]!r}, not with a known imperative"
    for pattern, units in UNITS.items():
        numeric = re.search(r"\b(int|float)\b", core_api.returns(entry))
        if numeric and re.search(pattern, entry.member) and not re.search(units, entry.doc):
            yield f"names no unit ({units})"


def _of_function(entry: core_api.Entry, sections: dict[str, str]) -> Iterator[str]:
    if not IMPERATIVE.match(entry.summary):
        yield f"begins with {entry.summary.split()[0]!r}, not with a known imperative"
    documented, parameters = core_api.named(sections.get("Parameters", "")), core_api.parameters(entry)
    if documented != parameters:
        yield f"Parameters are {documented}, the signature's {parameters}"
    if core_api.returns(entry) not in ("", "None") and not sections.keys() & {"Returns", "Yields"}:
        yield f"no Returns, but it returns {core_api.returns(entry)}"
    source = core_api.source(entry.module)
    named = core_api.named(sections.get("Raises", ""))
    missing = raised_exceptions.raised(source, entry.owner, entry.member) - set(named)
    if missing:
        yield f"Raises lacks {', '.join(sorted(missing))}"
    unknown = [name for name in named if not is_exception(name)]
    if unknown:
        yield f"Raises names {', '.join(unknown)}, which are no exceptions"
    called = raised_exceptions.driver_functions(source, entry.owner, entry.member)
    if called and not any(re.search(rf"\b{name}", entry.doc) for name in called):
        yield f"names no driver function behind it: {', '.join(sorted(called))}"
    if "Examples" not in sections:
        yield "no Examples"


def is_exception(name: str) -> bool:
    modules = (builtins, importlib.import_module("cuda.core"), importlib.import_module("cuda.core.system"))
    found = next((getattr(module, name) for module in modules if hasattr(module, name)), None)
    return isinstance(found, type) and issubclass(found, BaseException)
