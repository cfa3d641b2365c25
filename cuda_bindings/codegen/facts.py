# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""What the headers declare, in files of the repository: a build then needs neither the headers nor libclang.

`python -m codegen facts` reads the headers and writes facts/. The other commands read these files or, if
CUDA_HOME is set, the headers of that toolkit.
"""

from __future__ import annotations

import dataclasses
import json
import os
from typing import Any

from codegen import apis, model
from codegen.model import Library

FOLDER = apis.HERE / "facts"
EVERY_VERSION = "driver_symbols"  # the driver's functions by their symbols, with older versions
NAMES = (*apis.APIS, EVERY_VERSION)
NVML_FUNCTIONS = FOLDER / "nvml_functions.txt"  # a name on each line
# Classes of the model that a file has, by their names.
CLASSES = {each.__name__: each for each in (
    model.Primitive, model.Named, model.Pointer, model.Array, model.FunctionType, model.Param, model.Function,
    model.Field, model.Struct, model.Enumerator, model.Enum, model.Typedef, model.Constant,
)}  # fmt: skip


def read(name: str) -> Library:
    """Return what the headers of an API declare, without roles.

    Parameters
    ----------
    name : str
        A row of `apis.APIS`, or `EVERY_VERSION`.
    """
    return from_headers(name) if os.environ.get("CUDA_HOME") else loads((FOLDER / f"{name}.json").read_text())


def from_headers(name: str) -> Library:
    """Return what `read` returns, by libclang from the headers."""
    from codegen import headers

    return headers.read_every_version(apis.APIS["driver"]) if name == EVERY_VERSION else headers.read(apis.APIS[name])


def nvml_functions() -> set[str]:
    """Return the names of all functions of NVML, with those that macros of nvml.h replace by newer ones."""
    if os.environ.get("CUDA_HOME"):
        from codegen import headers

        return headers.nvml_functions()
    return set(NVML_FUNCTIONS.read_text().split())


def texts() -> dict[str, str]:
    """Return the text of every file by its name, from the headers."""
    from codegen import headers

    found = {f"{name}.json": dumps(from_headers(name)) for name in NAMES}
    return found | {NVML_FUNCTIONS.name: "".join(f"{name}\n" for name in sorted(headers.nvml_functions()))}


def dumps(library: Library) -> str:
    """Return a library as JSON, with a line for each declaration; an object is [class, fields ...]."""
    lines = []
    for field in dataclasses.fields(library):
        value = getattr(library, field.name)
        if isinstance(value, dict):
            items = [f"  {json.dumps(key)}: {json.dumps(_encoded(each))}" for key, each in value.items()]
            text = "{\n" + ",\n".join(items) + "\n }" if items else "{}"
        else:
            text = json.dumps(value)
        lines.append(f" {json.dumps(field.name)}: {text}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def loads(text: str) -> Library:
    """Return the library that `dumps` has written."""
    fields: dict[str, Any] = json.loads(text)
    for name, value in fields.items():
        if isinstance(value, dict):
            fields[name] = {key: _decoded(each) for key, each in value.items()}
    return Library(**fields)


def _encoded(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_encoded(each) for each in value]
    if not dataclasses.is_dataclass(value):
        return value
    fields = dataclasses.fields(value)
    while fields and fields[-1].default == getattr(value, fields[-1].name):
        fields = fields[:-1]
    return [type(value).__name__, *(_encoded(getattr(value, field.name)) for field in fields)]


def _decoded(value: Any) -> Any:
    if not isinstance(value, list):
        return value
    if value and isinstance(value[0], str) and value[0] in CLASSES:
        return CLASSES[value[0]](*map(_decoded, value[1:]))
    return tuple(map(_decoded, value))
