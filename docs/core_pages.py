# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Write the reference of cuda.core: an index by subject, a page per class, and pages for groups of small things."""

from __future__ import annotations

import enum
import itertools
import json
import pathlib
import re
import textwrap
import tomllib
from collections.abc import Iterator

import core_api
from core_api import Entry
from sphinx.ext.napoleon import Config, NumpyDocstring

# Subjects, and the pages of each.
SUBJECTS = tomllib.loads((pathlib.Path(__file__).parent / "core_reference.toml").read_text())["subject"]
TABLE = ("| name | description |", "|---|---|")
SETTINGS = Config(napoleon_use_param=True, napoleon_use_rtype=True, napoleon_use_ivar=True)
SHOWN_SEPARATELY = ("method", "staticmethod", "classmethod", "property")

# The names that tests/core/test_core_docstrings.py defines.
EXAMPLES = """## Names in the examples

The tests run the examples of these pages. They use `import numpy as np`, everything from `cuda.core` and its modules,
and these names:

| name | is |
|---|---|
| `device`, `stream` | a current `Device`, and a stream of it |
| `source` | the CUDA C++ code of a kernel `scale(float *x, float factor, int count)` |
| `kernel`, `config` | that kernel, and a `LaunchConfig` of one block with 128 threads |
| `buffer` | 100 floats in pinned host memory, each of them 1 |
"""


def pages() -> dict[str, str]:
    """Return the texts of all pages by the names of their files."""
    entries = {entry.name: entry for entry in core_api.public()}
    texts: dict[str, str] = {}
    index, names = [], {}
    for subject in SUBJECTS:
        rows = []
        for title, file, words in contents(subject):
            tops = list(resolved(words, entries))
            texts[f"core.{file}.md"] = page(title, tops, entries)
            names |= {top.name.removeprefix("cuda.core."): f"core.{file}" for top in tops}
            rows += [row(entry) for entry in tops]
        files = [f"core.{file}" for _, file, _ in contents(subject)]
        index += ["", f"## {subject['title']}", "", *TABLE, *rows, ""]
        index += ["```{toctree}", ":hidden:", f":caption: {subject['title']}", "", *files, "```"]
    return texts | {"core.md": index_page(index, names)}


def contents(subject: dict) -> Iterator[tuple[str, str, str]]:
    """Yield the title, the file and the names of each page of a subject."""
    yield from ((name, name, name) for name in subject.get("pages", "").split())
    yield from ((group["title"], group["file"], group["names"]) for group in subject.get("group", ()))


def resolved(words: str, entries: dict[str, Entry]) -> Iterator[Entry]:
    """Yield the classes and functions that the names of a page stand for."""
    for word in words.split():
        selection, colon, module = word.partition(":")
        if not colon:
            yield entries[f"cuda.core.{word}"]
            continue
        prefix = f"cuda.core.{module}.".replace("..", ".")
        for name, entry in entries.items():
            is_error = isinstance(entry.value, type) and issubclass(entry.value, BaseException)
            kind = {"functions": entry.kind == "function", "exceptions": is_error, "all": True}[selection]
            if kind and entry.kind in ("class", "function") and name == prefix + entry.member:
                yield entry


def index_page(index: list[str], names: dict[str, str]) -> str:
    """Return the page that lists everything by subject, and leads from the anchors of the former single page."""
    groups = {name: file for name, file in names.items() if file != f"core.{name}"}
    script = (
        f"<script>const pages = {json.dumps(groups)}, modules = {json.dumps(core_api.SUBMODULES)};\n"
        'const anchor = location.hash.slice(1), words = anchor.replace("cuda.core.", "").split(".");\n'
        'const name = words.slice(0, modules.includes(words[0]) ? 2 : 1).join(".");\n'
        'if (anchor.startsWith("cuda.core.")) location.replace((pages[name] || "core." + name) + ".html#" + anchor);'
        "</script>"
    )
    lines = ["# cuda.core", "", "The public classes and functions by subject. Each page has signatures with types,"]
    lines += [
        "and examples that the tests run.",
        "",
        "```{raw} html",
        script,
        "```",
        "",
        *index,
        "",
        EXAMPLES,
    ]
    return "\n".join(lines) + "\n"


