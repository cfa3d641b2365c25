# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The package `cuda.core` itself: lazy names and a light import. For its contents see test_core_parity."""

import ast
import importlib
import inspect

import pytest
from support.scripts import run_checked, run_script


def test_unknown_name():
    import cuda.core

    with pytest.raises(
        AttributeError, match=r"^module 'cuda.core' has no attribute 'Devise'; did you mean 'Device'\?$"
    ):
        cuda.core.Devise  # noqa: B018
    with pytest.raises(AttributeError, match=r"^module 'cuda.core' has no attribute 'zzz'$"):
        cuda.core.zzz  # noqa: B018


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import cuda.core.graph; cuda.core.graph.Grpah", "has no attribute 'Grpah'; did you mean 'Graph'?"),
        ("import cuda.core.typing; cuda.core.typing.ObjectCodeFromatType", "did you mean 'ObjectCodeFormatType'?"),
        ("import cuda.core.system; cuda.core.system.Devcie", "has no attribute 'Devcie'; did you mean 'Device'?"),
        ("from cuda.core import Device; Device(0).to_devcie", "Did you mean: 'to_device'?"),  # by Python itself
        ("from cuda.core import LEGACY_DEFAULT_STREAM as stream; stream.priorty", "Did you mean: 'priority'?"),
        ("from cuda.core import Device; Device(0).properties.wrap_size", "did you mean 'warp_size'?"),
    ],
)
def test_misspelt_attributes_get_one_suggestion(text, message):
    shown = run_script(text).stderr.splitlines()[-1]
    assert shown.endswith(message)
    assert shown.lower().count("did you mean") == 1


def test_missing_dunder_names_cost_no_import():
    text = "import sys, cuda.core; hasattr(cuda.core, '__nothing__'); print('difflib' in sys.modules)"
    assert run_checked(text).strip() == "False"


def test_dir_lists_every_name():
    import cuda.core

    assert {"Device", "launch", "graph", "utils"} <= set(dir(cuda.core))
    assert set(cuda.core.__all__) <= set(dir(cuda.core))


def test_type_checkers_see_every_name():
    import cuda.core

    nodes = ast.walk(ast.parse(inspect.getsource(cuda.core)))
    imported = {alias.asname for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert set(cuda.core.__all__) <= imported


def test_import_loads_neither_driver_nor_numpy():
    text = "import sys, cuda.core; print(sorted({'numpy', 'cuda.bindings.driver', 'cuda.cpu'} & set(sys.modules)))"
    assert run_checked(text).strip() == "[]"


def test_version():
    import cuda.core

    assert cuda.core.__version__ == "1.2.2"


@pytest.mark.parametrize(
    ("package", "names"),
    [
        ("_device", ["Device"]),
        ("_launch", ["Kernel", "LaunchConfig", "launch"]),
        ("_memory", ["Buffer", "DeviceMemoryResource", "MemoryResource", "PinnedMemoryResource"]),
        ("_program", ["Module", "ObjectCode", "Program", "ProgramOptions"]),
        ("_stream", ["Event", "Stream", "StreamOptions"]),
    ],
)
def test_private_packages_export_their_public_names(package, names):
    import cuda.core

    private = importlib.import_module(f"cuda.core.{package}")
    for name in names:
        assert getattr(private, name) is getattr(cuda.core, name)
        assert name in dir(private)
    with pytest.raises(AttributeError, match=rf"^module 'cuda.core.{package}' has no attribute 'Devise'"):
        private.Devise  # noqa: B018
