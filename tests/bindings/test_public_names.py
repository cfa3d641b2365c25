# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The built modules have the names, arguments, fields and members of NVIDIA's CUDA Python 13.5."""

import importlib
import inspect
import json
import pathlib

import pytest

NAMES = json.loads((pathlib.Path(__file__).parents[1] / "codegen" / "api_names.json").read_text())
RECORDS = ("cuda.bindings.nvml", "cuda.bindings.cufile", "cuda.bindings.cudla")


@pytest.fixture(params=list(NAMES))
def api(request):
    """A module and its names."""
    return importlib.import_module(f"cuda.bindings.{request.param}"), NAMES[request.param]


def test_functions_have_their_signatures(api):
    module, names = api
    ours = {name: str(inspect.signature(getattr(module, name))) for name in names["functions"]}
    assert ours == {name: f"({', '.join(params)})" for name, params in names["functions"].items()}
    assert all(getattr(module, name).__doc__ for name in ours)


def test_structs_have_their_fields(api):
    module, names = api
    for name, fields in names["structs"].items():
        assert set(fields) <= set(dir(getattr(module, name))), name


def test_enumerations_have_their_members(api):
    module, names = api
    for name, members in names["enums"].items():
        ours = list(getattr(module, name).__members__)
        if module.__name__ in RECORDS:  # with more members, of a newer header, and more names for them
            ours = [member for member in members if member in ours]
        assert (len(ours) if isinstance(members, int) else ours) == members, name


def test_constants_are_ints(api):
    module, names = api
    assert {name for name in names["constants"] if not isinstance(getattr(module, name), int)} == set()


def test_dtypes_and_exceptions(api):
    module, names = api
    for name in names.get("dtypes", []):
        assert getattr(module, name).itemsize > 0, name
        assert getattr(module, name) is getattr(module, name)
    for name in names.get("errors", []):
        assert issubclass(getattr(module, name), Exception), name


def test_dir_and_star_import_list_everything(api):
    module, names = api
    public = {*names["functions"], *names["structs"], *names["enums"], *names["constants"]}
    assert public - set(dir(module)) == set()
    namespace = {}
    exec(f"from {module.__name__} import *", namespace)
    assert public - set(namespace) == set()


def test_unknown_name(api):
    module, _ = api
    with pytest.raises(AttributeError, match="has no attribute 'cuNoSuchThing'"):
        module.cuNoSuchThing  # noqa: B018