def page(title: str, tops: list[Entry], entries: dict[str, Entry]) -> str:
    """Return the page of one class, or of several classes and functions."""
    lines = [f"# {title}", ""]
    if any(top.name.removeprefix("cuda.core.") in core_api.RETURNED for top in tops):
        lines += ["Methods and properties return these objects; they are not created directly.", ""]
    if len(tops) > 1:
        lines += [*TABLE, *map(row, tops), ""]
    for top in tops:
        if len(tops) > 1:
            lines += [f"## {top.member}", ""]
        lines += reference(
            top, [each for each in entries.values() if each.name.rpartition(".")[0] == top.name], entries
        )
    if any(">>>" in each.doc for top in tops for each in (top, *entries.values()) if each.name.startswith(top.name)):
        lines += ["The examples use the [names of the index](core.md#names-in-the-examples).", ""]
    return "\n".join(lines)


def reference(top: Entry, members: list[Entry], entries: dict[str, Entry]) -> list[str]:
    """Return the reference of a class with its members, or of a function."""
    shown = [each for each in members if each.kind in SHOWN_SEPARATELY]
    methods = [each for each in shown if each.kind != "property"]
    properties = [each for each in shown if each.kind == "property"]
    lines = directive(top, entries)
    for title, group in (("Methods", methods), ("Properties", properties)):
        if group:
            lines += [f"**{title}**", "", *TABLE, *map(row, group), ""]
    return lines + [line for each in (*methods, *properties) for line in directive(each, entries)]


def row(entry: Entry) -> str:
    summary = entry.summary.replace("|", "\\|")
    role = {"class": "class", "function": "func", "property": "attr", "data": "data"}.get(entry.kind, "meth")
    return f"| {{py:{role}}}`{entry.member} <{entry.name}>` | {summary} |"


def directive(entry: Entry, entries: dict[str, Entry]) -> list[str]:
    """Return an entry as a directive of Sphinx's Python domain."""
    module = ".".join(itertools.takewhile(lambda part: part[0].islower(), entry.name.split(".")[:-1]))
    local = entry.name.removeprefix(f"{module}.")
    signatures = [links(text, entries) for text in core_api.signatures(entry)] or [""]
    lines = ["```{eval-rst}", f".. py:currentmodule:: {module}", ""]
    if entry.kind == "property":
        lines += [f".. py:property:: {local}", f"   :type: {signatures[0].removeprefix(': ')}"]
    else:
        kind = "exception" if isinstance(entry.value, type) and issubclass(entry.value, BaseException) else entry.kind
        kind = {"staticmethod": "method", "classmethod": "method"}.get(kind, kind)
        lines += [f".. py:{kind}:: {local}{signatures[0]}"]
        lines += [f"{' ' * len(f'.. py:{kind}:: ')}{local}{each}" for each in signatures[1:]]
        lines += [f"   :{entry.kind}:"] if entry.kind in ("staticmethod", "classmethod") else []
    return [*lines, "", textwrap.indent(text(entry, entries), "   "), "```", ""]


def text(entry: Entry, entries: dict[str, Entry]) -> str:
    """Return a docstring as reStructuredText, with links to what it names."""
    listed = ""
    if isinstance(entry.value, type) and issubclass(entry.value, enum.Enum):
        members = [f"``{member.value!r}``: ``{name}``" for name, member in entry.value.__members__.items()]
        listed = "\n\nMembers and their values:\n\n" + "\n".join(f"- {member}" for member in members)
    lines = str(NumpyDocstring(entry.doc, SETTINGS, what=entry.kind, name=entry.name)).splitlines()
    lines = [links(line, entries) if line.startswith(":type ") else line for line in lines]
    linked = [line if line.lstrip().startswith(">>>") else link(line, entry, entries) for line in lines]
    return "\n".join(linked).rstrip() + listed


def link(line: str, entry: Entry, entries: dict[str, Entry]) -> str:
    """Return a line in which `names` are links if the reference has them, and code otherwise."""

    def replaced(found: re.Match[str]) -> str:
        owner = entry.name if entry.kind == "class" else entry.name.rpartition(".")[0]
        for full in (
            found[1],
            f"{owner}.{found[1]}",
            f"{owner.rpartition('.')[0]}.{found[1]}",
            f"cuda.core.{found[1]}",
        ):
            if full in entries:
                return f":py:obj:`{found[1]} <{full}>`"
        return f"``{found[1]}``"

    line = re.sub(r"(?<![`:\w])`([^`<]+)`(?![`_])", replaced, line)
    return re.sub(r"(?<![<`])(https?://[^\s>`]+[\w/])", r"`\1 <\1>`__", line)


def links(signature: str, entries: dict[str, Entry]) -> str:
    """Return a signature with the full names of public classes, which conf.py shortens again."""
    tops = {entry.member: name for name, entry in reversed(entries.items()) if entry.kind == "class"}
    return re.sub(r"(?<![\w.\"'])([A-Z]\w+)\b(?![\w.\"'(])", lambda found: tops.get(found[1], found[1]), signature)
