# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The pages of the reference of cuda.core: every public name has one, with signature and links."""

import importlib
import itertools
import pathlib
import re
import sys

import pytest

pytest.importorskip("docutils", reason="Sphinx is not installed")  # a folder `sphinx` may exist without it
pytest.importorskip("sphinx.ext.autodoc", reason="Sphinx is not installed")
sys.path.append(str(pathlib.Path(__file__).parent.parent / "docs"))

import bindings_pages
import core_api
import core_pages

import cuda.core

PAGES = core_pages.pages()
DESCRIBED = r"\.\. py:(?:class|exception|function|method|property|data):: "


def test_every_public_name_is_on_one_page():
    described = [
        f"{module}.{name}"
        for page in PAGES.values()
        for module, name in re.findall(rf"\.\. py:currentmodule:: (\S+)\n\n{DESCRIBED}([\w.]+)", page)
    ]
    assert len(described) > 600
    assert sorted(described) == sorted(entry.name for entry in core_api.public())


def test_the_index_leads_to_every_page():
    index = PAGES["core.md"]
    listed = re.findall(r"^core\.[\w.]+$", index, re.MULTILINE)
    assert sorted(f"{name}.md" for name in listed) == sorted(set(PAGES) - {"core.md"})
    linked = re.findall(r"\| \{py:\w+\}`\w+ <([\w.]+)>`", index)
    assert (
        len(linked)
        == len(set(linked))
        == sum(entry.kind in ("class", "function", "data") for entry in core_api.public())
    )


def test_all_public_modules_are_covered():
    folder = pathlib.Path(cuda.core.__file__).parent
    modules = {path.parent if path.name == "__init__.py" else path.with_suffix("") for path in folder.rglob("*.py")}
    names = {".".join(path.relative_to(folder.parent).parts) for path in modules}
    public = {f"cuda.{name}" for name in names if not re.search(r"\b_", name)}
    # An extension of IPython, and exceptions that cuda.core.system has, too.
    assert public - {"cuda.core.ipython", "cuda.core.system.exceptions"} == set(core_api.MODULES)


def test_classes_that_calls_return_have_a_page():
    entries = list(core_api.public())
    known = {each.member for each in entries if each.kind == "class"}
    stubs = [path for path in pathlib.Path(cuda.core.__file__).parent.rglob("*.py*") if path.suffix in (".py", ".pyi")]
    defined = {name for path in stubs for name in re.findall(r"^class ([A-Z]\w+)", path.read_text(), re.MULTILINE)}
    returned = {name for each in entries for name in re.findall(r"\b[A-Z]\w+", core_api.returns(each))}
    assert sorted(returned & defined - known) == []


def entry(name):
    return next(each for each in core_api.public() if each.name == f"cuda.core.{name}")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Stream.sync", ["(timeout: float | None = None) -> None"]),
        ("Stream.priority", [": int"]),
        ("StreamOptions", ["(nonblocking: bool = True, priority: int | None = None)"]),
        ("Buffer.fill", ["(value: Any, *, stream: IsStreamType) -> None"]),
        ("DeviceMemoryResource.allocate", ["(size: int, *, stream: IsStreamType) -> Buffer"]),
    ],
)
def test_signatures_have_types_and_defaults(name, expected):
    assert core_api.signatures(entry(name)) == expected


def test_overloads_are_shown_one_by_one():
    assert len(core_api.signatures(entry("Buffer.copy_to"))) == 2


def test_names_in_docstrings_become_links():
    entries = {each.name: each for each in core_api.public()}
    stream = entries["cuda.core.Stream.close"]
    assert core_pages.link("see `sync`", stream, entries) == "see :py:obj:`sync <cuda.core.Stream.sync>`"
    assert core_pages.link("see `Event.sync`", stream, entries) == "see :py:obj:`Event.sync <cuda.core.Event.sync>`"
    assert core_pages.link("see `nothing`", stream, entries) == "see ``nothing``"


@pytest.mark.parametrize(("name", "function", "subject"), [
    ("nvml", "device_get_temperature", "Temperature and fans"),
    ("nvml", "device_get_name", "Identity and modes of devices"),
    ("cufile", "read_async", "Reads and writes"),
    ("cudla", "submit_task", "Modules and tasks"),
])  # fmt: skip
def test_functions_are_divided_by_subject(name, function, subject):
    stub = bindings_pages.stubs()[name]
    functions = re.findall(r"^def ([a-z]\w*)", stub.read_text(), re.MULTILINE)
    module = importlib.import_module(f"cuda.bindings.{name}")
    found = bindings_pages.by_subject(module, functions)
    assert sorted(itertools.chain(*found.values())) == sorted(functions)
    assert function in found[subject]
    assert max(map(len, found.values())) <= max(len(functions) // 4, 12)
