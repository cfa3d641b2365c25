# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The generator's names and their order are those of NVIDIA's CUDA Python 13.5 (api_names.json)."""

import json
import pathlib

import pytest

from codegen import apis, roles, tables
from codegen.model import Named
from codegen.names import Names

NAMES = json.loads((pathlib.Path(__file__).parent / "api_names.json").read_text())
NO_HEADER = "no obtainable header"
# What the module has and no header declares; tests/bindings/test_public_names.py finds all of it in the built modules.
DIFFERENCES = {
    "driver": {"sizeof": NO_HEADER, "cudaBindingsDriverGlobal": NO_HEADER},
    "runtime": dict.fromkeys(
        [
            "sizeof",
            "cudaBindingsRuntimeGlobal",
            "getLocalRuntimeVersion",
            "make_cudaExtent",
            "make_cudaPitchedPtr",
            "make_cudaPos",
        ],
        NO_HEADER,
    ),
    "nvrtc": {"sizeof": NO_HEADER},
    "nvjitlink": {},
    "nvvm": {},
    "nvfatbin": {},
    # In no header: two checks of a status, and the text of one, which cufile.h has as an inline function.
    "nvml": dict.fromkeys(["check_status", "check_status_size"], NO_HEADER),
    "cufile": {"op_status_error": NO_HEADER},
    "cudla": {"check_status": NO_HEADER},
}
METHODS = {"set_dsts_srcs", "from_buffer", "from_data", "from_ptr", "ptr"}  # of the class, no field of the struct


@pytest.fixture(params=list(NAMES))
def module(request):
    return request.param


def absent(module, kind, ours):
    return {name for name in NAMES[module][kind] if name not in ours and name not in DIFFERENCES[module]}


def test_every_function_takes_the_same_arguments(module, libraries):
    api = apis.APIS[module]
    ours = {
        roles.python_function_name(api, function.name): [
            roles.python_param(api, param) + (f"={param.default}" if param.default else "")
            for param in roles.passed(function)
        ]
        for function in libraries[module].functions.values()
    }
    assert absent(module, "functions", ours) == set()
    theirs = {name: names for name, names in NAMES[module]["functions"].items() if name in ours}
    assert {name: ours[name] for name in theirs} == theirs


def test_every_struct_and_handle_is_there_with_its_fields(module, libraries):
    library, names = libraries[module], Names(libraries[module])
    public = {names.struct(name) for name in library.structs} if names.records else set()
    assert absent(module, "structs", {**library.structs, **library.typedefs} | dict.fromkeys(public)) == set()
    for name, fields in NAMES[module]["structs"].items():
        if struct := struct_named(library, names, name):
            assert set(fields) - METHODS <= set(map(names.field, field_names(library, struct))), name


def struct_named(library, names, name):
    if names.records:
        return next(struct for struct in library.structs.values() if names.struct(struct.name) == name)
    while name in library.typedefs and isinstance(library.typedefs[name].type, Named):
        name = library.typedefs[name].type.name
    return library.structs.get(name)


def field_names(library, struct):
    """List a struct's fields, those of its unnamed members included."""
    for field in struct.fields:
        yield from [field.name] if field.name else field_names(library, library.structs[field.type.name])


def test_every_enum_has_as_many_members(module, libraries):
    api, library = apis.APIS[module], libraries[module]
    if api.strip:  # which have their members' names, too
        return check_members(library, NAMES[module]["enums"])
    prefix = api.prefix if api.style is apis.Style.RAISE else ""
    enums = dict(library.enums)
    for name, typedef in library.typedefs.items():
        if isinstance(typedef.type, Named) and typedef.type.name in library.enums:
            enums[name] = library.enums[typedef.type.name]
    ours = {name.removeprefix(prefix): len(enum.members) for name, enum in enums.items()}
    assert ours | NAMES[module]["enums"] == ours
    return None


def check_members(library, expected):
    names = Names(library)
    ours = {names.enum(enum.name): dict(names.members(enum)) for enum in library.enums.values()}
    ours |= {name: dict(members) for name, members in names.macro_enums().items()}
    assert expected.keys() <= ours.keys()
    absent = {name: found for name, members in expected.items() if (found := set(members) - set(ours[name]))}
    assert absent == {}


def test_every_constant_is_there(module, libraries):
    assert absent(module, "constants", dict(Names(libraries[module]).constants())) == set()


@pytest.mark.parametrize("module", ["nvml", "cufile", "cudla"])
def test_every_dtype_and_exception_is_there(module, libraries):
    rows = {row.split()[0]: row.split()[1] for row in tables.render(libraries[module]).splitlines()}
    assert {rows.get(name) for name in NAMES[module]["dtypes"]} == {"dtype"}
    assert {rows.get(name) for name in NAMES[module]["errors"]} <= {"error", "failure", "alias"}


def test_listed_differences_exist_and_have_reasons(module, libraries):
    library = libraries[module]
    ours = {**library.functions, **library.structs, **library.typedefs, **library.constants}
    assert set(DIFFERENCES[module]) & set(ours) == set()
    theirs = {**NAMES[module]["functions"], **NAMES[module]["structs"]}
    assert set(DIFFERENCES[module]) <= set(theirs)
